// Reads a whole list, or what is new in it. Rows are delivered oldest first, whichever way the list
// is served, and each row once.

import type { Batch } from '../../../core/domain/snapshot.ts';
import {
  type KnownOrder,
  type PagedList,
  readAhead,
  type ServedOrder,
  type ServedPage,
  seeOrder,
} from './served-page.ts';
import type { Walk } from './settling-window.ts';
import { walkAscending, walkDescending } from './walk-list.ts';

/** What is known of one list of the service. */
export interface ListMemory {
  /** The order as configured, or as the first page showed it that left no doubt. */
  order: ServedOrder;
  /**
   * Number of rows of the longest page that was served. A page that is shorter was not cut by the
   * service's own limit.
   */
  longestPage: number;
}

export interface ListTask<Row>
  extends Pick<Walk<Row>, 'window' | 'floor' | 'newest' | 'hint' | 'begunAt'> {
  readonly list: PagedList<Row>;
  readonly memory: ListMemory;
  /**
   * Called when the list has been read to its end, with the offset after the last row; with 0 for a
   * list that is served newest first.
   */
  readonly onEnd: (offset: number) => void;
  /** Called with the order in which the list is served, once it is known. */
  readonly onOrder?: (order: KnownOrder) => void;
}

/** Streams rows in ascending rank. Some rows at or below the floor are delivered again. */
export async function* readList<Row>(given: ListTask<Row>): AsyncGenerator<Batch<Row>> {
  const task = { ...given, list: noteLongest(given.list, given.memory) };
  const { window } = task;
  const { order, first } = await findOrder(task);
  if (first?.rows.length === 0) {
    task.onEnd(0);
    return;
  }
  task.onOrder?.(order);
  const walk: Walk<Row> = { ...task, list: readAhead(task.list), first };
  const steps = order === 'ascending' ? walkAscending(walk) : walkDescending(walk);
  for (;;) {
    const step = await steps.next();
    const batch = window.release(step.done ? 'all' : 'settled');
    if (batch.rows.length > 0 || batch.rejected.length > 0) yield batch;
    if (step.done) {
      task.onEnd(typeof step.value === 'number' ? step.value : 0);
      return;
    }
  }
}

function noteLongest<Row>(list: PagedList<Row>, memory: ListMemory): PagedList<Row> {
  return {
    ...list,
    async fetch(fromOffset, limit) {
      const page = await list.fetch(fromOffset, limit);
      memory.longestPage = Math.max(memory.longestPage, page.rows.length);
      return page;
    },
  };
}

/**
 * Finds the order in which the list is served. Requests the first page for that, when the order is
 * not known yet.
 */
export async function findOrder<Row>(
  task: Pick<ListTask<Row>, 'memory' | 'list'>,
): Promise<{ readonly order: KnownOrder; readonly first: ServedPage<Row> | null }> {
  const { memory, list } = task;
  if (memory.order !== 'auto') return { order: memory.order, first: null };
  let first = await list.fetch(() => 0);
  // One empty answer could be a passing fault; two mean an empty list.
  if (first.rows.length === 0) first = await list.fetch(() => 0);
  const seen = seeOrder(list, first);
  if (seen.order !== null && seen.isSure) memory.order = seen.order;
  return { order: seen.order ?? 'ascending', first };
}
