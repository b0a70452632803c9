// Holds the order of work in which the notifications of one merchant are judged. It is a generator
// and waits for nothing itself: its driver answers each need that it yields, at once or later.

import type { Instant } from '../../../domain/instant.ts';
import {
  type HashedNotification,
  isKnownType,
  type Notification,
  type NotificationContent,
  stateNotifiedBy,
} from '../../../domain/notification.ts';
import type { Operation } from '../../../domain/operation.ts';
import {
  addHash,
  createHashList,
  eachHash,
  type HashList,
  repeatedHashes,
} from '../../../domain/rows/hash-table.ts';
import {
  type Batch,
  type OperationVersion,
  type RowView,
  type SeenRows,
  type Snapshot,
  viewOf,
} from '../../../domain/snapshot.ts';
import { noteStrange } from '../../checks/across/circumstances.ts';
import { judgeNotification } from '../../checks/notifications/judge-notification.ts';
import { finalSince } from '../../checks/notifications/missing-and-reused.ts';
import {
  beginNotified,
  type Notified,
  noteFault,
  noteUnnotified,
  trimUnnotified,
} from './notified.ts';
import {
  addOperation,
  agrees,
  createOperationTable,
  hasUnnotified,
  isUnnotifiedIn,
  noteNotified,
  type OperationTable,
  rowsOf,
} from './operation-table.ts';

type Streamed<One> = Iterable<One> | AsyncIterable<One>;

/** The notifications, as in the port `Notifications`, and the operations of the books. */
export interface NotifiedBooks {
  stream(): Streamed<SeenRows<HashedNotification>>;
  contents(isWanted: (id: string) => boolean): Streamed<readonly NotificationContent[]>;
  operations(references: ReadonlySet<string>): readonly Operation[] | Promise<readonly Operation[]>;
  allOperations(): Streamed<Batch<OperationVersion>>;
}

/**
 * A generator that yields what must be waited for. The driver must pass the awaited value to
 * `next`, or a failure to `throw`.
 */
export type Steps<Result> = Generator<unknown, Result, unknown>;

/**
 * Judges all notifications. `judging` must have been given the operations (`takeOperations`),
 * unless the books hold none.
 */
export function* judgeNotifications(judging: Judging, books: NotifiedBooks): Steps<Notified> {
  const lookUp = function* (references: ReadonlySet<string>): Steps<void> {
    if (references.size > 0)
      takeDoubtful(judging, (yield books.operations(references)) as readonly Operation[]);
  };
  yield* each(books.stream(), (some) => lookUp(takeNotifications(judging, some)));
  yield* lookUp(doubtfulReferences(judging));
  if (hasUnnotified(judging.operations))
    yield* each(books.allOperations(), (batch) => takeUnnotified(judging, viewOf(batch)));
  if (wantsContents(judging)) {
    const contents = books.contents((id) => isSuspected(judging, id));
    yield* each(contents, (some) => takeContents(judging, some));
  }
  return finishJudging(judging);
}

function* each<One>(stream: Streamed<One>, take: (one: One) => Steps<void> | void): Steps<void> {
  const iterator =
    Symbol.asyncIterator in stream ? stream[Symbol.asyncIterator]() : stream[Symbol.iterator]();
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

/** Runs the steps where everything that they yield is at hand and need not be awaited. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next(step.value);
  return step.value;
}

// Judges notifications as they come, in any order and any number of times: each against its
// operation, then the operations that none of them names, then the ids that two contents share.
// Only hashes of what was seen are kept.

export interface NotificationSettings {
  readonly watermark: Instant;
  readonly clockTolerance: number;
  /** Operations that took their final state before this need not have been notified. */
  readonly notifiedFrom: Instant;
  /** Whether the books hold operations. Without them only the ids are judged. */
  readonly holdsOperations: boolean;
}

/**
 * The state of the functions below. Call them in their order in this file; `finishJudging` comes
 * last.
 */
