// `npm run faultbench`: makes the cases of a date, runs pointage and the baselines over them,
// prints the scores and, when asked, writes the table of the document and the cases as files.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { openBenchServer } from '../databases.ts';
import {
  type Case,
  type Claim,
  FINDING_COLUMNS,
  findingRows,
  TRUTH_COLUMNS,
  truthRows,
} from './case.ts';
import { writeCsv } from './csv.ts';
import { openNightAuditor } from './engines/pointage-nights.ts';
import { PLANTED } from './faults.ts';
import { makeCases, type Wish } from './make-cases.ts';
import { joinTallies, runEngines, type Tallies } from './run-engines.ts';
import { type RunFacts, textOf, writeDocument } from './table.ts';

const HELP = `Usage: npm run faultbench -- [options]

  --date DAY      the day that the hidden seed comes from (default: today)
  --per-fault N   cases of each single fault (default 6)
  --crowded N     cases of two faults at once, and as many of five (default 20)
  --clean N       clean ledgers (default 100)
  --per-oddity N  cases of each oddity, and of each way in which books cannot be told (default 3)
  --long N        faults among 10,000 lines, and a fifth as many among 100,000 (default 5)
  --history N     cases of each fault between two readings (default 2)
  --baselines N   cases of each that the baselines read, and ten times as many clean ledgers (default 60)
  --part I/N      only the I-th of N parts of the run, each with a seed of its own
  --json FILE     also write the counts, for --join
  --join          join the counts of the files named, instead of running
  --write         write the table of docs/FAULTBENCH.md
  --export DIR    write the cases, truth.csv and the findings of pointage
  --misses        print every case of which pointage misses or adds something
  --help          this text
`;

const OPTIONS = {
  date: { type: 'string', default: new Date().toISOString().slice(0, 10) },
  'per-fault': { type: 'string', default: '6' },
  crowded: { type: 'string', default: '20' },
  clean: { type: 'string', default: '100' },
  'per-oddity': { type: 'string', default: '3' },
  long: { type: 'string', default: '5' },
  history: { type: 'string', default: '2' },
  baselines: { type: 'string', default: '60' },
  part: { type: 'string', default: '1/1' },
  json: { type: 'string' },
  join: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
  export: { type: 'string' },
  misses: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: OPTIONS });
  if (values.help) return void process.stdout.write(HELP);
  const joined = values.join
    ? positionals.map((file) => JSON.parse(readFileSync(file, 'utf8')) as Counted)
    : null;
  const counted = joined === null ? await run(values) : joined.reduce(joinCounted);
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(counted));
  process.stdout.write(textOf(counted.tallies, counted.facts));
  if (values.write) writeDocument(counted.tallies, counted.facts);
}

interface Counted {
  readonly facts: RunFacts;
  readonly tallies: Tallies;
}

function joinCounted(one: Counted, other: Counted): Counted {
  const seconds = one.facts.seconds + other.facts.seconds;
  return { facts: { ...one.facts, seconds }, tallies: joinTallies(one.tallies, other.tallies) };
}

interface Values {
  readonly date: string;
  readonly 'per-fault': string;
  readonly crowded: string;
  readonly clean: string;
  readonly 'per-oddity': string;
  readonly long: string;
  readonly history: string;
  readonly baselines: string;
  readonly part: string;
  readonly export?: string | undefined;
  readonly misses: boolean;
}

