// All that one look at a merchant's payouts, and the looks before it, show to be wrong.

import { type Judgement, joined } from '../looks.ts';
import { judgeBalance } from './balance.ts';
import { judgeCounts } from './counts.ts';
import { judgeLimits } from './limits.ts';
import { judgeListed } from './listed.ts';
import { judgeOutcomes } from './outcomes.ts';
import type { PayoutCase } from './payout-case.ts';
import { judgeSettlement } from './settlement.ts';

export function judgePayouts(subject: PayoutCase): Judgement {
  return joined([
    judgeLimits(subject),
    judgeListed(subject),
    judgeOutcomes(subject),
    judgeBalance(subject),
    judgeSettlement(subject),
    judgeCounts(subject),
  ]);
}
