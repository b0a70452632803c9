// Books of a size to measure on: one sound merchant, simulated once and kept under a folder named
// for its parameters.

import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY, formatInstant, type Instant } from '../src/core/domain/instant.ts';
import { type MerchantPlan, ORDINARY_TRAFFIC, planMerchant } from '../src/sandbox/model/plan.ts';
import type { ServedEntry, ServedOperation, ServedWallet } from '../src/sandbox/model/served.ts';
import {
  advance,
  booksOf as booksAt,
  openSimulation,
  type Simulation,
} from '../src/sandbox/simulation/simulate.ts';
import { streamBooks, takeSettled, writeBundle } from '../test/support/sandbox-bundle.ts';

export const MERCHANT = 'BENCH';

/** The first instant of the books, which is older than every instant at which they are judged. */
const OPENS = Date.UTC(2025, 0, 1);
const DAYS = 90;
/** Lines that an operation of ordinary traffic posts, as seen over many books. */
const LINES_AN_OPERATION = 2.3136;
const FORM = 3;

export interface MeasuredBooks {
  /**
   * Number of the books' form. It changes when books of the same size change, because everything
   * that was made of them must then be made again.
   */
  readonly form: number;
  /** merchant.json, wallet.json, ledger.jsonl, operations.jsonl, events.jsonl. */
  readonly folder: string;
  readonly lines: number;
  readonly operations: number;
  readonly notifications: number;
  /** An instant after the last line and the last change. */
  readonly asOf: Instant;
}

/**
 * What happened to the books after they were written, up to a later instant. Books into which all
 * of it is entered are sound again.
 */
export interface News {
  readonly entries: readonly ServedEntry[];
  /** Operations that are new, and those that have moved, as they stand then. */
  readonly operations: readonly ServedOperation[];
  readonly wallet: ServedWallet;
}

const SEED = 'pointage-bench';

function planOf(lines: number) {
  const operationsPerDay = lines / DAYS / LINES_AN_OPERATION;
  return planMerchant({
    reference: MERCHANT,
    opensAt: OPENS,
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay },
  });
}

/**
 * Returns books of about `lines` lines over ninety days. To make them takes about 20 seconds a
 * million lines, the first time alone.
 */
export async function booksOf(cache: string, lines: number): Promise<MeasuredBooks> {
  return writtenBooks(join(cache, `books-${FORM}-${lines}`), planOf(lines), OPENS + DAYS * DAY);
}

export interface MonthBooks extends MeasuredBooks {
  /** The month, like `2025-04`. It begins when the ninety days are over. */
  readonly period: string;
}

/**
 * Returns books with a month of about `lines` lines behind about `older` lines of history. Without
 * history, the month has the pace of two hundred thousand lines in ninety days.
 */
export async function monthBehind(
  cache: string,
  { older, lines }: { readonly older: number; readonly lines: number },
): Promise<MonthBooks> {
  const pace = older === 0 ? 200_000 : older;
  const monthStart = OPENS + DAYS * DAY;
  const plan = { ...planOf(pace), opensAt: older === 0 ? monthStart : OPENS };
  const folder = join(cache, `month-${FORM}-${older}-${lines}`);
  const books = await writtenBooks(
    folder,
    plan,
    monthStart + Math.round(((DAYS * DAY) / pace) * lines),
  );
  return { ...books, period: formatInstant(monthStart).slice(0, 7) };
}

async function writtenBooks(
  folder: string,
  plan: MerchantPlan,
  until: Instant,
): Promise<MeasuredBooks> {
  const about = join(folder, 'about.json');
  if (existsSync(about))
    return { ...JSON.parse(await readFile(about, 'utf8')), form: FORM, folder };
  const unfinished = `${folder}.part`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  await writeBundle(unfinished, streamBooks(plan, { seed: SEED, until }));
  const counted = {
    lines: await countLines(join(unfinished, 'ledger.jsonl')),
    operations: await countLines(join(unfinished, 'operations.jsonl')),
    notifications: await countLines(join(unfinished, 'events.jsonl')),
    asOf: Math.max(until, OPENS + DAYS * DAY) + 30 * DAY,
  };
  await writeFile(join(unfinished, 'about.json'), JSON.stringify(counted));
  await rename(unfinished, folder);
  return { ...counted, form: FORM, folder };
}

/**
 * Returns what comes after the books that `booksOf` wrote with `lines`: `count` pieces of news of
 * about `wanted` lines each, one after the other.
 */
export async function newsOf(
  cache: string,
  lines: number,
  asked: { readonly wanted: number; readonly count: number },
): Promise<readonly News[]> {
  const { wanted, count } = asked;
  const file = join(cache, `news-${FORM}-${lines}-${wanted}-${count}.json`);
  if (existsSync(file)) return JSON.parse(await readFile(file, 'utf8')) as readonly News[];
  const simulation = openSimulation(planOf(lines), SEED);
  for (let day = 1; day <= DAYS; day += 1) {
    advance(simulation, OPENS + day * DAY);
    takeSettled(simulation, 'settled');
  }
  const stretch = Math.round(((DAYS * DAY) / lines) * wanted);
  const news = Array.from({ length: count }, () => takeNews(simulation, stretch));
  await writeFile(file, JSON.stringify(news));
  return news;
}

/** Lets `stretch` milliseconds pass, and returns what happened in them. */
function takeNews(simulation: Simulation, stretch: number): News {
  const before = simulation.now;
  advance(simulation, before + stretch);
  const { entries, operations, wallet } = booksAt(simulation);
  const moved = operations.filter((operation) => Date.parse(operation.updatedAt) > before);
  takeSettled(simulation, 'settled');
  return { entries, operations: moved, wallet };
}

/** Yields the rows of a file of the books, in order. */
export async function* rowsOf<Row>(path: string): AsyncGenerator<Row> {
  await using file = await open(path);
  for await (const line of file.readLines()) yield JSON.parse(line) as Row;
}

async function countLines(path: string): Promise<number> {
  await using file = await open(path);
  let count = 0;
  for await (const piece of file.createReadStream({ autoClose: false })) {
    for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) count += 1;
  }
  return count;
}
