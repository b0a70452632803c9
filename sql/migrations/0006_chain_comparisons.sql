-- chain_compared_at: when all lines of the merchant were last compared with the hash chain over them, or when its first lines were
-- stored; null: not yet. tampered: the stretch of lines that did not fit then; null: all did.
-- changed_months: months whose statement was issued and would be stated otherwise by what came since, with the figures; null: none.
alter table merchant_heads
  add column chain_compared_at bigint,
  add column tampered jsonb,
  add column changed_months jsonb;

-- A finding is never forgotten: it is resolved, and its decisions stay.
create trigger never_deleted before delete or truncate on findings
  for each statement execute function refuse_removal();
