// What Citus refuses of the statements that a test sends, found without a Citus: the tables of sql/citus.sql are spread over nodes
// by merchant, and a statement about several merchants' rows may not lock them, nor join or change them by anything but the
// merchant. Says less than Citus does: what it lets through was tried on a cluster (docs/SCALING.md).

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

const SCRIPT = join(import.meta.dirname, '../../sql/citus.sql');
const SOURCES = join(import.meta.dirname, '../../src/');

/** Of sql/citus.sql: tables with a copy on every node, and tables of which each merchant's rows are on one. */
export function clusterTables(): { readonly copied: readonly string[]; readonly distributed: readonly string[] } {
  const text = readFileSync(SCRIPT, 'utf8');
  const lists = [...text.matchAll(/unnest\(array\[([^\]]+)\]/g)].map(([, list]) =>
    [...list!.matchAll(/'(\w+)'/g)].map(([, name]) => name!),
  );
  const first = /create_distributed_table\('(\w+)'/.exec(text)![1]!;
  return { copied: lists[0]!, distributed: [first, ...lists[1]!] };
}

const { copied, distributed } = clusterTables();
const ONE_MERCHANT = /\bmerchant_id\s*=\s*(\$\d+|\d+)(?=$|\s|::)/;
const BY_MERCHANT = /\bmerchant_id\s*=\s*\w+\.merchant_id\b|\bnatural\b|\busing\s*\(merchant_id\b/;
/** Each row goes to where the row is that it is made of. */
const ROW_BESIDE_ROW = /^\s*insert into \w+ \( merchant_id\b[^)]*\) select merchant_id\b(?!.*\bjoin\b)/;
const VALUES_ASKED = new RegExp(
  `\\binsert into (${[...copied, ...distributed].join('|')}) \\([^)]*\\) values\\b.*\\( select\\b`,
);
const NAMED = new RegExp(`\\b(?:from|join|update|into|using)\\s+(?:only\\s+)?(${distributed.join('|')})\\b`, 'g');

/** Why Citus refuses it; null: by these rules it does not. */
export function refusedByCitus(statement: string): string | null {
  const text = statement
    .replace(/--.*$/gm, ' ')
    .replaceAll('"', '')
    .replace(/[()]/g, ' $& ')
    .replace(/\s+/g, ' ')
    .toLowerCase();
  if (VALUES_ASKED.test(text)) return 'it adds values that a subquery gives';
  const tables = [...text.matchAll(NAMED)].map(([, name]) => name!);
  if (tables.length === 0 || ONE_MERCHANT.test(text)) return null;
  if (/\bfor (no key )?update\b|\bfor (key )?share\b/.test(text)) return 'it locks rows of several merchants';
  if (/\bas ((not )?materialized )?\( (insert|update|delete)\b/.test(text)) {
    return 'it changes rows of several merchants in a with-clause';
  }
  if (tables.length > 1 && !BY_MERCHANT.test(text) && !ROW_BESIDE_ROW.test(text))
    return 'it joins tables by something else than the merchant';
  const isChange = /^\s*(update|delete)\b/.test(text);
  if (isChange && /\b(random|gen_random_uuid|clock_timestamp|nextval) \(/.test(text)) {
    return 'it changes rows by a function that says something else each time';
  }
  return null;
}

const judged = new Map<string, string | null>();
let refused: string[] = [];

/** From now on every statement that our code sends from this process is judged, once; those of the tests' own code are not. */
export function watchStatements(): void {
  // A pool asks on a connection later, when the stack no longer tells who asked.
  for (const { prototype } of [pg.Client, pg.Pool]) {
    const asked = prototype as unknown as { query: (...words: unknown[]) => unknown };
    const { query } = asked;
    asked.query = function (this: unknown, ...words: unknown[]) {
      const text = typeof words[0] === 'string' ? words[0] : (words[0] as { readonly text?: unknown } | null)?.text;
      if (typeof text === 'string' && !judged.has(text) && isOurs(new Error('who asks').stack)) judge(text);
      return query.apply(this, words);
    };
  }
}

function isOurs(stack = ''): boolean {
  return stack.includes(SOURCES);
}

function judge(text: string): void {
  const why = refusedByCitus(text);
  judged.set(text, why);
  if (why !== null) refused.push(`${why}: ${text}`);
}

/** Those that Citus refuses of what was sent since this was last called. */
export function takeRefused(): readonly string[] {
  const taken = refused;
  refused = [];
  return taken;
}
