// The law of ignorance over real sources. A fault is found in a night, and in the next night its
// operation is hidden, in one way after another, in tables and over HTTP in turn. No finding is
// resolved, and no verdict gets better in the night, its digest, the statement of the month, and
// the audit of the mirror. TEST_POLICIES=all hides each in every way, in both sources.
//
// Faults of notifications are left out, because neither source serves notifications here.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Verdict } from '../../src/core/domain/finding.ts';
import { DAY, formatInstant, type Instant, MINUTE } from '../../src/core/domain/instant.ts';
import { reconcileInMemory } from '../../src/core/kernel/reconcile-in-memory.ts';
import { StatementRefused } from '../../src/core/statements/exact.ts';
import { jsonFormat } from '../../src/io/formats/text/json.ts';
import type { Source } from '../../src/io/sources/port/source.ts';
import { openPostgresSource } from '../../src/io/sources/postgres/open-postgres-source.ts';
import { listHeldMonths } from '../../src/io/storage/issued/reports.ts';
import { loadRun } from '../../src/io/storage/operators/run-records.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import {
  type Books,
  type Fault,
  ORDINARY_TRAFFIC,
  planMerchant,
} from '../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES } from '../../src/sandbox/model/policy.ts';
import { drawFrom, seedRandom } from '../../src/sandbox/model/random.ts';
import { NOTHING_ANNOUNCED } from '../../src/service/workflows/announcements.ts';
import { auditMirror } from '../../src/service/workflows/audit/audit-mirror.ts';
import { stateOpenMonth, withOpenMonth } from '../../src/service/workflows/month/open-month.ts';
import { publishStatement } from '../../src/service/workflows/month/publish-statement.ts';
import type { RawBooks } from '../contract/source-contract.ts';
import type { Raw } from '../contract/source-rows.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { HIDINGS } from '../support/hide-operation.ts';
import { SERVED_HIDINGS, type ServedBooks } from '../support/hide-served.ts';
import type { ServedJson } from '../support/http-books.ts';
import { openSource } from '../support/http-reader.ts';
import { type HttpService, startHttpService } from '../support/http-service.ts';
import { ALL_POLICIES, plantInTurn } from '../support/in-turn.ts';
import { optionsAt } from '../support/nightly.ts';
import { outcomeOf, RUN_ENGINE, runSource } from '../support/nightly-run.ts';
import { insertBooks, openPostgresBooks, type PostgresBooks } from '../support/postgres-books.ts';
import { publishTask } from '../support/report-books.ts';
import { decodeBooks, settingsOf } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { TEST_SEED } from '../support/test-seed.ts';

/** The beginning of the books, and an instant after October has ended. */
const [OPENS, READ_AT] = [Date.UTC(2026, 9, 11), Date.UTC(2026, 10, 1, 12)];

const shops: readonly Books[] = Array.from({ length: 4 }, (_, i) => {
  const plan = planMerchant({
    reference: `SHOP_${i}`,
    opensAt: OPENS,
    policy: drawFrom(seedRandom(`${TEST_SEED}/hidden/${i}`), LAWFUL_POLICIES),
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 6, reversalRate: 0.06 },
  });
  return simulateBooks(plan, { seed: `${TEST_SEED}/hidden/${i}`, until: READ_AT });
});

/**
 * Findings that each way of hiding makes lawful: a day's sum may leave out what ended on another.
 */
const UNDOES: Readonly<Record<string, readonly string[]>> = {
  'it ends by a clock that is ahead': ['DAILY_CASHOUT_LIMIT_EXCEEDED'],
};

/**
 * Ways in which these faults are also hidden, whatever their turn, because the month has the
 * operation as it was before.
 */
const ALWAYS: Readonly<Record<string, string>> = {
  REVERSAL_MISSING: 'it is touched while it is read',
  HOLD_NOT_RELEASED: 'it ends by a clock that is ahead',
};

interface Broken {
  readonly books: RawBooks;
  readonly reference: string;
}

/**
 * Returns books that the fault breaks at an operation; `null`: the fault is at no operation, or
 * does not break them.
 */
