// Part k: a quiet night of as many merchants as are asked for, without a first night of them all. A
// few are really pulled and read. What the mirror keeps of these is then copied to all others,
// whose rows in the operator's tables are copies too. Rows of the copies that a quiet night does
// not look at (lines, operations) are left out.

import { join } from 'node:path';
import type pg from 'pg';
import type { Marks, Source } from '../src/io/sources/port/source.ts';
import { openPostgresSource } from '../src/io/sources/postgres/open-postgres-source.ts';
import { POSTGRES_DEFAULTS } from '../src/io/sources/postgres/postgres-settings.ts';
import { type Checkpoint, sealOf, withSeal } from '../src/io/storage/conclusions/checkpoint.ts';
import { runProgram } from './child.ts';
import { NODE_FLAGS } from './cli.ts';
import { type BenchServer, openBenchServer, withClient, withStore } from './databases.ts';
import type { Figure } from './figures.ts';
import { measureWorkers } from './night.ts';
import type { NightTask } from './night-process.ts';
import { issueMonths, type WorkedTask, workNight } from './night-workers.ts';
import type { Part, Settings } from './settings.ts';
import { smallMerchant, smallOperatorOf } from './small-books.ts';

export const quietNight: Part = {
  letter: 'k',
  name: 'quiet',
  says: 'a quiet night by sets over many small merchants, most of them copies',
  run,
};

/**
 * Merchants that are really pulled. It must be a multiple of the number of templates, so that each
 * copy has the books of the merchant that it copies.
 */
const PULLED = 400;
const COPIES_A_CHUNK = 1_000;
const [OPERATOR, MIRROR, FEW] = ['quiet_operator', 'quiet_mirror', 'quiet_few'] as const;

async function run(settings: Settings): Promise<readonly Figure[]> {
  const server = await openBenchServer(settings.cache);
  const drop = async (): Promise<void> => {
    for (const name of [OPERATOR, MIRROR, FEW]) await server.drop(name);
  };
  try {
    await drop();
    await server.create(OPERATOR, await smallOperatorOf(server, settings.merchants));
    await server.create(MIRROR);
    const task = { mirror: server.urlOf(MIRROR), source: server.urlOf(OPERATOR) };
    await pullSome(server, settings);
    await copyQuiet(task, settings);
    const figures: Figure[] = [];
    for (const which of ['', ' again']) {
      figures.push(
        await measureWorkers(settings, {
          task,
          name: `nothing new, by sets${which}`,
          expected: 0,
          part: 'k',
        }),
      );
    }
    return figures;
  } finally {
    await drop();
    await server.close();
  }
}

/**
 * Works nights over the first merchants alone. The last of these nights has nothing new, and keeps
 * what the next one relies on.
 */
async function pullSome(server: BenchServer, { merchants }: Settings): Promise<void> {
  const few = await smallOperatorOf(server, Math.min(merchants, PULLED));
  await server.create(FEW, few);
  const task = { mirror: server.urlOf(MIRROR), source: server.urlOf(FEW) };
  await withStore(task.mirror, async () => {});
  const script = join(import.meta.dirname, 'night-process.ts');
  const words = [
    ...NODE_FLAGS,
    '--expose-gc',
    script,
    JSON.stringify({ ...task, concurrency: 4 } satisfies NightTask),
  ];
  await runProgram({ command: process.execPath, words });
  await withClient(task.mirror, issueMonths);
  await workNight(task);
}

interface Pulled extends Omit<Checkpoint, 'state' | 'quiet'> {
  readonly merchantId: number;
  readonly quiet: string;
  readonly state: string;
  readonly stateDigest: string;
}

/**
 * Gives each merchant of the operator's tables that has no checkpoint the checkpoint of the
 * merchant that it copies.
 */
async function copyQuiet(task: WorkedTask, { merchants, note }: Settings): Promise<void> {
  const source = openPostgresSource({ connectionString: task.source, ...POSTGRES_DEFAULTS });
  try {
    await withClient(task.mirror, async (client) => {
      const { rows: pulled } = await client.query<Pulled>(
        `select merchant_id::int as "merchantId", last_sequence::int as "lastSequence", last_intake::int as "lastIntake",
          engine, substr(quiet, 65) as quiet, state, encode(sha256(convert_to(state, 'UTF8')), 'hex') as "stateDigest"
        from merchants join checkpoints using (merchant_id) where quiet is not null order by reference`,
      );
      if (pulled.length !== Math.min(merchants, PULLED))
        throw new Error(`only ${pulled.length} merchants were quiet`);
      for (let done = pulled.length; done < merchants; done += COPIES_A_CHUNK) {
        const numbers = Array.from(
          { length: Math.min(COPIES_A_CHUNK, merchants - done) },
          (_, i) => done + i + 1,
        );
        const like = numbers.map((number) => pulled[(number - 1) % pulled.length]!);
        await copyChunk(client, { source, names: numbers.map(smallMerchant), like });
      }
      note(`  ${merchants - pulled.length} of ${merchants} merchants are copies\n`);
      await issueMonths(client);
      await client.query('vacuum (analyze)');
    });
  } finally {
    await source.close();
  }
}

async function copyChunk(
  client: pg.Client,
  chunk: {
    readonly source: Source;
    readonly names: readonly string[];
    readonly like: readonly Pulled[];
  },
): Promise<void> {
  const { source, names, like } = chunk;
  const left = like.map(
    ({ quiet }) => JSON.parse(quiet) as { lease: object; extent: Marks; report: object },
  );
  const books = await Promise.all(
    names.map((name, i) => source.digestTogether!(name, left[i]!.extent)),
  );
  const { rows } = await client.query<{ reference: string; id: number }>(
    'insert into merchants (reference) select unnest($1::text[]) returning reference, merchant_id::int as id',
    [names],
  );
  const ids = new Map(rows.map(({ reference, id }) => [reference, id]));
  const copies = names.map((merchant, i) => {
    const [copied, kept, id] = [like[i]!, left[i]!, ids.get(merchant)!];
    const { at: watermark } = books[i]!;
    const lease = { ...kept.lease, merchant, merchantId: id };
    const quiet = JSON.stringify({
      ...kept,
      lease,
      books: books[i],
      watermark,
      report: { ...kept.report, merchant },
    });
    const { lastSequence, lastIntake, engine, state, stateDigest } = copied;
    const row = { lastSequence, lastIntake, engine, state, quiet };
    return {
      id,
      like: copied.merchantId,
      digest: sealOf(id, row),
      quiet: withSeal(id, row, stateDigest),
    };
  });
  const given = [JSON.stringify(copies)];
  const from =
    'from jsonb_to_recordset($1::jsonb) as new (id bigint, "like" bigint, digest text, quiet text)';
  await client.query(
    `insert into merchant_heads select (jsonb_populate_record(h, jsonb_build_object('merchant_id', new.id))).*
    ${from} join merchant_heads h on h.merchant_id = new.like`,
    given,
  );
  await client.query(
    `insert into checkpoints select (jsonb_populate_record(c, jsonb_build_object('merchant_id', new.id,
      'digest', new.digest, 'quiet', new.quiet))).*
    ${from} join checkpoints c on c.merchant_id = new.like`,
    given,
  );
}
