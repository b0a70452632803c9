// A process of its own for part b: address of a mirror, number of rounds, instant of judgement and
// number of lines in; samples as JSON out. Bare COPY and audit take turns, so that both meet the
// same machine.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type pg from 'pg';
import { to } from 'pg-copy-streams';
import { selectList } from '../src/core/bytes/copy-binary/copy-rows.ts';
import { OPERATION_TABLE } from '../src/core/domain/rows/operation-fields.ts';
import { AUDITED_ENTRY } from '../src/io/storage/mirror/copy/rows.ts';
import { judgingOf } from '../src/service/compose/open-configured.ts';
import { ENGINE } from '../src/service/engine.ts';
import { replayMirror } from '../src/service/workflows/mirror/replay-mirror.ts';
import { MERCHANT } from './books.ts';
import { withClient, withStore } from './databases.ts';
import type { Sample } from './figures.ts';
import { CONFIGURATION } from './mirrors.ts';

export interface MirrorSamples {
  /** COPY of both tables at once, on two connections, as an audit reads them. */
  readonly bare: readonly Sample[];
  /** COPY of one table after the other, on one connection. */
  readonly inTurn: readonly Sample[];
  /** COPY by psql, its output thrown away; empty where there is no psql. */
  readonly psql: readonly Sample[];
  readonly ordered: readonly Sample[];
  readonly audit: readonly Sample[];
}

/** Queries of the columns that an audit reads, in no order. */
const ENTRIES = `select ${AUDITED_ENTRY} from entries where merchant_id = 1`;
const OPERATIONS = `select ${selectList(OPERATION_TABLE, { alias: 'v' })}, false from operation_versions v where v.merchant_id = 1`;
/** The same queries, in the order in which an audit reads the rows. */
const ORDERED_ENTRIES = `${ENTRIES} order by merchant_id, sequence, variant`;
const ORDERED_OPERATIONS = `${OPERATIONS} order by v.merchant_id, v.created_at, v.reference, v.version`;
/** The settings with which the replay asks for its streams. */
const STREAMING = 'set max_parallel_workers_per_gather = 0; set enable_sort = off; set jit = off';

const [url = '', rounds = '1', asOf = '0', lines = '0'] = process.argv.slice(2);

async function timed(work: () => Promise<void>): Promise<Sample> {
  globalThis.gc?.();
  const cpu = process.cpuUsage();
  const started = performance.now();
  await work();
  const seconds = (performance.now() - started) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  return { seconds, cpuSeconds: (user + system) / 1e6, peakMegabytes: null };
}

async function drain(...queries: readonly string[]): Promise<void> {
  await withClient(url, async (client: pg.Client) => {
    await client.query(STREAMING);
    for (const sql of queries) {
      let bytes = 0;
      for await (const piece of client.query(to(`copy (${sql}) to stdout`)))
        bytes += (piece as Buffer).length;
      if (bytes === 0) throw new Error('the mirror is empty');
    }
  });
}

async function drainBoth(entries: string, operations: string): Promise<void> {
  await Promise.all([drain(entries), drain(operations)]);
}

/** Runs the queries by psql. Returns `false` where there is no psql. */
async function drainByPsql(...queries: readonly string[]): Promise<boolean> {
  const words = [
    '--no-psqlrc',
    '--quiet',
    ...queries.flatMap((sql) => ['-c', `copy (${sql}) to stdout`]),
  ];
  const child = spawn('psql', [...words, url], { stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`psql ended with ${code}`);
    return true;
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw failure;
  }
}

async function audit(): Promise<void> {
  await withStore(url, async (store) => {
    const options = judgingOf(CONFIGURATION, MERCHANT, { asOf: Number(asOf), stateless: false });
    const { report } = await replayMirror({
      store,
      merchant: MERCHANT,
      engine: ENGINE,
      options: { ...options, onProgress: () => {} },
      snapshot: null,
      full: true,
    });
    if (report.verdict !== 'clean' || report.entries !== Number(lines)) {
      throw new Error(
        `the audit of a sound mirror is ${report.verdict} after ${report.entries} lines`,
      );
    }
  });
}

const none = (): Sample[] => [];
const samples = { bare: none(), inTurn: none(), psql: none(), ordered: none(), audit: none() };
await drainBoth(ENTRIES, OPERATIONS);
const hasPsql = await drainByPsql('select 1');
for (let round = 0; round < Number(rounds); round += 1) {
  samples.bare.push(await timed(() => drainBoth(ENTRIES, OPERATIONS)));
  samples.audit.push(await timed(audit));
  samples.inTurn.push(await timed(() => drain(ENTRIES, OPERATIONS)));
  if (hasPsql)
    samples.psql.push(await timed(async () => void (await drainByPsql(ENTRIES, OPERATIONS))));
  samples.ordered.push(await timed(() => drainBoth(ORDERED_ENTRIES, ORDERED_OPERATIONS)));
}
process.stdout.write(JSON.stringify(samples satisfies MirrorSamples));
