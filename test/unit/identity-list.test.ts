import { expect, test } from 'vitest';
import { hashText } from '../../src/domain/text-hash.ts';
import { beginIdentities, noteIdentity, repeatedHashes } from '../../src/reconcile/identity-list.ts';

test('two equal texts among two hundred thousand are told, and nothing else', () => {
  const list = beginIdentities();
  for (let n = 0; n < 200_000; n++)
    noteIdentity(list, hashText(`7b1e${n.toString(16).padStart(8, '0')}-4000-8000-${n}`));
  noteIdentity(list, hashText(`7b1e${(777).toString(16).padStart(8, '0')}-4000-8000-777`));
  expect([...repeatedHashes(list)]).toEqual([hashText('7b1e00000309-4000-8000-777')]);
});

test('short and empty texts are told apart', () => {
  const list = beginIdentities();
  for (const text of ['', 'a', 'b', 'ab', 'ba', 'é']) noteIdentity(list, hashText(text));
  expect(repeatedHashes(list).size).toBe(0);
});

test('an empty list repeats nothing', () => {
  expect(repeatedHashes(beginIdentities()).size).toBe(0);
});
