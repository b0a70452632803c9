import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ENTRY_FORM } from '../../src/packed/packed-entry.ts';
import { putSlabThread, receiveSlabs, type SlabThread, takeSlabThread } from '../../src/packed/slab-thread.ts';
import type { ScanTask } from '../../src/sources/file/scan-messages.ts';
import { rawEntry } from '../contract/source-rows.ts';
import { makeFolder, toLines } from '../hostile/book-folder.ts';

const MODULE = new URL('../../src/sources/file/scan-worker.ts', import.meta.url);
const LINES = 60_000;

async function scanning(thread: SlabThread) {
  const text = toLines(Array.from({ length: LINES }, (_, i) => rawEntry({ id: `l-${i + 1}`, sequence: i + 1 })));
  const name = 'ledger.jsonl';
  const handle = await open(join(await makeFolder({ [name]: text }), name));
  const { size } = await handle.stat();
  const task: ScanTask = { part: 'ledger', name, size, descriptor: handle.fd };
  return { handle, received: receiveSlabs<ScanTask, never, unknown>(thread, { form: ENTRY_FORM, task }) };
}

async function countRows(received: AsyncIterable<{ readonly kind: string; readonly rows?: number }>): Promise<number> {
  let rows = 0;
  for await (const answer of received) rows += answer.rows ?? 0;
  return rows;
}

test('a thread that has done its work is the next taker’s, and works as it did', async () => {
  const first = takeSlabThread(MODULE);
  const before = await scanning(first);
  expect(await countRows(before.received)).toBe(LINES);
  await before.handle.close();
  await putSlabThread(first);
  const second = takeSlabThread(MODULE);
  expect(second.host).toBe(first.host);
  // Put away once more by whoever had it before, it is still the second one's.
  await putSlabThread(first);
  const after = await scanning(second);
  expect(await countRows(after.received)).toBe(LINES);
  await after.handle.close();
  await putSlabThread(second);
});

test('two who need a thread at a time have one each, and one of them is kept', async () => {
  const first = takeSlabThread(MODULE);
  const second = takeSlabThread(MODULE);
  expect(second.host).not.toBe(first.host);
  await Promise.all([putSlabThread(first), putSlabThread(second)]);
  const third = takeSlabThread(MODULE);
  expect([first.host, second.host]).toContain(third.host);
  expect(third.host.failure).toBeNull();
  await putSlabThread(third);
});

test('a thread that was left at work is ended, and nobody gets it', async () => {
  const first = takeSlabThread(MODULE);
  const { handle, received } = await scanning(first);
  for await (const answer of received) if (answer.kind === 'rows') break;
  await putSlabThread(first);
  await handle.close();
  const second = takeSlabThread(MODULE);
  expect(second.host).not.toBe(first.host);
  await putSlabThread(second);
});
