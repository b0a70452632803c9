// Brings a merchant's mirror up to date: reads all rows that the source has and the mirror has not,
// and saves them page by page, each page whole or not at all. It judges nothing.

import {
  formatInstant,
  HOUR,
  type Instant,
  MINUTE,
  parseInstant,
} from '../../../core/domain/instant.ts';
import type { LedgerEntry } from '../../../core/domain/ledger-entry.ts';
import {
  type Measures,
  NO_MEASURES,
  NO_TRACING,
  type Tracing,
} from '../../../core/domain/measures.ts';
import type { OpenOperation, Operation } from '../../../core/domain/operation.ts';
import {
  type Closing,
  type Note,
  type OperationVersion,
  OutOfOrder,
  type RejectedRow,
  type Snapshot,
  servedSince,
} from '../../../core/domain/snapshot.ts';
import { behindNote } from '../../../core/kernel/checks/across/circumstances.ts';
import { askReadable, type Source, SourceFailed } from '../../../io/sources/port/source.ts';
import type { Lease } from '../../../io/storage/merchants/merchant-lock.ts';
import { type OperationRound, saveOperationWatch } from '../../../io/storage/mirror/line-watch.ts';
import { openMirrorSnapshot } from '../../../io/storage/mirror/read/mirror-snapshot.ts';
import { digestOfRejected, type Reread } from '../../../io/storage/mirror/rejected-rows.ts';
import { beginLedger } from '../../../io/storage/mirror/save/begin-reread.ts';
import type { Page } from '../../../io/storage/mirror/save/find-new.ts';
import type { ReadingStart } from '../../../io/storage/mirror/save/save-entries.ts';
import {
  NOTHING_SAVED,
  type SavedPage,
  savePage,
  sumOfSaved,
} from '../../../io/storage/mirror/save/save-page.ts';
import {
  loadReading,
  loadStoredExtent,
  type StoredExtent,
} from '../../../io/storage/mirror/stored-extent.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import { closable } from '../closable.ts';
import { PutBack } from '../jobs.ts';
import {
  compareHistory,
  type HistoryTask,
  noteServedAgain,
  type ReadAgain,
} from './compare-history.ts';
import { type PlannedSince, planSince } from './plan-since.ts';
import { type RotatedHistory, rotateHistory, rotateOperations } from './rotate-history.ts';
import { notesOfRound, type Rotation, type RoundRead } from './rounds.ts';

export interface MirrorTask {
  readonly store: Store;
  readonly source: Source;
  readonly lease: Lease;
  /** Where to read on from; `null` to read everything. */
  readonly since: PlannedSince | null;
  /** The time of the reading for a source that cannot say when it was read. */
  readonly now: Instant;
  readonly onProgress: (entries: number) => void;
  readonly tracing?: Tracing | undefined;
  readonly measures?: Measures | undefined;
  /**
   * How known lines are read again in rounds; absent when they are read again only where the
   * reading meets them.
   */
  readonly rotation?: Rotation | undefined;
  /** Rows of a page; absent for `PAGE_ROWS`. */
  readonly pageRows?: number;
}

export interface Mirrored {
  /** Where the reading began; `null` when it began with the first row. */
  readonly since: PlannedSince | null;
  /** How far the mirror reached when the reading began. */
  readonly began: ReadingStart;
  readonly entriesAdded: number;
  readonly operationsChanged: number;
  /**
   * True when the source may have changed while it was read: rows that contradict each other are
   * then worth a second request.
   */
  readonly moving: boolean;
  /** The mirror holds everything that the source had at this instant. */
  readonly watermark: Instant;
  readonly absent: readonly Note[];
  readonly adjustedAt: readonly Instant[] | null;
  /** True when the source has notifications of its own, which are not mirrored. */
  readonly hasNotifications: boolean;
  readonly closing: Closing;
  /** True when every known line was served again. */
  readonly isAllServed: boolean;
  /**
   * The round through the lines and that through the operations; `null` unless both are under way.
   */
  readonly rounds: readonly RoundRead[] | null;
}

