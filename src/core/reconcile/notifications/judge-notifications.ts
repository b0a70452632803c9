// The order of work in which the notifications of one merchant are judged. Waits for nothing: what it asks for may be at hand, or
// be promised, and whoever drives it gives back what it yields.

import type { HashedNotification, NotificationContent } from '../../domain/notification.ts';
import type { Operation } from '../../domain/operation.ts';
import type { Batch, OperationVersion, SeenRows } from '../../domain/snapshot.ts';
import { viewOf } from '../../domain/snapshot.ts';
import {
  doubtfulReferences,
  finishJudging,
  isSuspected,
  type Judging,
  takeContents,
  takeDoubtful,
  takeNotifications,
  takeUnnotified,
  wantsContents,
  wantsUnnotified,
} from './judging.ts';
import type { Notified } from './notified.ts';

type Streamed<One> = Iterable<One> | AsyncIterable<One>;

/** As the port `Notifications`, and the operations of the books once more. */
export interface NotifiedBooks {
  stream(): Streamed<SeenRows<HashedNotification>>;
  contents(isWanted: (id: string) => boolean): Streamed<readonly NotificationContent[]>;
  operations(references: ReadonlySet<string>): readonly Operation[] | Promise<readonly Operation[]>;
  allOperations(): Streamed<Batch<OperationVersion>>;
}

/** Yields what must be waited for, and is to be given what came of it; a failure is to be thrown into it. */
export type Steps<Result> = Generator<unknown, Result, unknown>;

/** `judging` has been given the operations, unless the books hold none. */
export function* judgeNotifications(judging: Judging, books: NotifiedBooks): Steps<Notified> {
  const lookUp = function* (references: ReadonlySet<string>): Steps<void> {
    if (references.size > 0) takeDoubtful(judging, (yield books.operations(references)) as readonly Operation[]);
  };
  yield* each(books.stream(), (some) => lookUp(takeNotifications(judging, some)));
  yield* lookUp(doubtfulReferences(judging));
  if (wantsUnnotified(judging)) yield* each(books.allOperations(), (batch) => takeUnnotified(judging, viewOf(batch)));
  if (wantsContents(judging)) {
    const contents = books.contents((id) => isSuspected(judging, id));
    yield* each(contents, (some) => takeContents(judging, some));
  }
  return finishJudging(judging);
}

function* each<One>(stream: Streamed<One>, take: (one: One) => Steps<void> | void): Steps<void> {
  const iterator = Symbol.asyncIterator in stream ? stream[Symbol.asyncIterator]() : stream[Symbol.iterator]();
  try {
    for (;;) {
      const step = (yield iterator.next()) as IteratorResult<One>;
      if (step.done === true) return;
      yield* take(step.value) ?? [];
    }
  } finally {
    yield iterator.return?.();
  }
}

/** Of books that are at hand. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next(step.value);
  return step.value;
}
