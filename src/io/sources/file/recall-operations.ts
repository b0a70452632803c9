// Brings operations back out of a file: a few by the index that a pass leaves, many by reading the file once more.

import type { Operation } from '../../../core/domain/operation.ts';
import type { OperationVersion, Recall } from '../../../core/domain/snapshot.ts';
import { hashText } from '../../../core/rows/hash-bytes.ts';
import { firstPlace, nextPlace } from '../../../core/rows/hash-table.ts';
import { HASH_KEY } from '../../threads/hash-key.ts';
import { deliverRows, type FileRows, indexOf } from './file-rows.ts';
import { tableOf } from './operation-index.ts';
import { createRowFinder, findRow } from './read-rows.ts';

/** More than so many are found sooner by reading the whole file than by going back for each. */
const MOST_SOUGHT = 20_000;

/** The newest version of each operation that was asked for, by ascending createdAt. */
export async function recallOperations(
  rows: FileRows<Operation>,
  { references, externalReferences }: Pick<Recall, 'references' | 'externalReferences'>,
): Promise<readonly OperationVersion[]> {
  const isSmall = externalReferences.size === 0 && references.size <= MOST_SOUGHT;
  const found = isSmall
    ? await lookUpOperations(rows, references)
    : await pickOut(rows, { references, externalReferences });
  return found.map((operation) => ({ operation, previous: null }));
}

/** By the index, which is made where no pass has left one. */
export async function lookUpOperations(
  rows: FileRows<Operation>,
  references: Iterable<string>,
): Promise<readonly Operation[]> {
  const index = await indexOf(rows);
  const table = tableOf(index);
  rows.finder ??= createRowFinder(rows.file, rows.plan);
  const found: Operation[] = [];
  for (const reference of references) {
    const hash = hashText(HASH_KEY, reference);
    for (let place = firstPlace(table, hash); place >= 0; place = nextPlace(table, hash, place)) {
      const operation = findRow(rows.finder, index.offsets[table.values[place]!]!);
      if (operation?.reference === reference) found.push(operation);
    }
  }
  return found.sort((a, b) => a.createdAt - b.createdAt);
}

async function pickOut(
  rows: FileRows<Operation>,
  { references, externalReferences }: Pick<Recall, 'references' | 'externalReferences'>,
): Promise<readonly Operation[]> {
  const found: Operation[] = [];
  const cursor = rows.plan.createCursor();
  // A pass has ended then: the order is known before anything is picked.
  await indexOf(rows);
  for await (const { batch, release } of deliverRows(rows)) {
    cursor.open(batch);
    for (let row = 0; row < batch.rows; row += 1) {
      cursor.moveTo(row);
      const { reference, externalReference } = cursor.row;
      const isByPartner = externalReference !== null && externalReferences.has(externalReference);
      if (isByPartner || references.has(reference)) found.push(rows.plan.copy(cursor.row));
    }
    release();
  }
  return found;
}
