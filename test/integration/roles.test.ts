// A night, a month, decisions and the server in the roles that `pointage migrate --roles` makes, on
// a real database; and every statement that a role must not send.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabaseSnapshot } from '../../src/io/storage/server/database-snapshot.ts';
import { storeOfMerchant, storeOfOperators } from '../../src/io/storage/server/merchant-store.ts';
import { openStore } from '../../src/io/storage/server/open-store.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { withServing } from '../../src/service/cli/commands/serving.ts';
import { stageOf } from '../../src/service/cli/stage/stage.ts';
import { auditJobOf } from '../../src/service/compose/auditing.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import {
  openOperators,
  sessionsOf,
} from '../../src/service/workflows/operators/known-operators.ts';
import { runAudit } from '../../src/service/workflows/operators/run-audit.ts';
import { pointage } from '../support/command.ts';
import { openTestStore, type TestStore, withEmptyDatabase } from '../support/database-store.ts';
import { notOnCitus } from '../support/not-on-citus.ts';
import { plantNamed } from '../support/plant-named.ts';
import { SECRET, tokenOf } from '../support/report-server.ts';
import { makeRoleLogins, type RoleLogins } from '../support/role-logins.ts';
import { writeBundle } from '../support/sandbox-bundle.ts';
import { notificationBody, signatureOf } from '../support/signed-notification.ts';
import { simulateBooks } from '../support/simulate-books.ts';

const READ_AT = Date.UTC(2026, 10, 2);
const FAULTS: Readonly<Record<string, readonly string[]>> = {
  SOUND: [],
  DRIFTED: ['BALANCE_DRIFT'],
};
const SIGNING = 'a-secret-of-the-service';
const scratch = mkdtempSync(join(tmpdir(), 'pointage-roles-'));

const REFUSED = /^permission denied for (table|schema)/;

let opened: TestStore;
let logins: RoleLogins;
let asWorker: Store;
let asServer: Store;

beforeAll(async () => {
  for (const [reference, names] of Object.entries(FAULTS)) {
    const traffic = { ...ORDINARY_TRAFFIC, operationsPerDay: 2 };
    const plan = planMerchant({
      reference,
      country: 'SN',
      opensAt: Date.UTC(2026, 9, 20),
      traffic,
    });
    const { books } = plantNamed(simulateBooks(plan, { seed: reference, until: READ_AT }), {
      names,
      seed: reference,
    });
    await writeBundle(join(scratch, 'books', reference), books);
  }
  opened = await openTestStore();
  logins = await makeRoleLogins(opened.databaseUrl);
  asWorker = await openStore({ databaseUrl: logins.as('worker'), dataDirectory: '' });
  asServer = await openStore({ databaseUrl: logins.as('server'), dataDirectory: '' });
});
afterAll(async () => {
  await asWorker.close();
  await asServer.close();
  await opened.close();
  await logins.drop();
  rmSync(scratch, { recursive: true, force: true });
});

function configFor(role: 'worker' | 'server'): string {
  const file = join(scratch, `${role}.config.json`);
  const configuration = {
    databaseUrl: logins.as(role),
    source: `file:${join(scratch, 'books')}`,
    merchants: { SOUND: { notifications: { current: SIGNING } } },
    server: {
      tokens: { secret: SECRET },
      operators: [{ name: 'controle', roles: ['decider', 'publisher', 'metrics'], token: SECRET }],
    },
  };
  writeFileSync(file, JSON.stringify(configuration));
  return file;
}

const command = (...words: readonly string[]) =>
  pointage([...words, '--config', configFor('worker')], {
    clock: () => READ_AT,
    environment: { POINTAGE_TOKEN: SECRET },
  });

test('the command names what each role may do, and a second time changes nothing', async () => {
  expect(logins.said).toContain('pointage_owner');
  expect(logins.said).toMatch(/pointage_worker +│ all \d+ tables/);
  const rights = () =>
    opened.store.pool.query('select relname, relacl, relowner from pg_class order by oid');
  const before = await rights();
  const again = await pointage(['migrate', '--roles', '--database-url', opened.databaseUrl]);
  expect(again).toMatchObject({ status: 0, out: logins.said });
  expect((await rights()).rows).toEqual(before.rows);
});

