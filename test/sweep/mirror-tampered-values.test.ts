// The owner of the database changes one value, or removes one row, of each table of a merchant, and
// the next audit of the mirror finds it. A table or column that no audit covers needs a line here,
// with its reason.

import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { closeMonth } from '../../src/io/storage/issued/month-lock.ts';
import { withMerchantLock } from '../../src/io/storage/merchants/merchant-lock.ts';
import { openingsOf } from '../../src/io/storage/mirror/openings.ts';
import { savePage } from '../../src/io/storage/mirror/save/save-page.ts';
import { compareWithChain } from '../../src/io/storage/mirror/stored-chain.ts';
import { saveNotification } from '../../src/io/storage/notifications/notifications.ts';
import {
  savePaymentVersions,
  savePayouts,
} from '../../src/io/storage/published/published-versions.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import { auditMirror } from '../../src/service/workflows/audit/audit-mirror.ts';
import { rejected } from '../support/database-books.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { type HttpBooks, makeHttpBooks, makeLine, makeOperation } from '../support/http-books.ts';
import { type HttpService, startHttpService } from '../support/http-service.ts';
import { EVENING, JUDGED, runOver } from '../support/nightly-run.ts';
import { withoutTriggers } from '../support/without-triggers.ts';

/** Tables whose rows are no mirrored values, each with the reason. */
const OTHERS: Readonly<Record<string, string>> = {
  merchants:
    'a merchant under another name is refused as unknown, and under the new one its chain does not fit: it begins with the name',
  findings: 'conclusions of a night, concluded anew each night; leaves of the log have their hash',
  finding_decisions: 'what people decided: no value of the service',
  run_members: 'what became of a run: no value of the service',
  run_merchants: 'the report of a night; leaves of the log have its hash',
  reports: 'issued statements; leaves of the log have their hash',
  report_files: 'bytes are compared with the SHA-256 that was issued whenever they are read',
  report_file_parts: 'as report_files',
  report_holds: 'what people decided: no value of the service',
  proposals: 'what people want to decide: no value of the service',
  proposal_ends: 'as proposals',
};

/** Columns of which one row may be changed unseen, each with the reason. */
const COLUMNS: Readonly<Record<string, string>> = {
  'entries.intake':
    'the chain has the order of storing, and so finds a page number by which the order changes',
  'merchant_heads.fence': 'counts the processes that held the merchant',
  'checkpoints.merchant_id': 'the row is removed (below)',
  'month_openings.merchant_id': 'the row is removed (below)',
};

/** Tables of which a row may be removed unseen, each with the reason. */
const ROWS: Readonly<Record<string, string>> = {
  checkpoints: 'the next night replays from the first line',
  month_openings: 'the next statement sums up from the first line',
};

let opened: TestStore;
let store: Store;
let service: HttpService;

const LINES = 1_100;
const books = (): HttpBooks => service.books.M001!;

beforeAll(async () => {
  opened = await openTestStore();
  store = opened.store;
  service = await startHttpService({ M001: makeHttpBooks('M001', LINES) });
  await fill();
}, 60_000);
afterAll(async () => {
  await service.close();
  await opened.close();
});

