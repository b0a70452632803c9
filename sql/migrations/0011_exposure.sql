-- What a finding is worth, and since when: by currency, state and age in one query. item_at: of the line or the operation that it is
-- about; null for what earlier versions wrote. amount_off, concerned: whole units, without sign.

alter table findings
  add column currency text collate "C",
  add column item_at bigint,
  add column confirmed_root boolean not null generated always as
    (content ->> 'causedBy' is null and content ->> 'status' is not distinct from 'confirmed') stored,
  add column amount_off numeric not null generated always as (greatest(
    abs(coalesce((content #>> '{item,balance}')::numeric, 0)),
    abs(coalesce((content #>> '{item,reserved}')::numeric, 0))
  )) stored,
  add column concerned numeric generated always as ((content ->> 'concerned')::numeric) stored;

update findings as f set currency = (
  select w.currency from wallet_readings as w
  where w.merchant_id = f.merchant_id
  order by w.intake desc
  limit 1
);

create index findings_exposed on findings (state, currency)
  include (merchant_id, item_at, first_seen_run, amount_off, concerned)
  where confirmed_root and state <> 'resolved';
