// Brings a merchant's mirror up to date: everything that the source has and the mirror has not, page by page, each page
// whole or not at all. It judges nothing.

import type { Instant } from '../domain/instant.ts';
import type { LedgerEntry } from '../domain/ledger-entry.ts';
import type { Operation } from '../domain/operation.ts';
import { type Closing, type NotChecked, OutOfOrder, type Reading, type RejectedRow } from '../domain/reading.ts';
import { type Source, SourceFailed } from '../sources/source.ts';
import type { Lease } from '../storage/merchant-lock.ts';
import type { Store } from '../storage/open-store.ts';
import { digestOfRejected } from '../storage/rejected-rows.ts';
import { type Page, type SavedPage, savePage } from '../storage/save-page.ts';
import { PutBack } from './jobs.ts';
import type { PlannedSince } from './plan-reading.ts';

export interface MirrorTask {
  readonly store: Store;
  readonly source: Source;
  readonly lease: Lease;
  /** Null: everything is read. */
  readonly since: PlannedSince | null;
  /** The instant that counts when the source cannot say when it was read. */
  readonly now: Instant;
  readonly onProgress: (entries: number) => void;
  /** Rows a page; large enough for bulk loading, small enough to hold, unless told. */
  readonly pageRows?: number;
}

export interface Mirrored {
  readonly entriesAdded: number;
  readonly operationsChanged: number;
  /** The source may have moved while it was read: what contradicts is worth asking for again. */
  readonly moving: boolean;
  /** The mirror holds what the source had at this instant. */
  readonly watermark: Instant;
  readonly absent: readonly NotChecked[];
  readonly adjustedAt: readonly Instant[] | null;
  readonly closing: Closing;
}

const PAGE_ROWS = 10_000;
/** A reading that refuses more rows than this settles nothing about rows refused earlier. */
const MOST_REFUSED = 100_000;

type Save = (page: Page) => Promise<SavedPage>;

/** Lines first, then operations, then the wallet: so that every line is older than the operation it is judged by. */
export async function mirrorMerchant(task: MirrorTask): Promise<Mirrored> {
  const { since } = task;
  const reading = await task.source.open(task.lease.merchant, since);
  const refused = new Set<string>();
  const save: Save = (page) => {
    for (const row of page.rejected ?? []) if (refused.size <= MOST_REFUSED) refused.add(digestOfRejected(row));
    return savePage(task.store, task.lease, page);
  };
  try {
    await save({ profile: reading.profiles.at(-1), rejected: reading.rejected });
    const lines = await mirrorEntries(task, reading, save);
    const operations = await mirrorOperations(task, reading, save);
    const closing = await reading.closing();
    const wallet =
      closing.wallet === null ? undefined : { wallet: closing.wallet, readAt: reading.watermark ?? task.now };
    const { storedPages: beganAfter, openReferences: references } = since ?? { storedPages: 0, openReferences: [] };
    const lookedAgain = { whole: since === null, beganAfter, references, refused };
    const isKnown = refused.size + closing.rejected.length <= MOST_REFUSED;
    await save({ wallet, rejected: closing.rejected, lookedAgain: isKnown ? lookedAgain : undefined });
    return {
      entriesAdded: lines.entriesAdded,
      operationsChanged: operations.operationsChanged,
      moving: reading.moving,
      watermark: reading.watermark ?? task.now,
      absent: reading.absent,
      adjustedAt: reading.adjustedAt,
      closing,
    };
  } finally {
    await reading.close();
  }
}

async function mirrorEntries(task: MirrorTask, reading: Reading, savePart: Save): Promise<SavedPage> {
  let total = NOTHING_SAVED;
  let rows: LedgerEntry[] = [];
  let rejected: RejectedRow[] = [];
  let read = 0;
  const save = async (): Promise<void> => {
    total = sumOf(total, await savePart({ entries: rows, rejected }));
    rows = [];
    rejected = [];
  };
  try {
    for await (const batch of reading.entries()) {
      for (const row of batch.rows) rows.push(row);
      rejected.push(...batch.rejected);
      read += batch.rows.length;
      task.onProgress(read);
      if (rows.length >= (task.pageRows ?? PAGE_ROWS)) await save();
    }
  } catch (failure) {
    if (isKept(failure)) await save();
    if (!(failure instanceof OutOfOrder)) throw failure;
    // A row that is saved again adds nothing.
    return sumOf(total, await mirrorEntries(task, reading, savePart));
  }
  if (rows.length + rejected.length > 0) await save();
  return total;
}

async function mirrorOperations(task: MirrorTask, reading: Reading, savePart: Save): Promise<SavedPage> {
  let total = NOTHING_SAVED;
  let operations: Operation[] = [];
  let rejected: RejectedRow[] = [];
  const save = async (): Promise<void> => {
    total = sumOf(total, await savePart({ operations, rejected }));
    operations = [];
    rejected = [];
  };
  try {
    for await (const batch of reading.operations()) {
      for (const { operation } of batch.rows) operations.push(operation);
      rejected.push(...batch.rejected);
      if (operations.length >= (task.pageRows ?? PAGE_ROWS)) await save();
    }
  } catch (failure) {
    if (isKept(failure)) await save();
    if (!(failure instanceof OutOfOrder)) throw failure;
    return sumOf(total, await mirrorOperations(task, reading, savePart));
  }
  if (operations.length + rejected.length > 0) await save();
  return total;
}

/** A source that breaks off, or is left, has served what it has served: the next reading goes on from there. */
function isKept(failure: unknown): boolean {
  return failure instanceof SourceFailed || failure instanceof PutBack;
}

const NOTHING_SAVED: SavedPage = { entriesAdded: 0, operationsChanged: 0, lateEntries: 0 };

function sumOf(a: SavedPage, b: SavedPage): SavedPage {
  return {
    entriesAdded: a.entriesAdded + b.entriesAdded,
    operationsChanged: a.operationsChanged + b.operationsChanged,
    lateEntries: a.lateEntries + b.lateEntries,
  };
}
