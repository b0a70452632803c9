// Part a: `pointage audit --source file:` as a person runs it, against ledger-cli and hledger on the same lines. They check
// one balance assertion a line; pointage also replays reserved amounts and judges every operation.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
  const rivals = await rivalsFor(books, settings);
  // Once without counting, so that nobody pays for reading the files off the disk.
  await ours.run();
  const samples = await runRounds([ours, ...rivals], settings.rounds, settings.note);
  const mine = samples.get(ours)!;
  const figures = rivals.map((rival) => {
    const theirs = samples.get(rival)!;
    const pairs = mine.map((sample, i) => ({
      ours: books.lines / sample.seconds,
      theirs: rival.lines / theirs[i]!.seconds,
    }));
    return { rival, theirs, ratio: ratioOf(rival.tool, pairs) };
  });
  const named = { part: 'a', name: ours.name, lines: books.lines };
  const ledger = figures.find(({ rival }) => rival.tool === 'ledger-cli');
  return [
    figureOf(
      ledger === undefined ? { ...named, note: 'ledger-cli is not installed' } : { ...named, ratio: ledger.ratio },
      mine,
    ),
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
