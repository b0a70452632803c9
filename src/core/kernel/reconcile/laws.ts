// Laws that hold for all books, however wrong: each joins figures that are kept apart from each
// other. A broken law is our own mistake, and stops the session.

import { totalOf } from '../../domain/amount.ts';
import type { Finding } from '../../domain/finding.ts';
import { invariant } from '../../domain/invariant.ts';
import { LINE, TALLY, type TallyTable } from '../replay/tally-table.ts';
import type { Memory } from './memory.ts';

/**
 * Asserts the laws of the lines that were applied: call before anything is recalled, which may bring
 * lines that an earlier pass has taken otherwise. A line behind a cut follows the chain and counts
 * for nothing else, so that nothing is asserted at one.
 */
export function assertLaws(memory: Memory): void {
  if (memory.cutBooks !== null) return;
  assertChain(memory);
  // Where no operations were given, tallies are dropped unjudged, so that their holds cannot be
  // summed.
  if (memory.settings.present.operations) assertHeld(memory);
}

/** The last recorded figure is the opening, what every line moved, and every drift. */
function assertChain({ books: { replay, drifts }, settings }: Memory): void {
  if (replay.last === null) return;
  for (const side of ['balance', 'reserved'] as const) {
    const lines = totalOf(side === 'balance' ? replay.recomputed : replay.held);
    const drifted = drifts.reduce((sum, drift) => sum + BigInt(drift[side]), 0n);
    invariant(
      BigInt(replay.last[side]) === BigInt(settings.opening?.[side] ?? 0) + lines + drifted,
      `the ${side} of the last line is the opening, what all lines moved, and all drifts`,
    );
  }
}

/**
 * The recomputed reserved amount is what the operations at work hold, what lines of no operation
 * moved of it, and nothing else: what was settled holds nothing.
 */
function assertHeld({ books: { replay, strays, adjusted } }: Memory): void {
  const ofNone = strays.reduce((sum, { reserved }) => sum + BigInt(reserved), 0n);
  invariant(
    totalOf(replay.held) === heldIn(replay.tallies) + ofNone + totalOf(adjusted.reserved),
    'the recomputed reserved amount is the sum of the open holds',
  );
}

function heldIn(table: TallyTable): bigint {
  const { figures, lines, count } = table;
  let sum = 0n;
  for (let row = 0; row < count; row += 1) {
    const at = row * TALLY.width;
    let held = 0;
    for (let line = figures[at + TALLY.firstLine]!; line >= 0; ) {
      const there = line * LINE.width;
      held += lines.figures[there + LINE.heldMove]!;
      line = lines.figures[there + LINE.next]!;
    }
    invariant(
      held === figures[at + TALLY.held],
      'an operation holds what its lines moved of its hold',
    );
    sum += BigInt(held);
  }
  return sum;
}

/**
 * Asserts the laws of all findings, before people's decisions apply: no two have one fingerprint,
 * what follows from another follows from a root that is there, and the parts of an item sum to it.
 */
export function assertFindings(findings: readonly Finding[]): void {
  const roots = new Map(findings.map((one) => [one.fingerprint, one.causedBy === null]));
  invariant(roots.size === findings.length, 'no two findings have one fingerprint');
  for (const { causedBy, item, itemParts } of findings) {
    invariant(
      causedBy === null || roots.get(causedBy) === true,
      'what follows from another finding follows from a root that is there',
    );
    if (item === null) continue;
    for (const side of ['balance', 'reserved'] as const)
      invariant(
        BigInt(item[side]) === itemParts.reduce((sum, part) => sum + BigInt(part[side]), 0n),
        'the parts of an item sum to it',
      );
  }
}
