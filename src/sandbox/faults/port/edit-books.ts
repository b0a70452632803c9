// Edits complete books and keeps the rest consistent: later running figures and the wallet follow
// the lines, and the wallet's totals and the notifications follow the operations. Functions return
// new books, or a change: new books with the place that an audit should name.

import type { Amount } from '../../../core/domain/amount.ts';
import { formatInstant, type Instant } from '../../../core/domain/instant.ts';
import { directionOf } from '../../../core/domain/ledger-entry.ts';
import {
  isFinal,
  mayBecome,
  type OperationStatus,
  type OperationType,
} from '../../../core/domain/operation.ts';
import { notificationAbout, notificationOf } from '../../model/notifications.ts';
import { drawPhoneNumber, operatorsOf } from '../../model/operators.ts';
import { addTotals, type Books, totalsOf, type WalletTotals } from '../../model/plan.ts';
import { credit, debit, moneyOf, newOperation, type Post, termsOf } from '../../model/postings.ts';
import { drawFrom, drawLetters, drawUuid, type Random } from '../../model/random.ts';
import type { ServedEntry, ServedNotification, ServedOperation } from '../../model/served.ts';

/**
 * A line with signed changes in place of running figures. `step` is the distance from the previous
 * sequence.
 */
export interface Movement {
  readonly entry: ServedEntry;
  readonly step: number;
  readonly balance: Amount;
  readonly reserved: Amount;
}

/** Returns the books' lines as movements, in order. The first one starts from zero. */
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

/**
 * Returns the books with these lines: sequences and running figures are computed again, and the
 * wallet moves by as much as the head.
 */
export function withMovements(books: Books, movements: readonly Movement[]): Books {
  let [sequence, balance, reserved] = [0, 0, 0];
  const entries = movements.map((movement) => {
    sequence += movement.step;
    balance += movement.balance;
    reserved += movement.reserved;
    return { ...movement.entry, sequence, balanceAfter: balance, reservedAfter: reserved };
  });
  const head = books.entries.at(-1);
  const changes = {
    balance: balance - (head?.balanceAfter ?? 0),
    reserved: reserved - (head?.reservedAfter ?? 0),
  };
  return shiftWallet(
    { ...books, entries },
    { ...changes, available: changes.balance - changes.reserved },
  );
}

/** Returns the books with these signed amounts added to the wallet's figures, each by itself. */
export function shiftWallet(
  books: Books,
  changes: Partial<
    WalletTotals & {
      readonly balance: Amount;
      readonly reserved: Amount;
      readonly available: Amount;
    }
  >,
): Books {
  const wallet = { ...books.wallet };
  for (const figure of Object.keys(changes) as (keyof typeof changes)[])
    wallet[figure] += changes[figure] ?? 0;
  return { ...books, wallet };
}

/**
 * Adds these signed amounts to the changes of the line at `index`. Later sequences, running figures
 * and the wallet follow.
 */
export function shiftFrom(
  books: Books,
  index: number,
  by: Partial<Readonly<Record<'step' | 'balance' | 'reserved', number>>>,
): Books {
  const movements = movementsOf(books);
  const shifted = { ...movements[index]! };
  for (const change of Object.keys(by) as (keyof typeof by)[]) shifted[change] += by[change] ?? 0;
  return withMovements(books, movements.with(index, shifted));
}

/**
 * Removes the lines at these indexes as if they had never been posted: there is no gap, and later
 * figures follow.
 */
export function unpost(books: Books, ...indexes: readonly number[]): Books {
  return withMovements(
    books,
    movementsOf(books).filter((_, index) => !indexes.includes(index)),
  );
}

/** Removes one line of an operation in the same way. The place is the operation. */
export function unpostOne(books: Books, index: number): Change {
  return atOperation(unpost(books, index), books.entries[index]!.operationReference!);
}

/** Replaces one line by `post`. Its id, time, reference and description stay. */
export function repost(books: Books, index: number, post: Post): Books {
  const movements = movementsOf(books);
  return withMovements(
    books,
    movements.with(index, { ...movements[index]!, ...asPosted(movements[index]!.entry, post) }),
  );
}

