// One deviation is reported once. Where more than twenty operations deviate in one way, one finding
// says how many and where.

import { expect, test } from 'vitest';
import type { Finding } from '../../../src/core/domain/finding.ts';
import { formatInstant } from '../../../src/core/domain/instant.ts';
import { groundsOf } from '../../../src/core/domain/operators/grounds.ts';
import type { StandingDecision } from '../../../src/core/domain/settlement.ts';
import { reconcileInMemory } from '../../../src/core/kernel/reconcile-in-memory.ts';
import { readSample, reconcileSample } from '../../../src/core/samples/read-sample.ts';
import { ENGLISH_WORDING } from '../../../src/core/words/names.ts';

/** Returns failed collections, one a minute, that expire so many minutes after their creation. */
function failed(count: number, { from = 1, minutes = 45 } = {}): string {
  const rows = Array.from({ length: count }, (_, i) => from + i).map(
    (n) => `op CI-${n} FAILED 1000 createdAt=+${n}m expiresAt=+${n + minutes}m`,
  );
  return rows.join('\n');
}

const found = (ledger: string) => reconcileSample(ledger).findings;

test('twenty operations of one wrong window are twenty findings', () => {
  const kinds = found(failed(20)).map(({ kind, causedBy }) => [kind, causedBy]);
  expect(kinds).toEqual(Array(20).fill(['EXPIRY_WINDOW_WRONG', null]));
});

test('twenty-one are one, at the place of the first and with its fingerprint', () => {
  const [alone] = found(failed(1));
  const [one, ...others] = found(failed(21));
  expect(others).toEqual([]);
  expect(one).toMatchObject({
    kind: 'EXPIRY_WINDOW_WRONG',
    severity: 'warning',
    fingerprint: alone!.fingerprint,
    operationReference: 'GUI-CI-1',
    figures: { minutes: '45', due: '30', gathered: { count: '21', last: 'GUI-CI-21', sum: null } },
    message: `${alone!.message} So it is with 21 operations, the last of them GUI-CI-21.`,
  });
  const named = one!.evidence.map(({ reference }) => reference);
  expect(named).toHaveLength(21);
  expect(new Set(named).size).toBe(21);
});

test('what it names does not grow with the operations', () => {
  const [one] = found(failed(300));
  expect(one!.figures.gathered).toEqual({
    of: 'operations',
    count: '300',
    last: 'GUI-CI-300',
    sum: null,
  });
  expect(one!.evidence.length).toBeLessThan(25);
});

test('two windows are two deviations, and what is rare among them stays apart', () => {
  const ledger = [
    failed(25),
    failed(30, { from: 101, minutes: 20 }),
    failed(2, { from: 201, minutes: 50 }),
  ].join('\n');
  const said = found(ledger).map(({ figures }) => [
    figures.minutes,
    (figures.gathered as { count: string })?.count,
  ]);
  expect(said.sort()).toEqual([
    ['20', '30'],
    ['45', '25'],
    ['50', undefined],
    ['50', undefined],
  ]);
});

test('differences are summed in one currency, and said as a sum where all go one way', () => {
  const rows = (referenceOf: (n: number) => string) =>
    Array.from({ length: 42 }, (_, i) => {
      const currency = i < 21 ? 'XOF' : 'XAF country=CM';
      return `op ${referenceOf(i)} EXPIRED 1000 fees=20 netAmount=1000 createdAt=+${i}m currency=${currency}`;
    }).join('\n');
  const gathered = (text: string) =>
    found(text).find(({ kind }) => kind === 'NET_AMOUNT_INCONSISTENT')!;
  const oneWay = gathered(rows((n) => `CI-${n + 1}`));
  const sum = String(20 * 21);
  expect(oneWay).toMatchObject({
    difference: sum,
    concerned: '21000',
    figures: { gathered: { count: '42', sum } },
  });
  const bothWays = gathered(rows((n) => `C${n % 2 === 0 ? 'I' : 'O'}-${n + 1}`));
  expect(bothWays).toMatchObject({ figures: { gathered: { count: '42', sum: null } } });
});

