// Rounds: known lines and operations are read again night after night. Refuses to report that
// everything was read again before it was.

import { DAY, type Instant } from '../../../core/domain/instant.ts';
import type { Bounds } from '../../../core/domain/period.ts';
import type { Note } from '../../../core/domain/snapshot.ts';
import type { Lease } from '../../../io/storage/merchants/merchant-lock.ts';
import type { LineRound } from '../../../io/storage/mirror/line-watch.ts';

export interface Rotation {
  /** Every line is read again within this many nights. */
  readonly nights: number;
  /** Returns a number of at least 0 and below 1. */
  readonly random: () => number;
  /** Read all lines of these times again, instead of a round. */
  readonly within?: Bounds;
}

/**
 * Number of parts that a step of a round is divided into. Each merchant has one part, so that
 * merchants take turns.
 */
const TURNS = 15;
/** Nights that may be lost before the books count as not read again. */
const NIGHTS_OF_GRACE = 5;

/** The rows that a round reads again. */
export interface RoundUnit {
  readonly of: 'LINES' | 'OPERATIONS';
  /** How many rows one request reads. */
  readonly page: number;
  /** How many rows become due at the same time. */
  readonly step: number;
}

export interface RoundTask {
  readonly unit: RoundUnit;
  /** The number of known rows. */
  readonly known: number;
  readonly now: Instant;
  readonly rotation: Rotation;
  readonly lease: Pick<Lease, 'merchantId'>;
}

/**
 * Returns the merchant's part of a step, from 1 to `TURNS`. It spreads merchants over the nights of
 * a round, so that each night reads an equal share.
 */
const turnOf = ({ merchantId }: RoundTask['lease']): number => (merchantId % TURNS) + 1;

/**
 * Returns the round under way, or a new one when the last is finished and its time is over. A round
 * dated after `now` was begun by a clock that was ahead. When it read its rows is unknown, so a new
 * round begins.
 */
export function roundAt(round: LineRound | null, task: RoundTask): LineRound {
  const { known, now } = task;
  if (round === null || Math.max(round.beganAt, round.earlierBeganAt ?? 0) > now)
    return { nextPosition: 0, beganAt: now, earlierBeganAt: null };
  const isOver = round.nextPosition >= known && now >= endOf(round, task);
  return isOver ? { nextPosition: 0, beganAt: now, earlierBeganAt: round.beganAt } : round;
}

/**
 * Returns when the next round may begin. The first round after a whole reading is shorter, each
 * merchant's by its own part, so that the rounds of all merchants do not begin in one night.
 */
function endOf({ beganAt, earlierBeganAt }: LineRound, { rotation, lease }: RoundTask): Instant {
  const turn = beganAt === earlierBeganAt ? turnOf(lease) : TURNS;
  return beganAt + Math.ceil((lengthOf(rotation) * turn) / TURNS);
}

const stepsOf = ({ unit, known }: RoundTask): number => Math.ceil(known / unit.step);

/**
 * Returns how many rows should have been read again by now. Each merchant has its own part of a
 * step, so that no night reads rows of all merchants.
 */
export function dueOf({ beganAt }: LineRound, task: RoundTask): number {
  const { unit, known, now, rotation, lease } = task;
  const length = lengthOf(rotation);
  const turns = (Math.min(now - beganAt, length) * stepsOf(task) * TURNS) / length;
  const steps = Math.floor((turns - turnOf(lease)) / TURNS) + 1;
  return Math.min(known, steps * unit.step);
}

/** Returns when `dueOf` will first exceed the rows that the round has read. */
function nextStepAt({ nextPosition, beganAt }: LineRound, task: RoundTask): Instant {
  const { unit, rotation, lease } = task;
  const turns = Math.floor(nextPosition / unit.step) * TURNS + turnOf(lease);
  return beganAt + Math.ceil((lengthOf(rotation) * turns) / (stepsOf(task) * TURNS));
}

/** Returns the most pages that a round which is behind may read in one night. */
export function mostPages({ unit, known, rotation }: RoundTask): number {
  return 8 * Math.ceil((2 * Math.ceil(known / unit.page)) / rotation.nights);
}

/**
 * Returns the length of a round in milliseconds. A row may come first in one round and last in the
 * next, so two rounds must fit into `nights`.
 */
function lengthOf({ nights }: Rotation): number {
  return (nights * DAY) / 2;
}

/** The state of a round after a reading. */
export interface RoundRead {
  readonly of: RoundUnit['of'];
  /** Every row was read again since this instant; `null` while that is not known. */
  readonly since: Instant | null;
  /** From this instant on, `since` is too long ago. */
  readonly lateAt: Instant;
  /**
   * From this instant on, a reading reads more rows again, begins a round, or reports that the
   * round is late.
   */
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

/**
 * Returns a note that says within how many nights every row was read again; none while that is not
 * known.
 */
export function notesOfRound({ of, since, lateAt }: RoundRead, now: Instant): readonly Note[] {
  if (since === null) return [];
  const nights = Math.max(1, Math.ceil((now - since) / DAY));
  const code = `${of}_READ_WITHIN` as const;
  return [{ what: 'history', incomplete: now >= lateAt, code, figures: { nights } }];
}
