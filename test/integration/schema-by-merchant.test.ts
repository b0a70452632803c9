// The rules by which the tables can be distributed by merchant (docs/SCALING.md): every key begins
// with the merchant, every reference and every join stays within one merchant, and the tables
// without a merchant are a closed list, each with its reason.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clusterTables } from '../support/citus-refusals.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';

const ROOT = join(import.meta.dirname, '../..');

let opened: TestStore;
beforeAll(async () => {
  opened = await openTestStore();
});
afterAll(() => opened.close());

async function rows<Row>(sql: string): Promise<readonly Row[]> {
  return (await opened.store.pool.query(sql)).rows as readonly Row[];
}

const OURS = `c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`;

interface Table {
  readonly name: string;
  /** Name of the column with the merchant; `null` where there is none. */
  readonly merchant: string | null;
}

const tables = (): Promise<readonly Table[]> =>
  rows<Table>(`select c.relname as name, format_type(a.atttypid, a.atttypmod) as merchant
    from pg_class c
    left join pg_attribute a on a.attrelid = c.oid and a.attname = 'merchant_id' and a.attnotnull
    where ${OURS}
    order by c.relname`);

/** Returns all tables with a merchant, except the list of merchants itself. */
async function merchantTables(): Promise<readonly string[]> {
  const found = (await tables()).filter(
    ({ name, merchant }) => merchant !== null && name !== 'merchants',
  );
  expect(found.length, 'no table was seen').toBeGreaterThan(15);
  return found.map(({ name }) => name);
}

test('the tables without a merchant are those that docs/SCALING.md gives a reason for', async () => {
  const document = readFileSync(join(ROOT, 'docs/SCALING.md'), 'utf8');
  const section = document.split('## Tables without a merchant')[1]!.split('\n## ')[0]!;
  const listed = [...section.matchAll(/^\| `(\w+)` \|.*\| \S.{20,} \|$/gm)].map(
    ([, name]) => name!,
  );
  const without = (await tables())
    .filter(({ merchant }) => merchant === null)
    .map(({ name }) => name);
  expect(listed.toSorted()).toEqual([...without, 'merchants'].toSorted());
});

test('sql/citus.sql distributes every merchant’s table, and copies the two that all of them refer to', async () => {
  const { copied, distributed } = clusterTables();
  expect(copied).toEqual(['merchants', 'runs']);
  expect(distributed.toSorted()).toEqual(await merchantTables());
});

test('the merchant has one type everywhere, and is never null', async () => {
  expect(
    new Set((await tables()).flatMap(({ merchant }) => (merchant === null ? [] : [merchant]))),
  ).toEqual(new Set(['bigint']));
  const optional = await rows<{ name: string }>(`select c.relname as name
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid
    where ${OURS} and a.attname = 'merchant_id' and not a.attnotnull`);
  expect(optional).toEqual([]);
});

test('every primary key and unique index of a merchant’s table begins with the merchant', async () => {
  const names = await merchantTables();
  const keys = await rows<{ table: string; index: string; first: string | null; primary: boolean }>(
    `select c.relname as table, i.relname as index, a.attname as first, x.indisprimary as primary
    from pg_index x
    join pg_class c on c.oid = x.indrelid
    join pg_class i on i.oid = x.indexrelid
    left join pg_attribute a on a.attrelid = c.oid and a.attnum = x.indkey[0]
    where ${OURS} and x.indisunique`,
  );
  const ours = keys.filter(({ table }) => names.includes(table));
  expect(ours.filter(({ first }) => first !== 'merchant_id')).toEqual([]);
  expect(
    ours
      .filter(({ primary }) => primary)
      .map(({ table }) => table)
      .toSorted(),
  ).toEqual(names.toSorted());
});

test('every reference from a merchant’s table carries the merchant, or names the list of merchants', async () => {
  const names = await merchantTables();
  const references = await rows<{ from: string; to: string; carried: boolean }>(
    `select c.relname as from, t.relname as to, exists (
        select 1
        from unnest(k.conkey, k.confkey) as pair (own, other)
        join pg_attribute a on a.attrelid = k.conrelid and a.attnum = pair.own
        join pg_attribute b on b.attrelid = k.confrelid and b.attnum = pair.other
        where a.attname = 'merchant_id' and b.attname = 'merchant_id'
      ) as carried
    from pg_constraint k
    join pg_class c on c.oid = k.conrelid
    join pg_class t on t.oid = k.confrelid
    where ${OURS} and k.contype = 'f'`,
  );
  expect(references.length).toBeGreaterThan(5);
  // References go from a merchant's table to another one, or to the list of merchants; and never
  // from a table without a merchant to a table with one.
  const wrong = references.filter(({ from, to, carried }) =>
    names.includes(from)
      ? !carried || !(names.includes(to) || to === 'merchants')
      : names.includes(to),
  );
  expect(wrong).toEqual([]);
});

test('only tables without a merchant count by themselves', async () => {
  const names = await merchantTables();
  const counting = await rows<{ name: string }>(`select distinct c.relname as name
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where ${OURS} and (a.attidentity <> '' or pg_get_expr(d.adbin, d.adrelid) like 'nextval%')`);
  expect(counting.map(({ name }) => name).filter((name) => names.includes(name))).toEqual([]);
});

test('every join that we write to a merchant’s table is by the merchant', async () => {
  const names = await merchantTables();
  const folder = join(ROOT, 'src/io/storage');
  const joins = readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((file) => {
    if (!file.endsWith('.ts')) return [];
    const text = readFileSync(join(folder, file), 'utf8');
    return [...writtenJoins(text), ...builtJoins(text)].map((one) => ({ file, ...one }));
  });
  const ours = joins.filter(({ table }) => names.includes(table));
  expect(ours.filter(({ isBuilt }) => isBuilt).length).toBeGreaterThan(5);
  expect(ours.filter(({ isBuilt }) => !isBuilt).length).toBeGreaterThan(0);
  expect(ours.filter(({ condition }) => !condition.includes('merchant_id'))).toEqual([]);
});

interface Join {
  readonly table: string;
  readonly condition: string;
  readonly isBuilt: boolean;
}

/**
 * Returns the joins in SQL that is written as text. A join ends where the next one begins, or the
 * list of tables ends.
 */
function writtenJoins(text: string): readonly Join[] {
  const found = text.matchAll(
    /\bjoin (\w+)(?: \w+)?\s+on ([\s\S]*?)(?=\b(?:left |cross )?join\b|\bwhere\b|\border by\b|\)|`)/g,
  );
  return [...found].map(([, table, condition]) => ({
    table: table!,
    condition: condition!,
    isBuilt: false,
  }));
}

/** Returns the joins of queries that Kysely builds: the words between the brackets of a join. */
function builtJoins(text: string): readonly Join[] {
  const found = text.matchAll(/\.(?:inner|left)Join\(\s*'(\w+)(?: as \w+)?',/g);
  return [...found].map((match) => {
    let depth = 1;
    let end = match.index + match[0].length;
    for (; depth > 0; end += 1) depth += text[end] === '(' ? 1 : text[end] === ')' ? -1 : 0;
    return {
      table: match[1]!,
      condition: text.slice(match.index + match[0].length, end),
      isBuilt: true,
    };
  });
}
