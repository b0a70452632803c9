-- What people note about a finding beside what they decide: comments, an owner, labels, the day by which it is due. A note is
-- a row of the same history, and leaves the state as it is. owner, labels, due_on: as the newest notes have them.

alter table finding_decisions
  drop constraint finding_decisions_action_check,
  add constraint finding_decisions_action_check
    check (action in ('acknowledge', 'resolve', 'settle', 'accept', 'reopen', 'comment', 'assign', 'label', 'due'));

alter table deliveries
  drop constraint deliveries_topic_check,
  add constraint deliveries_topic_check
    check (topic in ('statement', 'findings', 'run', 'night', 'resolved', 'assigned', 'audit'));

alter table findings
  add column owner text collate "C",
  add column labels text[] collate "C" not null default '{}',
  add column due_on text collate "C" check (due_on ~ '^\d{4}-\d\d-\d\d$');

-- What a night with nothing new need not work out again; null: it must.
alter table checkpoints add column quiet text;

-- Both columns: what looks up merchants of a run by this index must not pass all that the run still expects.
drop index run_members_expected;
create index run_members_expected on run_members (run_id, merchant_id) where state = 'expected';

-- Locks the heads of merchants until the transaction ends, one after the other: two transactions that lock several in one order never
-- wait for each other. A write that changes nothing locks as `for update` does, which Citus refuses over several shards.
create function lock_heads(numbers bigint[]) returns setof merchant_heads language plpgsql as $$
declare
  number bigint;
begin
  for number in select distinct unnest(numbers) order by 1 loop
    return query update merchant_heads set fence = fence where merchant_id = number returning *;
  end loop;
end
$$;
