// All that one look at a merchant's payouts, and the looks before it, show to be wrong.

import { NOTHING_KEPT } from '../../domain/published/payout-place.ts';
import type { NotChecked } from '../../domain/snapshot.ts';
import { type Judgement, joined, NOT_JUDGED, noted } from '../port/judgement.ts';
import { judgeBalance } from './balance.ts';
import { judgeCounts } from './counts.ts';
import { judgeLimits } from './limits.ts';
import { judgeOutcomes } from './outcomes.ts';
import type { PayoutCase } from './payout-case.ts';
import { judgeSettlement } from './settlement.ts';

export function judgePayouts(given: PayoutCase): Judgement {
  const { read, kept } = given;
  const isCopy = read.copiedAfter !== undefined;
  // When earlier figures stood is known no better: of copies only the payouts themselves are held against each other.
  const subject = isCopy ? { ...given, kept: { ...NOTHING_KEPT, payouts: kept.payouts } } : given;
  return joined([
    isCopy && kept.limits.length > 0 ? noted(COPIED) : NOT_JUDGED,
    judgeLimits(subject),
    judgeOutcomes(subject),
    judgeBalance(subject),
    judgeSettlement(subject),
    judgeCounts(subject),
  ]);
}

const COPIED: NotChecked = {
  what: 'payouts',
  why: 'a copy does not say of which moment it is: its figures are not compared with those of earlier ones',
  incomplete: false,
  code: 'PAYOUTS_COPIED',
};
