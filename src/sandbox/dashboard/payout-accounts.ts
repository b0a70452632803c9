// The accounts that a merchant is paid out to. One of them may be primary; automatic payouts go there.

import { formatInstant, type Instant } from '../../core/domain/instant.ts';
import type { PayoutAccountType } from '../plan.ts';
import { drawDigits, seedRandom, uuidOf } from '../random.ts';

export interface PayoutAccount {
  readonly id: string;
  readonly type: PayoutAccountType;
  readonly label: string;
  readonly number: string;
  /** Of a bank account. */
  readonly bankCode: string | null;
  isPrimary: boolean;
  readonly createdAt: Instant;
}

/** The part of a dashboard that holds them. */
interface Holder {
  readonly plan: { readonly reference: string };
  readonly seed: string;
  readonly now: Instant;
  readonly payoutAccounts: PayoutAccount[];
  accountsAdded: number;
}

/** The first one is primary. What is null is made up. */
export function addPayoutAccount(
  holder: Holder,
  wish: {
    readonly type: PayoutAccountType;
    readonly label: string | null;
    readonly number: string | null;
    readonly bankCode: string | null;
  },
): PayoutAccount {
  holder.accountsAdded += 1;
  const about = `${holder.seed}/${holder.plan.reference}/payout account ${holder.accountsAdded}`;
  const account: PayoutAccount = {
    id: uuidOf(about),
    type: wish.type,
    label: wish.label ?? (wish.type === 'BANK' ? 'Compte bancaire' : 'Compte mobile'),
    number: wish.number ?? drawDigits(seedRandom(about), 10),
    bankCode: wish.bankCode,
    isPrimary: primaryOf(holder) === null,
    createdAt: holder.now,
  };
  holder.payoutAccounts.push(account);
  return account;
}

export function primaryOf({ payoutAccounts }: Pick<Holder, 'payoutAccounts'>): PayoutAccount | null {
  return payoutAccounts.find(({ isPrimary }) => isPrimary) ?? null;
}

export function payoutAccountNamed(
  { payoutAccounts }: Pick<Holder, 'payoutAccounts'>,
  id: unknown,
): PayoutAccount | null {
  return payoutAccounts.find((one) => one.id === id) ?? null;
}

/** As the API serves it. */
export function shownAccount({ createdAt, ...account }: PayoutAccount) {
  return { ...account, createdAt: formatInstant(createdAt) };
}

export function makePrimary({ payoutAccounts }: Pick<Holder, 'payoutAccounts'>, account: PayoutAccount): void {
  for (const one of payoutAccounts) one.isPrimary = one === account;
}

/** No other account becomes primary instead. */
export function removePayoutAccount({ payoutAccounts }: Pick<Holder, 'payoutAccounts'>, account: PayoutAccount): void {
  payoutAccounts.splice(payoutAccounts.indexOf(account), 1);
}
