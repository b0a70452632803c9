// Opening the store: what it says of itself and of failures, and that it never says a password.

import { expect, test } from 'vitest';
import { openStore } from '../../src/io/storage/server/open-store.ts';
import { StoreFailed } from '../../src/io/storage/server/store.ts';
import { withTestStore } from '../support/database-store.ts';

function withPassword(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.password = 'open-sesame';
  return url.href;
}

test('a store describes itself without its password', async () => {
  await withTestStore(async (_store, databaseUrl) => {
    const store = await openStore({ databaseUrl: withPassword(databaseUrl), dataDirectory: '' });
    expect(store.description).toContain(new URL(databaseUrl).pathname.slice(1));
    expect(store.description).not.toContain('open-sesame');
    await store.close();
    await store.close();
  });
});

test('a server that does not answer is named, without the password', async () => {
  const opening = openStore({
    databaseUrl: 'postgres://pointage:open-sesame@127.0.0.1:1/books',
    dataDirectory: '',
  });
  const failure = await opening.catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StoreFailed);
  expect(failure).toMatchObject({ code: 'UNREACHABLE' });
  expect(String(failure)).toContain('postgres://pointage@127.0.0.1:1/books');
  expect(String(failure)).not.toContain('open-sesame');
});

test('a stored number past 2^53 is our own mistake, not a rounded figure', async () => {
  await withTestStore(async (store) => {
    expect((await store.pool.query('select 9007199254740991::bigint as n')).rows).toEqual([
      { n: 9_007_199_254_740_991 },
    ]);
    await expect(store.pool.query('select 9007199254740993::bigint as n')).rejects.toThrow(
      /safe integer/,
    );
  });
});
