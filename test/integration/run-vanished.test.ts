// A known operation that is no longer served. Over the API, one reading without it is a note and
// two in a row are one root, until it is served again. Over files, each night compares the whole
// list.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AuditReport } from '../../src/core/domain/finding.ts';
import { DAY, formatInstant, HOUR } from '../../src/core/domain/instant.ts';
import { openPostgresSource } from '../../src/io/sources/postgres/open-postgres-source.ts';
import { openSource as openFiles } from '../../src/io/sources/register.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import { replayMirror } from '../../src/service/workflows/mirror/replay-mirror.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import {
  BOOKS_BEGIN,
  type HttpBooks,
  makeHttpBooks,
  makeLine,
  makeOperation,
  referenceOf,
  type ServedJson,
} from '../support/http-books.ts';
import { type HttpService, startHttpService } from '../support/http-service.ts';
import {
  EVENING,
  JUDGED,
  outcomeOf,
  RUN_ENGINE,
  runOver,
  runSource,
} from '../support/nightly-run.ts';
import { insertBooks, openPostgresBooks } from '../support/postgres-books.ts';

const LINES = 60;

let opened: TestStore;
let store: Store;
let service: HttpService;
let nights = 0;
beforeEach(async () => {
  opened = await openTestStore();
  store = opened.store;
  service = await startHttpService({ M001: makeHttpBooks('M001', LINES) });
});
afterEach(async () => {
  await service.close();
  await opened.close();
});

const books = (): HttpBooks => service.books.M001!;
const single = (number: number): string => `/operations/${referenceOf(number)}`;
const callsFor = (path: string): number =>
  service.asked.filter((asked) => asked.path === path).length;

/** Returns the options of the next night, a day after the one before, by our clock. */
function nextNight() {
  nights += 1;
  const now = EVENING + nights * DAY;
  return { clock: () => now };
}

/** Runs a night. An audit of the mirror must say the same. */
async function night(): Promise<AuditReport> {
  service.asked.length = 0;
  const { report } = outcomeOf(await runOver(store, service, {}, nextNight()), 'M001');
  const options = { ...JUDGED, onProgress: () => {} };
  const full = await replayMirror({
    store,
    merchant: 'M001',
    engine: RUN_ENGINE,
    options,
    snapshot: null,
    full: true,
  });
  expect(full.report.findings).toEqual(report.findings);
  expect(missedIn(full.report)).toEqual(missedIn(report));
  return report;
}

function missedIn({ notChecked }: AuditReport): readonly unknown[] {
  return notChecked.flatMap(({ code, figures }) =>
    code === 'OPERATIONS_MISSED_ONCE' ? [figures] : [],
  );
}

function told({ verdict, findings }: AuditReport): readonly unknown[] {
  return [
    verdict,
    ...findings.map(({ kind, operationReference, causedBy }) => [
      kind,
      operationReference,
      causedBy,
    ]),
  ];
}

function leaveOut(...numbers: readonly number[]): readonly ServedJson[] {
  const gone = new Set(numbers.map(referenceOf));
  const all = books().operations;
  books().operations = all.filter(({ reference }) => !gone.has(String(reference)));
  return all;
}

test('one that lines name is a note after one night, one root after two, and sound once it is served again', async () => {
  expect(told(await night())).toEqual(['clean']);
  const all = leaveOut(50);
  const first = await night();
  expect([told(first), missedIn(first)]).toEqual([
    ['incomplete'],
    [{ count: '1', first: referenceOf(50) }],
  ]);
  nights -= 1;
  expect(told(await night()), 'a reading at once is no second night').toEqual(['incomplete']);
  const vanished = ['OPERATION_VANISHED', referenceOf(50), null];
  const second = await night();
  expect([told(second), missedIn(second)]).toEqual([['broken', vanished], []]);
  const [finding] = second.findings;
  expect([finding!.severity, finding!.status]).toEqual(['critical', 'confirmed']);
  expect(finding!.message).toContain('Lines that name it: 50.');
  expect(finding!.evidence.map(({ what, sequence }) => [what, sequence])).toEqual([
    ['operation', null],
    ['line', '50'],
  ]);
  // The books have gone on, so that the operation lies far below the newest ones by now.
  const later = formatInstant(BOOKS_BEGIN + 12 * HOUR);
  books().ledger.push({ ...makeLine(61), createdAt: later });
  const times = { createdAt: later, updatedAt: later, completedAt: later };
  books().operations.push({
    ...makeOperation(61),
    ...times,
    expiresAt: formatInstant(BOOKS_BEGIN + 12.5 * HOUR),
  });
  const paid = { balance: 61_000, available: 61_000, totalCollected: 61_000, updatedAt: later };
  books().wallet = { ...books().wallet, ...paid };
  expect(told(await night())).toEqual(['broken', vanished]);
  expect(told(await night())).toEqual(['broken', vanished]);
  books().operations = [...all, books().operations.at(-1)!];
  expect(told(await night())).toEqual(['clean']);
  expect(callsFor(single(50))).toBe(1);
  expect(told(await night())).toEqual(['clean']);
  expect(callsFor(single(50)), 'it is not asked for any more').toBe(0);
});

