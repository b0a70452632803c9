// The fold, in the simplest way: line after line, what the recorded figures were, what the line may
// do to them, and what they are. After a difference the recorded figures are the new base.

import type { LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import type { Interpretations, NaiveBooks } from './naive-books.ts';

/** The fixed table of kinds (direct API, "LedgerEntry"). */
const DIRECTIONS: Readonly<Record<string, string>> = {
  CASHIN_CREDIT: 'CREDIT',
  CASHIN_FEE: 'DEBIT',
  CASHOUT_HOLD: 'HOLD',
  CASHOUT_DEBIT: 'DEBIT',
  CASHOUT_FEE: 'DEBIT',
  CASHOUT_RELEASE: 'RELEASE',
  REVERSAL_CREDIT: 'CREDIT',
  REVERSAL_DEBIT: 'DEBIT',
  ADJUSTMENT_CREDIT: 'CREDIT',
  ADJUSTMENT_DEBIT: 'DEBIT',
};

export interface Step {
  readonly line: LedgerEntry;
  /** Recorded figures before the line; 0 before the first. */
  readonly balanceBefore: number;
  readonly reservedBefore: number;
  readonly isFirst: boolean;
  /** Numbers that the sequence leaves out before the line. */
  readonly skipped: number;
  /** What the line does to the balance, signed. */
  readonly effect: number;
  /** What the line does to the hold of its operation, signed. */
  readonly move: number;
  /** Recorded figure less the one that follows: 0 on sound books. */
  readonly balanceOff: number;
  readonly reservedOff: number;
  /** What was held for operations that had been debited already: about to be released. */
  readonly settling: number;
  readonly settlingAfter: number;
  /** Other contents under the same sequence. */
  readonly others: readonly LedgerEntry[];
}

export interface Replayed {
  readonly steps: readonly Step[];
  /** The steps of each operation, in order. */
  readonly byOperation: ReadonlyMap<string, readonly Step[]>;
  /** What is still held for each operation that has lines. */
  readonly held: ReadonlyMap<string, number>;
}

export function naiveReplay(books: NaiveBooks, standing: Interpretations): Replayed {
  const chain = chainOf(books.lines);
  const steps: Step[] = [];
  const byOperation = new Map<string, Step[]>();
  const held = new Map<string, number>();
  let before: LedgerEntry | null = null;
  let settling = 0;
  for (const { line, others } of chain) {
    const reference = line.operationReference;
    const own = reference === null ? [] : (byOperation.get(reference) ?? []);
    const heldBefore = reference === null ? 0 : (held.get(reference) ?? 0);
    const from = { balance: before?.balanceAfter ?? 0, reserved: before?.reservedAfter ?? 0 };
    const direction = directionTaken(line, from);
    const skipped = before === null ? 0 : Math.max(0, line.sequence - before.sequence - 1);
    const observed = line.reservedAfter - from.reserved;
    const isKnown =
      DIRECTIONS[line.kind] !== undefined && Object.values(DIRECTIONS).includes(line.direction);
    const effect = isKnown ? signed(direction, line.amount) : line.balanceAfter - from.balance;
    const mayMove = allowedMoves(line, direction, {
      own,
      held: Math.max(0, heldBefore),
      skipped,
      observed,
      standing,
    });
    const move =
      !isKnown || (before !== null && mayMove.includes(observed)) ? observed : mayMove[0]!;
    const wasSettling = toBeReleased(own);
    const isSettling = reference === null ? 0 : toBeReleased([...own, { line, move }]);
    const settlingAfter = settling + isSettling - wasSettling;
    const step: Step = {
      line,
      balanceBefore: from.balance,
      reservedBefore: from.reserved,
      isFirst: before === null,
      skipped,
      effect,
      move,
      balanceOff: line.balanceAfter - from.balance - effect,
      reservedOff: line.reservedAfter - from.reserved - move,
      settling,
      settlingAfter,
      others,
    };
    if (reference !== null) {
      byOperation.set(reference, [...own, step]);
      held.set(reference, heldBefore + move);
    }
    steps.push(step);
    before = line;
    settling = settlingAfter;
  }
  return { steps, byOperation, held };
}

/**
 * What is still held for an operation that was debited since it last held nothing: it is about to
 * be released. Of one that has a fee and no debit, it is what the fee took beyond what it consumed.
 */
function toBeReleased(own: readonly Pick<Step, 'line' | 'move'>[]): number {
  let held = 0;
  let fees = 0;
  let isDebited = false;
  for (const { line, move } of own) {
    held += move;
    if (line.kind === 'CASHOUT_FEE') fees += line.amount + move;
    fees = Math.max(0, Math.min(held, fees));
    isDebited = held > 0 && (isDebited || line.kind === 'CASHOUT_DEBIT' || fees === held);
  }
  return isDebited ? held : fees;
}

/**
 * The direction whose effect the figures show: the kind's own where it fits, else the recorded one
 * where that fits.
 */
function directionTaken(
  line: LedgerEntry,
  from: { readonly balance: number; readonly reserved: number },
): string {
  const own = DIRECTIONS[line.kind];
  if (own === undefined || own === line.direction) return line.direction;
  for (const direction of [own, line.direction]) {
    const isRisen = line.reservedAfter > from.reserved;
    const isFallen = line.reservedAfter < from.reserved;
    if (from.balance + signed(direction, line.amount) !== line.balanceAfter) continue;
    if (direction === 'HOLD' && !isRisen) continue;
    if (direction === 'RELEASE' && !isFallen) continue;
    return direction;
  }
  return own;
}

function signed(direction: string, amount: number): number {
  if (direction === 'CREDIT') return amount;
  if (direction === 'DEBIT') return -amount;
  return 0;
}

interface Holding {
  readonly own: readonly Step[];
  /** What is held for the operation before the line; not below 0. */
  readonly held: number;
  readonly skipped: number;
  /** What the recorded figures show. */
  readonly observed: number;
  readonly standing: Interpretations;
}

/**
 * What the line may do to the reserved amount; the first is taken where the recorded figures show
 * none of them.
 */
function allowedMoves(line: LedgerEntry, direction: string, holding: Holding): readonly number[] {
  if (direction === 'HOLD') return [line.amount];
  if (direction === 'RELEASE') return [-line.amount];
  if (direction === 'CREDIT') return [0];
  if (line.kind !== 'CASHOUT_DEBIT' && line.kind !== 'CASHOUT_FEE') return [0];
  const allowed: number[] = [];
  for (const interpretation of holding.standing.holdSettlement) {
    if (line.kind === 'CASHOUT_DEBIT') allowed.push(...debitMoves(line, interpretation, holding));
    else if (interpretation === 'DEBIT_AND_FEE')
      allowed.push(-Math.min(line.amount, holding.held), -line.amount);
    else allowed.push(0);
  }
  return allowed;
}

function debitMoves(
  line: LedgerEntry,
  interpretation: string,
  { own, held, skipped, observed }: Holding,
): readonly number[] {
  const hold = own.find((step) => step.line.kind === 'CASHOUT_HOLD')?.line;
  // Where lines are missing before it, its hold may be among them.
  const there = hold === undefined && held === 0 && skipped > 0 ? line.amount : held;
  if (interpretation === 'DEBIT_AND_FEE' || interpretation === 'FEE_OUTSIDE')
    return [-Math.min(line.amount, there), -line.amount];
  // It takes the whole hold, whatever that was where it is not known.
  if (interpretation === 'DEBIT_ALL')
    return [-there, hold === undefined ? Math.min(0, observed) : -hold.amount];
  return [0];
}

/**
 * The lines that belong to the chain. Of several contents under one sequence these are the ones, in
 * the order, that leave the fewest breaks; a line delivered twice is one line.
 */
function chainOf(
  lines: readonly LedgerEntry[],
): readonly { readonly line: LedgerEntry; readonly others: readonly LedgerEntry[] }[] {
  const sorted = lines.toSorted((a, b) => a.sequence - b.sequence);
  const chain: { line: LedgerEntry; others: readonly LedgerEntry[] }[] = [];
  for (let i = 0; i < sorted.length; ) {
    const sequence = sorted[i]!.sequence;
    const same: LedgerEntry[] = [];
    for (; i < sorted.length && sorted[i]!.sequence === sequence; i += 1) {
      const text = JSON.stringify(sorted[i]);
      if (!same.some((line) => JSON.stringify(line) === text)) same.push(sorted[i]!);
    }
    const orders = [
      ...same.flatMap((a) => same.filter((b) => b !== a).map((b) => [a, b])),
      ...same.map((line) => [line]),
    ];
    const breaks = orders.map((order) => breaksIn([chain.at(-1)?.line, ...order, sorted[i]]));
    const chosen = orders[breaks.indexOf(Math.min(...breaks))]!;
    chosen.forEach((line, k) => {
      chain.push({ line, others: k === 0 ? same.filter((other) => other !== line) : [] });
    });
  }
  return chain;
}

/** How often a line does not follow from the one before it. The first line of all starts from 0. */
function breaksIn(lines: readonly (LedgerEntry | undefined)[]): number {
  let breaks = 0;
  for (let i = 1; i < lines.length; i += 1) {
    const line = lines[i];
    if (line === undefined) continue;
    const from = lines[i - 1] ?? { balanceAfter: 0, reservedAfter: 0 };
    const move = line.reservedAfter - from.reservedAfter;
    const isMoved =
      line.direction === 'HOLD'
        ? move === line.amount
        : line.direction === 'RELEASE'
          ? move === -line.amount
          : line.direction === 'CREDIT'
            ? move === 0
            : move <= 0;
    if (from.balanceAfter + signed(line.direction, line.amount) !== line.balanceAfter || !isMoved)
      breaks += 1;
  }
  return breaks;
}
