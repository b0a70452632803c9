// Judges a merchant's payouts: what one look at them shows, and what changed since earlier looks.

import type { Payout } from '../../../domain/published/payout.ts';
import { type Kept, NOTHING_KEPT } from '../../../domain/published/payout-place.ts';
import { type Judgement, joined, judged, NOT_JUDGED, noted, seriesOf } from '../port/judgement.ts';
import { judgeBalance } from './balance.ts';
import { judgeChanges } from './changes.ts';
import { judgeCounts } from './counts.ts';
import { judgeLimits } from './limits.ts';
import { type PayoutCase, seenAt } from './payout-case.ts';
import { judgeSettlement } from './settlement.ts';

export function judgePayouts(given: PayoutCase): Judgement {
  const { read, kept } = given;
  const isCopy = read.copiedAfter !== undefined;
  // It is unknown when earlier copies were made, so that only their payouts can be compared.
  const subject = isCopy ? { ...given, kept: { ...NOTHING_KEPT, payouts: kept.payouts } } : given;
  return joined([
    isCopy && kept.limits.length > 0
      ? noted({ what: 'payouts', code: 'PAYOUTS_COPIED' })
      : NOT_JUDGED,
    judgeLimits(subject),
    judgeChanges(subject),
    judgeOutcomes(subject),
    judgeBalance(subject),
    judgeSettlement(subject),
    judgeCounts(subject),
  ]);
}

// Each payout compared with what earlier looks saw of it: an outcome stays, and so does what was
// requested.

const FIXED_AT_REQUEST = [
  'reference',
  'amount',
  'createdAt',
  'payoutAccountId',
  'accountType',
  'mode',
] as const;
const FIXED_AT_END = ['fees', 'completedAt'] as const;

function judgeOutcomes({ read, kept }: PayoutCase): Judgement {
  const now = new Map((read.payouts ?? []).map((payout) => [payout.id, payout]));
  return joined(
    [...kept.payouts].map(([id, rows]) => {
      const versions = seriesOf(rows, now.get(id) ?? null, read.until);
      return judged('PAYOUT_OUTCOME_CHANGED', `payout ${id}`, changeIn(id, versions));
    }),
  );
}

function changeIn(id: string, versions: readonly Kept<Payout>[]) {
  const ended = versions.findIndex(({ value }) => value.status !== 'PENDING');
  const first = versions[0]!;
  for (const [i, version] of versions.entries()) {
    if (ended >= 0 && i > ended && version.value.status !== versions[ended]!.value.status) {
      return describe(id, 'status', [versions[ended]!, version]);
    }
    const name = FIXED_AT_REQUEST.find((one) => version.value[one] !== first.value[one]);
    if (name !== undefined) return describe(id, name, [first, version]);
    const late = FIXED_AT_END.find(
      (one) => i > ended && ended >= 0 && isAltered(versions[ended]!, version, one),
    );
    if (late !== undefined) return describe(id, late, [versions[ended]!, version]);
  }
  return null;
}

/**
 * Whether a field that had a value has another one now. A value where there was none is no change.
 */
function isAltered(one: Kept<Payout>, next: Kept<Payout>, name: keyof Payout): boolean {
  return one.value[name] !== null && one.value[name] !== next.value[name];
}

function describe(
  id: string,
  name: (typeof FIXED_AT_REQUEST | typeof FIXED_AT_END)[number] | 'status',
  [one, next]: readonly [Kept<Payout>, Kept<Payout>],
) {
  const [before, now] = [one, next].map(({ value }) =>
    String(value[name] ?? 'null').slice(0, 80),
  ) as [string, string];
  const figures = { id: id.slice(0, 80), amount: one.value.amount, name, before, now };
  const difference = name === 'amount' ? BigInt(next.value.amount - one.value.amount) : null;
  return {
    figures,
    expected: before,
    actual: now,
    difference,
    evidence: [one, next].map(({ at, value }) =>
      seenAt(id, at, `${name} ${String(value[name] ?? 'null').slice(0, 80)}`),
    ),
  };
}
