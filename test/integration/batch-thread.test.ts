import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import { ENTRY_TABLE } from '../../src/core/domain/rows/entry-fields.ts';
import type { RejectedRow } from '../../src/core/domain/snapshot.ts';
import { BATCH_SIZE } from '../../src/io/sources/file/read-rows.ts';
import type { Scanned, ScanTask } from '../../src/io/sources/file/scan-task.ts';
import {
  type BatchThread,
  putBatchThread,
  type Received,
  receiveBatches,
  takeBatchThread,
} from '../../src/io/threads/batch-thread.ts';
import { HASH_KEY } from '../../src/io/threads/hash-key.ts';
import { rawEntry } from '../contract/source-rows.ts';
import { makeFolder, toLines } from '../hostile/book-folder.ts';

const MODULE = new URL('../../src/io/sources/file/scan-worker.ts', import.meta.url);
const LINES = 60_000;

async function scanning(thread: BatchThread) {
  const text = toLines(
    Array.from({ length: LINES }, (_, i) => rawEntry({ id: `l-${i + 1}`, sequence: i + 1 })),
  );
  const name = 'ledger.jsonl';
  const handle = await open(join(await makeFolder({ [name]: text }), name));
  const { size } = await handle.stat();
  const task: ScanTask = {
    part: 'ledger',
    described: false,
    name,
    size,
    descriptor: handle.fd,
    cutOff: null,
    key: HASH_KEY,
    merchant: null,
  };
  const asked = { table: ENTRY_TABLE, size: BATCH_SIZE, task };
  return {
    handle,
    received: receiveBatches<LedgerEntry, ScanTask, readonly RejectedRow[], Scanned>(thread, asked),
  };
}

async function countRows(
  received: AsyncIterable<Received<LedgerEntry, unknown, unknown>>,
): Promise<number> {
  let rows = 0;
  for await (const answer of received) {
    if (answer.kind === 'end') continue;
    rows += answer.batch.rows;
    answer.release();
  }
  return rows;
}

test('a thread that has done its work is the next taker’s, and works as it did', async () => {
  const first = takeBatchThread(MODULE);
  const before = await scanning(first);
  expect(await countRows(before.received)).toBe(LINES);
  await before.handle.close();
  await putBatchThread(first);
  const second = takeBatchThread(MODULE);
  expect(second.host).toBe(first.host);
  // Released once more by its earlier owner, the thread still belongs to the second one.
  await putBatchThread(first);
  const after = await scanning(second);
  expect(await countRows(after.received)).toBe(LINES);
  await after.handle.close();
  await putBatchThread(second);
});

test('two who need a thread at a time have one each, and one of them is kept', async () => {
  const first = takeBatchThread(MODULE);
  const second = takeBatchThread(MODULE);
  expect(second.host).not.toBe(first.host);
  await Promise.all([putBatchThread(first), putBatchThread(second)]);
  const third = takeBatchThread(MODULE);
  expect([first.host, second.host]).toContain(third.host);
  expect(third.host.failure).toBeNull();
  await putBatchThread(third);
});

test('a thread that was left at work is ended, and never lent again', async () => {
  const first = takeBatchThread(MODULE);
  const { handle, received } = await scanning(first);
  for await (const answer of received) if (answer.kind === 'rows') break;
  await putBatchThread(first);
  await handle.close();
  const second = takeBatchThread(MODULE);
  expect(second.host).not.toBe(first.host);
  await putBatchThread(second);
});