/**
 * Posts lines, the first of them at `index`, with the time and the reference of the line `like`.
 */
export function insertLines(
  books: Books,
  random: Random,
  wish: {
    readonly index: number;
    readonly posts: readonly Post[];
    readonly like: Pick<
      ServedEntry,
      'currency' | 'createdAt' | 'operationReference' | 'description'
    >;
  },
): Books {
  const { currency, createdAt, operationReference, description } = wish.like;
  const inserted = wish.posts.map((post) => {
    const blank = {
      id: drawUuid(random),
      sequence: 0,
      direction: '',
      kind: '',
      amount: 0,
      currency,
    };
    const entry = {
      ...blank,
      balanceAfter: 0,
      reservedAfter: 0,
      operationReference,
      description,
      createdAt,
    };
    return { step: 1, ...asPosted(entry, post) };
  });
  const adjusted = inserted.filter(
    ({ entry }) => entry.kind.startsWith('ADJUSTMENT_') && description !== null,
  );
  const notifications = adjusted.map(({ entry: { id } }) =>
    notificationAbout(books.merchant.reference, {
      type: 'wallet.adjusted',
      about: `adjusted/${id}`,
      createdAt,
    }),
  );
  const all = [...books.notifications, ...notifications];
  const present = notifications.length === 0 ? books : { ...books, notifications: inOrder(all) };
  return withMovements(present, movementsOf(present).toSpliced(wish.index, 0, ...inserted));
}

/**
 * Posts lines before the line at an index, with the fields of that line except for `changes`. The
 * place is the first of them.
 */
export const insertBefore = insertBeside(0);

/** Posts lines after the line at an index, as `insertBefore` does before it. */
export const insertAfter = insertBeside(1);

function insertBeside(distance: 0 | 1) {
  return (
    books: Books,
    random: Random,
    at: number,
    posts: readonly Post[],
    changes: Partial<ServedEntry> = {},
  ) => {
    const [index, like] = [at + distance, { ...books.entries[at]!, ...changes }];
    return atLine(insertLines(books, random, { index, posts, like }), index);
  };
}

/**
 * Adds an adjustment that takes `amount` away before the line at `index`, and one that brings it
 * back after it. The place is that line.
 */
export function withoutMeanwhile(
  books: Books,
  random: Random,
  index: number,
  amount: Amount,
): Change {
  const changes = { operationReference: null, description: 'Régularisation provisoire' };
  const returned = insertAfter(
    books,
    random,
    index,
    [credit('ADJUSTMENT_CREDIT', amount)],
    changes,
  ).books;
  const taken = insertBefore(returned, random, index, [debit('ADJUSTMENT_DEBIT', amount)], changes);
  return atLine(taken.books, index + 1);
}

/** Returns the rows ascending in createdAt. */
export function inOrder<Row extends { readonly createdAt: string }>(
  rows: readonly Row[],
): readonly Row[] {
  return rows.toSorted((a, b) =>
    a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0,
  );
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
 * Changes fields of one operation. The wallet's totals and its notifications follow, as if the
 * operation had always been so. The ledger does not follow.
 */
export function alterOperation(
  books: Books,
  reference: string,
  changes: Partial<ServedOperation>,
): Books {
  const known = books.operations.find((operation) => operation.reference === reference)!;
  const altered = { ...known, ...changes };
  const operations = books.operations.map((operation) =>
    operation === known ? altered : operation,
  );
  return withOperations(
    { ...books, notifications: followOperation(books, known, altered) },
    operations,
  );
}

/**
 * Returns the books with these operations, ascending in createdAt. The wallet's totals move by as
 * much as theirs, and the state of each new operation is notified.
 */
function withOperations(books: Books, operations: readonly ServedOperation[]): Books {
  const ordered = inOrder(operations);
  const [before, after] = [books.operations, operations].map((all) => totalsOf(all, books.policy));
  const known = new Set(books.operations.map(({ reference }) => reference));
  const added = ordered.filter(({ reference }) => !known.has(reference));
  const sent = added.flatMap(
    (operation) => notificationOf(books.merchant.reference, operation) ?? [],
  );
  return shiftWallet(
    { ...books, operations: ordered, notifications: [...books.notifications, ...sent] },
    addTotals(after!, before!, -1),
  );
}

/**
 * Returns the notifications of `books`, with those of `known` as they would be if it had always
 * been `altered`.
 */
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
    one.data.operation?.reference === altered.reference &&
    one.data.operation.status === altered.status;
  const own = followed.some(isItsState) ? null : notificationOf(merchant.reference, altered);
  return own === null ? followed : [...followed, own];
}

