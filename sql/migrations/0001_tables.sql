-- The tables of a store: the mirror of every merchant's books, conclusions about them, issued reports, and the tables that a
-- service needs.
--
-- Every primary key, unique index and foreign key of a merchant's rows begins with merchant_id, and every join stays inside
-- one merchant: the tables can be partitioned or distributed by merchant unchanged. merchants, runs, deliveries and audits
-- are small and read across merchants; a cluster copies them to every node.
-- Instants are bigint epoch milliseconds, UTC; amounts are bigint whole units. Text that queries compare or sort has the
-- collation "C", so that its order does not depend on the server's locale.

-- The books of a retired merchant stay; whatever goes over all merchants of the mirror leaves them out.
create table merchants (
  merchant_id bigint generated always as identity primary key,
  reference text collate "C" not null unique,
  retired_at bigint,
  retired_by text,
  retired_reason text,
  check ((retired_at is null) = (retired_by is null) and (retired_at is null) = (retired_reason is null))
);

-- One row a merchant, which every write of that merchant locks first. fence: see merchant-lock.ts. intake: number of the
-- newest page stored. late_intake: newest page that brought a line at or below the head of its time; a checkpoint from
-- before it is void. variant_count, moved_operation_count: rows of entries with variant > 0 and of
-- moved_operation_versions; both are nearly always 0, and a reading then skips those rows.
create table merchant_heads (
  merchant_id bigint primary key references merchants,
  fence bigint not null default 0,
  intake bigint not null default 0,
  last_sequence bigint,
  entry_count bigint not null default 0,
  variant_count bigint not null default 0,
  operation_count bigint not null default 0,
  moved_operation_count bigint not null default 0,
  newest_operation_created_at bigint,
  newest_operation_updated_at bigint,
  late_intake bigint not null default 0
);

-- The mirror: insert-only. It has no foreign keys to merchants: the lock of the merchant_heads row, under which each page is
-- written, gives the same guarantee for one lookup a page instead of one a line.

create table entries (
  merchant_id bigint not null,
  sequence bigint not null,
  amount bigint not null,
  balance_after bigint not null,
  reserved_after bigint not null,
  created_at bigint not null,
  intake bigint not null,
  variant integer not null,
  direction text collate "C" not null,
  kind text collate "C" not null,
  currency text collate "C" not null,
  entry_id text collate "C" not null,
  operation_reference text collate "C",
  description text collate "C",
  primary key (merchant_id, sequence, variant)
);
comment on column entries.variant is
  '0 for the first content seen under this sequence; 1, 2, … for each other content (SEQUENCE_DUPLICATE)';
create index entries_operation on entries (merchant_id, operation_reference);
-- Identifiers arrive in random order: a hash index takes a third of a tree's time to insert them. The merchant seeds it, so
-- that merchants who number their lines alike do not share buckets.
create index entries_entry_id on entries using hash (hashtextextended(entry_id, merchant_id));

create table operation_versions (
  merchant_id bigint not null,
  version integer not null,
  amount bigint not null,
  fees bigint not null,
  net_amount bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  completed_at bigint,
  expires_at bigint,
  intake bigint not null,
  requires_payer_action boolean not null,
  reference text collate "C" not null,
  type text collate "C" not null,
  status text collate "C" not null,
  currency text collate "C" not null,
  country text collate "C" not null,
  operator text collate "C" not null,
  external_reference text collate "C",
  payer_action_url text collate "C",
  failure_code text collate "C",
  counterparty_number text,
  counterparty_name text,
  description text,
  failure_message text,
  metadata text,
  primary key (merchant_id, reference, version)
);
create index operation_versions_created on operation_versions (merchant_id, created_at, reference, version);
create index operation_versions_intake on operation_versions (merchant_id, intake);
create index operation_versions_external on operation_versions
  using hash (hashtextextended(external_reference, merchant_id));
