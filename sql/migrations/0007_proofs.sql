-- A report that is issued takes one more file: the proof that its files are in the log, which exists only after them.

create or replace function refuse_late_file() returns trigger
language plpgsql as $$
begin
  if exists (
    select 1
    from reports r
    where r.merchant_id = new.merchant_id
      and r.report_id = new.report_id
      and r.status = case new.format when 'tlog-proof' then 'READY' else 'PENDING' end
  )
  then
    return new;
  end if;
  raise exception 'pointage: report % is issued, and takes no further file', new.report_id
    using errcode = 'restrict_violation';
end
$$;
