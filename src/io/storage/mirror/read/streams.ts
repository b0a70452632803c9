// Streams the judged lines of a mirror, or a range of them, in their order, and its operations: the
// newest version of each, or those changed since a page with the version before. Refuses to sort a
// full history: the index by creation gives it in order, and older versions are dropped on the way.
// Its SQL is text, for a COPY, which takes no parameters.

import type pg from 'pg';
import { nextRow, selectList } from '../../../../core/bytes/copy-binary/copy-rows.ts';
import {
  createCopyReader,
  createRowMaker,
  rowsOf,
} from '../../../../core/bytes/copy-binary/enter-copied.ts';
import type { Instant } from '../../../../core/domain/instant.ts';
import { invariant } from '../../../../core/domain/invariant.ts';
import type { LedgerEntry } from '../../../../core/domain/ledger-entry.ts';
import type { Operation } from '../../../../core/domain/operation.ts';
import type { Looks } from '../../../../core/domain/rows/batch-view.ts';
import type { ColumnBatch } from '../../../../core/domain/rows/column-batch.ts';
import { ENTRY_TABLE } from '../../../../core/domain/rows/entry-fields.ts';
import {
  copyOperation,
  createOperationCursor,
  DESCRIBED_TABLE,
  OPERATION_TABLE,
} from '../../../../core/domain/rows/operation-fields.ts';
import type { OperationVersion } from '../../../../core/domain/snapshot.ts';
import { judgedCondition, type RereadState } from '../../merchants/judged-lines.ts';
import { copyOut, copySlots } from '../copy/copy.ts';
import {
  DESCRIBED_VERSIONS,
  seeEntries,
  VERSIONS,
  type VersionForm,
  type VersionRow,
} from '../copy/rows.ts';

export interface EntryStretch {
  /** A list of columns such as `WHOLE_ENTRY`. */
  readonly columns: string;
  /** The sequence of the first line; `null` for the beginning of the ledger. */
  readonly from: number | null;
  /** The sequence of the last line; `null` for the end of the ledger. */
  readonly until: number | null;
}

/**
 * Returns the SQL of the lines. It contains integers in the place of parameters, which COPY does
 * not take; they are of our own making or were checked by the decoders.
 */
export function entriesQuery(scope: MirrorScope, { columns, from, until }: EntryStretch): string {
  const { merchantId, hasVariants } = scope;
  return `
    select ${columns}
    from entries
    where merchant_id = ${merchantId}${from === null ? '' : ` and sequence >= ${from}`}${until === null ? '' : ` and sequence <= ${until}`}${hasVariants ? ` and ${judgedCondition(scope)}` : ''}
    order by sequence${hasVariants ? ', variant' : ''}`;
}

export async function* storedEntries(
  client: pg.ClientBase,
  scope: MirrorScope,
  stretch: EntryStretch,
): AsyncGenerator<readonly LedgerEntry[]> {
  const seen = seeEntries();
  const query = entriesQuery(scope, stretch);
  for await (const batch of copyOut(client, query, createCopyReader(ENTRY_TABLE, null)))
    yield rowsOf(batch, seen);
}

/** What the streams and the recall must know about a merchant. */
export interface MirrorScope extends RereadState {
  readonly merchantId: number;
  readonly afterIntake: number | null;
  readonly hasVariants: boolean;
  readonly hasMovedOperations: boolean;
  /**
   * True when the merchant had another wallet before. Then operations that only lines of the old
   * wallet name are left out.
   */
  readonly isReplaced: boolean;
  /**
   * False when the stream of lines is empty: then it needs no connection. `hasOperations` says the
   * same of the operations.
   */
  readonly hasLines: boolean;
  readonly hasOperations: boolean;
}

/**
 * Streams the newest version of every operation, by createdAt, then reference, with its texts if
 * `described`. In the index the versions of one operation follow each other, the newest last,
 * unless its creation changed: `moved_operation_versions` lists those versions.
 */
export async function* newestOperations(
  client: pg.ClientBase,
  scope: MirrorScope,
  described: boolean,
  created: Created | null = null,
): AsyncGenerator<readonly OperationVersion[]> {
  const form = described ? DESCRIBED_VERSIONS : VERSIONS;
  const newest = chooseNewest(form);
  const cursor = form.createCursor();
  const query = versionsQuery(scope, described, created);
  for await (const batch of copyOut(client, query, createCopyReader(form.table, null))) {
    const { before, rows } = newest.next(batch);
    const found: OperationVersion[] = before === null ? [] : [before];
    cursor.open(batch);
    for (const row of rows) {
      cursor.moveTo(row);
      found.push({ operation: form.copy(cursor.row), previous: null });
    }
    if (found.length > 0) yield found;
  }
  const last = newest.end();
  if (last !== null) yield [last];
}

/** Limits operations to those created at `from` or later, and before `until`. */
interface Created {
  readonly from: Instant;
  readonly until: Instant;
}

/**
 * Returns a condition for a merchant whose wallet was replaced: the operation is named by a line of
 * the new wallet, or by no line at all. `alias` is the relation of the operations' versions. The
 * condition is empty for other merchants.
 */
function ofThisWallet(scope: MirrorScope, alias: string): string {
  if (!scope.isReplaced) return '';
  const named = `select 1 from entries e where e.merchant_id = ${scope.merchantId} and e.operation_reference = ${alias}.reference`;
  return ` and (exists (${named} and ${judgedCondition(scope, 'e')}) or not exists (${named}))`;
}