test('one that is served by itself, or again by the next night, is no finding', async () => {
  await night();
  const all = leaveOut(50);
  const body = JSON.stringify({ operation: all[49] });
  service.before = ({ path }) => (path === single(50) ? { do: 'answer', status: 200, body } : null);
  const listed = await night();
  expect([told(listed), missedIn(listed), callsFor(single(50))]).toEqual([['clean'], [], 1]);
  service.before = () => null;
  expect(told(await night())).toEqual(['incomplete']);
  books().operations = [...all];
  expect(told(await night())).toEqual(['clean']);
  leaveOut(50);
  expect(told(await night()), 'the count begins anew').toEqual(['incomplete']);
});

test('one that was left open and is denied is the root of being overdue', async () => {
  const open = {
    status: 'PENDING',
    completedAt: null,
    amount: 700,
    netAmount: 700,
    externalReference: 'open',
  };
  const at = formatInstant(BOOKS_BEGIN - 12 * HOUR);
  const expiresAt = formatInstant(BOOKS_BEGIN - 11.5 * HOUR);
  books().operations.unshift({
    ...makeOperation(0),
    ...open,
    createdAt: at,
    updatedAt: at,
    expiresAt,
  });
  const overdue = ['OPERATION_OVERDUE', referenceOf(0), null];
  expect(told(await night())).toEqual(['clean', overdue]);
  leaveOut(0);
  expect(told(await night())).toEqual(['incomplete', overdue]);
  const { findings } = await night();
  const [vanished] = findings.filter(({ kind }) => kind === 'OPERATION_VANISHED');
  expect(findings.map(({ kind, causedBy }) => [kind, causedBy])).toEqual([
    ['OPERATION_VANISHED', null],
    ['OPERATION_OVERDUE', vanished!.fingerprint],
  ]);
});

test('a row that cannot be read is not gone, and while one is nameless none is', async () => {
  await night();
  books().operations[49] = { ...books().operations[49]!, amount: 12.5 };
  const unreadable = await night();
  expect([missedIn(unreadable), unreadable.findings.map(({ kind }) => kind)]).toEqual([
    [],
    ['INPUT_REJECTED'],
  ]);
  books().operations[49] = { note: 'nothing of it can be read' };
  expect(missedIn(await night())).toEqual([]);
  expect((await night()).findings.map(({ kind }) => kind)).not.toContain('OPERATION_VANISHED');
});

test('over files, one of any age is a root after two nights', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pointage-vanished-'));
  try {
    cpSync(join(import.meta.dirname, '../../docs/example-books'), folder, { recursive: true });
    const file = join(folder, 'operations.jsonl');
    const rows = readFileSync(file, 'utf8').trimEnd().split('\n');
    const { reference } = JSON.parse(rows[0]!);
    const source = await openFiles(`file:${folder}`, {});
    const runs = async () => {
      const { report } = outcomeOf(await runSource(store, source, nextNight()), 'EPICERIE_EXEMPLE');
      const gone = report.findings.filter(({ kind }) => kind === 'OPERATION_VANISHED');
      return [
        missedIn(report).length,
        ...gone.map((one) => [one.operationReference, one.causedBy]),
      ];
    };
    expect([await runs(), await runs()]).toEqual([[0], [0]]);
    writeFileSync(file, `${rows.slice(1).toReversed().join('\n')}\n`);
    expect([await runs(), await runs(), await runs()]).toEqual([
      [1],
      [0, [reference, null]],
      [0, [reference, null]],
    ]);
    rmSync(file);
    expect(await runs(), 'no list is no evidence').toEqual([0, [reference, null]]);
    writeFileSync(file, `${rows.join('\n')}\n`);
    expect(await runs()).toEqual([0]);
    await source.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('in an operator’s tables, one is a root after two nights, read alone or with others', async () => {
  const database = await openPostgresBooks();
  const source = openPostgresSource(database.settings);
  try {
    const { profile, wallet, ledger, operations } = books();
    const served = { ...profile, createdAt: formatInstant(BOOKS_BEGIN), allowedCountries: ['CI'] };
    await insertBooks(database.client, { merchant: served, wallet, entries: ledger, operations });
    for (const isTogether of [false, true]) {
      const run = async () => {
        const { openTogether: _, ...alone } = source;
        const { report } = outcomeOf(
          await runSource(store, isTogether ? source : alone, nextNight()),
          'M001',
        );
        return [
          missedIn(report).length,
          ...report.findings.map((one) => [one.kind, one.operationReference]),
        ];
      };
      const number = isTogether ? 51 : 50;
      expect(await run()).toEqual([0]);
      const gone = [referenceOf(number)];
      await database.client.query(
        'update operations set merchant_reference = $2 where reference = $1',
        [...gone, 'X'],
      );
      expect([await run(), await run()]).toEqual([
        [1],
        [0, ['OPERATION_VANISHED', referenceOf(number)]],
      ]);
      await database.client.query(
        'update operations set merchant_reference = $2 where reference = $1',
        [...gone, 'M001'],
      );
      expect(await run()).toEqual([0]);
    }
  } finally {
    await source.close();
    await database.close();
  }
});