-- By phone number: the index holds only a hash of it, seeded by the merchant.
create index operation_versions_counterparty on operation_versions
  using hash (hashtextextended(counterparty_number, merchant_id))
  where counterparty_number is not null;
-- Versions in which an operation was not final: the search for overdue operations reads only these. Most operations are
-- final when they are first read, and have none.
create index operation_versions_waiting on operation_versions (merchant_id, expires_at)
  where status in ('CREATED', 'PENDING', 'AWAITING_PAYER');
-- Operations that can concern a month although they were created a week or more before it.
create index operation_versions_long on operation_versions (merchant_id, greatest(updated_at, completed_at))
  where greatest(updated_at, completed_at) - created_at > 604800000;

-- Versions whose successor has another created_at: a full reading walks operation_versions by created_at and would meet
-- them far from the version that replaced them. Empty unless a field that is fixed at creation changed.
create table moved_operation_versions (
  merchant_id bigint not null,
  version integer not null,
  reference text collate "C" not null,
  primary key (merchant_id, reference, version)
);

-- Versions that may not follow the version before them: a field that is fixed at creation has changed, or the operation left
-- a final state. Nearly always empty, which saves a reading the search through all versions.
create table departed_operation_versions (
  merchant_id bigint not null,
  version integer not null,
  reference text collate "C" not null,
  primary key (merchant_id, reference, version)
);

create table profile_versions (
  merchant_id bigint not null,
  version integer not null,
  intake bigint not null,
  created_at bigint not null,
  cashin_fee_bps bigint not null,
  cashin_fee_flat bigint not null,
  cashout_fee_bps bigint not null,
  cashout_fee_flat bigint not null,
  min_cashin_amount bigint not null,
  max_cashin_amount bigint not null,
  min_cashout_amount bigint not null,
  max_cashout_amount bigint not null,
  daily_cashout_limit bigint not null,
  name text not null,
  legal_name text,
  country text collate "C" not null,
  status text collate "C" not null,
  allowed_countries text[] collate "C" not null,
  primary key (merchant_id, version)
);

create table wallet_readings (
  merchant_id bigint not null,
  intake bigint not null,
  read_at bigint not null,
  balance bigint not null,
  reserved bigint not null,
  available bigint not null,
  total_collected bigint not null,
  total_disbursed bigint not null,
  total_fees bigint not null,
  updated_at bigint not null,
  wallet_id text collate "C" not null,
  service_merchant_id text collate "C" not null,
  currency text collate "C" not null,
  status text collate "C" not null,
  primary key (merchant_id, intake)
);

create table rejected_rows (
  merchant_id bigint not null,
  intake bigint not null,
  sequence bigint,
  part text collate "C" not null,
  place text collate "C" not null,
  digest text collate "C" not null,
  reason text not null,
  reference text collate "C",
  raw text not null,
  refusal jsonb,
  primary key (merchant_id, digest)
);
comment on column rejected_rows.digest is
  'SHA-256 of part, place, reason, sequence, reference and raw: the same row refused again adds nothing';
comment on column rejected_rows.refusal is
  'JSON: the code of the reason and its figures, by name; no part of the digest';
create index rejected_rows_intake on rejected_rows (merchant_id, intake);

-- Later readings of refused rows. A row of rejected_rows holds until a later reading of its place does not meet it; a further
-- reading may refuse it again. Rows of rejected_rows never change.
create table rejected_row_changes (
  merchant_id bigint not null,
  digest text collate "C" not null,
  intake bigint not null,
  change text collate "C" not null check (change in ('repaired', 'missed', 'refused')),
  primary key (merchant_id, digest, intake)
);
comment on column rejected_row_changes.change is
  'repaired: its place was read again and it was not there; missed: read from its place on, it was neither there nor read as sound, so only a whole reading can tell; refused: it was there again. The last one counts';

-- Conclusions of the engine.

