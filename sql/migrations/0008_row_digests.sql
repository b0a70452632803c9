-- One digest over the rows that one page brought to one table (docs/EVIDENCE.md, "The rows"). Lines have their hash chain.

-- page: the number of the page (intake), or what takes its place in `row_texts`. digest: SHA-256 of the texts of its rows, in their
-- order (C), with a line feed between them; empty: the rows had been changed before they were written again.
create table row_digests (
  merchant_id bigint not null references merchants,
  part text collate "C" not null,
  page bigint not null,
  digest bytea not null,
  primary key (merchant_id, part, page)
);

create trigger never_deleted before delete or truncate on row_digests
  for each statement execute function refuse_removal();

-- Bytes are hexadecimal, whatever bytea_output says. The columns are named: a column that comes later enters with a new view, and with
-- digests that its migration computes anew.

-- A number that is the same in every version of PostgreSQL.
create function page_of_notification(channel text, event_id text, variant integer) returns bigint language sql immutable as $$
  select ('x' || encode(substring(sha256(convert_to(row(channel, event_id, variant)::text, 'UTF8')) for 8), 'hex'))::bit(64)::bigint
$$;

-- With the rights of the one who asks: the server adds notifications, and sees those of one merchant.
create view notification_texts with (security_invoker = true) as
select
  merchant_id,
  'notifications'::text as part,
  page_of_notification(channel, event_id, variant) as page,
  row(
    event_id, variant, channel, digest, type, operation_reference, created_at, received_at, fault, encode(body, 'hex')
  )::text as text
from notifications;

-- Rows that change. Left out: merchant_heads.fence, which counts the processes that held the merchant and says nothing of it.
create view head_texts as
select
  merchant_id,
  'merchant_heads'::text as part,
  0::bigint as page,
  row(
    intake, last_sequence, entry_count, variant_count, operation_count, moved_operation_count, newest_operation_created_at,
    newest_operation_updated_at, late_intake, alteration_count, reread, reread_from, encode(chain, 'hex'), chain_compared_at,
    tampered, changed_months
  )::text as text
from merchant_heads
where intake > 0;

create view watch_texts as
select
  merchant_id,
  'line_watches'::text as part,
  0::bigint as page,
  row(
    compared_intake, position_shift, head_sequence, next_position, round_began_at, earlier_round_began_at, missing, operation_round
  )::text as text
from line_watches;

create view state_texts as
select merchant_id, part, page, text from head_texts
union all
select merchant_id, part, page, text from watch_texts;

create view row_texts as
select merchant_id, part, page, text from state_texts
union all
select merchant_id, part, page, text from notification_texts
union all
select
  merchant_id,
  'operation_versions'::text as part,
  intake,
  row(
    version, amount, fees, net_amount, created_at, updated_at, completed_at, expires_at, requires_payer_action, reference, type, status,
    currency, country, operator, external_reference, payer_action_url, failure_code, counterparty_number, counterparty_name,
    description, failure_message, metadata
  )::text as text
from operation_versions
union all
-- With the page of the version that made it one.
select o.merchant_id, 'moved_operation_versions'::text as part, o.intake, row(m.version, m.reference)::text as text
from moved_operation_versions m
join operation_versions o on o.merchant_id = m.merchant_id and o.reference = m.reference and o.version = m.version + 1
union all
select o.merchant_id, 'departed_operation_versions'::text as part, o.intake, row(d.version, d.reference)::text as text
from departed_operation_versions d
join operation_versions o on o.merchant_id = d.merchant_id and o.reference = d.reference and o.version = d.version
union all
select
  merchant_id,
  'profile_versions'::text as part,
  intake,
  row(
    version, created_at, cashin_fee_bps, cashin_fee_flat, cashout_fee_bps, cashout_fee_flat, min_cashin_amount, max_cashin_amount,
    min_cashout_amount, max_cashout_amount, daily_cashout_limit, name, legal_name, country, status, allowed_countries
  )::text as text
from profile_versions
union all
select
  merchant_id,
  'wallet_readings'::text as part,
  intake,
  row(
    read_at, balance, reserved, available, total_collected, total_disbursed, total_fees, updated_at, wallet_id, service_merchant_id,
    currency, status
  )::text as text
from wallet_readings
union all
select
  merchant_id,
  'rejected_rows'::text as part,
  intake,
  row(sequence, part, place, digest, reason, reference, raw, refusal)::text as text
from rejected_rows
union all
select merchant_id, 'rejected_row_changes'::text as part, intake, row(digest, change)::text as text
from rejected_row_changes
union all
select
  merchant_id,
  'entry_alterations'::text as part,
  intake,
  row(sequence, last_sequence, after_sequence, lines, balance_off, reserved_off, fills_gap, change, before_row, now_row)::text as text
from entry_alterations
union all
select
  merchant_id,
  'ledger_rereads'::text as part,
  intake,
  row(reread, from_sequence, decided_at, decided_by, reason)::text as text
from ledger_rereads
union all
select merchant_id, 'payment_versions'::text as part, seen_at, row(reference, created_at, content)::text as text
from payment_versions
union all
select merchant_id, 'payout_readings'::text as part, read_at, row(part, item, content)::text as text
from payout_readings
union all
select merchant_id, 'closed_months'::text as part, period_end, row(period, last_sequence, closed_at, closed_by, reason)::text as text
from closed_months;

insert into row_digests (merchant_id, part, page, digest)
select merchant_id, part, page, sha256(convert_to(string_agg(text, E'\n' order by text collate "C"), 'UTF8'))
from row_texts
group by merchant_id, part, page;
