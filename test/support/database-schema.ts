// Writes down a database's schema from its catalogs, as plain SQL, the same for every server from
// 15 on. It says what pg_dump would say, without needing one. The migrator's own two tables are
// left out.

import type pg from 'pg';

const OURS = `c.relnamespace = 'public'::regnamespace and c.relname not like 'kysely\\_%'`;

/**
 * Returns the tables by name, each with its columns in their order, constraints, indexes, triggers
 * and comments; then the functions.
 */
export async function describeSchema(pool: pg.Pool): Promise<string> {
  const lines = async (
    text: string,
  ): Promise<readonly { readonly owner: string; readonly line: string }[]> =>
    (await pool.query<{ owner: string; line: string }>(text)).rows;
  const tables = await lines(
    `select c.relname as owner, case c.relkind when 'v' then 'view' else 'table' end as line
    from pg_class c
    where ${OURS} and c.relkind in ('r', 'p', 'v')
    order by 1`,
  );
  const columns = await lines(COLUMNS);
  const constraints = await lines(CONSTRAINTS);
  const after = [...(await lines(INDEXES)), ...(await lines(TRIGGERS)), ...(await lines(COMMENTS))];
  const functions = await lines(FUNCTIONS);
  const of = (rows: typeof tables, owner: string) =>
    rows.filter((row) => row.owner === owner).map((row) => row.line);
  const texts = tables.map(({ owner, line: kind }) => {
    const body = [...of(columns, owner), ...of(constraints, owner)]
      .map((line) => `  ${line}`)
      .join(',\n');
    return [
      `create ${kind} ${owner} (\n${body}\n);`,
      ...of(after, owner).map((line) => `${line};`),
    ].join('\n');
  });
  const header = `-- The schema of a fresh database, written by \`npm run golden\`. Not run: sql/migrations is, which has the queries of views, too.`;
  return `${[header, ...texts, ...functions.map((row) => `${row.line.trim()};`)].join('\n\n')}\n`;
}

const COLUMNS = `
  select c.relname as owner,
    a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
      || case when l.collname is null or l.collname = 'default' then '' else ' collate "' || l.collname || '"' end
      || case when a.attidentity = 'a' then ' generated always as identity' else '' end
      || case when d.adbin is null then '' when a.attgenerated = '' then ' default ' || pg_get_expr(d.adbin, d.adrelid)
        else ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored' end
      || case when a.attnotnull then ' not null' else '' end as line
  from pg_attribute a
  join pg_class c on c.oid = a.attrelid
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  left join pg_collation l on l.oid = a.attcollation
  where ${OURS} and c.relkind in ('r', 'p', 'v') and a.attnum > 0 and not a.attisdropped
  order by c.relname, a.attnum`;

const CONSTRAINTS = `
  select c.relname as owner, 'constraint ' || k.conname || ' ' || pg_get_constraintdef(k.oid) as line
  from pg_constraint k
  join pg_class c on c.oid = k.conrelid
  where ${OURS} and k.contype in ('p', 'u', 'f', 'c')
  order by c.relname, array_position(array['p', 'u', 'f', 'c'], k.contype::text), k.conname`;

const INDEXES = `
  select c.relname as owner, pg_get_indexdef(x.indexrelid) as line
  from pg_index x
  join pg_class c on c.oid = x.indrelid
  where ${OURS} and not exists (select 1 from pg_constraint k where k.conindid = x.indexrelid and k.contype in ('p', 'u'))
  order by c.relname, 2`;

const TRIGGERS = `
  select c.relname as owner, pg_get_triggerdef(t.oid) as line
  from pg_trigger t
  join pg_class c on c.oid = t.tgrelid
  where ${OURS} and not t.tgisinternal
  order by c.relname, t.tgname`;

const COMMENTS = `
  select c.relname as owner,
    'comment on ' || case when d.objsubid = 0 then 'table ' || c.relname else 'column ' || c.relname || '.' || a.attname end
      || ' is ' || quote_literal(d.description) as line
  from pg_description d
  join pg_class c on c.oid = d.objoid and d.classoid = 'pg_class'::regclass
  left join pg_attribute a on a.attrelid = c.oid and a.attnum = d.objsubid
  where ${OURS}
  order by c.relname, d.objsubid`;

const FUNCTIONS = `
  select p.proname as owner, pg_get_functiondef(p.oid) as line
  from pg_proc p
  where p.pronamespace = 'public'::regnamespace
  order by p.proname`;
