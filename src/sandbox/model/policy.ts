// Settlement policies: the lawful ways to keep the books that the documents leave open. A simulated service follows one
// of them throughout; a combination that contradicts itself is not on the list.

/** How a hold ends when a cash-out succeeds. */
export const HOLD_SETTLEMENTS = ['DEBIT_AND_FEE', 'RELEASE_FIRST', 'RELEASE_LAST', 'DEBIT_ALL', 'FEE_OUTSIDE'] as const;
export type HoldSettlement = (typeof HOLD_SETTLEMENTS)[number];

/** A hold sets aside amount + fees, or the amount alone. */
export type HoldAmount = 'NET' | 'AMOUNT';

/** A collection is one gross credit and a fee line, or one credit of netAmount. */
export const CASHIN_CREDITS = ['GROSS_AND_FEE', 'NET'] as const;
export type CashinCredit = (typeof CASHIN_CREDITS)[number];

/** A reversal undoes every line, or is one line of netAmount, or one of the amount (the fee is kept). */
export const REVERSALS = ['LINES', 'NET', 'PRINCIPAL'] as const;
export type Reversal = (typeof REVERSALS)[number];

/**
 * The wallet's totals count amounts (GROSS) or netAmounts (NET) of settled operations; LESS_REVERSALS leaves the
 * reversed ones out (their fees too, unless the reversal keeps the fee).
 */
export const TOTALS = ['GROSS', 'NET', 'GROSS_LESS_REVERSALS', 'NET_LESS_REVERSALS'] as const;
export type Totals = (typeof TOTALS)[number];

export const FEE_ROUNDINGS = ['FLOOR', 'CEILING', 'HALF_UP', 'HALF_EVEN'] as const;
export type FeeRounding = (typeof FEE_ROUNDINGS)[number];

export interface Policy {
  readonly holdSettlement: HoldSettlement;
  readonly holdAmount: HoldAmount;
  readonly cashinCredit: CashinCredit;
  readonly reversal: Reversal;
  readonly totals: Totals;
  readonly feeRounding: FeeRounding;
}

/** The pairs that fit: lines that consume a hold consume all of it; a hold that is released may be of either size. */
export const HOLD_RULES: readonly Pick<Policy, 'holdSettlement' | 'holdAmount'>[] = [
  { holdSettlement: 'DEBIT_AND_FEE', holdAmount: 'NET' },
  { holdSettlement: 'RELEASE_FIRST', holdAmount: 'NET' },
  { holdSettlement: 'RELEASE_LAST', holdAmount: 'NET' },
  { holdSettlement: 'DEBIT_ALL', holdAmount: 'NET' },
  { holdSettlement: 'FEE_OUTSIDE', holdAmount: 'AMOUNT' },
  { holdSettlement: 'RELEASE_FIRST', holdAmount: 'AMOUNT' },
  { holdSettlement: 'RELEASE_LAST', holdAmount: 'AMOUNT' },
];

/** Every lawful combination, in a fixed order. */
export const LAWFUL_POLICIES: readonly Policy[] = HOLD_RULES.flatMap((holdRule) =>
  CASHIN_CREDITS.flatMap((cashinCredit) =>
    REVERSALS.flatMap((reversal) =>
      TOTALS.flatMap((totals) =>
        FEE_ROUNDINGS.map((feeRounding) => ({ ...holdRule, cashinCredit, reversal, totals, feeRounding })),
      ),
    ),
  ),
);

/** The interpretation that the direct API document suggests most plainly. */
export const PLAIN_POLICY: Policy = {
  holdSettlement: 'DEBIT_AND_FEE',
  holdAmount: 'NET',
  cashinCredit: 'GROSS_AND_FEE',
  reversal: 'LINES',
  totals: 'GROSS',
  feeRounding: 'HALF_UP',
};

/** `DEBIT_AND_FEE.NET.GROSS_AND_FEE.LINES.GROSS.HALF_UP`: one name for each lawful combination. */
export function namePolicy(policy: Policy): string {
  const { holdSettlement, holdAmount, cashinCredit, reversal, totals, feeRounding } = policy;
  return [holdSettlement, holdAmount, cashinCredit, reversal, totals, feeRounding].join('.');
}

/** The lawful combination of that name. Throws RangeError for any other name. */
export function policyNamed(name: string): Policy {
  const policy = LAWFUL_POLICIES.find((candidate) => namePolicy(candidate) === name);
  if (policy === undefined) throw new RangeError(`no lawful policy is named '${name}'`);
  return policy;
}
