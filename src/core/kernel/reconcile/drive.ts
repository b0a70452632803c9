// The needs of a session with their answers, and the driver for books that are in memory. A session
// cannot wait: where books are streamed, the driver in workflows waits between two needs.

import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import type { DeliveryList } from '../../domain/published/failed-delivery.ts';
import type {
  Batch,
  Closing,
  Note,
  OperationVersion,
  Recall,
  Recalled,
} from '../../domain/snapshot.ts';
import type { Notified } from './notifications/notified.ts';

/** Each need of a session: what it says, and the type of its answer. */
interface Needs {
  /**
   * Begin to stream lines and operations from the first one, also where a stream was left half
   * read.
   */
  readonly rows: { readonly says: unknown; readonly answer: null };
  /**
   * Give the next batch of lines; `null` when there are no more. `taken` is how many lines this
   * pass has taken so far.
   */
  readonly entries: {
    readonly says: { readonly taken: number };
    readonly answer: Batch<LedgerEntry> | null;
  };
  readonly operations: { readonly says: unknown; readonly answer: Batch<OperationVersion> | null };
  /**
   * Judge the notifications. Asked once, when the operations have passed. `before` is what a
   * checkpoint knows; the answer may change it.
   */
  readonly notifications: {
    readonly says: { readonly before: Notified | null };
    readonly answer: JudgedNotifications;
  };
  readonly recall: { readonly says: { readonly request: Recall }; readonly answer: Recalled };
  readonly closing: { readonly says: unknown; readonly answer: Closing };
  /**
   * Read the list of failed deliveries. Asked only where a notification is missing. `null`: there
   * is no such list.
   */
  readonly deliveries: { readonly says: unknown; readonly answer: DeliveryList | null };
}

/**
 * The judged notifications, or a note on why there are none. Both are `null` where the report has
 * that note already.
 */
export interface JudgedNotifications {
  readonly notified: Notified | null;
  readonly why: Note | null;
}

type What = keyof Needs;
type NeedOf<One extends What> = { readonly what: One } & Needs[One]['says'];
export type Need = { [One in What]: NeedOf<One> }[What];
type Answer = Needs[What]['answer'];

/**
 * A generator that yields needs and returns a result. The driver may throw a failure into it
 * instead of an answer: it is thrown out again, unless the session can handle it.
 */
export type Session<Result> = Generator<Need, Result, Answer>;

/** A function for each need, which answers it. */
export type Answers = { readonly [One in What]: (need: NeedOf<One>) => Needs[One]['answer'] };
export type AwaitedAnswers = {
  readonly [One in What]: (need: NeedOf<One>) => Promise<Needs[One]['answer']>;
};

/** The batches that a first pass has read of the two streams, for the next pass. */
export interface Rows {
  readonly entries: Batch<LedgerEntry>[];
  readonly operations: Batch<OperationVersion>[];
  /** True where the streams stand just behind these batches, so that they need not begin again. */
  areOpen: boolean;
}

/**
 * Yields one need and returns its answer. The cast tells the compiler that the next value answers
 * it.
 */
export function* ask<One extends What>(need: NeedOf<One>): Session<Needs[One]['answer']> {
  return (yield need as Need) as Needs[One]['answer'];
}

export function driveSession<Result>(session: Session<Result>, answers: Answers): Result {
  let step = session.next();
  while (step.done !== true) step = session.next(answers[step.value.what](step.value as never));
  return step.value;
}
