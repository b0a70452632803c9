// Operations that ended before a bound of the month and have their lines after it, within the
// lawful delay: at the bound the recorded figures lack them, and nothing is wrong. A line that came
// later than that put a fault right, which is a finding's.

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
  /** Says which lines were on their way; null: a line's own dates and its operation's do. */
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
 * Takes every line of an operation that is known, by sequence; without a cut, none that a finding
 * keeps back.
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
 * What came into the month from the one before, and what it leaves to the next, in the order of the
 * lines.
 */
export function transitItems([opening, closing]: readonly [
  TransitFinder,
  TransitFinder,
]): readonly TransitItem[] {
  return [...itemsOf(opening, 'settled'), ...itemsOf(closing, 'transit')];
}

/** At the cut-off: the last line, and what lines before it moved that are dated later. */
interface Ahead {
  readonly headSequence: number | null;
  readonly balance: { readonly crossing: Amount };
  readonly reserved: { readonly crossing: Amount };
}

/**
 * The other way round: lines before the month's last one by sequence that are dated after it, and
 * in its recorded figures.
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

/** What the lines to come move: the figures due have it, the recorded ones do not. */
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
