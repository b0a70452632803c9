// A second, simple model of what the simulated service owes a caller. It keeps only the operations
// and the keys, and adds up every figure anew for each call. Shares no code with the sandbox.
// Chance and time are the caller's.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The terms on which the account is held. */
export interface NaiveTerms {
  readonly cashin: {
    readonly bps: number;
    readonly flat: number;
    readonly least: number;
    readonly most: number;
  };
  readonly cashout: {
    readonly bps: number;
    readonly flat: number;
    readonly least: number;
    readonly most: number;
  };
  readonly rounding: 'down' | 'half up' | 'up';
  /** Whether a hold sets aside the fees too, or the amount alone. */
  readonly holdsFees: boolean;
  /** Whether a reversal gives the fees back. */
  readonly returnsFees: boolean;
  /** The daily ceiling; 0: none. */
  readonly dailyCeiling: number;
}

export interface NaiveOperation {
  readonly type: 'CASHIN' | 'CASHOUT';
  readonly amount: number;
  readonly fees: number;
  readonly net: number;
  readonly externalReference: string | null;
  readonly redirects: boolean;
  readonly createdAt: number;
  /** The reference, learned from the answer. */
  reference: string;
  /** The state that was decided; `null`: nothing was decided. */
  decided: string | null;
}

export interface NaiveAccount {
  readonly terms: NaiveTerms;
  readonly operations: NaiveOperation[];
  readonly keys: Map<string, { readonly wish: string; readonly at: number; readonly text: string }>;
  account: string;
  wallet: string;
}

/** What a caller asks for, and what is wrong with it. */
export interface NaiveWish {
  readonly type: 'CASHIN' | 'CASHOUT';
  readonly key: string | null;
  readonly amount: number;
  readonly externalReference: string | null;
  readonly redirects: boolean;
  readonly flaw: 'form' | 'operator' | 'phone' | null;
  /** Text that tells one body from another. */
  readonly body: string;
}

export type NaiveAnswer =
  | { readonly status: 201; readonly text: string }
  | { readonly status: 201; readonly operation: NaiveOperation }
  | { readonly status: number; readonly code: string; readonly details?: object };

export function openNaive(terms: NaiveTerms): NaiveAccount {
  return { terms, operations: [], keys: new Map(), account: 'ACTIVE', wallet: 'ACTIVE' };
}

/** Returns the state of an operation at `now`: what was decided, else what time has made of it. */
export function statusAt(
  { decided, type, redirects, createdAt }: NaiveOperation,
  now: number,
): string {
  if (decided !== null) return decided;
  const age = now - createdAt;
  if (age >= (type === 'CASHIN' ? 30 * MINUTE : 6 * HOUR)) return 'EXPIRED';
  if (redirects && age >= 2_000) return 'AWAITING_PAYER';
  return age >= 1_000 ? 'PENDING' : 'CREATED';
}

const isOpen = (status: string): boolean =>
  ['CREATED', 'PENDING', 'AWAITING_PAYER'].includes(status);
const hasLapsed = (status: string): boolean => ['FAILED', 'EXPIRED', 'CANCELLED'].includes(status);

/** Returns what the operation has done to the balance by now. */
export function effectOf(operation: NaiveOperation, { terms }: NaiveAccount, now: number): number {
  const status = statusAt(operation, now);
  const sign = operation.type === 'CASHIN' ? 1 : -1;
  if (status === 'SUCCEEDED') return sign * operation.net;
  return status === 'REVERSED' && !terms.returnsFees ? -operation.fees : 0;
}

/** Returns the figures of the wallet. `free` is what a new commitment may use. */
export function walletAt(account: NaiveAccount, now: number) {
  const { operations, terms } = account;
  let [balance, reserved, promised] = [0, 0, 0];
  let [totalCollected, totalDisbursed, totalFees] = [0, 0, 0];
  for (const operation of operations) {
    const status = statusAt(operation, now);
    balance += effectOf(operation, account, now);
    if (operation.type === 'CASHOUT' && isOpen(status)) {
      reserved += terms.holdsFees ? operation.net : operation.amount;
      promised += terms.holdsFees ? 0 : operation.fees;
    }
    if (status !== 'SUCCEEDED' && status !== 'REVERSED') continue;
    if (operation.type === 'CASHIN') totalCollected += operation.amount;
    else totalDisbursed += operation.amount;
    totalFees += operation.fees;
  }
  const available = balance - reserved;
  const figures = { balance, reserved, available, totalCollected, totalDisbursed, totalFees };
  return { figures, free: available - promised };
}

