// Makes a new operation, its commission (direct API, "pricing"), and the lines that the ledger
// posts for it under a policy: on a request, a success, a lapse and a reversal. Each line has its
// effect on balance and reserved. Posts nothing itself.

import type { Amount } from '../../core/domain/amount.ts';
import { formatInstant, type Instant } from '../../core/domain/instant.ts';
import type { EntryKind } from '../../core/domain/ledger-entry.ts';
import { lifetimeOf, netAmountOf, type OperationType } from '../../core/domain/operation.ts';
import type { FeeRounding, Policy } from './policy.ts';
import type {
  Operator,
  ServedLimits,
  ServedMerchant,
  ServedOperation,
  ServedPricing,
} from './served.ts';

/** One line to be posted; `balance` and `reserved` are signed changes in whole units. */
export interface Post {
  readonly kind: EntryKind;
  readonly amount: Amount;
  readonly balance: Amount;
  readonly reserved: Amount;
}

export type Phase = 'REQUEST' | 'SUCCESS' | 'LAPSE' | 'REVERSAL';

export type Money = Pick<ServedOperation, 'type' | 'amount' | 'fees' | 'netAmount'>;

/**
 * Returns the lines of one phase in posting order. A fee of zero has no line, because amounts are
 * always positive.
 */
export function postsFor(phase: Phase, operation: Money, policy: Policy): readonly Post[] {
  const posts = (operation.type === 'CASHIN' ? OF_CASHINS : OF_CASHOUTS)[phase](operation, policy);
  return posts.filter((post) => post.amount > 0);
}

/** Returns the amount that the hold of a cash-out sets aside. */
export function holdOf(operation: Money, policy: Policy): Amount {
  return policy.holdAmount === 'NET' ? operation.netAmount : operation.amount;
}

/**
 * Returns the commission that a cash-out will take from the available balance beyond its hold when
 * it succeeds.
 */
export function feesOutsideHold(operation: Money, policy: Policy): Amount {
  return operation.type === 'CASHOUT' && policy.holdAmount === 'AMOUNT' ? operation.fees : 0;
}

type Posting = Readonly<Record<Phase, (operation: Money, policy: Policy) => readonly Post[]>>;

const OF_CASHINS: Posting = {
  REQUEST: () => [],
  SUCCESS: collectionPosts,
  LAPSE: () => [],
  REVERSAL: reversalPosts,
};

const OF_CASHOUTS: Posting = {
  REQUEST: (operation, policy) => [hold(holdOf(operation, policy))],
  SUCCESS: transferPosts,
  LAPSE: (operation, policy) => [release(holdOf(operation, policy))],
  REVERSAL: reversalPosts,
};

function collectionPosts(operation: Money, policy: Policy): readonly Post[] {
  return policy.cashinCredit === 'NET'
    ? [credit('CASHIN_CREDIT', operation.netAmount)]
    : [credit('CASHIN_CREDIT', operation.amount), debit('CASHIN_FEE', operation.fees)];
}

function transferPosts(operation: Money, policy: Policy): readonly Post[] {
  const { amount, fees } = operation;
  const held = holdOf(operation, policy);
  const consume = (post: Post, reserved: Amount): Post => ({ ...post, reserved: -reserved });
  const [transfer, fee] = [debit('CASHOUT_DEBIT', amount), debit('CASHOUT_FEE', fees)];
  const posts: Readonly<Record<Policy['holdSettlement'], readonly Post[]>> = {
    DEBIT_AND_FEE: [consume(transfer, amount), consume(fee, fees)],
    RELEASE_FIRST: [release(held), transfer, fee],
    RELEASE_LAST: [transfer, fee, release(held)],
    DEBIT_ALL: [consume(transfer, held), fee],
    FEE_OUTSIDE: [consume(transfer, held), fee],
  };
  return posts[policy.holdSettlement];
}

function reversalPosts(
  { type, amount, fees, netAmount }: Money,
  { reversal, cashinCredit }: Policy,
): readonly Post[] {
  const isCashin = type === 'CASHIN';
  const undo = (sum: Amount): Post =>
    isCashin ? debit('REVERSAL_DEBIT', sum) : credit('REVERSAL_CREDIT', sum);
  if (reversal === 'PRINCIPAL') return [undo(amount)];
  if (reversal === 'NET' || (isCashin && cashinCredit === 'NET')) return [undo(netAmount)];
  return [undo(amount), credit('REVERSAL_CREDIT', fees)];
}

