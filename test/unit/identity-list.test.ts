import { expect, test } from 'vitest';
import { addHash, createHashList, repeatedHashes } from '../../src/core/domain/rows/hash-table.ts';
import { hashOf } from '../../src/io/threads/hash-key.ts';

test('two equal texts among two hundred thousand are found, and nothing else', () => {
  const list = createHashList(false);
  for (let n = 0; n < 200_000; n++)
    addHash(list, hashOf(`7b1e${n.toString(16).padStart(8, '0')}-4000-8000-${n}`));
  addHash(list, hashOf(`7b1e${(777).toString(16).padStart(8, '0')}-4000-8000-777`));
  expect([...repeatedHashes(list)]).toEqual([hashOf('7b1e00000309-4000-8000-777')]);
});

test('short and empty texts are distinct', () => {
  const list = createHashList(false);
  for (const text of ['', 'a', 'b', 'ab', 'ba', 'é']) addHash(list, hashOf(text));
  expect(repeatedHashes(list).size).toBe(0);
});

test('an empty list repeats nothing', () => {
  expect(repeatedHashes(createHashList(false)).size).toBe(0);
});
