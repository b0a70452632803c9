// Part a: `pointage audit --source file:` as a person runs it, against ledger-cli and hledger on
// the same lines. They check one balance assertion a line; pointage also replays reserved amounts,
// and judges every operation and notification where there are any. It is measured three times: with
// lines alone, which the others are given too; with the operations; and with the whole books.

import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatInstant } from '../src/core/domain/instant.ts';
import { booksOf, type MeasuredBooks } from './books.ts';
import { findProgram, type Program, runProgram } from './child.ts';
import { CLI } from './cli.ts';
import { type Figure, figureOf, ratioOf, type Sample } from './figures.ts';
import { journalOf } from './journal.ts';
import { type Contender, runRounds } from './rounds.ts';
import type { Part, Settings } from './settings.ts';
import { grouped } from './table.ts';

/** hledger is given no more lines, because it takes a minute and a half for a million. */
const LINES_FOR_HLEDGER = 100_000;

export const auditFiles: Part = {
  letter: 'a',
  name: 'files',
  says: 'audit of files against ledger-cli and hledger',
  run,
};

interface Rival extends Contender {
  readonly tool: string;
  readonly lines: number;
}

/** The books, or a part of them. */
interface Given {
  readonly name: string;
  readonly files: readonly string[];
  readonly counts: (books: MeasuredBooks) => readonly string[];
  /** `false` where the operations are left out, because then no verdict is clean. */
  readonly isWhole: boolean;
}

const LINES: readonly string[] = ['merchant.json', 'wallet.json', 'ledger.jsonl'];
const countLines = ({ lines }: MeasuredBooks): string => `${grouped(lines)} lines`;
const countOperations = ({ operations }: MeasuredBooks): string =>
  `${grouped(operations)} operations`;
const countNotifications = ({ notifications }: MeasuredBooks): string =>
  `${grouped(notifications)} notifications`;

export const WHOLE: Given = {
  name: 'pointage audit, the whole books',
  files: [...LINES, 'operations.jsonl', 'events.jsonl'],
  counts: (books) => [countLines(books), countOperations(books), countNotifications(books)],
  isWhole: true,
};

export const WITHOUT_NOTIFICATIONS: Given = {
  name: 'the same without notifications',
  files: [...LINES, 'operations.jsonl'],
  counts: (books) => [countLines(books), countOperations(books)],
  isWhole: true,
};

const GIVEN: readonly Given[] = [
  WHOLE,
  WITHOUT_NOTIFICATIONS,
  {
    name: 'the same of the lines alone',
    files: LINES,
    counts: (books) => [countLines(books)],
    isWhole: false,
  },
];

async function run(settings: Settings): Promise<readonly Figure[]> {
  const books = await booksOf(settings.cache, settings.lines);
  const ours = GIVEN.map((given) => ({
    given,
    name: given.name,
    run: () => auditOf(books, given),
  }));
  const rivals = await rivalsFor(books, settings);
  // A first run is not counted, so that no round pays for reading the files off the disk.
  await ours[0]!.run();
  const samples = await runRounds<Contender>([...ours, ...rivals], settings.rounds, settings.note);
  const against = (rival: Rival, runs: readonly Sample[]) =>
    ratioOf(
      rival.tool,
      runs.map((sample, i) => ({
        ours: books.lines / sample.seconds,
        theirs: rival.lines / samples.get(rival)![i]!.seconds,
      })),
    );
  const ledger = rivals.find((rival) => rival.tool === 'ledger-cli');
  const note = (given: Given): string => {
    const made = `${given.counts(books).join(', ')}, ${grouped(sizeOf(books, given) / 1e6)} MB`;
    return ledger === undefined ? `${made}; ledger-cli is not installed` : made;
  };
  return [
    ...ours.map((contender) => {
      const runs = samples.get(contender)!;
      const named = {
        part: 'a',
        name: contender.name,
        lines: books.lines,
        note: note(contender.given),
      };
      return figureOf(
        ledger === undefined ? named : { ...named, ratio: against(ledger, runs) },
        runs,
      );
    }),
    ...rivals.map((rival) => {
      const ratio = against(rival, samples.get(ours[0]!)!);
      const said = `pointage with the whole books is ${ratio.median.toFixed(1)} × as fast`;
      return figureOf(
        { part: 'a', name: rival.name, lines: rival.lines, note: said },
        samples.get(rival)!,
      );
    }),
  ];
}

export async function auditOf(books: MeasuredBooks, given: Given): Promise<Sample> {
  const folder = folderOf(books, given);
  const words = [
    'audit',
    '--source',
    `file:${folder}`,
    '--as-of',
    formatInstant(books.asOf),
    '--format',
    'json',
  ];
  const ran = await runProgram({ command: CLI, words, lawful: [given.isWhole ? 0 : 2] });
  if (given.isWhole) requireClean(ran.output, books.lines);
  else requireNoFinding(ran.output, books.lines);
  return ran;
}

/** Returns a folder with just these files of the books, as links. */
function folderOf(books: MeasuredBooks, { name, files }: Given): string {
  const folder = join(books.folder, name.replaceAll(/[^a-z]+/g, '-'));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const file of files) symlinkSync(join('..', file), join(folder, file));
  return folder;
}

function sizeOf(books: MeasuredBooks, { files }: Given): number {
  return files.reduce((sum, file) => sum + statSync(join(books.folder, file)).size, 0);
}

/**
 * Throws unless the audit has read all lines and found nothing. Its verdict may be incomplete,
 * because the operations are missing.
 */
function requireNoFinding(report: string, lines: number): void {
  const { totals } = JSON.parse(report) as { totals: { entries: number; findings: number } };
  if (totals.entries === lines && totals.findings === 0) return;
  throw new Error(
    `the audit of sound lines finds something, or is not whole: ${JSON.stringify(totals)}`,
  );
}

/**
 * Throws unless the report is clean and has seen every line, because a quick wrong answer is no
 * benchmark.
 */
export function requireClean(report: string, lines: number): void {
  const { totals } = JSON.parse(report) as { totals: { clean: number; entries: number } };
  if (totals.clean !== 1 || totals.entries !== lines) {
    throw new Error(
      `the audit of sound books is not clean, or not whole: ${JSON.stringify(totals)}`,
    );
  }
}

async function rivalsFor(books: MeasuredBooks, { note }: Settings): Promise<readonly Rival[]> {
  const tools = [
    { tool: 'ledger-cli', program: 'ledger', words: ['bal', 'wallet'], most: books.lines },
    { tool: 'hledger', program: 'hledger', words: ['check'], most: LINES_FOR_HLEDGER },
  ];
  const rivals: Rival[] = [];
  for (const { tool, program, words, most } of tools) {
    const command = findProgram(program);
    if (command === null) {
      note(`  ${tool} is not installed: skipped\n`);
      continue;
    }
    const journal = await journalOf(books, most);
    const asked: Program = { command, words: ['-f', journal.path, ...words] };
    await requireRefusal(asked);
    rivals.push({
      tool,
      lines: journal.lines,
      name: [program, ...words].join(' '),
      run: () => runProgram(asked),
    });
  }
  return rivals;
}

/**
 * Throws unless the program refuses a journal with one wrong balance, because a program that checks
 * nothing would be quick for nothing.
 */
async function requireRefusal({ command, words }: Program): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pointage-bench-journal-'));
  const wrong = join(folder, 'wrong.ledger');
  writeFileSync(wrong, '2025-01-01 1\n  wallet  100 XOF = 101 XOF\n  other\n\n');
  try {
    await runProgram({ command, words: ['-f', wrong, ...words.slice(2)], lawful: [1] });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
