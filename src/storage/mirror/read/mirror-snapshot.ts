// Reads a merchant's books back from the mirror: all of them, or what arrived after a checkpoint. Refuses to hold a
// history in memory: lines and operations stream, in one snapshot.

import type { Instant } from '../../../domain/instant.ts';
import type { LedgerEntry } from '../../../domain/ledger-entry.ts';
import type { Batch, NotChecked, OperationVersion, Snapshot } from '../../../domain/snapshot.ts';
import { createRecordReader, selectList } from '../../../rows/copy-binary/stored-columns.ts';
import { WALLET_TABLE } from '../../../rows/wallet-fields.ts';
import { type BatchThread, putBatchThread } from '../../../threads/batch-thread.ts';
import { HASH_KEY, hashOf } from '../../../threads/hash-key.ts';
import { type Checkpoint, readCheckpoints } from '../../conclusions/checkpoint.ts';
import { type DatabaseSnapshot, openDatabaseSnapshot } from '../../server/database-snapshot.ts';
import type { Store } from '../../server/store.ts';
import { AUDITED_ENTRY, WHOLE_ENTRY } from '../copy/entry-rows.ts';
import { PROFILE_COLUMNS, profileOf } from '../profile-rows.ts';
import { loadRejected } from '../rejected-rows.ts';
import type { CopyTask } from './copy-messages.ts';
import { copyEntries, copyNewest, takeCopyThread } from './copy-thread.ts';
import { entriesQuery, storedEntries } from './entry-stream.ts';
import type { MirrorScope } from './mirror-scope.ts';
import { createMonthReader, type MonthReader } from './month-reader.ts';
import { changedOperations, newestOperations, storedVersions, versionsQuery } from './operation-stream.ts';
import { recallFrom } from './recall.ts';

export interface MirrorRequest {
  readonly merchant: string;
  /** A checkpoint's place: only later lines, and operations changed since, are streamed. Null: everything. */
  readonly after: { readonly sequence: number; readonly intake: number } | null;
  /** Passed on as the reading's own. */
  readonly watermark: Instant | null;
  /** The descriptions of all lines are wanted, not of adjustments alone, and the texts of operations. */
  readonly described?: boolean;
  /** Number of lines from which on a second thread reads them, and the operations beside them. */
  readonly threadFrom?: number;
}

/** One moment of the mirror, from which what is new since another is read too. */
export interface MirrorSnapshot extends Snapshot {
  /** As it stood at that moment. */
  checkpoint(): Promise<Checkpoint | null>;
  /** The same moment, with the streams of what is later alone. It goes with this one. */
  since(after: NonNullable<MirrorRequest['after']>): Promise<Snapshot>;
  /** Of the same moment. */
  readonly month: MonthReader;
}

/** Below this a second thread takes longer to start than it saves. */
const WORTH_A_THREAD = 100_000;

/** A merchant with more refused rows than this has other troubles; the first ones are given. */
const MOST_REJECTED = 10_000;

/** What a look at the mirror alone cannot check; a run that fills it names what its source could not give instead. */
const NOT_MIRRORED: readonly NotChecked[] = [
  {
    what: 'history',
    why: 'rows that the service has rewritten since they were read are not compared',
    incomplete: false,
    code: 'MIRROR_WITHOUT_REWRITTEN',
  },
  {
    what: 'reports',
    why: 'the mirror keeps no report that the service published',
    incomplete: false,
    code: 'MIRROR_WITHOUT_REPORTS',
  },
  { what: 'payments', why: 'the mirror keeps no payment by link', incomplete: false, code: 'MIRROR_WITHOUT_PAYMENTS' },
];

/**
 * All refused rows that stand are given, also with `after`, and none that was repaired since. Descriptions come
 * with adjustments only, unless they are asked for or the ledger has duplicated sequences. A merchant that the mirror
 * does not know gives an empty reading.
 */
export async function openMirrorSnapshot(store: Store, request: MirrorRequest): Promise<MirrorSnapshot> {
  const snapshot = await openDatabaseSnapshot(store);
  try {
    const whole = await snapshotOf(store, snapshot, request);
    return {
      ...whole,
      checkpoint: async () => (await readCheckpoints(snapshot.client, [request.merchant]))[0]!,
      since: (after) => snapshotOf(store, snapshot, { ...request, after, described: false }),
    };
  } catch (error) {
    await snapshot.close();
    throw error;
  }
}

async function snapshotOf(
  store: Store,
  snapshot: DatabaseSnapshot,
  request: MirrorRequest,
): Promise<Snapshot & Pick<MirrorSnapshot, 'month'>> {
  const { scope, entryCount, intake } = await loadScope(snapshot, request);
  const { after } = request;
  const wallet = await loadWallet(snapshot, scope);
  const profiles = await loadProfiles(snapshot, { scope, merchant: request.merchant });
  const rejected = await loadRejected(snapshot.client, { merchantId: scope.merchantId, limit: MOST_REJECTED });
  const adjustedAt = await loadAdjustments(snapshot, scope);
  const isLarge = after === null && request.described !== true && entryCount >= (request.threadFrom ?? WORTH_A_THREAD);
  const from: StreamedFrom = { store, snapshot, scope, isLarge, thread: null };
  return {
    merchant: request.merchant,
    profiles,
    moving: false,
    currency: wallet?.currency ?? null,
    watermark: request.watermark,
    absent: NOT_MIRRORED,
    rejected,
    adjustedAt,
    notifications: null,
    hashOf,
    expectedEntries: after === null ? entryCount : null,
    entries: () => entries(from, { afterSequence: after?.sequence ?? null, described: request.described }),
    operations: () => operations(from, request.described === true),
    closing: async () => ({ wallet, laterEntries: [], rejected: [] }),
    month: createMonthReader(store, snapshot, { scope, intake }),
    recall: (asked) => recallFrom(snapshot.client, { scope, asked, described: request.described === true }),
    close: async () => {
      if (from.thread !== null) await putBatchThread(from.thread);
      await snapshot.close();
    },
  };
}

