// A jump or a drift explains the operations whose missing lines would fill it exactly; a jump across which the figures
// continue is evidence of an operation that lacks a line there, and no news of its own.

import { DAY, MINUTE } from '../../domain/instant.ts';
import type { Drift } from '../../replay/drift.ts';
import type { FollowRule } from './causes.ts';
import type { Links } from './links.ts';
import { findingOf, type Material } from './material.ts';
import type { Shortfall } from './shortfall.ts';

const NEAR = 10 * MINUTE;
/** Threes of more operations than this are not tried. */
const FEW = 12;

export function linkByMoney(links: Links, material: Material): void {
  for (const drift of material.firstDrifts) {
    const self = material.places.driftAt.get(drift.sequence);
    if (self === undefined) continue;
    const near = material.short.filter((one) => liesAt(drift, one));
    for (const one of filling(drift, near)) links.join(self, findingOf(material, one));
  }
}

export const followShort: FollowRule = (material) => {
  const jumps = new Map(material.harmlessJumps.map((jump) => [jump.sequence, jump]));
  const lacking = material.short.filter(({ needs }) => needs.length > 0);
  return (self) => {
    const { kind, sequence } = material.drafts[self]!;
    const jump = kind === 'SEQUENCE_GAP' ? jumps.get(sequence!) : undefined;
    const cause = jump === undefined ? undefined : lacking.find((one) => liesAt(jump, one));
    return cause === undefined ? null : findingOf(material, cause);
  };
};

/** Some instant of the operation lies between the lines around the drift, or one of its lines is next to it. */
function liesAt(drift: Drift, { instants, posted }: Shortfall): boolean {
  if (posted.some((line) => line.sequence === drift.after || line.sequence === drift.sequence)) return true;
  const jumped = drift.after === null || drift.sequence > drift.after + 1;
  const from = drift.from === null ? Number.NEGATIVE_INFINITY : drift.from - (jumped ? NEAR : DAY);
  return instants.some((at) => at >= from && at <= drift.to + NEAR);
}

/** The operations that together lack exactly what the drift shows: all, else one, else two or three of them. */
function filling(drift: Drift, near: readonly Shortfall[]): readonly Shortfall[] {
  const [balance, reserved] = [BigInt(drift.balance), BigInt(drift.reserved)];
  const fits = (some: readonly Shortfall[]): boolean =>
    some.length > 0 &&
    BigInt(some.reduce((sum, one) => sum + one.balance, 0)) === balance &&
    BigInt(some.reduce((sum, one) => sum + one.reserved, 0)) === reserved;
  if (fits(near)) return near;
  const single =
    near.find((one) => fits([one])) ?? near.find((one) => one.balance !== 0 && BigInt(one.balance) === balance);
  if (single !== undefined) return [single];
  const few = near.slice(0, FEW);
  for (const [i, a] of few.entries()) {
    for (const [j, b] of few.entries()) {
      if (j <= i) continue;
      if (fits([a, b])) return [a, b];
      const third = few.slice(j + 1).find((c) => fits([a, b, c]));
      if (third !== undefined) return [a, b, third];
    }
  }
  // Before the first known line anything may be missing, unless it carries the first number there is.
  const absent = drift.sequence - (drift.after ?? 0) - 1;
  const lacking = near.filter((one) => one.needs.length > 0);
  return lacking.length <= absent ? lacking : [];
}
