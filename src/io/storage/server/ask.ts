// Sends queries to our database. Kysely builds them, on the types of the schema; they are sent over
// the connection that the caller gives: the pool's, a transaction's, or a snapshot's. Refuses to
// let Kysely send them itself, because it would take another connection, outside of the transaction
// that the query belongs to, and plan every query anew.

import {
  type AliasedRawBuilder,
  type Compilable,
  DummyDriver,
  type Insertable,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  type SelectQueryBuilder,
  type StringReference,
  sql,
} from 'kysely';
import type pg from 'pg';
import type { Database } from '../../../../sql/tables.d.ts';
import { invariant } from '../../../core/domain/invariant.ts';
import type { RowTable } from '../../../core/domain/rows/row-table.ts';

export type Queries = Pick<pg.ClientBase, 'query'> | Pick<pg.Pool, 'query'>;

/** Builds every query. It cannot send them: give the query to `ask`. */
export const build: Kysely<Database> = new Kysely<Database>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () =>
      Object.assign(new DummyDriver(), {
        init: async () => invariant(false, '`ask` sends queries'),
      }),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

export interface Answer<Row> {
  readonly rows: readonly Row[];
  /** The number of rows returned, or added, changed or removed. */
  readonly count: number;
}

/** Sends a query in one round trip. Throws the database's error. */
export async function ask<Row>(
  queries: Queries,
  query: Compilable<Row> | Prepared<Row>,
): Promise<Answer<Row>> {
  const question = 'compile' in query ? questionOf(query) : query;
  const { rows, rowCount } = await queries.query(question);
  return { rows: rows as readonly Row[], count: rowCount ?? 0 };
}

export interface Page {
  readonly limit: number;
  readonly offset?: number | undefined;
}

export interface Listed<Item> {
  readonly total: number;
  readonly items: readonly Item[];
}

/** Loads one page of a query's rows, and counts all its rows. */
export async function askPage<Tables, Name extends keyof Tables, Row>(
  queries: Queries,
  query: SelectQueryBuilder<Tables, Name, Row>,
  { limit, offset = 0 }: Page,
): Promise<Listed<Row>> {
  const total = await countOf(queries, query.clearSelect().clearOrderBy());
  return { total, items: (await ask(queries, query.limit(limit).offset(offset))).rows };
}

type Order<Tables, Name extends keyof Tables, Row> =
  | StringReference<Tables, Name>
  | (keyof Row & string);

/**
 * For `$call`: sorts the rows by these columns, one after the other. Write `r.run_id desc` for the
 * highest first.
 */
export function by<Tables, Name extends keyof Tables, Row>(
  ...columns: readonly (Order<Tables, Name, Row> | `${Order<Tables, Name, Row>} desc`)[]
) {
  return (query: SelectQueryBuilder<Tables, Name, Row>): SelectQueryBuilder<Tables, Name, Row> =>
    columns.reduce((some, column) => {
      const [name, direction] = column.split(' ') as [Order<Tables, Name, Row>, 'desc'?];
      return some.orderBy(name, direction);
    }, query);
}

/** Counts the rows of a query. The query must not have columns yet. */
export async function countOf<Tables, Name extends keyof Tables>(
  queries: Queries,
  query: SelectQueryBuilder<Tables, Name, object>,
): Promise<number> {
  const count = query
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .$castTo<{ readonly total: number }>();
  return (await ask(queries, count)).rows[0]!.total;
}

function questionOf(query: Compilable): pg.QueryConfig {
  const { sql: text, parameters } = query.compile();
  return { text, values: [...parameters] };
}

export interface Prepared<Row> extends pg.QueryConfig {
  /** Never set: it only carries the type of the rows. */
  readonly row?: Row;
}

/** Returns the placeholder of a value in a prepared query. */
export type Slots<Values> = <Name extends keyof Values>(name: Name) => Values[Name];

class Slot {
  readonly name: PropertyKey;
  /**
   * True when connections keep the plan of the query, so that it must not depend on the first
   * values.
   */
  readonly isKept: boolean;
  /** The element type when the value is a list; `null` for a single value. */
  readonly listOf: ElementType | null;
  constructor(name: PropertyKey, isKept: boolean, listOf: ElementType | null = null) {
    this.name = name;
    this.isKept = isKept;
    this.listOf = listOf;
  }
}

