-- A report is held, or not, when it is issued, and released by a person: whoever shows reports asks here. What waits to be sent of it is
-- one consequence. act: held, then released, each once.

create table report_holds (
  merchant_id bigint not null references merchants,
  report_id uuid not null,
  act text collate "C" not null check (act in ('held', 'released')),
  acted_at bigint not null,
  acted_by text,
  primary key (merchant_id, report_id, act),
  check ((act = 'released') = (acted_by is not null))
);

create trigger append_only before update or delete or truncate on report_holds
  for each statement execute function refuse_change();

insert into report_holds (merchant_id, report_id, act, acted_at)
select m.merchant_id, (d.content ->> 'reportId')::uuid, 'held', min(d.created_at)
from deliveries d
join merchants m on m.reference = d.merchant
where d.state = 'HELD' and d.topic = 'statement'
group by m.merchant_id, d.content ->> 'reportId';

-- Why a month was closed; null: nobody gave a reason.

alter table closed_months add column reason text;

create trigger append_only before update or delete or truncate on closed_months
  for each statement execute function refuse_change();

-- What a replay goes on from is written anew, and never taken away. digest: SHA-256 over the row as it was saved; null: an older pointage
-- saved it, and the next replay begins with the first line.

alter table checkpoints add column digest text collate "C";
alter table month_openings add column digest text collate "C";

create function refuse_removal() returns trigger
language plpgsql
as $$
begin
  raise exception 'pointage: rows of % are never removed, % is refused', tg_table_name, lower(tg_op)
    using errcode = 'restrict_violation';
end
$$;

create trigger never_deleted before delete or truncate on checkpoints
  for each statement execute function refuse_removal();
create trigger never_deleted before delete or truncate on month_openings
  for each statement execute function refuse_removal();
create trigger never_deleted before delete or truncate on merchant_heads
  for each statement execute function refuse_removal();
