// Books of many small merchants: a few simulated ones, copied under names of their own, in an
// operator's database or in folders of files. What happens later is kept beside them, to be entered
// as news for some of them.

import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { DAY, type Instant } from '../src/core/domain/instant.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../src/sandbox/model/plan.ts';
import type {
  ServedEntry,
  ServedMerchant,
  ServedOperation,
  ServedWallet,
} from '../src/sandbox/model/served.ts';
import { advance, booksOf, openSimulation } from '../src/sandbox/simulation/simulate.ts';
import { writeBundle } from '../test/support/sandbox-bundle.ts';
import { type BenchServer, withClient } from './databases.ts';
import {
  copyBooks,
  enterRows,
  OPERATOR_INDEXES,
  OPERATOR_TABLES,
  type Owned,
} from './operator-tables.ts';

/** The first instant of the books, which is older than every instant at which they are judged. */
const OPENS = Date.UTC(2025, 0, 1);
const DAYS = 90;
/** An operation of ordinary traffic posts about 2.3 lines: about twenty lines a merchant. */
const OPERATIONS_A_DAY = 0.1;
const NEWS_AFTER = 30 * DAY;
const TEMPLATES = 20;
const FORM = 1;
const SEED = 'pointage-bench';

export const SMALL_BOOKS_AS_OF: Instant = OPENS + (DAYS + 90) * DAY;

interface SmallBooks {
  readonly merchant: ServedMerchant;
  readonly wallet: ServedWallet;
  readonly entries: readonly ServedEntry[];
  readonly operations: readonly ServedOperation[];
}

interface Template {
  readonly before: SmallBooks;
  readonly after: SmallBooks;
}

/** Returns the reference of a merchant, like `M00001`. */
export function smallMerchant(number: number): string {
  return `M${String(number).padStart(5, '0')}`;
}

/** Simulates the templates. Each has lines before the news, and more after. */
function makeTemplates(): readonly Template[] {
  const templates: Template[] = [];
  for (let attempt = 0; templates.length < TEMPLATES; attempt += 1) {
    const traffic = {
      ...ORDINARY_TRAFFIC,
      operationsPerDay: OPERATIONS_A_DAY,
      adjustmentsPerMonth: 0.2,
    };
    const plan = planMerchant({ reference: `TEMPLATE${attempt}`, opensAt: OPENS, traffic });
    const simulation = openSimulation(plan, SEED);
    advance(simulation, OPENS + DAYS * DAY);
    const before = structuredClone(booksOf(simulation));
    advance(simulation, OPENS + DAYS * DAY + NEWS_AFTER);
    const after = structuredClone(booksOf(simulation));
    if (before.entries.length > 5 && after.entries.length > before.entries.length)
      templates.push({ before, after });
  }
  return templates;
}

/** Returns the same books under another name. What must be unique gets the number. */
function renamed(books: SmallBooks, number: number): SmallBooks {
  const reference = smallMerchant(number);
  const own = (text: string): string => `${text}-${number}`;
  const id = (uuid: string): string => `${String(number).padStart(8, '0')}${uuid.slice(8)}`;
  return {
    merchant: { ...books.merchant, reference, name: `Boutique ${reference}` },
    wallet: {
      ...books.wallet,
      walletId: id(books.wallet.walletId),
      merchantId: id(books.wallet.merchantId),
    },
    entries: books.entries.map((entry) => ({
      ...entry,
      id: id(entry.id),
      operationReference: entry.operationReference === null ? null : own(entry.operationReference),
      description: entry.description,
    })),
    operations: books.operations.map((operation) => ({
      ...operation,
      reference: own(operation.reference),
    })),
  };
}

function booksAt(number: number, when: keyof Template): SmallBooks {
  templates ??= makeTemplates();
  return renamed(templates[number % templates.length]![when], number);
}

let templates: readonly Template[] | null = null;

function* numbersTo(count: number): Generator<number> {
  for (let number = 1; number <= count; number += 1) yield number;
}

/** Returns the name of a database with the tables of `count` small merchants. */
export async function smallOperatorOf(server: BenchServer, count: number): Promise<string> {
  const name = `small_operator_${FORM}_${count}`;
  if (await server.has(name)) return name;
  const unfinished = `${name}_part`;
  await server.drop(unfinished);
  await server.create(unfinished);
  await withClient(server.urlOf(unfinished), async (client) => {
    await client.query(OPERATOR_TABLES);
    await copyBooks(client, {
      entries: ownedBy(count, ({ entries }) => entries),
      operations: ownedBy(count, ({ operations }) => operations),
      wallets: ownedBy(count, ({ wallet }) => [wallet]),
      merchants: [...numbersTo(count)].map((number) => booksAt(number, 'before').merchant),
    });
    await client.query(OPERATOR_INDEXES);
    await client.query('vacuum (analyze)');
  });
  await server.rename(unfinished, name);
  return name;
}

function* ownedBy<Row>(
  count: number,
  rowsOf: (books: SmallBooks) => readonly Row[],
): Generator<Owned<Row>> {
  for (const number of numbersTo(count)) {
    for (const row of rowsOf(booksAt(number, 'before'))) yield [smallMerchant(number), row];
  }
}

/**
 * Enters the news of the merchants with these numbers. The news of a merchant can be entered once.
 * Returns the number of new lines.
 */
export async function enterSmallNews(
  client: pg.Client,
  numbers: readonly number[],
): Promise<number> {
  const news = numbers.map((number) => {
    const [before, after] = [booksAt(number, 'before'), booksAt(number, 'after')];
    return {
      merchant: smallMerchant(number),
      after,
      entries: after.entries.slice(before.entries.length),
    };
  });
  const tag = <Row>(merchant: string, rows: readonly Row[]) =>
    rows.map((row): Owned<Row> => [merchant, row]);
  await enterRows(client, {
    entries: news.flatMap(({ merchant, entries }) => tag(merchant, entries)),
    operations: news.flatMap(({ merchant, after }) => tag(merchant, after.operations)),
    wallets: news.flatMap(({ merchant, after }) => tag(merchant, [after.wallet])),
  });
  return news.reduce((sum, { entries }) => sum + entries.length, 0);
}

/** Returns a folder with a folder of files for each of `count` small merchants. */
export async function smallFoldersOf(cache: string, count: number): Promise<string> {
  const folder = join(cache, `small-books-${FORM}-${count}`);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.part`;
  await rm(unfinished, { recursive: true, force: true });
  for (const number of numbersTo(count)) {
    const { merchant, wallet, entries, operations } = booksAt(number, 'before');
    await writeBundle(join(unfinished, smallMerchant(number)), {
      pieces: [{ entries, operations, notifications: [] }],
      closing: () => ({ merchant, wallet, payments: [], reports: [], payouts: null }),
    });
  }
  await rename(unfinished, folder);
  return folder;
}
