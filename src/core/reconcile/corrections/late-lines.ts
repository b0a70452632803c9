// Lines that came late: an operation lacked them for longer than is lawful, and then they were posted. Keeps such an operation when
// it is settled; what was wrong with it until then is said by `late-roots.ts`.

import { askedAt, LAWFUL_DELAY, type Operation } from '../../domain/operation.ts';
import type { TalliedLine, Tally } from '../../replay/tally.ts';

/** Where more operations than this have late lines, that is the service's way, and none is told. */
export const MOST_LATE = 1_000;

/** Takes an operation that was found sound, before its lines are let go; `keep` gives it as one that may be kept. */
export function noteLate(
  { late }: { readonly late: Map<string, Tally> },
  { operation, lines }: Posted,
  keep: () => Tally,
): void {
  if (late.size > MOST_LATE || !lines.some((line) => isLate(operation, line))) return;
  const tally = keep();
  late.set(tally.reference, tally);
}

type Posted = Pick<Tally, 'operation'> & { readonly lines: readonly TalliedLine[] };

/** In ledger order. */
export function lateLines({ operation, lines }: Posted): readonly TalliedLine[] {
  return lines.filter((line) => isLate(operation, line));
}

function isLate(operation: Operation | null, { entry: { kind, createdAt } }: TalliedLine): boolean {
  const asked = operation === null ? null : askedAt(operation, kind);
  return asked !== null && createdAt > asked + LAWFUL_DELAY;
}
