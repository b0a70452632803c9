// `npm run bench`: measures the engine against other programs and against bare work, prints a
// table, and keeps books, journals and databases for the next time. Not part of the tests: how fast
// a machine is proves nothing right or wrong.

import { writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { auditDuckdb } from './audit-duckdb.ts';
import { auditFiles } from './audit-files.ts';
import { auditMirror } from './audit-mirror.ts';
import type { Figure } from './figures.ts';
import { formats } from './formats.ts';
import { month } from './month.ts';
import { monthEnd } from './month-end.ts';
import { night } from './night.ts';
import { pullPostgres } from './pull-postgres.ts';
import { quietNight } from './quiet-night.ts';
import { secondRun } from './second-run.ts';
import type { Part, Settings } from './settings.ts';
import { start } from './start.ts';
import { straddlingMonth } from './straddling-month.ts';
import { tableOf } from './table.ts';

const PARTS: readonly Part[] = [
  auditFiles,
  auditMirror,
  pullPostgres,
  secondRun,
  formats,
  night,
  start,
  month,
  monthEnd,
  auditDuckdb,
  quietNight,
  straddlingMonth,
];

const HELP = `Usage: npm run bench -- [options] [part...]

Parts (all, unless some are named by letter or by name):
${PARTS.map((part) => `  ${part.letter}, ${part.name.padEnd(9)} ${part.says}`).join('\n')}

Options:
  --lines N     lines of the large books (default 1000000)
  --rounds N    turns of each contender; medians are printed (default 5)
  --merchants N merchants of a night (default 500)
  --large       also five million lines (minutes, some gigabytes of disk)
  --cache DIR   where books and databases are kept (default: pointage-bench in the temporary folder)
  --json FILE   also write the figures as JSON
  --help        this text

POINTAGE_BENCH_DATABASE_URL names a PostgreSQL to use instead of an embedded one.
`;

interface Asked extends Settings {
  readonly parts: readonly Part[];
  readonly json: string | null;
}

/** Returns what is asked for; `null`: help alone. Throws an Error that a person understands. */
function readWords(words: readonly string[]): Asked | null {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      lines: { type: 'string', default: '1000000' },
      rounds: { type: 'string', default: '5' },
      merchants: { type: 'string', default: '500' },
      large: { type: 'boolean', default: false },
      cache: { type: 'string', default: join(tmpdir(), 'pointage-bench') },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  return {
    parts: positionals.length === 0 ? PARTS : positionals.map(partNamed),
    lines: countFrom('--lines', values.lines),
    rounds: countFrom('--rounds', values.rounds),
    merchants: countFrom('--merchants', values.merchants),
    large: values.large,
    cache: values.cache,
    json: values.json ?? null,
    note: (text) => void process.stderr.write(text),
  };
}

function partNamed(word: string): Part {
  const part = PARTS.find(({ letter, name }) => word === letter || word === name);
  if (part === undefined) throw new Error(`there is no part '${word}'; --help lists them`);
  return part;
}

function countFrom(option: string, text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1)
    throw new Error(`${option} must be a whole number above 0`);
  return count;
}

async function measure(asked: Asked): Promise<void> {
  const figures: Figure[] = [];
  for (const part of asked.parts) {
    asked.note(`${part.letter}: ${part.says}\n`);
    figures.push(...(await part.run(asked)));
  }
  const machine = {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${process.arch}`,
    node: process.version,
  };
  process.stdout.write(`${Object.values(machine).join(' · ')}\n${tableOf(figures)}`);
  if (asked.json === null) return;
  const { lines, rounds, merchants, large } = asked;
  writeFileSync(
    asked.json,
    `${JSON.stringify({ machine, settings: { lines, rounds, merchants, large }, figures }, null, 2)}\n`,
  );
}

try {
  const asked = readWords(process.argv.slice(2));
  if (asked === null) process.stdout.write(HELP);
  else await measure(asked);
} catch (failure) {
  process.stderr.write(`bench: ${(failure as Error).message}\n`);
  process.exitCode = 1;
}