/** `intake`: number of the newest page. */
interface Extent {
  readonly entryCount: number;
  readonly intake: number;
}

async function loadScope(snapshot: DatabaseSnapshot, request: MirrorRequest) {
  const { after } = request;
  const answer = await snapshot.client.query<Omit<MirrorScope, 'afterIntake'> & Extent>({
    name: 'head for reading',
    text: `select h.merchant_id as "merchantId", h.intake, h.entry_count as "entryCount", h.variant_count > 0 as "hasVariants",
      h.moved_operation_count > 0 as "hasMovedOperations",
      h.last_sequence is not null and ($2::bigint is null or h.last_sequence > $2) as "hasLines",
      $3::bigint is null or exists (
        select 1
        from operation_versions v
        where v.merchant_id = h.merchant_id and v.intake > $3
      ) as "hasOperations"
    from merchants m
    join merchant_heads h on h.merchant_id = m.merchant_id
    where m.reference = $1`,
    values: [request.merchant, after?.sequence ?? null, after?.intake ?? null],
  });
  const { entryCount, intake, ...head } = answer.rows[0] ?? NOTHING;
  return { scope: { ...head, afterIntake: after?.intake ?? null }, entryCount, intake };
}

/** Of a merchant that the mirror does not know. */
const NOTHING = {
  merchantId: 0,
  intake: 0,
  entryCount: 0,
  hasVariants: false,
  hasMovedOperations: false,
  hasLines: false,
  hasOperations: false,
};

interface StreamedFrom {
  readonly store: Store;
  readonly snapshot: DatabaseSnapshot;
  readonly scope: MirrorScope;
  readonly isLarge: boolean;
  thread: BatchThread | null;
}

/** Null where this thread reads the rows itself: what is not large, and operations that are looked at without lines. */
function threadFor(from: StreamedFrom, part: CopyTask['part']): BatchThread | null {
  if (from.isLarge && part === 'entries') from.thread ??= takeCopyThread();
  return from.thread;
}

async function* entries(
  from: StreamedFrom,
  { afterSequence, described }: { readonly afterSequence: number | null; readonly described: boolean | undefined },
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
  const client = await snapshot.connect();
  try {
    for await (const rows of storedEntries(client, scope, stretch)) yield { rows, rejected: [] };
  } finally {
    snapshot.release(client);
  }
}

async function* operations(from: StreamedFrom, described: boolean): AsyncGenerator<Batch<OperationVersion>> {
  const { scope, snapshot } = from;
  if (!scope.hasOperations) return;
  const thread = threadFor(from, 'operations');
  if (thread !== null) {
    yield* copyNewest(thread, taskOf(from, 'operations', versionsQuery(scope)));
    return;
  }
  const client = await snapshot.connect();
  try {
    const stream =
      scope.afterIntake === null
        ? newestOperations(storedVersions(client, scope, described))
        : changedOperations(client, scope);
    for await (const rows of stream) yield { rows, rejected: [] };
  } finally {
    snapshot.release(client);
  }
}

function taskOf({ store, snapshot }: StreamedFrom, part: CopyTask['part'], query: string): CopyTask {
  return {
    part,
    address: store.address,
    begin: snapshot.beginStream,
    query,
    key: HASH_KEY,
  };
}

async function loadProfiles(
  snapshot: DatabaseSnapshot,
  of: { readonly scope: MirrorScope; readonly merchant: string },
) {
  const answer = await snapshot.client.query<Record<string, unknown>>({
    name: 'profiles',
    text: `select ${PROFILE_COLUMNS.join(', ')}
    from profile_versions
    where merchant_id = $1
    order by version`,
    values: [of.scope.merchantId],
  });
  return answer.rows.map((record) => profileOf({ merchant: of.merchant, record }));
}

/** Null when nothing was ever notified. Notifications about no operation are few, and have a place of their own. */
async function loadAdjustments(snapshot: DatabaseSnapshot, scope: MirrorScope): Promise<readonly Instant[] | null> {
  const notified = await snapshot.client.query(
    `select 1
    from notifications
    where merchant_id = $1 and channel = 'direct'
    limit 1`,
    [scope.merchantId],
  );
  if (notified.rowCount === 0) return null;
  const answer = await snapshot.client.query<{ at: Instant }>(
    `select coalesce(created_at, received_at) as at
    from notifications
    where merchant_id = $1 and operation_reference is null and channel = 'direct' and type = 'wallet.adjusted'
    order by at`,
    [scope.merchantId],
  );
  return answer.rows.map(({ at }) => at);
}

const walletOf = createRecordReader(WALLET_TABLE);

async function loadWallet(snapshot: DatabaseSnapshot, scope: MirrorScope) {
  const answer = await snapshot.client.query<Record<string, unknown>>({
    name: 'wallet',
    text: `select ${selectList(WALLET_TABLE)}
    from wallet_readings
    where merchant_id = $1
    order by intake desc
    limit 1`,
    values: [scope.merchantId],
  });
  return answer.rows[0] === undefined ? null : walletOf(answer.rows[0]);
}
