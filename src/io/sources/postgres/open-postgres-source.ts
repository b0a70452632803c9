// The operator's own database as a source: its tables or views, mapped by the settings, read in
// read-only transactions.

import type { LedgerEntry } from '../../../core/domain/ledger-entry.ts';
import type { Operation } from '../../../core/domain/operation.ts';
import type { Bounds } from '../../../core/domain/period.ts';
import type {
  Batch,
  Note,
  OperationVersion,
  Recall,
  Recalled,
  RecalledEntry,
  RejectedRow,
  Snapshot,
} from '../../../core/domain/snapshot.ts';
import { figuresAfter, isRepeated, recallEntries } from '../port/recall-entries.ts';
import { absentSince, type Detail, type Since, type Source, SourceFailed } from '../port/source.ts';
import {
  entriesTail,
  ofMerchant,
  operationsTail,
  recallEntriesSelect,
  recallOperationsTail,
  servedAfter,
  unnumberedEntriesTail,
} from './book-queries.ts';
import {
  type BooksTables,
  describeBooks,
  NOT_IN_TABLES,
  type ReadableTable,
  requireOne,
  surroundingsOf,
} from './books-tables.ts';
import { digestTogether } from './digest-together.ts';
import { openTogether } from './open-together.ts';
import { failureOf } from './postgres-failure.ts';
import {
  checkPostgresSettings,
  invalidSettings,
  type PostgresSettings,
} from './postgres-settings.ts';
import { openServedLines } from './served-lines.ts';
import { nameOf, openSessionPool, type Session, type SessionPool, withSession } from './session.ts';
import { keepNewest, streamRows, streamTable } from './stream-rows.ts';

/**
 * Opens the source. It connects only when a merchant is opened or merchants are listed. Throws
 * `SourceFailed` INVALID_SETTINGS.
 */
export function openPostgresSource(settings: PostgresSettings): Source {
  checkPostgresSettings(settings);
  const name = nameIn(settings);
  const pool = openSessionPool(settings);
  let described: Promise<BooksTables> | null = null;
  const open = new Set<() => Promise<void>>();
  const tablesFor = (session: Session): Promise<BooksTables> => {
    described ??= describeBooks(session.client, settings).catch((error: unknown) => {
      described = null;
      throw error;
    });
    return described;
  };
  const openAlone = (asked: Omit<PostgresOpening, 'pool' | 'tablesFor'>) =>
    openPostgresSnapshot({ ...asked, pool, tablesFor });
  const together = { pool, tablesFor, openAlone };
  return {
    name,
    isStateless: () => false,
    merchants: () =>
      withSession(pool, async (session) => listMerchants(session, await tablesFor(session))),
    async open(merchant, since, detail = 'judged') {
      const snapshot = await openAlone({ merchant, since, detail });
      const close = async (): Promise<void> => {
        open.delete(close);
        await snapshot.close();
      };
      open.add(close);
      return { ...snapshot, close };
    },
    openTogether: (merchant, since) => openTogether(together, { merchant, since }),
    digestTogether: (...asked) => digestTogether(together, asked),
    askOperation: (merchant, reference) =>
      withSession(pool, async (session) =>
        findOperation(session, { tables: await tablesFor(session), merchant, reference }),
      ),
    async close() {
      await Promise.all([...open].map((close) => close()));
      await pool.close();
    },
  };
}

/**
 * Returns the merchants' references without repetition, sorted by code point, from the table that
 * has the fewest rows.
 */
async function listMerchants(session: Session, tables: BooksTables): Promise<readonly string[]> {
  const { table } = tables.merchants ?? tables.wallets ?? tables.entries;
  const merchant = `${table.merchant}::text`;
  try {
    const answer = await session.client.query<{ merchant: string }>(
      `select distinct ${merchant} as merchant from ${table.from} where ${table.merchant} is not null`,
    );
    return answer.rows.map((row) => row.merchant).sort();
  } catch (error) {
    throw failureOf(error, 'listing the merchants');
  }
}

async function findOperation(
  session: Session,
  asked: { readonly tables: BooksTables; readonly merchant: string; readonly reference: string },
): Promise<Operation | null> {
  const { table, decode } = asked.tables.operations.described;
  const tail = recallOperationsTail(table, {
    merchant: asked.merchant,
    references: [asked.reference],
    externalReferences: [],
  });
  let newest: Operation | null = null;
  for await (const { rows, rejected } of streamTable({ session, table, decode, tail })) {
    if (rejected[0] !== undefined) {
      throw new SourceFailed(
        'UNREADABLE_OPERATION',
        `${rejected[0].place} cannot be read (${rejected[0].reason}).`,
      );
    }
    for (const operation of rows) {
      if (newest === null || operation.updatedAt >= newest.updatedAt) newest = operation;
    }
  }
  return newest;
}

function nameIn({ connectionString }: PostgresSettings): string {
  try {
    return nameOf(connectionString);
  } catch {
    throw invalidSettings('connectionString is no postgres:// address');
  }
}

