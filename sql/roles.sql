-- Makes three roles with the least rights, or brings them up to date. `pointage migrate --roles` runs this file in one transaction
-- as the owner of the tables. Run it again after every update. The roles take the place of the role pointage_writer. They are roles
-- of the whole server and cannot log in. Give each process a login that is a member of one of them:
-- create role night login password '…' in role pointage_worker.
--
--   pointage_owner   owns the tables: it migrates, and may switch triggers off. No process runs as this role.
--   pointage_worker  reads everything, adds to the mirror, and changes only the columns that are meant to change.
--   pointage_server  reads, and adds what people ask for over HTTP: decisions, audits, reports, notifications.
--
-- The triggers of the tables refuse the same statements to everybody, the owner included. Here the right itself is not given.

do $$
declare
  name text;
begin
  -- Makes Citus change shards one after the other, because after a parallel change of a table's shards it refuses, in the same
  -- transaction, to change the tables that this table refers to.
  if exists (select 1 from pg_extension where extname = 'citus') then
    perform set_config('citus.multi_shard_modify_mode', 'sequential', true);
  end if;
  foreach name in array array['pointage_owner', 'pointage_worker', 'pointage_server'] loop
    if not exists (select 1 from pg_roles where rolname = name) then
      begin
        execute format('create role %I nologin', name);
      exception
        -- Another process has made the role at the same moment, for another database of the server.
        when duplicate_object or unique_violation then null;
      end;
    end if;
  end loop;
  if not pg_has_role(current_user, 'pointage_owner', 'usage') then
    execute format('grant pointage_owner to %I', current_user);
  end if;
end
$$;

grant usage, create on schema public to pointage_owner;
grant usage on schema public to pointage_worker, pointage_server;

-- Revokes all rights, so that a right of an earlier version ends unless it is granted again below. Views of an extension, such as
-- Citus, are not ours.
do $$
declare
  name text;
