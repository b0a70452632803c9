// A finding about lines is confirmed only after the lines around it were read a second time. What
// the service had not committed at first is no finding, and what it serves otherwise the second
// time is a finding of its own.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { formatInstant, HOUR, MINUTE, SECOND } from '../../src/core/domain/instant.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import {
  BOOKS_BEGIN,
  type HttpBooks,
  makeHttpBooks,
  makeLine,
  type ServedJson,
} from '../support/http-books.ts';
import { type HttpService, startHttpService } from '../support/http-service.ts';
import { EVENING, kindsIn, outcomeOf, runOver } from '../support/nightly-run.ts';

/** Lines of three pages, and more than are asked for one by one. */
const LINES = 450;
const FAULTY = 250;

let opened: TestStore;
let service: HttpService;
beforeEach(async () => {
  opened = await openTestStore();
  service = await startHttpService({ M001: makeHttpBooks('M001', LINES) });
});
afterEach(async () => {
  await service.close();
  await opened.close();
});

const books = (): HttpBooks => service.books.M001!;
const night = async () => outcomeOf(await runOver(opened.store, service), 'M001');
/** Returns the number of readings of the ledger, each of which asks for the profile first. */
const readings = (): number => service.asked.filter(({ path }) => path === '/merchants/me').length;
const ledgerRequests = (): number => service.asked.filter(({ path }) => path === '/ledger').length;

/** Changes the books when the wallet is asked for, because the ledger has been read by then. */
function afterTheLedger(change: () => void): void {
  let isDone = false;
  service.before = ({ path }) => {
    if (path === '/wallet' && !isDone) {
      isDone = true;
      change();
    }
    return null;
  };
}

test.each(['ascending', 'descending'] as const)(
  'lines committed late are no finding (%s)',
  async (order) => {
    service.order = order;
    const late = books().ledger.splice(FAULTY - 1, 3);
    afterTheLedger(() => books().ledger.splice(FAULTY - 1, 0, ...late));
    expect((await night()).report).toMatchObject({
      verdict: 'clean',
      entries: LINES,
      findings: [],
    });
  },
);

test('a fault that is served again is confirmed, read once more, and not again the next night', async () => {
  books().ledger.splice(FAULTY - 1, 3);
  const first = await night();
  expect(kindsIn(first)).toContain('LINES_MISSING');
  expect(first.report.verdict).toBe('broken');
  expect(readings()).toBe(2);
  // A few pages for the whole ledger, and for the lines in question no more than it takes to be
  // sure of them.
  expect(ledgerRequests()).toBeLessThan(15);
  service.asked.length = 0;
  const second = await night();
  expect(second.report.findings).toEqual(first.report.findings);
  expect(readings()).toBe(1);
});

test('a line that is served otherwise the second time is kept beside the first, and that is a finding', async () => {
  const sound = books().ledger[FAULTY - 1]!;
  const wrong: ServedJson = { ...sound, balanceAfter: 1 };
  books().ledger[FAULTY - 1] = wrong;
  afterTheLedger(() => {
    books().ledger[FAULTY - 1] = sound;
  });
  const outcome = await night();
  expect(kindsIn(outcome)).toContain('SEQUENCE_DUPLICATE');
  expect(kindsIn(outcome)).not.toContain('BALANCE_DRIFT');
  const kept = await opened.store.pool.query<{ balance_after: number }>(
    'select balance_after from entries where sequence = $1 order by variant',
    [FAULTY],
  );
  expect(kept.rows.map((row) => row.balance_after)).toEqual([1, FAULTY * 1_000]);
});

test('lines beyond the head that the first reading had are left to the next reading', async () => {
  books().ledger.splice(LINES - 5, 3);
  afterTheLedger(() => books().ledger.push(makeLine(LINES + 1)));
  const outcome = await night();
  expect(outcome.report.lastSequence).toBe(LINES);
});

test('lines of more places than are read one by one are read again too, in one pass', async () => {
  const { ledger, operations, ...rest } = makeHttpBooks('M001', 8_700);
  const at = (number: number) => ({ createdAt: formatInstant(BOOKS_BEGIN + number * 10 * SECOND) });
  const ofTen = operations.map((one, i) => {
    const { createdAt } = at(i);
    return {
      ...one,
      createdAt,
      updatedAt: createdAt,
      completedAt: createdAt,
      expiresAt: at(i + 180).createdAt,
    };
  });
  service.books.M001 = {
    ...rest,
    ledger: ledger.map((one, i) => ({ ...one, ...at(i) })),
    operations: ofTen,
  };
  const sound = [...books().ledger];
  books().ledger = sound.filter((_, i) => i % 410 !== 400);
  afterTheLedger(() => {
    books().ledger = sound;
  });
  expect((await night()).report).toMatchObject({ verdict: 'clean', entries: 8_700, findings: [] });
  // The profile is asked for once a reading.
  expect(readings()).toBe(2);
});

