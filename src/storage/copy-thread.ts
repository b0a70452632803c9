// Reads a large mirror on a second thread: what comes out is what `copyOut` would give on this one.

import type { LedgerEntry } from '../domain/ledger-entry.ts';
import type { Batch } from '../domain/snapshot.ts';
import { createEntryUnpacker, ENTRY_FORM, idHashOf, unpackEntry } from '../packed/packed-entry.ts';
import { createOperationUnpacker, unpackOperation } from '../packed/packed-operation.ts';
import type { RowForm } from '../packed/slab.ts';
import { receiveSlabs, type SlabThread, TaskFailed, takeSlabThread } from '../packed/slab-thread.ts';
import { openRows, PIECE, type Unpacker } from '../packed/unpack.ts';
import type { CopyTask } from './copy-messages.ts';
import { MOVED_WORD, VERSION_FORM } from './operation-rows.ts';
import type { StoredVersion } from './operation-stream.ts';

export function takeCopyThread(): SlabThread {
  return takeSlabThread(new URL('./copy-worker.ts', import.meta.url));
}

/** The rows of a COPY of `WHOLE_ENTRY` or `AUDITED_ENTRY`. */
export async function* copyEntries(thread: SlabThread, task: CopyTask): AsyncGenerator<Batch<LedgerEntry>> {
  const kind: PackedKind<LedgerEntry> = { form: ENTRY_FORM, createUnpacker: createEntryUnpacker, unpack: unpackEntry };
  for await (const { unpacker, rows, from } of receivePieces(thread, task, kind)) {
    const idHashes = new Float64Array(rows.length);
    for (let i = 0; i < rows.length; i += 1) idHashes[i] = idHashOf(unpacker, from + i);
    yield { rows, rejected: [], idHashes };
  }
}

/** The rows of a COPY of an operation's columns and whether its version has moved. */
export async function* copyVersions(thread: SlabThread, task: CopyTask): AsyncGenerator<readonly StoredVersion[]> {
  const kind: PackedKind<StoredVersion> = {
    form: VERSION_FORM,
    createUnpacker: () => createOperationUnpacker(VERSION_FORM),
    unpack: (unpacker, row) => ({
      operation: unpackOperation(unpacker, row),
      moved: unpacker.slab!.words[row * VERSION_FORM.words + MOVED_WORD] === 1,
    }),
  };
  for await (const { rows } of receivePieces(thread, task, kind)) yield rows;
}

interface PackedKind<Row> {
  readonly form: RowForm;
  readonly createUnpacker: () => Unpacker;
  readonly unpack: (unpacker: Unpacker, row: number) => Row;
}

interface Piece<Row> {
  readonly rows: readonly Row[];
  /** What they were unpacked by, and the number of the first. */
  readonly unpacker: Unpacker;
  readonly from: number;
}

async function* receivePieces<Row>(
  thread: SlabThread,
  task: CopyTask,
  { form, createUnpacker, unpack }: PackedKind<Row>,
): AsyncGenerator<Piece<Row>> {
  const unpacker = createUnpacker();
  try {
    for await (const received of receiveSlabs<CopyTask, never, null>(thread, { form, task })) {
      if (received.kind !== 'rows') continue;
      openRows(unpacker, received.slab, received.rows);
      for (let from = 0; from < received.rows; from += PIECE) {
        const rows: Row[] = [];
        for (let row = from; row < Math.min(from + PIECE, received.rows); row += 1) {
          rows.push(unpack(unpacker, row));
        }
        yield { rows, unpacker, from };
      }
    }
  } catch (failure) {
    if (!(failure instanceof TaskFailed)) throw failure;
    const { code, message } = failure.failure;
    throw Object.assign(new Error(message), code === null ? {} : { code });
  }
}
