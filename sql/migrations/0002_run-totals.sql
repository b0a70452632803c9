-- What a run came to, kept once it has ended: a list of runs is then as long as the list, and not as all their merchants.

alter table runs add column totals jsonb;
