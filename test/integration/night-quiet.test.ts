// Nights in which merchants with nothing new are settled as sets say what nights say that work on
// each merchant by itself, whatever else happens to some of the merchants.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/core/domain/instant.ts';
import type { Since, Source } from '../../src/io/sources/port/source.ts';
import { decideFinding } from '../../src/io/storage/conclusions/findings.ts';
import { beginMember } from '../../src/io/storage/conclusions/run-members.ts';
import { withMerchantLock } from '../../src/io/storage/merchants/merchant-lock.ts';
import { finishRun, startRun } from '../../src/io/storage/nights/nights.ts';
import { saveNotification } from '../../src/io/storage/notifications/notifications.ts';
import { openStore } from '../../src/io/storage/server/open-store.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { advance, booksOf, openSimulation } from '../../src/sandbox/simulation/simulate.ts';
import { withService } from '../../src/service/compose/service.ts';
import { nightTaskOf } from '../../src/service/compose/service-worker.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import { type JobRequest, PutBack } from '../../src/service/workflows/jobs.ts';
import { runMerchant } from '../../src/service/workflows/nightly/run-merchant.ts';
import { runMerchants } from '../../src/service/workflows/nightly/run-merchants.ts';
import {
  type NightTask,
  runNight,
  workOnMerchant,
  workOnMerchants,
} from '../../src/service/workflows/nightly/run-night.ts';
import { retireMerchant } from '../../src/service/workflows/operators/runs-and-merchants.ts';
import type { RawBooks } from '../contract/source-contract.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import {
  insertBooks,
  insertRows,
  openPostgresBooks,
  type PostgresBooks,
} from '../support/postgres-books.ts';

/** The merchants. Something happens to the first seventeen, to each in another way. */
const MERCHANTS = Array.from({ length: 19 }, (_, i) => `Q${String(i + 1).padStart(3, '0')}`);
/** The merchants of later nights, which depend on decisions, the calendar and settings. */
const FEW = ['Q001', 'Q003', 'Q007', 'Q008', 'Q013', 'Q014', 'Q016', 'Q017', 'Q018', 'Q019'];
/** Merchants that are notified of every operation. */
const NOTIFIED = ['Q013', 'Q014'];
const OPENS = Date.UTC(2025, 0, 1);

const templates = [1, 2, 3, 4].map(booksOfTemplate);
let operator: PostgresBooks;
let scratch: string;
let [together, alone]: TestStore[] = [];
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'pointage-quiet-'));
  operator = await openPostgresBooks();
  [together, alone] = [await openTestStore(), await openTestStore()];
  for (const [i, merchant] of MERCHANTS.entries()) {
    const books = structuredClone(templates[i % templates.length]!);
    await insertBooks(operator.client, {
      ...books,
      merchant: { ...books.merchant, reference: merchant },
    });
    if (NOTIFIED.includes(merchant))
      for (const sent of books.notifications) await notify(merchant, sent);
  }
});
afterAll(async () => {
  await operator.close();
  await together?.close();
  await alone?.close();
  rmSync(scratch, { recursive: true, force: true });
});

type Template = RawBooks & { readonly notifications: readonly Sent[] };
type Sent = {
  readonly id: string;
  readonly type: string;
  readonly createdAt: string;
  readonly data: Operated;
};
type Operated = { readonly operation?: { readonly reference: string } };

/** Notifies both stores. */
async function notify(
  merchant: string,
  sent: Sent,
  receivedAt = Date.parse(sent.createdAt),
): Promise<void> {
  const named = { ...sent, merchantReference: merchant };
  const operationReference = sent.data.operation?.reference ?? null;
  for (const { store } of [together!, alone!]) {
    await saveNotification(store, {
      ...{
        merchant,
        channel: 'direct',
        eventId: sent.id,
        type: sent.type,
        operationReference,
        receivedAt,
        fault: null,
      },
      ...{ createdAt: Date.parse(sent.createdAt), body: Buffer.from(JSON.stringify(named)) },
    });
  }
}