// One reading of a merchant's books in the operator's database: every part as it stood at one
// instant, however long the reading takes. A first session exports a snapshot; streams run in
// sessions of their own that join it.

interface PostgresOpening {
  readonly pool: SessionPool;
  readonly merchant: string;
  readonly since: Since | null;
  readonly detail: Detail;
  /**
   * Returns the described tables, which the first session of a reading describes for all later
   * ones.
   */
  readonly tablesFor: (session: Session) => Promise<BooksTables>;
}

/** The sessions of one reading, all on its snapshot. Idle sessions are used again. */
interface Sessions {
  borrow(): Promise<Session>;
  giveBack(session: Session): void;
  /** Removes a session that failed in use, and ends it. */
  forget(session: Session): void;
  closeAll(): Promise<void>;
}

async function openPostgresSnapshot(opening: PostgresOpening): Promise<Snapshot & AsyncDisposable> {
  const { pool, merchant, since, detail } = opening;
  const holder = await pool.open(null);
  try {
    const tables = await opening.tablesFor(holder);
    const absent: Note[] = [...absentSince(since, NOT_IN_TABLES)];
    const profile = await readOnly(holder, {
      readable: tables.merchants,
      merchant,
      part: 'merchant',
      absent,
    });
    const wallet = await readOnly(holder, {
      readable: tables.wallets,
      merchant,
      part: 'wallet',
      absent,
    });
    const sessions = openSessions(pool, holder.snapshot!);
    const whole = { sessions, tables, merchant, detail };
    const close = async (): Promise<void> => {
      await sessions.closeAll();
      await holder.end();
    };
    return {
      ...surroundingsOf({ profile, wallet }),
      merchant,
      watermark: holder.beganAt,
      absent,
      // A reading of what is new returns few lines, so that no estimate is needed.
      expectedEntries: since === null ? await estimateEntries(holder, { tables, merchant }) : null,
      entries: () => streamEntries({ ...whole, since }),
      operations: () => streamOperations({ ...whole, since }),
      operationsOf: (within) => streamOperations({ ...whole, since, within }),
      operationsAfter: servedAfter(tables.operations[detail].table, since),
      recall: (request) => recall(whole, request),
      servedLines: openServedLines({ tables, merchant, within: (work) => withOne(sessions, work) }),
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    holder.destroy();
    throw error;
  }
}

interface Whole {
  readonly sessions: Sessions;
  readonly tables: BooksTables;
  readonly merchant: string;
  readonly detail: Detail;
}

async function* streamEntries(
  snapshot: Whole & { readonly since: Since | null },
): AsyncGenerator<Batch<LedgerEntry>> {
  const { table, decode } = snapshot.tables.entries;
  yield* inSession(snapshot.sessions, async function* (session) {
    yield* streamTable({ session, table, decode, tail: entriesTail(table, snapshot) });
    if (snapshot.since === null) return;
    yield* streamTable({
      session,
      table,
      decode,
      tail: unnumberedEntriesTail(table, snapshot.merchant),
    });
  });
}

async function* streamOperations(
  snapshot: Whole & { readonly since: Since | null; readonly within?: Bounds },
): AsyncGenerator<Batch<OperationVersion>> {
  const { table, decode } = snapshot.tables.operations[snapshot.detail];
  yield* inSession(snapshot.sessions, (session) =>
    keepNewest(streamTable({ session, table, decode, tail: operationsTail(table, snapshot) })),
  );
}

async function recall(snapshot: Whole, request: Recall): Promise<Recalled> {
  const { sessions, tables, merchant, detail } = snapshot;
  const found = await withOne(sessions, async (session) => ({
    entries: await recallEntryRows({ session, tables, merchant }, request),
    operations: await recallOperationRows({ session, tables, merchant, detail }, request),
  }));
  const entries =
    found.entries ?? (await recallEntries(streamEntries({ ...snapshot, since: null }), request));
  return { ...found, entries };
}

async function withOne<T>(sessions: Sessions, work: (session: Session) => Promise<T>): Promise<T> {
  const session = await sessions.borrow();
  try {
    const result = await work(session);
    sessions.giveBack(session);
    return result;
  } catch (error) {
    sessions.forget(session);
    throw error;
  }
}

/**
 * Reads the one row of a merchant in a table that has one for each merchant; `null` when no table
 * is mapped.
 */
async function readOnly<Row>(
  session: Session,
  asked: {
    readonly readable: ReadableTable<Row> | null;
    readonly merchant: string;
    readonly part: 'merchant' | 'wallet';
    readonly absent: Note[];
  },
): Promise<Batch<Row> | null> {
  const { readable, merchant } = asked;
  const rows: Row[] = [];
  const rejected: RejectedRow[] = [];
  if (readable !== null) {
    const { table, decode } = readable;
    const tail = `from ${table.from} where ${ofMerchant(table, merchant)} limit 2`;
    for await (const batch of streamTable({ session, table, decode, tail })) {
      rows.push(...batch.rows);
      rejected.push(...batch.rejected);
    }
  }
  return requireOne({ ...asked, found: { rows, rejected } });
}

/** Returns the planner's estimate, for a progress bar, because counting would need a scan. */
async function estimateEntries(
  session: Session,
  asked: { readonly tables: BooksTables; readonly merchant: string },
): Promise<number | null> {
  try {
    const tail = entriesTail(asked.tables.entries.table, { ...asked, since: null });
    const answer = await session.client.query(`explain (format json) select 1 ${tail}`);
    const rows = (answer.rows[0] as { 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] })[
      'QUERY PLAN'
    ][0].Plan;
    return rows['Plan Rows'];
  } catch (error) {
    throw failureOf(error, 'looking at the entries');
  }
}

