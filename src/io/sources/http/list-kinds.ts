// The two lists of the direct API that are paged through: the ledger, sorted by sequence (the document's sort key), and
// the operations, sorted by creation.

import { formatInstant } from '../../../core/domain/instant.ts';
import type { LedgerEntry } from '../../../core/domain/ledger-entry.ts';
import type { Operation, OperationStatus } from '../../../core/domain/operation.ts';
import { decodeEntry } from '../../../core/rows/entry-fields.ts';
import { decodeDescribed } from '../../../core/rows/operation-fields.ts';
import type { HttpSettings } from './http-settings.ts';
import type { ListKind } from './served-page.ts';

export function listEntries(settings: HttpSettings): ListKind<LedgerEntry> {
  return {
    part: 'ledger',
    path: settings.paths.ledger,
    query: {},
    decode: decodeEntry,
    // Two lines of one sequence are one line only when they say the same: the decoder gives the fields a fixed order.
    keyOf: (entry) => JSON.stringify(entry),
    rankOf: (entry) => entry.sequence,
    createdAt: (entry) => entry.createdAt,
    nameRank: (sequence) => `sequence ${sequence}`,
  };
}

export function listOperations(
  settings: HttpSettings,
  filter: { readonly status?: OperationStatus },
): ListKind<Operation> {
  return {
    part: 'operations',
    path: settings.paths.operations,
    query: { ...filter },
    decode: decodeDescribed,
    keyOf: (operation) => operation.reference,
    rankOf: (operation) => operation.createdAt,
    createdAt: (operation) => operation.createdAt,
    nameRank: (createdAt) => formatInstant(createdAt),
  };
}