export function credit(kind: EntryKind, amount: Amount): Post {
  return { kind, amount, balance: amount, reserved: 0 };
}

/** Returns a line that lowers the balance and leaves the reserved amount alone. */
export function debit(kind: EntryKind, amount: Amount): Post {
  return { kind, amount, balance: -amount, reserved: 0 };
}

export function hold(amount: Amount): Post {
  return { kind: 'CASHOUT_HOLD', amount, balance: 0, reserved: amount };
}

export function release(amount: Amount): Post {
  return { kind: 'CASHOUT_RELEASE', amount, balance: 0, reserved: -amount };
}

export interface Terms {
  readonly pricing: ServedPricing;
  readonly rounding: FeeRounding;
}

/** Returns the price in force and how it is rounded. */
export function termsOf({ pricing }: ServedMerchant, { feeRounding }: Policy): Terms {
  return { pricing, rounding: feeRounding };
}

/**
 * Returns the commission in whole units, ≥ 0. Only the basis-points part is rounded, because the
 * flat part is whole already.
 */
export function feeOf(
  operation: Pick<Money, 'type' | 'amount'>,
  { pricing, rounding }: Terms,
): Amount {
  const isCashin = operation.type === 'CASHIN';
  const parts = operation.amount * (isCashin ? pricing.cashinFeeBps : pricing.cashoutFeeBps);
  return roundParts(parts, rounding) + (isCashin ? pricing.cashinFeeFlat : pricing.cashoutFeeFlat);
}

export function boundsOf(limits: ServedLimits, type: OperationType): readonly [Amount, Amount] {
  return type === 'CASHIN'
    ? [limits.minCashinAmount, limits.maxCashinAmount]
    : [limits.minCashoutAmount, limits.maxCashoutAmount];
}

export function moneyOf({ type, amount }: Pick<Money, 'type' | 'amount'>, terms: Terms): Money {
  const fees = feeOf({ type, amount }, terms);
  return { type, amount, fees, netAmount: netAmountOf({ type, amount, fees }) };
}

type NewParts = Money &
  Pick<ServedOperation, 'currency' | 'country' | 'operator' | 'counterparty'> &
  Partial<Pick<ServedOperation, 'externalReference' | 'description' | 'metadata'>> & {
    /** The part of the reference that follows the prefix of the type, for example `GUI-CI-`. */
    readonly code: string;
    readonly createdAt: Instant;
  };

/**
 * Operators that send the payer of a cash-in to a page. This is the sandbox's choice, because the
 * document does not show them.
 */
const REDIRECTING: readonly Operator[] = ['WAVE', 'DJAMO'];

/** Returns an operation that was just CREATED. Fields that are absent from `parts` are `null`. */
export function newOperation(parts: NewParts): ServedOperation {
  const createdAt = formatInstant(parts.createdAt);
  const isCashin = parts.type === 'CASHIN';
  const reference = `GUI-${isCashin ? 'CI' : 'CO'}-${parts.code}`;
  return {
    reference,
    type: parts.type,
    status: 'CREATED',
    amount: parts.amount,
    fees: parts.fees,
    netAmount: parts.netAmount,
    currency: parts.currency,
    country: parts.country,
    operator: parts.operator,
    counterparty: parts.counterparty,
    externalReference: parts.externalReference ?? null,
    description: parts.description ?? null,
    payerActionUrl:
      isCashin && REDIRECTING.includes(parts.operator) ? `https://pay.example/${reference}` : null,
    requiresPayerAction: false,
    failure: null,
    metadata: parts.metadata ?? null,
    createdAt,
    updatedAt: createdAt,
    completedAt: null,
    expiresAt: formatInstant(parts.createdAt + lifetimeOf(parts.type)),
  };
}

/** Rounds ten-thousandths to whole units, in integers throughout. */
function roundParts(parts: number, rounding: FeeRounding): Amount {
  const rest = parts % 10_000;
  const whole = (parts - rest) / 10_000;
  const isRaised: Readonly<Record<FeeRounding, boolean>> = {
    FLOOR: false,
    CEILING: rest > 0,
    HALF_UP: rest >= 5_000,
    HALF_EVEN: rest > 5_000 || (rest === 5_000 && whole % 2 === 1),
  };
  return isRaised[rounding] ? whole + 1 : whole;
}
