// A night over tables that many merchants share. Queries that are joined give the same answers as
// queries one after the other, and a merchant that fails fails alone.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { advance, booksOf, openSimulation } from '../../src/sandbox/simulation/simulate.ts';
import { type Service, withService } from '../../src/service/compose/service.ts';
import { nightTaskOf, startServiceWorker } from '../../src/service/compose/service-worker.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import { runMerchants } from '../../src/service/workflows/nightly/run-merchants.ts';
import { runNight } from '../../src/service/workflows/nightly/run-night.ts';
import type { RawBooks } from '../contract/source-contract.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { ended } from '../support/night-service.ts';
import { insertBooks, openPostgresBooks, type PostgresBooks } from '../support/postgres-books.ts';

const MERCHANTS = Array.from({ length: 20 }, (_, i) => `N${String(i + 1).padStart(3, '0')}`);
/**
 * Statements of a night in which all merchants are settled as sets: hardly more than those of any
 * night.
 */
const SETTLED = 100 + 2 * MERCHANTS.length;
const OPENS = Date.UTC(2025, 0, 1);

let operator: PostgresBooks;
let scratch: string;
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'pointage-together-'));
  operator = await openPostgresBooks();
  const templates = [1, 2, 3, 4, 5].map(booksOfTemplate);
  for (const [i, merchant] of MERCHANTS.entries()) {
    await insertBooks(operator.client, ownedBy(merchant, templates[i % templates.length]!));
  }
});
afterAll(async () => {
  await operator.close();
  rmSync(scratch, { recursive: true, force: true });
});

function booksOfTemplate(number: number): RawBooks {
  const traffic = { ...ORDINARY_TRAFFIC, operationsPerDay: 0.3, adjustmentsPerMonth: 0.5 };
  const simulation = openSimulation(
    planMerchant({ reference: `TEMPLATE${number}`, opensAt: OPENS, traffic }),
    'together',
  );
  advance(simulation, OPENS + 60 * DAY);
  return booksOf(simulation) as unknown as RawBooks;
}

function ownedBy(reference: string, books: RawBooks): RawBooks {
  return { ...structuredClone(books), merchant: { ...books.merchant, reference } };
}

/**
 * Counts the calls of this process to any PostgreSQL while `work` is done. The queue's calls are
 * not counted, because it makes more of them the longer the work takes.
 */
async function countingStatements<T>(
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly statements: number }> {
  const client = pg.Client.prototype as unknown as { query: (...words: unknown[]) => unknown };
  const { query } = client;
  let statements = 0;
  client.query = function (this: unknown, ...words: unknown[]) {
    const [first] = words as [string | { readonly text?: string }];
    if (!/\bpgboss\b/.test((typeof first === 'string' ? first : first.text) ?? '')) statements += 1;
    return query.apply(this, words);
  };
  try {
    return { value: await work(), statements };
  } finally {
    client.query = query;
  }
}

async function withNights<T>(
  { databaseUrl }: TestStore,
  use: (service: Service) => Promise<T>,
): Promise<T> {
  const config = join(scratch, `${randomUUID()}.json`);
  const worker = { concurrency: 2, attempts: 2 };
  // Merchants that could not be read are tried again after as long as the calls of a source may
  // take: a minute, if nothing is set.
  const http = { retries: { attempts: 2, firstDelay: 2, longestDelay: 10, longestRetryAfter: 50 } };
  writeFileSync(
    config,
    JSON.stringify({ databaseUrl, source: operator.settings.connectionString, worker, http }),
  );
  const runtime = { clock: Date.now, random: () => 0.5, log: () => {} };
  return withService(await loadConfiguration({ config }, {}), runtime, async (service) => {
    const { queue } = service;
    // Months are not stated, because nothing looks at them here, and making them takes time.
    const work: typeof queue.work = async (kind, handler, options) => {
      if (kind !== 'statement') await queue.work(kind, handler, options);
    };
    const working = await startServiceWorker({ ...service, queue: { ...queue, work } });
    try {
      return await use(service);
    } finally {
      await working.stop(5);
    }
  });
}

/** Works one night to its end. */
async function night(service: Service): Promise<number> {
  const runId = await runNight(nightTaskOf(service), { jobId: randomUUID(), plannedFor: null });
  await ended(service, runId);
  return runId;
}