-- From where a replay goes on: written anew, never removed. digest: SHA-256 over the row as it was saved.
create table checkpoints (
  merchant_id bigint primary key references merchants,
  last_sequence bigint not null,
  last_intake bigint not null,
  engine text not null,
  state text not null,
  digest text collate "C"
);

-- A scheduled run names the job that began it, so that a job that begins twice makes one run. expected: number of merchants
-- that it is to cover, set once all of them are entered. closed: why it ended without covering all merchants. totals: sums
-- over its merchants, kept at its end, so that a list of runs reads no rows of merchants. tried_again_at: since when a night
-- tries the merchants again that it could not read or judge; null: not, or not yet.
create table runs (
  run_id bigint generated always as identity primary key,
  started_at bigint not null,
  finished_at bigint,
  source text not null,
  engine text not null,
  kind text not null default 'manual' check (kind in ('manual', 'night')),
  job_id uuid unique,
  planned_for bigint,
  expected bigint,
  closed text,
  totals jsonb,
  tried_again_at bigint
);

-- One merchant of a run and its outcome. failed: the run could not judge it at all; reason says why in one sentence.
-- watermark: the instant of the source up to which the mirror is complete.
create table run_members (
  merchant_id bigint not null references merchants,
  run_id bigint not null,
  state text collate "C" not null default 'expected' check (state in ('expected', 'done', 'failed')),
  verdict text collate "C" check (verdict in ('clean', 'broken', 'incomplete')),
  reason text,
  attempts integer not null default 0,
  started_at bigint,
  finished_at bigint,
  watermark bigint,
  entries_added bigint not null default 0,
  operations_changed bigint not null default 0,
  findings_added bigint not null default 0,
  findings_resolved bigint not null default 0,
  findings_reopened bigint not null default 0,
  primary key (merchant_id, run_id),
  check ((state = 'expected') = (finished_at is null)),
  check (state <> 'failed' or reason is not null)
);
create index run_members_run on run_members (run_id, merchant_id);
create index run_members_expected on run_members (run_id) where state = 'expected';

-- run_id names a row of runs; not a foreign key, since those begin with merchant_id.
create table run_merchants (
  merchant_id bigint not null references merchants,
  run_id bigint not null,
  verdict text not null,
  entries bigint not null,
  operations bigint not null,
  findings bigint not null,
  roots bigint not null,
  report jsonb not null,
  primary key (merchant_id, run_id)
);
create index run_merchants_run on run_merchants (run_id);

create table findings (
  merchant_id bigint not null references merchants,
  fingerprint text collate "C" not null,
  kind text collate "C" not null,
  severity text collate "C" not null,
  state text collate "C" not null
    check (state in ('open', 'acknowledged', 'settled', 'accepted', 'resolved')),
  first_seen_run bigint not null,
  last_seen_run bigint not null,
  content jsonb not null,
  primary key (merchant_id, fingerprint)
);
create index findings_fingerprint on findings (fingerprint);
create index findings_state on findings (state);
-- Findings that are new in a run.
create index findings_first_seen on findings (first_seen_run);

