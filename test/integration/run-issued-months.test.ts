// A month that was issued, and would be stated otherwise because of what came since, is a finding
// of the same night, until it is issued again.

import { beforeEach, expect, test } from 'vitest';
import { parsePeriod } from '../../src/core/domain/period.ts';
import { formatNamed } from '../../src/io/formats/register.ts';
import { closeMonth } from '../../src/io/storage/issued/month-lock.ts';
import { auditMirror } from '../../src/service/workflows/audit/audit-mirror.ts';
import {
  compareIssued,
  publishStatement,
  publishStatements,
} from '../../src/service/workflows/month/publish-statement.ts';
import { repositoryOfMirror } from '../../src/service/workflows/month/write-statements.ts';
import type { CompareIssued } from '../../src/service/workflows/nightly/watch-months.ts';
import { makeLine, makeOperation, referenceOf, type ServedJson } from '../support/http-books.ts';
import { optionsAt } from '../support/nightly.ts';
import { JUDGED } from '../support/nightly-run.ts';
import { nightlyService } from '../support/nightly-service.ts';
import { publishTask } from '../support/report-books.ts';

const formats = [formatNamed('json')!];
const PUBLISHED = Date.UTC(2026, 10, 2, 22);
const nights = nightlyService(30);
const compared: string[] = [];

beforeEach(() => {
  compared.length = 0;
  Object.assign(nights.books(), inOctober({ ...nights.books() }));
});

function inOctober<Served>(served: Served): Served {
  return JSON.parse(JSON.stringify(served).replaceAll('2026-11-01T', '2026-10-31T'));
}

const taskAt = (now: number) =>
  publishTask(nights.store, { now, formats, auditFor: () => optionsAt(PUBLISHED) });

async function publish(now = PUBLISHED): Promise<number> {
  return (await publishStatement(taskAt(now), 'M001')).report.revision;
}

const compare: CompareIssued = (merchant, period) => {
  compared.push(merchant);
  return compareIssued({ ...taskAt(PUBLISHED), period }, merchant);
};

/** Works a night. Returns what it says of issued months, and how many months it stated again. */
async function night(more: Parameters<typeof nights.night>[1] = {}): Promise<readonly unknown[]> {
  compared.length = 0;
  const { report } = await nights.night({}, { compareIssued: compare, ...more });
  const found = report.findings.filter(({ kind }) => kind === 'CLOSED_PERIOD_CHANGED');
  return [
    compared.length,
    ...found.map(({ message, difference, status }) => [message, difference, status]),
  ];
}

async function audited(): Promise<number> {
  const options = {
    merchants: ['M001'],
    optionsFor: () => JUDGED,
    published: null,
    onMerchant: () => () => {},
  };
  const [report] = await auditMirror(nights.store, options);
  return report!.findings.filter(({ kind }) => kind === 'CLOSED_PERIOD_CHANGED').length;
}

/** Adds a cash-in after those that were read. */
function add(number: number, dated: (row: ServedJson) => ServedJson): void {
  const { ledger, operations } = nights.books();
  const sequence = ledger.length + 1;
  ledger.push(dated({ ...makeLine(sequence), operationReference: referenceOf(number) }));
  operations.push(dated(makeOperation(number)));
  const balance = sequence * 1_000;
  nights.books().wallet = {
    ...nights.books().wallet,
    balance,
    available: balance,
    totalCollected: balance,
  };
}

const CHANGED = [
  expect.stringMatching(
    /^The statement of 2026-10 was issued \(revision 1\), and what came since states it otherwise: its closing balance was 30 000 and is 31 000; \d+ more of its figures differ\.$/,
  ),
  '1000',
  'confirmed',
];

test('a line that comes late into an issued month is named the same night, and until the month is issued again', async () => {
  expect(await night()).toEqual([0]);
  expect(await publish()).toBe(1);
  expect(await night()).toEqual([0]);
  add(31, inOctober);
  expect(await night()).toEqual([1, CHANGED]);
  expect(await night()).toEqual([0, CHANGED]);
  expect(await audited()).toBe(1);
  expect(await publish(PUBLISHED + 10)).toBe(2);
  expect(await audited()).toBe(0);
  expect(await night()).toEqual([0]);
  expect(await publish(PUBLISHED + 20)).toBe(2);
});

test('a month that is in the store without its content holds up no night, and is refused by name when it is issued again', async () => {
  await night();
  await nights.store.pool.query(
    `insert into reports (merchant_id, report_id, period, revision, attempt, status, period_label, period_start,
      period_end, requested_at, generated_at, issued)
    select merchant_id, gen_random_uuid(), '2026-10', 1, 1, 'READY', '', $1, $2, 0, 0, '{}' from merchants`,
    [Date.UTC(2026, 9), Date.UTC(2026, 10)],
  );
  add(31, inOctober);
  expect(await night()).toEqual([1]);
  const why =
    'Revision 1 of M001 2026-10 is in the store without its content: restore it from a backup, for it can be neither compared nor revised.';
  expect(await publishStatements(taskAt(PUBLISHED), ['M001', 'M001'])).toEqual([
    { merchant: 'M001', refused: why },
    { merchant: 'M001', refused: why },
  ]);
  // The comparison leaves no report PENDING or FAILED.
  const { rows } = await nights.store.pool.query('select status, revision from reports');
  expect(rows).toEqual([{ status: 'READY', revision: 1 }]);
});

