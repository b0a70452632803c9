// Part l: a month's statement from the mirror where twenty thousand operations straddle the month's
// end. It is compared with the same books two days earlier, when no operation straddles the end,
// and with books that have nothing after the end. A month is judged as its books stood when it
// ended; that must not cost more than judging books does.

import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DAY,
  formatInstant,
  HOUR,
  type Instant,
  parseInstant,
} from '../src/core/domain/instant.ts';
import { directionOf } from '../src/core/domain/ledger-entry.ts';
import { isFinal } from '../src/core/domain/operation.ts';
import { movementsOf } from '../src/sandbox/faults/port/edit-books.ts';
import { notificationOf } from '../src/sandbox/model/notifications.ts';
import { type Books, ORDINARY_TRAFFIC, planMerchant, totalsOf } from '../src/sandbox/model/plan.ts';
import {
  moneyOf,
  newOperation,
  type Phase,
  postsFor,
  termsOf,
} from '../src/sandbox/model/postings.ts';
import type { ServedEntry, ServedOperation } from '../src/sandbox/model/served.ts';
import { advance, booksOf, openSimulation } from '../src/sandbox/simulation/simulate.ts';
import { writeBundle } from '../test/support/sandbox-bundle.ts';
import { MERCHANT, type MeasuredBooks } from './books.ts';
import { runProgram } from './child.ts';
import { CLI, NODE_FLAGS } from './cli.ts';
import { type BenchServer, openBenchServer, withStore } from './databases.ts';
import { type Figure, figureOf, ratioOf, type Sample } from './figures.ts';
import { mirrorOf } from './mirrors.ts';
import { type Contender, runRounds } from './rounds.ts';
import type { Part, Settings } from './settings.ts';

const OPEN_AT_ONCE = 20_000;
const PERIOD = '2025-03';
const END = Date.UTC(2025, 3, 1);
const READ = Date.UTC(2025, 5, 1);
const OPERATIONS_A_DAY = 1_400;
const FORM = 1;

export const straddlingMonth: Part = {
  letter: 'l',
  name: 'straddling',
  says: `a month whose end ${OPEN_AT_ONCE} operations straddle, against one with none`,
  run,
};

/**
 * Books to measure. At `openAt` all the cash-outs are open. `isWhole`: what happened after the
 * month's end is in the books.
 */
interface Kind {
  readonly name: string;
  readonly openAt: Instant;
  readonly isWhole: boolean;
}

const STRADDLING: Kind = { name: 'straddling', openAt: END, isWhole: true };
const QUIET: Kind = { name: 'quiet', openAt: END - 2 * DAY, isWhole: true };
const ENDED: Kind = { name: 'ended', openAt: END - 2 * DAY, isWhole: false };

async function run(settings: Settings): Promise<readonly Figure[]> {
  const server = await openBenchServer(settings.cache);
  try {
    const quiet = await contenderOf(server, settings, QUIET);
    const straddling = await contenderOf(server, settings, STRADDLING);
    const ended = await contenderOf(server, settings, ENDED);
    const samples = await runRounds([quiet, straddling, ended], settings.rounds, settings.note);
    const ratioTo = (ours: Contender, theirs: Contender, to: string) => {
      const others = samples.get(theirs)!;
      return ratioOf(
        to,
        samples
          .get(ours)!
          .map((sample, i) => ({ ours: costOf(sample), theirs: costOf(others[i]!) })),
      );
    };
    return [
      { one: ended, ratio: null },
      { one: quiet, ratio: ratioTo(quiet, ended, 'the processor time without what comes later') },
      { one: straddling, ratio: ratioTo(straddling, quiet, 'the processor time of the quiet one') },
    ].map(({ one, ratio }) =>
      figureOf({ part: 'l', name: one.name, lines: null, ratio }, samples.get(one)!),
    );
  } finally {
    await server.close();
  }
}

function costOf({ cpuSeconds, seconds }: Sample): number {
  return cpuSeconds ?? seconds;
}

async function contenderOf(
  server: BenchServer,
  { cache, note }: Settings,
  kind: Kind,
): Promise<Contender> {
  note(`  mirror of a ${kind.name} month\n`);
  const books = await writtenBooks(join(cache, `${kind.name}-month-${FORM}`), kind);
  const mirror = await mirrorOf(server, books, `mirror_${kind.name}_${FORM}`);
  await withStore(server.urlOf(mirror), async () => {});
  const copy = 'straddling_copy';
  return {
    name: `${kind.name} month, ${books.lines} lines in all`,
    async run() {
      await server.drop(copy);
      await server.create(copy, mirror);
      const sample = await stateMonth(server.urlOf(copy));
      await server.drop(copy);
      return sample;
    },
  };
}

