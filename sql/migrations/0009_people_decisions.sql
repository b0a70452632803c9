-- What people decided, one row a decision; day: of its instant, UTC. What the engine decided by itself is left out.

create view people_decisions with (security_invoker) as
select
  m.reference as merchant,
  to_char(to_timestamp(a.at / 1000) at time zone 'UTC', 'YYYY-MM-DD') as day,
  a.at,
  a.act,
  a.about,
  a.number,
  a.person,
  a.reason,
  a.before,
  a.after,
  a.terms
from (
  select
    merchant_id,
    decided_at as at,
    action as act,
    fingerprint as about,
    decision_number as number,
    decided_by as person,
    reason,
    state_before as before,
    state_after as after,
    terms
  from finding_decisions
  where run_id is null
  union all
  select
    h.merchant_id,
    h.acted_at,
    'release' as act,
    r.period,
    r.revision,
    h.acted_by,
    null as reason,
    null as before,
    null as after,
    null as terms
  from report_holds h
  join reports r on r.merchant_id = h.merchant_id and r.report_id = h.report_id
  where h.act = 'released'
  union all
  select
    merchant_id,
    closed_at,
    'close' as act,
    period,
    null as number,
    closed_by,
    reason,
    null as before,
    null as after,
    null as terms
  from closed_months
  union all
  select
    merchant_id,
    decided_at,
    'reread' as act,
    from_sequence::text as about,
    reread,
    decided_by,
    reason,
    null as before,
    null as after,
    null as terms
  from ledger_rereads
) a
join merchants m on m.merchant_id = a.merchant_id;
