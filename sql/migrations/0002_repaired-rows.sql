-- What became of refused rows. A row in rejected_rows stands until a later reading of its place has gone by without it;
-- it may be refused again. rejected_rows itself stays as it is.

create table rejected_row_changes (
  merchant_id bigint not null,
  digest text collate "C" not null,
  intake bigint not null,
  change text collate "C" not null check (change in ('repaired', 'missed', 'refused')),
  primary key (merchant_id, digest, intake)
);
comment on column rejected_row_changes.change is
  'repaired: its place was read again and it was not there; missed: read from its place on, it was neither there nor read as sound, so only a whole reading can tell; refused: it was there again. The last one counts';

create trigger append_only before update or delete or truncate on rejected_row_changes
  for each statement execute function refuse_change();
