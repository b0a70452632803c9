// Several sources as one: which merchant is read where, what is opened when, and which merchants
// wait for what.

import { expect, test } from 'vitest';
import { type Source, SourceFailed } from '../../../src/io/sources/port/source.ts';
import { routeSources } from '../../../src/io/sources/routed-source.ts';

interface Watched extends Source {
  readonly asked: string[];
  isClosed: boolean;
}

function sourceOf(name: string, merchants: readonly string[], isStateless = false): Watched {
  const source: Watched = {
    name,
    asked: [],
    isClosed: false,
    isStateless: () => isStateless,
    merchants: async () => merchants,
    open: async (merchant) => {
      source.asked.push(merchant);
      throw new SourceFailed('TIMEOUT', name);
    },
    askOperation: async (merchant, reference) => {
      source.asked.push(`${merchant} ${reference}`);
      return null;
    },
    close: async () => {
      source.isClosed = true;
    },
  };
  return source;
}

const ADDRESSES = new Map([
  ['B', 'file:b'],
  ['C', 'postgres://user:secret@host/c'],
  ['D', 'file:b'],
]);

function routed(
  open: (address: string) => Promise<Source>,
  elsewhere: Source | null = sourceOf('rest', ['A', 'B']),
) {
  return routeSources({ elsewhere, addresses: ADDRESSES, open });
}

test('every merchant is read at its place, and an address is opened once, when it is first needed', async () => {
  const [rest, folder, tables] = [
    sourceOf('rest', ['A', 'B']),
    sourceOf('b', ['B', 'D', 'X']),
    sourceOf('c', ['C']),
  ];
  const opened: string[] = [];
  const all = routed(async (address) => {
    opened.push(address);
    return address === 'file:b' ? folder : tables;
  }, rest);
  expect(await all.merchants()).toEqual(['A', 'B', 'C', 'D']);
  expect(opened).toEqual([]);
  for (const merchant of ['A', 'B', 'D']) await expect(all.open(merchant, null)).rejects.toThrow();
  await all.askOperation('B', 'GUI-CI-1');
  expect(opened).toEqual(['file:b']);
  await all.askOperation('C', 'GUI-CI-2');
  expect([rest.asked, folder.asked, tables.asked]).toEqual([
    ['A'],
    ['B', 'D', 'B GUI-CI-1'],
    ['C GUI-CI-2'],
  ]);
  await all.close();
  expect([rest.isClosed, folder.isClosed, tables.isClosed]).toEqual([true, true, true]);
});

test('each merchant has its own answer whether its books are a copy of one moment', async () => {
  const all = routed(async (address) => sourceOf(address, [], address === 'file:b'));
  await all.askOperation('B', 'x');
  await all.askOperation('C', 'x');
  expect(['A', 'B', 'C', 'nobody'].map((merchant) => all.isStateless(merchant))).toEqual([
    false,
    true,
    false,
    false,
  ]);
  await all.close();
});

test('an address that cannot be opened fails its own merchants, and is tried again', async () => {
  let isDown = true;
  const all = routed(async (address) => {
    if (isDown && address === 'file:b') throw new SourceFailed('UNREACHABLE', 'down');
    return sourceOf(address, []);
  });
  await expect(all.open('B', null)).rejects.toMatchObject({ code: 'UNREACHABLE' });
  expect(await all.askOperation('C', 'x')).toBeNull();
  isDown = false;
  expect(await all.askOperation('D', 'x')).toBeNull();
  await all.close();
});

test('without a place for the others, a merchant without an address is not known', async () => {
  const all = routed(async (address) => sourceOf(address, []), null);
  expect(await all.merchants()).toEqual(['B', 'C', 'D']);
  await expect(all.open('A', null)).rejects.toMatchObject({ code: 'UNKNOWN_MERCHANT' });
  await all.close();
});

test('the name shows no address', () => {
  expect(routed(async (address) => sourceOf(address, [])).name).toBe(
    'rest and 2 sources of single merchants',
  );
  expect(routed(async (address) => sourceOf(address, []), null).name).toBe(
    '2 sources of single merchants',
  );
});
