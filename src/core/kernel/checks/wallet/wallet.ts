// Compares the wallet as the service states it with the last line of the ledger, with the open
// holds and with its own identity (available = balance − reserved).

import { leastOf } from '../../../domain/amount.ts';
import type { DeclaredOpening, Total, Wallet } from '../../../domain/merchant.ts';
import {
  draftOf,
  lineEvidence,
  NO_FINDINGS,
  type SettledSums,
  type WalletCase,
  type WalletCheck,
} from '../port/check.ts';

const WALLET_EVIDENCE = [{ what: 'wallet', sequence: null, reference: null, note: null }] as const;

function partsOf({ updatedAt }: Wallet) {
  return { evidence: WALLET_EVIDENCE, newestEvidence: updatedAt };
}

const checkIdentity: WalletCheck = ({ wallet }) => {
  const { available, balance, reserved } = wallet;
  const due = balance - reserved;
  if (available === due) return NO_FINDINGS;
  const parts = { expected: due, actual: available, ...partsOf(wallet) };
  return [draftOf('WALLET_IDENTITY_BROKEN', { available, due }, parts)];
};

const checkHead: WalletCheck = ({ wallet, heads, opening }) => {
  const { balance, reserved } = wallet;
  const first = heads[0] ?? { sequence: 0, ...(opening ?? { balance: 0, reserved: 0 }) };
  if ([first, ...heads].some((head) => head.balance === balance && head.reserved === reserved))
    return NO_FINDINGS;
  const due = heads.find((one) => one.balance === balance) ?? first;
  const head = first.sequence === 0 ? null : first.sequence;
  const findings = [];
  if (balance !== due.balance) {
    const parts = { expected: due.balance, actual: balance, ...partsOf(wallet) };
    findings.push(draftOf('WALLET_BALANCE_MISMATCH', { balance, head, due: due.balance }, parts));
  }
  if (reserved !== due.reserved) {
    const parts = { expected: due.reserved, actual: reserved, ...partsOf(wallet) };
    findings.push(
      draftOf('WALLET_RESERVED_MISMATCH', { reserved, head, due: due.reserved }, parts),
    );
  }
  return findings;
};

const checkOpenHolds: WalletCheck = ({ heads, held }) => {
  const head = heads[0];
  if (head === undefined || BigInt(head.reserved) === held) return NO_FINDINGS;
  const { sequence, reserved } = head;
  const evidence = [lineEvidence(sequence, 'head of the ledger')];
  return [
    draftOf(
      'OPEN_HOLDS_MISMATCH',
      { sequence, reserved, held },
      { expected: held, actual: reserved, evidence },
    ),
  ];
};

export const WALLET_CHECKS: readonly WalletCheck[] = [checkIdentity, checkHead, checkOpenHolds];

// The wallet's cumulative totals. The document does not show whether they are gross or net, or less
// reversals: each is a lawful interpretation, and a total is wrong only when it fits none of them.

export const TOTALS_INTERPRETATIONS = [
  'GROSS',
  'NET',
  'GROSS_LESS_REVERSALS',
  'NET_LESS_REVERSALS',
] as const;
type TotalsInterpretation = (typeof TOTALS_INTERPRETATIONS)[number];

/**
 * Returns what the total was before the first known line; `null` where a declared opening does not
 * say.
 */
export function totalBefore(opening: DeclaredOpening | null, total: Total): bigint | null {
  const before = opening === null ? 0 : opening[total];
  return before === undefined ? null : BigInt(before);
}

/**
 * Returns the total by each interpretation, from one set of sums, in whole units. For fees, gross
 * and net are the same.
 */
export function totalsBy(
  sums: SettledSums,
  total: Total,
): Readonly<Record<TotalsInterpretation, bigint>> {
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

/**
 * Returns the interpretations that the growth of the total fits: by all operations, else by the
 * older ones, else by the lines. All of them where the growth is unknown, none where the total is
 * wrong.
 */
export function fittingInterpretations(
  subject: WalletCase,
  total: Total,
): readonly TotalsInterpretation[] {
  const before = totalBefore(subject.opening, total);
  if (before === null) return TOTALS_INTERPRETATIONS;
  const stated = BigInt(subject.wallet[total]) - before;
  for (const sums of [subject.operations, subject.older, subject.lines]) {
    const asked = totalsBy(sums, total);
    const fitting = TOTALS_INTERPRETATIONS.filter(
      (interpretation) => asked[interpretation] === stated,
    );
    if (fitting.length > 0) return fitting;
  }
  return [];
}

function totalCheck(
  kind: 'TOTAL_COLLECTED_MISMATCH' | 'TOTAL_DISBURSED_MISMATCH' | 'TOTAL_FEES_MISMATCH',
  total: Total,
): WalletCheck {
  return (subject) => {
    if (fittingInterpretations(subject, total).length > 0) return NO_FINDINGS;
    const stated = subject.wallet[total];
    const lawful = totalsBy(subject.operations, total);
    const since = BigInt(stated) - totalBefore(subject.opening, total)!;
    const differences = TOTALS_INTERPRETATIONS.map(
      (interpretation) => since - lawful[interpretation],
    );
    const nearest = BigInt(stated) - leastOf(differences);
    const parts = { expected: nearest, actual: stated, differences, ...partsOf(subject.wallet) };
    return [draftOf(kind, { stated, nearest }, parts)];
  };
}

/**
 * The checks of totals. Skip them where operations were not read, because totals are sums over
 * operations.
 */
export const TOTAL_CHECKS: readonly WalletCheck[] = [
  totalCheck('TOTAL_COLLECTED_MISMATCH', 'totalCollected'),
  totalCheck('TOTAL_DISBURSED_MISMATCH', 'totalDisbursed'),
  totalCheck('TOTAL_FEES_MISMATCH', 'totalFees'),
];
