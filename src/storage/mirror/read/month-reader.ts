// The rows that a month is stated of, found by indexes: its stretch of the ledger, the operations that it may concern, and
// single ones that are named. What neither began nor moved in it, and is over, is not read.

import type { Instant } from '../../../domain/instant.ts';
import { DAY } from '../../../domain/instant.ts';
import type { LedgerEntry } from '../../../domain/ledger-entry.ts';
import type { DescribedOperation } from '../../../domain/operation.ts';
import type { Bounds } from '../../../domain/period.ts';
import type { DatabaseSnapshot } from '../../server/database-snapshot.ts';
import type { Store } from '../../server/store.ts';
import { entryOf, WHOLE_ENTRY } from '../copy/entry-rows.ts';
import { describedColumns, readDescribed } from '../copy/operation-rows.ts';
import { type Openings, openingsOf } from '../openings.ts';
import { storedEntries } from './entry-stream.ts';
import type { MirrorScope } from './mirror-scope.ts';
import { newestOperations, storedVersions } from './operation-stream.ts';
import { recallOperations } from './recall.ts';

export interface MonthReader {
  /** Lines from one sequence to another, both included; null: as far as the ledger goes. */
  lines(stretch: {
    readonly from: number | null;
    readonly until: number | null;
  }): AsyncIterable<readonly LedgerEntry[]>;
  /** Every operation created before the bounds' end that moved at their start or later, and those of `open`; by creation. */
  operations(bounds: Bounds, open: readonly string[]): AsyncIterable<readonly DescribedOperation[]>;
  operationsNamed(references: ReadonlySet<string>): Promise<readonly DescribedOperation[]>;
  /** Lines below a sequence that name one of these operations or have one of these sequences, by sequence. */
  linesNamed(named: {
    readonly before: number;
    readonly references: ReadonlySet<string>;
    readonly sequences: ReadonlySet<number>;
  }): Promise<readonly LedgerEntry[]>;
  readonly openings: Openings;
}

/** Operations that took longer than this, from creation to their last change, have an index of their own (`operation_versions_long`). */
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
      yield* withStream(snapshot, (client) => storedEntries(client, scope, { ...stretch, columns: WHOLE_ENTRY }));
    },
    async *operations({ start, end }, open) {
      if (!scope.hasOperations) return;
      const since = start - LONG;
      const earlier = await earlierOperations(snapshot, { merchantId, since, start, open });
      if (earlier.length > 0) yield earlier;
      const created = { from: since, until: end };
      const streamed = withStream(snapshot, (client) => newestOperations(storedVersions(client, scope, true, created)));
      for await (const rows of streamed) yield rows.map(({ operation }) => operation as DescribedOperation);
    },
    async operationsNamed(references) {
      const asked = { references, entryIds: NOTHING, externalReferences: NOTHING };
      const found = await recallOperations(snapshot.client, { scope, asked, described: true });
      return found.map(({ operation }) => operation as DescribedOperation);
    },
    async linesNamed({ before, references, sequences }) {
      // Columns come as text out of the table of a line's fields, which Kysely does not know.
      const answer = await snapshot.client.query<Record<string, unknown>>(
        `select ${WHOLE_ENTRY}
        from (
          select *
          from entries
          where merchant_id = $1 and sequence < $2 and operation_reference = any ($3::text[])
          union
          select *
          from entries
          where merchant_id = $1 and sequence < $2 and sequence = any ($4::bigint[])
        ) named
        order by sequence, variant`,
        [merchantId, before, [...references], [...sequences]],
      );
      return answer.rows.map((record) => entryOf(record));
    },
    openings: openingsOf(store, snapshot, { merchantId, intake }),
  };
}

const NOTHING: ReadonlySet<string> = new Set();

async function* withStream<Rows>(
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

/** Created before `since`: those that moved at `start` or later, and those that are open. */
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
  // As `linesNamed`. The expressions are those of the index.
  const answer = await client.query<Record<string, unknown>>(
    `select ${describedColumns('n')}
    from (
      select unnest($2::text[]) as reference
      union
      select c.reference
      from operation_versions c
      where c.merchant_id = $1
        and greatest(c.updated_at, c.completed_at) - c.created_at > ${LONG}
        and greatest(c.updated_at, c.completed_at) >= $3
        and c.created_at < $4
    ) wanted
    cross join lateral (
      select v.*
      from operation_versions v
      where v.merchant_id = $1 and v.reference = wanted.reference
      order by v.version desc
      limit 1
    ) n
    where n.created_at < $4
    order by n.created_at, n.reference`,
    [merchantId, open, start, since],
  );
  return answer.rows.map((record) => readDescribed(record) as DescribedOperation);
}
