// Judges payouts night by night, with what earlier nights have seen.

import { DAY, HOUR } from '../../src/core/domain/instant.ts';
import { type KeptPayouts, NOTHING_KEPT } from '../../src/core/domain/published/payout-place.ts';
import {
  beginTotalsOf,
  judgeLook,
} from '../../src/core/kernel/reconcile/published/judge-payments.ts';
import { ENGLISH_WORDING } from '../../src/core/words/names.ts';
import {
  keepLook,
  type Look,
  lookAt,
  makeWorld,
  OPENED,
  type PayoutPolicy,
} from './payout-world.ts';

export const DAYS = 70;

export function judge({ read, payments, feesOf }: Look, kept: KeptPayouts) {
  const passed = beginTotalsOf(null, read.from, ({ reference }) => feesOf(reference));
  passed.take({ rows: payments, rejected: [] });
  return judgeLook(
    { read, rejected: [], notes: [] },
    { kept, payments: passed.totals(), wording: ENGLISH_WORDING },
  );
}

/**
 * Returns what each night says, with the looks before it kept. `alter` may change what a night
 * sees.
 */
export function nights(
  policy: PayoutPolicy,
  seed: number,
  alter: (look: Look, night: number) => Look = (look) => look,
) {
  const world = makeWorld(policy, seed, DAYS);
  let kept = NOTHING_KEPT;
  return Array.from({ length: DAYS - 2 }, (_, i) => {
    const night = i + 1;
    const look = alter(lookAt(world, OPENED + night * DAY + 2 * HOUR), night);
    const said = judge(look, kept);
    kept = keepLook(kept, look.read);
    return { night, ...said, kept, look };
  });
}