test('lines of a later month, and months that were not issued, are no news of an issued one', async () => {
  await night();
  add(31, inOctober);
  expect(await night()).toEqual([0]);
  expect(await publish()).toBe(1);
  add(32, (row) => row);
  expect(await night()).toEqual([0]);
});

test('what findings alone say of an issued month is said by them alone', async () => {
  const { ledger, operations } = nights.books();
  add(31, inOctober);
  const right = operations[30]!;
  operations[30] = { ...right, failure: { code: 'BILLING_42', message: '' } };
  await night();
  await publish();
  operations[30] = { ...right, updatedAt: '2026-11-01T00:10:00.000Z' };
  expect(await night()).toEqual([1]);
  ledger[9] = { ...ledger[9]!, description: 'changed afterwards' };
  expect(await night()).toEqual([1]);
  expect(await publish(PUBLISHED + 10)).toBe(2);
});

test('the closing balance is named however many days differ, and payments by link that were not read are not', async () => {
  await night();
  await publish();
  const unread = { figure: 'paymentsByLink.totalAmount', before: '500', after: null };
  const days = Array.from({ length: 25 }, (_, i) => ({
    figure: `byDay.2026-10-${i + 1}.count`,
    before: '1',
    after: '2',
  }));
  const balance = { figure: 'closingBalance', before: '30000', after: '31000' };
  const saying = (changes: Awaited<ReturnType<CompareIssued>>['changes']) => ({
    compareIssued: async () => ({ revision: 1, changes }),
  });
  add(31, inOctober);
  expect(await night(saying([unread, ...days, balance]))).toEqual([
    0,
    [
      expect.stringContaining('its closing balance was 30 000 and is 31 000; 25 more'),
      '1000',
      'confirmed',
    ],
  ]);
  add(32, inOctober);
  expect(await night(saying([unread]))).toEqual([0]);
});

test('a month that was closed is not compared: a line that comes after is of the next month', async () => {
  await night();
  await publish();
  await closeMonth(
    nights.store,
    { merchant: 'M001', period: '2026-10' },
    { by: 'amina', now: PUBLISHED, reason: null },
  );
  add(31, inOctober);
  expect(await night()).toEqual([0]);
});

test('what a night could not conclude from is compared by the next one', async () => {
  await night();
  await publish();
  add(31, inOctober);
  const failing = () => Promise.reject(new Error('the process ended'));
  await expect(nights.night({}, { compareIssued: failing })).rejects.toThrow('the process ended');
  expect(await night()).toEqual([1, CHANGED]);
});

test('a reread states every issued month again', async () => {
  await night();
  await publish();
  const { ledger, operations } = nights.books();
  ledger.splice(29, 1);
  operations.splice(29, 1);
  nights.books().wallet = {
    ...nights.books().wallet,
    balance: 29_000,
    available: 29_000,
    totalCollected: 29_000,
  };
  await night();
  const reread = { at: PUBLISHED + 10, by: 'amina', reason: 'restored from a backup' };
  expect(await night({ reread })).toEqual([
    1,
    [expect.stringContaining('was 30 000 and is 29 000'), '-1000', 'confirmed'],
  ]);
  expect(parsePeriod('2026-10')).toEqual(taskAt(PUBLISHED).period);
});

const said = (state: string) => ({ summary: { verdict: { state } } });

test('what lies behind its end, and what could not be read again, make no revision of a month', async () => {
  const { operations } = nights.books();
  operations.push(inOctober(makeOperation(31)));
  await night();
  const { report } = await publishStatement(taskAt(PUBLISHED), 'M001');
  expect(report).toMatchObject({ revision: 1, status: 'READY', issued: said('broken') });
  // The credit of the operation comes days later, after the lawful delay.
  const { ledger } = nights.books();
  ledger.push({ ...makeLine(31), createdAt: '2026-11-02T12:00:00.000Z' });
  nights.books().wallet = {
    ...nights.books().wallet,
    balance: 31_000,
    available: 31_000,
    totalCollected: 31_000,
  };
  await night();
  expect(await publishStatement(taskAt(PUBLISHED + 10), 'M001')).toMatchObject({
    isNew: false,
    report: { revision: 1 },
  });
  const unread = { what: 'history', why: 'SERVICE_UNAVAILABLE', incomplete: true } as const;
  const away = { ...taskAt(PUBLISHED + 20), repository: repositoryOfMirror(nights.store, unread) };
  expect(await publishStatement(away, 'M001')).toMatchObject({
    isNew: false,
    report: { revision: 1 },
  });
});

test('a sound month stays clean, whatever could not be read again', async () => {
  await night();
  expect(await publish()).toBe(1);
  const unread = { what: 'history', why: 'SERVICE_UNAVAILABLE', incomplete: true } as const;
  const away = { ...taskAt(PUBLISHED + 10), repository: repositoryOfMirror(nights.store, unread) };
  expect(await publishStatement(away, 'M001')).toMatchObject({
    isNew: false,
    report: { issued: said('clean') },
  });
});