/** Returns books in which no operation is left open. */
function booksOfTemplate(number: number): Template {
  for (let attempt = 0; ; attempt += 1) {
    const traffic = { ...ORDINARY_TRAFFIC, operationsPerDay: 0.3, adjustmentsPerMonth: 0.5 };
    const plan = planMerchant({
      reference: `TEMPLATE${number}/${attempt}`,
      opensAt: OPENS,
      traffic,
    });
    const simulation = openSimulation(plan, 'quiet');
    advance(simulation, OPENS + 60 * DAY);
    const books = booksOf(simulation);
    if (
      books.operations.every(
        ({ completedAt, status }) => completedAt !== null || status === 'EXPIRED',
      )
    )
      return books as unknown as Template;
  }
}

interface Ways {
  /**
   * Works one night as sets, or one run by hand, and each merchant by itself, and compares what
   * they leave.
   */
  readonly night: (change?: Partial<NightTask>, byHand?: boolean) => Promise<NightSaid>;
  readonly task: NightTask;
}

interface NightSaid {
  /** How many merchants were settled as sets. */
  readonly quiet: number;
  /** Merchants whose known operations were all read again, in either way. */
  readonly whole: readonly string[];
  readonly said: Said;
}

type Said = ReadonlyMap<unknown, Readonly<Record<string, unknown>>>;

/** Milliseconds by which both clocks are moved. */
let later = 0;
/** The merchants that the source lists. */
let listed = MERCHANTS;

async function withWays<T>(settings: object, use: (ways: Ways) => Promise<T>): Promise<T> {
  const config = join(scratch, 'config.json');
  const { databaseUrl } = together!;
  writeFileSync(
    config,
    JSON.stringify({ databaseUrl, source: operator.settings.connectionString, ...settings }),
  );
  const events: { event?: string; merchants?: number }[] = [];
  const runtime = {
    clock: () => Date.now() + later,
    random: () => 0.5,
    log: (event: object) => void events.push(event),
  };
  return withService(await loadConfiguration({ config }, {}), runtime, async (service) => {
    const task = nightTaskOf(service);
    const night: Ways['night'] = async (change = {}, byHand = false) => {
      events.length = 0;
      const [bySets, byItself] = [noteWhole(task.source), noteWhole(task.source)];
      const asked = { ...task, source: bySets.source, ...change };
      const runId = await (byHand ? runByHand(asked) : nightBySets(asked));
      const left = await leftBy(together!, runId);
      const oneRunId = await runEach({
        ...task,
        source: byItself.source,
        ...change,
        store: alone!.store,
      });
      expect(left).toEqual(await leftBy(alone!, oneRunId));
      expect(bySets.whole()).toEqual(byItself.whole());
      const settled = events.filter(({ event }) => event === 'quiet merchants settled');
      const logged = settled.reduce((sum, { merchants = 0 }) => sum + merchants, 0);
      return {
        quiet: byHand ? listed.length - bySets.opened().length : logged,
        whole: bySets.whole(),
        said: new Map(left.members.map((member) => [member.reference, member])),
      };
    };
    return use({ night, task });
  });
}

async function runByHand(task: NightTask): Promise<number> {
  return (await runMerchants({ ...task, merchants: [], onMerchant: () => () => {} })).runId;
}

/** Reads, judges and saves each merchant by itself, whatever was kept of it. */
async function runEach(task: NightTask): Promise<number> {
  const { store, source, engine, clock } = task;
  const merchants = await source.merchants();
  const runId = await startRun(store, {
    startedAt: clock(),
    source: source.name,
    engine,
    merchants,
  });
  for (const merchant of merchants) {
    await beginMember(store, { runId, merchant, at: clock() });
    expect(await runMerchant(task, { runId, merchant, onProgress: () => {} })).not.toBeNull();
  }
  await finishRun(store, { runId, finishedAt: clock() });
  return runId;
}

/**
 * Notes which merchants are read, and for which of them a reading that goes on from an earlier one
 * asks for every operation.
 */
