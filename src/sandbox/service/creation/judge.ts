// Whether the service takes an operation: what the account allows, then the wallet, then the ceiling and the money. Each
// refusal is one of the document's table ("Errors"); a refused call leaves no trace.

import { DAY } from '../../../core/domain/instant.ts';
import { hasLapsed } from '../../../core/domain/operation.ts';
import type { ServedOperation } from '../../served.ts';
import { holderOf } from '../../simulation/arrivals.ts';
import { e164Of, operatorsOf } from '../../simulation/operators.ts';
import { type Simulation, spendable } from '../../simulation/state.ts';
import { ApiError } from '../api-error.ts';
import type { CreationForm } from './form.ts';

type Money = Pick<ServedOperation, 'type' | 'amount' | 'fees' | 'netAmount'>;

/** The payer's or beneficiary's number as E.164. Throws the first refusal of the order in which they are listed. */
export function judgeCreation(simulation: Simulation, form: CreationForm, money: Money): string {
  requireBounds(simulation, money);
  requireOperator(simulation, form);
  const phoneNumber = e164Of(form.phoneNumber, form.country);
  if (phoneNumber === null) {
    throw new ApiError({
      status: 422,
      code: 'INVALID_PHONE_NUMBER',
      message: `The phone number is not one of ${form.country}.`,
      details: { phoneNumber: form.phoneNumber, country: form.country },
    });
  }
  requireFreeReference(simulation, form);
  requireWallet(simulation);
  if (money.type === 'CASHOUT') {
    requireCeiling(simulation, money);
    requireBalance(simulation, money);
  }
  return phoneNumber;
}

function requireBounds({ merchant: { limits } }: Simulation, { type, amount }: Money): void {
  const [minimum, maximum] =
    type === 'CASHIN'
      ? [limits.minCashinAmount, limits.maxCashinAmount]
      : [limits.minCashoutAmount, limits.maxCashoutAmount];
  if (amount >= minimum && amount <= maximum) return;
  const message = `The amount must be from ${minimum} to ${maximum}.`;
  throw new ApiError({ status: 422, code: 'AMOUNT_OUT_OF_BOUNDS', message, details: { amount, minimum, maximum } });
}

function requireOperator({ merchant }: Simulation, { country, operator }: CreationForm): void {
  if (merchant.allowedCountries.includes(country) && operatorsOf(country).includes(operator)) return;
  const message = `${operator} is not available in ${country} on this account.`;
  throw new ApiError({ status: 422, code: 'OPERATOR_UNAVAILABLE', message, details: { country, operator } });
}

function requireFreeReference(simulation: Simulation, { externalReference }: CreationForm): void {
  const holder = holderOf(simulation, externalReference);
  if (holder === undefined) return;
  throw new ApiError({
    status: 409,
    code: 'DUPLICATE_EXTERNAL_REFERENCE',
    message: 'The external reference is already taken.',
    details: { externalReference, reference: holder.operation.reference },
  });
}

function requireWallet({ walletStatus }: Simulation): void {
  if (walletStatus === 'ACTIVE') return;
  throw new ApiError({
    status: 403,
    code: 'WALLET_FROZEN',
    message: `The wallet is ${walletStatus.toLowerCase()}.`,
  });
}

/** Cash-outs created in the 24 hours up to now count with their amounts, unless they have lapsed. */
function requireCeiling(simulation: Simulation, { amount }: Money): void {
  const limit = simulation.merchant.limits.dailyCashoutLimit;
  if (limit === 0) return;
  let used = 0;
  for (const { operation } of simulation.lives.toReversed()) {
    if (Date.parse(operation.createdAt) <= simulation.now - DAY) break;
    if (operation.type === 'CASHOUT' && !hasLapsed(operation.status)) used += operation.amount;
  }
  if (used + amount <= limit) return;
  throw new ApiError({
    status: 422,
    code: 'DAILY_CASHOUT_LIMIT_EXCEEDED',
    message: 'The daily ceiling on cash-outs would be exceeded.',
    details: { limit, used, amount },
  });
}

/** "When `available` is below the amount plus fees"; fees that open cash-outs will still take are not available. */
function requireBalance(simulation: Simulation, { netAmount: required }: Money): void {
  const available = spendable(simulation);
  if (available >= required) return;
  throw new ApiError({
    status: 402,
    code: 'INSUFFICIENT_BALANCE',
    message: 'The available balance is too low.',
    details: { available, required, currency: simulation.currency },
  });
}
