-- What the dashboard was seen to say of a payment by link: a row where it was not what the look before had seen, so that a night with
-- nothing new adds nothing. created_at: of the link, as it is served. content: json and not jsonb, which would sort its keys.

create table payment_versions (
  merchant_id bigint not null references merchants,
  reference text collate "C" not null,
  seen_at bigint not null,
  created_at bigint not null,
  content json not null,
  primary key (merchant_id, reference, seen_at)
);

create index payment_versions_by_creation on payment_versions (merchant_id, created_at);

create trigger append_only before update or delete or truncate on payment_versions
  for each statement execute function refuse_change();
