-- Distributes the tables by merchant over the nodes of a Citus cluster. The owner of the database runs it on the coordinator after
-- the migrations, best while there are few rows in the tables. Run it again after an update: it distributes new tables and leaves
-- the others as they are. Then run `pointage migrate --roles`. It is not a migration, because without Citus there is nothing to
-- run. docs/SCALING.md says when to use it, and what else changes.

begin;

-- Our triggers read at most rows of the merchant whose row is written, which are on the same shard, or refuse the statement. So
-- they are as safe on a shard as elsewhere. The setting is stored for the database, because a later migration may bring triggers.
set local citus.enable_unsafe_triggers = on;
set local citus.multi_shard_modify_mode = sequential;
set local client_min_messages = warning;
do $$ begin execute format('alter database %I set citus.enable_unsafe_triggers = on', current_database()); end $$;

-- Citus makes the view of a distributed table again, without the rights that others have on it. Here these rights are collected as
-- `grant` commands, which the last `do` below runs again.
select set_config('pointage.rights_of_views', coalesce(string_agg(
  format('grant %s on %I to %s', a.privilege_type, c.relname, case a.grantee when 0 then 'public' else a.grantee::regrole::text end), '; '
), ''), true)
from pg_class c
cross join lateral aclexplode(c.relacl) a
where c.relnamespace = 'public'::regnamespace and c.relkind = 'v' and a.grantee <> c.relowner
  and not exists (select 1 from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e');

-- These foreign keys are dropped and added again below, because Citus refuses a foreign key between a distributed table and one
-- that is not distributed yet.
alter table finding_decisions drop constraint if exists finding_decisions_merchant_id_fingerprint_fkey;
alter table report_files drop constraint if exists report_files_merchant_id_report_id_fkey;
alter table report_file_parts drop constraint if exists report_file_parts_merchant_id_report_id_fkey;

-- Small tables that all others are joined with: every node gets a copy.
select create_reference_table(name)
from unnest(array['merchants', 'runs']) as tables (name)
where not exists (select 1 from pg_dist_partition where logicalrelid = name::regclass and partmethod = 'n' and repmodel = 't');

-- In all of these tables, the rows of one merchant are on one node.
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
