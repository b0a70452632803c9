// Part b: a full audit from the mirror, against a bare COPY of the same columns out of the same
// tables, drained by pg-copy-streams in the same process, and by psql where there is one. The peak
// memory is that of the command line, run by itself.

import { join } from 'node:path';
import { formatInstant } from '../src/core/domain/instant.ts';
import { requireClean } from './audit-files.ts';
import type { MirrorSamples } from './audit-mirror-process.ts';
import { booksOf, type MeasuredBooks } from './books.ts';
import { runProgram } from './child.ts';
import { CLI, NODE_FLAGS } from './cli.ts';
import { type BenchServer, openBenchServer } from './databases.ts';
import { type Figure, figureOf, ratioOf } from './figures.ts';
import { mirrorOf } from './mirrors.ts';
import type { Part, Settings } from './settings.ts';

export const auditMirror: Part = {
  letter: 'b',
  name: 'mirror',
  says: 'full audit from the mirror against a bare COPY; with --large also five million lines',
  run,
};

const LARGE = 5_000_000;

async function run(settings: Settings): Promise<readonly Figure[]> {
  const server = await openBenchServer(settings.cache);
  try {
    const figures = await measure(server, settings, settings.lines);
    if (!settings.large) return figures;
    return [
      ...figures,
      ...(await measure(server, { ...settings, rounds: Math.min(settings.rounds, 2) }, LARGE)),
    ];
  } finally {
    await server.close();
  }
}

async function measure(
  server: BenchServer,
  settings: Settings,
  wanted: number,
): Promise<readonly Figure[]> {
  const books = await booksOf(settings.cache, wanted);
  settings.note(`  mirror of ${books.lines} lines\n`);
  const url = server.urlOf(await mirrorOf(server, books));
  const samples = await sampleInOneProcess(url, books, settings);
  const command = await auditByCommand(url, books);
  const { lines } = books;
  const part = 'b';
  const against = (to: string, theirs: MirrorSamples['bare']) =>
    ratioOf(
      to,
      samples.audit.map((sample, i) => ({
        ours: lines / sample.seconds,
        theirs: lines / theirs[i]!.seconds,
      })),
    );
  const { psql } = samples;
  const byPsql =
    psql.length === 0
      ? []
      : [
          figureOf(
            { part, name: 'the same', lines, ratio: against('COPY by psql', psql) },
            samples.audit,
          ),
        ];
  return [
    figureOf(
      { part, name: 'replayMirror, full', lines, ratio: against('bare COPY', samples.bare) },
      samples.audit,
    ),
    figureOf(
      { part, name: 'the same', lines, ratio: against('COPY, one by one', samples.inTurn) },
      samples.audit,
    ),
    ...byPsql,
    figureOf({ part, name: 'bare COPY, two streams', lines }, samples.bare),
    figureOf({ part, name: 'bare COPY, one table after the other', lines }, samples.inTurn),
    figureOf({ part, name: 'COPY in the order of the replay', lines }, samples.ordered),
    figureOf({ part, name: 'pointage audit, from the mirror', lines, note: 'the whole command' }, [
      command,
    ]),
  ];
}

async function sampleInOneProcess(
  url: string,
  books: MeasuredBooks,
  settings: Settings,
): Promise<MirrorSamples> {
  const script = join(import.meta.dirname, 'audit-mirror-process.ts');
  const words = [
    ...NODE_FLAGS,
    '--expose-gc',
    script,
    url,
    String(settings.rounds),
    String(books.asOf),
    String(books.lines),
  ];
  const ran = await runProgram({ command: process.execPath, words });
  return JSON.parse(ran.output) as MirrorSamples;
}

async function auditByCommand(url: string, books: MeasuredBooks) {
  const words = [
    'audit',
    '--database-url',
    url,
    '--as-of',
    formatInstant(books.asOf),
    '--format',
    'json',
  ];
  const ran = await runProgram({ command: CLI, words });
  requireClean(ran.output, books.lines);
  return ran;
}
