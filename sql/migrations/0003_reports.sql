-- Monthly reports as they were issued, with their files. As everywhere, every key begins with merchant_id.

-- One row for each attempt to issue a revision of a month. A row is written as PENDING and moves once, to READY or FAILED;
-- an attempt after a failure is a new row. issued: what the next generation is compared with (revision, hashes, summary);
-- json and not jsonb, which would sort the keys of the summary.
create table reports (
  merchant_id bigint not null references merchants,
  report_id uuid not null,
  period text collate "C" not null check (period ~ '^[0-9]{4}-[0-9]{2}$'),
  revision integer not null check (revision > 0),
  attempt integer not null check (attempt > 0),
  status text collate "C" not null check (status in ('PENDING', 'READY', 'FAILED')),
  period_label text not null,
  period_start bigint not null,
  period_end bigint not null,
  requested_at bigint not null,
  generated_at bigint,
  error text,
  issued json,
  primary key (merchant_id, report_id),
  check ((status = 'READY') = (issued is not null)),
  check ((status = 'READY') = (generated_at is not null)),
  check ((status = 'FAILED') = (error is not null))
);
create unique index reports_attempt on reports (merchant_id, period, revision, attempt);
create unique index reports_ready on reports (merchant_id, period, revision) where status = 'READY';
create unique index reports_pending on reports (merchant_id, period) where status = 'PENDING';

create table report_files (
  merchant_id bigint not null,
  report_id uuid not null,
  format text collate "C" not null,
  file_name text not null,
  media_type text not null,
  size bigint not null,
  sha256 text collate "C" not null,
  primary key (merchant_id, report_id, format),
  foreign key (merchant_id, report_id) references reports
);

-- A file in parts of at most a mebibyte, so that no process ever holds one whole. part_number counts from 0. Parts are
-- written before the row of their file, in the same transaction.
create table report_file_parts (
  merchant_id bigint not null,
  report_id uuid not null,
  format text collate "C" not null,
  part_number integer not null,
  content bytea not null,
  primary key (merchant_id, report_id, format, part_number),
  foreign key (merchant_id, report_id) references reports
);

create function refuse_report_change() returns trigger
language plpgsql as $$
begin
  if old.status = 'PENDING'
    and new.status <> 'PENDING'
    and (new.merchant_id, new.report_id, new.period, new.revision, new.attempt, new.requested_at)
      = (old.merchant_id, old.report_id, old.period, old.revision, old.attempt, old.requested_at)
    and (new.period_label, new.period_start, new.period_end) = (old.period_label, old.period_start, old.period_end)
  then
    return new;
  end if;
  raise exception 'pointage: report % is %, and stays as it is', old.report_id, old.status
    using errcode = 'restrict_violation';
end
$$;

create function refuse_late_file() returns trigger
language plpgsql as $$
begin
  if exists (
    select 1
    from reports r
    where r.merchant_id = new.merchant_id and r.report_id = new.report_id and r.status = 'PENDING'
  )
  then
    return new;
  end if;
  raise exception 'pointage: report % is issued, and takes no further file', new.report_id
    using errcode = 'restrict_violation';
end
$$;

create trigger one_move before update on reports
  for each row execute function refuse_report_change();
create trigger append_only before delete or truncate on reports
  for each statement execute function refuse_change();
create trigger pending_only before insert on report_files
  for each row execute function refuse_late_file();
create trigger append_only before update or delete or truncate on report_files
  for each statement execute function refuse_change();
create trigger pending_only before insert on report_file_parts
  for each row execute function refuse_late_file();
create trigger append_only before update or delete or truncate on report_file_parts
  for each statement execute function refuse_change();
