// Reads a merchant's books back from the mirror: all of them, or what arrived after a checkpoint.
// Refuses to hold a history in memory: lines and operations stream, in one snapshot.

import type { Instant } from '../../../../core/domain/instant.ts';
import type { LedgerEntry } from '../../../../core/domain/ledger-entry.ts';
import type {
  Batch,
  ChainMark,
  Note,
  OperationVersion,
  Snapshot,
} from '../../../../core/domain/snapshot.ts';
import { type BatchThread, putBatchThread } from '../../../threads/batch-thread.ts';
import { HASH_KEY, hashOf } from '../../../threads/hash-key.ts';
import { askTogether } from '../../../together/ask-together.ts';
import { type Checkpoint, readCheckpoints } from '../../conclusions/checkpoint.ts';
import { type DatabaseSnapshot, openDatabaseSnapshot } from '../../server/database-snapshot.ts';
import type { Store } from '../../server/store.ts';
import { AUDITED_ENTRY, WHOLE_ENTRY } from '../copy/rows.ts';
import { loadChainMark } from '../entry-chain.ts';
import { type CopyTask, copyEntries, copyNewest, takeCopyThread } from './copy-thread.ts';
import { loadSurroundings, type ReadFrom, type Surroundings } from './load-surroundings.ts';
import { createMonthReader, type MonthReader, withStream } from './month-reader.ts';
import { recallFrom } from './recall.ts';
import {
  changedOperations,
  entriesQuery,
  type MirrorScope,
  newestOperations,
  storedEntries,
  versionsQuery,
} from './streams.ts';

/**
 * A request for a merchant's mirror. With a checkpoint's place in `after`, only later lines, and
 * operations changed since, are streamed.
 */
export interface MirrorRequest extends ReadFrom {
  /** Becomes the watermark of the snapshot. */
  readonly watermark: Instant | null;
  /**
   * True when the descriptions of all lines are wanted, not of adjustments alone, and the texts of
   * operations.
   */
  readonly described?: boolean;
  /**
   * The note for the part of the books that was not read again, in place of the general one; absent
   * or `null` for the general note.
   */
  readonly unread?: Note | null;
  /**
   * The number of lines from which a second thread reads the lines, and the operations beside them.
   * Absent: WORTH_A_THREAD.
   */
  readonly threadFrom?: number;
}

/** The mirror at one moment. From it, the rows that are newer than a checkpoint can be read too. */
export interface MirrorSnapshot extends Snapshot {
  checkpoint(): Promise<Checkpoint | null>;
  /**
   * Returns the same moment, with streams of only the rows after `after`. It is closed with this
   * snapshot.
   */
  since(after: NonNullable<MirrorRequest['after']>): Promise<Snapshot>;
  readonly month: MonthReader;
  /** The number of the last page in the snapshot. */
  readonly intake: number;
  chain(): Promise<ChainMark | null>;
}

/** The number of lines below which a second thread takes longer to start than it saves. */
const WORTH_A_THREAD = 100_000;

/**
 * The parts that a reading of the mirror alone cannot check. A run that fills the mirror replaces
 * them by what its source could not give.
 */
const NOT_MIRRORED: readonly Note[] = [
  { what: 'history', code: 'MIRROR_WITHOUT_REWRITTEN' },
  { what: 'reports', code: 'MIRROR_WITHOUT_REPORTS' },
  { what: 'payments', code: 'MIRROR_WITHOUT_PAYMENTS' },
  { what: 'payouts', code: 'MIRROR_WITHOUT_PAYOUTS' },
];

/**
 * Opens a merchant's mirror at one moment. It gives all rows that are still refused, also with
 * `after`, and none that was repaired since. Lines other than adjustments come without
 * descriptions, unless these are requested or the ledger has duplicated sequences. A merchant that
 * the mirror does not know gives an empty snapshot. Requests that come together and all begin at a
 * checkpoint share one moment; if one of them reads a whole history, each has its own.
 */
export const openMirrorSnapshot = askTogether<MirrorRequest, MirrorSnapshot, Store>(
  async (store, requests) => {
    const groups = requests.some(({ after }) => after === null)
      ? requests.map((one) => [one])
      : [requests];
    const opened = await Promise.allSettled(groups.map((group) => openGroup(store, group)));
    const failed = opened.find((one) => one.status === 'rejected');
    if (failed === undefined)
      return opened.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    for (const one of opened)
      if (one.status === 'fulfilled') await Promise.all(one.value.map((each) => each.close()));
    throw failed.reason;
  },
);

/**
 * Opens one moment for several requests. The moment is closed when the last of their snapshots is.
 */
