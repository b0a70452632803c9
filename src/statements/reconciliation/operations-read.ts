// Books of the ledger alone have no operations: what is counted of these is 0 then, and says nothing.

import type { NotChecked } from '../../domain/snapshot.ts';
import type { Statement } from '../statement.ts';

export function lacksOperations(notChecked: readonly NotChecked[]): boolean {
  return notChecked.some(({ what, incomplete }) => what === 'operations' && incomplete);
}

/** False: a document says nothing of operations but that. */
export function hasOperations({ circumstances }: Pick<Statement, 'circumstances'>): boolean {
  return !lacksOperations(circumstances.notChecked);
}