describe('as the roles', () => {
  test('the worker runs nights, states a month and takes decisions', async () => {
    expect(await command('run')).toMatchObject({ status: 1 });
    expect(await command('worker', '--once')).toMatchObject({ status: 1 });
    expect(await command('statement', 'issue', 'SOUND', '2026-10')).toMatchObject({ status: 0 });
    const { out } = await command('findings', 'list', '--format', 'json');
    const [found] = JSON.parse(out) as { fingerprint: string }[];
    expect(
      await command('findings', 'acknowledge', found!.fingerprint, '--reason', 'known'),
    ).toMatchObject({
      status: 0,
    });
    expect(await command('audit')).toMatchObject({ status: 1 });
  });

  test('the server issues and serves reports, takes notifications, decisions and audits, and shows what operators ask', async () => {
    const configuration = await loadConfiguration({ config: configFor('server') }, {});
    const silent = { out: () => {}, note: () => {}, colour: false, width: null };
    const terminal = { ...silent, progress: () => ({ update: () => {}, stop: () => {} }) };
    const failures: object[] = [];
    const log = (event: object) => {
      if ('failure' in event) failures.push(event);
    };
    const stage = { ...stageOf(terminal, {}), clock: () => READ_AT, log };
    // The server is then the process whose turn it is with a regular task of the queue, as a minute
    // later.
    await opened.store.pool.query('update pgboss.version set bam_on = null');
    await withServing(stage, configuration, { host: '127.0.0.1', port: 0 }, async ({ origin }) => {
      const authenticationtoken = await tokenOf('DRIFTED', { claims: { merchant: 'DRIFTED' } });
      const ask = async (
        path: string,
        body?: unknown,
        headers: Readonly<Record<string, string>> = {},
      ) => {
        const sent = typeof body === 'string' ? body : JSON.stringify(body);
        const json = {
          authorization: `Bearer ${SECRET}`,
          'content-type': 'application/json',
          ...headers,
        };
        const init =
          body === undefined ? { headers: json } : { method: 'POST', headers: json, body: sent };
        const answer = await fetch(`${origin}${path}`, init);
        return {
          status: answer.status,
          body: (await answer.json().catch(() => null)) as Record<string, never>,
        };
      };
      const month = { merchant_reference: 'DRIFTED', period: '2026-10' };
      const generated = await ask('/web-merchant/reports/generate', month, { authenticationtoken });
      expect(generated).toMatchObject({ status: 201, body: { period: '2026-10' } });
      expect(await ask('/web-merchant/reports', undefined, { authenticationtoken })).toMatchObject({
        status: 200,
        body: [{ period: '2026-10' }],
      });
      const sound = await tokenOf('SOUND', { claims: { merchant: 'SOUND' } });
      const [issued] = (
        await ask('/web-merchant/reports', undefined, { authenticationtoken: sound })
      ).body as unknown as {
        id: string;
      }[];
      const file = `/web-merchant/reports/${issued!.id}/download?format=csv`;
      expect((await ask(file, undefined, { authenticationtoken: sound })).status).toBe(200);
      const found = await ask('/findings');
      const [finding] = (found.body as unknown as { items: { fingerprint: string }[] }).items;
      const decision = { action: 'accept', reason: 'seen by the server' };
      expect((await ask(`/findings/${finding!.fingerprint}/decisions`, decision)).status).toBe(201);
      const reason = 'looked at by the server';
      for (const [act, body] of [
        ['release', { reason }],
        ['close', { reason, expectOpen: 0 }],
      ] as const)
        expect([act, (await ask(`/merchants/DRIFTED/months/2026-10/${act}`, body)).status]).toEqual(
          [act, 200],
        );
      for (const path of [
        '/runs',
        '/months',
        '/deliveries',
        '/merchants',
        '/merchants/DRIFTED',
        '/audits',
        '/metrics',
        '/ready',
      ])
        expect([path, (await ask(path)).status]).toEqual([path, 200]);
      expect((await ask('/audits', { merchant: 'SOUND', source: 'mirror' })).status).toBe(202);
      const event = notificationBody({ merchantReference: 'SOUND' });
      const signature = { 'service-signature': signatureOf(event, READ_AT, SIGNING) };
      expect((await ask('/notifications/direct/SOUND', event, signature)).status).toBe(200);
    });
    expect(failures).toEqual([]);
  });

  test('a worker does what the server has queued', async () => {
    const configuration = await loadConfiguration({ config: configFor('worker') }, {});
    const runtime = { clock: () => READ_AT, random: () => 0.5, log: () => {} };
    const { rows } = await asWorker.pool.query<{ id: string }>('select audit_id as id from audits');
    await runAudit(auditJobOf(configuration, asWorker, runtime), rows[0]!.id);
    expect((await asWorker.pool.query('select state from audits')).rows).toEqual([
      { state: 'DONE' },
    ]);
    const waiting = await asWorker.pool.query(
      "select name from pgboss.job where state = 'created' order by name",
    );
    expect(waiting.rows).toEqual([{ name: 'audit' }, { name: 'refresh' }]);
    const { out } = await command('worker', '--once');
    expect(out).toMatch(/DRIFTED .*clean.*1 accepted/);
    expect(out).toContain('Accepted as it is by controle: seen by the server.');
  });
});

