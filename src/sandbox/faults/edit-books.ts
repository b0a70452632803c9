// Edits to complete books that keep the rest consistent: later running figures and the wallet follow the lines, the
// wallet's totals follow the operations. Returns new books; the old ones are never changed.

import type { Amount } from '../../core/domain/amount.ts';
import { directionOf } from '../../core/domain/ledger-entry.ts';
import type { Books, WalletTotals } from '../books.ts';
import { adjustmentNotified } from '../notify.ts';
import type { Post } from '../postings.ts';
import { drawUuid, type Random } from '../random.ts';
import type { ServedEntry, ServedNotification } from '../served.ts';

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
