// Finds places in the books where a fault can be planted: operations with their lines, and how much
// the available balance can lose after a line without going below zero.

import type { Amount } from '../../../core/domain/amount.ts';
import { DAY, HOUR } from '../../../core/domain/instant.ts';
import type { OperationStatus, OperationType } from '../../../core/domain/operation.ts';
import type { Books } from '../../model/plan.ts';
import { holdOf } from '../../model/postings.ts';
import { drawFrom, drawInteger, type Random } from '../../model/random.ts';
import type { ServedEntry, ServedOperation } from '../../model/served.ts';

/** An operation and the indexes of the lines that name it, ascending. */
export interface Case {
  readonly operation: ServedOperation;
  readonly lines: readonly number[];
}

export const LAPSED: readonly OperationStatus[] = ['FAILED', 'EXPIRED', 'CANCELLED'];

/**
 * Returns operations of this type and these states that have been final for at least an hour at the
 * books' instant.
 */
export function casesOf(
  books: Books,
  wanted: OperationType,
  statuses: readonly OperationStatus[] = ['SUCCEEDED'],
): readonly Case[] {
  const lines = Map.groupBy(
    books.entries.keys(),
    (index) => books.entries[index]!.operationReference,
  );
  return books.operations
    .filter(({ type, status }) => type === wanted && statuses.includes(status))
    .filter(({ updatedAt }) => Date.parse(updatedAt) <= books.asOf - HOUR)
    .map((operation) => ({ operation, lines: lines.get(operation.reference) ?? [] }));
}

/** Returns the index of the case's first line of that kind, or −1. */
export function lineOf({ lines }: Case, books: Books, kind: string): number {
  return lines.find((index) => books.entries[index]!.kind === kind) ?? -1;
}

/** Returns for every line the smallest available balance after it or after any later line. */
export function slackOf(books: Books): readonly Amount[] {
  const slack = books.entries.map((entry) => entry.balanceAfter - entry.reservedAfter);
  for (let i = slack.length - 2; i >= 0; i -= 1) slack[i] = Math.min(slack[i]!, slack[i + 1]!);
  return slack;
}

/** Finds the indexes of lines of these kinds that are neither the first nor among the last two. */
export function inner(...kinds: readonly string[]) {
  return ({ entries }: Books): readonly number[] =>
    [...entries.keys()].slice(1, -2).filter((index) => kinds.includes(entries[index]!.kind));
}

export function pick<Item>(random: Random, items: readonly Item[]): Item | null {
  return items.length === 0 ? null : drawFrom(random, items);
}

/**
 * Returns the newest of `items` that a daily look has seen in its present form; `null` when there
 * is none. The items must be ascending in time.
 */
export function newestSeen<Item>(
  { asOf }: Books,
  items: readonly Item[],
  changedAt: (item: Item) => string,
): Item | null {
  return items.findLast((item) => Date.parse(changedAt(item)) < asOf - DAY) ?? null;
}

/**
 * Returns, for operations that succeeded and were not reversed, the index of their first line of
 * that kind. Operations without such a line are left out.
 */
export function linesOfSettled(
  books: Books,
  kind: 'CASHIN_CREDIT' | 'CASHIN_FEE' | 'CASHOUT_DEBIT' | 'CASHOUT_FEE',
) {
  return casesOf(books, kind.startsWith('CASHIN') ? 'CASHIN' : 'CASHOUT')
    .map((one) => lineOf(one, books, kind))
    .filter((index) => index >= 0);
}

export function creditsOf(books: Books): readonly number[] {
  return linesOfSettled(books, 'CASHIN_CREDIT');
}

/**
 * Returns the fee lines of collections that succeeded, or those of transfers if collections have
 * none.
 */
export function feeLinesOf(books: Books): readonly number[] {
  const collections = linesOfSettled(books, 'CASHIN_FEE');
  return collections.length > 0 ? collections : linesOfSettled(books, 'CASHOUT_FEE');
}

export interface LapsedHold {
  readonly operation: ServedOperation;
  readonly held: number;
  readonly released: number;
}

/** Returns lapsed cash-outs that have exactly one hold and one release. */
export function lapsedHolds(books: Books, statuses = LAPSED): readonly LapsedHold[] {
  return casesOf(books, 'CASHOUT', statuses).flatMap((one) => {
    const [held, released] = [
      lineOf(one, books, 'CASHOUT_HOLD'),
      lineOf(one, books, 'CASHOUT_RELEASE'),
    ];
    return held < 0 || released < 0 || one.lines.length !== 2
      ? []
      : [{ operation: one.operation, held, released }];
  });
}

/** Returns lapsed holds whose money was not needed at any later line. */
export function lapsedWithSlack(books: Books, statuses = LAPSED): readonly LapsedHold[] {
  const slack = slackOf(books);
  return lapsedHolds(books, statuses).filter(
    ({ released, operation }) => slack[released]! >= holdOf(operation, books.policy),
  );
}

/**
 * Returns those of `lines` after which the available balance could always be lower by an amount:
 * the line's own, or that of `needed`.
 */
export function spared(
  books: Books,
  lines: readonly number[],
  needed: (line: ServedEntry) => Amount = ({ amount }) => amount,
): readonly number[] {
  const slack = slackOf(books);
  return lines.filter((index) => slack[index]! >= needed(books.entries[index]!));
}

/** Finds inner lines of these kinds after which the available balance never falls to 200. */
export function roomy(...kinds: readonly string[]) {
  return (books: Books): readonly number[] => spared(books, inner(...kinds)(books), () => 201);
}

/** Draws an amount that is large enough to be wrong and small enough to fit everywhere. */
export function drawFew(random: Random): Amount {
  return drawInteger(random, { from: 1, to: 99 });
}