test('operations that are unknown because no reference could be read are one finding, like the rows', () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, i) => i + 1).flatMap((n) => [
      `line ${n} CASHIN_CREDIT 1000 ${n * 1000}/0 CI-${n}`,
      `reject operations:${n} reference is missing`,
    ]);
  const counted = (count: number) =>
    found(rows(count).join('\n')).map(({ kind, figures }) => [
      kind,
      (figures.gathered as { count: string })?.count,
    ]);
  expect(counted(50)).toEqual([
    ['OPERATION_UNKNOWN', '50'],
    ['INPUT_REJECTED', undefined],
    ['INPUT_REJECTED', '49'],
  ]);
  expect(counted(20)).toHaveLength(40);
});

test('lines of an unknown kind are counted where they name no operation, whichever of them speaks for all', () => {
  const rows = (named: number) =>
    Array.from({ length: 25 }, (_, i) => i + 1).map(
      (n) => `line ${n} BONUS 1000 ${n * 1000}/0 ${n === named ? 'CI-1' : '-'} direction=CREDIT`,
    );
  const noted = (named: number) =>
    reconcileSample(
      [...rows(named), 'op CI-1 EXPIRED 1000', 'wallet 25000/0'].join('\n'),
    ).notChecked.find(({ code }) => code === 'LINES_OF_UNKNOWN_KINDS')?.figures;
  expect([noted(1), noted(25), noted(0)]).toEqual([
    { count: '24' },
    { count: '24' },
    { count: '25' },
  ]);
});

test('what follows is gathered by its severity too: an error is not told as a warning that comes before it', () => {
  const rows = Array.from({ length: 60 }, (_, i) => {
    const wrong = i < 14 ? '+0m' : '2025-01-01T00:00:00Z';
    const extras =
      i % 2 === 1
        ? `currency=XAF at=${i < 9 ? `+${(i + 1) * 300}m` : wrong}`
        : `at=+${(i + 1) * 300}m`;
    return `line ${i + 1} CASHIN_CREDIT 1000 ${(i + 1) * 1000}/0 CI-${i + 1} ${extras}`;
  });
  const operations = Array.from({ length: 60 }, (_, i) => {
    const [created, completed] = [(i + 1) * 300 - 5, (i + 1) * 300];
    return `op CI-${i + 1} SUCCEEDED 1000 createdAt=+${created}m completedAt=+${completed}m`;
  });
  const dated = found([...rows, ...operations, 'at +40d'].join('\n')).filter(
    ({ kind }) => kind === 'ENTRY_TIME_IMPOSSIBLE',
  );
  const told = dated.map(({ severity, figures }) => [
    severity,
    (figures.gathered as { count: string })?.count,
  ]);
  expect(told).toEqual([
    ['warning', undefined],
    ['warning', undefined],
    ['warning', undefined],
    ['error', '23'],
  ]);
});

test('what is grave is reported for each operation, however many there are', () => {
  const rows = Array.from({ length: 25 }, (_, i) => `op CI-${i + 1} SUCCEEDED 1000`).join('\n');
  const roots = found(rows).filter(({ causedBy }) => causedBy === null);
  expect(roots.map(({ kind }) => kind)).toEqual(Array(25).fill('CREDIT_MISSING'));
});

test('operations that are late are one finding where they are many: a service that closes nothing is one cause', () => {
  const late = (count: number) =>
    found(Array.from({ length: count }, (_, i) => `op CI-${i + 1} PENDING 1000`).join('\n'));
  expect(late(20).map(({ kind }) => kind)).toEqual(Array(20).fill('OPERATION_OVERDUE'));
  expect(late(25)).toMatchObject([
    { kind: 'OPERATION_OVERDUE', figures: { gathered: { count: '25', last: 'GUI-CI-25' } } },
  ]);
});

test('what follows from operations that one finding speaks for is one finding too', () => {
  const rows = (count: number) =>
    Array.from(
      { length: count },
      (_, i) => `op CI-${i + 1} PENDING 1000 createdAt=+${i}m expiresAt=+${i + 45}m`,
    );
  const [root, follower, ...others] = found(rows(25).join('\n'));
  expect(others).toEqual([]);
  expect(root).toMatchObject({
    kind: 'OPERATION_OVERDUE',
    causedBy: null,
    figures: { gathered: { count: '25' } },
  });
  expect(follower).toMatchObject({
    ...{ kind: 'EXPIRY_WINDOW_WRONG', causedBy: root!.fingerprint, item: null, itemParts: [] },
    figures: { minutes: '45', gathered: { count: '25', last: 'GUI-CI-25' } },
  });
  expect(found(rows(20).join('\n'))).toHaveLength(40);
});