describe('the server sees', () => {
  /**
   * Returns, by table, the numbers of the merchants whose rows a query without a condition gives.
   * Tables without rows are left out.
   */
  async function merchantsSeen(store: Store): Promise<Readonly<Record<string, readonly number[]>>> {
    const { rows } = await opened.store.pool.query<{ name: string }>(
      `select distinct table_name as name from information_schema.columns natural join information_schema.tables
      where table_schema = 'public' and column_name = 'merchant_id'
        and (table_type = 'BASE TABLE' or table_name = 'notification_texts') order by 1`,
    );
    const seen: Record<string, readonly number[]> = {};
    for (const { name } of rows) {
      const answer = await store.pool.query<{ id: number }>(
        `select distinct merchant_id as id from ${name} order by merchant_id`,
      );
      if (answer.rows.length > 0) seen[name] = answer.rows.map(({ id }) => id);
    }
    return seen;
  }

  let numbers: Readonly<Record<string, number>>;
  beforeAll(async () => {
    const { rows } = await opened.store.pool.query<{ reference: string; id: number }>(
      'select reference, merchant_id as id from merchants',
    );
    numbers = Object.fromEntries(rows.map(({ reference, id }) => [reference, id]));
  });

  test('of every table the rows of the merchant alone on whose behalf it asks, whatever the query says', async () => {
    notOnCitus('asks what policies let the server see, of which a cluster has none');
    const whole = await merchantsSeen(opened.store);
    expect(Object.keys(whole)).toEqual(
      expect.arrayContaining(['entries', 'operation_versions', 'findings', 'reports']),
    );
    for (const [reference, id] of Object.entries(numbers)) {
      const theirs = Object.entries(whole).flatMap(([name, ids]) =>
        ids.includes(id) ? [[name, [id]] as const] : [],
      );
      expect(await merchantsSeen(storeOfMerchant(asServer, reference))).toEqual(
        Object.fromEntries(theirs),
      );
    }
    expect(await merchantsSeen(storeOfOperators(asServer))).toEqual(whole);
  });

  test('nothing on behalf of an unknown merchant, of one that bears the sign for all, or of none', async () => {
    notOnCitus('asks what policies let the server see, of which a cluster has none');
    for (const reference of ['NOPE', '*', "' or true --", ''])
      expect(await merchantsSeen(storeOfMerchant(asServer, reference)), reference).toEqual({});
    // Connections on which others have stated their merchant come back without it.
    const sound = storeOfMerchant(asServer, 'SOUND');
    await Promise.all(
      Array.from({ length: 30 }, () => sound.pool.query('select merchant_id from findings')),
    );
    const lent = await storeOfOperators(asServer).lasting.borrow();
    await lent.query('begin');
    asServer.lasting.giveBack(lent);
    await expect(asServer.pool.query('select merchant_id from entries')).rejects.toThrow(REFUSED);
    for (const table of ['findings', 'reports', 'merchants', 'deliveries', 'audits'])
      expect((await asServer.pool.query(`select 1 from ${table}`)).rowCount, table).toBe(0);
  });

  test('by single values no other merchant either, nor may it write of one', async () => {
    notOnCitus('asks what policies let the server see, of which a cluster has none');
    const { pool } = storeOfMerchant(asServer, 'SOUND');
    const other = numbers.DRIFTED!;
    for (const table of ['entries', 'findings', 'reports', 'merchant_heads', 'run_merchants'])
      expect(
        (await pool.query(`select 1 from ${table} where merchant_id = ${other}`)).rowCount,
        table,
      ).toBe(0);
    const change = 'update findings set state = $1 where merchant_id = $2';
    expect((await pool.query(change, ['resolved', other])).rowCount).toBe(0);
    const added = `insert into notifications (merchant_id, event_id, variant, channel, digest, type, received_at, body)
      values (${other}, 'evt_forged', 0, 'direct', '', 'x', 0, '')`;
    await expect(pool.query(added)).rejects.toThrow(/row-level security/);
  });

  test('the worker pays nothing for it: no plan of it knows a policy', async () => {
    notOnCitus('asks what policies let the server see, of which a cluster has none');
    for (const table of ['findings', 'reports', 'merchant_heads', 'entries']) {
      const plan = await asWorker.pool.query(
        `explain select merchant_id from ${table} where merchant_id = 1`,
      );
      expect(JSON.stringify(plan.rows)).not.toContain('pointage.merchant');
    }
  });

  test('the stream of a second thread states it too', async () => {
    notOnCitus('asks what policies let the server see, of which a cluster has none');
    const shown = storeOfMerchant(asServer, 'SOUND');
    const { beginStream, close } = await openDatabaseSnapshot(shown);
    const thread = new pg.Client(shown.address);
    await thread.connect();
    try {
      await thread.query(beginStream);
      const { rows } = await thread.query('select distinct merchant_id::int as id from entries');
      expect(rows).toEqual([{ id: numbers.SOUND }]);
    } finally {
      await thread.end();
      await close();
    }
  });
});

