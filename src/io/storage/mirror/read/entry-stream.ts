// Streams all judged lines of a mirror or a stretch of them, in their order. Its SQL is text, for a COPY, which takes no parameters.

import type pg from 'pg';
import type { LedgerEntry } from '../../../../core/domain/ledger-entry.ts';
import { createCopyReader, rowsOf } from '../../../../core/rows/copy-binary/enter-copied.ts';
import { ENTRY_TABLE } from '../../../../core/rows/entry-fields.ts';
import { judgedCondition, type RereadState } from '../../merchants/judged-lines.ts';
import { copyOut } from '../copy/copy.ts';
import { seeEntries } from '../copy/entry-rows.ts';

export interface EntryStretch {
  /** As `WHOLE_ENTRY`. */
  readonly columns: string;
  /** Sequence of the first line, and of the last; null: as far as the ledger goes. */
  readonly from: number | null;
  readonly until: number | null;
}

/** COPY takes no parameters; these are integers, of our own making or checked by the decoders. */
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
  for await (const batch of copyOut(client, query, createCopyReader(ENTRY_TABLE, null))) yield rowsOf(batch, seen);
}

/** What the streams and the recall need to know of one merchant. */
export interface MirrorScope extends RereadState {
  readonly merchantId: number;
  readonly afterIntake: number | null;
  readonly hasVariants: boolean;
  readonly hasMovedOperations: boolean;
  /** Whether the streams have anything to give: an empty one needs no connection. */
  readonly hasLines: boolean;
  readonly hasOperations: boolean;
}
