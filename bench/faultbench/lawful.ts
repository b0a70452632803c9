// What makes a ledger lawful, in a form of its own that shares nothing with the engine: every rule
// of the documents, under one reading of what they leave open. The benchmark proves by it that
// clean ledgers and oddities are lawful under some reading, that damaged ones are under none, and
// that no other reading explains the damage better.

import type { Books } from '../../src/sandbox/model/plan.ts';
import {
  CASHIN_CREDITS,
  HOLD_RULES,
  type Policy,
  REVERSALS,
} from '../../src/sandbox/model/policy.ts';
import { holdOf, type Post, postsFor } from '../../src/sandbox/model/postings.ts';
import type { ServedEntry, ServedOperation } from '../../src/sandbox/model/served.ts';
import { offencesOfFields } from './lawful-fields.ts';

/** The answers to what the documents leave open on which the lines of an operation depend. */
type Reading = Pick<Policy, 'holdSettlement' | 'holdAmount' | 'cashinCredit' | 'reversal'>;

const READINGS: readonly Reading[] = HOLD_RULES.flatMap((rule) =>
  CASHIN_CREDITS.flatMap((cashinCredit) =>
    REVERSALS.map((reversal) => ({ ...rule, cashinCredit, reversal })),
  ),
);

/**
 * `lawful`: some reading explains every row. `determinable`: no reading does, and the reading that
 * the books were kept under explains most; another reading explains as much only if it leaves the
 * same rows unexplained. `ambiguous`: all other books.
 */
export type Sense = 'lawful' | 'determinable' | 'ambiguous';

export interface Sensed {
  readonly sense: Sense;
  /** The offences under the reading that the books were kept under. */
  readonly offences: readonly string[];
  /**
   * Of determinable books, the readings that leave the same rows unexplained. What is due under
   * them may differ.
   */
  readonly tied: readonly Policy[];
}

/**
 * Returns whether the books can be told. `books.policy` must say how they were kept before anything
 * was done to them.
 */
export function senseOf(books: Books): Sensed {
  const ledger = arrange(books);
  const fields = offencesOfFields(books, ledger.lines);
  const own = offencesUnder(books.policy, ledger, Number.POSITIVE_INFINITY);
  const offences = [...fields, ...own];
  const tied: Policy[] = [];
  if (offences.length === 0) return { sense: 'lawful', offences, tied };
  for (const reading of READINGS) {
    const others = offencesUnder(reading, ledger, own.length);
    if (others.length > own.length) continue;
    if (others.length + fields.length === 0) return { sense: 'lawful', offences, tied: [] };
    if (others.length < own.length || !own.every((one) => others.includes(one))) {
      return { sense: 'ambiguous', offences, tied: [] };
    }
    tied.push({ ...books.policy, ...reading });
  }
  return { sense: 'determinable', offences, tied };
}

interface Arranged {
  /** The lines by sequence. A line that was served twice is here once. */
  readonly lines: readonly ServedEntry[];
  readonly operations: ReadonlyMap<string, ServedOperation>;
  readonly byOperation: ReadonlyMap<string, readonly ServedEntry[]>;
}

function arrange({ entries, operations }: Books): Arranged {
  const lines = entries
    .toSorted((a, b) => a.sequence - b.sequence)
    .filter((line, i, all) => i === 0 || JSON.stringify(line) !== JSON.stringify(all[i - 1]));
  return {
    lines,
    operations: new Map(operations.map((operation) => [operation.reference, operation])),
    byOperation: Map.groupBy(lines, (line) => line.operationReference ?? ''),
  };
}

/** Returns the offences under a reading. Stops once there are more than `most`. */
function offencesUnder(reading: Reading, ledger: Arranged, most: number): readonly string[] {
  const offences: string[] = [];
  for (const operation of ledger.operations.values()) {
    const lines = ledger.byOperation.get(operation.reference) ?? [];
    const wrong = wrongInLines(operation, lines, reading as Policy);
    if (wrong !== null) offences.push(`${wrong} ${operation.reference}`);
    if (offences.length > most) return offences;
  }
  let [reserved, balance] = [0, 0];
  for (const line of ledger.lines) {
    const operation = ledger.operations.get(line.operationReference ?? '') ?? null;
    if (line.reservedAfter !== reserved + heldBy(line, operation, reading as Policy))
      offences.push(`reserved ${line.id}`);
    if (line.kind === 'CASHOUT_HOLD' && operation !== null) {
      const needed = line.amount + (reading.holdAmount === 'AMOUNT' ? operation.fees : 0);
      if (needed > balance - reserved) offences.push(`hold beyond available ${line.id}`);
    }
    [reserved, balance] = [line.reservedAfter, line.balanceAfter];
    if (offences.length > most) return offences;
  }
  return offences;
}