const ADDED_TO = [
  'entries',
  'operation_versions',
  'moved_operation_versions',
  'departed_operation_versions',
  'profile_versions',
  'wallet_readings',
  'rejected_rows',
  'rejected_row_changes',
  'finding_decisions',
  'report_files',
  'report_file_parts',
  'delivery_attempts',
  'notifications',
  'closed_months',
  'payout_readings',
  'payment_versions',
  'report_holds',
  'entry_alterations',
  'ledger_rereads',
  'entry_blocks',
  'trail',
  'proposals',
  'proposal_ends',
  'log_leaves',
  'log_nodes',
  'log_checkpoints',
];
const CHANGED: Readonly<Record<string, string>> = {
  operators: 'roles',
  console_sessions: 'operator',
  merchants: 'reference',
  merchant_heads: 'merchant_id',
  checkpoints: 'merchant_id',
  runs: 'started_at',
  run_merchants: 'run_id',
  run_members: 'run_id',
  findings: 'first_seen_run',
  reports: 'period',
  deliveries: 'content',
  audits: 'requested_by',
  month_openings: 'starts_at',
  line_watches: 'merchant_id',
  row_digests: 'part',
  evidence_logs: 'signing_key',
};
describe.each([...ADDED_TO, ...Object.keys(CHANGED)])(
  'neither role can take away from %s, which',
  (table) => {
    test.each(['delete from', 'truncate'])('refuses: %s', async (statement) => {
      for (const store of [asWorker, asServer])
        await expect(store.pool.query(`${statement} ${table}`)).rejects.toThrow(REFUSED);
    });
  },
);

describe('neither role can change', () => {
  test.each(ADDED_TO)('a row of %s', async (table) => {
    const { rows } = await opened.store.pool.query<{ name: string }>(
      "select column_name as name from information_schema.columns where table_schema = 'public' and table_name = $1",
      [table],
    );
    for (const store of [asWorker, asServer]) {
      for (const { name } of rows)
        await expect(store.pool.query(`update ${table} set ${name} = ${name}`)).rejects.toThrow(
          REFUSED,
        );
    }
  });

  test.each(Object.entries(CHANGED))('in %s the column %s', async (table, column) => {
    for (const store of [asWorker, asServer])
      await expect(store.pool.query(`update ${table} set ${column} = ${column}`)).rejects.toThrow(
        REFUSED,
      );
  });

  test.each([
    'alter table entries disable trigger append_only',
    'drop trigger append_only on entries',
    'alter table entries disable row level security',
    'drop table entries',
    'create or replace function refuse_change() returns trigger language plpgsql as $$ begin return new; end $$',
    'create table beside (id int)',
    'set session_replication_role = replica',
    'set role pointage_owner',
    'delete from kysely_migration',
  ])('the rules: %s', async (statement) => {
    for (const store of [asWorker, asServer])
      await expect(store.pool.query(statement)).rejects.toThrow(/permission denied|must be owner/);
  });
});

test('the server cannot write what a night writes', async () => {
  for (const table of [
    'entries',
    'operation_versions',
    'checkpoints',
    'findings',
    'runs',
    'run_merchants',
  ])
    await expect(asServer.pool.query(`insert into ${table} default values`)).rejects.toThrow(
      REFUSED,
    );
  for (const change of [
    'merchant_heads set intake = 0',
    'checkpoints set digest = null',
    'audits set result = null',
  ])
    await expect(asServer.pool.query(`update ${change}`)).rejects.toThrow(REFUSED);
  // Statements that workers run for the queue.
  for (const change of [
    'insert into pgboss.bam default values',
    "update pgboss.bam set command = 'select'",
  ])
    await expect(asServer.pool.query(change)).rejects.toThrow(REFUSED);
});