test('a decision holds for what speaks for many; one that was made about less changes nothing of it', () => {
  const late = Array.from(
    { length: 25 },
    (_, i) => `op CI-${i + 1} PENDING 1000 createdAt=+${i}m expiresAt=+${i + 45}m`,
  );
  const { books, profiles, asOf } = readSample([...late, failed(25, { from: 101 })].join('\n'));
  const settings = {
    ...{
      merchant: 'SAMPLE',
      wording: ENGLISH_WORDING,
      currency: 'XOF',
      profiles,
      adjustedAt: null,
      opening: null,
      watermark: asOf,
      grace: 0,
    },
    ...{
      clockTolerance: 0,
      pinned: {},
      keepsAll: false,
      present: { ledger: true, operations: true },
    },
  };
  const { findings } = reconcileInMemory(books, settings);
  expect(findings.map(({ kind, figures }) => [kind, figures.gathered !== undefined])).toEqual([
    ['EXPIRY_WINDOW_WRONG', true],
    ['OPERATION_OVERDUE', true],
    ['EXPIRY_WINDOW_WRONG', true],
  ]);
  const about = (finding: Finding, evidence = groundsOf(finding).evidence): StandingDecision => ({
    ...{
      fingerprint: finding.fingerprint,
      action: 'accept',
      person: 'Awa',
      reason: 'seen',
      over: null,
    },
    ...{ at: formatInstant(asOf), linesStand: true },
    terms: { ...groundsOf(finding), evidence, lines: [], limit: null, until: null },
  });
  for (const finding of findings.filter(({ causedBy }) => causedBy === null)) {
    const under = (decision: StandingDecision) =>
      reconcileInMemory(books, { ...settings, decisions: [decision] }).findings;
    expect(under(about(finding, ['of before']))).toEqual(findings);
    const accepted = under(about(finding)).filter((one) => one.accepted !== null);
    expect(accepted).toMatchObject([
      { fingerprint: finding.fingerprint, figures: finding.figures },
    ]);
  }
});

test('the evidence of one finding has an end, and says what is left out', () => {
  const lines = Array.from(
    { length: 150 },
    (_, i) => `line ${i + 1} CASHIN_CREDIT 1000 ${(i + 1) * 1000}/0 CI-1`,
  );
  const { kind, evidence } = found([...lines, 'op CI-1 SUCCEEDED 1000'].join('\n'))[0]!;
  expect([kind, evidence.length]).toEqual(['CREDIT_DUPLICATED', 100]);
  expect(evidence.at(-1)!.note).toBe('51 more before it are left out');
});

test('an unknown failure code is a finding of its own beside a hold that was not released, and follows from nothing', () => {
  const books = 'line 1 CASHIN_CREDIT 5000 5000/0 CI-1\nline 2 CASHOUT_HOLD 1000 5000/1000 CO-1';
  const report = found(
    `${books}\nop CI-1 SUCCEEDED 5000\nop CO-1 FAILED 1000 failureCode=NO_SUCH_CODE`,
  );
  const of = (kind: string) => report.find((one) => one.kind === kind)?.causedBy;
  expect([of('FAILURE_DETAIL_INCONSISTENT'), of('HOLD_NOT_RELEASED')]).toEqual([null, null]);
});

test('notifications that are all missing are one finding; the one under another name follows from what it names', () => {
  const operations = Array.from(
    { length: 30 },
    (_, i) => `op CI-${i + 1} FAILED ${1000 + i} createdAt=+1m`,
  );
  const events = ['event cashin.failed CI-1 1000', 'event cashin.failed CI-1 1029 id=evt_2'];
  const report = found([...operations, ...events].join('\n'));
  const missing = report.filter(({ kind }) => kind === 'EVENT_MISSING');
  const count = ({ figures }: (typeof missing)[number]) =>
    (figures.gathered as { count: string } | undefined)?.count;
  expect(missing.map((one) => [one.operationReference, one.causedBy === null, count(one)])).toEqual(
    expect.arrayContaining([
      ['GUI-CI-10', true, '28'],
      ['GUI-CI-30', false, undefined],
    ]),
  );
  expect(missing).toHaveLength(2);
});
