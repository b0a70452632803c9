// Writes the trail: in the order of the calls, those that wait together at once. A call that
// changes something is answered after its entry is written, one that only looks is not held up. An
// entry that cannot be written is logged as an error and tried again with the next one: its call
// has been carried out, so failing it would be untrue, and a decision bears its operator's name
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
/** While the store is away; later ones are lost, which is logged. */
const MOST_WAITING = 20_000;
/** Milliseconds. */
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
    /** Returns at once. */
    note: (deed: Deed): void => {
      take(deed);
      planned ??= setTimeout(settle, PATIENCE).unref();
    },
    /** Resolves when they are written, or could not be. */
    write: (deeds: readonly Deed[]): Promise<void> => {
      deeds.forEach(take);
      return settle();
    },
    /** Resolves when nothing waits. */
    settle,
  };
}

interface TrailOptions {
  readonly clock: () => Instant;
  readonly log: (event: object) => void;
}
