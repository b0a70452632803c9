// Writes the trail of operators' calls, in their order, several entries in one insert. A call that
// changes something is answered after its entry is written; a call that only reads does not wait.
// When an entry cannot be written, that is logged as an error and tried again with the next entry.
// The call itself is not failed: it has been carried out, and a decision bears its operator's name
// anyway.

import type { Instant } from '../../../core/domain/instant.ts';
import { columnsOf } from '../../../core/statements/tables/table.ts';
import {
  addToTrail,
  listTrail,
  type TrailEntry,
  type TrailQuery,
} from '../../../io/storage/operators/trail.ts';
import { storeOfOperators } from '../../../io/storage/server/merchant-store.ts';
import type { Store } from '../../../io/storage/server/store.ts';

export { listTrail, type TrailEntry, type TrailQuery };

/** Keys are a contract with programs: they are added, never renamed. */
export const TRAIL_COLUMNS = columnsOf<TrailEntry>([
  ...(['number', 'at', 'operator', 'via', 'action', 'merchant', 'subject', 'status'] as const),
]);

export type Trail = ReturnType<typeof openTrail>;
export type Deed = Omit<TrailEntry, 'number' | 'at'>;

const MOST_AT_ONCE = 500;
/**
 * Most entries that wait while the store is out of reach. Later entries are lost, and the loss is
 * logged.
 */
const MOST_WAITING = 20_000;
/** Milliseconds that the entry of a reading call may wait for others. */
const PATIENCE = 200;

export function openTrail(opened: Store, { clock, log }: TrailOptions) {
  const store = storeOfOperators(opened);
  const waiting: Omit<TrailEntry, 'number'>[] = [];
  let writing = Promise.resolve();
  let planned: NodeJS.Timeout | null = null;
  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const some = waiting.slice(0, MOST_AT_ONCE);
      await addToTrail(store, some);
      waiting.splice(0, some.length);
    }
  };
  const settle = (): Promise<void> => {
    if (planned !== null) clearTimeout(planned);
    planned = null;
    writing = writing
      .then(writeAll)
      .catch((failure: unknown) =>
        log({ event: 'trail not written yet', waiting: waiting.length, failure }),
      );
    return writing;
  };
  const take = (deed: Deed): void => {
    if (waiting.length < MOST_WAITING) waiting.push({ ...deed, at: clock() });
    else log({ level: 'error', event: 'trail full', ...deed });
  };
  return {
    /** Adds an entry and returns at once. */
    note: (deed: Deed): void => {
      take(deed);
      planned ??= setTimeout(settle, PATIENCE).unref();
    },
    /** Adds entries and resolves when they are written, or could not be. */
    write: (deeds: readonly Deed[]): Promise<void> => {
      deeds.forEach(take);
      return settle();
    },
    /** Resolves when no entry waits any more, or the store failed. */
    settle,
  };
}

interface TrailOptions {
  readonly clock: () => Instant;
  readonly log: (event: object) => void;
}
