-- The log of an installation (docs/EVIDENCE.md): its leaves, the tree over them, and the checkpoints that were signed.

-- What was stored of the merchant when the run judged it; null: nothing, or there was no chain yet. chain_head: in hexadecimal.
alter table run_merchants add column chain_lines bigint, add column chain_head text collate "C";

-- One a log; the newest is written to, unless the configuration names another. signing_key: 32 bytes as base64; null: the
-- configuration gives it. recorded_run: runs up to it are in the log.
create table evidence_logs (
  log_number bigint generated always as identity primary key,
  origin text collate "C" not null unique,
  signing_key text,
  size bigint not null default 0,
  recorded_run bigint not null
);

-- subject: what the leaf is of, once a log: `night M001 12`, `statement M001 2026-10 1`. leaf_index counts from 0.
create table log_leaves (
  log_number bigint not null references evidence_logs,
  leaf_index bigint not null,
  subject text collate "C" not null,
  merchant text collate "C" not null,
  content text not null,
  primary key (log_number, leaf_index),
  unique (log_number, subject)
);
create index log_leaves_merchant on log_leaves (merchant, log_number, leaf_index);
create index log_leaves_subject on log_leaves (subject, log_number);

-- The hash of each complete subtree of 2^level leaves; level 0 are the leaves themselves.
create table log_nodes (
  log_number bigint not null references evidence_logs,
  level integer not null,
  position bigint not null,
  hash bytea not null,
  primary key (log_number, level, position)
);

-- note: the signed checkpoint as it was given out.
create table log_checkpoints (
  log_number bigint not null references evidence_logs,
  size bigint not null,
  note text not null,
  signed_at bigint not null,
  primary key (log_number, size)
);

do $$
declare
  name text;
begin
  foreach name in array array['log_leaves', 'log_nodes', 'log_checkpoints']
  loop
    execute format('create trigger append_only before update or delete or truncate on %I '
      'for each statement execute function refuse_change()', name);
  end loop;
end
$$;
create trigger never_deleted before delete or truncate on evidence_logs
  for each statement execute function refuse_removal();
