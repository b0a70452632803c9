// A second, naive opinion on planted books: the rules on lines (catalogue, section A) written out
// flatly, with the policy known. Only for telling whether a fault is where it claims to be; it
// seeks no roots and explains nothing.

import type { Books } from '../../../src/sandbox/model/plan.ts';
import type { ServedEntry } from '../../../src/sandbox/model/served.ts';

export interface Seen {
  readonly kind: string;
  readonly sequence: number | null;
  readonly operationReference: string | null;
}

const DIRECTIONS: Readonly<Record<string, string>> = {
  CASHIN_CREDIT: 'CREDIT',
  REVERSAL_CREDIT: 'CREDIT',
  ADJUSTMENT_CREDIT: 'CREDIT',
  CASHIN_FEE: 'DEBIT',
  CASHOUT_DEBIT: 'DEBIT',
  CASHOUT_FEE: 'DEBIT',
  REVERSAL_DEBIT: 'DEBIT',
  ADJUSTMENT_DEBIT: 'DEBIT',
  CASHOUT_HOLD: 'HOLD',
  CASHOUT_RELEASE: 'RELEASE',
};

export function lookAtLines(books: Books): Seen[] {
  const seen: Seen[] = [];
  const ids = new Set<string>();
  const open = new Map<string, number>();
  const createdAt = new Map(
    books.operations.map((operation) => [operation.reference, operation.createdAt]),
  );
  const needs = new Map(
    books.operations.map(({ reference, amount, fees }) => [reference, amount + fees]),
  );
  let before: ServedEntry | null = null;
  books.entries.forEach((line, index) => {
    const say = (kind: string) =>
      seen.push({ kind, sequence: line.sequence, operationReference: line.operationReference });
    const jumped = before !== null && line.sequence > before.sequence + 1;
    const doubled = before !== null && line.sequence === before.sequence;
    if (doubled) {
      const concernsOne = line.operationReference === before!.operationReference;
      const operationReference = concernsOne ? line.operationReference : null;
      seen.push({ kind: 'SEQUENCE_DUPLICATE', sequence: line.sequence, operationReference });
    }
    if (ids.has(line.id)) say('ENTRY_ID_REUSED');
    ids.add(line.id);
    const isCopy =
      doubled && line.balanceAfter === before!.balanceAfter && line.amount === before!.amount;
    const drifts = isCopy ? [] : driftsOf(books, { line, before, open });
    if (jumped) {
      const kind = drifts.length > 0 ? 'LINES_MISSING' : 'SEQUENCE_GAP';
      seen.push({ kind, sequence: line.sequence, operationReference: null });
    } else if (drifts.includes('OPENING_BALANCE_UNEXPLAINED')) {
      seen.push({
        kind: 'OPENING_BALANCE_UNEXPLAINED',
        sequence: line.sequence,
        operationReference: null,
      });
    } else drifts.forEach(say);
    lookAtFields(books, line).forEach(say);
    const created = createdAt.get(line.operationReference ?? '');
    if (created !== undefined && Date.parse(line.createdAt) < Date.parse(created) - 5_000)
      say('ENTRY_BEFORE_OPERATION');
    const available = (before?.balanceAfter ?? 0) - (before?.reservedAfter ?? 0);
    const needed = Math.max(line.amount, needs.get(line.operationReference ?? '') ?? 0);
    if (line.kind === 'CASHOUT_HOLD' && needed > available) say('HOLD_EXCEEDS_AVAILABLE');
    lookBelowZero(books, { line, before, index }).forEach(say);
    before = line;
  });
  return seen;
}

interface Step {
  readonly line: ServedEntry;
  readonly before: ServedEntry | null;
  readonly open: Map<string, number>;
}