/** Changes the books before the service answers the second reading's first question. */
function beforeTheSecondReading(change: () => void): void {
  let reading = 0;
  service.before = ({ path }) => {
    if (path === '/merchants/me' && ++reading === 2) change();
    return null;
  };
}

test('a wallet at odds with the ledger is read once more, and confirmed only where it still is', async () => {
  const sound = books().wallet!;
  const wrong = { ...sound, balance: LINES * 1_000 + 500, available: LINES * 1_000 + 500 };
  books().wallet = wrong;
  beforeTheSecondReading(() => {
    books().wallet = sound;
  });
  expect((await night()).report).toMatchObject({ verdict: 'clean', findings: [] });
  books().wallet = wrong;
  const { report } = await night();
  expect(report).toMatchObject({
    verdict: 'broken',
    findings: [{ kind: 'WALLET_BALANCE_MISMATCH' }],
  });
  service.asked.length = 0;
  expect((await night()).report.findings).toEqual(report.findings);
  expect(readings()).toBe(1);
});

test('what appears only when findings are read again is read again too, and else left to the next night', async () => {
  const { ledger, operations } = books();
  ledger[FAULTY - 1] = { ...ledger[FAULTY - 1]!, balanceAfter: 1 };
  const before = FAULTY - 2;
  beforeTheSecondReading(() => {
    ledger[before] = { ...ledger[before]!, description: 'changed' };
  });
  const second = service.before;
  service.before = (request) => {
    if (request.path.endsWith(`/${operations[before]!.reference}`))
      operations[before] = { ...operations[before]!, netAmount: 1 };
    return second(request);
  };
  const sorted = async () =>
    (await night()).report.findings
      .map(({ kind, sequence, status }) => `${kind} ${sequence} ${status}`)
      .sort();
  const certain = [
    `BALANCE_DRIFT ${FAULTY} confirmed`,
    `SEQUENCE_DUPLICATE ${FAULTY - 1} confirmed`,
  ];
  const operation = (status: string) =>
    ['NET_AMOUNT_INCONSISTENT', 'OPERATION_FIELD_CHANGED'].map((kind) => `${kind} null ${status}`);
  expect(await sorted()).toEqual([...certain, ...operation('provisional')].sort());
  expect(readings()).toBe(3);
  expect(await sorted()).toEqual([...certain, ...operation('confirmed')].sort());
});

/** Lets so many pages of the list of operations come empty, from the first request on. */
function emptyLists(count: number): void {
  let left = count;
  service.before = ({ path }) => {
    if (path !== '/operations' || left === 0) return null;
    left -= 1;
    return { do: 'answer', status: 200, body: '{"data":[]}' };
  };
}

async function knownOperations(): Promise<number> {
  const { rows } = await opened.store.pool.query(
    'select count(distinct reference)::int as known from operation_versions',
  );
  return (rows[0] as { readonly known: number }).known;
}

const singles = (): number =>
  service.asked.filter(({ path }) => path.startsWith('/operations/')).length;

test('a list of operations that comes empty twice is read a second time, where many are concerned', async () => {
  emptyLists(2);
  expect((await night()).report).toMatchObject({
    verdict: 'clean',
    operations: LINES,
    findings: [],
  });
  expect(singles()).toBe(0);
});

/**
 * Serves books of `lines` lines over a day and a half, and a cash-in that failed two days before
 * them, which no line names.
 */
function serveLineless(lines: number): void {
  const apart = (row: ServedJson, number: number): ServedJson => {
    const later = (value: unknown) =>
      formatInstant(Date.parse(String(value)) + number * ((36 * HOUR) / lines - MINUTE));
    const dates = ['createdAt', 'updatedAt', 'completedAt', 'expiresAt'].filter(
      (name) => name in row,
    );
    return { ...row, ...Object.fromEntries(dates.map((name) => [name, later(row[name])])) };
  };
  const { ledger, operations, ...rest } = makeHttpBooks('M001', lines);
  const failure = { code: 'OPERATOR_TIMEOUT', message: 'timed out' };
  const lineless = {
    ...operations[0]!,
    reference: 'GUI-CI-NOLINE',
    status: 'FAILED',
    externalReference: null,
    failure,
  };
  service.books.M001 = {
    ...rest,
    ledger: ledger.map(apart),
    operations: [apart(lineless, -1.4 * lines), ...operations.map(apart)],
  };
}