function noteWhole(source: Source) {
  const [opened, whole] = [new Set<string>(), new Set<string>()];
  const noted = (merchant: string, since: Since | null): Source => {
    opened.add(merchant);
    if (since?.newestOperationCreatedAt === Number.NEGATIVE_INFINITY) whole.add(merchant);
    return source;
  };
  const noting: Source = {
    ...source,
    merchants: async () => listed,
    open: (merchant, since, detail) => noted(merchant, since).open(merchant, since, detail),
    openTogether: (merchant, since) => noted(merchant, since).openTogether!(merchant, since),
  };
  return { source: noting, opened: () => [...opened], whole: () => [...whole].sort() };
}

/**
 * Works a night with as many workers at once as there are tasks. Each does what it can get; jobs
 * that are put back are done a little later.
 */
async function nightBySets(...tasks: readonly [NightTask, ...NightTask[]]): Promise<number> {
  const waiting: JobRequest[] = [];
  const send = async (requests: readonly JobRequest[]) =>
    void waiting.push(
      ...requests.filter(({ kind }) => kind === 'merchants' || kind === 'merchant'),
    );
  const jobs = { send };
  const runId = await runNight(
    { ...tasks[0], jobs },
    { jobId: crypto.randomUUID(), plannedFor: null },
  );
  const work = async (task: NightTask): Promise<void> => {
    for (let request = waiting.shift(); request !== undefined; request = waiting.shift()) {
      const job = {
        id: crypto.randomUUID(),
        attempt: 1,
        signal: new AbortController().signal,
        data: request.data,
      };
      const working = { ...task, jobs };
      const done =
        request.kind === 'merchants'
          ? workOnMerchants(working, job as never)
          : workOnMerchant(working, job as never);
      await done.catch((failure: unknown) => {
        if (!(failure instanceof PutBack)) throw failure;
        waiting.push(request!);
        return new Promise((resolve) => setTimeout(resolve, 50));
      });
    }
  };
  await Promise.all(tasks.map(work));
  return runId;
}

/** Returns what a run left of every merchant, without instants. */
async function leftBy({ store }: TestStore, runId: number) {
  const rows = async (query: string) =>
    (await store.pool.query(query, [runId])).rows as readonly Readonly<Record<string, unknown>>[];
  return {
    members:
      await rows(`select reference, state, verdict, reason, entries_added, operations_changed, findings_added,
        findings_resolved, findings_reopened, watermark is not null as is_known, finished_at is not null as is_finished
      from run_members natural join merchants where run_id = $1 order by reference`),
    reports:
      await rows(`select reference, m.verdict, entries, operations, findings, roots, chain_lines, chain_head is not null as is_chained,
        regexp_replace(report::text, ' at 2[-0-9]+T[0-9:.]+Z', '', 'g')::jsonb as report
      from run_merchants m natural join merchants where run_id = $1 order by reference`),
    findings:
      await rows(`select reference, fingerprint, kind, state from findings natural join merchants
      where $1::bigint is not null order by reference, fingerprint`),
    mirror:
      await rows(`select reference, entry_count, operation_count, last_sequence, variant_count,
        (select count(*) from rejected_rows r where r.merchant_id = h.merchant_id) as rejected
      from merchant_heads h natural join merchants where $1::bigint is not null order by reference`),
  };
}

const both = async (query: string): Promise<void> => {
  for (const one of [together!, alone!]) await one.store.pool.query(query);
};

const ofMerchant = (reference: string) =>
  `merchant_id = (select merchant_id from merchants where reference = '${reference}')`;

