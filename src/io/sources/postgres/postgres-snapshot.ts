// One reading of a merchant's books in the operator's database: every part as it stood at one instant, however long the
// reading takes. A first session holds the snapshot; streams run in sessions of their own that join it.

import type { LedgerEntry } from '../../../core/domain/ledger-entry.ts';
import type { Bounds } from '../../../core/domain/period.ts';
import type {
  Batch,
  NotChecked,
  OperationVersion,
  Recall,
  Recalled,
  RejectedRow,
  Snapshot,
} from '../../../core/domain/snapshot.ts';
import { recallEntries } from '../port/recall-entries.ts';
import { absentSince, type Detail, type Since, SourceFailed } from '../port/source.ts';
import { entriesTail, ofMerchant, operationsTail, servedAfter, unnumberedEntriesTail } from './book-queries.ts';
import { type BooksTables, NOT_IN_TABLES, type ReadableTable, requireOne, surroundingsOf } from './books-tables.ts';
import { failureOf } from './postgres-failure.ts';
import { recallEntryRows, recallOperationRows } from './recall-rows.ts';
import { openServedLines } from './served-lines.ts';
import type { Session, SessionPool } from './session.ts';
import { keepNewest, streamTable } from './stream-rows.ts';

export interface PostgresOpening {
  readonly pool: SessionPool;
  readonly merchant: string;
  readonly since: Since | null;
  readonly detail: Detail;
  /** Given the first session of the reading: describes the tables, or knows them already. */
  readonly tablesFor: (session: Session) => Promise<BooksTables>;
}

/** Sessions of one reading, all on its snapshot; those that are idle are used again. */
interface Sessions {
  borrow(): Promise<Session>;
  giveBack(session: Session): void;
  /** A session that was destroyed in use. */
  forget(session: Session): void;
  closeAll(): Promise<void>;
}

export async function openPostgresSnapshot(opening: PostgresOpening): Promise<Snapshot> {
  const { pool, merchant, since, detail } = opening;
  const holder = await pool.open(null);
  try {
    const tables = await opening.tablesFor(holder);
    const absent: NotChecked[] = [...absentSince(since, NOT_IN_TABLES)];
    const profile = await readOnly(holder, { readable: tables.merchants, merchant, part: 'merchant', absent });
    const wallet = await readOnly(holder, { readable: tables.wallets, merchant, part: 'wallet', absent });
    const sessions = openSessions(pool, holder.snapshot!);
    const whole = { sessions, tables, merchant, detail };
    return {
      ...surroundingsOf({ profile, wallet }),
      merchant,
      watermark: holder.beganAt,
      absent,
      // Of a later reading little is expected.
      expectedEntries: since === null ? await estimateEntries(holder, { tables, merchant }) : null,
      entries: () => streamEntries({ ...whole, since }),
      operations: () => streamOperations({ ...whole, since }),
      operationsOf: (within) => streamOperations({ ...whole, since, within }),
      operationsAfter: servedAfter(tables.operations[detail].table, since),
      recall: (request) => recall(whole, request),
      servedLines: openServedLines({ tables, merchant, within: (work) => withOne(sessions, work) }),
      close: async () => {
        await sessions.closeAll();
        await holder.end();
      },
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

async function* streamEntries(snapshot: Whole & { readonly since: Since | null }): AsyncGenerator<Batch<LedgerEntry>> {
  const { table, decode } = snapshot.tables.entries;
  yield* inSession(snapshot.sessions, async function* (session) {
    yield* streamTable({ session, table, decode, tail: entriesTail(table, snapshot) });
    if (snapshot.since === null) return;
    yield* streamTable({ session, table, decode, tail: unnumberedEntriesTail(table, snapshot.merchant) });
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
  const entries = found.entries ?? (await recallEntries(streamEntries({ ...snapshot, since: null }), request));
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

/** The one row of a merchant in a table that has one for each; null when no table is mapped. */
async function readOnly<Row>(
  session: Session,
  asked: {
    readonly readable: ReadableTable<Row> | null;
    readonly merchant: string;
    readonly part: 'merchant' | 'wallet';
    readonly absent: NotChecked[];
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

/** What the planner expects, for a progress bar: counting would cost a scan. */
async function estimateEntries(
  session: Session,
  asked: { readonly tables: BooksTables; readonly merchant: string },
): Promise<number | null> {
  try {
    const tail = entriesTail(asked.tables.entries.table, { ...asked, since: null });
    const answer = await session.client.query(`explain (format json) select 1 ${tail}`);
    const rows = (answer.rows[0] as { 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] })['QUERY PLAN'][0].Plan;
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