export interface Judging {
  readonly notified: Notified;
  readonly settings: NotificationSettings;
  readonly hashOf: Snapshot['hashOf'];
  readonly operations: OperationTable;
  /**
   * Hashes of ids, each with 32 bits of the body's hash, under a secret key. Of two bodies under
   * one id, the second goes unnoticed once in four thousand million times.
   */
  readonly bodies: HashList;
  /**
   * Like `bodies`, for notifications newer than the watermark: one that is read or sent twice
   * counts once.
   */
  readonly tooNew: HashList;
  /** Hashes of ids under which two bodies came; `null` until all notifications have come. */
  suspects: ReadonlySet<number> | null;
  /** The notifications under each suspected id, by their content. */
  readonly contents: Map<string, Map<string, Notification>>;
  /** Notifications that must be compared with their operations themselves. */
  doubtful: Notification[];
}

const MOST_CONTENTS = 20;
/**
 * When this many notifications are doubtful, their operations are looked up: few enough to be found
 * one by one, and to be held.
 */
const MOST_DOUBTFUL = 2_000;

/**
 * Begins to judge, adding to `begun`. The caller must have removed from `begun` the findings of the
 * operations that are judged anew.
 */
export function beginJudging(
  settings: NotificationSettings,
  hashOf: Snapshot['hashOf'],
  begun: Notified = beginNotified(),
): Judging {
  return {
    notified: begun,
    settings,
    hashOf,
    operations: createOperationTable(),
    bodies: createHashList(true),
    tooNew: createHashList(true),
    suspects: null,
    contents: new Map(),
    doubtful: [],
  };
}

/**
 * Takes operations. Each whose end must have been notified must be given once, in its newest
 * version, and before any notification.
 */
export function takeOperations(
  { notified, operations, hashOf }: Judging,
  view: RowView<OperationVersion>,
): void {
  for (let i = 0; i < view.count; i += 1) {
    const { operation } = view.at(i);
    if (operation.updatedAt > notified.newestOperation)
      notified.newestOperation = operation.updatedAt;
    addOperation(
      operations,
      operation,
      hashIn(view, i, 'reference', hashOf),
      hashIn(view, i, 'externalReference', hashOf),
    );
  }
}

/**
 * Returns the hash that comes with the row, else the hash of the text; NaN where there is no text.
 */
function hashIn(
  view: RowView<OperationVersion>,
  i: number,
  name: 'externalReference' | 'reference',
  hashOf: Snapshot['hashOf'],
): number {
  const hash = view.hash(i, name === 'reference' ? 1 : 0);
  const text = Number.isNaN(hash) ? view.at(i).operation[name] : null;
  return text === null ? hash : hashOf(text);
}

/**
 * Takes notifications. Returns the references of operations with which the caller must call
 * `takeDoubtful` before more notifications are taken; usually empty.
 */
export function takeNotifications(
  judging: Judging,
  some: SeenRows<HashedNotification>,
): ReadonlySet<string> {
  const { operations, bodies, doubtful } = judging;
  const hashes = new Float64Array(some.count);
  for (let i = 0; i < some.count; i += 1) hashes[i] = some.at(i).referenceHash;
  const rows = rowsOf(operations, hashes);
  for (let i = 0; i < some.count; i += 1) {
    const one = some.at(i);
    addHash(bodies, one.idHash, one.bodyHash);
    if (!isSound(judging, one, rows[i]!)) doubtful.push(some.copy(i).notification);
  }
  some.release();
  return judging.doubtful.length < MOST_DOUBTFUL ? NONE : doubtfulReferences(judging);
}

/** Makes the hashes of a notification that came without them. `content` is its body as text. */
export function hashedBy(
  hashOf: Snapshot['hashOf'],
  { notification, content }: NotificationContent,
): HashedNotification {
  const { id, operation } = notification;
  const hashed = (text: string | null): number => (text === null ? Number.NaN : hashOf(text));
  return {
    notification,
    idHash: hashOf(id),
    referenceHash: hashed(operation?.reference ?? null),
    externalHash: hashed(operation?.externalReference ?? null),
    bodyHash: hashOf(content),
  };
}

const NONE: ReadonlySet<string> = new Set();

/** Returns the references to call `takeDoubtful` with when there are no more notifications. */
export function doubtfulReferences({ doubtful }: Judging): ReadonlySet<string> {
  return new Set(doubtful.map(({ operation }) => operation!.reference));
}

