// Lines that came late: an operation lacked them for longer than is lawful, and then they were posted. Keeps such an operation when
// it is settled; what was wrong with it until then is said by `late-roots.ts`.

import { askedAt, LAWFUL_DELAY } from '../../domain/operation.ts';
import type { TalliedLine, Tally } from '../../replay/tally.ts';

/** Where more operations than this have late lines, that is the service's way, and none is told. */
export const MOST_LATE = 1_000;

/** Takes an operation that was found sound, before its lines are let go. */
export function noteLate({ late }: { readonly late: Map<string, Tally> }, tally: Tally): void {
  if (late.size <= MOST_LATE && lateLines(tally).length > 0) late.set(tally.reference, tally);
}

/** In ledger order. */
export function lateLines({ operation, lines }: Tally): readonly TalliedLine[] {
  return lines.filter(({ entry: { kind, createdAt } }) => {
    const asked = operation === null ? null : askedAt(operation, kind);
    return asked !== null && createdAt > asked + LAWFUL_DELAY;
  });
}