test('nights by sets say what nights merchant by merchant say', async () => {
  const all = MERCHANTS.length;
  const { client } = operator;
  const grace = 30;
  await withWays({ graceMinutes: grace }, async ({ night, task }) => {
    expect((await night()).quiet, 'never read').toBe(0);
    expect((await night()).quiet, 'nothing kept yet').toBe(0);
    expect((await night()).quiet, 'no digest yet').toBe(0);
    expect((await night()).quiet).toBe(all);
    expect((await night({}, true)).quiet, 'by hand').toBe(all);
    const soon = Date.now() - (grace - 5) * MINUTE;
    await insertRows(client, 'operations', [pendingOperation('Q011', soon)]);
    const opened = await night({}, true);
    expect(opened.quiet, 'one has an open operation').toBe(all - 1);
    expect(opened.whole, 'one that is new explains what is otherwise').toEqual([]);
    for (const change of Object.values(CHANGES)) await client.query(change);
    const [first] = templates[MERCHANTS.indexOf('Q014') % templates.length]!.notifications;
    await notify('Q014', { ...first!, id: `${first!.id}-again` }, Date.now());
    await both(`update checkpoints set state = state || ' ' where ${ofMerchant('Q008')}`);
    await both(`update checkpoints set quiet = '{}' where ${ofMerchant('Q010')}`);
    later += 5 * MINUTE;
    const fourth = await night();
    expect(fourth.quiet, 'those that nothing happened to').toBe(all - 16);
    for (const [merchant, said] of Object.entries(SAID))
      expect(fourth.said.get(merchant), merchant).toMatchObject(said);

    expect(fourth.whole, 'known operations are others').toEqual(['Q004', 'Q007', 'Q015', 'Q017']);
    for (const { store } of [together!, alone!]) expect(await kindsOf(store)).toEqual(EDITED);

    const finding = `select fingerprint from findings where ${ofMerchant('Q003')} and caused_by is null`;
    for (const { store } of [together!, alone!]) {
      for (const { fingerprint } of (await store.pool.query(finding)).rows)
        await decideFinding(store, {
          fingerprint,
          action: 'acknowledge',
          reason: 'known',
          by: 'Awa',
          at: Date.now(),
        });
    }
    listed = FEW;
    const gone = MERCHANTS.filter((merchant) => !FEW.includes(merchant));
    for (const { store } of [together!, alone!])
      for (const merchant of gone)
        await retireMerchant(store, merchant, { at: Date.now(), by: 'Awa', reason: 'few' });
    later += 2 * HOUR;
    await client.query(TOUCHED);
    const fifth = await night();
    expect(fifth.said.get('Q003'), 'a decision').toMatchObject({
      verdict: 'broken',
      findings_added: 0,
    });
    expect(fifth.said.get('Q017'), 'missed twice').toMatchObject({ verdict: 'broken' });
    await client.query(TOUCHED);
    await client.query(rewritten('Q001'));
    const sixth = await night({}, true);
    expect(sixth.said.get('Q001'), 'two nights after news').toMatchObject({
      verdict: 'broken',
      operations_changed: 1,
    });
    expect([fifth.whole, sixth.whole], 'nothing is read whole again and again').toEqual([
      [],
      ['Q001'],
    ]);
    later += 16 * DAY;
    const rotated = await night();
    expect(rotated.quiet, 'rounds begin').toBe(0);
    await night();
    later += 3 * DAY;
    expect((await night({}, true)).quiet, 'rounds are under way').toBeGreaterThan(FEW.length / 4);
    for (let nights = 0; nights < 3; nights += 1) {
      later += 4 * DAY;
      await night();
    }
    expect((await night()).quiet).toBeGreaterThan(FEW.length / 4);
    expect((await night({ engine: 'another' })).quiet, 'another engine').toBe(0);
    expect((await night()).quiet, 'and back').toBe(0);
    await night();
    const other = await openStore({ databaseUrl: together!.databaseUrl, dataDirectory: '' });
    const taken = Promise.withResolvers<void>();
    const held = withMerchantLock(other, 'Q018', () => taken.promise);
    setTimeout(taken.resolve, 1_000);
    const few = { ...task, source: noteWhole(task.source).source };
    const runId = await nightBySets(few, { ...few, store: other });
    await held;
    await other.close();
    expect(await leftBy(together!, runId), 'two workers, and one merchant taken').toEqual(
      await leftBy(alone!, await runEach({ ...few, store: alone!.store })),
    );
  });
  await withWays({ graceMinutes: grace + 15 }, async ({ night }) => {
    expect((await night()).quiet, 'other terms').toBe(0);
    expect((await night()).quiet).toBeGreaterThan(FEW.length / 4);
  });
}, 480_000);

function pendingOperation(merchant: string, expiresAt: number) {
  const at = new Date(Date.now() - 3 * HOUR).toISOString();
  return {
    ...{
      merchantReference: merchant,
      reference: `OPEN-${merchant}`,
      type: 'CASHIN',
      status: 'PENDING',
    },
    ...{
      amount: 1_000,
      fees: 0,
      netAmount: 1_000,
      currency: 'XOF',
      country: 'CI',
      operator: 'ORANGE_CI',
    },
    ...{
      requiresPayerAction: false,
      createdAt: at,
      updatedAt: at,
      expiresAt: new Date(expiresAt).toISOString(),
    },
  };
}

