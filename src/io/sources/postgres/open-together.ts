// Reads the new rows of several merchants at one instant, with one query for each table. Holds no
// more of a merchant than a quiet day brings; a merchant with more rows is read alone.

import type { Batch, Note, OperationVersion, Snapshot } from '../../../core/domain/snapshot.ts';
import { askTogether } from '../../together/ask-together.ts';
import { absentSince, type Detail, type Since, SourceFailed } from '../port/source.ts';
import {
  entriesTail,
  ofMerchant,
  operationsTail,
  servedAfter,
  unnumberedEntriesTail,
} from './book-queries.ts';
import {
  type BooksTables,
  NOT_IN_TABLES,
  type ReadableTable,
  requireOne,
  surroundingsOf,
} from './books-tables.ts';
import { openServedLines } from './served-lines.ts';
import { type Session, type SessionPool, withSession } from './session.ts';
import { keepNewest, readTogether } from './stream-rows.ts';

export interface TogetherFrom {
  readonly pool: SessionPool;
  readonly tablesFor: (session: Session) => Promise<BooksTables>;
  readonly openAlone: (
    asked: TogetherAsked & { readonly detail: Detail },
  ) => Promise<Snapshot & AsyncDisposable>;
}

export interface TogetherAsked {
  readonly merchant: string;
  readonly since: Since;
}

/**
 * Most rows of one merchant and table. The overlap alone, which each reading reads again, is a
 * thousand lines.
 */
const MOST_ROWS = 2_500;

/**
 * Opens a merchant's snapshot together with other merchants; `null` when the merchant has more than
 * `MOST_ROWS` new rows.
 */
export const openTogether = askTogether<TogetherAsked, Snapshot | null, TogetherFrom>(
  async (from, asked) => {
    const { found, ...read } = await withSession(from.pool, async (session) => {
      const tables = await from.tablesFor(session);
      return { tables, watermark: session.beganAt, found: await readAll(session, tables, asked) };
    });
    return Promise.all(
      asked.map((one, place) =>
        snapshotOf(from, one, { ...read, ...partsAt(found, place) }).catch((failure: unknown) => {
          if (failure instanceof SourceFailed) return failure;
          throw failure;
        }),
      ),
    );
  },
);

async function readAll(session: Session, tables: BooksTables, asked: readonly TogetherAsked[]) {
  const read = <Row>(
    { table, decode }: ReadableTable<Row>,
    tailsOf: (one: TogetherAsked) => readonly string[],
    mostRows = MOST_ROWS,
  ) => {
    const tails = asked.flatMap((one, place) => tailsOf(one).map((tail) => ({ place, tail })));
    return readTogether({ session, table, decode, tails, mostRows });
  };
  const readOnes = <Row>(readable: ReadableTable<Row> | null) => {
    if (readable === null) return new Map<number, Batch<Row>>();
    const { table } = readable;
    return read(
      readable,
      ({ merchant }) => [`from ${table.from} where ${ofMerchant(table, merchant)}`],
      2,
    );
  };
  const { table } = tables.entries;
  const profiles = await readOnes(tables.merchants);
  const wallets = await readOnes(tables.wallets);
  const entries = await read(tables.entries, (one) => [
    entriesTail(table, one),
    unnumberedEntriesTail(table, one.merchant),
  ]);
  const described = tables.operations.described;
  const operations = await read(described, (one) => [operationsTail(described.table, one)]);
  return { profiles, wallets, entries, operations };
}

type Found = Awaited<ReturnType<typeof readAll>>;

const NOTHING = { rows: [], rejected: [] };

function partsAt({ profiles, wallets, entries, operations }: Found, place: number) {
  return {
    profile: profiles.get(place) ?? NOTHING,
    wallet: wallets.get(place) ?? NOTHING,
    entries: entries.get(place) ?? NOTHING,
    operations: operations.get(place) ?? NOTHING,
  };
}

async function snapshotOf(
  { pool, openAlone }: TogetherFrom,
  { merchant, since }: TogetherAsked,
  read: ReturnType<typeof partsAt> & { readonly tables: BooksTables; readonly watermark: number },
): Promise<Snapshot | null> {
  const { tables, watermark, entries } = read;
  if (isCut(entries) || isCut(read.operations)) return null;
  const absent: Note[] = [...absentSince(since, NOT_IN_TABLES)];
  const common = { merchant, absent };
  const profile = requireOne({
    ...common,
    readable: tables.merchants,
    part: 'merchant',
    found: read.profile,
  });
  const wallet = requireOne({
    ...common,
    readable: tables.wallets,
    part: 'wallet',
    found: read.wallet,
  });
  const operations: Batch<OperationVersion>[] = await Array.fromAsync(
    keepNewest(streamOf([read.operations])),
  );
  return {
    ...surroundingsOf({ profile, wallet }),
    merchant,
    watermark,
    absent,
    expectedEntries: null,
    entries: () => streamOf([entries]),
    operations: () => streamOf(operations),
    operationsAfter: servedAfter(tables.operations.described.table, since),
    async *operationsOf(asked) {
      await using whole = await openAlone({ merchant, since, detail: 'described' });
      yield* whole.operationsOf!(asked);
    },
    recall: async (request) => {
      await using whole = await openAlone({ merchant, since, detail: 'described' });
      return await whole.recall(request);
    },
    servedLines: openServedLines({ tables, merchant, within: (work) => withSession(pool, work) }),
    close: async () => {},
  };
}

const isCut = ({ rows, rejected }: Batch<unknown>): boolean =>
  rows.length + rejected.length >= MOST_ROWS;

async function* streamOf<Row>(batches: readonly Batch<Row>[]): AsyncGenerator<Batch<Row>> {
  for (const batch of batches) if (batch.rows.length + batch.rejected.length > 0) yield batch;
}
