// A process of its own for part f: one night over small merchants, several at once, with what it
// cost: time, processor time, memory, connections and statements. The task comes as JSON in; the
// sample as JSON out.

import pg from 'pg';
import { openFileSource } from '../src/io/sources/file/open-file-source.ts';
import { openPostgresSource } from '../src/io/sources/postgres/open-postgres-source.ts';
import { POSTGRES_DEFAULTS } from '../src/io/sources/postgres/postgres-settings.ts';
import { judgingOf } from '../src/service/compose/open-configured.ts';
import { ENGINE } from '../src/service/engine.ts';
import { runMerchants } from '../src/service/workflows/nightly/run-merchants.ts';
import { withStore } from './databases.ts';
import { CONFIGURATION } from './mirrors.ts';
import { SMALL_BOOKS_AS_OF } from './small-books.ts';

export interface NightTask {
  readonly mirror: string;
  /** Where the books are: `postgres://…`, or a folder. */
  readonly source: string;
  readonly concurrency: number;
}

export interface NightSample {
  readonly merchants: number;
  readonly clean: number;
  readonly entriesAdded: number;
  readonly seconds: number;
  /** Processor time of this process, from the first merchant to the last. */
  readonly cpuSeconds: number;
  readonly connections: number;
  readonly statements: number;
  /** Resident memory after a tenth of the merchants, and at the end, each after a collection. */
  readonly megabytes: readonly [number, number];
  readonly notClean: readonly string[];
}

const counts = { connections: 0, statements: 0 };
countCalls();

const task = JSON.parse(process.argv[2] ?? '{}') as NightTask;
process.stdout.write(JSON.stringify(await runNight(task)));

/** Counts the connections and statements of this process, whichever PostgreSQL they go to. */
function countCalls(): void {
  const client = pg.Client.prototype as unknown as Record<
    'connect' | 'query',
    (...words: unknown[]) => unknown
  >;
  const { connect, query } = client;
  client.connect = function (...words) {
    counts.connections += 1;
    return connect.apply(this, words);
  };
  client.query = function (...words) {
    counts.statements += 1;
    return query.apply(this, words);
  };
}

async function runNight({ mirror, source: address, concurrency }: NightTask): Promise<NightSample> {
  const isFolder = !address.startsWith('postgres:');
  const source = isFolder
    ? openFileSource(address)
    : openPostgresSource({ connectionString: address, ...POSTGRES_DEFAULTS });
  const clock = isFolder ? () => SMALL_BOOKS_AS_OF : Date.now;
  try {
    return await withStore(mirror, async (store) => {
      const names = await source.merchants();
      const found: NightFound = { done: 0, clean: 0, entriesAdded: 0, notClean: [] };
      const megabytes: number[] = [];
      const before = { ...counts };
      const cpu = process.cpuUsage();
      const started = performance.now();
      const work = async (worker: number): Promise<void> => {
        const outcome = await runMerchants({
          store,
          source,
          engine: ENGINE,
          clock,
          merchants: names.filter((_, i) => i % concurrency === worker),
          optionsFor: (merchant, asOf) =>
            judgingOf(CONFIGURATION, merchant, { asOf, stateless: source.isStateless(merchant) }),
          onMerchant: () => {
            found.done += 1;
            if (found.done === Math.ceil(names.length / 10)) megabytes.push(residentMegabytes());
            return () => {};
          },
        });
        for (const one of outcome.merchants) note(found, one);
      };
      await Promise.all(Array.from({ length: concurrency }, (_, worker) => work(worker)));
      const seconds = (performance.now() - started) / 1_000;
      const { user, system } = process.cpuUsage(cpu);
      return {
        merchants: names.length,
        clean: found.clean,
        entriesAdded: found.entriesAdded,
        seconds,
        cpuSeconds: (user + system) / 1e6,
        connections: counts.connections - before.connections,
        statements: counts.statements - before.statements,
        megabytes: [megabytes[0]!, residentMegabytes()],
        notClean: found.notClean,
      };
    });
  } finally {
    await source.close();
  }
}

interface NightFound {
  done: number;
  clean: number;
  entriesAdded: number;
  readonly notClean: string[];
}

function note(
  found: NightFound,
  outcome: Awaited<ReturnType<typeof runMerchants>>['merchants'][number],
): void {
  found.entriesAdded += outcome.entriesAdded;
  if (outcome.report.verdict === 'clean') found.clean += 1;
  else if (found.notClean.length < 3)
    found.notClean.push(JSON.stringify(outcome.report).slice(0, 1_500));
}

function residentMegabytes(): number {
  globalThis.gc?.();
  return process.memoryUsage.rss() / 2 ** 20;
}