function breakBooks(fault: Fault, turn: number): Broken | null {
  const seedOf = (index: number) => `${TEST_SEED}/${index}/${fault.name}`;
  const [place] = plantInTurn(fault, shops, { turn, seedOf });
  if (place === undefined) return null;
  const { books, expected } = place.planted;
  const { merchant, wallet, entries, operations } = books;
  const named =
    entries.find(({ sequence }) => sequence === Number(expected.sequence))?.operationReference ??
    null;
  const reference = expected.operationReference ?? named;
  const decoded = decodeBooks(books);
  const rows = { ...decoded, rejected: [], absent: [], notifications: null, published: null };
  const { verdict } = reconcileInMemory(rows, settingsOf(decoded));
  if (reference === null || verdict !== 'broken') return null;
  const raw = JSON.parse(JSON.stringify({ merchant, wallet, entries, operations })) as RawBooks;
  return { books: raw, reference };
}

const refusedOr =
  <Value>(value: Value) =>
  (failure: unknown): Value => {
    if (failure instanceof StatementRefused) return value;
    throw failure;
  };

interface Place {
  serve(served: ServedBooks): Promise<Source>;
  close(): Promise<void>;
}

/** Opens tables of an operator, whose server's clock says what it is told to. */
async function openTables(): Promise<Place> {
  const books: PostgresBooks = await openPostgresBooks();
  const { client, settings } = books;
  const clockAt = (at: Instant) =>
    client.query(`create or replace function clock.now() returns timestamptz language sql as
      $$ select timestamptz '${formatInstant(at)}' $$`);
  await client.query('create schema clock');
  await clockAt(READ_AT);
  const database = new URL(settings.connectionString).pathname.slice(1);
  await client.query(`alter database ${database} set search_path = clock, pg_catalog, public`);
  return {
    serve: async (served) => {
      await clockAt(served.clock);
      for (const table of ['merchants', 'wallets', 'ledger_entries', 'operations'])
        await client.query(`truncate ${table}`);
      await insertBooks(client, served.books);
      return openPostgresSource(settings);
    },
    close: () => books.close(),
  };
}

async function openHttp(): Promise<Place> {
  const service: HttpService = await startHttpService({});
  return {
    serve: async ({ books, clock }) => {
      const { merchant, wallet, entries, operations } = books;
      for (const name of Object.keys(service.books)) delete service.books[name];
      const rows = (some: readonly Raw[]) => [...some] as ServedJson[];
      service.books[String(merchant.reference)] = {
        ...{ profile: merchant as ServedJson, wallet: wallet as ServedJson },
        ...{ ledger: rows(entries), operations: rows(operations) },
      };
      service.clockOffset = clock - Date.now();
      return openSource(service, { clock: () => READ_AT + MINUTE });
    },
    close: () => service.close(),
  };
}

const breaking = FAULTS.flatMap((fault, turn) => {
  if (fault.name.startsWith('EVENT_')) return [];
  const broken = breakBooks(fault, turn);
  return broken === null ? [] : [{ fault, turn, broken }];
});

test('most faults break the books of an operation, and each way is of either look', () => {
  expect(breaking.length).toBeGreaterThan(60);
  expect(Object.keys(SERVED_HIDINGS)).toEqual(HIDINGS.map(({ name }) => name));
});

const PLACES = { tables: openTables, HTTP: openHttp } as const;
type PlaceName = keyof typeof PLACES;

