// Takes the rows of one pass: lines and operations side by side in the order of time, so that an operation meets its lines
// while both are at hand. What a first look has taken is taken once more, and not asked for again.

import type { LedgerEntry } from '../domain/ledger-entry.ts';
import { type Batch, type OperationVersion, OutOfOrder } from '../domain/snapshot.ts';
import { ask, type Session } from './drive.ts';
import { type LineWatch, watchEntries } from './leave-out.ts';
import { endEntries, type Memory, takeEntries, takeOperations } from './memory.ts';
import { suspectRepeated } from './recall.ts';
import { settleWhenFull } from './settle.ts';

/** The two streams of a session, and what was taken of them already. */
export interface Rows {
  /** The streams stand behind `prefetched`: they need not begin again. */
  areOpen: boolean;
  readonly prefetched: { readonly entries: Batch<LedgerEntry>[]; readonly operations: Batch<OperationVersion>[] };
}

/** Lines that a first look takes. */
const FIRST_LINES = 10_000;
/** Rows of one stream that are kept of it. An operation may be older than every line, and so come before them all. */
const MOST_PREFETCHED = 50_000;

export function beginRows(): Rows {
  return { areOpen: false, prefetched: { entries: [], operations: [] } };
}

/** Takes the first lines, and the operations that belong to them. */
export function* takeFirstRows(rows: Rows, begin: () => Memory): Session<Memory> {
  return yield* inOrder(rows, function* () {
    const memory = begin();
    const { entries, operations } = rows.prefetched;
    const source: RowSource = {
      *entries() {
        return kept(entries, yield* ask<'entries'>({ what: 'entries', taken: 0 }));
      },
      *operations() {
        return kept(operations, yield* ask<'operations'>({ what: 'operations' }));
      },
    };
    yield* takeFrom(source, memory, { limit: FIRST_LINES, watch: null });
    if (Math.max(rowsIn(entries), rowsIn(operations)) > MOST_PREFETCHED) close(rows);
    return memory;
  });
}

/** Takes all rows. `begin` is called again when they turn out not to be in order. */
export function* takeAllRows<Begun extends { readonly memory: Memory; readonly watch: LineWatch | null }>(
  rows: Rows,
  begin: () => Begun,
): Session<Begun> {
  return yield* inOrder(rows, function* () {
    const begun = begin();
    const { entries, operations } = rows.prefetched;
    const source: RowSource = {
      *entries(taken) {
        return entries.shift() ?? (yield* ask<'entries'>({ what: 'entries', taken }));
      },
      *operations() {
        return operations.shift() ?? (yield* ask<'operations'>({ what: 'operations' }));
      },
    };
    yield* takeFrom(source, begun.memory, { limit: Number.POSITIVE_INFINITY, watch: begun.watch });
    close(rows);
    return begun;
  });
}

/** Looks for the rows whose identities were seen twice: all are passed once more, but only when there are such. */
export function* lookUpRepeated(memory: Memory): Session<void> {
  const suspicion = suspectRepeated(memory);
  if (suspicion === null) return;
  yield* ask<'rows'>({ what: 'rows' });
  for (let batch = yield* ask<'entries'>({ what: 'entries', taken: 0 }); batch !== null; ) {
    batch.rows.forEach(suspicion.entry);
    batch = yield* ask<'entries'>({ what: 'entries', taken: 0 });
  }
  for (let batch = yield* ask<'operations'>({ what: 'operations' }); batch !== null; ) {
    for (const { operation } of batch.rows) suspicion.operation(operation);
    batch = yield* ask<'operations'>({ what: 'operations' });
  }
}

interface RowSource {
  entries(taken: number): Session<Batch<LedgerEntry> | null>;
  operations(): Session<Batch<OperationVersion> | null>;
}

interface TakeOptions {
  /** About so many lines. */
  readonly limit: number;
  readonly watch: LineWatch | null;
}

/** Of a source that moves, all lines come first: so every line is older than the operation that it is judged by. */
function* takeFrom(source: RowSource, memory: Memory, { limit, watch }: TakeOptions): Session<void> {
  let operationsUntil = Number.NEGATIVE_INFINITY;
  let taken = 0;
  for (let batch = yield* source.entries(taken); batch !== null; batch = yield* source.entries(taken)) {
    if (watch !== null) watchEntries(watch, batch.rows);
    takeEntries(memory, batch);
    settleWhenFull(memory);
    taken += batch.rows.length;
    while (!memory.settings.keepsAll && operationsUntil <= memory.readUntil) {
      operationsUntil = yield* takeNextOperations(source, memory);
    }
    if (taken >= limit) return;
  }
  endEntries(memory);
  while (operationsUntil < Number.POSITIVE_INFINITY) operationsUntil = yield* takeNextOperations(source, memory);
}

/** Takes one batch; returns the newest createdAt in it, or infinity at the end. */
function* takeNextOperations(source: RowSource, memory: Memory): Session<number> {
  const batch = yield* source.operations();
  if (batch === null) return Number.POSITIVE_INFINITY;
  takeOperations(memory, batch);
  settleWhenFull(memory);
  return batch.rows.at(-1)?.operation.createdAt ?? Number.NEGATIVE_INFINITY;
}

/** Does `work`, and does it again from the start when a stream that it read was out of order. */
function* inOrder<Result>(rows: Rows, work: () => Session<Result>): Session<Result> {
  for (;;) {
    if (!rows.areOpen) yield* ask<'rows'>({ what: 'rows' });
    rows.areOpen = true;
    try {
      return yield* work();
    } catch (failure) {
      if (!(failure instanceof OutOfOrder)) throw failure;
      close(rows);
    }
  }
}

function close(rows: Rows): void {
  rows.areOpen = false;
  rows.prefetched.entries.length = 0;
  rows.prefetched.operations.length = 0;
}

function kept<One>(prefetched: One[], batch: One | null): One | null {
  if (batch !== null) prefetched.push(batch);
  return batch;
}

function rowsIn(batches: readonly Batch<unknown>[]): number {
  return batches.reduce((sum, { rows }) => sum + rows.length, 0);
}
