// The wallet's cumulative totals. The document does not show whether they are gross or net, or less reversals: each is a
// lawful interpretation, and a total is wrong only when it fits none of them.

import type { Wallet } from '../../domain/wallet.ts';
import {
  compared,
  draftOf,
  type KindPage,
  NO_FINDINGS,
  type SettledSums,
  type WalletCase,
  type WalletCheck,
} from '../check.ts';
import { WALLET_EVIDENCE } from './wallet.ts';

export const TOTALS_INTERPRETATIONS = ['GROSS', 'NET', 'GROSS_LESS_REVERSALS', 'NET_LESS_REVERSALS'] as const;
export type TotalsInterpretation = (typeof TOTALS_INTERPRETATIONS)[number];
export const TOTALS = ['totalCollected', 'totalDisbursed', 'totalFees'] as const;
export type Total = (typeof TOTALS)[number];

/** What each interpretation asks of a total, from one set of sums; whole units. Fees have no net. */
export function totalsBy(sums: SettledSums, total: Total): Readonly<Record<TotalsInterpretation, bigint>> {
  const { succeeded, reversed } = sums;
  if (total === 'totalFees') {
    const kept = succeeded.collectedFees + succeeded.disbursedFees;
    const all = kept + reversed.collectedFees + reversed.disbursedFees;
    return { GROSS: all, NET: all, GROSS_LESS_REVERSALS: kept, NET_LESS_REVERSALS: kept };
  }
  const [amount, fees, sign] =
    total === 'totalCollected'
      ? (['collected', 'collectedFees', -1n] as const)
      : (['disbursed', 'disbursedFees', 1n] as const);
  const net = (part: SettledSums[keyof SettledSums]): bigint => part[amount] + sign * part[fees];
  return {
    GROSS: succeeded[amount] + reversed[amount],
    NET: net(succeeded) + net(reversed),
    GROSS_LESS_REVERSALS: succeeded[amount],
    NET_LESS_REVERSALS: net(succeeded),
  };
}

/** The interpretations that the stated total fits: by all operations, by those older than the watermark, or by the lines. */
export function fittingInterpretations(subject: WalletCase, total: Total): readonly TotalsInterpretation[] {
  const stated = BigInt(subject.wallet[total]);
  for (const sums of [subject.operations, subject.older, subject.lines]) {
    const asked = totalsBy(sums, total);
    const fitting = TOTALS_INTERPRETATIONS.filter((interpretation) => asked[interpretation] === stated);
    if (fitting.length > 0) return fitting;
  }
  return [];
}

type TotalKind = 'TOTAL_COLLECTED_MISMATCH' | 'TOTAL_DISBURSED_MISMATCH' | 'TOTAL_FEES_MISMATCH';

const base = 'line 1 CASHIN_CREDIT 1000 1000/0 CI-1\n    op CI-1 SUCCEEDED 1000';

function totalPage<Kind extends TotalKind>(kind: Kind, total: Total, words: string): KindPage<Kind> {
  return {
    kind,
    explanation: `The wallet’s ${total} fits no lawful interpretation of “${words}”: gross or net, less reversals or not.`,
    fires: `
    ${base}
    wallet 1000/0 ${total}=777`,
    quiet: `
    ${base}
    wallet 1000/0`,
  };
}

function totalCheck(page: KindPage<TotalKind>, total: Total): WalletCheck {
  return {
    says: [page],
    find(subject) {
      if (fittingInterpretations(subject, total).length > 0) return NO_FINDINGS;
      const stated = subject.wallet[total];
      const interpretations = totalsBy(subject.operations, total);
      const nearest = TOTALS_INTERPRETATIONS.map((interpretation) => interpretations[interpretation]).reduce(
        (best, value) => (distance(value, stated) < distance(best, stated) ? value : best),
      );
      const evidence = WALLET_EVIDENCE;
      return [
        draftOf(
          page,
          { stated, nearest },
          {
            ...compared({ expected: nearest, actual: stated }),
            evidence,
            differences: TOTALS_INTERPRETATIONS.map(
              (interpretation) => BigInt(stated) - interpretations[interpretation],
            ),
            newestEvidence: subject.wallet.updatedAt,
          },
        ),
      ];
    },
  };
}

function distance(value: bigint, stated: Wallet[Total]): bigint {
  const gap = value - BigInt(stated);
  return gap < 0n ? -gap : gap;
}

export const collectedCheck = totalCheck(
  totalPage('TOTAL_COLLECTED_MISMATCH', 'totalCollected', 'cumulative collected since opening'),
  'totalCollected',
);
export const disbursedCheck = totalCheck(
  totalPage('TOTAL_DISBURSED_MISMATCH', 'totalDisbursed', 'cumulative transferred since opening'),
  'totalDisbursed',
);
export const feesCheck = totalCheck(
  totalPage('TOTAL_FEES_MISMATCH', 'totalFees', 'cumulative commissions charged'),
  'totalFees',
);
