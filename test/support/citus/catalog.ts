// What names in a statement stand for, as the catalogs of a migrated database have it: columns of
// tables, queries of views, and which functions always return the same for the same arguments.

import type pg from 'pg';

export interface Catalog {
  /** Names of the columns of each table and view, in their order. */
  readonly columns: ReadonlyMap<string, readonly string[]>;
  /** The query of each view, by its name. */
  readonly views: ReadonlyMap<string, string>;
  /** The statement that makes each of our functions. */
  readonly functions: readonly string[];
  readonly aggregates: ReadonlySet<string>;
  /**
   * Returns the volatility of the least changing function with this name and so many arguments;
   * `null` where there is none.
   */
  volatility(name: string, count: number): Volatility | null;
}

export type Volatility = 'immutable' | 'stable' | 'volatile';

const VOLATILITIES: readonly Volatility[] = ['immutable', 'stable', 'volatile'];

/** Loads the catalog of a database that has all migrations. */
export async function loadCatalog(queries: Pick<pg.Pool, 'query'>): Promise<Catalog> {
  const query = <Row extends pg.QueryResultRow>(text: string) => queries.query<Row>(text);
  const tables = await query<{ name: string; columns: string[]; view: string | null }>(`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns,
      case c.relkind when 'v' then pg_get_viewdef(c.oid) end as view
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v')
    group by c.oid, c.relname, c.relkind`);
  const procedures = await query<{
    name: string;
    least: number;
    most: number;
    volatility: string;
  }>(`
    select proname as name, pronargs - pronargdefaults as least, volatility,
      case provariadic when 0 then pronargs else 100 end as most
    from (
      select *, case provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end as volatility
      from pg_proc
    ) as p`);
  const aggregates = await query<{ name: string }>(
    `select distinct proname as name from pg_proc where prokind = 'a'`,
  );
  const ours = await query<{ definition: string }>(`
    select pg_get_functiondef(oid) as definition
    from pg_proc
    where pronamespace = 'public'::regnamespace
    order by proname`);
  const byName = Map.groupBy(procedures.rows, ({ name }) => name);
  return {
    columns: new Map(tables.rows.map(({ name, columns }) => [name, columns])),
    views: new Map(tables.rows.flatMap(({ name, view }) => (view === null ? [] : [[name, view]]))),
    functions: ours.rows.map(({ definition }) => definition),
    aggregates: new Set(aggregates.rows.map(({ name }) => name)),
    volatility: (name, count) => {
      const called = (byName.get(name) ?? []).filter(
        ({ least, most }) => least <= count && count <= most,
      );
      return (
        VOLATILITIES.find((one) => called.some(({ volatility }) => volatility === one)) ?? null
      );
    },
  };
}