/** Runs the whole command, in the form that costs least. */
async function stateMonth(url: string): Promise<Sample> {
  const folder = await mkdtemp(join(tmpdir(), 'pointage-bench-straddling-'));
  const words = [
    'statement',
    'make',
    MERCHANT,
    PERIOD,
    '--format',
    'csv',
    '--out',
    folder,
    '--database-url',
    url,
  ];
  try {
    return await runProgram({ command: process.execPath, words: [...NODE_FLAGS, CLI, ...words] });
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function writtenBooks(folder: string, kind: Kind): Promise<MeasuredBooks> {
  const about = join(folder, 'about.json');
  if (existsSync(about))
    return { ...JSON.parse(await readFile(about, 'utf8')), form: FORM, folder };
  const unfinished = `${folder}.part`;
  await rm(unfinished, { recursive: true, force: true });
  const books = booksWith(kind);
  await writeBundle(unfinished, books);
  const { entries, operations, notifications } = books;
  const counted = {
    lines: entries.length,
    operations: operations.length,
    notifications: notifications.length,
    asOf: READ,
  };
  await writeFile(join(unfinished, 'about.json'), JSON.stringify(counted));
  await rename(unfinished, folder);
  return { ...counted, form: FORM, folder };
}

interface Line {
  readonly entry: Omit<ServedEntry, 'sequence' | 'balanceAfter' | 'reservedAfter'>;
  readonly at: Instant;
  readonly balance: number;
  readonly reserved: number;
}

/**
 * Returns books with ordinary traffic from four weeks before `openAt` to three weeks after, none of
 * which straddles the month's end, and with the cash-outs.
 */
function booksWith({ openAt, isWhole }: Kind): Books {
  const traffic = { ...ORDINARY_TRAFFIC, operationsPerDay: OPERATIONS_A_DAY, paymentsPerDay: 0 };
  const plan = planMerchant({ reference: MERCHANT, opensAt: openAt - 28 * DAY, traffic });
  const simulation = openSimulation(plan, 'pointage-bench');
  advance(simulation, openAt + 21 * DAY);
  const books = booksOf(simulation);
  const cashouts = Array.from({ length: OPEN_AT_ONCE }, (_, i) => cashoutOf(books, openAt, i));
  const isIn = (at: string): boolean => isWhole || parseInstant(at)! < END;
  const ordinary = books.operations.filter(({ status, createdAt, updatedAt }) => {
    const straddles = parseInstant(createdAt)! < END !== parseInstant(updatedAt)! < END;
    return isIn(createdAt) && !straddles && isFinal(status);
  });
  const operations = [...ordinary, ...cashouts].sort((a, b) =>
    a.createdAt < b.createdAt ? -1 : 1,
  );
  const names = new Set(operations.map(({ reference }) => reference));
  const isKept = ({ operationReference, createdAt }: ServedEntry): boolean =>
    operationReference === null ? isIn(createdAt) : names.has(operationReference);
  const lines = [
    ...movementsOf(books).flatMap(({ entry, balance, reserved }): Line[] =>
      isKept(entry) ? [{ entry, at: parseInstant(entry.createdAt)!, balance, reserved }] : [],
    ),
    ...cashouts.flatMap((one) => linesOf(books, one)),
  ];
  const entries = inChain(lines.sort((a, b) => a.at - b.at));
  const { balanceAfter: balance, reservedAfter: reserved } = entries.at(-1)!;
  const totals = totalsOf(operations, books.policy);
  return {
    ...books,
    entries,
    operations,
    notifications: [
      ...books.notifications.filter(({ data, createdAt }) =>
        data.operation === undefined ? isIn(createdAt) : names.has(data.operation.reference),
      ),
      ...cashouts.flatMap((one) => notificationOf(MERCHANT, one) ?? []),
    ],
    wallet: { ...books.wallet, balance, reserved, available: balance - reserved, ...totals },
  };
}

/**
 * Returns a cash-out that is asked for within the five hours before `openAt`, and executed five
 * hours later.
 */
function cashoutOf(
  { merchant, policy, wallet }: Books,
  openAt: Instant,
  i: number,
): ServedOperation {
  const createdAt = openAt - Math.round(((i + 1) / OPEN_AT_ONCE) * 5 * HOUR);
  const completedAt = formatInstant(createdAt + 5 * HOUR + 1);
  const operation = newOperation({
    ...moneyOf({ type: 'CASHOUT', amount: 500 + (i % 400) }, termsOf(merchant, policy)),
    code: `STRADDLE${String(i).padStart(5, '0')}`,
    currency: wallet.currency,
    country: merchant.country,
    operator: 'WAVE',
    counterparty: { phoneNumber: '+2250700000000', name: null },
    createdAt,
  });
  return { ...operation, status: 'SUCCEEDED', updatedAt: completedAt, completedAt };
}

function linesOf({ policy, wallet }: Books, operation: ServedOperation): readonly Line[] {
  const post = (phase: Phase, createdAt: string): readonly Line[] =>
    postsFor(phase, operation, policy).map(({ kind, amount, balance, reserved }) => ({
      entry: {
        id: `${operation.reference}-${kind}`,
        direction: directionOf(kind),
        kind,
        amount,
        currency: wallet.currency,
        operationReference: operation.reference,
        description: null,
        createdAt,
      },
      at: parseInstant(createdAt)!,
      balance,
      reserved,
    }));
  return [...post('REQUEST', operation.createdAt), ...post('SUCCESS', operation.updatedAt)];
}

function inChain(lines: readonly Line[]): readonly ServedEntry[] {
  let [balanceAfter, reservedAfter] = [0, 0];
  return lines.map(({ entry, balance, reserved }, i) => {
    balanceAfter += balance;
    reservedAfter += reserved;
    return { ...entry, sequence: i + 1, balanceAfter, reservedAfter };
  });
}
