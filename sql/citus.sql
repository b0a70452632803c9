-- Distributes the tables by merchant over the nodes of a Citus cluster. Run by the owner of the database, on the coordinator:
-- after the migrations, and best while there is little in the tables; again after an update, for tables that are new: the others
-- stay as they are. Then `pointage migrate --roles`. Not a migration: without Citus there is nothing to run.
-- docs/SCALING.md says when, and what else changes.

begin;

-- Our triggers look at the row at hand, or refuse the statement: they are as safe on a shard as they are elsewhere.
-- Kept for the database, for a later migration may bring triggers.
set local citus.enable_unsafe_triggers = on;
set local citus.multi_shard_modify_mode = sequential;
set local client_min_messages = warning;
do $$ begin execute format('alter database %I set citus.enable_unsafe_triggers = on', current_database()); end $$;

-- A view of a table that moves is made again, without the rights that others have of it: what gives them back, below.
select set_config('pointage.rights_of_views', coalesce(string_agg(
  format('grant %s on %I to %s', a.privilege_type, c.relname, case a.grantee when 0 then 'public' else a.grantee::regrole::text end), '; '
), ''), true)
from pg_class c
cross join lateral aclexplode(c.relacl) a
where c.relnamespace = 'public'::regnamespace and c.relkind = 'v' and a.grantee <> c.relowner
  and not exists (select 1 from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e');

-- While one table is distributed and the other is not yet, neither may refer to the other.
alter table finding_decisions drop constraint if exists finding_decisions_merchant_id_fingerprint_fkey;
alter table report_files drop constraint if exists report_files_merchant_id_report_id_fkey;
alter table report_file_parts drop constraint if exists report_file_parts_merchant_id_report_id_fkey;

-- Small, and joined by everything: a copy on every node.
select create_reference_table(name)
from unnest(array['merchants', 'runs']) as tables (name)
where not exists (select 1 from pg_dist_partition where logicalrelid = name::regclass and partmethod = 'n' and repmodel = 't');

-- One merchant's rows of all of these are on one node.
select create_distributed_table('merchant_heads', 'merchant_id')
where not exists (select 1 from pg_dist_partition where logicalrelid = 'merchant_heads'::regclass and partmethod = 'h');
select create_distributed_table(name, 'merchant_id', colocate_with => 'merchant_heads')
from unnest(array[
  'entries', 'operation_versions', 'moved_operation_versions', 'departed_operation_versions', 'profile_versions', 'wallet_readings', 'rejected_rows',
  'rejected_row_changes', 'checkpoints', 'run_merchants', 'run_members', 'findings', 'finding_decisions', 'reports',
  'report_files', 'report_file_parts', 'notifications', 'closed_months', 'month_openings', 'payout_readings', 'payment_versions',
  'report_holds', 'entry_alterations', 'ledger_rereads', 'entry_blocks', 'line_watches', 'row_digests', 'proposals', 'proposal_ends'
]) as tables (name)
where not exists (select 1 from pg_dist_partition where logicalrelid = name::regclass and partmethod = 'h');

alter table finding_decisions
  add constraint finding_decisions_merchant_id_fingerprint_fkey
  foreign key (merchant_id, fingerprint) references findings (merchant_id, fingerprint);
alter table report_files
  add constraint report_files_merchant_id_report_id_fkey
  foreign key (merchant_id, report_id) references reports (merchant_id, report_id);
alter table report_file_parts
  add constraint report_file_parts_merchant_id_report_id_fkey
  foreign key (merchant_id, report_id) references reports (merchant_id, report_id);

do $$ begin execute current_setting('pointage.rights_of_views'); end $$;

commit;
