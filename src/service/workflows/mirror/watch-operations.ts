// Compares the operations that a reading served with those that the mirror has: one that a complete list of its time does not hold, and
// that the service denies when asked, was missed. Two readings in a row make a finding of it; one is a note. It judges nothing.

import { HOUR, type Instant } from '../../../core/domain/instant.ts';
import type { OpenOperation } from '../../../core/domain/operation.ts';
import type { NotChecked, Snapshot } from '../../../core/domain/snapshot.ts';
import { type Source, SourceFailed } from '../../../io/sources/port/source.ts';
import { type OperationRound, saveOperationWatch } from '../../../io/storage/mirror/line-watch.ts';
import { openMirrorSnapshot } from '../../../io/storage/mirror/read/mirror-snapshot.ts';
import type { Page } from '../../../io/storage/mirror/save/find-new.ts';
import { loadStoredExtent, type StoredExtent } from '../../../io/storage/mirror/stored-extent.ts';
import { closable } from '../closable.ts';
import type { HistoryTask, ReadAgain } from './compare-history.ts';
import type { PlannedSince } from './plan-since.ts';

/** What a reading serves of operations, refused rows included. Holds one number for each. */
export function noteServedOperations(hashOf: Snapshot['hashOf']) {
  const noted: number[] = [];
  let hashes: ReadonlySet<number> = new Set();
  let hashed = 0;
  let isUnsure = false;
  return {
    /** Gives back what it is given. */
    note(part: Page): Page {
      for (const { reference } of part.operations ?? []) noted.push(hashOf(reference));
      for (const { part: of, reference } of part.rejected ?? []) {
        if (of === 'operations') noted.push(hashOf(reference ?? ''));
        isUnsure ||= of === 'operations' && reference === null;
      }
      return part;
    },
    count: () => noted.length,
    /** Of what was served so far. */
    lacks(reference: string): boolean {
      if (hashed < noted.length) hashes = new Set(noted);
      hashed = noted.length;
      return !hashes.has(hashOf(reference));
    },
    /** A refused row bears no name. */
    isUnsure: () => isUnsure,
  };
}

interface WatchTask extends Pick<HistoryTask, 'store' | 'lease' | 'snapshot' | 'now'> {
  readonly source: Source;
  readonly since: PlannedSince | null;
  readonly served: ReturnType<typeof noteServedOperations>;
  /** Before the reading. */
  readonly extent: StoredExtent;
  readonly rotated: ReadAgain;
}

/** Examined in one reading at most. */
const MOST_EXAMINED = 200;

export interface WatchedOperations {
  /** How far known operations were read again, and compared. */
  readonly round: OperationRound | null;
  readonly notes: readonly NotChecked[];
}

/** To be called once the reading was saved. Readings closer than an hour count once. Throws `LeaseLost`, `SourceFailed`. */
export async function watchOperations(task: WatchTask): Promise<WatchedOperations> {
  const { store, lease, served, extent, snapshot, now } = task;
  const after = snapshot.operationsAfter ?? null;
  const missed = new Map(Object.entries(extent.missed).filter(([reference]) => served.lacks(reference)));
  const isComparable = after !== null && !served.isUnsure();
  const lacking = isComparable ? [...new Set(await lackingOf(task, after))] : [];
  for (const one of lacking.slice(0, MOST_EXAMINED)) {
    const missedAt = missed.get(one)?.missedAt ?? now;
    const missedAgainAt = now - missedAt >= HOUR ? now : null;
    if (await isDenied(task, one, after!)) missed.set(one, { missedAt, missedAgainAt });
  }
  const isCut = lacking.length > MOST_EXAMINED;
  const seen = Object.fromEntries(missed);
  // Where a refused row bears no name, what was read again was not compared; where too many lack, not all of it.
  const round = served.isUnsure() || isCut ? extent.operationRound : task.rotated.round;
  const isAsKnown = JSON.stringify([seen, round]) === JSON.stringify([extent.missed, extent.operationRound]);
  if (!isAsKnown) await saveOperationWatch(store, lease, { missed: seen, round });
  return { round, notes: isCut ? [EXAMINED_LATER] : [] };
}

const EXAMINED_LATER: NotChecked = {
  what: 'history',
  why: `more than ${MOST_EXAMINED} known operations were not served: the next readings ask for the others`,
  incomplete: true,
  code: 'OPERATIONS_EXAMINED_LATER',
  figures: { most: MOST_EXAMINED },
};

/** References of known operations that the reading ought to have served, and did not, but for those that two readings lacked already. */
async function lackingOf(
  { store, lease, since, served, extent, rotated }: WatchTask,
  after: Instant,
): Promise<readonly string[]> {
  const isLacking = (reference: string) =>
    served.lacks(reference) && (extent.missed[reference]?.missedAgainAt ?? null) === null;
  if (after > Number.NEGATIVE_INFINITY) {
    const known = since?.open.filter(({ status }) => status !== null) ?? [];
    const newest = extent.newest.filter((one) => one.created_at > after);
    const named = [...known, ...newest].map(({ reference }) => reference);
    return [...Object.keys(extent.missed), ...named, ...rotated.references].filter(isLacking);
  }
  const { merchant } = lease;
  if ((await loadStoredExtent(store, merchant))?.operationCount === served.count()) return [];
  const lacking: string[] = [];
  await using mirror = closable(await openMirrorSnapshot(store, { merchant, after: null, watermark: null }));
  for await (const { rows } of mirror.operations()) {
    lacking.push(...rows.map(({ operation }) => operation.reference).filter(isLacking));
    if (lacking.length > MOST_EXAMINED) break;
  }
  return lacking;
}

/** A copy of one moment says the same each time, and those left open were asked for. */
async function isDenied({ source, lease, since }: WatchTask, reference: string, after: Instant): Promise<boolean> {
  const isAsked = (one: OpenOperation) => one.reference === reference && (one.createdAt ?? after) <= after;
  if (source.isStateless(lease.merchant) || since?.open.some(isAsked)) return true;
  const asked = source.askOperation(lease.merchant, reference).catch((failure: unknown) => {
    if (failure instanceof SourceFailed && failure.code === 'UNREADABLE_OPERATION') return 'unreadable';
    throw failure;
  });
  return (await asked) === null;
}
