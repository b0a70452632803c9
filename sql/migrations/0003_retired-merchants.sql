-- Merchants that somebody has retired: their books stay, and whatever goes over all merchants of the mirror leaves them out.

alter table merchants
  add column retired_at bigint,
  add column retired_by text,
  add column retired_reason text,
  add check ((retired_at is null) = (retired_by is null) and (retired_at is null) = (retired_reason is null));
