import { fstatSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openBookFile } from '../../src/sources/file/book-file.ts';
import { readLineChunks, wholeOf } from '../../src/sources/file/line-chunks.ts';
import { ENTRY_PLAN } from '../../src/sources/file/row-plan.ts';
import { createRowReader, readRow } from '../../src/sources/file/row-reader.ts';
import { spanOf } from '../contract/quick-and-strict.ts';
import { rawEntry } from '../contract/source-rows.ts';
import { makeFolder, openFiles, toLines } from '../hostile/book-folder.ts';

const FEW = [1, 2, 3].map((sequence) => rawEntry({ id: `l-${sequence}`, sequence }));

test('a small file is read through a buffer of its own size', async () => {
  const text = toLines(FEW);
  const opened = await openBookFile(await makeFolder({ 'ledger.jsonl': text }), 'ledger.jsonl');
  if (opened.state !== 'open') throw new Error(opened.state);
  const sizes: number[] = [];
  for await (const chunk of readLineChunks(wholeOf(opened.file))) {
    if (chunk.kind === 'lines') sizes.push(chunk.span.bytes.length);
  }
  await opened.file.handle.close();
  // One byte is for the line feed that a last line may lack.
  expect(sizes).toEqual([Buffer.byteLength(text) + 1]);
});

test('thousands of small books that are out of order leave little memory to collect', async () => {
  const [first, ...rest] = FEW;
  const snapshot = await openFiles({ 'ledger.jsonl': toLines([...rest, first!]) });
  const read = async (): Promise<number[]> => {
    const found: number[] = [];
    for await (const { rows } of snapshot.entries()) found.push(...rows.map(({ sequence }) => sequence));
    return found;
  };
  await read().catch(() => {});
  const before = process.memoryUsage().arrayBuffers;
  for (let time = 0; time < 20; time += 1) expect(await read()).toEqual([1, 2, 3]);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
  await snapshot.close();
});

test('what a reader knows of texts serves the readers after it', () => {
  const before = process.memoryUsage().arrayBuffers;
  for (let time = 0; time < 100; time += 1) createRowReader(ENTRY_PLAN);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
});

test('what a reader has learned of the shape of lines serves the readers after it, which still learn others', () => {
  const isPlain = (fields: readonly string[]) => {
    const reader = createRowReader(ENTRY_PLAN);
    return fields.map((field) => {
      // No other test has these fields, so that nobody has met the shape.
      readRow(reader, spanOf([Buffer.from(toLines([{ [field]: 1, ...FEW[0]! }]))], true), 0);
      expect(reader.row?.sequence).toBe(1);
      return reader.isPlain;
    });
  };
  expect(isPlain(['first met', 'second met'])).toEqual([false, false]);
  expect(isPlain(['first met', 'second met', 'third met', 'third met'])).toEqual([true, true, false, true]);
});

test('a file that is closed twice takes no other one with it', async () => {
  const folder = await makeFolder({});
  const opened = await openBookFile(folder, 'ledger.jsonl');
  if (opened.state !== 'open') throw new Error(opened.state);
  await opened.file.handle.close();
  const other = await openBookFile(folder, 'operations.jsonl');
  if (other.state !== 'open') throw new Error(other.state);
  expect(other.file.handle.fd).toBe(opened.file.handle.fd);
  await opened.file.handle.close();
  expect(fstatSync(other.file.handle.fd).size).toBe(other.file.size);
  await other.file.handle.close();
});