begin
  for name in
    select c.relname
    from pg_class c
    where c.relnamespace = 'public'::regnamespace
      and c.relkind in ('r', 'v')
      and has_any_column_privilege('pointage_worker', c.oid, 'select')
      and not exists (select 1 from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  loop
    execute format('revoke all on %I from pointage_worker, pointage_server', name);
  end loop;
end
$$;

grant select on kysely_migration, kysely_migration_lock to pointage_worker, pointage_server;

-- Tables to which rows are only added.
grant select, insert
  on entries, operation_versions, moved_operation_versions, departed_operation_versions, profile_versions, wallet_readings, rejected_rows,
    rejected_row_changes, finding_decisions, report_files, report_file_parts, delivery_attempts, notifications,
    closed_months, payout_readings, payment_versions, report_holds,
    entry_alterations, ledger_rereads, entry_blocks, log_leaves, log_nodes, log_checkpoints
  to pointage_worker;
grant select on row_texts, state_texts, head_texts, watch_texts, notification_texts, closing_texts, people_decisions to pointage_worker;

-- Tables whose rows change, each with the columns that must stay as they were added. All other columns may be changed.
do $$
declare
  changed text;
  fixed text[];
  columns text;
begin
  for changed, fixed in
    values
      ('merchants', array['merchant_id', 'reference']),
      ('merchant_heads', array['merchant_id']),
      ('checkpoints', array['merchant_id']),
      ('runs', array['run_id', 'started_at', 'source', 'engine', 'kind', 'job_id', 'planned_for']),
      ('run_merchants', array['merchant_id', 'run_id']),
      ('run_members', array['merchant_id', 'run_id']),
      ('findings', array['merchant_id', 'fingerprint', 'first_seen_run']),
      ('reports', array[
        'merchant_id', 'report_id', 'period', 'revision', 'attempt', 'period_label', 'period_start', 'period_end', 'requested_at'
      ]),
      ('deliveries', array[
        'delivery_id', 'channel', 'topic', 'announces', 'target', 'merchant', 'content', 'created_at'
      ]),
      ('audits', array['audit_id', 'merchant', 'source', 'as_of', 'period', 'requested_by', 'requested_at']),
      ('month_openings', array['merchant_id', 'starts_at']),
      ('row_digests', array['merchant_id', 'part', 'page']),
      ('line_watches', array['merchant_id']),
      ('evidence_logs', array['log_number', 'origin', 'signing_key'])
  loop
    select string_agg(quote_ident(a.attname), ', ')
    into columns
    from pg_attribute a
    where a.attrelid = changed::regclass and a.attnum > 0 and not a.attisdropped and a.attname <> all (fixed);
    execute format('grant select, insert, update (%s) on %I to pointage_worker', columns, changed);
  end loop;
end
$$;

-- The server reads everything, adds what people ask for over HTTP (decisions, audits, reports), and stores notifications.
grant select
  on merchants, merchant_heads, entries, operation_versions, moved_operation_versions, departed_operation_versions, profile_versions,
    wallet_readings, rejected_rows, rejected_row_changes, checkpoints, runs, run_members, run_merchants, findings, finding_decisions,
    month_openings, payout_readings, payment_versions, reports, report_files, report_file_parts, report_holds, closed_months,
    deliveries, delivery_attempts, notifications, audits,
    entry_alterations, ledger_rereads, entry_blocks, line_watches, row_digests
  to pointage_server;
grant insert
  on merchants, finding_decisions, notifications, audits, reports, report_files, report_file_parts, report_holds, closed_months,
    month_openings, deliveries, row_digests
  to pointage_server;
-- Lets the server check whether the log of evidence continues, without its key.
grant select on log_leaves, log_nodes, log_checkpoints to pointage_server;
grant select (log_number, origin, size) on evidence_logs to pointage_server;
-- These views have the rights of the role that reads them.
grant select on notification_texts, closing_texts to pointage_server;
-- Only the column `fence`: the server locks a merchant's head by an update that changes nothing.
grant update (fence) on merchant_heads to pointage_server;
grant update (state, owner, labels, due_on) on findings to pointage_server;
-- Operators: only the owner adds and revokes them.
grant select, update (used_on) on operators to pointage_server, pointage_worker;
grant select, insert on trail, proposals, proposal_ends to pointage_server, pointage_worker;
-- People's sessions in the console.
grant select, insert, update (draft, ended_at) on console_sessions to pointage_server;
grant select, insert on console_sessions to pointage_worker;
grant update (status, generated_at, error, issued) on reports to pointage_server;
-- For the release of a held statement, and for the retry of a delivery.
grant update (state, attempts, next_attempt_at) on deliveries to pointage_server;
grant update (position, engine, terms, state, digest) on month_openings to pointage_server;

-- Gives the role pointage_owner every table and view that the worker reads, and the functions of their triggers.
do $$
declare
  name text;
begin
  for name in
    select c.relname
    from pg_class c
    where c.relnamespace = 'public'::regnamespace
      and c.relkind in ('r', 'v')
      and has_any_column_privilege('pointage_worker', c.oid, 'select')
      and not exists (select 1 from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
      and pg_get_userbyid(c.relowner) <> 'pointage_owner'
  loop
    execute format('alter table %I owner to pointage_owner', name);
  end loop;
  for name in
    select distinct p.proname
    from pg_proc p
    join pg_trigger t on t.tgfoid = p.oid
    where p.pronamespace = 'public'::regnamespace
      and pg_get_userbyid(p.proowner) <> 'pointage_owner'
  loop
    execute format('alter function %I() owner to pointage_owner', name);
  end loop;
end
$$;

-- Row policies: the server sees the rows of the merchant that its connection names, `set pointage.merchant = 'M001'`, or, for
-- operators, of every merchant, `set pointage.merchant = '*'`. Without the setting it sees none. The owner and the worker see all
-- rows.
-- PostgreSQL refuses COPY into a table with policies, and the worker fills the two large tables of the mirror by COPY. So these
-- have no policies. The server may not read them, but a view of each in the schema pointage_shown, which its search_path finds
-- first (src/io/storage/server/merchant-store.ts).
-- On a Citus cluster, whose nodes do not know the setting, there are no policies, and the server sees every merchant.
drop schema if exists pointage_shown cascade;
do $$
declare
  name text;
  columns text;
  names_all constant text := '(select current_setting(''pointage.merchant'', true)) = ''*''';
  -- A `case` and not an `or`, because PostgreSQL expects a condition with `or` to hold for few rows, and would plan operators'
  -- queries for a few.
  by_number constant text := 'case when ' || names_all || ' then true else merchant_id = (select m.merchant_id from public.merchants m '
    'where m.reference = (select current_setting(''pointage.merchant'', true))) end';
  by_reference constant text := 'case when ' || names_all
    || ' then true else %I = (select current_setting(''pointage.merchant'', true)) end';
  sees text;
begin
  if exists (select 1 from pg_extension where extname = 'citus') then
    return;
  end if;
  create schema pointage_shown authorization pointage_owner;
  grant usage on schema pointage_shown to pointage_server;
  for name in
    select c.relname
    from pg_class c
    where c.relnamespace = 'public'::regnamespace
      and c.relkind = 'r'
      and c.relname not in ('runs', 'operators', 'console_sessions', 'kysely_migration', 'kysely_migration_lock')
      and has_table_privilege('pointage_server', c.oid, 'select')
  loop
    sees := case
      when name = 'merchants' then format(by_reference, 'reference')
      when name in ('deliveries', 'audits', 'trail', 'log_leaves') then format(by_reference, 'merchant')
      when name in ('delivery_attempts', 'log_nodes', 'log_checkpoints') then names_all
      else by_number
    end;
    if name in ('entries', 'operation_versions') then
      select string_agg(quote_ident(a.attname), ', ' order by a.attnum)
      into columns
      from pg_attribute a
      where a.attrelid = name::regclass and a.attnum > 0 and not a.attisdropped;
      execute format(
        'create view pointage_shown.%1$I with (security_barrier) as select %2$s from public.%1$I where %3$s', name, columns, sees
      );
      execute format('alter view pointage_shown.%I owner to pointage_owner', name);
      execute format('grant select on pointage_shown.%I to pointage_server', name);
      execute format('revoke all on %I from pointage_server', name);
    else
      execute format('alter table %I enable row level security', name);
      execute format('drop policy if exists every_merchant on %I', name);
      execute format('drop policy if exists named_merchant on %I', name);
      execute format('create policy every_merchant on %I to pointage_worker using (true)', name);
      execute format('create policy named_merchant on %I to pointage_server using (%s)', name, sees);
    end if;
  end loop;
end
$$;

-- Jobs are in the schema pgboss, which the command has made before it runs this file.
grant usage on schema pgboss to pointage_worker, pointage_server;
grant select, insert, update, delete on all tables in schema pgboss to pointage_worker;
grant select, insert on all tables in schema pgboss to pointage_server;
-- Every process records here when it last ran each regular task of the queue.
grant update on pgboss.version to pointage_server;
-- The table bam holds statements that the queue stores for any process to run later. A login of the server may begin one, as others
-- do, and record its outcome. It may add none, because another process would run it with the rights of a worker.
revoke insert on pgboss.bam from pointage_server;
grant update (status, started_on, completed_on, error) on pgboss.bam to pointage_server;