/**
 * Returns the SQL of all versions, in the order of `newestOperations`, with their texts if
 * `described`.
 */
export function versionsQuery(
  scope: MirrorScope,
  described = false,
  created: Created | null = null,
): string {
  const { merchantId, hasMovedOperations } = scope;
  return `
    select ${described ? selectList(DESCRIBED_TABLE, { alias: 'v' }) : selectList(OPERATION_TABLE, { alias: 'v' })}, ${hasMovedOperations ? MOVED : 'false'}
    from operation_versions v
    where v.merchant_id = ${merchantId}${created === null ? '' : ` and v.created_at >= ${created.from} and v.created_at < ${created.until}`}${ofThisWallet(scope, 'v')}
    order by v.created_at, v.reference, v.version`;
}

const MOVED = `exists (
      select 1
      from moved_operation_versions m
      where m.merchant_id = v.merchant_id and m.reference = v.reference and m.version = v.version
    )`;

interface StoredVersion {
  readonly operation: Operation;
  readonly moved: boolean;
}

/**
 * Returns whether a version is not the newest of its operation, because `next` is a later version
 * or because the version has moved. The next row may be an older version with another creation;
 * that version has itself moved.
 */
function isFollowedBy({ operation, moved }: StoredVersion, next: Operation): boolean {
  if (moved) return true;
  return operation.createdAt === next.createdAt && operation.reference === next.reference;
}

/** The form in which a snapshot gives operations. */
export const VERSION_LOOKS: Looks<VersionRow, OperationVersion> = {
  createCursor: VERSIONS.createCursor,
  seen: (operation) => ({ operation, previous: null }),
  copy: (operation) => ({ operation: copyOperation(operation), previous: null }),
  hashed: ['externalReference', 'reference'],
};

export interface NewestVersions {
  /**
   * Returns the rows of the batch that are newest versions. The last row is not among them, because
   * only the next batch shows whether it is the newest; `before` is the last row of the batch
   * before, if it was.
   */
  next(batch: ColumnBatch<VersionRow>): {
    readonly before: OperationVersion | null;
    readonly rows: Int32Array;
  };
  /** Must be called after the last batch. Returns the last row, if it is a newest version. */
  end(): OperationVersion | null;
}

export function chooseNewest({ createCursor, copy }: VersionForm = VERSIONS): NewestVersions {
  const [cursor, following] = [createCursor(), createCursor()];
  let last: StoredVersion | null = null;
  const versionOf = ({ operation }: StoredVersion): OperationVersion => ({
    operation,
    previous: null,
  });
  return {
    next(batch) {
      if (batch.rows === 0) return { before: null, rows: new Int32Array(0) };
      cursor.open(batch);
      following.open(batch);
      const before = last === null || isFollowedBy(last, following.row) ? null : versionOf(last);
      const rows: number[] = [];
      for (let row = 0; row < batch.rows - 1; row += 1) {
        cursor.moveTo(row);
        following.moveTo(row + 1);
        if (!isFollowedBy({ operation: cursor.row, moved: cursor.row.moved }, following.row))
          rows.push(row);
      }
      cursor.moveTo(batch.rows - 1);
      last = { operation: copy(cursor.row), moved: cursor.row.moved };
      return { before, rows: Int32Array.from(rows) };
    },
    end: () => (last === null || last.moved ? null : versionOf(last)),
  };
}

/**
 * Streams the operations with a version from a page after `scope.afterIntake`, and as `previous`
 * the newest version up to that page, if any.
 */
export async function* changedOperations(
  client: pg.ClientBase,
  scope: MirrorScope,
): AsyncGenerator<readonly OperationVersion[]> {
  const { merchantId, afterIntake } = scope;
  // No index gives this order, by columns of the newest version, so the changed operations are
  // sorted.
  await client.query('set local enable_sort = on');
  const query = `
    select ${selectList(OPERATION_TABLE, { alias: 'n' })}, p.reference is not null, ${selectList(OPERATION_TABLE, { alias: 'p' })}
    from (
      select distinct c.reference
      from operation_versions c
      where c.merchant_id = ${merchantId} and c.intake > ${afterIntake}${ofThisWallet(scope, 'c')}
    ) changed
    cross join lateral (
      select v.*
      from operation_versions v
      where v.merchant_id = ${merchantId} and v.reference = changed.reference
      order by v.version desc
      limit 1
    ) n
    left join lateral (
      select v.*
      from operation_versions v
      where v.merchant_id = ${merchantId} and v.reference = changed.reference and v.intake <= ${afterIntake}
      order by v.version desc
      limit 1
    ) p on true
    order by n.created_at, n.reference`;
  const make = createRowMaker(createCopyReader(OPERATION_TABLE, null), {
    cursor: createOperationCursor(),
    copy: copyOperation,
  });
  const width = OPERATION_TABLE.fields.length;
  for await (const rows of copySlots(client, query, 2 * width + 1)) {
    const changed: OperationVersion[] = [];
    while (nextRow(rows)) {
      const { bytes, starts } = rows.slots;
      const isKnown = bytes[starts[width]!] === 1;
      const operation = make(rows.slots, 0);
      const previous = isKnown ? make(rows.slots, width + 1) : null;
      const isSound = operation !== null && (previous !== null || !isKnown);
      invariant(isSound, 'the mirror holds what the strict decoder accepts');
      changed.push({ operation, previous });
    }
    if (changed.length > 0) yield changed;
  }
}