/** Large enough for bulk loading, small enough to keep a page in memory. */
const PAGE_ROWS = 10_000;
/**
 * A reading that refuses more rows than this no longer tells which earlier refusals are settled.
 */
const MOST_REFUSED = 100_000;

/**
 * Brings the mirror up to date. When the source has another wallet than before, its books are read
 * once more, from the first line of the new ledger.
 */
export async function mirrorMerchant(task: MirrorTask): Promise<Mirrored> {
  const mirrored = await mirrorBooks(task);
  return (
    mirrored ?? mirrorMerchant({ ...task, since: await planSince(task.store, task.lease.merchant) })
  );
}

/**
 * Reads lines first, then operations, then the wallet, so that every line is older than the
 * operation it is judged by. Returns `null` when the wallet is another one.
 */
async function mirrorBooks(task: MirrorTask): Promise<Mirrored | null> {
  const { since, store, lease } = task;
  const extent = since?.extent ?? (await loadStoredExtent(store, lease.merchant));
  const servedAgain = noteServedAgain(extent?.lastSequence ?? null);
  await using snapshot = closable(await task.source.open(task.lease.merchant, since, 'described'));
  const lastSequence =
    extent === null || extent.lineCount === 0 ? Number.NEGATIVE_INFINITY : extent.newestSequence;
  const began = { storedPages: extent?.lastIntake ?? 0, lastSequence };
  const watermark = snapshot.watermark ?? task.now;
  const pages = beginPages(task, began);
  try {
    await pages.add({ profile: snapshot.profiles.at(-1), rejected: snapshot.rejected });
    await untilInOrder(() =>
      mirrorEntries(task, snapshot, (part) => pages.add(servedAgain.note(part))),
    );
    const served = noteServedOperations(snapshot.hashOf);
    const add = (part: Page) => pages.add(extent === null ? part : served.note(part));
    const addAll = async (batches: ReturnType<Snapshot['operations']>): Promise<void> => {
      for await (const { rows, rejected } of batches)
        await add({ operations: rows.map(({ operation }) => operation), rejected });
    };
    await untilInOrder(() => addAll(snapshot.operations()));
    const rotated = await rotateOperations({
      ...task,
      snapshot,
      extent,
      lacks: served.lacks,
      addAll,
    });
    const closing = await snapshot.closing();
    const isSameWallet = await addClosing(task, {
      extent,
      pages,
      closing,
      readAt: closing.readAt ?? watermark,
    });
    if (!isSameWallet) return null;
    const references = since?.open.map(({ reference }) => reference) ?? [];
    const beganAfter = since?.extent.lastIntake ?? 0;
    const saved = await pages.finish({ whole: since === null, beganAfter, references });
    const isWhole = since === null || task.source.isStateless(lease.merchant);
    const reading = {
      ...task,
      snapshot,
      extent,
      servedAgain,
      isWhole,
      lateEntries: saved.lateEntries,
    };
    const compared = await compareAndRotate(reading, task.rotation);
    const watched =
      extent === null
        ? null
        : await watchOperations({ ...task, snapshot, served, extent, rotated });
    const operations = watched && rotated.readOf(watched.round);
    return {
      since,
      began,
      ...sumOfSaved(saved, compared.saved),
      moving: snapshot.moving,
      watermark,
      absent: [
        ...clockNotes(watermark, {
          known: extent && (await loadReading(store, lease.merchant)),
          now: task.now,
        }),
        ...withoutHistory(snapshot.absent, compared),
        ...notAskedFor(since),
        ...compared.notes,
        ...rotated.notes,
        ...(watched?.notes ?? []),
        ...(operations === null ? [] : notesOfRound(operations, task.now)),
      ],
      adjustedAt: snapshot.adjustedAt,
      hasNotifications: snapshot.notifications !== null,
      closing,
      isAllServed: servedAgain.knownCount() === extent?.entryCount,
      rounds: compared.read && operations && [compared.read, operations],
    };
  } catch (failure) {
    // When the source fails, or the reading must stop, the rows served so far are saved, and the
    // next reading goes on from there.
    if (failure instanceof SourceFailed || failure instanceof PutBack) await pages.save();
    throw failure;
  }
}

