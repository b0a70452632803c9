// One night with everything that can go wrong with it: damaged books, one of them behind a clock of 2001, a list that comes empty
// twice, two workers begun together, and a database that is killed under them again and again. Nothing is clean that is not, nothing
// sound is accused, no mail is lost, no command hangs, and what is left is what an undisturbed night leaves. POINTAGE_KILLS=n kills
// n times.

import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY, MINUTE } from '../../src/core/domain/instant.ts';
import { faultNamed } from '../../src/sandbox/faults/register.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { drawInteger, seedRandom } from '../../src/sandbox/model/random.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/service/start-sandbox.ts';
import { type Ended, pointageProcess } from '../support/command.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { type OwnPostgres, ownPrograms, startOwnPostgres } from '../support/own-postgres.ts';

const KILLS = Number(process.env.POINTAGE_KILLS ?? 2);
const SEED = process.env.POINTAGE_TEST_SEED ?? 'database';
const NOW = Date.UTC(2026, 7, 26, 22);
const LONG_AGO = new Date('2001-01-01T00:00:00.000Z').toUTCString();
/** By merchant, what is wrong with its books. */
const BOOKS = {
  EMPTIED: [],
  MISSING: ['LINES_MISSING'],
  SOUND: [],
  TWICE: ['CREDIT_DUPLICATED'],
  WOUND_BACK: ['BALANCE_DRIFT'],
} as const;
const BROKEN = ['MISSING', 'TWICE'];
const programs = ownPrograms();

describe.skipIf(programs === null)('a night with everything', () => {
  let postgres: OwnPostgres;
  let sandbox: Sandbox;
  let between: Server;
  let scratch: string;
  /** So many lists of EMPTIED come empty from now on. */
  let empty = 0;
  beforeAll(async () => {
    postgres = await startOwnPostgres(programs!);
    const traffic = { ...ORDINARY_TRAFFIC, operationsPerDay: 10, adjustmentsPerMonth: 0, paymentsPerDay: 0 };
    const merchants = Object.entries(BOOKS).map(([reference, faults]) =>
      planMerchant({ reference, traffic, opensAt: NOW - 25 * DAY, faults: faults.map(faultNamed) }),
    );
    sandbox = await startSandbox({ seed: SEED, merchants, start: NOW, port: 0 });
    const keyOf = (name: string) => sandbox.merchants.find(({ reference }) => reference === name)!.apiKey;
    between = createServer(async (request, response) => {
      const key = request.headers['x-api-key'];
      const isList = request.url!.startsWith('/v1/operations?');
      const answer = await fetch(`${sandbox.origin}${request.url}`, {
        headers: request.headers as Record<string, string>,
      });
      const isEmpty = isList && key === keyOf('EMPTIED') && empty > 0;
      if (isEmpty) empty -= 1;
      const date = key === keyOf('WOUND_BACK') ? LONG_AGO : answer.headers.get('date')!;
      await sleep(15);
      response.writeHead(answer.status, { 'content-type': 'application/json', date });
      response.end(isEmpty ? '{"data":[]}' : await answer.text());
    }).listen(0, '127.0.0.1');
    await once(between, 'listening');
    scratch = mkdtempSync(join(tmpdir(), 'pointage-night-'));
  });
  afterAll(async () => {
    between.closeAllConnections();
    between.close();
    await sandbox.close();
    await postgres.stop();
    rmSync(scratch, { recursive: true, force: true });
  });

  function night(database: string, server: MailServer): Promise<Ended> {
    const config = join(scratch, `${database}.json`);
    const settings = {
      databaseUrl: postgres.databaseUrl(database),
      source: `http://127.0.0.1:${(between.address() as AddressInfo).port}/v1`,
      merchants: Object.fromEntries(
        sandbox.merchants.map(({ reference, apiKey, apiSecret }) => [reference, { apiKey, apiSecret }]),
      ),
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
      findings: await of('fingerprint, kind, severity, state', `(select * from findings where state <> 'resolved') f`),
      mirror: await of('entry_count, variant_count, operation_count', 'merchant_heads'),
      reports: await of(
        `verdict, entries, operations, r.findings, r.roots`,
        `(select distinct on (merchant_id) * from run_merchants order by merchant_id, run_id desc) r`,
      ),
      coverage: await of(
        'state, verdict, reason, watermark',
        '(select distinct on (merchant_id) * from run_members where watermark is not null order by merchant_id, run_id desc) m',
      ),
      waiting: await asked(database, `select run_id from run_members where state = 'expected'`),
      held: await asked(database, `select announces from deliveries where state = 'HELD'`),
    };
  }

  /** Of all nights so far: what was ever said clean, and of whom a grave finding was ever confirmed. */
  async function saidBy(database: string) {
    const clean = `select distinct reference from run_merchants natural join merchants where verdict = 'clean' order by 1`;
    const accused = `select distinct reference from findings natural join merchants
      where content ->> 'status' = 'confirmed' and severity in ('critical', 'error') order by 1`;
    const of = async (query: string) =>
      (await asked<{ reference: string }>(database, query)).map(({ reference }) => reference);
    return { clean: await of(clean), accused: await of(accused) };
  }

  const toldOf = ({ arrived }: MailServer) =>
    BROKEN.map((name) => arrived.filter(({ text }) => text?.includes(`${name} — books: broken`)).length);

  /** Two workers begun together, under whom the database is killed while kills are left; their statuses. */
  async function disturbedNight(post: MailServer, kills: { left: number; readonly next: () => number }) {
    const both = Promise.all([night('disturbed', post), night('disturbed', post)]);
    const isOver = both.then(() => true);
    while (kills.left > 0) {
      if (await Promise.race([isOver, sleep(kills.next(), false)])) break;
      if (await kill('disturbed')) kills.left -= 1;
    }
    return (await both).map(({ status }) => status);
  }

  test(
    'ends as one with none of it',
    async () => {
      const [post, disturbedPost] = [await startMailServer(), await startMailServer()];
      const random = seedRandom(SEED);
      const kills = { left: KILLS, next: () => drawInteger(random, { from: 600, to: 4_000 }) };
      try {
        postgres.run('createdb', 'whole');
        expect((await night('whole', post)).status).toBe(1);
        postgres.run('createdb', 'disturbed');
        empty = 2;
        const statuses: number[] = [];
        let nights = 0;
        for (let last = [0]; kills.left > 0 || !last.includes(1); nights += 1) {
          const since = performance.now();
          last = await disturbedNight(disturbedPost, kills);
          statuses.push(...last);
          expect(performance.now() - since, 'a night hangs').toBeLessThan(3 * MINUTE);
          expect(nights, `it never ends well: ${statuses.join()}`).toBeLessThan(3 * KILLS + 6);
        }
        expect(statuses).not.toContain(0);
        expect(empty, 'the list did come empty').toBe(0);
        const truth = { clean: ['EMPTIED', 'SOUND'], accused: BROKEN };
        expect([await saidBy('whole'), await saidBy('disturbed')]).toEqual([truth, truth]);
        const whole = await leftBy('whole');
        expect(await leftBy('disturbed')).toEqual(whole);
        expect(whole.coverage).toMatchObject([
          { verdict: 'clean', watermark: String(NOW) },
          { verdict: 'broken', watermark: String(NOW) },
          { verdict: 'clean', watermark: String(NOW) },
          { verdict: 'broken', watermark: String(NOW) },
          { verdict: 'incomplete', watermark: String(Date.parse(LONG_AGO)) },
        ]);
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
