// Edits to complete books that keep the rest consistent: later running figures and the wallet follow the lines; the wallet's totals and
// what is notified follow the operations; whole operations are added by price, bounds and policy. Returns new books.

import type { Amount } from '../../../core/domain/amount.ts';
import { formatInstant, type Instant } from '../../../core/domain/instant.ts';
import { directionOf } from '../../../core/domain/ledger-entry.ts';
import {
  isFinal,
  lifetimeOf,
  mayBecome,
  type OperationStatus,
  type OperationType,
} from '../../../core/domain/operation.ts';
import { adjustmentNotified, notificationOf } from '../../model/notifications.ts';
import { drawPhoneNumber, operatorsOf } from '../../model/operators.ts';
import { type Books, totalsOfOperation, type WalletTotals } from '../../model/plan.ts';
import { feeOf, netAmountOf, type Post } from '../../model/postings.ts';
import { drawFrom, drawLetters, drawUuid, type Random } from '../../model/random.ts';
import type { ServedEntry, ServedNotification, ServedOperation } from '../../model/served.ts';

/** A line with what it does rather than what stands after it. `step` is the distance to the previous sequence. */
export interface Movement {
  readonly entry: ServedEntry;
  readonly step: number;
  readonly balance: Amount;
  readonly reserved: Amount;
}

/** The books' lines as movements, in order; the first starts from zero. */
export function movementsOf(books: Books): readonly Movement[] {
  let [sequence, balance, reserved] = [0, 0, 0];
  return books.entries.map((entry) => {
    const movement = {
      entry,
      step: entry.sequence - sequence,
      balance: entry.balanceAfter - balance,
      reserved: entry.reservedAfter - reserved,
    };
    [sequence, balance, reserved] = [entry.sequence, entry.balanceAfter, entry.reservedAfter];
    return movement;
  });
}

/** Books with these lines: sequences and running figures are counted anew, the wallet moves by as much as the head. */
export function withMovements(books: Books, movements: readonly Movement[]): Books {
  let [sequence, balance, reserved] = [0, 0, 0];
  const entries = movements.map((movement) => {
    sequence += movement.step;
    balance += movement.balance;
    reserved += movement.reserved;
    return { ...movement.entry, sequence, balanceAfter: balance, reservedAfter: reserved };
  });
  const head = books.entries.at(-1);
  const changes = { balance: balance - (head?.balanceAfter ?? 0), reserved: reserved - (head?.reservedAfter ?? 0) };
  return shiftWallet({ ...books, entries }, { ...changes, available: changes.balance - changes.reserved });
}

/** Books whose wallet figures are changed by these signed amounts, each by itself. */
export function shiftWallet(
  books: Books,
  changes: Partial<WalletTotals & { readonly balance: Amount; readonly reserved: Amount; readonly available: Amount }>,
): Books {
  const { wallet } = books;
  return {
    ...books,
    wallet: {
      ...wallet,
      balance: wallet.balance + (changes.balance ?? 0),
      reserved: wallet.reserved + (changes.reserved ?? 0),
      available: wallet.available + (changes.available ?? 0),
      totalCollected: wallet.totalCollected + (changes.totalCollected ?? 0),
      totalDisbursed: wallet.totalDisbursed + (changes.totalDisbursed ?? 0),
      totalFees: wallet.totalFees + (changes.totalFees ?? 0),
    },
  };
}

/** Leaves out the lines at these indexes as if they had never been posted: no gap, later figures follow. */
export function unpost(books: Books, indexes: readonly number[]): Books {
  return withMovements(
    books,
    movementsOf(books).filter((_, index) => !indexes.includes(index)),
  );
}

/** Replaces one line by what `post` does; its id, time, reference and description stay. */
export function repost(books: Books, index: number, post: Post): Books {
  const movements = movementsOf(books);
  return withMovements(
    books,
    movements.with(index, { ...movements[index]!, ...asPosted(movements[index]!.entry, post) }),
  );
}