-- Who moved a finding from one state to another, and why. run_id is set where the engine did. terms: what a person's decision
-- rests on (the finding's item, evidence and lines at that time, an amount limit, an expiry); when these change, the finding
-- opens again.
create table finding_decisions (
  merchant_id bigint not null,
  fingerprint text collate "C" not null,
  decision_number integer not null,
  action text not null check (action in ('acknowledge', 'resolve', 'settle', 'accept', 'reopen')),
  state_before text not null,
  state_after text not null,
  reason text not null check (btrim(reason) <> ''),
  decided_by text not null check (btrim(decided_by) <> ''),
  decided_at bigint not null,
  run_id bigint,
  terms jsonb,
  primary key (merchant_id, fingerprint, decision_number),
  foreign key (merchant_id, fingerprint) references findings
);
-- Findings that a run resolved.
create index finding_decisions_run on finding_decisions (run_id) where run_id is not null;

-- Sums of the lines below a position, with which a month's statement begins instead of reading them again. It can be computed
-- anew at any time; rows are written anew, never removed. starts_at: every one of its lines is dated before. terms: what it
-- rests on besides its lines; empty since a line arrived at or below its position, which makes it void. state: JSON, opaque
-- to the store. digest: SHA-256 over the row as it was saved.
create table month_openings (
  merchant_id bigint not null references merchants,
  starts_at bigint not null,
  position bigint not null,
  engine text not null,
  terms text not null,
  state text not null,
  digest text collate "C",
  primary key (merchant_id, starts_at)
);

-- Content that the dashboard served about payouts: a row where it differs from the row before it, so that a night with
-- nothing new adds nothing. item: the id of a payout, else empty. part payments: counts of the payments by link that are too
-- old to change. content: json and not jsonb, which would sort its keys: contents are equal where their texts are.
create table payout_readings (
  merchant_id bigint not null references merchants,
  part text collate "C" not null
    check (part in ('limits', 'counters', 'balance', 'settlement', 'payout', 'payments')),
  item text collate "C" not null,
  read_at bigint not null,
  content json not null,
  primary key (merchant_id, part, item, read_at)
);

-- The same for each payment by link. created_at: of the link, as the dashboard serves it.
create table payment_versions (
  merchant_id bigint not null references merchants,
  reference text collate "C" not null,
  seen_at bigint not null,
  created_at bigint not null,
  content json not null,
  primary key (merchant_id, reference, seen_at)
);
create index payment_versions_by_creation on payment_versions (merchant_id, created_at);

-- Issued: monthly reports with their files, and closed months.

-- One row for each attempt to issue a revision of a month. It begins as PENDING and moves once, to READY or FAILED; an
-- attempt after a failure is a new row. issued: what the next generation is compared with (revision, hashes, summary); json
-- and not jsonb, which would sort the keys of the summary.
create table reports (
  merchant_id bigint not null references merchants,
  report_id uuid not null,
  period text collate "C" not null check (period ~ '^[0-9]{4}-[0-9]{2}$'),
  revision integer not null check (revision > 0),
  attempt integer not null check (attempt > 0),
  status text collate "C" not null check (status in ('PENDING', 'READY', 'FAILED')),
  period_label text not null,
  period_start bigint not null,
  period_end bigint not null,
  requested_at bigint not null,
  generated_at bigint,
  error text,
  issued json,
  primary key (merchant_id, report_id),
  check ((status = 'READY') = (issued is not null)),
  check ((status = 'READY') = (generated_at is not null)),
  check ((status = 'FAILED') = (error is not null))
);
create unique index reports_attempt on reports (merchant_id, period, revision, attempt);
create unique index reports_ready on reports (merchant_id, period, revision) where status = 'READY';
create unique index reports_pending on reports (merchant_id, period) where status = 'PENDING';

create table report_files (
  merchant_id bigint not null,
  report_id uuid not null,
  format text collate "C" not null,
  file_name text not null,
  media_type text not null,
  size bigint not null,
  sha256 text collate "C" not null,
  primary key (merchant_id, report_id, format),
  foreign key (merchant_id, report_id) references reports
);

-- A file in parts of at most a mebibyte, so that no process holds one whole. part_number counts from 0. Parts are written
-- before the row of their file, in the same transaction.
create table report_file_parts (
  merchant_id bigint not null,
  report_id uuid not null,
  format text collate "C" not null,
  part_number integer not null,
  content bytea not null,
  primary key (merchant_id, report_id, format, part_number),
  foreign key (merchant_id, report_id) references reports
);

-- Whether a report is held since it was issued, and whether a person released it: each act once. Deliveries that wait for the
-- release are one consequence.
create table report_holds (
  merchant_id bigint not null references merchants,
  report_id uuid not null,
  act text collate "C" not null check (act in ('held', 'released')),
  acted_at bigint not null,
  acted_by text,
  primary key (merchant_id, report_id, act),
  check ((act = 'released') = (acted_by is not null))
);

-- Months that a person has closed: a line that comes later and is dated in one falls into the month after it. last_sequence:
-- of the lines that were stated until then; a line of a higher sequence that is dated before period_end came late. reason:
-- null where the person gave none. Nothing opens a closed month again.
create table closed_months (
  merchant_id bigint not null references merchants,
  period text collate "C" not null check (period ~ '^[0-9]{4}-[0-9]{2}$'),
  period_end bigint not null,
  last_sequence bigint not null,
  closed_at bigint not null,
  closed_by text not null,
  reason text,
  primary key (merchant_id, period)
);

-- The tables of a service.

-- The outbox: each message to one target, written in the transaction of what it announces. announces, channel and target
-- make it unique, so that no message goes out twice. target holds no secret. HELD: a statement waits until a person releases
-- it, findings wait for the mail at the end of a night, into which they are GATHERED. IN_DOUBT: the process ended while a
-- mail was on its way and cannot know whether it went out; a person decides. attempts: since the row was written or a person
-- last retried it; they choose the next wait. next_attempt_at: null when no attempt is planned.
create table deliveries (
  delivery_id uuid primary key,
  channel text collate "C" not null check (channel in ('mail', 'folder', 'webhook')),
  topic text collate "C" not null check (topic in ('statement', 'findings', 'run', 'night')),
  announces text collate "C" not null,
  target text collate "C" not null,
  merchant text collate "C",
  content json not null,
  state text collate "C" not null default 'PENDING'
    check (state in ('HELD', 'GATHERED', 'PENDING', 'SENDING', 'SUCCESS', 'FAILED', 'ABANDONED', 'IN_DOUBT')),
  attempts integer not null default 0,
  created_at bigint not null,
  next_attempt_at bigint,
  claimed_at bigint,
  claimed_until bigint,
  unique (announces, channel, target),
  check ((state = 'SENDING') = (claimed_until is not null)),
  check ((claimed_at is null) = (claimed_until is null)),
  check ((state in ('PENDING', 'FAILED')) = (next_attempt_at is not null))
);
create index deliveries_due on deliveries (channel, next_attempt_at) where next_attempt_at is not null;
create index deliveries_claimed on deliveries (channel, claimed_until) where claimed_until is not null;
create index deliveries_merchant on deliveries (merchant, created_at);
create index deliveries_outstanding on deliveries (channel, state) where state <> 'SUCCESS';

-- Every attempt, insert-only. outcome: SUCCESS, or the kind of failure, which decides about another attempt.
create table delivery_attempts (
  delivery_id uuid not null references deliveries,
  attempt_number integer not null,
  started_at bigint not null,
  finished_at bigint not null,
  outcome text collate "C" not null check (outcome in ('SUCCESS', 'RETRY', 'REFUSED', 'IN_DOUBT')),
  detail text not null,
  primary key (delivery_id, attempt_number)
);

-- Notifications of the service, as they came: hints, never books. event_id: for an unsigned notification of a payment, which
-- has none, the digest; for a signed one with an unreadable id, 'unreadable:' and the digest. variant counts from 0 the
-- different bodies under one id. type: for a payment, its status. operation_reference: of its operation or its payment.
-- fault: why a signed body could not be read, in one clause. body: the raw bytes.
create table notifications (
  merchant_id bigint not null references merchants,
  event_id text collate "C" not null,
  variant integer not null,
  channel text collate "C" not null check (channel in ('direct', 'payments')),
  digest text collate "C" not null,
  type text collate "C",
  operation_reference text collate "C",
  created_at bigint,
  received_at bigint not null,
  fault text,
  body bytea not null,
  primary key (merchant_id, channel, event_id, variant),
  check (fault is not null or type is not null)
);
create index notifications_operation on notifications (merchant_id, operation_reference);
create index notifications_received on notifications (merchant_id, received_at);

-- Audits on demand. result: the document of `pointage audit --format json`; json and not jsonb, which would sort its keys.
-- attempts: how often a worker began it. entries_read: progress of the last attempt.
create table audits (
  audit_id uuid primary key,
  merchant text collate "C" not null,
  source text collate "C" not null check (source in ('mirror', 'service')),
  as_of bigint not null,
  period text collate "C",
  requested_by text not null,
  requested_at bigint not null,
  state text collate "C" not null default 'QUEUED' check (state in ('QUEUED', 'RUNNING', 'DONE', 'FAILED')),
  attempts integer not null default 0,
  started_at bigint,
  finished_at bigint,
  entries_read bigint not null default 0,
  error text,
  result json,
  check ((state = 'DONE') = (result is not null)),
  check ((state = 'FAILED') = (error is not null))
);
create index audits_requested on audits (requested_at desc, audit_id);
create index audits_unfinished on audits (requested_at) where state in ('QUEUED', 'RUNNING');

-- Append-only tables, twice over: a trigger refuses every connection, and the role in sql/writer-role.sql lacks the right.

create function refuse_change() returns trigger
language plpgsql as $$
begin
  raise exception 'pointage: % is append-only, % is refused', tg_table_name, lower(tg_op)
    using errcode = 'restrict_violation';
end
$$;

create function refuse_removal() returns trigger
language plpgsql
as $$
begin
  raise exception 'pointage: rows of % are never removed, % is refused', tg_table_name, lower(tg_op)
    using errcode = 'restrict_violation';
end
$$;

do $$
declare
  name text;
begin
  foreach name in array array[
    'entries', 'operation_versions', 'moved_operation_versions', 'departed_operation_versions', 'profile_versions',
    'wallet_readings', 'rejected_rows', 'rejected_row_changes', 'finding_decisions', 'payout_readings', 'payment_versions',
    'report_files', 'report_file_parts', 'report_holds', 'closed_months', 'delivery_attempts', 'notifications'
  ]
  loop
    execute format('create trigger append_only before update or delete or truncate on %I '
      'for each statement execute function refuse_change()', name);
  end loop;
  foreach name in array array['checkpoints', 'month_openings', 'merchant_heads'] loop
    execute format('create trigger never_deleted before delete or truncate on %I '
      'for each statement execute function refuse_removal()', name);
  end loop;
end
$$;

-- A report moves once; after that it takes no further file.

create function refuse_report_change() returns trigger
language plpgsql as $$
begin
  if old.status = 'PENDING'
    and new.status <> 'PENDING'
    and (new.merchant_id, new.report_id, new.period, new.revision, new.attempt, new.requested_at)
      = (old.merchant_id, old.report_id, old.period, old.revision, old.attempt, old.requested_at)
    and (new.period_label, new.period_start, new.period_end) = (old.period_label, old.period_start, old.period_end)
  then
    return new;
  end if;
  raise exception 'pointage: report % is %, and stays as it is', old.report_id, old.status
    using errcode = 'restrict_violation';
end
$$;

create function refuse_late_file() returns trigger
language plpgsql as $$
begin
  if exists (
    select 1
    from reports r
    where r.merchant_id = new.merchant_id and r.report_id = new.report_id and r.status = 'PENDING'
  )
  then
    return new;
  end if;
  raise exception 'pointage: report % is issued, and takes no further file', new.report_id
    using errcode = 'restrict_violation';
end
$$;

create trigger one_move before update on reports
  for each row execute function refuse_report_change();
create trigger append_only before delete or truncate on reports
  for each statement execute function refuse_change();
create trigger pending_only before insert on report_files
  for each row execute function refuse_late_file();
create trigger pending_only before insert on report_file_parts
  for each row execute function refuse_late_file();
