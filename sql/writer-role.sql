-- The role that a production installation gives the engine: it reads everything, adds to the mirror, and changes only what
-- is meant to change. The append-only triggers say the same to everybody who connects; this keeps the right itself away.
-- Run once by the owner of the database, after the migrations; then: grant pointage_writer to <the engine's login>.

do $$
begin
  if not exists (select 1 from pg_roles where rolname = 'pointage_writer') then
    create role pointage_writer nologin;
  end if;
end
$$;

grant usage on schema public to pointage_writer;

grant select, insert
  on entries, operation_versions, moved_operation_versions, departed_operation_versions, profile_versions, wallet_readings, rejected_rows,
    rejected_row_changes, finding_decisions, report_files, report_file_parts, delivery_attempts, notifications,
    closed_months, payout_readings, payment_versions, report_holds,
    entry_alterations, ledger_rereads
  to pointage_writer;

grant select, insert, update
  on merchants, merchant_heads, checkpoints, runs, run_merchants, findings, reports, run_members, deliveries,
    audits, month_openings
  to pointage_writer;

-- Jobs: the queue makes and changes its own tables, in a schema of its own.
create schema if not exists pgboss authorization pointage_writer;
