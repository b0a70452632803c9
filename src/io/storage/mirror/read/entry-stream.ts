// Streams lines out of the mirror in their order, whole or a stretch of them. Its SQL is text, for a COPY, which takes no parameters.

import type pg from 'pg';
import type { LedgerEntry } from '../../../../core/domain/ledger-entry.ts';
import { createCopyReader, rowsOf } from '../../../../core/rows/copy-binary/enter-copied.ts';
import { ENTRY_TABLE } from '../../../../core/rows/entry-fields.ts';
import { copyOut } from '../copy/copy.ts';
import { seeEntries } from '../copy/entry-rows.ts';
import type { MirrorScope } from './mirror-scope.ts';

export interface EntryStretch {
  /** As `WHOLE_ENTRY`. */
  readonly columns: string;
  /** Sequence of the first line, and of the last; null: as far as the ledger goes. */
  readonly from: number | null;
  readonly until: number | null;
}

/** COPY takes no parameters; these are integers, of our own making or checked by the decoders. */
export function entriesQuery({ merchantId, hasVariants }: MirrorScope, { columns, from, until }: EntryStretch): string {
  return `
    select ${columns}
    from entries
    where merchant_id = ${merchantId}${from === null ? '' : ` and sequence >= ${from}`}${until === null ? '' : ` and sequence <= ${until}`}
    order by sequence${hasVariants ? ', variant' : ''}`;
}

export async function* storedEntries(
  client: pg.ClientBase,
  scope: MirrorScope,
  stretch: EntryStretch,
): AsyncGenerator<readonly LedgerEntry[]> {
  const seen = seeEntries();
  const query = entriesQuery(scope, stretch);
  for await (const batch of copyOut(client, query, createCopyReader(ENTRY_TABLE, null))) yield rowsOf(batch, seen);
}