describe(`a night in which an operation is hidden betters nothing (TEST_SEED=${TEST_SEED})`, () => {
  let opened: TestStore;
  let places: Readonly<Record<PlaceName, Place>>;
  beforeAll(async () => {
    opened = await openTestStore();
    places = { tables: await openTables(), HTTP: await openHttp() };
  });
  afterAll(async () => {
    await Promise.all([places.tables.close(), places.HTTP.close()]);
    await opened.close();
  });

  async function night(place: Place, served: ServedBooks) {
    const merchant = String(served.books.merchant.reference);
    const source = await place.serve(served);
    const now = READ_AT + MINUTE;
    const optionsFor = (_: string, asOf: Instant) => ({ ...optionsAt(asOf), grace: 0 });
    try {
      const run = await runSource(opened.store, source, {
        merchants: [merchant],
        clock: () => now,
        optionsFor,
        rotation: { nights: 1, random: () => 0.5 },
      });
      const { report, changes } = outcomeOf(run, merchant);
      const { verdicts } = (await loadRun(opened.store, run.runId))!;
      const audit = {
        merchants: [merchant],
        onMerchant: () => () => {},
        optionsFor: () => optionsFor('', now),
      };
      const [audited] = await auditMirror(opened.store, audit);
      const stated = await state(merchant);
      return {
        report,
        changes,
        verdicts,
        audited: audited!,
        stated,
        isHeld: await issue(merchant),
      };
    } finally {
      await source.close();
    }
  }

  const monthTask = () => {
    const announcements = {
      ...NOTHING_ANNOUNCED,
      holds: (verdict: string) => verdict === 'broken',
    };
    const now = READ_AT + DAY;
    const task = {
      announcements,
      formats: [jsonFormat],
      engine: RUN_ENGINE,
      now,
      auditFor: () => optionsAt(now),
    };
    return publishTask(opened.store, task);
  };

  /** Returns the month's verdict as if it had not been issued yet; `null`: it cannot be stated. */
  function state(merchant: string): Promise<Verdict | null> {
    const task = monthTask();
    const verdict = withOpenMonth(task, { merchant, issuedBounds: null }, async (month) => {
      const { statement } = await stateOpenMonth(task, month, null);
      return statement.summary.verdict.state;
    });
    return verdict.catch(refusedOr(null));
  }

  /**
   * Returns whether the month's newest statement is held. Where none can be made, the statement
   * before stays.
   */
  async function issue(merchant: string): Promise<boolean> {
    await publishStatement(monthTask(), merchant).catch(refusedOr(null));
    return (await listHeldMonths(opened.store, merchant)).length > 0;
  }

  const VERDICTS = ['broken', 'incomplete', 'clean', null] as const;
  const OPEN = { causedBy: null, status: 'confirmed' } as const;
  const rootsIn = ({
    findings,
  }: {
    readonly findings: readonly { readonly [K in keyof typeof OPEN]: unknown }[];
  }) =>
    findings.filter(({ causedBy, status }) => causedBy === null && status === 'confirmed').length;

  for (const { fault, turn, broken } of breaking) {
    const named = Object.keys(PLACES) as PlaceName[];
    const ways = HIDINGS.map(({ name }) => name);
    const some = ALL_POLICIES
      ? ways.flatMap((way) => named.map((place) => ({ way, place })))
      : [ways[turn % ways.length]!, ...[ALWAYS[fault.name] ?? []].flat()].map((way) => {
          return { way, place: named[Math.floor(turn / ways.length) % named.length]! };
        });
    for (const { way, place } of some) {
      test(`${fault.name}: ${way}, ${place}`, async () => {
        if (UNDOES[way]?.includes(fault.name)) return;
        const merchant = {
          ...broken.books.merchant,
          reference: `HIDDEN_${turn}_${ways.indexOf(way)}_${place}`,
        };
        const whole = { books: { ...broken.books, merchant }, clock: READ_AT };
        const hidden = SERVED_HIDINGS[way]!(
          { ...whole, clock: READ_AT + MINUTE },
          broken.reference,
        );
        if (hidden === null) return;
        const before = await night(places[place], whole);
        expect(before.report.verdict).toBe('broken');
        const after = await night(places[place], hidden);
        expect(after.report.verdict).toBe('broken');
        expect(after.changes.resolved, 'resolved').toEqual([]);
        expect(after.verdicts, 'the digest').toEqual({ clean: 0, broken: 1, incomplete: 0 });
        const noBetter = {
          broken: ['broken', null],
          incomplete: ['broken', 'incomplete', null],
          clean: VERDICTS,
        };
        expect(noBetter[before.stated!], 'the month').toContain(after.stated);
        expect(after.isHeld, 'its statement is held').toBe(before.isHeld);
        expect(after.audited.verdict, 'the audit').toBe('broken');
        expect(rootsIn(after.audited), 'roots of the audit').toBeGreaterThanOrEqual(
          rootsIn(after.report),
        );
      });
    }
  }
});
