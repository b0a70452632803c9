// `npm run disturb`: disturbs nights from a seed, prints what it did, and fails when a disturbed
// night left anything else than an undisturbed one. The same seed makes the same disturbances, but
// the machine decides what a process is doing when it is killed.

import { parseArgs } from 'node:util';
import {
  type Disturbed,
  disturb,
  PART_NAMES,
  type PartName,
} from '../test/support/disturbed/disturb.ts';
import { ownPrograms } from '../test/support/own-postgres.ts';

const HELP = `Usage: npm run disturb -- [options] [part...]

Parts (all, unless some are named): ${PART_NAMES.join(', ')}

Options:
  --seed TEXT   decides what is done, and when (default: the time)
  --kills N     kills of workers and of PostgreSQL (default 10)
  --faults N    queries, writes, commits and fetches that fail, of each (default 10; a large N: every one)
  --help        this text
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: `${Date.now()}` },
    kills: { type: 'string', default: '10' },
    faults: { type: 'string', default: '10' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(HELP);
else process.exitCode = await disturbFrom(values.seed, positionals);

async function disturbFrom(seed: string, names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => !PART_NAMES.includes(name as PartName));
  if (unknown.length > 0) {
    process.stderr.write(`${unknown.join(', ')}: no such part\n${HELP}`);
    return 2;
  }
  const programs = ownPrograms();
  if (programs === null) {
    process.stderr.write(
      'It needs PostgreSQL with pg_dump from packages of Debian (/usr/lib/postgresql).\n',
    );
    return 2;
  }
  const parts = names.length === 0 ? PART_NAMES : (names as readonly PartName[]);
  const words = ['--seed', seed, '--kills', values.kills, '--faults', values.faults, ...names].join(
    ' ',
  );
  process.stdout.write(`npm run disturb -- ${words}\n`);
  const failed: Disturbed[] = [];
  const note = (line: string) => void process.stdout.write(`${line}\n`);
  const task = {
    programs,
    seed,
    parts,
    kills: Number(values.kills),
    faults: Number(values.faults),
  };
  let [count, began] = [0, performance.now()];
  for await (const one of disturb(task)) {
    count += 1;
    const seconds = Math.round((performance.now() - began) / 1_000);
    began = performance.now();
    note(`${one.wrong.length === 0 ? 'same ' : 'WRONG'} ${one.part} (${seconds} s): ${one.what}`);
    for (const wrong of one.wrong) note(`      ${wrong}`);
    if (one.wrong.length > 0) failed.push(one);
  }
  note(`${count} disturbances, ${failed.length} left something else (seed ${seed})`);
  return failed.length > 0 || count === 0 ? 1 : 0;
}
