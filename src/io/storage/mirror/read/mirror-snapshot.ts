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

/** `after` a checkpoint's place, only later lines, and operations changed since, are streamed. */
export interface MirrorRequest extends ReadFrom {
  /** Passed on as the reading's own. */
  readonly watermark: Instant | null;
  /**
   * The descriptions of all lines are wanted, not of adjustments alone, and the texts of
   * operations.
   */
  readonly described?: boolean;
  /**
   * What is known of lines that are served otherwise by now; absent or null: they were not read
   * again.
   */
  readonly unread?: Note | null;
  /** Number of lines from which on a second thread reads them, and the operations beside them. */
  readonly threadFrom?: number;
}

/** One moment of the mirror, from which what is new since another is read too. */
export interface MirrorSnapshot extends Snapshot {
  checkpoint(): Promise<Checkpoint | null>;
  /** The same moment, with the streams of what is later alone. It goes with this one. */
  since(after: NonNullable<MirrorRequest['after']>): Promise<Snapshot>;
  readonly month: MonthReader;
  /** Of the last page that is in it. */
  readonly intake: number;
  chain(): Promise<ChainMark | null>;
}

/** Below this a second thread takes longer to start than it saves. */
const WORTH_A_THREAD = 100_000;

/**
 * What a look at the mirror alone cannot check; a run that fills it names what its source could not
 * give instead.
 */
const NOT_MIRRORED: readonly Note[] = [
  { what: 'history', code: 'MIRROR_WITHOUT_REWRITTEN' },
  { what: 'reports', code: 'MIRROR_WITHOUT_REPORTS' },
  { what: 'payments', code: 'MIRROR_WITHOUT_PAYMENTS' },
  { what: 'payouts', code: 'MIRROR_WITHOUT_PAYOUTS' },
];

/**
 * All refused rows that stand are given, also with `after`, and none that was repaired since.
 * Descriptions come with adjustments only, unless requested or the ledger has duplicated sequences.
 * A merchant that the mirror does not know gives an empty reading. What several ask for from a
 * checkpoint on is of one moment; who reads a whole history reads it by itself.
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

/** The last who closes gives the moment up. */
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
 * Null where this thread reads the rows itself: what is not large, and operations that are looked
 * at without lines.
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
