// Takes the rows of one pass: lines and operations side by side in the order of time, so that an
// operation meets its lines while both are at hand. Rows that a first pass has read are taken again
// from memory, and not read twice.

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
  /** A first pass takes only the first lines, and keeps its rows for the next pass. */
  readonly isFirstPass: boolean;
}

/** How many lines a first pass takes, at least. */
const FIRST_LINES = 10_000;
/**
 * A first pass keeps up to this many rows of a stream for the next pass; with more, the streams
 * begin again. It may meet many operations, because all that are older than the first line come
 * before it.
 */
const MOST_KEPT = 50_000;

/**
 * How many of the newest operations are kept, which the state of the wallet may show to be
 * unlawful.
 */
const NEWEST = 500;
/**
 * How many batches of operations wait unreleased until newer ones have come, so that no objects are
 * made of operations that are not among the newest. A source waits for what is not released, so it
 * must have one batch more than these.
 */
const MOST_WAITING = 5;

/** Takes all rows of a pass. `begin` is called again when the rows turn out not to be in order. */
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
 * Takes lines and operations. From a moving source all lines come first, so that every line is
 * older than the version of the operation that it is judged by.
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
 * Leaves out the operations that ended before the first known line, where an opening is declared:
 * their lines are part of that opening. If a later line names one, it is recalled.
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
 * Releases the oldest waiting batch, and keeps those of its operations that are among the newest.
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
