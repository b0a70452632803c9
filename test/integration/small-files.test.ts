import { fstatSync } from 'node:fs';
import { expect, test } from 'vitest';
import { learnLine, scanLine } from '../../src/core/bytes/json-lines/scan-line.ts';
import { allocateBatch, openBatch } from '../../src/core/domain/rows/column-batch.ts';
import { ENTRY_TABLE } from '../../src/core/domain/rows/entry-fields.ts';
import { openBookFile } from '../../src/io/sources/file/book-file.ts';
import { createRowReader } from '../../src/io/sources/file/read-rows.ts';
import { ENTRY_PLAN } from '../../src/io/sources/file/row-plan.ts';
import { readLines } from '../contract/quick-and-strict.ts';
import { rawEntry } from '../contract/source-rows.ts';
import { makeFolder, openFiles, toLines } from '../hostile/book-folder.ts';

const FEW = [1, 2, 3].map((sequence) => rawEntry({ id: `l-${sequence}`, sequence }));

const FILE = {
  name: 'ledger.jsonl',
  handle: { fd: -1, close: async () => {} },
  size: 0,
  cutOff: null,
};

test('thousands of small books that are out of order leave little memory to collect', async () => {
  const [first, ...rest] = FEW;
  const snapshot = await openFiles({ 'ledger.jsonl': toLines([...rest, first!]) });
  const read = async (): Promise<number[]> => {
    const found: number[] = [];
    for await (const { rows } of snapshot.entries())
      found.push(...rows.map(({ sequence }) => sequence));
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
  for (let time = 0; time < 100; time += 1) createRowReader(FILE, ENTRY_PLAN);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
});

test('what a reader has learned of the shape of lines serves the readers after it, which still learn others', () => {
  /**
   * Returns, for lines that begin with each of these fields, whether one reader reads them in the
   * quick way.
   */
  const isPlain = (names: readonly string[]) => {
    const { scanner } = createRowReader(FILE, ENTRY_PLAN);
    const lines = names.map((name) => Buffer.from(toLines([{ [name]: 1, ...FEW[0]! }])));
    const batch = openBatch(ENTRY_TABLE, allocateBatch(ENTRY_TABLE, 10_000));
    return lines.map((line) => {
      line.copy(batch.bytes);
      const isKnown = scanLine(scanner, batch, 0) > 0;
      readLines(ENTRY_PLAN, line);
      if (!isKnown) learnLine(scanner, line.subarray(0, -1));
      return isKnown;
    });
  };
  // No other test has these fields, so that the reader has not met the shape before.
  expect(isPlain(['first met', 'second met'])).toEqual([false, false]);
  expect(isPlain(['first met', 'second met', 'third met', 'third met'])).toEqual([
    true,
    true,
    false,
    true,
  ]);
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
