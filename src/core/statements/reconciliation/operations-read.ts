// Books of the ledger alone have no operations: what is counted of these is 0 then, and says nothing. Nor do commission and net
// of an operation that came to nothing.

import type { NotChecked } from '../../domain/snapshot.ts';
import type { Statement } from '../statement.ts';
import type { StatusCounts } from '../summary.ts';

export function lacksOperations(notChecked: readonly NotChecked[]): boolean {
  return notChecked.some(({ what, incomplete }) => what === 'operations' && incomplete);
}

/** False: a document says nothing of operations but that. */
export function hasOperations({ circumstances }: Pick<Statement, 'circumstances'>): boolean {
  return !lacksOperations(circumstances.notChecked);
}

/** False of an operation that failed, expired or was cancelled: its commission and net were announced, and never moved. */
export function movesMoney(status: keyof StatusCounts): boolean {
  return status !== 'FAILED' && status !== 'EXPIRED' && status !== 'CANCELLED';
}