/** Changes an operation as `alterOperation` does. The place is the operation. */
export function restate(
  books: Books,
  { reference }: ServedOperation,
  changes: Partial<ServedOperation>,
): Change {
  return atOperation(alterOperation(books, reference, changes), changes.reference ?? reference);
}

function isLawful({ status, updatedAt }: ServedOperation, altered: ServedOperation): boolean {
  return (
    status === altered.status ||
    (mayBecome(status, altered.status) && updatedAt <= altered.updatedAt)
  );
}

/**
 * What an operation to be made up must be. It reached its state at `movedAt`. Its price comes from
 * the profile and the policy.
 */
export interface Wish {
  readonly type: OperationType;
  readonly status: OperationStatus;
  readonly amount: Amount;
  readonly createdAt: Instant;
  readonly movedAt: Instant;
}

export function fabricateOperation(books: Books, random: Random, wish: Wish): ServedOperation {
  const { type, status, amount, createdAt } = wish;
  const { country } = books.merchant;
  const operation = newOperation({
    ...moneyOf({ type, amount }, termsOf(books.merchant, books.policy)),
    code: drawLetters(random, 11),
    currency: books.wallet.currency,
    country,
    operator: drawFrom(random, operatorsOf(country)),
    counterparty: { phoneNumber: drawPhoneNumber(random, country), name: null },
    createdAt,
  });
  const updatedAt = formatInstant(wish.movedAt);
  const failure =
    status === 'FAILED' ? { code: 'OPERATOR_REFUSED', message: 'Opération refusée' } : null;
  const completedAt = isFinal(status) ? updatedAt : null;
  return { ...operation, status, payerActionUrl: null, failure, updatedAt, completedAt };
}

export function addOperation(books: Books, operation: ServedOperation): Books {
  return withOperations(books, [...books.operations, operation]);
}

/**
 * Posts lines of an operation before the first line that is later than `at`. The place is the first
 * of them.
 */
export function postAt(
  books: Books,
  random: Random,
  wish: {
    readonly at: Instant;
    readonly posts: readonly Post[];
    readonly operation: ServedOperation;
  },
): Change {
  const index = indexAt(books, wish.at);
  const like = {
    currency: books.wallet.currency,
    createdAt: formatInstant(wish.at),
    operationReference: wish.operation.reference,
    description: null,
  };
  return atLine(insertLines(books, random, { index, posts: wish.posts, like }), index);
}

/** Returns the index of the first line that is later than `at`, or the number of lines. */
export function indexAt(books: Books, at: Instant): number {
  const later = books.entries.findIndex((entry) => Date.parse(entry.createdAt) > at);
  return later < 0 ? books.entries.length : later;
}

/**
 * Changed books, and the place that an audit should name. A part of the place is `null` when it has
 * none.
 */
export interface Change {
  readonly books: Books;
  readonly sequence: number | null;
  readonly operationReference: string | null;
}

export function atLine(books: Books, index: number): Change {
  const { sequence, operationReference } = books.entries[index]!;
  return { books, sequence, operationReference };
}

/** Returns the change with a line as its place, where the fault is about no single operation. */
export function atSequence(books: Books, index: number): Change {
  return { ...atLine(books, index), operationReference: null };
}

/** Returns the change with an operation as its place, where no line can be named. */
export function atOperation(books: Books, operationReference: string): Change {
  return { books, sequence: null, operationReference };
}

/** Returns the change without a place, where neither a line nor an operation can be named. */
export function atWallet(books: Books): Change {
  return { books, sequence: null, operationReference: null };
}