const OLDEST = (table: string, merchant: string, by: string) =>
  `merchant_reference = '${merchant}' and ${by} = (select min(${by}) from ${table} where merchant_reference = '${merchant}')`;

const rewritten = (merchant: string) =>
  `update operations set amount = amount + 1 where ${OLDEST('operations', merchant, 'created_at')}`;

const newLine = (merchant: string) => `
    insert into ledger_entries (merchant_reference, id, sequence, created_at, direction, kind, amount, currency, balance_after,
      reserved_after, description)
    select merchant_reference, gen_random_uuid()::text, sequence + 1, created_at + interval '1 second', 'CREDIT',
      'ADJUSTMENT_CREDIT', 1, currency, balance_after + 1, reserved_after, 'goodwill'
    from ledger_entries where merchant_reference = '${merchant}'
      and sequence = (select max(sequence) from ledger_entries where merchant_reference = '${merchant}');
    update wallets set balance = balance + 1, available = available + 1 where merchant_reference = '${merchant}'`;

const TOUCHED = `update wallets set updated_at = now() where merchant_reference = 'Q016'`;

/** What happens to merchants before the fourth night, to each in another way. */
const CHANGES: Readonly<Record<string, string>> = {
  'a new line': newLine('Q001'),
  'another price': `update merchants set cashin_fee_bps = cashin_fee_bps + 50 where reference = 'Q002'`,
  'another balance, without a line': `update wallets set balance = balance + 7 where merchant_reference = 'Q003'`,
  'an old operation, updated late': `update operations set updated_at = now(), fees = fees + 1
    where ${OLDEST('operations', 'Q004', 'created_at')}`,
  'another currency': `update wallets set currency = 'XAF' where merchant_reference = 'Q005'`,
  'a row that cannot be read': `update ledger_entries set amount = null where ${OLDEST('ledger_entries', 'Q006', 'sequence')}`,
  'an old operation, rewritten in place': rewritten('Q007'),
  'the same, beside a new line': `${rewritten('Q015')}; ${newLine('Q015')}`,
  'a wallet that only says to be newer': TOUCHED,
  'an old operation, deleted': `delete from operations where ${OLDEST('operations', 'Q017', 'created_at')}`,
  'no wallet': `delete from wallets where merchant_reference = 'Q009'`,
  'an old line, rewritten in place': `update ledger_entries set description = 'another'
    where ${OLDEST('ledger_entries', 'Q012', 'sequence')}`,
};

const SAID: Readonly<Record<string, object>> = {
  Q001: { verdict: 'clean', entries_added: 1 },
  Q003: { verdict: 'broken' },
  Q004: { operations_changed: 1 },
  Q005: { verdict: 'broken' },
  Q006: { verdict: 'incomplete' },
  Q007: { verdict: 'broken', operations_changed: 1 },
  Q009: { verdict: 'incomplete' },
  Q011: { verdict: 'broken', operations_changed: 0 },
  Q012: { verdict: 'broken' },
  Q015: { verdict: 'broken', entries_added: 1, operations_changed: 1 },
  Q016: { verdict: 'clean' },
  Q017: { verdict: 'incomplete' },
};

/** Edits of history that are found the very night. */
const EDITED = [
  { reference: 'Q004', kind: 'OPERATION_FIELD_CHANGED' },
  { reference: 'Q007', kind: 'OPERATION_FIELD_CHANGED' },
  { reference: 'Q012', kind: 'ENTRY_REWRITTEN' },
  { reference: 'Q015', kind: 'OPERATION_FIELD_CHANGED' },
];

async function kindsOf({ pool }: Store) {
  return (
    await pool.query(`select distinct reference, kind from findings natural join merchants
      where kind ~ '^OPERATION_FIELD|^OPERATION_VANISHED|^ENTRY_' order by 1, 2`)
  ).rows;
}
