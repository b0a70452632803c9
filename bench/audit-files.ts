// Part a: `pointage audit --source file:` as a person runs it, against ledger-cli and hledger on the same lines. They check
// one balance assertion a line; pointage also replays reserved amounts, and judges every operation where there are any:
// once with what the others are given, lines alone, and once with the whole books.

import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatInstant } from '../src/domain/instant.ts';
import { booksOf, type MeasuredBooks } from './books.ts';
import { findProgram, type Program, runProgram } from './child.ts';
import { CLI } from './cli.ts';
import { type Figure, figureOf, ratioOf, type Sample } from './figures.ts';
import { journalOf } from './journal.ts';
import { type Contender, runRounds } from './rounds.ts';
import type { Part, Settings } from './settings.ts';

/** hledger takes a minute and a half for a million lines. */
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

async function run(settings: Settings): Promise<readonly Figure[]> {
  const books = await booksOf(settings.cache, settings.lines);
  const ours: Contender = { name: 'pointage audit --source file:', run: () => auditOf(books) };
  const alone: Contender = { name: 'the same of the lines alone', run: () => auditOfLines(books) };
  const rivals = await rivalsFor(books, settings);
  // Once without counting, so that nobody pays for reading the files off the disk.
  await ours.run();
  const samples = await runRounds([ours, alone, ...rivals], settings.rounds, settings.note);
  const mine = samples.get(ours)!;
  const against = (rival: Rival, runs: readonly Sample[]) =>
    ratioOf(
      rival.tool,
      runs.map((sample, i) => ({
        ours: books.lines / sample.seconds,
        theirs: rival.lines / samples.get(rival)![i]!.seconds,
      })),
    );
  const figures = rivals.map((rival) => ({ rival, theirs: samples.get(rival)!, ratio: against(rival, mine) }));
  const ledger = rivals.find((rival) => rival.tool === 'ledger-cli');
  const figureOfOurs = (contender: Contender): Figure => {
    const runs = samples.get(contender)!;
    const named = { part: 'a', name: contender.name, lines: books.lines };
    const compared = ledger === undefined ? { note: 'ledger-cli is not installed' } : { ratio: against(ledger, runs) };
    return figureOf({ ...named, ...compared }, runs);
  };
  return [
    figureOfOurs(ours),
    figureOfOurs(alone),
    ...figures.map(({ rival, theirs, ratio }) =>
      figureOf(
        { part: 'a', name: rival.name, lines: rival.lines, note: `pointage is ${ratio.median.toFixed(1)} × as fast` },
        theirs,
      ),
    ),
  ];
}

async function auditOf(books: MeasuredBooks): Promise<Sample> {
  const words = ['audit', '--source', `file:${books.folder}`, '--as-of', formatInstant(books.asOf), '--format', 'json'];
  const ran = await runProgram({ command: CLI, words });
  requireClean(ran.output, books.lines);
  return ran;
}

/** What ledger-cli is given: the same lines, and nothing of the operations behind them. */
async function auditOfLines(books: MeasuredBooks): Promise<Sample> {
  const folder = join(books.folder, 'lines-alone');
  mkdirSync(folder, { recursive: true });
  for (const name of ['merchant.json', 'wallet.json', 'ledger.jsonl']) {
    if (!existsSync(join(folder, name))) symlinkSync(join('..', name), join(folder, name));
  }
  const words = ['audit', '--source', `file:${folder}`, '--as-of', formatInstant(books.asOf), '--format', 'json'];
  // Incomplete, for the operations are missing.
  const ran = await runProgram({ command: CLI, words, lawful: [2] });
  const { totals } = JSON.parse(ran.output) as { totals: { entries: number; findings: number } };
  if (totals.entries !== books.lines || totals.findings > 0) {
    throw new Error(`the audit of sound lines finds something, or is not whole: ${JSON.stringify(totals)}`);
  }
  return ran;
}

/** A quick wrong answer is no benchmark: the report must be clean and have seen every line. */
export function requireClean(report: string, lines: number): void {
  const { totals } = JSON.parse(report) as { totals: { clean: number; entries: number } };
  if (totals.clean !== 1 || totals.entries !== lines) {
    throw new Error(`the audit of sound books is not clean, or not whole: ${JSON.stringify(totals)}`);
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
    rivals.push({ tool, lines: journal.lines, name: [program, ...words].join(' '), run: () => runProgram(asked) });
  }
  return rivals;
}

/** A program that does not refuse a journal with one wrong balance would be measured at nothing. */
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