interface Closed extends Pick<HistoryTask, 'extent'> {
  readonly pages: ReturnType<typeof beginPages>;
  readonly closing: Closing;
  readonly readAt: Instant;
}

/**
 * Adds the wallet. Returns false when it is another wallet: its ledger has then begun in the
 * mirror.
 */
async function addClosing(
  { store, lease, now }: MirrorTask,
  { extent, pages, closing, readAt }: Closed,
) {
  const wallet = closing.wallet === null ? undefined : { wallet: closing.wallet, readAt };
  const before = extent?.walletId ?? null;
  if (before === null || wallet === undefined || wallet.wallet.walletId === before) {
    await pages.add({ wallet, rejected: closing.rejected });
    return true;
  }
  await pages.save();
  const reason = `the wallet is ${wallet.wallet.walletId}, and was ${before}`;
  await beginLedger(store, lease, { at: now, by: 'pointage', reason });
  // The new wallet must be saved last: until then, every reading finds the change of wallet again.
  await savePage(store, lease, { wallet });
  return false;
}

async function compareAndRotate(
  reading: HistoryTask,
  rotation: Rotation | undefined,
): Promise<RotatedHistory> {
  const compared = await compareHistory(reading);
  if (rotation === undefined) return { ...compared, read: null };
  const rotated = await rotateHistory(reading, rotation);
  return {
    ...rotated,
    saved: sumOfSaved(compared.saved, rotated.saved),
    notes: [...compared.notes, ...rotated.notes],
  };
}

/** Drops the source's own note about its history once rounds tell how far the history is known. */
function withoutHistory(absent: readonly Note[], { read }: RotatedHistory): readonly Note[] {
  const isSaid = read !== null && read.since !== null;
  return isSaid ? absent.filter(({ what }) => what !== 'history') : absent;
}

function notAskedFor(since: PlannedSince | null): readonly Note[] {
  if (since?.openLater == null) return [];
  const { count, readings } = since.openLater;
  return [
    {
      what: 'open operations',
      incomplete: true,
      code: 'OPEN_ASKED_LATER',
      figures: { count, readings },
    },
  ];
}

async function mirrorEntries(
  task: MirrorTask,
  snapshot: Snapshot,
  add: (part: Page) => Promise<void>,
) {
  let read = 0;
  for await (const { rows: entries, rejected } of snapshot.entries()) {
    read += entries.length;
    await add({ entries, rejected });
    // An exception thrown here ends the reading; what was read is kept.
    task.onProgress(read);
  }
}

/** Reads again from the beginning when rows came out of order. Rows saved twice add nothing. */
async function untilInOrder(read: () => Promise<void>): Promise<void> {
  return read().catch((failure: unknown) => {
    if (!(failure instanceof OutOfOrder)) throw failure;
    return untilInOrder(read);
  });
}

/** Gathers rows into pages. A small reading makes one page, which is one transaction. */
function beginPages(task: MirrorTask, began: ReadingStart) {
  const { store, lease, pageRows = PAGE_ROWS, tracing = NO_TRACING, measures = NO_MEASURES } = task;
  const refused = new Set<string>();
  let isRefusedKnown = true;
  let total = NOTHING_SAVED;
  let page = emptyPage();
  const save = async (reread?: Reread): Promise<void> => {
    const full = page;
    page = emptyPage();
    const rows = { entries: full.entries.length, operations: full.operations.length };
    const saved = await tracing.span('page', { merchant: lease.merchant, ...rows }, () =>
      savePage(store, lease, { ...full, began, reread }),
    );
    measures.entriesRead(saved.entriesAdded);
    total = sumOfSaved(total, saved);
  };
  return {
    /** Adds rows to the open page, and saves the page once it is full. */
    async add(part: Page): Promise<void> {
      page.profile = part.profile ?? page.profile;
      page.wallet = part.wallet ?? page.wallet;
      for (const entry of part.entries ?? []) page.entries.push(entry);
      for (const operation of part.operations ?? []) page.operations.push(operation);
      for (const row of part.rejected ?? []) {
        page.rejected.push(row);
        if (refused.size < MOST_REFUSED) refused.add(digestOfRejected(row));
        else isRefusedKnown = false;
      }
      if (page.entries.length + page.operations.length + page.rejected.length >= pageRows)
        await save();
    },
    /** Saves the open page. */
    save: () => save(),
    /** Saves the last page of a reading that reached its end. Returns the sums over all pages. */
    async finish(reread: Omit<Reread, 'refused'>): Promise<SavedPage> {
      await save(isRefusedKnown ? { ...reread, refused } : undefined);
      return total;
    },
  };
}

