// Queries are built by Kysely and sent on connections of our own.

import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anyOf, ask, build, prepare, type Slots, unnest } from '../../src/io/storage/server/ask.ts';
import { inTransaction } from '../../src/io/storage/server/connections.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';

let opened: TestStore;
beforeAll(async () => {
  opened = await openTestStore();
  await ask(
    opened.store.pool,
    build.insertInto('merchants').values(['A', 'B', 'C'].map((reference) => ({ reference }))),
  );
});
afterAll(() => opened.close());

const sorted = (rows: readonly { readonly reference: string }[]): string =>
  rows
    .map(({ reference }) => reference)
    .sort()
    .join('');

test('a list is one parameter, and so one query however long it is', async () => {
  const among = (references: readonly string[]) =>
    build
      .selectFrom('merchants')
      .select('reference')
      .where('reference', '=', anyOf('text', references));
  expect(among(['A']).compile().sql).toBe(among(['A', 'C', 'X']).compile().sql);
  expect(sorted((await ask(opened.store.pool, among(['A', 'C', 'X']))).rows)).toBe('AC');
  expect((await ask(opened.store.pool, among([]))).count).toBe(0);
});

test('lists of equal length are rows, with nulls and every type', async () => {
  const rows = unnest('given', {
    reference: ['text', ['A', 'B', 'Y']],
    amount: ['bigint', [9_007_199_254_740_991, null, 3]],
    content: ['jsonb', ['{"a":[1]}', 'null', null]],
  });
  const query = build
    .selectFrom(rows)
    .innerJoin('merchants', 'merchants.reference', 'given.reference')
    .select(['given.reference', 'given.amount', 'given.content'])
    .orderBy('given.reference');
  expect((await ask(opened.store.pool, query)).rows).toEqual([
    { reference: 'A', amount: 9_007_199_254_740_991, content: { a: [1] } },
    { reference: 'B', amount: null, content: null },
  ]);
});

test('texts of a list come as they are, whatever is in them', async () => {
  const texts = [
    '',
    'NULL',
    '"',
    '\\',
    '{a,b}',
    "it's",
    '\n\t',
    'é',
    '日本',
    '🜚',
    null,
    'x'.repeat(100_000),
  ];
  const given = unnest('given', {
    plain: ['text', texts],
    content: ['jsonb', texts.map((one) => JSON.stringify([one]))],
  });
  const query = build
    .selectFrom(given)
    .select(['given.plain', 'given.content'])
    .orderBy('given.ordinal');
  const { rows } = await ask(opened.store.pool, query);
  expect(rows).toEqual(texts.map((one) => ({ plain: one, content: [one] })));
});

test('a prepared query is planned once by a connection, and takes other values each time', async () => {
  const find = prepare('find by reference', (at: Slots<{ readonly wanted: string }>) =>
    build
      .selectFrom('merchants')
      .select('reference')
      .where('reference', '=', at('wanted'))
      .where('reference', '<>', sql.lit('X')),
  );
  await inTransaction(opened.store, async (client) => {
    for (const wanted of ['A', 'B', 'X', 'C']) {
      const { rows } = await ask(client, find({ wanted }));
      expect(sorted(rows)).toBe(wanted === 'X' ? '' : wanted);
    }
    const plans = await client.query(
      "select statement from pg_prepared_statements where name = 'find by reference'",
    );
    expect(plans.rows).toEqual([
      {
        statement: `select "reference" from "merchants" where "reference" = $1 and "reference" <> 'X'`,
      },
    ]);
  });
});

test('a prepared query that takes a list is planned for any list, not anew for each', async () => {
  const reference = (at: Slots<{ readonly wanted: readonly string[] }>) =>
    build
      .selectFrom('merchants')
      .select('reference')
      .where('reference', '=', anyOf('text', at('wanted')));
  const listed = (at: Slots<{ readonly wanted: readonly string[] }>) =>
    build
      .selectFrom(unnest('given', { reference: ['text', at('wanted')] }))
      .innerJoin('merchants', 'merchants.reference', 'given.reference')
      .select('merchants.reference');
  await inTransaction(opened.store, async (client) => {
    const plans =
      'select generic_plans as kept, custom_plans as anew from pg_prepared_statements where name = $1';
    for (const [name, make] of Object.entries({
      'by any of a list': reference,
      'by rows of a list': listed,
    })) {
      const find = prepare(name, make);
      for (let time = 0; time < 20; time += 1) {
        const { rows } = await ask(client, find({ wanted: time % 2 === 0 ? ['A'] : ['A', 'B'] }));
        expect(sorted(rows)).toBe(time % 2 === 0 ? 'A' : 'AB');
      }
      const [counted] = (await client.query(plans, [name])).rows;
      expect(Number(counted.anew)).toBeLessThanOrEqual(5);
      expect(Number(counted.kept)).toBeGreaterThanOrEqual(15);
    }
  });
});

test('a connection that is cut in the middle of a query is a failure of that query, and of nothing else', async () => {
  const wait = build.selectNoFrom(sql`pg_sleep(20)`.as('slept'));
  const asked = ask(opened.store.pool, wait).then(
    () => 'slept',
    (error: Error) => error.message,
  );
  const cut = build
    .selectFrom(sql<{ pid: number }>`pg_stat_activity`.as('pg_stat_activity'))
    .select(sql`pg_terminate_backend(pid)`.as('cut'))
    .where(sql`query`, 'like', 'select pg_sleep%');
  while ((await ask(opened.store.pool, cut)).count === 0);
  expect(await asked).toMatch(/terminat|closed/);
  expect(
    (await ask(opened.store.pool, build.selectFrom('merchants').select('reference'))).count,
  ).toBe(3);
});

test('a query that Kysely would send by itself is refused', async () => {
  await expect(build.selectFrom('merchants').select('reference').execute()).rejects.toThrow(
    '`ask` sends queries',
  );
});