/** Fills every table with something, by our own code alone. */
async function fill(): Promise<void> {
  await runOver(store, service);
  books().ledger[LINES - 10] = { ...makeLine(LINES - 9), description: 'changed' };
  const [first, second] = [makeOperation(LINES - 1), makeOperation(LINES)];
  books().operations[LINES - 2] = { ...first, createdAt: first.expiresAt };
  books().operations[LINES - 1] = { ...second, status: 'FAILED' };
  books().profile = { ...books().profile, name: 'Autre' };
  await runOver(store, service);
  await runOver(store, service, {}, { reread: { at: EVENING, by: 'amina', reason: 'restored' } });
  await withMerchantLock(store, 'M001', async (lease) => {
    await savePage(store, lease, { rejected: [rejected('a')] });
    const reread = { beganAfter: 10, whole: true, references: [], refused: new Set<string>() };
    await savePage(store, lease, { operations: [], reread });
    const payment = { reference: 'P-1', createdAt: EVENING } as never;
    await savePaymentVersions(store, lease, {
      kept: new Map(),
      payments: new Map([['P-1', payment]]),
      at: EVENING,
    });
    const read = {
      until: EVENING,
      after: { limits: { a: 1 }, counters: null },
      before: { balance: { a: 1 } },
      settlement: null,
    } as never;
    const kept = {
      limits: [],
      counters: [],
      balance: [],
      settlement: [],
      totals: [],
      payouts: new Map(),
    };
    await savePayouts(store, lease, { kept, read, totals: null });
    const openings = openingsOf(
      store,
      { client: store.pool as never },
      { merchantId: 1, intake: 1_000 },
    );
    await openings.keep({ startsAt: EVENING, position: 10, engine: 'x', terms: '{}', state: '{}' });
  });
  const notification = {
    merchant: 'M001',
    channel: 'direct',
    type: 'x',
    operationReference: null,
  } as const;
  const dated = { createdAt: EVENING, receivedAt: EVENING, fault: null, eventId: 'e' };
  for (const text of ['a', 'b'])
    await saveNotification(store, { ...notification, ...dated, body: Buffer.from(text) });
  await asOwner(`insert into reports (merchant_id, report_id, period, revision, attempt, status, period_label, period_start,
      period_end, requested_at, generated_at, issued)
    values (1, gen_random_uuid(), '2026-11', 1, 1, 'READY', '', 0, ${EVENING}, 0, 0, '{"summary":{"lastSequence":9}}')`);
  await closeMonth(
    store,
    { merchant: 'M001', period: '2026-11' },
    { by: 'amina', now: EVENING, reason: null },
  );
}

async function asOwner(
  statement: string,
  values: readonly unknown[] = [],
): Promise<readonly object[]> {
  return (await withoutTriggers(store.pool, (client) => client.query(statement, [...values])))
    .rows as object[];
}

async function tampered(): Promise<readonly unknown[]> {
  const options = {
    merchants: ['M001'],
    optionsFor: () => JUDGED,
    published: null,
    onMerchant: () => () => {},
  };
  const [report] = await auditMirror(store, options);
  return report!.findings
    .filter(({ kind }) => kind === 'MIRROR_TAMPERED')
    .map(({ message }) => message);
}

/** Returns what an audit compares before it replays the books. */
async function compared(): Promise<readonly unknown[]> {
  const found = await compareWithChain(store, 'M001');
  return found === null ? [] : [found];
}

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
}

async function columns(): Promise<readonly Column[]> {
  return (await asOwner(`select table_name as table, column_name as column, format_type(a.atttypid, a.atttypmod) as type
    from information_schema.columns c
    natural join information_schema.tables
    join pg_attribute a on a.attrelid = table_name::regclass and a.attname = column_name
    where table_schema = 'public' and table_type = 'BASE TABLE'
      and exists (select 1 from pg_attribute m where m.attrelid = table_name::regclass and m.attname = 'merchant_id')
    order by table_name, ordinal_position`)) as readonly Column[];
}

/**
 * SQL of another word that the service has, for columns that hold such words. Words that it does
 * not have are tried below.
 */
const WORDS: Readonly<Record<string, string>> = {
  'operation_versions.type': "case v when 'CASHIN' then 'CASHOUT' else 'CASHIN' end",
  'operation_versions.status': "case v when 'FAILED' then 'SUCCEEDED' else 'FAILED' end",
};

/** For each type, SQL of another value than the present one, also where that is null. */
const OTHER: Readonly<Record<string, string>> = {
  bigint: 'coalesce(v, 0) + 1',
  integer: 'v + 1',
  text: "coalesce(v, '') || 'x'",
  'text[]': "v || 'x'::text",
  boolean: 'not v',
  json: `'{"other":1}'`,
  jsonb: `'{"other":1}'`,
  bytea: "v || 'x'::bytea",
};

const one = (table: string) =>
  `merchant_id = 1 and ctid = (select ctid from ${table} where merchant_id = 1 order by 1 desc limit 1)`;

test('nothing is found of what our own code wrote', async () => {
  expect(await tampered()).toEqual([]);
});