/**
 * False where the notification must be compared with its operation itself. `row` is that
 * operation's row in the table, −1 where it is not there.
 */
function isSound(judging: Judging, hashed: HashedNotification, row: number): boolean {
  const { notified, settings, operations, tooNew } = judging;
  const { type, operation: carried, at } = hashed.notification;
  if (carried !== null) {
    notified.namesOperations = true;
    if (row >= 0) noteNotified(operations, row, carried.status);
    if (row >= 0) noteNotified(operations, row, stateNotifiedBy(type)!.status);
  }
  if (at > settings.watermark) {
    addHash(tooNew, hashed.idHash, hashed.bodyHash);
    return true;
  }
  if (carried === null && !isKnownType(type)) noteStrange(notified.strangeTypes, type);
  if (carried === null || !settings.holdsOperations) return true;
  return row >= 0 && agrees(operations, row, hashed, settings);
}

/**
 * Judges the doubtful notifications. `operations` must be those whose references
 * `takeNotifications` returned, in their newest versions.
 */
export function takeDoubtful(judging: Judging, operations: readonly Operation[]): void {
  const named = new Map(operations.map((operation) => [operation.reference, operation]));
  for (const notification of judging.doubtful) {
    const { at, operation } = notification;
    const carried = operation!;
    const drafts = judgeNotification(
      notification,
      named.get(carried.reference) ?? null,
      judging.settings,
    );
    for (const draft of drafts) noteFault(judging.notified, { at, carried, draft });
  }
  judging.doubtful = [];
}

export function takeUnnotified(judging: Judging, view: RowView<OperationVersion>): void {
  const { notified, settings, operations, hashOf } = judging;
  for (let i = 0; i < view.count; i += 1) {
    const { operation } = view.at(i);
    const since = finalSince(operation);
    if (since < settings.notifiedFrom) continue;
    if (!isUnnotifiedIn(operations, hashIn(view, i, 'reference', hashOf), operation.status))
      continue;
    const { reference, type, status, amount, createdAt } = operation;
    noteUnnotified(notified, { reference, type, status, amount, createdAt, since });
  }
  view.release();
}

/** Whether `takeContents` wants the notifications that `isSuspected` holds for. */
function wantsContents(judging: Judging): boolean {
  judging.suspects ??= repeatedHashes(judging.bodies);
  return judging.suspects.size > 0;
}

function isSuspected(judging: Judging, id: string): boolean {
  return wantsContents(judging) && judging.suspects!.has(judging.hashOf(id));
}

function takeContents({ contents, settings }: Judging, some: readonly NotificationContent[]): void {
  for (const { notification, content } of some) {
    if (notification.at > settings.watermark) continue;
    const known = contents.get(notification.id) ?? new Map<string, Notification>();
    const same = known.get(content);
    // One content that was received twice counts as of the earlier receipt.
    if (same === undefined || notification.at < same.at) known.set(content, notification);
    contents.set(notification.id, known);
    if (known.size > 2 * MOST_CONTENTS) {
      for (const [content] of inOrder(known).slice(MOST_CONTENTS)) known.delete(content);
    }
  }
}

function inOrder(
  contents: ReadonlyMap<string, Notification>,
): readonly (readonly [string, Notification])[] {
  return [...contents].sort(
    ([a, one], [b, other]) => one.createdAt - other.createdAt || (a < b ? -1 : 1),
  );
}

export function finishJudging({ notified, contents, tooNew }: Judging): Notified {
  for (const [id, some] of contents) {
    if (some.size < 2) continue;
    const notifications = inOrder(some).slice(0, MOST_CONTENTS);
    notified.shared.set(id, {
      id,
      notifications: notifications.map(([, notification]) => notification),
    });
  }
  notified.tooNew = countBodies(tooNew);
  trimUnnotified(notified);
  return notified;
}

/** Returns how many different bodies there are. */
export function countBodies({ parts }: HashList): number {
  let count = 0;
  for (const part of parts) {
    const seen = new Map<number, Set<number>>();
    eachHash(part, (id, body) => void seen.set(id, (seen.get(id) ?? new Set()).add(body)));
    for (const { size } of seen.values()) count += size;
  }
  return count;
}
