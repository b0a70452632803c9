// Reads the rows of which a month is stated, by indexes: its lines, the operations that may matter
// to it, and single lines and operations that are named. Does not read operations that neither
// began nor moved in the month and were over before it.

import { type SqlBool, sql } from 'kysely';
import { DAY, type Instant } from '../../../../core/domain/instant.ts';
import type { LedgerEntry } from '../../../../core/domain/ledger-entry.ts';
import type { DescribedOperation } from '../../../../core/domain/operation.ts';
import type { Bounds } from '../../../../core/domain/period.ts';
import { ENTRY_TABLE } from '../../../../core/domain/rows/entry-fields.ts';
import { DESCRIBED_TABLE } from '../../../../core/domain/rows/operation-fields.ts';
import { isJudged } from '../../merchants/judged-lines.ts';
import { anyOf, ask, build, by, columnsOf, unnest } from '../../server/ask.ts';
import type { DatabaseSnapshot } from '../../server/database-snapshot.ts';
import type { Store } from '../../server/store.ts';
import { entryOf, readDescribed, WHOLE_ENTRY } from '../copy/rows.ts';
import { type Openings, openingsOf } from '../openings.ts';
import { newestVersion, recallOperations } from './recall.ts';
import { type MirrorScope, newestOperations, storedEntries } from './streams.ts';

export interface MonthReader {
  /**
   * Streams the lines from one sequence to another, both included; `null` means the beginning or
   * the end of the ledger.
   */
  lines(stretch: {
    readonly from: number | null;
    readonly until: number | null;
  }): AsyncIterable<readonly LedgerEntry[]>;
  /**
   * Streams every operation that was created before the end of `bounds` and moved at their start or
   * later, and those of the references `open`, by creation.
   */
  operations(bounds: Bounds, open: readonly string[]): AsyncIterable<readonly DescribedOperation[]>;
  operationsNamed(references: ReadonlySet<string>): Promise<readonly DescribedOperation[]>;
  /**
   * Lines below a sequence that name one of these operations or have one of these sequences, by
   * sequence.
   */
  linesNamed(named: {
    readonly before: number;
    readonly references: ReadonlySet<string>;
    readonly sequences: ReadonlySet<number>;
  }): Promise<readonly LedgerEntry[]>;
  readonly openings: Openings;
}

/**
 * Milliseconds. Operations that took longer than this, from creation to their last change, have
 * their own index (`operation_versions_long`).
 */
const LONG = 7 * DAY;

export function createMonthReader(
  store: Store,
  snapshot: DatabaseSnapshot,
  { scope, intake }: { readonly scope: MirrorScope; readonly intake: number },
): MonthReader {
  const { merchantId } = scope;
  return {
    async *lines(stretch) {
      if (!scope.hasLines) return;
      yield* withStream(snapshot, (client) =>
        storedEntries(client, scope, { ...stretch, columns: WHOLE_ENTRY }),
      );
    },
    async *operations({ start, end }, open) {
      if (!scope.hasOperations) return;
      const since = start - LONG;
      const earlier = await earlierOperations(snapshot, { merchantId, since, start, open });
      if (earlier.length > 0) yield earlier;
      const created = { from: since, until: end };
      const streamed = withStream(snapshot, (client) =>
        newestOperations(client, scope, true, created),
      );
      for await (const rows of streamed)
        yield rows.map(({ operation }) => operation as DescribedOperation);
    },
    async operationsNamed(references) {
      const asked = { references, entryIds: NOTHING, externalReferences: NOTHING };
      const found = await recallOperations(snapshot.client, { scope, asked, described: true });
      return found.map(({ operation }) => operation as DescribedOperation);
    },
    async linesNamed({ before, references, sequences }) {
      const below = build
        .selectFrom('entries')
        .selectAll('entries')
        .where('merchant_id', '=', merchantId)
        .where('sequence', '<', before)
        .$if(scope.hasVariants, (lines) => lines.where(isJudged(scope)));
      const naming = below.where('operation_reference', '=', anyOf('text', [...references]));
      const placed = below.where('sequence', '=', anyOf('bigint', [...sequences]));
      const load = build
        .selectFrom(naming.union(placed).as('named'))
        .select(columnsOf(ENTRY_TABLE, 'named'))
        .$call(by('named.sequence', 'named.variant'));
      return (await ask(snapshot.client, load)).rows.map((record) => entryOf(record));
    },
    openings: openingsOf(store, snapshot, { merchantId, intake }),
  };
}

const NOTHING: ReadonlySet<string> = new Set();

/** Streams rows on another connection of the snapshot, and gives the connection back at the end. */
export async function* withStream<Rows>(
  snapshot: DatabaseSnapshot,
  open: (client: Awaited<ReturnType<DatabaseSnapshot['connect']>>) => AsyncIterable<Rows>,
): AsyncGenerator<Rows> {
  const client = await snapshot.connect();
  try {
    yield* open(client);
  } finally {
    snapshot.release(client);
  }
}

/**
 * Loads the operations created before `since` that moved at `start` or later or are among `open`.
 */
async function earlierOperations(
  { client }: DatabaseSnapshot,
  asked: {
    readonly merchantId: number;
    readonly since: Instant;
    readonly start: Instant;
    readonly open: readonly string[];
  },
): Promise<readonly DescribedOperation[]> {
  const { merchantId, since, start, open } = asked;
  // These two expressions must be the same as those of the index.
  const moved = sql<Instant>`greatest(c.updated_at, c.completed_at)`;
  const isLong = sql<SqlBool>`greatest(c.updated_at, c.completed_at) - c.created_at > ${sql.lit(LONG)}`;
  const named = build
    .selectFrom(unnest('asked', { reference: ['text', open] }))
    .select('asked.reference');
  const long = build
    .selectFrom('operation_versions as c')
    .select('c.reference')
    .where('c.merchant_id', '=', merchantId)
    .where(isLong)
    .where(moved, '>=', start)
    .where('c.created_at', '<', since);
  const load = build
    .selectFrom(named.union(long).as('wanted'))
    .crossJoinLateral(newestVersion(merchantId).as('n'))
    .select(columnsOf(DESCRIBED_TABLE, 'n'))
    .where('n.created_at', '<', since)
    .$call(by('n.created_at', 'n.reference'));
  return (await ask(client, load)).rows.map(
    (record) => readDescribed(record) as DescribedOperation,
  );
}