test('an audit finds every value that is changed', async () => {
  // Use `pg_class`, in which a cluster hides its shards.
  for (const { name, table } of (await asOwner(`select conname as name, relname as table
      from pg_constraint k join pg_class c on c.oid = k.conrelid
      where contype = 'c' and connamespace = 'public'::regnamespace`)) as {
    name: string;
    table: string;
  }[])
    await asOwner(`alter table ${table} drop constraint ${name}`);
  const isKept = inject('testCluster') !== null;
  // A cluster refuses to give a row to another merchant.
  const all = (await columns()).filter(
    ({ table, column }) => !(table in OTHERS || (isKept && column === 'merchant_id')),
  );
  expect(all.length).toBeGreaterThan(isKept ? 130 : 150);
  const unseen: string[] = [];
  // Whole audits are made for one value of each type in each table, and for what is said to be
  // unseen. For the others, only what an audit compares is looked at.
  const audited = new Set<string>();
  for (const { table, column, type } of all) {
    const kind = `${table} ${type}`;
    const isAudited =
      !audited.has(kind) || `${table}.${column}` in COLUMNS || process.env.TEST_POLICIES === 'all';
    audited.add(kind);
    const change = (WORDS[`${table}.${column}`] ?? OTHER[type]!).replaceAll(/\bv\b/g, column);
    const old = (await asOwner(
      `select ${column} as v, ctid from ${table} where ${one(table)}`,
    )) as { v: unknown }[];
    const [moved] = (await asOwner(
      `update ${table} set ${column} = ${change} where ${one(table)} returning ctid`,
    )) as {
      ctid: string;
    }[];
    if (old.length === 0 || moved === undefined) unseen.push(`${table} is empty`);
    const found = await (isAudited ? tampered() : compared()).catch((failure: unknown) => [
      String(failure),
    ]);
    if (found.length === 0) unseen.push(`${table}.${column}`);
    if (String(found).includes('rror')) unseen.push(`${table}.${column}: ${found}`);
    const row = column === 'merchant_id' ? 'ctid = $2' : 'merchant_id = 1 and ctid = $2';
    await asOwner(`update ${table} set ${column} = $1::${type} where ${row}`, [
      asText(old[0]?.v),
      moved?.ctid,
    ]);
  }
  expect(await tampered()).toEqual([]);
  const said = Object.keys(COLUMNS).filter(
    (column) => !(isKept && column.endsWith('.merchant_id')),
  );
  expect(unseen.sort()).toEqual(said.sort());
}, 300_000);

function asText(value: unknown): unknown {
  return value !== null &&
    typeof value === 'object' &&
    !Buffer.isBuffer(value) &&
    !Array.isArray(value)
    ? JSON.stringify(value)
    : value;
}

test('an audit finds every row that is removed', async () => {
  const tables = [...new Set((await columns()).map(({ table }) => table))].filter(
    (table) => !(table in OTHERS),
  );
  const unseen: string[] = [];
  for (const table of tables) {
    const [row] = (await asOwner(
      `select to_jsonb(${table}) as row from ${table} where ${one(table)}`,
    )) as {
      row: object;
    }[];
    await asOwner(`delete from ${table} where ${one(table)}`);
    const found = await tampered().catch((failure: unknown) => [String(failure)]);
    if (found.length === 0) unseen.push(table);
    if (String(found).includes('rror')) unseen.push(`${table}: ${found}`);
    await asOwner(
      `insert into ${table} overriding system value select * from jsonb_populate_record(null::${table}, $1)`,
      [JSON.stringify(row?.row)],
    );
  }
  expect(unseen).toEqual(Object.keys(ROWS));
}, 120_000);

test('a word that no row has is an alteration, and no fault of the engine', async () => {
  const last = 'intake = (select max(intake) from operation_versions)';
  for (const { name } of (await asOwner(`select conname as name from pg_constraint
      where contype = 'c' and conrelid = 'operation_versions'::regclass`)) as { name: string }[])
    await asOwner(`alter table operation_versions drop constraint ${name}`);
  await asOwner(`update operation_versions set status = 'LOST' where ${last}`);
  const options = {
    merchants: ['M001'],
    optionsFor: () => JUDGED,
    published: null,
    onMerchant: () => () => {},
  };
  const [report] = await auditMirror(store, options);
  expect(report).toMatchObject({ verdict: 'broken', entries: 0 });
  expect(report!.findings.map(({ kind }) => kind)).toEqual(['MIRROR_TAMPERED']);
  expect(
    report!.notChecked.filter(({ incomplete }) => incomplete).map(({ what }) => what),
  ).toContain('ledger');
});