/** Returns by how much the line moves the reserved amount. */
function heldBy(
  { kind, amount }: ServedEntry,
  operation: ServedOperation | null,
  reading: Policy,
): number {
  switch (kind) {
    case 'CASHOUT_HOLD':
      return amount;
    case 'CASHOUT_RELEASE':
      return -amount;
    case 'CASHOUT_DEBIT':
      if (reading.holdSettlement.startsWith('RELEASE')) return 0;
      return reading.holdSettlement === 'DEBIT_ALL' && operation !== null
        ? -holdOf(operation, reading)
        : -amount;
    case 'CASHOUT_FEE':
      return reading.holdSettlement === 'DEBIT_AND_FEE' ? -amount : 0;
    default:
      return 0;
  }
}

/**
 * Returns what is wrong with the lines of an operation; `null`: they are what the state of the
 * operation asks for, in the order that the reading asks for.
 */
function wrongInLines(
  operation: ServedOperation,
  lines: readonly ServedEntry[],
  reading: Policy,
): string | null {
  const { status, type } = operation;
  const money = {
    ...operation,
    netAmount: operation.amount + (type === 'CASHIN' ? -1 : 1) * operation.fees,
  };
  const posts = (phase: 'REQUEST' | 'SUCCESS' | 'LAPSE' | 'REVERSAL') =>
    postsFor(phase, money, reading);
  const request = posts('REQUEST');
  const isOpen = ['CREATED', 'PENDING', 'AWAITING_PAYER'].includes(status);
  if (lines.length === 0 && (status === 'CREATED' || status === 'CANCELLED')) return null;
  if (isOpen) return isPartlyHeld(lines, request) ? null : 'open';
  const settled = status === 'SUCCEEDED' || status === 'REVERSED';
  const due = [
    ...request,
    ...posts(settled ? 'SUCCESS' : 'LAPSE'),
    ...(status === 'REVERSED' ? posts('REVERSAL') : []),
  ];
  const kinds = new Set([...due, ...lines].map(({ kind }) => kind as string));
  for (const kind of kinds) {
    const more = sumOf(lines, kind) - sumOf(due, kind);
    if (more !== 0) return `${kind} too ${more > 0 ? 'high' : 'low'}`;
  }
  if (lines.filter(({ kind }) => kind === 'CASHOUT_HOLD').length > request.length) return 'holds';
  return isInOrder(lines, reading) ? null : 'order';
}

/** Whether the lines are the hold, and perhaps releases of a part of it. */
function isPartlyHeld(lines: readonly ServedEntry[], [held]: readonly Post[]): boolean {
  if (held === undefined) return lines.length === 0;
  const holds = lines.filter(({ kind }) => kind === 'CASHOUT_HOLD');
  const released = sumOf(lines, 'CASHOUT_RELEASE');
  const isOther = lines.some(({ kind }) => kind !== 'CASHOUT_HOLD' && kind !== 'CASHOUT_RELEASE');
  return (
    holds.length === 1 && holds[0]!.amount === held.amount && released <= held.amount && !isOther
  );
}

function sumOf(
  lines: readonly { readonly kind: string; readonly amount: number }[],
  kind: string,
): number {
  return lines.reduce((sum, line) => (line.kind === kind ? sum + line.amount : sum), 0);
}

function isInOrder(lines: readonly ServedEntry[], { holdSettlement }: Policy): boolean {
  const kinds = lines.map(({ kind }) => kind);
  const at = (kind: string) => kinds.indexOf(kind as never);
  const [held, released, debited] = [
    at('CASHOUT_HOLD'),
    at('CASHOUT_RELEASE'),
    at('CASHOUT_DEBIT'),
  ];
  if (held > 0) return false;
  if (released >= 0 && debited >= 0 && released < debited !== (holdSettlement === 'RELEASE_FIRST'))
    return false;
  const undoing = kinds.findIndex((kind) => kind.startsWith('REVERSAL'));
  return undoing < 0 || kinds.slice(undoing).every((kind) => kind.startsWith('REVERSAL'));
}
