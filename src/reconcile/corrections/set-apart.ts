// Sets the reversal lines of an operation apart that put a fault of it right: it is judged as if they were not there, and they
// are said to have settled the fault. Refuses to touch a lawful reversal, whose lines stay with their operation.

import type { CheckContext } from '../../checks/check.ts';
import { factsOf } from '../../replay/operation-facts.ts';
import { postedBalance, requiredBalance } from '../../replay/required.ts';
import type { TalliedLine, Tally } from '../../replay/tally.ts';
import { isKnown, judgeOperation } from '../judge-operation.ts';
import { effectOf } from './correction-lines.ts';

export interface SetApart {
  /** The operation with the lines that it is judged by. */
  readonly tally: Tally;
  /** Reversal lines that put right what is wrong without them, in ledger order; mostly none. */
  readonly apart: readonly TalliedLine[];
}

/** `driftOf`: by how much the recorded balance is off at lines of the operation, besides what they moved. */
export function setApart(tally: Tally, context: CheckContext, driftOf: (reference: string) => bigint): SetApart {
  const whole: SetApart = { tally, apart: [] };
  const reversals = tally.lines.filter(isReversal);
  if (reversals.length === 0 || !isKnown(tally, context)) return whole;
  if (offBy(tally, context) + driftOf(tally.reference) !== 0n) return whole;
  if (tally.operation?.status !== 'REVERSED') return movesMoney(reversals) ? without(tally, reversals) : whole;
  return isFaulty(tally, reversals, context) ? lateReversals(tally, reversals, context) : whole;
}

function isReversal({ entry: { kind } }: TalliedLine): boolean {
  return kind === 'REVERSAL_CREDIT' || kind === 'REVERSAL_DEBIT';
}

/** What its lines moved beyond what is required of it; of one that is not served, all that they moved. */
function offBy({ operation, lines }: Tally, { standing }: CheckContext): bigint {
  const facts = factsOf(lines);
  const required = operation === null ? 0 : requiredBalance(operation, facts, standing);
  return BigInt(postedBalance(facts)) - BigInt(required);
}

function movesMoney(lines: readonly TalliedLine[]): boolean {
  return lines.reduce((sum, { entry }) => sum + effectOf(entry), 0) !== 0;
}

function without(tally: Tally, apart: readonly TalliedLine[]): SetApart {
  return { tally: { ...tally, lines: tally.lines.filter((line) => !apart.includes(line)) }, apart };
}

/** The money is right and the reversal is not: some of its lines are wrong, and others put them right. */
function isFaulty(tally: Tally, reversals: readonly TalliedLine[], context: CheckContext): boolean {
  const places = new Set<number | null>(reversals.map(({ entry }) => entry.sequence));
  return judgeOperation(tally, context).some(
    ({ severity, sequence }) => severity === 'critical' && places.has(sequence),
  );
}

/** What was posted of the reversal later than its first lines, if something is wrong without it. */
function lateReversals(tally: Tally, reversals: readonly TalliedLine[], context: CheckContext): SetApart {
  const late = reversals.slice(firstOnes(reversals));
  const way = without(tally, late);
  return movesMoney(late) && isFaulty(way.tally, reversals, context) ? way : { tally, apart: [] };
}

/** How many lines were posted together with the first: under the next numbers, or at the same instant. */
function firstOnes(lines: readonly TalliedLine[]): number {
  const end = lines.findIndex(({ entry }, i) => {
    const before = lines[i - 1]?.entry;
    return before !== undefined && entry.sequence > before.sequence + 1 && entry.createdAt !== before.createdAt;
  });
  return end < 0 ? lines.length : end;
}