/**
 * Returns a list as a parameter. In a query whose plan is kept, the parameter is in a subquery,
 * which hides the length of the list. Otherwise PostgreSQL would plan the query anew each time, for
 * as long as a plan for these values looks cheaper than one for any values, and for a list of one
 * merchant it always does.
 */
function list(type: ElementType, values: unknown): RawBuilder<unknown> {
  const value =
    values instanceof Slot ? new Slot(values.name, values.isKept, type) : listValue(type, values);
  const parameter = sql`${value}::${sql.raw(type)}[]`;
  return values instanceof Slot && values.isKept
    ? sql`(select ${parameter})::${sql.raw(type)}[]`
    : parameter;
}

/**
 * The types whose elements may be long. `oid` is the type's number in PostgreSQL. `prefix` holds
 * the bytes that stand before an element's text in the binary form: a version number for jsonb.
 */
const LONG_TYPES: Partial<
  Record<ElementType, { readonly oid: number; readonly prefix: readonly number[] }>
> = {
  text: { oid: 25, prefix: [] },
  json: { oid: 114, prefix: [] },
  jsonb: { oid: 3802, prefix: [1] },
};

/**
 * Returns the value of a list. Long elements are sent in PostgreSQL's binary form, because as text
 * each quotation mark in them would be escaped, twice in JSON.
 */
function listValue(type: ElementType, values: unknown): unknown {
  const long = LONG_TYPES[type];
  if (long === undefined || !Array.isArray(values) || values.length === 0) return values;
  const { oid, prefix } = long;
  const lengths = values.map((one) => (one === null ? -1 : prefix.length + Buffer.byteLength(one)));
  const size = lengths.reduce((sum, length) => sum + 4 + Math.max(0, length), 20);
  const bytes = Buffer.allocUnsafe(size);
  const hasNull = lengths.includes(-1) ? 1 : 0;
  let at = 0;
  for (const head of [1, hasNull, oid, values.length, 1]) at = bytes.writeInt32BE(head, at);
  values.forEach((one, i) => {
    at = bytes.writeInt32BE(lengths[i]!, at);
    if (one === null) return;
    for (const byte of prefix) at = bytes.writeUInt8(byte, at);
    at += bytes.write(one, at);
  });
  return bytes;
}

/**
 * Prepares a query that is sent often. `make` is called once, and each connection plans the query
 * once, under `name`. The plan serves all values: constants must be written with `sql.lit`, or a
 * partial index that depends on them is not used. When `name` is `null`, the query is planned each
 * time, because the best plan depends on the number of values.
 */
export function prepare<Values extends object, Row>(
  name: string | null,
  make: (at: Slots<Values>) => Compilable<Row>,
): (values: Values) => Prepared<Row> {
  let made: { readonly sql: string; readonly parameters: readonly unknown[] } | null = null;
  return (values) => {
    made ??= make((slot) => new Slot(slot, name !== null) as never).compile();
    const parameters = made.parameters.map((one) =>
      one instanceof Slot ? valueIn(values, one) : one,
    );
    return { ...(name === null ? {} : { name }), text: made.sql, values: parameters };
  };
}

function valueIn<Values extends object>(values: Values, { name, listOf }: Slot): unknown {
  const value = values[name as keyof Values];
  return listOf === null ? value : listValue(listOf, value);
}

type ElementType = 'bigint' | 'int' | 'json' | 'jsonb' | 'text' | 'uuid';

/**
 * Returns `any ($1::text[])`, to be compared by `=`. It is one parameter however many values there
 * are, so that the text of the query stays the same; `in` would have one parameter for each value.
 */
export function anyOf<Value>(type: ElementType, values: readonly Value[]): RawBuilder<Value> {
  return sql<Value>`any (${list(type, values)})`;
}

/** Returns a field of a JSON column as text; it is `null` when the column has no such field. */
export function jsonText(column: string, field: string): RawBuilder<string | null> {
  return sql<string | null>`${sql.ref(column)} ->> ${sql.lit(field)}`;
}

type Lists<Row> = {
  readonly [Name in keyof Row]: readonly [type: ElementType, values: readonly Row[Name][]];
};

