// Adds whole operations to complete books: consistent with the price, the bounds and the policy, for faults that need a
// situation which the history may not offer.

import type { Amount } from '../../../core/domain/amount.ts';
import { formatInstant, type Instant } from '../../../core/domain/instant.ts';
import { isFinal, lifetimeOf, type OperationStatus, type OperationType } from '../../../core/domain/operation.ts';
import type { Books } from '../../books.ts';
import { feeOf, netAmountOf } from '../../fee.ts';
import type { Post } from '../../postings.ts';
import { drawFrom, drawLetters, type Random } from '../../random.ts';
import type { ServedOperation } from '../../served.ts';
import { drawPhoneNumber, operatorsOf } from '../../simulation/operators.ts';
import { insertLines } from '../edit-books.ts';
import { withOperations } from './edit-operations.ts';

export interface Wish {
  readonly type: OperationType;
  readonly status: OperationStatus;
  readonly amount: Amount;
  readonly createdAt: Instant;
  /** When it took its present state. */
  readonly movedAt: Instant;
}

export function fabricateOperation(books: Books, random: Random, wish: Wish): ServedOperation {
  const { type, status, amount } = wish;
  const terms = { pricing: books.merchant.pricing, rounding: books.policy.feeRounding };
  const fees = feeOf({ type, amount }, terms);
  const { country } = books.merchant;
  return {
    reference: `GUI-${type === 'CASHIN' ? 'CI' : 'CO'}-${drawLetters(random, 11)}`,
    type,
    status,
    amount,
    fees,
    netAmount: netAmountOf({ type, amount, fees }),
    currency: books.wallet.currency,
    country,
    operator: drawFrom(random, operatorsOf(country)),
    counterparty: { phoneNumber: drawPhoneNumber(random, country), name: null },
    externalReference: null,
    description: null,
    payerActionUrl: null,
    requiresPayerAction: false,
    failure: status === 'FAILED' ? { code: 'OPERATOR_REFUSED', message: 'Opération refusée' } : null,
    metadata: null,
    createdAt: formatInstant(wish.createdAt),
    updatedAt: formatInstant(wish.movedAt),
    completedAt: isFinal(status) ? formatInstant(wish.movedAt) : null,
    expiresAt: formatInstant(wish.createdAt + lifetimeOf(type)),
  };
}

export function addOperation(books: Books, operation: ServedOperation): Books {
  return withOperations(books, [...books.operations, operation]);
}

/** Posts an operation's lines at an instant: before the first line that is later. `index` is where the first stands. */
export function postAt(
  books: Books,
  random: Random,
  wish: { readonly at: Instant; readonly posts: readonly Post[]; readonly operation: ServedOperation },
): { readonly books: Books; readonly index: number } {
  const index = indexAt(books, wish.at);
  const like = {
    currency: books.wallet.currency,
    createdAt: formatInstant(wish.at),
    operationReference: wish.operation.reference,
    description: null,
  };
  return { books: insertLines(books, random, { index, posts: wish.posts, like }), index };
}

/** Index of the first line that is later than `at`, or the number of lines. */
export function indexAt(books: Books, at: Instant): number {
  const later = books.entries.findIndex((entry) => Date.parse(entry.createdAt) > at);
  return later < 0 ? books.entries.length : later;
}
