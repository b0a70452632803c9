-- The mirror of every merchant's books, and what the engine concluded from it.
--
-- Every primary key, unique index and foreign key begins with merchant_id and every join stays inside one merchant, so
-- that the tables can be partitioned or distributed by merchant unchanged. merchants and runs are small and would be
-- copied to every node.
-- Instants are bigint epoch milliseconds, UTC; amounts are bigint whole units. Text that is compared or sorted is in
-- collation "C", so that order does not depend on the server's locale.

create table merchants (
  merchant_id bigint generated always as identity primary key,
  reference text collate "C" not null unique
);

-- What moves: one row a merchant, locked first by every write of that merchant. fence: see merchant-lock.ts. intake:
-- number of the newest page stored. late_intake: newest page that brought a line at or below the head of its time; a
-- checkpoint taken before it is void. variant_count, moved_operation_count: rows of entries with variant > 0 and of
-- moved_operation_versions; both are nearly always 0, which spares a reading the look.
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

-- The mirror: insert-only. No foreign keys to merchants: each page is written under the lock of its merchant_heads row,
-- which is the same guarantee at the price of one look instead of one a line.

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
-- Identifiers come in no order, and a hash takes them in at a third of a tree's price; it is seeded by the merchant, so
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
-- By phone number: the index holds a hash of it that is another one for each merchant, and nothing that can be read.
create index operation_versions_counterparty on operation_versions
  using hash (hashtextextended(counterparty_number, merchant_id))
  where counterparty_number is not null;

-- The versions whose successor has another created_at: a full reading walks operation_versions by created_at and would
-- meet them far from the version that replaced them. Empty unless a field fixed at creation was changed.
create table moved_operation_versions (
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
  primary key (merchant_id, digest)
);
comment on column rejected_rows.digest is
  'SHA-256 of part, place, reason, sequence, reference and raw: the same row refused again adds nothing';
create index rejected_rows_intake on rejected_rows (merchant_id, intake);

-- What the engine concluded.

create table checkpoints (
  merchant_id bigint primary key references merchants,
  last_sequence bigint not null,
  last_intake bigint not null,
  engine text not null,
  state text not null
);

create table runs (
  run_id bigint generated always as identity primary key,
  started_at bigint not null,
  finished_at bigint,
  source text not null,
  engine text not null
);

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
  state text collate "C" not null check (state in ('open', 'acknowledged', 'resolved')),
  first_seen_run bigint not null,
  last_seen_run bigint not null,
  content jsonb not null,
  primary key (merchant_id, fingerprint)
);
create index findings_fingerprint on findings (fingerprint);
create index findings_state on findings (state);

-- Who moved a finding from one state to another, and why. run_id is set when the engine did.
create table finding_decisions (
  merchant_id bigint not null,
  fingerprint text collate "C" not null,
  decision_number integer not null,
  action text not null check (action in ('acknowledge', 'resolve', 'reopen')),
  state_before text not null,
  state_after text not null,
  reason text not null check (btrim(reason) <> ''),
  decided_by text not null check (btrim(decided_by) <> ''),
  decided_at bigint not null,
  run_id bigint,
  primary key (merchant_id, fingerprint, decision_number),
  foreign key (merchant_id, fingerprint) references findings
);

-- Append-only, twice over: by trigger for whoever connects, and by right for the role below.

create function refuse_change() returns trigger
language plpgsql as $$
begin
  raise exception 'pointage: % is append-only, % is refused', tg_table_name, lower(tg_op)
    using errcode = 'restrict_violation';
end
$$;

create trigger append_only before update or delete or truncate on entries
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on operation_versions
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on moved_operation_versions
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on profile_versions
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on wallet_readings
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on rejected_rows
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on finding_decisions
  for each statement execute function refuse_change();
