// The commission of an operation: basis points of the amount, rounded, plus a flat part (direct API, "pricing").

import type { Amount } from '../core/domain/amount.ts';
import { assertNever } from '../core/domain/invariant.ts';
import type { OperationType } from '../core/domain/operation.ts';
import type { FeeRounding } from './policy.ts';
import type { ServedPricing } from './served.ts';

/** Whole units ≥ 0. Only the basis-points part is rounded: the flat part is whole already. */
export function feeOf(
  operation: { readonly type: OperationType; readonly amount: Amount },
  terms: { readonly pricing: ServedPricing; readonly rounding: FeeRounding },
): Amount {
  const { pricing, rounding } = terms;
  const isCashin = operation.type === 'CASHIN';
  const parts = operation.amount * (isCashin ? pricing.cashinFeeBps : pricing.cashoutFeeBps);
  return roundParts(parts, rounding) + (isCashin ? pricing.cashinFeeFlat : pricing.cashoutFeeFlat);
}

/** Wallet impact: amount − fees on a cash-in, amount + fees on a cash-out. */
export function netAmountOf(operation: {
  readonly type: OperationType;
  readonly amount: Amount;
  readonly fees: Amount;
}): Amount {
  return operation.type === 'CASHIN' ? operation.amount - operation.fees : operation.amount + operation.fees;
}

/** Ten-thousandths to whole units, in integers throughout. */
function roundParts(parts: number, rounding: FeeRounding): Amount {
  const rest = parts % 10_000;
  const whole = (parts - rest) / 10_000;
  switch (rounding) {
    case 'FLOOR':
      return whole;
    case 'CEILING':
      return rest > 0 ? whole + 1 : whole;
    case 'HALF_UP':
      return rest >= 5_000 ? whole + 1 : whole;
    case 'HALF_EVEN':
      return rest > 5_000 || (rest === 5_000 && whole % 2 === 1) ? whole + 1 : whole;
    default:
      return assertNever(rounding);
  }
}
