// Writes the tables of a database as the types that Kysely's queries are checked against, from its
// catalogs: whether a column may be null, has a default, may be written, and which words a check
// lets it hold.

import type pg from 'pg';

interface Column {
  readonly table: string;
  readonly isInsertOnly: boolean;
  readonly name: string;
  /** The type as the catalog names it: `int8`, `_text`. */
  readonly type: string;
  readonly isNullable: boolean;
  readonly isGenerated: boolean;
  readonly hasDefault: boolean;
  /** Definitions of the checks that concern this column alone. */
  readonly checks: readonly string[];
}

/** The types as our connections read and write them (`server/open-store.ts`). */
const TYPES: Readonly<Record<string, string>> = {
  bool: 'boolean',
  bytea: 'Bytes',
  int4: 'number',
  int8: 'number',
  json: 'Json',
  jsonb: 'Json',
  numeric: 'string',
  text: 'string',
  _text: 'readonly string[]',
  uuid: 'string',
};

export async function describeTypes(pool: pg.Pool): Promise<string> {
  const tables = Map.groupBy((await pool.query<Column>(COLUMNS)).rows, ({ table }) => table);
  const texts = [...tables].map(
    ([table, own]) => `  readonly ${table}: {\n${own.map(lineOf).join('\n')}\n  };`,
  );
  return `${HEAD}\nexport interface Database {\n${texts.join('\n')}\n}\n`;
}

/** The head of the file, with the types of columns where reading and writing differ. */
const HEAD = `// All tables of a store, as the types of our queries: written from a fresh database by
// \`npm run golden\`, and not by hand. Instants are epoch milliseconds in UTC.

import type { ColumnType, Generated, GeneratedAlways, InsertType, SelectType } from 'kysely';

/** Written as text, read as a value. */
type Json = ColumnType<unknown, string, string>;

type Bytes = ColumnType<Buffer, Uint8Array, Uint8Array>;

/** Of a row that is never changed. */
type Kept<T> = ColumnType<SelectType<T>, InsertType<T>, never>;
`;

function lineOf(column: Column): string {
  const [before, after] = wrapperOf(column);
  const type = column.isNullable ? `${typeOf(column)} | null` : typeOf(column);
  const line = `    readonly ${column.name}: ${before}${type}${after};`;
  // Break the line as the formatter does.
  return line.length <= 120
    ? line
    : `    readonly ${column.name}: ${before}\n      ${type}\n    ${after};`;
}

function wrapperOf({ isGenerated, isInsertOnly, hasDefault }: Column): readonly [string, string] {
  if (isGenerated) return ['GeneratedAlways<', '>'];
  if (isInsertOnly) return ['Kept<', '>'];
  return hasDefault ? ['Generated<', '>'] : ['', ''];
}

/**
 * Returns the type of a column. Throws where the catalog names a type that no query has read so
 * far.
 */
function typeOf({ table, name, type, checks }: Column): string {
  const plain = TYPES[type];
  if (plain === undefined)
    throw new Error(`${table}.${name}: say in schema-types.ts how ${type} is read`);
  const listed = checks
    .map((check) => /^CHECK \(\(\(?\w+ = ANY \(ARRAY\[(.*)\]\)\)\)?\)$/.exec(check)?.[1])
    .find(Boolean);
  if (listed === undefined) return plain;
  return listed.replaceAll('::text', '').split(', ').join(' | ');
}

const COLUMNS = `
  select c.relname as table, a.attname as name, t.typname as type, not a.attnotnull as "isNullable",
    a.attidentity <> '' or a.attgenerated <> '' as "isGenerated", a.atthasdef as "hasDefault",
    exists (select 1 from pg_trigger g where g.tgrelid = c.oid and g.tgname = 'append_only' and g.tgtype & 16 <> 0)
      as "isInsertOnly",
    array(
      select pg_get_constraintdef(k.oid)
      from pg_constraint k
      where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]
      order by k.conname
    ) as checks
  from pg_attribute a
  join pg_class c on c.oid = a.attrelid
  join pg_type t on t.oid = a.atttypid
  where c.relnamespace = 'public'::regnamespace and c.relname not like 'kysely\\_%' and c.relkind in ('r', 'p')
    and a.attnum > 0 and not a.attisdropped
  order by c.relname, a.attnum`;
