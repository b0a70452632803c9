-- The history of the feed: what a reading served otherwise than the readings before it, and whose word it is that lines were
-- read anew since.

-- alteration_count: rows of entry_alterations, nearly always 0. reread: the newest row of ledger_rereads, and its from_sequence:
-- the lines judged are those of variants reread * 1000000 to reread * 1000000 + 999999 from there on, of variants 0 to 999999
-- before.
alter table merchant_heads
  add column alteration_count bigint not null default 0,
  add column reread integer not null default 0,
  add column reread_from bigint;

comment on column entries.variant is
  '0 for the first content read under this sequence; 1, 2, … for each other content of the same reading (SEQUENCE_DUPLICATE); -1, -2, … for each content that a later reading served instead (entry_alterations). What the n-th reading anew (ledger_rereads) judges lies n * 1000000 higher, what is served instead of that n * 1000000 lower';

-- One row for each run of lines of one page that is served otherwise than before. after_sequence: the known line before the
-- first; null: there is none. balance_off, reserved_off: figures after the last line, new less old. fills_gap: the figures around
-- the inserted lines lacked them. before_row, now_row: the first line as first read, and as served now, whole.
create table entry_alterations (
  merchant_id bigint not null,
  intake bigint not null,
  sequence bigint not null,
  last_sequence bigint not null,
  after_sequence bigint,
  lines bigint not null check (lines > 0),
  balance_off bigint not null,
  reserved_off bigint not null,
  fills_gap boolean not null,
  change text collate "C" not null check (change in ('rewritten', 'deleted', 'inserted', 'reset')),
  before_row jsonb,
  now_row jsonb,
  primary key (merchant_id, sequence, intake),
  check (last_sequence >= sequence)
);

-- Who had the books read anew, from which line on, after which page, and why.
create table ledger_rereads (
  merchant_id bigint not null references merchants,
  reread integer not null check (reread > 0),
  from_sequence bigint not null,
  intake bigint not null,
  decided_at bigint not null,
  decided_by text not null check (btrim(decided_by) <> ''),
  reason text not null check (btrim(reason) <> ''),
  primary key (merchant_id, reread)
);

create trigger append_only before update or delete or truncate on entry_alterations
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on ledger_rereads
  for each statement execute function refuse_change();
