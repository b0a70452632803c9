-- For the list of months of all merchants: the verdict of what was issued, beside it. And why a person let a month go.

alter table reports add column verdict text collate "C" generated always as (issued #>> '{summary,verdict,state}') stored;
alter table report_holds add column reason text;

-- As `row_texts` has them, with the rights of the one who asks: the server closes months, and sees those of one merchant.
create view closing_texts with (security_invoker = true) as
select
  merchant_id,
  'closed_months'::text as part,
  period_end as page,
  row(period, last_sequence, closed_at, closed_by, reason)::text as text
from closed_months;

-- What the last claim of a delivery carries, and what each attempt carried: revision, format, name and SHA-256 of each file; null: none,
-- or an earlier version claimed it.
alter table deliveries add column files json;
alter table delivery_attempts add column files json;
