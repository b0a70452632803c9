import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { appendFile, mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openFileSource } from '../../src/io/sources/file/open-file-source.ts';
import { drain, entriesOf } from '../contract/source-contract.ts';
import { type Raw, rawEntry, rawOperation } from '../contract/source-rows.ts';
import { readInOrder } from '../support/read-in-order.ts';
import { makeFolder, openFolder, toLines } from './book-folder.ts';

/** Returns the files that this process holds open in the folder or that have no name any more. */
function openFilesOf(folder: string): readonly string[] {
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return ''; // the handle of this very listing
    }
  });
  return links.filter(
    (link) => link.startsWith(folder) || link.startsWith(`${tmpdir()}/pointage-`),
  );
}

/** Bytes of a ledger that is read on a second thread. */
const LARGE = 20_000_000;

/**
 * Returns lines 1 to `count`, out of order, each longer by `padding` bytes in a field that nothing
 * reads.
 */
function shuffledLines({
  count,
  padding,
}: {
  readonly count: number;
  readonly padding: number;
}): readonly Raw[] {
  const note = 'x'.repeat(padding);
  return Array.from({ length: count }, (_, i) =>
    rawEntry({ sequence: ((i * 7_919) % count) + 1, note }),
  );
}

beforeEach(async () => {
  // The test has a temporary folder of its own, because other tests sort and unpack at the same
  // time.
  vi.stubEnv('TMPDIR', await mkdtemp(join(tmpdir(), 'leftovers-')));
});
afterEach(async () => {
  const own = tmpdir();
  vi.unstubAllEnvs();
  await rm(own, { recursive: true });
});

test.skipIf(!existsSync('/proc/self/fd'))(
  'a reading leaves neither files nor open handles behind, even one that is left half-way',
  async () => {
    const shuffled = shuffledLines({ count: 30, padding: LARGE / 30 });
    const folder = await makeFolder({
      'ledger.jsonl': toLines([...shuffled, 'bad']),
      'operations.jsonl': null,
      'operations.jsonl.gz': gzipSync(
        toLines(
          [2, 1].map((n) =>
            rawOperation({ reference: `GUI-CI-${n}`, createdAt: `2026-01-0${n}T00:00:00Z` }),
          ),
        ),
      ),
    });
    for (let i = 0; i < 3; i += 1) {
      const source = openFileSource(folder);
      const snapshot = await source.open((await source.merchants())[0]!, null);
      // The lines are out of order: the first pass stops half-way with an error, the second because
      // its caller stops.
      for (let pass = 0; pass < 2; pass += 1) {
        await readInOrder(async () => {
          for await (const _ of snapshot.entries()) break;
        });
        await readInOrder(async () => {
          for await (const _ of snapshot.operations()) break;
        });
      }
      await drain(() => snapshot.entries());
      await drain(() => snapshot.operations());
      // Open are the ledger, and the file that the operations were unpacked to.
      expect(openFilesOf(folder)).toHaveLength(2);
      expect(readdirSync(tmpdir())).toEqual([basename(folder)]);
      await source.askOperation(snapshot.merchant, 'GUI-CI-1');
      await snapshot.close();
      await source.close();
    }
    expect(openFilesOf(folder)).toEqual([]);
  },
);

const ROWS_OUT_OF_ORDER = [
  ['of a few rows', { count: 3_000, padding: 0 }],
  ['that is read on a second thread', { count: 100, padding: LARGE / 100 }],
] as const;

test.skipIf(!existsSync('/proc/self/fd')).each(ROWS_OUT_OF_ORDER)(
  'two callers may stream a file out of order %s at the same time',
  async (_, rows) => {
    const folder = await makeFolder({ 'ledger.jsonl': toLines(shuffledLines(rows)) });
    const source = openFileSource(folder);
    const snapshot = await source.open('M001', null);
    const [first, second] = await Promise.all([
      drain(() => snapshot.entries()),
      drain(() => snapshot.entries()),
    ]);
    expect(first.rows.map((entry) => entry.sequence)).toEqual(
      Array.from({ length: rows.count }, (_, i) => i + 1),
    );
    expect(second.rows).toEqual(first.rows);
    await snapshot.close();
    await source.close();
    expect(openFilesOf(folder)).toEqual([]);
  },
);

test('lines that are appended during a reading are left for the next one', async () => {
  const folder = await makeFolder({});
  const snapshot = await openFolder(folder);
  await appendFile(join(folder, 'ledger.jsonl'), toLines([rawEntry({ sequence: 1 })]));
  expect((await entriesOf(snapshot)).map((entry) => entry.sequence)).toEqual([1, 2, 3]);
});

test('a file that becomes shorter during a reading fails the reading, for lines may be missing', async () => {
  const folder = await makeFolder({});
  const snapshot = await openFolder(folder);
  await truncate(join(folder, 'ledger.jsonl'), 100);
  await expect(entriesOf(snapshot)).rejects.toMatchObject({
    name: 'SourceFailed',
    code: 'CHANGED_WHILE_READ',
  });
});
