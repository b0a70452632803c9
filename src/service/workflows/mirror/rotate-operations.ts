// Reads known operations again night after night, however old and final they are: a change or a loss that moves no figure is found
// too. As for lines, two rounds within the configured number of nights; what a night serves anyway costs no call.

import type { Instant } from '../../../core/domain/instant.ts';
import type { Batch, NotChecked, OperationVersion } from '../../../core/domain/snapshot.ts';
import { SourceFailed } from '../../../io/sources/port/source.ts';
import type { LineRound, OperationRound } from '../../../io/storage/mirror/line-watch.ts';
import { loadKnownFrom } from '../../../io/storage/mirror/stored-extent.ts';
import { type HistoryTask, type ReadAgain, unread } from './compare-history.ts';
import { boundOf, lengthOf, type Rotation, roundAt, turnOf } from './rounds.ts';

/** Operations at once: with those on either side, a page. */
const A_WINDOW = 150;

interface RotationTask extends Pick<HistoryTask, 'store' | 'lease' | 'snapshot' | 'now' | 'extent'> {
  readonly rotation?: Rotation | undefined;
  /** By the reading, or since. */
  readonly lacks: (reference: string) => boolean;
  readonly add: (batch: Batch<OperationVersion>) => Promise<void>;
}

export interface RotatedOperations extends ReadAgain {
  readonly notes: readonly NotChecked[];
  /** Since when all were read again, as of a round that is kept. */
  readonly boundAt: (round: OperationRound | null) => readonly NotChecked[];
}

/** To be called once the reading has served its operations; reads as far as the round should have come by now. */
export async function rotateOperations(task: RotationTask): Promise<RotatedOperations> {
  const { extent, rotation, now, lease, store, snapshot, lacks } = task;
  const before = extent?.operationRound ?? null;
  const isRotated = rotation !== undefined && rotation.within === undefined && snapshot.operationsOf !== undefined;
  if (!isRotated || extent?.watch == null) return { references: [], round: before, notes: [], boundAt: () => [] };
  const known = extent.operationCount;
  const of = { known, now, rotation };
  const begun = before === null ? firstRound(extent.watch.round, now) : roundAt(before, of);
  const boundAt = (kept: OperationRound | null) => boundOf('OPERATIONS', kept ?? begun, of);
  const round = { ...begun, readUntil: begun === before ? before.readUntil : 0 };
  const windows = Math.ceil(known / A_WINDOW);
  const share = Math.min(1, (now - round.beganAt) / lengthOf(rotation));
  // Each merchant has its own part of a step, so that no night reads all of them.
  const due = Math.min(known, Math.floor(share * windows - turnOf(lease) + 1) * A_WINDOW);
  const references: string[] = [];
  let { nextPosition, readUntil } = round;
  try {
    for (let left = 8 * Math.ceil((2 * windows) / rotation.nights); nextPosition < due && left > 0; left -= 1) {
      const found = await loadKnownFrom(store, { merchantId: lease.merchantId, from: readUntil, least: A_WINDOW });
      const [start, end] = [found[0]?.created_at ?? readUntil, (found.at(-1)?.created_at ?? readUntil) + 1];
      if (found.some(({ reference }) => lacks(reference))) {
        const times = { start, end, before: nextPosition, count: found.length, known };
        for await (const batch of snapshot.operationsOf(times)) await task.add(batch);
      }
      references.push(...found.map(({ reference }) => reference));
      nextPosition = found.length < A_WINDOW ? known : Math.min(known, nextPosition + found.length);
      readUntil = end;
    }
  } catch (failure) {
    if (!(failure instanceof SourceFailed)) throw failure;
    return { references: [], round: before, notes: [unread(failure, 'OPERATIONS')], boundAt };
  }
  const read = { ...round, nextPosition, readUntil };
  // A first round that read nothing yet is known by that of the lines: a quiet night writes nothing.
  const isKnown = before === null && nextPosition === 0 && round.earlierBeganAt !== null;
  return { references, round: isKnown ? null : read, notes: [], boundAt };
}

/** Where the books were read whole when their lines' first round began, each operation was read then. */
function firstRound(lines: LineRound | null, now: Instant): LineRound {
  const wholeAt = lines !== null && lines.beganAt === lines.earlierBeganAt ? lines.beganAt : null;
  return { nextPosition: 0, beganAt: wholeAt ?? now, earlierBeganAt: wholeAt };
}