async function run(values: Values): Promise<Counted> {
  const begun = performance.now();
  const seed = seedOf(values.date);
  const [part, parts] = values.part.split('/').map(Number) as [number, number];
  const share = (count: string): number => Math.ceil(Number(count) / parts);
  const wish: Wish = {
    seed: `${seed}/${part}`,
    perFault: share(values['per-fault']),
    crowded: share(values.crowded),
    clean: share(values.clean),
    perOddity: share(values['per-oddity']),
    long: share(values.long),
    history: share(values.history),
  };
  const server = await openBenchServer(join(tmpdir(), 'pointage-bench'));
  const database = `faultbench_${process.pid}`;
  await server.create(database);
  const client = new pg.Client({ connectionString: server.urlOf(database) });
  await client.connect();
  // Nothing in this database needs to outlive the run, so that no commit waits for the disk.
  await client.query(`do $$ begin
    execute format('alter database %I set synchronous_commit = off', current_database());
  end $$`);
  const nightAuditor = await openNightAuditor(server.urlOf(database));
  try {
    const folder = values.export;
    const exported: Exported = { truths: [], findings: [] };
    const see = (one: Case, claims: readonly Claim[]): void => {
      if (folder !== undefined) exportCase(folder, { one, claims, exported });
      if (values.misses) printMiss(one, claims);
    };
    const kinds = [...new Set(PLANTED.map(({ name }) => name.split('/')[0]!))];
    const tallies = await runEngines(makeCases(wish), {
      client,
      nightAuditor,
      kinds,
      see,
      baselines: share(values.baselines),
    });
    if (folder !== undefined) writeTruth(folder, exported);
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    const versions = {
      postgres: rows[0]!.server_version,
      ledger: versionOfLedger(),
      node: process.version,
    };
    const { version } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    );
    const seconds = (performance.now() - begun) / 1000;
    return {
      facts: { date: values.date, seed, versions: { pointage: version, ...versions }, seconds },
      tallies,
    };
  } finally {
    await client.end();
    await nightAuditor.close();
    await server.drop(database);
    await server.close();
  }
}

/**
 * Returns the seed of a date. If the date is chosen after an engine was finished, the engine cannot
 * have been fitted to the cases.
 */
function seedOf(date: string): string {
  return createHash('sha256').update(`faultbench ${date}`).digest('hex').slice(0, 12);
}

/** Returns the version of ledger-cli; `null`: it is not installed. */
function versionOfLedger(): string | null {
  const { error, stdout } = spawnSync('ledger', ['--version'], { encoding: 'utf8' });
  return error === undefined ? (/Ledger ([\d.]+)/.exec(stdout)?.[1] ?? 'unknown') : null;
}

interface Exported {
  readonly truths: ReturnType<typeof truthRows>[number][];
  readonly findings: ReturnType<typeof findingRows>[number][];
}

function exportCase(
  folder: string,
  {
    one,
    claims,
    exported,
  }: { readonly one: Case; readonly claims: readonly Claim[]; readonly exported: Exported },
): void {
  exported.truths.push(...truthRows(one));
  exported.findings.push(...findingRows(one.name, claims));
  one.nights.forEach((files, i) => {
    const night = one.nights.length === 1 ? '' : `night-${i + 1}`;
    const path = join(folder, 'cases', one.name, night);
    mkdirSync(path, { recursive: true });
    for (const [name, text] of Object.entries(files))
      if (text !== null) writeFileSync(join(path, `${name}.csv`), text);
  });
}

function writeTruth(folder: string, { truths, findings }: Exported): void {
  writeFileSync(join(folder, 'truth.csv'), writeCsv(TRUTH_COLUMNS, truths));
  writeFileSync(join(folder, 'findings.csv'), writeCsv(FINDING_COLUMNS, findings));
}

function printMiss({ name, truths, due, group }: Case, claims: readonly Claim[]): void {
  const texts = (rows: readonly { kind: string; sequence: string; reference: string }[]) =>
    rows.map(({ kind, sequence, reference }) => `${kind} ${sequence} ${reference}`).sort();
  const wanted =
    truths.length > 0 ? texts(truths) : [group === 'unresolvable' ? 'abstain  ' : 'none  '];
  const isDue =
    due === null ||
    claims.some(
      (claim) => claim.due?.balance === due.balance && claim.due.reserved === due.reserved,
    );
  const said = texts(claims);
  if (said.join() === wanted.join() && isDue) return;
  process.stdout.write(`${name}\n  is   ${wanted.join(' · ')} ${JSON.stringify(due)}\n`);
  process.stdout.write(`  said ${said.join(' · ')} ${JSON.stringify(claims[0]?.due ?? null)}\n`);
}

await main();
