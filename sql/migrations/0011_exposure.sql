-- What a finding is worth, and since when: by currency, state and age in one query. item_at: of the line or the operation that it is
-- about; null for what earlier versions wrote. amount_off, concerned: whole units, without sign.

alter table findings
  add column currency text collate "C",
  add column item_at bigint,
  add column caused_by text collate "C" generated always as (content ->> 'causedBy') stored,
  add column sequence bigint generated always as ((content ->> 'sequence')::bigint) stored,
  add column is_root boolean not null generated always as (content ->> 'causedBy' is null) stored,
  add column is_confirmed boolean not null generated always as (content ->> 'status' is not distinct from 'confirmed') stored,
  add column amount_off numeric not null generated always as (greatest(
    abs(coalesce((content #>> '{item,balance}')::numeric, 0)),
    abs(coalesce((content #>> '{item,reserved}')::numeric, 0))
  )) stored,
  add column concerned numeric generated always as ((content ->> 'concerned')::numeric) stored;

update findings as f set
  currency = (
    select w.currency from wallet_readings as w
    where w.merchant_id = f.merchant_id
    order by w.intake desc
    limit 1
  ),
  content = jsonb_build_object('concerned', null, 'itemAt', null) || content;

-- Null: by the newest run of its merchant, so that no night writes anew what stays as it was.
alter table findings alter column last_seen_run drop not null;
update findings as f set last_seen_run = null
where last_seen_run = (select max(s.run_id) from run_merchants as s where s.merchant_id = f.merchant_id);

create index findings_exposed on findings (state, currency)
  include (merchant_id, severity, item_at, first_seen_run, amount_off, concerned)
  where is_root and is_confirmed and state <> 'resolved';

-- The order of lists: worst first, and within a currency by money.
create index findings_worst on findings
  ((array_position(array['critical', 'error', 'warning', 'info'], severity)), currency, (greatest(amount_off, concerned)) desc,
    merchant_id, sequence, fingerprint)
  include (state, kind, caused_by, is_root, is_confirmed, amount_off, concerned, severity);
create index findings_largest on findings (currency, amount_off desc, merchant_id, fingerprint)
  where is_root and is_confirmed and state in ('open', 'acknowledged');
create index findings_oldest on findings (first_seen_run, merchant_id, fingerprint)
  where is_root and is_confirmed and state in ('open', 'acknowledged');
-- What follows from others, and what was decided, in one order.
create index findings_followers on findings (merchant_id, caused_by)
  where not is_root and is_confirmed and state in ('open', 'acknowledged');
create index findings_decided on findings (merchant_id, fingerprint) include (state)
  where state in ('acknowledged', 'settled', 'accepted');
