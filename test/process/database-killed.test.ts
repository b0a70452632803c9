// A database that is killed under nights over damaged books, again and again: no command hangs, nothing is clean that is not, no
// mail is lost, and the night that ends leaves what an undisturbed one leaves. POINTAGE_KILLS=n kills n times.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drawInteger, seedRandom } from '../../src/sandbox/random.ts';
import { type Ended, pointageProcess } from '../support/command.ts';
import { makeHttpBooks } from '../support/http-books.ts';
import { credentialsOf, type HttpService, startHttpService } from '../support/http-service.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { EVENING } from '../support/nightly-run.ts';
import { type OwnPostgres, ownPrograms, startOwnPostgres } from '../support/own-postgres.ts';

const KILLS = Number(process.env.POINTAGE_KILLS ?? 2);
const SEED = process.env.POINTAGE_TEST_SEED ?? 'database';
const MERCHANTS = ['M001', 'M002', 'M003'];
const BROKEN = ['M001', 'M003'];
const programs = ownPrograms();

describe.skipIf(programs === null)('a database that is killed', () => {
  let postgres: OwnPostgres;
  let service: HttpService;
  let scratch: string;
  beforeAll(async () => {
    postgres = await startOwnPostgres(programs!);
    service = await startHttpService(Object.fromEntries(MERCHANTS.map((name) => [name, makeHttpBooks(name, 400)])));
    service.clockOffset = EVENING - Date.now();
    for (const name of BROKEN) service.books[name]!.ledger.splice(200, 2);
    service.before = ({ path }) => (path === '/ledger' ? { do: 'drip', pause: 2 } : null);
    scratch = mkdtempSync(join(tmpdir(), 'pointage-database-'));
  });
  afterAll(async () => {
    await service.close();
    await postgres.stop();
    rmSync(scratch, { recursive: true, force: true });
  });

  function night(database: string, server: MailServer): Promise<Ended> {
    const config = join(scratch, `${database}.json`);
    const settings = {
      databaseUrl: postgres.databaseUrl(database),
      source: service.baseUrl,
      merchants: Object.fromEntries(MERCHANTS.map((name) => [name, credentialsOf(name)])),
      worker: { takeOverSeconds: 10, attempts: 20 },
      alerts: { mail: ['controle@example.com'] },
      mail: { url: server.url, from: 'pointage@example.com' },
    };
    writeFileSync(config, JSON.stringify(settings));
    return pointageProcess(['worker', '--once', '--config', config]);
  }

  async function asked<Row extends pg.QueryResultRow>(database: string, query: string): Promise<readonly Row[]> {
    const client = new pg.Client({ connectionString: postgres.databaseUrl(database) });
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query<Row>(query)).rows;
    } finally {
      await client.end().catch(() => {});
    }
  }

  /** One process of the server that serves this database: the server ends all its sessions, and recovers as from a crash. */
  async function kill(database: string): Promise<boolean> {
    const backends = `select pid from pg_stat_activity where datname = '${database}' and pid <> pg_backend_pid() limit 1`;
    const [found] = await asked<{ pid: number }>(database, backends).catch(() => []);
    if (found === undefined) return false;
    process.kill(found.pid, 'SIGKILL');
    return true;
  }

  /** What a night leaves for people, and for the next night, but for when. */
  async function leftBy(database: string) {
    const of = (columns: string, table: string) =>
      asked(database, `select reference, ${columns} from ${table} natural join merchants order by reference, 2`);
    return {
      findings: await of('fingerprint, kind, severity, state', 'findings'),
      mirror: await of('entry_count, variant_count, operation_count', 'merchant_heads'),
      reports: await of(
        `verdict, entries, operations, r.findings, r.roots`,
        `(select distinct on (merchant_id) * from run_merchants order by merchant_id, run_id desc) r`,
      ),
      coverage: await of(
        `state, reason, watermark between ${EVENING} - 60000 and ${EVENING} + 3600000 as is_of_the_source`,
        `(select distinct on (merchant_id) * from run_members where watermark is not null order by merchant_id, run_id desc) m`,
      ),
      held: await asked(database, `select announces from deliveries where state = 'HELD'`),
    };
  }

  const toldOf = ({ arrived }: MailServer) =>
    BROKEN.map((name) => arrived.filter(({ text }) => text?.includes(`${name} — books: broken`)).length);

  test(
    'and comes back leaves what it leaves undisturbed',
    async () => {
      const [post, disturbedPost] = [await startMailServer(), await startMailServer()];
      const random = seedRandom(SEED);
      try {
        postgres.run('createdb', 'whole');
        expect((await night('whole', post)).status).toBe(1);
        postgres.run('createdb', 'disturbed');
        const statuses: number[] = [];
        let [kills, nights, longest] = [0, 0, 0];
        while (kills < KILLS || statuses.at(-1) !== 1) {
          const since = performance.now();
          const ended = night('disturbed', disturbedPost).then(({ status }) => void statuses.push(status));
          const isOver = ended.then(() => true);
          while (kills < KILLS) {
            const wait = sleep(drawInteger(random, { from: 600, to: 4_000 }), false);
            if (await Promise.race([isOver, wait])) break;
            if (await kill('disturbed')) kills += 1;
          }
          await ended;
          nights += 1;
          longest = Math.max(longest, performance.now() - since);
          expect(nights, `it never ends well: ${statuses.join()}`).toBeLessThan(3 * KILLS + 6);
        }
        expect(statuses).not.toContain(0);
        expect(await leftBy('disturbed')).toEqual(await leftBy('whole'));
        expect(toldOf(post)).toEqual([1, 1]);
        // A mail that was on its way is in doubt: it went out once, or a person is asked.
        const doubtful = (await asked('disturbed', `select from deliveries where state = 'IN_DOUBT'`)).length;
        for (const told of toldOf(disturbedPost)) expect(told).toBeGreaterThanOrEqual(doubtful > 0 ? 0 : 1);
        for (const told of toldOf(disturbedPost)) expect(told).toBeLessThanOrEqual(1);
      } finally {
        await post.close();
        await disturbedPost.close();
      }
    },
    Math.max(120_000, KILLS * 30_000),
  );
});
