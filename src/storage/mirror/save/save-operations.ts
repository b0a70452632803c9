// Adds the operations of a page to the mirror: a new version where the content differs from the newest one stored.
// Refuses to overwrite: every version seen is kept.

import type pg from 'pg';
import type { Instant } from '../../../domain/instant.ts';
import { describedOf, type Operation } from '../../../domain/operation.ts';
import { saysNothingNew } from '../../../rows/operation-fields.ts';
import { copyIn } from '../copy/copy-in.ts';
import {
  describedColumns,
  MOVED_TARGET,
  OPERATION_TARGET,
  type OperationRow,
  readDescribed,
} from '../copy/operation-rows.ts';
import type { PageHead } from '../page-head.ts';

/** Versions of a page's operations that the mirror does not have. */
export interface NewOperations {
  readonly rows: readonly OperationRow[];
  /** Versions whose successor has another createdAt. */
  readonly moved: readonly OperationRow[];
  /** Operations never seen before. */
  readonly added: number;
  /** Operations with a new version, new ones included. */
  readonly changed: number;
  readonly newestCreatedAt: Instant | null;
  readonly newestUpdatedAt: Instant | null;
}

/** In the order of the pages. The caller holds the merchants' leases: nobody else adds versions meanwhile. */
export async function findNewOperations(
  client: pg.ClientBase,
  pages: readonly { readonly head: PageHead; readonly operations: readonly Operation[] }[],
): Promise<readonly NewOperations[]> {
  const newest = await readNewest(client, pages);
  return pages.map(({ head, operations }) => newAmong(operations, newest.get(head.merchantId) ?? new Map()));
}

/** `newest`: by reference; it is changed. */
function newAmong(page: readonly Operation[], newest: Map<string, OperationRow>): NewOperations {
  const known = newest.size;
  const rows: OperationRow[] = [];
  const moved: OperationRow[] = [];
  for (const served of page) {
    const operation = describedOf(served);
    const before = newest.get(operation.reference);
    if (before !== undefined && saysNothingNew(operation, before.operation)) continue;
    if (before !== undefined && before.operation.createdAt !== operation.createdAt) moved.push(before);
    const row = { operation, version: (before?.version ?? 0) + 1 };
    rows.push(row);
    newest.set(operation.reference, row);
  }
  return {
    rows,
    moved,
    added: newest.size - known,
    changed: new Set(rows.map((row) => row.operation.reference)).size,
    newestCreatedAt: largest(rows, (operation) => operation.createdAt),
    newestUpdatedAt: largest(rows, (operation) => operation.updatedAt),
  };
}

export async function writeOperations(client: pg.ClientBase, head: PageHead, found: NewOperations): Promise<void> {
  const { merchantId: merchant_id, intake } = head;
  await copyIn(client, OPERATION_TARGET, { rows: found.rows, fixed: { merchant_id, intake } });
  await copyIn(client, MOVED_TARGET, { rows: found.moved, fixed: { merchant_id } });
}

/** By merchant and reference. */
async function readNewest(
  client: pg.ClientBase,
  pages: readonly { readonly head: PageHead; readonly operations: readonly Operation[] }[],
): Promise<ReadonlyMap<number, Map<string, OperationRow>>> {
  const wanted = pages.flatMap(({ head: { merchantId, operationCount }, operations }) =>
    operationCount === 0 ? [] : operations.map(({ reference }) => ({ merchantId, reference })),
  );
  const newest = new Map<number, Map<string, OperationRow>>();
  if (wanted.length === 0) return newest;
  const answer = await client.query<Record<string, unknown>>({
    name: 'newest versions',
    text: `select distinct on (v.merchant_id, v.reference) v.merchant_id, v.version, ${describedColumns('v')}
    from unnest($1::bigint[], $2::text[]) as wanted (merchant_id, reference)
    join operation_versions v on v.merchant_id = wanted.merchant_id and v.reference = wanted.reference
    order by v.merchant_id, v.reference, v.version desc`,
    values: [wanted.map(({ merchantId }) => merchantId), wanted.map(({ reference }) => reference)],
  });
  for (const record of answer.rows) {
    const merchantId = record.merchant_id as number;
    const operation = readDescribed(record);
    const ofMerchant = newest.get(merchantId) ?? new Map<string, OperationRow>();
    newest.set(merchantId, ofMerchant.set(operation.reference, { operation, version: record.version as number }));
  }
  return newest;
}

function largest(rows: readonly OperationRow[], field: (operation: Operation) => Instant): Instant | null {
  return rows.reduce<Instant | null>(
    (most, { operation }) => Math.max(most ?? field(operation), field(operation)),
    null,
  );
}
