-- Distributes the tables by merchant over the nodes of a Citus cluster. Run once, by the owner of the database, on the
-- coordinator: after the migrations, before sql/writer-role.sql, and best while there is little in the tables. Not a
-- migration: without Citus there is nothing to run. docs/SCALING.md says when, and what else changes.

begin;

-- Our triggers look at the row at hand, or refuse the statement: they are as safe on a shard as they are elsewhere.
set local citus.enable_unsafe_triggers = on;
set local client_min_messages = warning;

-- While one table is distributed and the other is not yet, neither may refer to the other.
alter table finding_decisions drop constraint finding_decisions_merchant_id_fingerprint_fkey;
alter table report_files drop constraint report_files_merchant_id_report_id_fkey;
alter table report_file_parts drop constraint report_file_parts_merchant_id_report_id_fkey;

-- Small, and joined by everything: a copy on every node.
select create_reference_table('merchants');
select create_reference_table('runs');

-- One merchant's rows of all of these are on one node.
select create_distributed_table('merchant_heads', 'merchant_id');
select create_distributed_table(name, 'merchant_id', colocate_with => 'merchant_heads')
from unnest(array[
  'entries', 'operation_versions', 'moved_operation_versions', 'departed_operation_versions', 'profile_versions', 'wallet_readings', 'rejected_rows',
  'rejected_row_changes', 'checkpoints', 'run_merchants', 'run_members', 'findings', 'finding_decisions', 'reports',
  'report_files', 'report_file_parts', 'notifications', 'closed_months', 'month_openings', 'payout_readings', 'payment_versions',
  'report_holds'
]) as tables (name);

alter table finding_decisions
  add constraint finding_decisions_merchant_id_fingerprint_fkey
  foreign key (merchant_id, fingerprint) references findings (merchant_id, fingerprint);
alter table report_files
  add constraint report_files_merchant_id_report_id_fkey
  foreign key (merchant_id, report_id) references reports (merchant_id, report_id);
alter table report_file_parts
  add constraint report_file_parts_merchant_id_report_id_fkey
  foreign key (merchant_id, report_id) references reports (merchant_id, report_id);

commit;