/**
 * Returns what the service must answer, in the order of refusals that it lists. An operation that
 * is taken is not entered yet.
 */
export function expectCreation(account: NaiveAccount, wish: NaiveWish, now: number): NaiveAnswer {
  const { terms, operations, keys } = account;
  if (account.account !== 'ACTIVE') return { status: 403, code: 'ACCOUNT_SUSPENDED' };
  if (wish.key === null) return { status: 400, code: 'IDEMPOTENCY_KEY_REQUIRED' };
  if (wish.flaw === 'form') return { status: 400, code: 'VALIDATION_ERROR' };
  const kept = keys.get(wish.key);
  if (kept !== undefined && now - kept.at < DAY) {
    return kept.wish === wish.body
      ? { status: 201, text: kept.text }
      : { status: 409, code: 'IDEMPOTENCY_KEY_REUSED' };
  }
  const { bps, flat, least, most } = wish.type === 'CASHIN' ? terms.cashin : terms.cashout;
  if (wish.amount < least || wish.amount > most)
    return { status: 422, code: 'AMOUNT_OUT_OF_BOUNDS' };
  if (wish.flaw === 'operator') return { status: 422, code: 'OPERATOR_UNAVAILABLE' };
  if (wish.flaw === 'phone') return { status: 422, code: 'INVALID_PHONE_NUMBER' };
  const taken = operations.some(
    (one) => one.externalReference === wish.externalReference && !hasLapsed(statusAt(one, now)),
  );
  if (wish.externalReference !== null && taken)
    return { status: 409, code: 'DUPLICATE_EXTERNAL_REFERENCE' };
  if (account.wallet !== 'ACTIVE') return { status: 403, code: 'WALLET_FROZEN' };
  const fees = roundedShare(wish.amount, bps, terms.rounding) + flat;
  const net = wish.type === 'CASHIN' ? wish.amount - fees : wish.amount + fees;
  const refusal =
    wish.type === 'CASHOUT' ? refuseCashout(account, { amount: wish.amount, net }, now) : null;
  if (refusal !== null) return refusal;
  const { type, amount, externalReference, redirects } = wish;
  const fate = { createdAt: now, reference: '', decided: null };
  return {
    status: 201,
    operation: { type, amount, fees, net, externalReference, redirects, ...fate },
  };
}

function refuseCashout(
  account: NaiveAccount,
  money: { readonly amount: number; readonly net: number },
  now: number,
) {
  const { dailyCeiling: limit } = account.terms;
  const counted = account.operations.filter(
    (one) => one.type === 'CASHOUT' && now - one.createdAt < DAY && !hasLapsed(statusAt(one, now)),
  );
  const used = counted.reduce((sum, { amount }) => sum + amount, 0);
  if (limit > 0 && used + money.amount > limit) {
    return {
      status: 422,
      code: 'DAILY_CASHOUT_LIMIT_EXCEEDED',
      details: { limit, used, amount: money.amount },
    };
  }
  const { free } = walletAt(account, now);
  if (free >= money.net) return null;
  const details = { available: free, required: money.net, currency: 'XOF' };
  return { status: 402, code: 'INSUFFICIENT_BALANCE', details };
}

/** Whether the decision is lawful now. A cash-in may be reversed only out of what is free. */
export function mayDecide(
  account: NaiveAccount,
  operation: NaiveOperation,
  to: string,
  now: number,
): boolean {
  const status = statusAt(operation, now);
  if (to !== 'REVERSED') return isOpen(status);
  if (status !== 'SUCCEEDED') return false;
  return operation.type === 'CASHOUT' || walletAt(account, now).free >= operation.amount;
}

/** Returns basis points of an amount in whole units, as one computes it on paper. */
function roundedShare(amount: number, bps: number, rounding: NaiveTerms['rounding']): number {
  const parts = BigInt(amount) * BigInt(bps);
  const added = { down: 0n, 'half up': 5_000n, up: 9_999n }[rounding];
  return Number((parts + added) / 10_000n);
}
