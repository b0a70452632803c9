// What a root is worth where no figure is off, and since when. Both come from what its kind
// declares, by the line or the operation itself.

import { expect, test } from 'vitest';
import type { Finding } from '../../../src/core/domain/finding.ts';
import type { FindingKind } from '../../../src/core/domain/finding-kind.ts';
import { KINDS } from '../../../src/core/kernel/checks/port/kinds.ts';
import { reconcileSample } from '../../../src/core/samples/read-sample.ts';
import { SAMPLES } from '../../../src/core/words/tree.ts';

const rootsOf = (text: string): readonly Finding[] =>
  reconcileSample(text).findings.filter(({ causedBy }) => causedBy === null);
const firedBy = (kind: FindingKind): string => SAMPLES[kind].fires.join('\n');
const rootOf = (kind: FindingKind): Finding =>
  rootsOf(firedBy(kind)).find((one) => one.kind === kind)!;
const isOff = ({ item }: Finding): boolean =>
  item !== null && (item.balance !== '0' || item.reserved !== '0');

test.each([
  // The balance moves by 200 more than its lines do: the missing lines are in the service's books.
  ['LINES_MISSING', '200'],
  ['EXTERNAL_REFERENCE_DUPLICATED', '500'],
  ['OPERATION_OVERDUE', '1000'],
  ['ORDER_PAID_TWICE', '1000'],
  ['OPERATION_VANISHED', '1000'],
  ['ADJUSTMENT_UNEXPLAINED', '1000'],
  ['EVENT_MISSING', '500'],
] as const)('%s is about %s', (kind, amount) => {
  const root = rootOf(kind);
  expect([root.item, root.concerned]).toEqual([{ balance: '0', reserved: '0' }, amount]);
});

const NO_AMOUNT = [
  'SEQUENCE_GAP',
  'AMOUNT_NOT_POSITIVE',
  'CURRENCY_MISMATCH',
  'ENTRY_TIME_IMPOSSIBLE',
  'PRICING_CHANGED',
  'HISTORY_NO_LONGER_SERVED',
  'MIRROR_TAMPERED',
  'CLOSED_PERIOD_CHANGED',
  'REPORT_SUMMARY_MISMATCH',
  'PAYMENT_EVENT_UNKNOWN',
  'PAYOUT_LIMITS_INCONSISTENT',
  'PAYOUT_CEILING_UNEXPECTED',
  'PAYOUT_UNRECORDED',
  'PAYOUT_COUNTERS_MISMATCH',
  'SETTLEMENT_MISSED',
  'PAYMENT_COUNT_MISMATCH',
  'INPUT_REJECTED',
];

test('each kind that puts no figure off is about an amount, but those of counts, texts and dates', () => {
  const kinds = Object.keys(KINDS) as FindingKind[];
  const nothing = kinds.filter((kind) => {
    const root = rootsOf(firedBy(kind)).find((one) => one.kind === kind);
    return root !== undefined && !isOff(root) && root.concerned === null;
  });
  expect(nothing).toEqual(NO_AMOUNT);
});

test('a root that puts a figure off is about nothing besides, and neither is what follows from it', () => {
  for (const { fires } of Object.values(SAMPLES)) {
    for (const finding of reconcileSample(fires.join('\n')).findings) {
      if (isOff(finding) || finding.causedBy !== null) expect(finding.concerned).toBeNull();
      else expect(finding.concerned ?? '1').toMatch(/^[1-9]\d*$/);
    }
  }
});

test('a line has its own date, an operation its creation, a date that is to come none', () => {
  const { itemAt, sequence } = rootOf('BALANCE_DRIFT');
  expect([itemAt, sequence]).toEqual(['2026-10-01T00:02:00.000Z', '2']);
  expect(rootOf('OPERATION_OVERDUE').itemAt).toBe('2026-10-01T00:01:00.000Z');
  expect(rootOf('WALLET_BALANCE_MISMATCH').itemAt).toBeNull();
});

test('the amounts of an operation in another currency are in that currency', () => {
  const [root] = rootsOf(`line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    op CI-1 SUCCEEDED 1000 currency=GHS
    wallet 1000/0`);
  expect([root!.kind, root!.concerned, root!.currency]).toEqual([
    'COUNTRY_CURRENCY_MISMATCH',
    '1000',
    'GHS',
  ]);
});
