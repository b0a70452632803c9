// Rounds through what is known, in which it is read again night after night. Refuses to say when
// all was read before it was.

import { DAY, type Instant } from '../../../core/domain/instant.ts';
import type { Bounds } from '../../../core/domain/period.ts';
import type { Note } from '../../../core/domain/snapshot.ts';
import type { Lease } from '../../../io/storage/merchants/merchant-lock.ts';
import type { LineRound } from '../../../io/storage/mirror/line-watch.ts';

export interface Rotation {
  /** Every line is read again within so many nights. */
  readonly nights: number;
  /** At least 0 and below 1. */
  readonly random: () => number;
  /** Lines of these times are read again instead, all of them. */
  readonly within?: Bounds;
}

/** Parts of a round for books of one page. */
const TURNS = 15;
/** Nights that may be lost before the books count as not read again. */
const NIGHTS_OF_GRACE = 5;

export interface RoundTask {
  /** How many there are. */
  readonly known: number;
  readonly now: Instant;
  readonly rotation: Rotation;
  readonly lease: Pick<Lease, 'merchantId'>;
}

/** The part of a round, or of one of its steps, by which it is the merchant's turn. */
export const turnOf = ({ merchantId }: RoundTask['lease']): number =>
  ((merchantId % TURNS) + 1) / TURNS;

/**
 * The round under way; a new one begins where the last one is over, and its time has passed. One
 * that is to begin later than now was begun by a clock that was ahead: when it read what is not
 * known.
 */
export function roundAt(
  round: LineRound | null,
  { known, now, rotation, lease }: RoundTask,
): LineRound {
  if (round === null || Math.max(round.beganAt, round.earlierBeganAt ?? 0) > now)
    return { nextPosition: 0, beganAt: now, earlierBeganAt: null };
  const { nextPosition, beganAt, earlierBeganAt } = round;
  // The first one, of books that were read whole, is shorter by the merchant's turn: no night
  // begins the rounds of all.
  const part = beganAt === earlierBeganAt ? turnOf(lease) : 1;
  const isOver = nextPosition >= known && now - beganAt >= lengthOf(rotation) * part;
  return isOver ? { nextPosition: 0, beganAt: now, earlierBeganAt: beganAt } : round;
}

/**
 * Milliseconds. One may be the first of one round and the last of the next: two rounds are the time
 * that it may wait.
 */
export function lengthOf({ nights }: Rotation): number {
  return (nights * DAY) / 2;
}

/** Since when all were read again; nothing where that is not known yet. */
export function boundOf(
  of: 'LINES' | 'OPERATIONS',
  { nextPosition, beganAt, earlierBeganAt }: LineRound,
  { known, now, rotation }: RoundTask,
): readonly Note[] {
  const since = nextPosition >= known ? beganAt : earlierBeganAt;
  if (since === null) return [];
  const nights = Math.max(1, Math.ceil((now - since) / DAY));
  const isLate = nights > rotation.nights + NIGHTS_OF_GRACE;
  return [{ what: 'history', incomplete: isLate, code: `${of}_READ_WITHIN`, figures: { nights } }];
}
