-- What the lines below a position add to a month's statement: kept so that the next statement need not read them again. It may be
-- computed anew at any time. starts_at: every one of its lines is dated before. terms: what it rests on besides its lines; empty
-- since a line arrived at or below its position, which makes it void. state: JSON, opaque to the store.
create table month_openings (
  merchant_id bigint not null references merchants,
  starts_at bigint not null,
  position bigint not null,
  engine text not null,
  terms text not null,
  state text not null,
  primary key (merchant_id, starts_at)
);

-- Operations that a month may concern although they were created a week or more before it.
create index operation_versions_long on operation_versions (merchant_id, greatest(updated_at, completed_at))
  where greatest(updated_at, completed_at) - created_at > 604800000;