function openSessions(pool: SessionPool, snapshot: string): Sessions {
  const idle: Session[] = [];
  const busy = new Set<Session>();
  let isClosed = false;
  return {
    async borrow() {
      if (isClosed) throw new SourceFailed('CLOSED', 'The reading was closed.');
      const session = idle.pop() ?? (await pool.open(snapshot));
      busy.add(session);
      return session;
    },
    giveBack(session) {
      busy.delete(session);
      if (isClosed) session.destroy();
      else idle.push(session);
    },
    forget(session) {
      busy.delete(session);
      session.destroy();
    },
    async closeAll() {
      isClosed = true;
      for (const session of busy) session.destroy();
      await Promise.all(idle.splice(0).map((session) => session.end()));
    },
  };
}

async function* inSession<Row>(
  sessions: Sessions,
  stream: (session: Session) => AsyncGenerator<Batch<Row>>,
): AsyncGenerator<Batch<Row>> {
  const session = await sessions.borrow();
  let isOver = false;
  try {
    yield* stream(session);
    isOver = true;
  } finally {
    if (isOver) sessions.giveBack(session);
    else sessions.forget(session);
  }
}

const NAMES_AT_ONCE = 5_000;

interface Recalling {
  readonly session: Session;
  readonly tables: BooksTables;
  readonly merchant: string;
}

/**
 * Returns lines by sequence, without repeated deliveries. `null` when the line before one of them
 * cannot be read: the caller must then read the whole ledger for the last readable line before it.
 */
async function recallEntryRows(
  recalling: Recalling,
  request: Recall,
): Promise<readonly RecalledEntry[] | null> {
  const { table, decode } = recalling.tables.entries;
  const width = table.columns.length;
  const found: RecalledEntry[] = [];
  let isReadable = true;
  for (const { first, second } of inTurns({
    first: request.references,
    second: request.entryIds,
  })) {
    const rows = streamRows<RecalledEntry>({
      session: recalling.session,
      select: recallEntriesSelect(table, {
        merchant: recalling.merchant,
        references: first,
        entryIds: second,
      }),
      fieldCount: 2 * width,
      doing: 'recalling lines',
      take: (slots, batch) => {
        const entry = decode(slots, 0);
        if (!entry.ok) return;
        const hasBefore = slots.lengths.subarray(width).some((length) => length >= 0);
        const before = hasBefore ? decode(slots, width) : null;
        if (before?.ok === false) isReadable = false;
        batch.rows.push({
          entry: entry.value,
          before: before?.ok ? figuresAfter(before.value) : null,
        });
      },
    });
    for await (const batch of rows) found.push(...batch.rows);
  }
  return isReadable ? withoutRepetition(found) : null;
}

/** Returns the newest versions, in no particular order. */
async function recallOperationRows(
  recalling: Recalling & { readonly detail: Detail },
  request: Recall,
): Promise<readonly OperationVersion[]> {
  const { table, decode } = recalling.tables.operations[recalling.detail];
  const found = new Map<string, OperationVersion>();
  for (const { first, second } of inTurns({
    first: request.references,
    second: request.externalReferences,
  })) {
    const { session, merchant } = recalling;
    const tail = recallOperationsTail(table, {
      merchant,
      references: first,
      externalReferences: second,
    });
    for await (const { rows } of keepNewest(streamTable({ session, table, decode, tail }))) {
      for (const version of rows) found.set(version.operation.reference, version);
    }
  }
  return [...found.values()];
}

function withoutRepetition(found: readonly RecalledEntry[]): readonly RecalledEntry[] {
  const kept: RecalledEntry[] = [];
  for (const recalled of found.toSorted((a, b) => a.entry.sequence - b.entry.sequence)) {
    if (!isRepeated(kept, recalled.entry)) kept.push(recalled);
  }
  return kept;
}

/** Cuts both sets into pieces, so that no query grows without bound. */
function* inTurns(sets: {
  readonly first: ReadonlySet<string>;
  readonly second: ReadonlySet<string>;
}) {
  const [all, others] = [[...sets.first], [...sets.second]];
  for (let at = 0; at < Math.max(all.length, others.length); at += NAMES_AT_ONCE)
    yield {
      first: all.slice(at, at + NAMES_AT_ONCE),
      second: others.slice(at, at + NAMES_AT_ONCE),
    };
}
