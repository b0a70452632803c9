// What a reading that goes on from an earlier one leaves out, and says so: rows that were read before are compared with
// what they were only where they are served again.

import type { NotChecked } from '../../core/domain/snapshot.ts';
import type { Since } from './source.ts';

const NOT_READ_AGAIN: NotChecked = {
  what: 'history',
  why: 'of what earlier looks have read, the newest lines and operations, and those still open, alone are read and compared again',
  incomplete: false,
  code: 'EARLIER_NOT_READ_AGAIN',
};

/** `always` is absent from every reading of the source. */
export function absentSince(since: Since | null, always: readonly NotChecked[]): readonly NotChecked[] {
  return since === null ? always : always.map((one) => (one.what === NOT_READ_AGAIN.what ? NOT_READ_AGAIN : one));
}