function emptyPage() {
  const [entries, operations, rejected]: [LedgerEntry[], Operation[], RejectedRow[]] = [[], [], []];
  return {
    profile: undefined as Page['profile'],
    wallet: undefined as Page['wallet'],
    entries,
    operations,
    rejected,
  };
}

// Compares the operations that a reading served with those of the mirror. An operation is missed
// when a list that is complete for its time does not contain it and the service denies it when
// asked. One such reading makes a note, two in a row a finding.

/**
 * Notes which operations a reading serves, including those in refused rows. Holds one number (a
 * hash) for each.
 */
function noteServedOperations(hashOf: Snapshot['hashOf']) {
  const noted: number[] = [];
  let hashes: ReadonlySet<number> = new Set();
  let hashed = 0;
  let isUnsure = false;
  return {
    /** Notes the operations and returns `part` unchanged. */
    note(part: Page): Page {
      for (const { reference } of part.operations ?? []) noted.push(hashOf(reference));
      for (const { part: of, reference } of part.rejected ?? []) {
        if (of === 'operations') noted.push(hashOf(reference ?? ''));
        isUnsure ||= of === 'operations' && reference === null;
      }
      return part;
    },
    count: () => noted.length,
    /** Tells whether an operation is missing from everything served so far. */
    lacks(reference: string): boolean {
      if (hashed < noted.length) hashes = new Set(noted);
      hashed = noted.length;
      return !hashes.has(hashOf(reference));
    },
    /** True when a refused row has no reference: it may be any operation. */
    isUnsure: () => isUnsure,
  };
}

interface WatchTask extends Pick<HistoryTask, 'store' | 'lease' | 'snapshot' | 'now'> {
  readonly source: Source;
  readonly since: PlannedSince | null;
  readonly served: ReturnType<typeof noteServedOperations>;
  /** The mirror before the reading. */
  readonly extent: StoredExtent;
  readonly rotated: ReadAgain;
}

/** Most missing operations that are examined in one reading. */
const MOST_EXAMINED = 200;

interface WatchedOperations {
  /** How far known operations were read again and compared; `null` when no round has begun. */
  readonly round: OperationRound | null;
  readonly notes: readonly Note[];
}

/**
 * Must be called after the reading was saved and its lines were compared. A second reading within
 * the same hour does not count as another one. Throws `LeaseLost`, `SourceFailed`.
 */
async function watchOperations(task: WatchTask): Promise<WatchedOperations> {
  const { store, lease, served, extent, snapshot, now } = task;
  const after = snapshot.operationsAfter ?? null;
  const missed = new Map(
    Object.entries(extent.missed).filter(([reference]) => served.lacks(reference)),
  );
  const isComparable = after !== null && !served.isUnsure();
  const lacking = isComparable ? [...new Set(await lackingOf(task, after))] : [];
  for (const one of lacking.slice(0, MOST_EXAMINED)) {
    const missedAt = missed.get(one)?.missedAt ?? now;
    const missedAgainAt = now - missedAt >= HOUR ? now : null;
    if (await isDenied(task, one, after!)) missed.set(one, { missedAt, missedAgainAt });
  }
  const isCut = lacking.length > MOST_EXAMINED;
  const seen = Object.fromEntries(missed);
  // Keep the earlier state of the round: not everything that was read again could be compared.
  const round = served.isUnsure() || isCut ? extent.operationRound : task.rotated.round;
  const isAsKnown =
    JSON.stringify([seen, round]) === JSON.stringify([extent.missed, extent.operationRound]);
  if (!isAsKnown) await saveOperationWatch(store, lease, { missed: seen, round });
  return { round, notes: isCut ? [EXAMINED_LATER] : [] };
}

