// Part e: a month's statement as PDF, workbook and CSV, at three lengths, against the plainest of
// them: CSV of the same statement in the same run.

import { join } from 'node:path';
import { runProgram } from './child.ts';
import { NODE_FLAGS } from './cli.ts';
import { type Figure, figureOf, ratioOf, type Sample } from './figures.ts';
import { type Contender, runRounds } from './rounds.ts';
import type { Part, Settings } from './settings.ts';

export const formats: Part = {
  letter: 'e',
  name: 'formats',
  says: 'statements as PDF, XLSX and CSV; with --large also two hundred thousand lines',
  run,
};

const FORMATS = ['csv', 'pdf', 'xlsx'] as const;

interface Writer extends Contender {
  readonly format: (typeof FORMATS)[number];
}

async function run(settings: Settings): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const lines of [1_000, 20_000, ...(settings.large ? [200_000] : [])]) {
    figures.push(...(await measure(settings, lines)));
  }
  return figures;
}

async function measure(settings: Settings, lines: number): Promise<readonly Figure[]> {
  const writers = FORMATS.map((format): Writer => {
    return { format, name: `${format} of ${lines} lines`, run: () => write(format, lines) };
  });
  const samples = await runRounds(writers, settings.rounds, settings.note);
  const plainest = samples.get(writers[0]!)!;
  return writers.map((writer) => {
    const mine = samples.get(writer)!;
    const pairs = mine.map((sample, i) => ({ ours: sample.seconds, theirs: plainest[i]!.seconds }));
    const ratio = writer.format === 'csv' ? null : ratioOf('the time of CSV', pairs);
    return figureOf({ part: 'e', name: `statement as ${writer.format}`, lines, ratio }, mine);
  });
}

/**
 * Writes a statement in a process of its own. The time is that of writing alone; processor time and
 * memory are those of the whole process.
 */
async function write(format: string, lines: number): Promise<Sample> {
  const script = join(import.meta.dirname, 'format-process.ts');
  const ran = await runProgram({
    command: process.execPath,
    words: [...NODE_FLAGS, script, format, String(lines)],
  });
  const { seconds } = JSON.parse(ran.output) as { seconds: number };
  return { ...ran, seconds };
}