/** Posts further lines so that the first of them stands at `index`, at the time of the line `like`. */
export function insertLines(
  books: Books,
  random: Random,
  wish: {
    readonly index: number;
    readonly posts: readonly Post[];
    readonly like: Pick<ServedEntry, 'currency' | 'createdAt' | 'operationReference' | 'description'>;
  },
): Books {
  const { currency, createdAt, operationReference, description } = wish.like;
  const inserted = wish.posts.map((post) => {
    const blank = { id: drawUuid(random), sequence: 0, direction: '', kind: '', amount: 0, currency };
    const entry = { ...blank, balanceAfter: 0, reservedAfter: 0, operationReference, description, createdAt };
    return { step: 1, ...asPosted(entry, post) };
  });
  const adjusted = inserted.filter(({ entry }) => entry.kind.startsWith('ADJUSTMENT_') && description !== null);
  const notifications = adjusted.map(({ entry }) =>
    adjustmentNotified(books.merchant.reference, { about: entry.id, createdAt }),
  );
  const present = notifications.length === 0 ? books : withNotifications(books, notifications);
  return withMovements(present, movementsOf(present).toSpliced(wish.index, 0, ...inserted));
}

function withNotifications(books: Books, more: readonly ServedNotification[]): Books {
  const notifications = [...books.notifications, ...more];
  notifications.sort((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0));
  return { ...books, notifications };
}

/** Changes fields of one line and nothing else: neither later lines nor the wallet follow. */
export function alterLine(books: Books, index: number, changes: Partial<ServedEntry>): Books {
  return { ...books, entries: books.entries.with(index, { ...books.entries[index]!, ...changes }) };
}

function asPosted(entry: ServedEntry, post: Post): Omit<Movement, 'step'> {
  const { kind, amount, balance, reserved } = post;
  return { entry: { ...entry, direction: directionOf(kind), kind, amount }, balance, reserved };
}

/**
 * Changes fields of one operation; the wallet's totals follow, and what is notified of it, as if it had always been so.
 * The ledger does not.
 */
export function alterOperation(books: Books, reference: string, changes: Partial<ServedOperation>): Books {
  const known = books.operations.find((operation) => operation.reference === reference)!;
  const altered = { ...known, ...changes };
  const operations = books.operations.map((operation) => (operation === known ? altered : operation));
  return withOperations({ ...books, notifications: followOperation(books, known, altered) }, operations);
}

/**
 * Books with these operations, in ascending createdAt; the wallet's totals move by as much as theirs, and what a new
 * operation has come to is notified.
 */
function withOperations(books: Books, operations: readonly ServedOperation[]): Books {
  const ordered = operations.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0));
  const [before, after] = [sumTotals(books.operations, books), sumTotals(operations, books)];
  const known = new Set(books.operations.map(({ reference }) => reference));
  const added = ordered.filter(({ reference }) => !known.has(reference));
  const sent = added.flatMap((operation) => notificationOf(books.merchant.reference, operation) ?? []);
  return shiftWallet(
    { ...books, operations: ordered, notifications: [...books.notifications, ...sent] },
    {
      totalCollected: after.totalCollected - before.totalCollected,
      totalDisbursed: after.totalDisbursed - before.totalDisbursed,
      totalFees: after.totalFees - before.totalFees,
    },
  );
}

function sumTotals(operations: readonly ServedOperation[], { policy }: Books): WalletTotals {
  return operations.reduce(
    (sum, operation) => {
      const part = totalsOfOperation(operation, policy);
      return {
        totalCollected: sum.totalCollected + part.totalCollected,
        totalDisbursed: sum.totalDisbursed + part.totalDisbursed,
        totalFees: sum.totalFees + part.totalFees,
      };
    },
    { totalCollected: 0, totalDisbursed: 0, totalFees: 0 },
  );
}

/** The notifications of `books` with those of `known` as they would be, had it always been `altered`. */
function followOperation(
  { notifications, merchant }: Books,
  known: ServedOperation,
  altered: ServedOperation,
): readonly ServedNotification[] {
  const followed = notifications.flatMap((one) => {
    const { operation } = one.data;
    if (operation?.reference !== known.reference) return [one];
    if (!isLawful(operation, altered)) return [];
    const { status, updatedAt, completedAt, requiresPayerAction } = operation;
    const { failure } = status === altered.status ? altered : operation;
    const then = { ...altered, status, updatedAt, completedAt, failure, requiresPayerAction };
    return [{ ...one, data: { operation: then } }];
  });
  const isItsState = (one: ServedNotification): boolean =>
    one.data.operation?.reference === altered.reference && one.data.operation.status === altered.status;
  const own = followed.some(isItsState) ? null : notificationOf(merchant.reference, altered);
  return own === null ? followed : [...followed, own];
}

function isLawful({ status, updatedAt }: ServedOperation, altered: ServedOperation): boolean {
  return status === altered.status || (mayBecome(status, altered.status) && updatedAt <= altered.updatedAt);
}

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
