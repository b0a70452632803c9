// The needs of a session and their answers, and the driver for books that are in memory already. A
// session cannot wait: for books that stream, the driver in workflows waits between its needs.

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

/** Each need with its content and its answer. */
interface Needs {
  /** Starts lines and operations from the first one, also where a stream was left half read. */
  readonly rows: { readonly says: unknown; readonly answer: null };
  /**
   * The next batch of lines; null: there are no more. `taken`: how many lines this pass has taken
   * so far.
   */
  readonly entries: {
    readonly says: { readonly taken: number };
    readonly answer: Batch<LedgerEntry> | null;
  };
  readonly operations: { readonly says: unknown; readonly answer: Batch<OperationVersion> | null };
  /**
   * Asked once, when the operations have passed. `before`: what a checkpoint knows, which may be
   * changed.
   */
  readonly notifications: {
    readonly says: { readonly before: Notified | null };
    readonly answer: JudgedNotifications;
  };
  readonly recall: { readonly says: { readonly request: Recall }; readonly answer: Recalled };
  readonly closing: { readonly says: unknown; readonly answer: Closing };
  /** Read where a notification is missing. Null: there is no such list. */
  readonly deliveries: { readonly says: unknown; readonly answer: DeliveryList | null };
}

/** The judged notifications, or why there are none; both null: the report has that note already. */
export interface JudgedNotifications {
  readonly notified: Notified | null;
  readonly why: Note | null;
}

type What = keyof Needs;
type NeedOf<One extends What> = { readonly what: One } & Needs[One]['says'];
export type Need = { [One in What]: NeedOf<One> }[What];
type Answer = Needs[What]['answer'];

/**
 * A failure that is thrown into it instead of an answer is thrown out of it again, unless the
 * session knows what to do.
 */
export type Session<Result> = Generator<Need, Result, Answer>;

/** One question for each need. */
export type Answers = { readonly [One in What]: (need: NeedOf<One>) => Needs[One]['answer'] };
export type AwaitedAnswers = {
  readonly [One in What]: (need: NeedOf<One>) => Promise<Needs[One]['answer']>;
};

/** The two streams of a session, and what a first pass has taken of them. */
export interface Rows {
  readonly entries: Batch<LedgerEntry>[];
  readonly operations: Batch<OperationVersion>[];
  /** The streams stand behind these batches: they need not begin again. */
  areOpen: boolean;
}

/** Yields one need; the cast tells the compiler that the next value answers it. */
export function* ask<One extends What>(need: NeedOf<One>): Session<Needs[One]['answer']> {
  return (yield need as Need) as Needs[One]['answer'];
}

export function driveSession<Result>(session: Session<Result>, answers: Answers): Result {
  let step = session.next();
  while (step.done !== true) step = session.next(answers[step.value.what](step.value as never));
  return step.value;
}