/**
 * Makes a relation out of lists, one for each column. The lists must have equal lengths. `ordinal`
 * numbers the rows from 1. Each column is one parameter.
 */
export function unnest<const Alias extends string, Row extends object>(
  alias: Alias,
  lists: Lists<Row>,
): AliasedRawBuilder<Row & { readonly ordinal: number }, Alias> {
  const columns = Object.entries<readonly [ElementType, readonly unknown[]]>(lists);
  const values = columns.map(([, [type, column]]) => list(type, column));
  const names = [...columns.map(([name]) => name), 'ordinal'].map((name) => sql.ref(name));
  const rows = sql<Row & { readonly ordinal: number }>`unnest(${sql.join(values)}) with ordinality`;
  return rows.as<Alias>(sql`${sql.ref(alias)}(${sql.join(names)})`);
}

/**
 * Columns whose names Kysely's types do not know. Records of them are read by `createRecordReader`.
 */
type Columns = readonly AliasedRawBuilder<unknown, never>[];

/**
 * Returns the columns of a table, to select from `alias`. `prefix` is put before their names, so
 * that two rows fit into one record: `before_amount`, `now_amount`.
 */
export function columnsOf<Row>({ fields }: RowTable<Row>, alias: string, prefix = ''): Columns {
  return fields.map(({ column }) =>
    sql.ref(`${alias}.${column}`).as(`${prefix}${column}` as never),
  );
}

/** The most rows of one statement, because PostgreSQL takes at most 65,535 parameters. */
const MOST_ROWS = 5_000;

/** Splits rows into pieces of `most`, by default as many as fit into one statement. */
export function inPieces<One>(rows: readonly One[], most = MOST_ROWS): readonly (readonly One[])[] {
  return Array.from({ length: Math.ceil(rows.length / most) }, (_, i) =>
    rows.slice(most * i, most * (i + 1)),
  );
}

type Table = Extract<keyof Database, string>;
type Row<Name extends Table, Column extends keyof Database[Name]> = Pick<
  Insertable<Database[Name]>,
  Column & keyof Insertable<Database[Name]>
>;

interface Adding<Column> {
  /** As in `prepare`. */
  readonly name: string | null;
  /** The columns of the unique key. Rows are added in its order. */
  readonly key: readonly Column[];
  /**
   * What happens to a row whose key is taken: `keep` leaves the stored row as it is;
   * `replaceAllBut` gives the stored row the new values of all columns but these and the key.
   */
  readonly taken: 'keep' | { readonly replaceAllBut: readonly Column[] };
}

/**
 * Returns a function that makes the statement which adds rows to a table, each column as one list.
 * `types` names the columns by their types.
 */
export function addingTo<
  Name extends Table,
  const Column extends Extract<keyof Database[Name], string>,
>(
  table: Name,
  types: { readonly [Type in ElementType]?: readonly Column[] },
  { name, key, taken }: Adding<NoInfer<Column>>,
): (rows: readonly Row<Name, Column>[]) => Prepared<unknown> {
  const typed = Object.entries(types).flatMap(([type, some]) =>
    some.map((one) => [one, type as ElementType] as const),
  );
  const columns = typed.map(([column]) => column);
  const refs = (some: readonly string[]) => sql.join(some.map((column) => sql.ref(column)));
  const kept = taken === 'keep' ? columns : [...key, ...taken.replaceAllBut];
  const news = columns.filter((column) => !kept.includes(column));
  const change = sql.join(
    news.map((column) => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`),
  );
  const onTaken = news.length === 0 ? sql`nothing` : sql`update set ${change}`;
  const statement = prepare(name, (at: Slots<Readonly<Record<string, readonly never[]>>>) => {
    const given = unnest(
      'given',
      Object.fromEntries(typed.map(([one, type]) => [one, [type, at(one)] as const])),
    );
    const add = sql`insert into ${sql.table(table)} (${refs(columns)}) select ${refs(columns)} from ${given}
      order by ${refs(key)} on conflict (${refs(key)}) do ${onTaken}`;
    return { compile: () => add.compile(build) };
  });
  return (rows) =>
    statement(
      Object.fromEntries(
        columns.map((column) => [column, rows.map((row) => row[column as never])]),
      ),
    );
}
