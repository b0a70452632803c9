// Adds the operations of a page to the mirror: a new version where the content differs from the
// newest one stored. Refuses to overwrite: every version seen is kept.

import type pg from 'pg';
import type { Instant } from '../../../../core/domain/instant.ts';
import { describedOf, hasDeparted, type Operation } from '../../../../core/domain/operation.ts';
import { DESCRIBED_TABLE, saysNothingNew } from '../../../../core/domain/rows/operation-fields.ts';
import { ask, build, by, columnsOf, prepare, type Slots, unnest } from '../../server/ask.ts';
import { copyIn } from '../copy/copy.ts';
import {
  DEPARTED_TARGET,
  MOVED_TARGET,
  OPERATION_TARGET,
  type OperationRow,
  readDescribed,
} from '../copy/rows.ts';
import type { PageHead } from '../rejected-rows.ts';

/** Versions of a page's operations that the mirror does not have. */
export interface NewOperations {
  readonly rows: readonly OperationRow[];
  /** Stored versions whose successor has another `createdAt`. */
  readonly moved: readonly OperationRow[];
  /** Versions in a state that the version before may not change into. */
  readonly departed: readonly OperationRow[];
  /** Operations never seen before. */
  readonly added: number;
  /** Operations with a new version, new ones included. */
  readonly changed: number;
  readonly newestCreatedAt: Instant | null;
  readonly newestUpdatedAt: Instant | null;
}

/**
 * Finds the new versions in pages, in the order of the pages. The caller must hold the merchants'
 * leases, so that no other process adds versions meanwhile.
 */
export async function findNewOperations(
  client: pg.ClientBase,
  pages: readonly { readonly head: PageHead; readonly operations: readonly Operation[] }[],
): Promise<readonly NewOperations[]> {
  const newest = await readNewest(client, pages);
  return pages.map(({ head, operations }) =>
    newAmong(operations, newest.get(head.merchantId) ?? new Map()),
  );
}

/**
 * Finds the new versions of a page. `newest` holds the newest stored versions by reference, and is
 * changed: new versions are added to it.
 */
function newAmong(page: readonly Operation[], newest: Map<string, OperationRow>): NewOperations {
  const known = newest.size;
  const rows: OperationRow[] = [];
  const moved: OperationRow[] = [];
  const departed: OperationRow[] = [];
  for (const served of page) {
    const operation = describedOf(served);
    const before = newest.get(operation.reference);
    if (before !== undefined && saysNothingNew(operation, before.operation)) continue;
    if (before !== undefined && before.operation.createdAt !== operation.createdAt)
      moved.push(before);
    const row = { operation, version: (before?.version ?? 0) + 1 };
    if (before !== undefined && hasDeparted({ before: before.operation, now: operation }))
      departed.push(row);
    rows.push(row);
    newest.set(operation.reference, row);
  }
  return {
    rows,
    moved,
    departed,
    added: newest.size - known,
    changed: new Set(rows.map((row) => row.operation.reference)).size,
    newestCreatedAt: largest(rows, (operation) => operation.createdAt),
    newestUpdatedAt: largest(rows, (operation) => operation.updatedAt),
  };
}

export async function writeOperations(
  client: pg.ClientBase,
  head: PageHead,
  found: NewOperations,
): Promise<void> {
  const { merchantId: merchant_id, intake } = head;
  await copyIn(client, OPERATION_TARGET, { rows: found.rows, fixed: { merchant_id, intake } });
  await copyIn(client, MOVED_TARGET, { rows: found.moved, fixed: { merchant_id } });
  await copyIn(client, DEPARTED_TARGET, { rows: found.departed, fixed: { merchant_id } });
}

/** Loads the newest stored versions of the pages' operations, by merchant and reference. */
async function readNewest(
  client: pg.ClientBase,
  pages: readonly { readonly head: PageHead; readonly operations: readonly Operation[] }[],
): Promise<ReadonlyMap<number, Map<string, OperationRow>>> {
  const wanted = pages.flatMap(({ head: { merchantId, operationCount }, operations }) =>
    operationCount === 0 ? [] : operations.map(({ reference }) => ({ merchantId, reference })),
  );
  const newest = new Map<number, Map<string, OperationRow>>();
  if (wanted.length === 0) return newest;
  const merchantIds = wanted.map(({ merchantId }) => merchantId);
  const references = wanted.map(({ reference }) => reference);
  const { rows } = await ask(client, newestVersions({ merchantIds, references }));
  for (const record of rows) {
    const operation = readDescribed(record);
    const ofMerchant = newest.get(record.merchant_id) ?? new Map<string, OperationRow>();
    newest.set(
      record.merchant_id,
      ofMerchant.set(operation.reference, { operation, version: record.version }),
    );
  }
  return newest;
}

interface WantedVersions {
  readonly merchantIds: readonly number[];
  readonly references: readonly string[];
}

const newestVersions = prepare('newest versions', (at: Slots<WantedVersions>) =>
  build
    .selectFrom(
      unnest('wanted', {
        merchant_id: ['bigint', at('merchantIds')],
        reference: ['text', at('references')],
      }),
    )
    .innerJoin('operation_versions as v', (join) =>
      join
        .onRef('v.merchant_id', '=', 'wanted.merchant_id')
        .onRef('v.reference', '=', 'wanted.reference'),
    )
    .distinctOn(['v.merchant_id', 'v.reference'])
    .select(['v.merchant_id', 'v.version', ...columnsOf(DESCRIBED_TABLE, 'v')])
    .$call(by('v.merchant_id', 'v.reference', 'v.version desc')),
);

function largest(
  rows: readonly OperationRow[],
  field: (operation: Operation) => Instant,
): Instant | null {
  return rows.reduce<Instant | null>(
    (most, { operation }) => Math.max(most ?? field(operation), field(operation)),
    null,
  );
}
