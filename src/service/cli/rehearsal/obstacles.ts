// Which faults a rehearsal cannot plant, or cannot see again, and why.

import type { Wish } from './rehearsal.ts';

const OBSTACLES: Readonly<Record<string, string>> = {
  OPERATION_VANISHED:
    'no document says that an operation is served for ever: what a night has read of one that had ended stays, and nothing tells that it is gone',
};

/** They show where a night reads the operation again: it must stand on the page on which the new ones begin. */
const NEAR_THE_NEW: ReadonlySet<string> = new Set(['OPERATION_FIELD_CHANGED', 'STATUS_REGRESSION']);
/** Of 200 operations to a page, what happens by itself leaves room for so many. */
const MOST_CALLS = 80;

/** Null: there is none. */
export function obstacleTo(fault: string, { hours, calls }: Pick<Wish, 'hours' | 'calls'>): string | null {
  if (NEAR_THE_NEW.has(fault) && hours * calls > MOST_CALLS)
    return `after more than ${MOST_CALLS} calls a night need not read again what was read before`;
  return OBSTACLES[fault] ?? null;
}
