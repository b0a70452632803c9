// Finds operations that ended before a bound of the month and have their lines after it, within the
// lawful delay. The recorded figures at the bound lack these lines, and nothing is wrong. A line
// that came later than that put a fault right, and belongs to a finding.

import type { Amount } from '../../domain/amount.ts';
import { formatInstant, type Instant } from '../../domain/instant.ts';
import { askedAt, LAWFUL_DELAY, type Operation } from '../../domain/operation.ts';
import { valueIn } from '../../domain/value-in.ts';
import type { Cut } from '../../kernel/replay/cut.ts';
import { plus, type Sides, sumSides } from '../exact.ts';
import type { VisitedLine } from '../line-replay.ts';
import type { TransitItem } from '../section-reconciliation.ts';

export interface TransitFinder {
  readonly bound: Instant;
  /**
   * Decides which lines were on their way. `null` when the dates of a line and of its operation
   * decide.
   */
  readonly cut: Cut | null;
  readonly byOperation: Map<string, Transit>;
}

interface Transit {
  readonly endedAt: Instant;
  readonly lines: Pick<VisitedLine, 'entry' | 'effect'>[];
  balance: Amount;
  reserved: Amount;
}

export function beginTransits(bound: Instant, cut: Cut | null = null): TransitFinder {
  return { bound, cut, byOperation: new Map() };
}

/**
 * Must be called by sequence with every line whose operation is known. Without a cut, lines that a
 * finding keeps back must be left out.
 */
export function findTransit(
  { bound, cut, byOperation }: TransitFinder,
  { entry, effect, move }: VisitedLine,
  operation: Pick<Operation, 'reference' | 'status' | 'completedAt' | 'updatedAt'>,
): void {
  const { createdAt: at, kind } = entry;
  if (at < bound || (cut === null && at > bound + LAWFUL_DELAY)) return;
  const endedAt = askedAt(operation, kind) ?? bound;
  if (cut === null ? endedAt >= bound || at - endedAt > LAWFUL_DELAY : !cut.isOnItsWay(entry))
    return;
  const known = valueIn(byOperation, operation.reference, () => ({
    endedAt,
    lines: [],
    balance: 0,
    reserved: 0,
  }));
  known.lines.push({ entry, effect });
  known.balance = plus(known.balance, effect);
  known.reserved = plus(known.reserved, move);
}

/**
 * Returns items for the operations that came into the month from the month before, and for those
 * that it leaves to the next, in the order of their lines.
 */
export function transitItems([opening, closing]: readonly [
  TransitFinder,
  TransitFinder,
]): readonly TransitItem[] {
  return [...itemsOf(opening, 'settled'), ...itemsOf(closing, 'transit')];
}

/**
 * What is known at the cut-off: the sequence of the last line dated before it, and what the lines
 * before that one moved that are dated later.
 */
interface Ahead {
  readonly headSequence: number | null;
  readonly balance: { readonly crossing: Amount };
  readonly reserved: { readonly crossing: Amount };
}

/**
 * Returns an item for the opposite case: lines that are dated after the month and are in its
 * recorded figures, because they come before its last line by sequence.
 */
export function aheadItems(cutOff: Ahead): readonly TransitItem[] {
  const { balance, reserved } = aheadSum(cutOff);
  if (balance === 0 && reserved === 0) return [];
  return [
    {
      fingerprint: null,
      kind: null,
      sequence: cutOff.headSequence,
      operationReference: null,
      at: null,
      isCarried: false,
      balance,
      reserved,
      parts: [],
      state: 'transit',
      settledBy: null,
      proposal: [],
      message: `Lines before line ${cutOff.headSequence} are dated after the cut-off.`,
      figures: {},
    },
  ];
}

export function aheadSum({ balance, reserved }: Ahead): Sides {
  return { balance: balance.crossing, reserved: reserved.crossing };
}

/** Returns what the lines to come move. The figures due include it, the recorded ones do not. */
export function transitSum({ byOperation }: TransitFinder): Sides {
  return sumSides([...byOperation.values()]);
}

function itemsOf(
  { byOperation }: TransitFinder,
  state: 'settled' | 'transit',
): readonly TransitItem[] {
  return [...byOperation]
    .filter(([, { balance, reserved }]) => balance !== 0 || reserved !== 0)
    .map(([operationReference, { endedAt, lines, balance, reserved }]) => ({
      fingerprint: null,
      kind: null,
      sequence: null,
      operationReference,
      at: endedAt,
      isCarried: state === 'settled',
      balance: plus(0, -balance),
      reserved: plus(0, -reserved),
      parts: [],
      state,
      settledBy: {
        by: 'correction',
        lines: lines.map(({ entry }) => String(entry.sequence)),
        at: formatInstant(Math.max(...lines.map(({ entry }) => entry.createdAt))),
        person: null,
        reason: null,
      },
      proposal: [],
      message: `Operation ${operationReference} ended before the cut-off and was posted after it.`,
      figures: {},
    }));
}
