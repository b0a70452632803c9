-- Operators that were added by command: by the hash of the token, which is kept nowhere. used_on: the last day, UTC, on which it was
-- taken. A name that was revoked may be given again, with another token.

create table operators (
  token_hash text collate "C" primary key check (token_hash ~ '^[0-9a-f]{64}$'),
  operator_name text collate "C" not null check (length(operator_name) between 1 and 100),
  roles text[] collate "C" not null check (cardinality(roles) > 0),
  merchant text collate "C",
  added_at bigint not null,
  expires_at bigint check (expires_at > added_at),
  used_on text collate "C" check (used_on ~ '^\d{4}-\d\d-\d\d$'),
  revoked_at bigint
);
create unique index operators_in_force on operators (operator_name) where revoked_at is null;
create trigger never_deleted before delete or truncate on operators
  for each statement execute function refuse_removal();
