-- Sessions of people in the console: by the hash of an id that only the browser has. credential: the hash of the token that
-- began it. ended_at: of a logout. draft: what a form held when an earlier session had ended.

create table console_sessions (
  session_hash text collate "C" primary key check (session_hash ~ '^[0-9a-f]{64}$'),
  operator text collate "C" not null,
  credential text collate "C" not null,
  begun_at bigint not null,
  expires_at bigint not null check (expires_at > begun_at),
  ended_at bigint,
  draft json
);
