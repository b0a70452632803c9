// The wallet as stated, against the head of the ledger, the open holds and its own identity.

import type { Wallet } from '../../domain/wallet.ts';
import {
  compared,
  draftOf,
  type KindPage,
  NO_FINDINGS,
  type SettledSums,
  type WalletCase,
  type WalletCheck,
} from '../port/check.ts';

const base = 'line 1 CASHIN_CREDIT 1000 1000/0 CI-1\n    op CI-1 SUCCEEDED 1000';
const sound = `
    ${base}
    wallet 1000/0`;
const WALLET_EVIDENCE = [{ what: 'wallet', sequence: null, reference: null, note: null }] as const;

const identity: KindPage<'WALLET_IDENTITY_BROKEN'> = {
  kind: 'WALLET_IDENTITY_BROKEN',
  explanation: 'available is not balance − reserved in the wallet itself.',
  fires: `
    ${base}
    wallet 1000/0 available=900`,
  quiet: sound,
};

export const identityCheck: WalletCheck = {
  says: [identity],
  find({ wallet }) {
    const due = wallet.balance - wallet.reserved;
    if (wallet.available === due) return NO_FINDINGS;
    return [
      draftOf(
        identity,
        { available: wallet.available, due },
        {
          ...compared({ expected: due, actual: wallet.available }),
          evidence: WALLET_EVIDENCE,
          newestEvidence: wallet.updatedAt,
        },
      ),
    ];
  },
};

const balance: KindPage<'WALLET_BALANCE_MISMATCH'> = {
  kind: 'WALLET_BALANCE_MISMATCH',
  explanation:
    'The wallet’s balance is not that of any line between the head of the ledger read before it and the one read after.',
  fires: `
    ${base}
    wallet 1200/0`,
  quiet: sound,
};

const reserved: KindPage<'WALLET_RESERVED_MISMATCH'> = {
  kind: 'WALLET_RESERVED_MISMATCH',
  explanation:
    'The wallet’s reserved amount is not that of any line between the head of the ledger read before it and the one read after.',
  fires: `
    ${base}
    wallet 1000/300`,
  quiet: sound,
};

export const headCheck: WalletCheck = {
  says: [balance, reserved],
  find({ wallet, heads }) {
    const exact = heads.some((head) => head.balance === wallet.balance && head.reserved === wallet.reserved);
    if (exact) return NO_FINDINGS;
    const head = heads[0] ?? { sequence: 0, balance: 0, reserved: 0 };
    const nearest = heads.find((one) => one.balance === wallet.balance) ?? head;
    const parts = { evidence: WALLET_EVIDENCE, newestEvidence: wallet.updatedAt };
    const at = head.sequence === 0 ? null : head.sequence;
    const findings = [];
    if (wallet.balance !== nearest.balance) {
      const figures = { balance: wallet.balance, head: at, due: nearest.balance };
      findings.push(
        draftOf(balance, figures, { ...parts, ...compared({ expected: nearest.balance, actual: wallet.balance }) }),
      );
    }
    if (wallet.reserved !== nearest.reserved) {
      const figures = { reserved: wallet.reserved, head: at, due: nearest.reserved };
      findings.push(
        draftOf(reserved, figures, { ...parts, ...compared({ expected: nearest.reserved, actual: wallet.reserved }) }),
      );
    }
    return findings;
  },
};

const holds: KindPage<'OPEN_HOLDS_MISMATCH'> = {
  kind: 'OPEN_HOLDS_MISMATCH',
  explanation:
    'The recorded reserved amount at the head of the ledger is not the sum of the holds that are still open.',
  fires: `
    line 1 CASHIN_CREDIT 1000 1000/250 CI-1
    op CI-1 SUCCEEDED 1000
    wallet 1000/250`,
  quiet: sound,
};

export const openHoldsCheck: WalletCheck = {
  says: [holds],
  find({ heads, held }) {
    const head = heads[0];
    if (head === undefined || BigInt(head.reserved) === held) return NO_FINDINGS;
    const figures = { sequence: head.sequence, reserved: head.reserved, held };
    const evidence = [
      { what: 'line', sequence: String(head.sequence), reference: null, note: 'head of the ledger' } as const,
    ];
    return [draftOf(holds, figures, { ...compared({ expected: held, actual: head.reserved }), evidence })];
  },
};

// The wallet's cumulative totals. The document does not show whether they are gross or net, or less reversals: each is a
// lawful interpretation, and a total is wrong only when it fits none of them.

export const TOTALS_INTERPRETATIONS = ['GROSS', 'NET', 'GROSS_LESS_REVERSALS', 'NET_LESS_REVERSALS'] as const;
type TotalsInterpretation = (typeof TOTALS_INTERPRETATIONS)[number];
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
