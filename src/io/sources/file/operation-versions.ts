// Settles which version of an operation counts, and finds one by its reference. Two operations are held to be one only after
// their lines were read.

import { formatInstant } from '../../../core/domain/instant.ts';
import type { Operation } from '../../../core/domain/operation.ts';
import { type HashKey, hashText } from '../../../core/rows/hash-bytes.ts';
import { firstPlace, nextPlace } from '../../../core/rows/hash-table.ts';
import { sameOperation } from '../../../core/rows/operation-fields.ts';
import { findRow, type RowFinder } from './gather-rows.ts';
import { type OperationIndex, tableOf } from './operation-index.ts';

/**
 * Decides between the row at `offset` and each earlier one of the same hash; true when both are versions of one operation,
 * and that is settled. An equal re-delivery says nothing new; two versions of one updatedAt that differ contradict each other.
 */
export function settleVersion(
  index: OperationIndex,
  finder: RowFinder<Operation>,
  { offset, hash }: { readonly offset: number; readonly hash: number },
): boolean {
  const { order, contradictions } = index;
  const table = tableOf(index);
  const operation = findRow(finder, offset)!;
  for (let place = firstPlace(table, hash); place >= 0; place = nextPlace(table, hash, place)) {
    const row = table.values[place]!;
    const known = findRow(finder, order.offsets[row]!);
    if (known?.reference !== operation.reference) continue;
    if (operation.updatedAt > known.updatedAt) {
      order.keys[row] = operation.createdAt;
      order.offsets[row] = offset;
    } else if (operation.updatedAt === known.updatedAt && !sameOperation(operation, known)) {
      const { reference } = operation;
      const at = formatInstant(operation.updatedAt);
      contradictions.set(offset, {
        reason: `${reference} was given before with updatedAt ${at} and other content`,
        refusal: { code: 'VERSIONS_CONTRADICT', reference, at },
      });
    }
    return true;
  }
  return false;
}

/** The newest version of the operation, or null when the file has none. */
export function findOperation(
  index: OperationIndex,
  finder: RowFinder<Operation>,
  { key, reference }: { readonly key: HashKey; readonly reference: string },
): Operation | null {
  const { order } = index;
  const table = tableOf(index);
  const hash = hashText(key, reference);
  for (let place = firstPlace(table, hash); place >= 0; place = nextPlace(table, hash, place)) {
    const operation = findRow(finder, order.offsets[table.values[place]!]!);
    if (operation?.reference === reference) return operation;
  }
  return null;
}