/** Milliseconds by which the clocks of one service may differ. */
const MOST_APART = 5 * MINUTE;

/**
 * Returns a note when the reading is dated before an earlier one: the service's clock is behind,
 * and newer rows cannot be judged by it. An earlier reading dated after now was wrong itself and
 * does not count.
 */
function clockNotes(
  watermark: Instant,
  {
    known,
    now,
  }: { readonly known: Awaited<ReturnType<typeof loadReading>>; readonly now: Instant },
): readonly Note[] {
  // When the clock stays behind, it is still compared with the newest instant seen before.
  const instants = [known?.watermark ?? null, parseInstant(known?.behind?.newest ?? '')];
  const newest = Math.max(
    ...instants.filter((one) => one !== null).filter((one) => one <= now + MOST_APART),
  );
  if (watermark >= newest - MOST_APART) return [];
  return [behindNote({ clock: formatInstant(watermark), newest: formatInstant(newest) })];
}

const EXAMINED_LATER: Note = {
  what: 'history',
  incomplete: true,
  code: 'OPERATIONS_EXAMINED_LATER',
  figures: { most: MOST_EXAMINED },
};

/**
 * Returns the references of known operations that the reading should have served and did not.
 * Leaves out those that two readings have missed already, and those that may have been dropped with
 * the oldest lines.
 */
async function lackingOf(
  { store, lease, since, served, extent, rotated }: WatchTask,
  after: Instant,
): Promise<readonly string[]> {
  const isLacking = (reference: string) =>
    served.lacks(reference) && (extent.missed[reference]?.missedAgainAt ?? null) === null;
  const { merchant } = lease;
  const isAll = after === Number.NEGATIVE_INFINITY;
  const known = since?.open.filter(({ status }) => status !== null) ?? [];
  const newest = extent.newest.filter((one) => one.created_at > after);
  const named = [...known, ...newest].map(({ reference }) => reference);
  const references = [...Object.keys(extent.missed), ...named, ...rotated.references].filter(
    isLacking,
  );
  const isServed =
    isAll && (await loadStoredExtent(store, merchant))?.operationCount === served.count();
  if (isServed || (!isAll && references.length === 0)) return [];
  await using mirror = closable(
    await openMirrorSnapshot(store, { merchant, after: null, watermark: null }),
  );
  const oldest = servedSince(mirror);
  const lackingIn = (rows: readonly OperationVersion[]) =>
    rows.flatMap(({ operation: { reference, createdAt } }) =>
      createdAt >= oldest && isLacking(reference) ? [reference] : [],
    );
  const asked = { references: new Set(references), entryIds: NOTHING, externalReferences: NOTHING };
  if (!isAll) return lackingIn((await mirror.recall(asked)).operations);
  const lacking: string[] = [];
  for await (const { rows } of mirror.operations()) {
    lacking.push(...lackingIn(rows));
    if (lacking.length > MOST_EXAMINED) break;
  }
  return lacking;
}

const NOTHING: ReadonlySet<string> = new Set();

/**
 * Tells whether the service denies the operation. It is not asked again when the source is a copy
 * of one moment, or when this reading asked for the operation already.
 */
async function isDenied(
  { source, lease, since }: WatchTask,
  reference: string,
  after: Instant,
): Promise<boolean> {
  const isAsked = (one: OpenOperation) =>
    one.reference === reference && (one.createdAt ?? after) <= after;
  if (source.isStateless(lease.merchant) || since?.open.some(isAsked)) return true;
  return (await askReadable(source, lease.merchant, reference)) === null;
}
