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

/** Parts of a step, by which merchants take turns. */
const TURNS = 15;
/** Nights that may be lost before the books count as not read again. */
const NIGHTS_OF_GRACE = 5;

/** What a round reads again. */
export interface RoundUnit {
  readonly of: 'LINES' | 'OPERATIONS';
  /** So many are read at once. */
  readonly page: number;
  /** So many are due at once. */
  readonly step: number;
}

export interface RoundTask {
  readonly unit: RoundUnit;
  /** How many there are. */
  readonly known: number;
  readonly now: Instant;
  readonly rotation: Rotation;
  readonly lease: Pick<Lease, 'merchantId'>;
}

/** The part of a round, or of one of its steps, by which it is the merchant's turn, in `TURNS`. */
const turnOf = ({ merchantId }: RoundTask['lease']): number => (merchantId % TURNS) + 1;

/**
 * The round under way; a new one begins where the last one is over, and its time has passed. One
 * that is to begin later than now was begun by a clock that was ahead: when it read what is not
 * known.
 */
export function roundAt(round: LineRound | null, task: RoundTask): LineRound {
  const { known, now } = task;
  if (round === null || Math.max(round.beganAt, round.earlierBeganAt ?? 0) > now)
    return { nextPosition: 0, beganAt: now, earlierBeganAt: null };
  const isOver = round.nextPosition >= known && now >= endOf(round, task);
  return isOver ? { nextPosition: 0, beganAt: now, earlierBeganAt: round.beganAt } : round;
}

/**
 * When the next round may begin. The first one, of books that were read whole, is shorter by the
 * merchant's turn: no night begins the rounds of all.
 */
function endOf({ beganAt, earlierBeganAt }: LineRound, { rotation, lease }: RoundTask): Instant {
  const turn = beganAt === earlierBeganAt ? turnOf(lease) : TURNS;
  return beganAt + Math.ceil((lengthOf(rotation) * turn) / TURNS);
}

const stepsOf = ({ unit, known }: RoundTask): number => Math.ceil(known / unit.step);

/**
 * So many of all should have been read again by now. Each merchant has its own part of a step, so
 * that no night reads all of them.
 */
export function dueOf({ beganAt }: LineRound, task: RoundTask): number {
  const { unit, known, now, rotation, lease } = task;
  const length = lengthOf(rotation);
  const turns = (Math.min(now - beganAt, length) * stepsOf(task) * TURNS) / length;
  const steps = Math.floor((turns - turnOf(lease)) / TURNS) + 1;
  return Math.min(known, steps * unit.step);
}

/** When `dueOf` will first be beyond the round. */
function nextStepAt({ nextPosition, beganAt }: LineRound, task: RoundTask): Instant {
  const { unit, rotation, lease } = task;
  const turns = Math.floor(nextPosition / unit.step) * TURNS + turnOf(lease);
  return beganAt + Math.ceil((lengthOf(rotation) * turns) / (stepsOf(task) * TURNS));
}

/** Pages in a night at most, of a round that is behind. */
export function mostPages({ unit, known, rotation }: RoundTask): number {
  return 8 * Math.ceil((2 * Math.ceil(known / unit.page)) / rotation.nights);
}

/**
 * Milliseconds. One may be the first of one round and the last of the next: two rounds are the time
 * that it may wait.
 */
function lengthOf({ nights }: Rotation): number {
  return (nights * DAY) / 2;
}

/** What a reading came to with a round. */
export interface RoundRead {
  readonly of: RoundUnit['of'];
  /** All were read again since; null: that is not known yet. */
  readonly since: Instant | null;
  /** From then on, that is too long ago. */
  readonly lateAt: Instant;
  /** From then on, a reading reads more of them again, begins a round, or says that it is late. */
  readonly dueAt: Instant;
}

export function roundRead(round: LineRound, task: RoundTask): RoundRead {
  const isWhole = round.nextPosition >= task.known;
  const since = isWhole ? round.beganAt : round.earlierBeganAt;
  const next = isWhole ? endOf(round, task) : nextStepAt(round, task);
  const nights = task.rotation.nights + NIGHTS_OF_GRACE;
  const lateAt = (since ?? task.now) + nights * DAY + 1;
  return { of: task.unit.of, since, lateAt, dueAt: Math.min(next, lateAt) };
}

/** Within how many nights all were read again; nothing where that is not known yet. */
export function notesOfRound({ of, since, lateAt }: RoundRead, now: Instant): readonly Note[] {
  if (since === null) return [];
  const nights = Math.max(1, Math.ceil((now - since) / DAY));
  const code = `${of}_READ_WITHIN` as const;
  return [{ what: 'history', incomplete: now >= lateAt, code, figures: { nights } }];
}
