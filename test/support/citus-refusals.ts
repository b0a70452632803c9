// Finds, without a Citus, which of the statements that a test sends Citus would refuse. Each is
// parsed by PostgreSQL's own grammar and compared with what the planner of Citus takes of tables
// that sql/citus.sql distributes, of those that it copies to every node, and of those that stay on
// the coordinator. Judges the statements that our code sends from the process of the test; not
// those of commands that a test starts as processes of their own, and not those of the tests' own
// code.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasSqlDetails, loadModule, parsePlPgSQLSync } from 'libpg-query';
import pg from 'pg';
import { type Catalog, loadCatalog } from './citus/catalog.ts';
import { type Node, parseStatements, resolve, type TableKind } from './citus/query.ts';
import { refusalOf } from './citus/refusals.ts';

const SCRIPT = join(import.meta.dirname, '../../sql/citus.sql');
const SOURCES = join(import.meta.dirname, '../../src/');

/**
 * Returns the tables that sql/citus.sql names: `copied` have a copy on every node, and of
 * `distributed` each merchant's rows are on one node.
 */
export function clusterTables(): {
  readonly copied: readonly string[];
  readonly distributed: readonly string[];
} {
  const text = readFileSync(SCRIPT, 'utf8');
  const lists = [...text.matchAll(/unnest\(array\[([^\]]+)\]/g)].map(([, list]) =>
    [...list!.matchAll(/'(\w+)'/g)].map(([, name]) => name!),
  );
  const first = /create_distributed_table\('(\w+)'/.exec(text)![1]!;
  return { copied: lists[0]!, distributed: [first, ...lists[1]!] };
}

export interface Rules {
  /**
   * Returns why Citus refuses a statement, or one of several; `null`: by these rules it does not.
   */
  refusedByCitus(text: string): string | null;
  /**
   * Returns why Citus refuses a function's definition: what the function returns, or a statement in
   * it; `null`: by these rules it does not.
   */
  refusedFunction(definition: string): string | null;
  readonly catalog: Catalog;
}

/** Returns the rules for a database that has all migrations, whose catalogs are asked. */
export async function loadRules(queries: Pick<pg.Pool, 'query'>): Promise<Rules> {
  const [catalog] = await Promise.all([loadCatalog(queries), loadModule()]);
  const { copied, distributed } = clusterTables();
  const kinds = new Map<string, TableKind>([
    ...copied.map((name) => [name, 'reference'] as const),
    ...distributed.map((name) => [name, 'distributed'] as const),
  ]);
  const kindOf = (table: string) => kinds.get(table) ?? 'local';
  const refusedStatement = (statement: Node) => {
    const asked = askedIn(statement);
    const refusedAs = (inlines: boolean) => {
      const read = resolve(asked, { catalog, kindOf, inlines });
      return read === null ? null : refusalOf(read);
    };
    // Where Citus cannot plan a statement with its with-queries in place, it gathers them first.
    return refusedAs(true) === null ? null : refusedAs(false);
  };
  const refusedByCitus = (text: string) => {
    for (const statement of parseStatements(text)) {
      const why = refusedStatement(statement);
      if (why !== null) return why;
    }
    return null;
  };
  const refusedFunction = (definition: string) => {
    const [parsed] = parseStatements(definition);
    const { returnType } = parsed!.CreateFunctionStmt as { readonly returnType?: Node };
    const names = (returnType?.names as readonly Node[] | undefined) ?? [];
    const type = (names.at(-1)?.String as Node | undefined)?.sval as string | undefined;
    if (type !== undefined && kinds.has(type))
      return `it returns the row type of ${type}, which goes when the table is distributed`;
    for (const statement of statementsIn(definition)) {
      const why = refusedByCitus(statement);
      if (why !== null) return why;
    }
    return null;
  };
  return { refusedByCitus, refusedFunction, catalog };
}

/**
 * Returns the query that a cursor, a copy or an explained statement asks; any other statement as it
 * is.
 */
function askedIn(statement: Node): Node {
  for (const kind of [
    'CopyStmt',
    'DeclareCursorStmt',
    'ExplainStmt',
    'CreateTableAsStmt',
    'PrepareStmt',
  ]) {
    const query = (statement[kind] as Node | undefined)?.query;
    if (query !== undefined) return query as Node;
  }
  return statement;
}

/**
 * Returns the statements of a function's body. Of a body in PL/pgSQL these are the statements that
 * it sends by themselves or asks in a condition.
 */
function statementsIn(definition: string): readonly string[] {
  const create = parseStatements(definition)[0]!.CreateFunctionStmt as {
    readonly options: readonly { DefElem: Node }[];
  };
  const option = (name: string) =>
    create.options.find(({ DefElem }) => DefElem.defname === name)?.DefElem.arg as Node | undefined;
  const isSql = (option('language')?.String as Node | undefined)?.sval === 'sql';
  if (isSql) {
    const body = (
      option('as')?.List as { readonly items: readonly { String: { sval: string } }[] } | undefined
    )?.items[0];
    return body === undefined ? [] : [body.String.sval];
  }
  const found: string[] = [];
  JSON.stringify(parsePlPgSQLSync(definition), (key, value) => {
    if (key === 'query' && typeof value === 'string') found.push(value);
    return value;
  });
  // Conditions and values are expressions; an assignment is neither.
  return found.flatMap((text) => [text, `select ${text}`].find(isRead) ?? []);
}

function isRead(text: string): boolean {
  try {
    parseStatements(text);
    return true;
  } catch {
    return false;
  }
}

let rules: Promise<Rules> | null = null;
let waiting = new Set<string>();
const known = new Set<string>();

/**
 * Notes, from now on and each once, the statements that our code sends from this process.
 * Statements of the tests' own code are not noted.
 */
export function watchStatements(): void {
  // A pool asks on a connection later, when the stack no longer tells who asked.
  for (const { prototype } of [pg.Client, pg.Pool]) {
    const asked = prototype as unknown as { query: (...words: unknown[]) => unknown };
    const { query } = asked;
    asked.query = function (this: unknown, ...words: unknown[]) {
      const text =
        typeof words[0] === 'string'
          ? words[0]
          : (words[0] as { readonly text?: unknown } | null)?.text;
      if (typeof text === 'string' && !known.has(text) && isOurs(new Error('who asks').stack)) {
        known.add(text);
        waiting.add(text);
      }
      return query.apply(this, words);
    };
  }
}

function isOurs(stack = ''): boolean {
  return stack.includes(SOURCES);
}

/**
 * Loads the rules. Must be called before a test changes the database that is asked; only the first
 * database is asked.
 */
export async function prepareRules(queries: Pick<pg.Pool, 'query'>): Promise<void> {
  rules ??= loadRules(queries);
  await rules;
}

/** Returns those of the statements sent since the last call that Citus refuses. */
export async function takeRefused(): Promise<readonly string[]> {
  const texts = [...waiting];
  waiting = new Set();
  const { refusedByCitus } = (await rules)!;
  return texts.flatMap((text) => {
    try {
      const why = refusedByCitus(text);
      return why === null ? [] : [`${why}: ${text}`];
    } catch (error) {
      // PostgreSQL refused it, too.
      if (hasSqlDetails(error)) return [];
      throw error;
    }
  });
}