test('the server begins and ends sessions of the console', async () => {
  const operator = { name: 'controle', roles: ['reader'] as const, merchant: null, token: SECRET };
  const operators = openOperators({
    configured: [operator],
    store: asServer,
    clock: () => READ_AT,
  });
  const sessions = sessionsOf(asServer, { operators, clock: () => READ_AT });
  const id = await sessions.begin((await operators.ofToken(SECRET))!, {
    path: '/',
    fields: { reason: 'x' },
  });
  await sessions.forgetDraft(id);
  expect(await sessions.find(id)).toMatchObject({ operator: { name: 'controle' }, draft: null });
  await sessions.end(id);
  expect(await sessions.find(id)).toBeNull();
});

test('operators are added and revoked by the owner alone, and known to the server', async () => {
  const words = ['--role', 'reader', '--database-url'];
  const { out } = await pointage(['operator', 'add', 'awa', ...words, opened.databaseUrl]);
  for (const role of ['worker', 'server'] as const) {
    const { status, err } = await pointage(['operator', 'add', role, ...words, logins.as(role)]);
    expect([status, err]).toEqual([
      3,
      expect.stringContaining('permission denied for table operators'),
    ]);
    const revoked = await pointage([
      'operator',
      'revoke',
      'awa',
      '--database-url',
      logins.as(role),
    ]);
    expect([revoked.status, revoked.err]).toEqual([
      3,
      expect.stringContaining('permission denied'),
    ]);
  }
  const operators = openOperators({ configured: [], store: asServer, clock: Date.now });
  expect(await operators.ofToken(out.trim())).toMatchObject({ name: 'awa', roles: ['reader'] });
});

test('every table is named in the roles: the worker reads each, and adds to each but the operators', async () => {
  const { rows } = await opened.store.pool.query<{ name: string; adds: boolean; owner: string }>(
    `select c.relname as name, has_table_privilege('pointage_worker', c.oid, 'insert') as adds, pg_get_userbyid(c.relowner) as owner
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
    order by 1`,
  );
  const added = rows.filter(({ name }) => !name.startsWith('kysely_'));
  expect(added.map(({ name }) => name).sort()).toEqual(
    [...ADDED_TO, ...Object.keys(CHANGED)].sort(),
  );
  expect(added.filter(({ adds }) => !adds).map(({ name }) => name)).toEqual(['operators']);
  expect(rows.filter(({ owner }) => owner !== 'pointage_owner')).toEqual([]);
});

test('a login that may make no roles is told what an administrator does', async () => {
  const { status, err } = await pointage([
    'migrate',
    '--roles',
    '--database-url',
    logins.as('worker'),
  ]);
  expect(status).toBe(3);
  expect(err).toMatch(
    /(permission denied|must have admin option).*createrole.*create role pointage_owner/s,
  );
});

test('an owner who is no superuser gives the roles their rights, and leaves the views of an extension alone', async () => {
  await withEmptyDatabase(async (databaseUrl) => {
    const all = await openStore({ databaseUrl, dataDirectory: '' });
    const { pathname } = new URL(databaseUrl);
    const owner = `owner_${pathname.slice(-8)}`;
    try {
      // Roles belong to the whole server: another test's database may have made them.
      for (const role of ['pointage_owner', 'pointage_worker', 'pointage_server']) {
        await all.pool.query(
          `do $$ begin create role ${role}; exception when duplicate_object then null; end $$`,
        );
      }
      await all.pool.query(`create role ${owner} login createrole`);
      await all.pool.query(
        `grant pointage_owner, pointage_worker, pointage_server to ${owner} with admin option`,
      );
      await all.pool.query(`alter database ${pathname.slice(1)} owner to ${owner}`);
      // Everybody may read the views of this extension, which are in the same schema as the tables.
      await all.pool.query('create extension pg_stat_statements');
      const url = new URL(databaseUrl);
      url.username = owner;
      const { status, err } = await pointage(['migrate', '--roles', '--database-url', url.href]);
      expect([status, err]).toEqual([0, '']);
      const { rows } = await all.pool.query(
        "select pg_get_userbyid(relowner) <> 'pointage_owner' as is_left from pg_class where relname = 'pg_stat_statements'",
      );
      expect(rows).toEqual([{ is_left: true }]);
    } finally {
      await all.pool.query(`alter database ${pathname.slice(1)} owner to current_user`);
      await all.pool.query(
        `reassign owned by ${owner} to current_user; drop owned by ${owner}; drop role ${owner}`,
      );
      await all.close();
    }
  });
});
