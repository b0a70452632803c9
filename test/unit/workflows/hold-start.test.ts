import { expect, test } from 'vitest';
import type { Batch, Snapshot } from '../../../src/domain/snapshot.ts';
import { OutOfOrder } from '../../../src/domain/snapshot.ts';
import { holdStart } from '../../../src/workflows/hold-start.ts';
import { rawEntry } from '../../contract/source-rows.ts';
import { openFiles, toLines } from '../../hostile/book-folder.ts';

interface Looked {
  readonly snapshot: Snapshot;
  opened: number;
  ended: number;
}

/** A reading of files that counts how often its lines are asked for and how often that ends. */
async function lookedAt(files: Parameters<typeof openFiles>[0], size: number): Promise<Looked> {
  const read = await openFiles(files);
  const looked: Looked = {
    snapshot: {
      ...read,
      entries: async function* () {
        looked.opened += 1;
        try {
          for await (const { rows } of read.entries()) {
            for (let at = 0; at < rows.length; at += size) yield { rows: rows.slice(at, at + size), rejected: [] };
          }
        } finally {
          looked.ended += 1;
        }
      },
    },
    opened: 0,
    ended: 0,
  };
  return looked;
}

const lines = (count: number) =>
  toLines(Array.from({ length: count }, (_, i) => rawEntry({ id: `l-${i + 1}`, sequence: i + 1 })));

async function sequences(stream: AsyncIterable<Batch<{ readonly sequence: number }>>, most = Number.POSITIVE_INFINITY) {
  const found: number[] = [];
  for await (const { rows } of stream) {
    found.push(...rows.map(({ sequence }) => sequence));
    if (found.length >= most) break;
  }
  return found;
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

test('what was looked at comes once more, and then what follows, out of one stream', async () => {
  const looked = await lookedAt({ 'ledger.jsonl': lines(50) }, 4);
  const { snapshot, letGo } = holdStart(looked.snapshot);
  expect(await sequences(snapshot.entries(), 10)).toEqual(upTo(12));
  expect(looked).toMatchObject({ opened: 1, ended: 0 });
  expect(await sequences(snapshot.entries())).toEqual(upTo(50));
  expect(looked).toMatchObject({ opened: 1, ended: 1 });
  expect(await sequences(snapshot.entries())).toEqual(upTo(50));
  expect(looked).toMatchObject({ opened: 2, ended: 2 });
  await letGo();
});

test('a stream that was looked at to its end is not asked for again', async () => {
  const looked = await lookedAt({ 'ledger.jsonl': lines(3) }, 2);
  const { snapshot } = holdStart(looked.snapshot);
  expect(await sequences(snapshot.entries())).toEqual([1, 2, 3]);
  expect(await sequences(snapshot.entries())).toEqual([1, 2, 3]);
  expect(looked).toMatchObject({ opened: 1, ended: 1 });
});

test('a stream that was left twice, or that nobody asks for again, is ended', async () => {
  const left = await lookedAt({ 'ledger.jsonl': lines(50) }, 4);
  const twice = holdStart(left.snapshot);
  await sequences(twice.snapshot.entries(), 10);
  expect(await sequences(twice.snapshot.entries(), 20)).toEqual(upTo(20));
  expect(left).toMatchObject({ opened: 1, ended: 1 });
  const alone = await lookedAt({ 'ledger.jsonl': lines(50) }, 4);
  const once = holdStart(alone.snapshot);
  await sequences(once.snapshot.entries(), 10);
  await once.letGo();
  expect(alone).toMatchObject({ opened: 1, ended: 1 });
});

test('more than is held is read again', async () => {
  const looked = await lookedAt({ 'ledger.jsonl': lines(50_100) }, 1_000);
  const { snapshot } = holdStart(looked.snapshot);
  expect((await sequences(snapshot.entries(), 50_050)).length).toBeGreaterThan(50_000);
  expect((await sequences(snapshot.entries())).length).toBe(50_100);
  expect(looked).toMatchObject({ opened: 2, ended: 2 });
});

test('lines that turn out not to be in order are asked for anew, and come in order', async () => {
  const [first, ...rest] = lines(2_000).trimEnd().split('\n');
  const looked = await lookedAt({ 'ledger.jsonl': [...rest, first].join('\n') }, 100);
  const { snapshot } = holdStart(looked.snapshot);
  await expect(sequences(snapshot.entries())).rejects.toThrow(OutOfOrder);
  expect(await sequences(snapshot.entries())).toEqual(upTo(2_000));
  expect(looked).toMatchObject({ opened: 2, ended: 2 });
});
