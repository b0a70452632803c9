-- Evidence that others can check (docs/EVIDENCE.md).

-- chain: the head of the merchant's hash chain behind the last full link, then the text of the lines since. Null: the lines were
-- stored before there was a chain; the next page with a line makes it.
alter table merchant_heads add column chain bytea;

-- The head behind every 1,024th line, in the order of storing (intake, sequence, variant), and that line's place. block counts from 1.
create table entry_blocks (
  merchant_id bigint not null references merchants,
  block bigint not null,
  last_intake bigint not null,
  last_sequence bigint not null,
  last_variant integer not null,
  head bytea not null,
  primary key (merchant_id, block)
);

create trigger append_only before update or delete or truncate on entry_blocks
  for each statement execute function refuse_change();
