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

/** The caller holds the merchant's lease: nobody else adds versions meanwhile. */
export async function findNewOperations(
  client: pg.ClientBase,
  head: PageHead,
  page: readonly Operation[],
): Promise<NewOperations> {
  const newest = head.operationCount === 0 ? new Map() : await readNewest(client, head.merchantId, page);
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

async function readNewest(
  client: pg.ClientBase,
  merchantId: number,
  operations: readonly Operation[],
): Promise<Map<string, OperationRow>> {
  if (operations.length === 0) return new Map();
  const answer = await client.query<Record<string, unknown>>({
    name: 'newest versions',
    text: `select distinct on (v.reference) v.version, ${describedColumns('v')}
    from operation_versions v
    where v.merchant_id = $1 and v.reference = any ($2::text[])
    order by v.reference, v.version desc`,
    values: [merchantId, operations.map((operation) => operation.reference)],
  });
  return new Map(
    answer.rows.map((record) => {
      const operation = readDescribed(record);
      return [operation.reference, { operation, version: record.version as number }];
    }),
  );
}

function largest(rows: readonly OperationRow[], field: (operation: Operation) => Instant): Instant | null {
  return rows.reduce<Instant | null>(
    (most, { operation }) => Math.max(most ?? field(operation), field(operation)),
    null,
  );
}
