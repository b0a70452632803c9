-- The nightly service: runs that cover everyone, what is delivered, what is notified, and audits asked for. What belongs to
-- a merchant has a key that begins with merchant_id; runs, deliveries and audits are small, and asked for across merchants.

-- A run that was planned by a schedule has the job that began it, so that a job begun twice makes one run. expected: how
-- many merchants it is to cover, known once all of them are entered. closed: why it ended without covering everyone.
alter table runs
  add column kind text not null default 'manual' check (kind in ('manual', 'night')),
  add column job_id uuid unique,
  add column planned_for bigint,
  add column expected bigint,
  add column closed text;

-- What a run was to do for one merchant, and what became of it. failed: it could not be judged at all; reason says why in
-- one sentence. watermark: the mirror holds what the source had at this instant.
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

-- What is new in a run, and what it resolved.
create index findings_first_seen on findings (first_seen_run);
create index finding_decisions_run on finding_decisions (run_id) where run_id is not null;

-- The outbox: what is to be told, to whom, written in the transaction of what it tells. announces and target make it
-- unique, so that nothing is told twice. target holds no secret. IN_DOUBT: the process ended while a mail was on its way,
-- and nobody knows whether it went out; a person decides. attempts: since it was written, or last retried by a person; its
-- place on the ladder. next_attempt_at: null when nothing is planned.
create table deliveries (
  delivery_id uuid primary key,
  channel text collate "C" not null check (channel in ('mail', 'folder', 'webhook')),
  topic text collate "C" not null check (topic in ('statement', 'findings', 'run')),
  announces text collate "C" not null,
  target text collate "C" not null,
  merchant text collate "C",
  content json not null,
  state text collate "C" not null default 'PENDING'
    check (state in ('PENDING', 'SENDING', 'SUCCESS', 'FAILED', 'ABANDONED', 'IN_DOUBT')),
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

-- Every attempt, insert-only. outcome: SUCCESS, or what went wrong and whether it is worth another attempt.
create table delivery_attempts (
  delivery_id uuid not null references deliveries,
  attempt_number integer not null,
  started_at bigint not null,
  finished_at bigint not null,
  outcome text collate "C" not null check (outcome in ('SUCCESS', 'RETRY', 'REFUSED', 'IN_DOUBT')),
  detail text not null,
  primary key (delivery_id, attempt_number)
);
create trigger append_only before update or delete or truncate on delivery_attempts
  for each statement execute function refuse_change();

-- What the service notified, as it came: hints, never books. event_id: for an unsigned notification of a payment, which has
-- none, the digest; for a signed one whose id cannot be read, 'unreadable:' and the digest. variant counts from 0 the
-- different bodies under one id. type: for a payment, its status. operation_reference: of the operation or the payment that
-- it is about. fault: why a signed body could not be read, in one clause. body: the raw bytes.
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
create trigger append_only before update or delete or truncate on notifications
  for each statement execute function refuse_change();

-- Versions in which an operation was not final: what is past its expiresAt is looked for among the few of them. Most
-- operations are final when they are first read, and have none.
create index operation_versions_waiting on operation_versions (merchant_id, expires_at)
  where status in ('CREATED', 'PENDING', 'AWAITING_PAYER');

-- Audits asked for over HTTP. result: the document of `pointage audit --format json`; json and not jsonb, which would sort
-- its keys. attempts: how often somebody began it. entries_read: how far the last one has come.
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
