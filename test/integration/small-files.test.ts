import { expect, test } from 'vitest';
import { openBookFile } from '../../src/sources/file/book-file.ts';
import { readLineChunks, wholeOf } from '../../src/sources/file/line-chunks.ts';
import { ENTRY_PLAN } from '../../src/sources/file/row-plan.ts';
import { createRowReader } from '../../src/sources/file/row-reader.ts';
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
  const reading = await openFiles({ 'ledger.jsonl': toLines([...rest, first!]) });
  const read = async (): Promise<number[]> => {
    const found: number[] = [];
    for await (const { rows } of reading.entries()) found.push(...rows.map(({ sequence }) => sequence));
    return found;
  };
  await read().catch(() => {});
  const before = process.memoryUsage().arrayBuffers;
  for (let time = 0; time < 20; time += 1) expect(await read()).toEqual([1, 2, 3]);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
  await reading.close();
});

test('what a reader knows of texts serves the readers after it', () => {
  const before = process.memoryUsage().arrayBuffers;
  for (let time = 0; time < 100; time += 1) createRowReader(ENTRY_PLAN);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
});