async function openGroup(
  store: Store,
  requests: readonly MirrorRequest[],
): Promise<readonly MirrorSnapshot[]> {
  const moment = await openDatabaseSnapshot(store);
  try {
    const known = await loadSurroundings(moment.client, requests);
    const users = new Set(requests);
    return requests.map((request, i) => {
      const close = async (): Promise<void> => {
        if (users.delete(request) && users.size === 0) await moment.close();
      };
      const snapshot = { ...moment, close };
      return {
        ...snapshotOf(store, snapshot, { request, known: known[i]! }),
        checkpoint: async () =>
          (await moment.ask((client) => readCheckpoints(client, [request.merchant])))[0]!,
        chain: () => moment.ask((client) => loadChainMark(client, request.merchant)),
        since: async (after) => {
          const later = { ...request, after, described: false };
          const [found] = await moment.ask((client) => loadSurroundings(client, [later]));
          return snapshotOf(store, snapshot, { request: later, known: found! });
        },
      };
    });
  } catch (error) {
    await moment.close();
    throw error;
  }
}

function snapshotOf(
  store: Store,
  snapshot: DatabaseSnapshot,
  { request, known }: { readonly request: MirrorRequest; readonly known: Surroundings },
): Snapshot & Pick<MirrorSnapshot, 'month' | 'intake'> {
  const { scope, entryCount, intake, wallet, ...given } = known;
  const { after } = request;
  const isLarge =
    after === null &&
    request.described !== true &&
    entryCount >= (request.threadFrom ?? WORTH_A_THREAD);
  const from: StreamedFrom = { store, snapshot, scope, isLarge, thread: null };
  return {
    ...given,
    merchant: request.merchant,
    moving: false,
    currency: wallet?.wallet.currency ?? null,
    watermark: request.watermark,
    absent: NOT_MIRRORED.map((note) =>
      note.what === request.unread?.what ? request.unread : note,
    ),
    notifications: null,
    hashOf,
    expectedEntries: after === null ? entryCount : null,
    entries: () =>
      entries(from, { afterSequence: after?.sequence ?? null, described: request.described }),
    operations: () => operations(from, request.described === true),
    closing: async () => ({
      wallet: wallet?.wallet ?? null,
      readAt: wallet?.readAt ?? null,
      laterEntries: [],
      rejected: [],
    }),
    month: createMonthReader(store, snapshot, { scope, intake }),
    intake,
    recall: (asked) =>
      snapshot.ask((client) =>
        recallFrom(client, { scope, asked, described: request.described === true }),
      ),
    close: async () => {
      if (from.thread !== null) await putBatchThread(from.thread);
      await snapshot.close();
    },
  };
}

interface StreamedFrom {
  readonly store: Store;
  readonly snapshot: DatabaseSnapshot;
  readonly scope: MirrorScope;
  readonly isLarge: boolean;
  thread: BatchThread | null;
}

/**
 * Returns the second thread, or `null` when this thread reads the rows itself: for a mirror that is
 * not large, and for operations that are read without lines.
 */
function threadFor(from: StreamedFrom, part: CopyTask['part']): BatchThread | null {
  if (from.isLarge && part === 'entries') from.thread ??= takeCopyThread();
  return from.thread;
}

async function* entries(
  from: StreamedFrom,
  {
    afterSequence,
    described,
  }: { readonly afterSequence: number | null; readonly described: boolean | undefined },
): AsyncGenerator<Batch<LedgerEntry>> {
  const { scope, snapshot } = from;
  if (!scope.hasLines) return;
  const thread = threadFor(from, 'entries');
  const columns = scope.hasVariants || described === true ? WHOLE_ENTRY : AUDITED_ENTRY;
  const stretch = { columns, from: afterSequence === null ? null : afterSequence + 1, until: null };
  if (thread !== null) {
    yield* copyEntries(thread, taskOf(from, 'entries', entriesQuery(scope, stretch)));
    return;
  }
  const stream = withStream(snapshot, (client) => storedEntries(client, scope, stretch));
  for await (const rows of stream) yield { rows, rejected: [] };
}

async function* operations(
  from: StreamedFrom,
  described: boolean,
): AsyncGenerator<Batch<OperationVersion>> {
  const { scope, snapshot } = from;
  if (!scope.hasOperations) return;
  const thread = threadFor(from, 'operations');
  if (thread !== null) {
    yield* copyNewest(thread, taskOf(from, 'operations', versionsQuery(scope)));
    return;
  }
  const stream = withStream(snapshot, (client) =>
    scope.afterIntake === null
      ? newestOperations(client, scope, described)
      : changedOperations(client, scope),
  );
  for await (const rows of stream) yield { rows, rejected: [] };
}

function taskOf(
  { store, snapshot }: StreamedFrom,
  part: CopyTask['part'],
  query: string,
): CopyTask {
  return {
    part,
    address: store.address,
    begin: snapshot.beginStream,
    query,
    key: HASH_KEY,
  };
}
