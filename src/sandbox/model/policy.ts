// Settlement policies: the lawful ways to keep the books that the documents leave open. A simulated
// service follows one of them throughout; a combination that contradicts itself is not on the list.

/**
 * How a hold ends when a cash-out succeeds, and whether a hold sets aside amount + fees or the
 * amount alone. Only the pairs that fit together are listed: lines that consume a hold consume all
 * of it, while a hold that is released may be of either size.
 */
export const HOLD_RULES = [
  { holdSettlement: 'DEBIT_AND_FEE', holdAmount: 'NET' },
  { holdSettlement: 'RELEASE_FIRST', holdAmount: 'NET' },
  { holdSettlement: 'RELEASE_LAST', holdAmount: 'NET' },
  { holdSettlement: 'DEBIT_ALL', holdAmount: 'NET' },
  { holdSettlement: 'FEE_OUTSIDE', holdAmount: 'AMOUNT' },
  { holdSettlement: 'RELEASE_FIRST', holdAmount: 'AMOUNT' },
  { holdSettlement: 'RELEASE_LAST', holdAmount: 'AMOUNT' },
] as const;
type HoldRule = (typeof HOLD_RULES)[number];

/** A collection is either one gross credit and a fee line, or one credit of netAmount. */
export const CASHIN_CREDITS = ['GROSS_AND_FEE', 'NET'] as const;

/**
 * A reversal undoes every line (LINES), or is one line of netAmount (NET), or one line of the
 * amount (PRINCIPAL): the fee is then kept.
 */
export const REVERSALS = ['LINES', 'NET', 'PRINCIPAL'] as const;

/**
 * The wallet's totals count amounts (GROSS) or netAmounts (NET) of settled operations;
 * LESS_REVERSALS leaves the reversed ones out (their fees too, unless the reversal keeps the fee).
 */
export const TOTALS = ['GROSS', 'NET', 'GROSS_LESS_REVERSALS', 'NET_LESS_REVERSALS'] as const;

export const FEE_ROUNDINGS = ['FLOOR', 'CEILING', 'HALF_UP', 'HALF_EVEN'] as const;
export type FeeRounding = (typeof FEE_ROUNDINGS)[number];

export interface Policy {
  readonly holdSettlement: HoldRule['holdSettlement'];
  readonly holdAmount: HoldRule['holdAmount'];
  readonly cashinCredit: (typeof CASHIN_CREDITS)[number];
  readonly reversal: (typeof REVERSALS)[number];
  readonly totals: (typeof TOTALS)[number];
  readonly feeRounding: FeeRounding;
}

/** Every lawful combination, in a fixed order. */
export const LAWFUL_POLICIES: readonly Policy[] = HOLD_RULES.flatMap((holdRule) =>
  CASHIN_CREDITS.flatMap((cashinCredit) =>
    REVERSALS.flatMap((reversal) =>
      TOTALS.flatMap((totals) =>
        FEE_ROUNDINGS.map((feeRounding) => ({
          ...holdRule,
          cashinCredit,
          reversal,
          totals,
          feeRounding,
        })),
      ),
    ),
  ),
);

/** The interpretation that the direct API document suggests most plainly. */
export const PLAIN_POLICY = policyNamed('DEBIT_AND_FEE.NET.GROSS_AND_FEE.LINES.GROSS.HALF_UP');

/**
 * Returns the one name of a lawful combination:
 * `DEBIT_AND_FEE.NET.GROSS_AND_FEE.LINES.GROSS.HALF_UP`.
 */
export function namePolicy(policy: Policy): string {
  const { holdSettlement, holdAmount, cashinCredit, reversal, totals, feeRounding } = policy;
  return [holdSettlement, holdAmount, cashinCredit, reversal, totals, feeRounding].join('.');
}

/** Returns the lawful combination of that name. Throws RangeError for any other name. */
export function policyNamed(name: string): Policy {
  const policy = LAWFUL_POLICIES.find((candidate) => namePolicy(candidate) === name);
  if (policy === undefined) throw new RangeError(`no lawful policy is named '${name}'`);
  return policy;
}
