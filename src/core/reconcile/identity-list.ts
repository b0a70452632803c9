// Has some text been seen twice? Keeps a hash of each, so that the ids of millions of lines need not be held, and answers at
// the end. Equal hashes are a suspicion that is looked up exactly, never a finding by themselves.

import type { LedgerEntry } from '../domain/ledger-entry.ts';
import type { Batch } from '../domain/snapshot.ts';
import { columnsOf } from '../rows/batch-view.ts';
import { ENTRY_TABLE } from '../rows/entry-fields.ts';
import { addHash, createHashList, type HashList } from '../rows/hash-table.ts';
import { fieldNamed, numberPlaceOf } from '../rows/row-table.ts';

export interface Identities {
  readonly ids: HashList;
  readonly externalReferences: HashList;
  /** The books go on from a checkpoint: every new identity is looked up, since the lists do not have the old. */
  readonly suspectAll: boolean;
  /** The hash of a text whose row came without one. */
  readonly hashOf: (text: string) => number;
  /** Currency of the line before: most lines need no look at the set. */
  lastCurrency: string | null;
  /** Of the line last noted in `ids`. */
  lastSequence: number;
  lastHash: number;
}

export function beginIdentityLists({ suspectAll, hashOf }: Pick<Identities, 'suspectAll' | 'hashOf'>): Identities {
  const lists = { ids: createHashList(false), externalReferences: createHashList(false) };
  return { ...lists, suspectAll, hashOf, lastCurrency: null, lastSequence: Number.NaN, lastHash: Number.NaN };
}

const SEQUENCE = numberPlaceOf(ENTRY_TABLE, 'sequence');
const ID_HASH = fieldNamed(ENTRY_TABLE, 'id').hashPlace;

/** A line that repeats the one before it is a second delivery of it: what is suspected is looked up, and that costs time. */
export function noteIds(identities: Identities, batch: Batch<LedgerEntry>): void {
  const view = columnsOf<LedgerEntry, LedgerEntry>(batch);
  if (view === null) {
    batch.rows.forEach(({ id, sequence }, i) => {
      noteId(identities, sequence, hashAt(batch.hashes, i, { text: id, hashOf: identities.hashOf }));
    });
    return;
  }
  const { numbers, table } = view.batch;
  for (let i = 0; i < view.count; i += 1) {
    const at = view.rowOf(i) * table.numbers;
    noteId(identities, numbers[at + SEQUENCE]!, numbers[at + ID_HASH]!);
  }
}

function noteId(identities: Identities, sequence: number, hash: number): void {
  if (sequence === identities.lastSequence && hash === identities.lastHash) return;
  addHash(identities.ids, hash);
  identities.lastSequence = sequence;
  identities.lastHash = hash;
}

/** The hash that came with a row, or the text's own where none did. */
export function hashAt(
  hashes: ArrayLike<number> | undefined,
  index: number,
  own: { readonly text: string; readonly hashOf: (text: string) => number },
): number {
  const hash = hashes?.[index] ?? Number.NaN;
  return Number.isNaN(hash) ? own.hashOf(own.text) : hash;
}