describe.each([190, LINES])(
  'of %i operations and one without a line, whose list came empty',
  (lines) => {
    test('twice, all are read in the same night', async () => {
      serveLineless(lines);
      emptyLists(2);
      expect((await night()).report).toMatchObject({ verdict: 'clean', findings: [] });
      expect(await knownOperations()).toBe(lines + 1);
    });

    test('all night, the next night reads those that no line names', async () => {
      serveLineless(lines);
      emptyLists(Number.POSITIVE_INFINITY);
      const { report } = await night();
      expect([report.verdict, report.notChecked.map(({ code }) => code)]).toEqual([
        'incomplete',
        expect.arrayContaining(['OPERATIONS_LIST_CUT']),
      ]);
      service.before = () => null;
      expect((await night()).report.verdict).toBe('clean');
      expect(await knownOperations()).toBe(lines + 1);
    });
  },
);

test('an operation is unknown for certain only where it was asked for by itself, however many there are', async () => {
  emptyLists(Number.POSITIVE_INFINITY);
  const lost = books().operations.splice(0, 1);
  const first = await night();
  const sure = first.report.findings.filter(
    ({ status, severity }) => status === 'confirmed' && severity !== 'info',
  );
  expect(sure.map(({ kind, operationReference }) => [kind, operationReference])).toEqual([
    ['OPERATION_UNKNOWN', lost[0]!.reference],
  ]);
  expect(singles()).toBe(200);
  expect(new Set(first.report.findings.map(({ kind }) => kind))).toContain(
    'TOTAL_COLLECTED_MISMATCH',
  );
  expect(first.report.notChecked.map(({ code }) => code)).toContain('PROVISIONAL');
  books().operations.unshift(...lost);
  service.before = () => null;
  const second = await night();
  expect(second.report).toMatchObject({ verdict: 'clean', operations: LINES, findings: [] });
});

test('of many operations that are truly at odds every one is confirmed in the first night', async () => {
  books().operations = books().operations.map((one, i) =>
    i % 2 === 0 ? { ...one, netAmount: 999 } : one,
  );
  const { report } = await night();
  const sure = report.findings.filter(
    ({ kind, status }) => kind === 'NET_AMOUNT_INCONSISTENT' && status === 'confirmed',
  );
  expect(sure).toHaveLength(LINES / 2);
  expect(singles()).toBe(0);
  service.asked.length = 0;
  expect((await night()).report.findings).toEqual(report.findings);
  expect(readings()).toBe(1);
});

test('of more open operations than a night requests, each is requested within the named number of nights', async () => {
  const { operations, ...rest } = makeHttpBooks('M001', 2_400);
  const open = operations.map((one, i) => {
    const createdAt = formatInstant(BOOKS_BEGIN + i * 20 * SECOND);
    const state = i < 300 ? { completedAt: createdAt } : { status: 'PENDING', completedAt: null };
    return { ...one, createdAt, updatedAt: createdAt, expiresAt: createdAt, ...state };
  });
  const ledger = rest.ledger
    .slice(0, 300)
    .map((one, i) => ({ ...one, createdAt: open[i]!.createdAt }));
  const wallet = { ...rest.wallet, balance: 300_000, available: 300_000, totalCollected: 300_000 };
  service.books.M001 = { ...rest, wallet, ledger, operations: open };
  expect((await night()).report.notChecked.map(({ code }) => code)).not.toContain(
    'OPEN_ASKED_LATER',
  );
  for (let at = 400; at < 420; at += 1) {
    books().operations[at] = {
      ...open[at]!,
      status: 'SUCCEEDED',
      completedAt: formatInstant(EVENING - HOUR),
    };
  }
  const missing: number[] = [];
  for (const _ of [1, 2]) {
    const { report } = await night();
    expect(report.notChecked).toContainEqual(
      expect.objectContaining({
        code: 'OPEN_ASKED_LATER',
        incomplete: true,
        figures: { count: expect.any(String), readings: '2' },
      }),
    );
    missing.push(report.findings.filter(({ kind }) => kind === 'CREDIT_MISSING').length);
  }
  expect(missing[0], 'not all at once').toBeLessThan(20);
  expect(missing.at(-1)).toBe(20);
});