/** Balance and reserved against the line before; a line that can't be read says so instead. */
function driftsOf({ policy }: Books, { line, before, open }: Step): string[] {
  const sign = { CREDIT: 1, DEBIT: -1, HOLD: 0, RELEASE: 0 }[line.direction];
  const change = line.balanceAfter - (before?.balanceAfter ?? 0);
  const held = line.reservedAfter - (before?.reservedAfter ?? 0);
  const reference = line.operationReference ?? '';
  const hold = open.get(reference) ?? 0;
  const consumed = {
    DEBIT_AND_FEE: line.kind === 'CASHOUT_DEBIT' || line.kind === 'CASHOUT_FEE' ? line.amount : 0,
    DEBIT_ALL: line.kind === 'CASHOUT_DEBIT' ? hold : 0,
    FEE_OUTSIDE: line.kind === 'CASHOUT_DEBIT' ? line.amount : 0,
    RELEASE_FIRST: 0,
    RELEASE_LAST: 0,
  }[policy.holdSettlement];
  const wanted =
    { HOLD: line.amount, RELEASE: -line.amount }[line.direction] ?? -Math.min(consumed, hold);
  if (line.operationReference !== null) open.set(reference, hold + held);
  if (sign === undefined || !(line.kind in DIRECTIONS)) return [];
  if (line.amount <= 0 || DIRECTIONS[line.kind] !== line.direction) return [];
  return [
    ...(change === sign * line.amount
      ? []
      : [before === null ? 'OPENING_BALANCE_UNEXPLAINED' : 'BALANCE_DRIFT']),
    ...(held === wanted || before === null ? [] : ['RESERVED_DRIFT']),
  ];
}

function lookAtFields(books: Books, line: ServedEntry): string[] {
  const at = Date.parse(line.createdAt);
  const type = /HOLD|RELEASE|CASHOUT/.test(line.kind)
    ? 'CO'
    : line.kind.startsWith('CASHIN')
      ? 'CI'
      : null;
  const isAdjustment = line.kind.startsWith('ADJUSTMENT');
  return Object.entries({
    AMOUNT_NOT_POSITIVE: line.amount <= 0,
    KIND_DIRECTION_MISMATCH:
      line.kind in DIRECTIONS &&
      line.direction !== 'BLOCK' &&
      DIRECTIONS[line.kind] !== line.direction,
    UNKNOWN_KIND: !(line.kind in DIRECTIONS) || !Object.values(DIRECTIONS).includes(line.direction),
    CURRENCY_MISMATCH: line.currency !== books.wallet.currency,
    ENTRY_TIME_IMPOSSIBLE: at > books.asOf || at < Date.parse(books.merchant.createdAt),
    REFERENCE_MISSING: line.operationReference === null && line.kind in DIRECTIONS && !isAdjustment,
    ADJUSTMENT_UNEXPLAINED: isAdjustment && line.description === null,
    HOLD_ON_CASHIN:
      type === 'CO' &&
      /HOLD|RELEASE/.test(line.kind) &&
      line.operationReference?.startsWith('GUI-CI-') === true,
    REFERENCE_TYPE_MISMATCH:
      type !== null &&
      line.operationReference !== null &&
      !line.operationReference.startsWith(`GUI-${type}-`),
  }).flatMap(([kind, holds]) => (holds ? [kind] : []));
}

/** The first line below zero, and available when the lines of one operation end. */
function lookBelowZero(
  books: Books,
  {
    line,
    before,
    index,
  }: { readonly line: ServedEntry; readonly before: ServedEntry | null; readonly index: number },
): string[] {
  const ends = books.entries[index + 1]?.operationReference !== line.operationReference;
  return [
    ...(line.reservedAfter < 0 && (before?.reservedAfter ?? 0) >= 0 ? ['RESERVED_NEGATIVE'] : []),
    ...(line.balanceAfter < 0 && (before?.balanceAfter ?? 0) >= 0 ? ['BALANCE_NEGATIVE'] : []),
    ...(ends && line.balanceAfter < line.reservedAfter ? ['AVAILABLE_NEGATIVE'] : []),
  ];
}