/** Returns what a run left of every merchant, without instants. */
async function leftBy({ store }: TestStore, runId: number) {
  const rows = async (query: string) =>
    (await store.pool.query(query, [runId])).rows as readonly object[];
  return {
    members:
      await rows(`select reference, state, verdict, reason, entries_added, operations_changed, findings_added,
        findings_resolved, findings_reopened
      from run_members natural join merchants where run_id = $1 order by reference`),
    reports: await rows(`select reference, m.verdict, entries, operations, findings, roots,
        report - 'asOf' - 'watermark' as report
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

test('nights over many say what runs over one after the other say, of quiet merchants with few statements', async () => {
  const [together, alone] = [await openTestStore(), await openTestStore()];
  try {
    await withNights(together, async (service) => {
      const task = { ...nightTaskOf(service), store: alone.store };
      const oneByOne = () => runMerchants({ ...task, merchants: [], onMerchant: () => () => {} });
      const compare = async (runId: number) =>
        expect(await leftBy(together, runId)).toEqual(
          await leftBy(alone, (await oneByOne()).runId),
        );
      await compare(await night(service));
      // A merchant that a busy host delays misses the query that the others share. The least of
      // some nights is therefore what a night asks.
      const leastOf = async (most: number) => {
        let least = Number.POSITIVE_INFINITY;
        for (let nights = 0; nights < 4 && least > most; nights += 1) {
          const quiet = await countingStatements(() => night(service));
          await compare(quiet.value);
          least = Math.min(least, quiet.statements);
        }
        return least;
      };
      const few = 8 * MERCHANTS.length;
      expect(await leastOf(few), 'statements of quiet merchants').toBeLessThanOrEqual(few);
      await compare(await night(service));
      expect(
        await leastOf(SETTLED),
        'statements of merchants that are settled by sets',
      ).toBeLessThanOrEqual(SETTLED);
      await enterNews(operator.client);
      const runId = await night(service);
      await compare(runId);
      const { members } = await leftBy(together, runId);
      const said = new Map(members.map((one) => [(one as { reference: string }).reference, one]));
      expect(said.get('N001'), 'new lines').toMatchObject({ verdict: 'clean', entries_added: 1 });
      expect(said.get('N002'), 'a line that was written anew').toMatchObject({
        verdict: 'broken',
        entries_added: 1,
      });
      expect(said.get('N003'), 'more than is read together').toMatchObject({
        entries_added: 4_000,
      });
      expect(said.get('N004'), 'a row that cannot be read').toMatchObject({
        verdict: 'incomplete',
      });
      expect(said.get('N005'), 'no wallet').toMatchObject({ verdict: 'incomplete' });
      expect(said.get('N006')).toMatchObject({
        verdict: 'incomplete',
        reason: expect.stringMatching(/^INVALID_SETTINGS/),
      });
      expect(said.get('N007'), 'nothing new').toMatchObject({ verdict: 'clean', entries_added: 0 });

      await spoil(together, 'N010');
      const spoilt = (await leftBy(together, await night(service))).members as readonly {
        readonly reference: string;
        readonly state: string;
        readonly reason: string | null;
      }[];
      expect(spoilt.filter(({ state }) => state !== 'done')).toEqual([
        expect.objectContaining({
          reference: 'N010',
          reason: expect.stringMatching(/^its work failed 2 times, .*spoilt$/),
        }),
      ]);
    });
  } finally {
    await together.close();
    await alone.close();
  }
}, 240_000);

/**
 * Makes it impossible to conclude anything about this merchant. Sends one command a message, as a
 * cluster's nodes take them.
 */
async function spoil({ store: { pool } }: TestStore, reference: string): Promise<void> {
  const { rows } = await pool.query<{ id: number }>(
    'select merchant_id as id from merchants where reference = $1',
    [reference],
  );
  await pool.query(
    `create function spoil() returns trigger language plpgsql as $$ begin raise exception 'spoilt'; end $$`,
  );
  await pool.query(`create trigger spoil before insert on run_merchants
    for each row when (new.merchant_id = ${rows[0]!.id}) execute function spoil()`);
}

/** Enters news for each merchant, in another way each. */
async function enterNews(client: pg.Client): Promise<void> {
  const columns =
    'direction, kind, amount, currency, balance_after, reserved_after, operation_reference, description';
  const next = (merchant: string, count: number) => `
    insert into ledger_entries (merchant_reference, id, sequence, created_at, ${columns})
    select e.merchant_reference, gen_random_uuid()::text, e.sequence + n, e.created_at + n * interval '1 second', 'CREDIT',
      'ADJUSTMENT_CREDIT', 1, e.currency, e.balance_after + n, e.reserved_after, null, 'goodwill'
    from ledger_entries e
    cross join generate_series(1, ${count}) n
    where e.merchant_reference = '${merchant}'
      and e.sequence = (select max(sequence) from ledger_entries where merchant_reference = '${merchant}');
    update wallets set balance = balance + ${count}, available = available + ${count}
    where merchant_reference = '${merchant}'`;
  await client.query(next('N001', 1));
  await client.query(`update ledger_entries set description = 'another' where merchant_reference = 'N002' and sequence =
    (select min(sequence) from ledger_entries where merchant_reference = 'N002')`);
  await client.query(next('N003', 4_000));
  await client.query(`update ledger_entries set amount = null where merchant_reference = 'N004' and sequence =
    (select max(sequence) from ledger_entries where merchant_reference = 'N004')`);
  await client.query(`delete from wallets where merchant_reference = 'N005'`);
  await client.query(`insert into wallets select * from wallets where merchant_reference = 'N006'`);
}
