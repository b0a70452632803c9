// Takes the rows of one pass: lines and operations side by side in the order of time, so that an
// operation meets its lines while both are at hand. What a first pass has taken is taken once more,
// and not asked for again.

import {
  type Batch,
  countOf,
  keptOf,
  lastOf,
  type OperationVersion,
  OutOfOrder,
  viewOf,
} from '../../domain/snapshot.ts';
import { chosenOf, entriesBefore, operationsAt } from './cut-books.ts';
import { ask, type Rows, type Session } from './drive.ts';
import { endEntries, type Memory, takeEntries, takeOperations } from './memory.ts';
import { settleWhenFull } from './settle.ts';

export interface Pass {
  readonly memory: Memory;
  /** It takes the first lines only, and what it takes is kept for the next pass. */
  readonly isFirstPass: boolean;
}

/** Lines that a first pass takes. */
const FIRST_LINES = 10_000;
/**
 * Rows of one stream that are kept of it. An operation may be older than every line, and so come
 * before them all.
 */
const MOST_KEPT = 50_000;

/** Operations whose wallet may show that they should not be. */
const NEWEST = 500;
/**
 * Batches of operations that stay where they were read until newer ones are there, so that none of
 * theirs is made an object. A source waits for what is not released, and has one batch more than
 * these.
 */
const MOST_WAITING = 5;

/** `begin` is called again when the rows turn out not to be in order. */
export function* takeRows(rows: Rows, begin: () => Pass): Session<Pass> {
  for (;;) {
    if (!rows.areOpen) yield* ask<'rows'>({ what: 'rows' });
    rows.areOpen = true;
    const pass = begin();
    try {
      yield* takeBoth(rows, pass);
      if (!pass.isFirstPass || Math.max(rowsIn(rows.entries), rowsIn(rows.operations)) > MOST_KEPT)
        close(rows);
      return pass;
    } catch (failure) {
      if (!(failure instanceof OutOfOrder)) throw failure;
      close(rows);
    }
  }
}

/**
 * Of a source that moves, all lines come first: so every line is older than the operation that it
 * is judged by.
 */
function* takeBoth(rows: Rows, pass: Pass): Session<void> {
  const { memory, isFirstPass } = pass;
  const { cutBooks } = memory;
  let taken = 0;
  let until = Number.NEGATIVE_INFINITY;
  for (;;) {
    const need = { what: 'entries', taken: isFirstPass ? 0 : taken } as const;
    const given = (isFirstPass ? undefined : rows.entries.shift()) ?? (yield* ask<'entries'>(need));
    if (given === null) break;
    const whole = isFirstPass ? keptOf(given) : given;
    if (isFirstPass) rows.entries.push(whole);
    const { batch, isOver } =
      cutBooks === null ? { batch: whole, isOver: false } : entriesBefore(cutBooks, whole);
    takeEntries(memory, batch);
    settleWhenFull(memory);
    taken += countOf(batch);
    batch.view?.release();
    while (!memory.settings.keepsAll && until <= memory.readUntil)
      until = yield* takeNextOperations(rows, pass);
    if (isFirstPass && taken >= FIRST_LINES) return;
    if (isOver) break;
  }
  endEntries(memory);
  while (until < Number.POSITIVE_INFINITY) until = yield* takeNextOperations(rows, pass);
}

/** Takes one batch; returns the newest createdAt in it, or infinity at the end. */
function* takeNextOperations({ operations }: Rows, { memory, isFirstPass }: Pass): Session<number> {
  const kept = isFirstPass ? undefined : operations.shift();
  const given = kept ?? (yield* ask<'operations'>({ what: 'operations' }));
  if (given === null) {
    while (memory.newest.length > 0) keepNewest(memory);
    return Number.POSITIVE_INFINITY;
  }
  const whole = isFirstPass ? keptOf(given) : given;
  if (isFirstPass) operations.push(whole);
  const newest = lastOf(whole)?.operation.createdAt ?? Number.NEGATIVE_INFINITY;
  const batch = withoutEarlier(
    memory,
    memory.cutBooks === null ? whole : operationsAt(memory.cutBooks, whole),
  );
  takeOperations(memory, batch);
  memory.newest.push(batch);
  if (memory.newest.length > MOST_WAITING) keepNewest(memory);
  settleWhenFull(memory);
  return newest;
}

/**
 * Of a ledger with a declared opening: without the operations that ended before its first known
 * line. Their lines are in that opening, and are not owed; one that a later line names is recalled.
 */
function withoutEarlier(
  { books, settings, context }: Memory,
  batch: Batch<OperationVersion>,
): Batch<OperationVersion> {
  const { knownFrom } = books;
  if (settings.opening === null || knownFrom === null || knownFrom > context.latest) return batch;
  const view = viewOf(batch);
  if (view.count === 0 || view.at(0).operation.createdAt >= knownFrom) return batch;
  return chosenOf(batch, (version) => {
    const { completedAt } = version.operation;
    if (completedAt === null || completedAt >= knownFrom) return version;
    books.leavesOutEarlier = true;
    return null;
  });
}

/**
 * Releases the oldest batch of those that wait, and keeps what is among the newest operations of
 * it.
 */
function keepNewest({ books, newest }: Memory): void {
  const view = viewOf(newest.shift()!);
  if (view.count > 0) books.first ??= view.copy(0).operation;
  const later = newest.reduce((sum, batch) => sum + countOf(batch), 0);
  for (let i = Math.max(0, view.count + later - NEWEST); i < view.count; i += 1)
    books.recent.push(view.copy(i).operation);
  if (books.recent.length > 2 * NEWEST) books.recent = books.recent.slice(-NEWEST);
  view.release();
}

function close(rows: Rows): void {
  rows.areOpen = false;
  rows.entries.length = 0;
  rows.operations.length = 0;
}

function rowsIn(batches: readonly Batch<unknown>[]): number {
  return batches.reduce((sum, { rows }) => sum + rows.length, 0);
}
