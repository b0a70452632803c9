// Two nights begun together on one store. Both end, no mail is lost, no merchant that was judged is
// announced as left out, and what they leave is what one night leaves.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import { loadWatermark } from '../../src/io/storage/mirror/stored-extent.ts';
import { pointageProcess } from '../support/command.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { type HttpBooks, makeHttpBooks } from '../support/http-books.ts';
import { credentialsOf, type HttpService, startHttpService } from '../support/http-service.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { EVENING } from '../support/nightly-run.ts';
import { stored } from '../support/outbox.ts';

const MERCHANTS = ['M001', 'M002', 'M003'];
const BROKEN = ['M001', 'M003'];
const LINES = 100;
/** An instant in a month that has not ended by the service's clock, so that no month is stated. */
const OCTOBER = EVENING - 2 * DAY;

let opened: TestStore;
let service: HttpService;
let server: MailServer;
let scratch: string;
beforeEach(async () => {
  opened = await openTestStore();
  server = await startMailServer();
  service = await startHttpService(
    Object.fromEntries(MERCHANTS.map((name) => [name, octoberBooks(name)])),
  );
  service.clockOffset = OCTOBER - Date.now();
  for (const name of BROKEN) service.books[name]!.ledger.splice(LINES / 2, 2);
  scratch = mkdtempSync(join(tmpdir(), 'pointage-overlap-'));
});
afterEach(async () => {
  await service.close();
  await server.close();
  rmSync(scratch, { recursive: true, force: true });
  await opened.close();
});

/** Returns the usual books, a day earlier. */
function octoberBooks(merchant: string): HttpBooks {
  return JSON.parse(
    JSON.stringify(makeHttpBooks(merchant, LINES)).replaceAll('2026-11-01', '2026-10-31'),
  ) as HttpBooks;
}

async function nightByHand() {
  const config = join(scratch, 'settings.json');
  const settings = {
    databaseUrl: opened.databaseUrl,
    source: service.baseUrl,
    merchants: Object.fromEntries(MERCHANTS.map((name) => [name, credentialsOf(name)])),
    worker: { takeOverSeconds: 10 },
    alerts: { mail: ['controle@example.com'] },
    mail: { url: server.url, from: 'pointage@example.com' },
  };
  writeFileSync(config, JSON.stringify(settings));
  return pointageProcess(['worker', '--once', '--config', config]);
}

test.each([0, 1_000])(
  'two nights, the second begun %i ms after the first',
  async (after) => {
    service.before = ({ path }) => (path === '/ledger' ? { do: 'drip', pause: 8 } : null);
    const first = nightByHand();
    await new Promise((resolve) => setTimeout(resolve, after));
    const both = await Promise.all([first, nightByHand()]);
    expect(
      both.map(({ status }) => [1, 2].includes(status)),
      both.map(({ err }) => err).join('\n'),
    ).toEqual([true, true]);

    const deliveries = await stored(opened.store);
    expect(deliveries.filter(({ state }) => state === 'HELD')).toEqual([]);
    expect(deliveries.filter(({ topic }) => topic === 'run')).toEqual([]);
    const told = server.arrived.map(({ text }) => text).join('\n');
    for (const merchant of BROKEN)
      expect(told.split(`${merchant} — books: broken`), told).toHaveLength(2);

    for (const merchant of MERCHANTS) {
      const { rows } = await opened.store.pool.query<{ verdict: string }>(
        `select verdict from run_merchants natural join merchants where reference = $1 order by run_id desc limit 1`,
        [merchant],
      );
      expect(rows[0]!.verdict).toBe(BROKEN.includes(merchant) ? 'broken' : 'clean');
      const known = (await loadWatermark(opened.store, merchant))!;
      expect(
        Math.abs(known - OCTOBER),
        "by the source's clock, and not by this machine's",
      ).toBeLessThan(300_000);
    }
    const left = await opened.store.pool.query(`select from run_members where state = 'expected'`);
    expect(left.rowCount).toBe(0);
  },
  90_000,
);

test.each([
  ['that has just begun', 'select from runs'],
  ['at work', 'select from run_members where attempts > 0'],
])(
  'a night %s waits for a store that is away for a moment, and ends with every merchant',
  async (_, isThere) => {
    service.before = ({ path }) => (path === '/ledger' ? { do: 'drip', pause: 8 } : null);
    const night = nightByHand();
    const begun = async (): Promise<number> =>
      (await opened.store.pool.query(isThere)).rowCount ?? 0;
    await expect.poll(begun, { timeout: 30_000, interval: 5 }).toBeGreaterThan(0);
    const elsewhere = new URL(opened.databaseUrl);
    const name = elsewhere.pathname.slice(1);
    elsewhere.pathname = '/postgres';
    const server = new pg.Client({ connectionString: elsewhere.href });
    await server.connect();
    await server.query(`alter database ${name} allow_connections false`);
    await server.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
      [name],
    );
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await server.query(`alter database ${name} allow_connections true`);
    await server.end();
    const { status, err } = await night;
    expect({ status, err }).toEqual({ status: 1, err: '' });
    const { rows } = await opened.store.pool.query(
      'select reference, state, verdict, reason from run_members natural join merchants order by reference',
    );
    expect(rows).toEqual(
      MERCHANTS.map((reference) => ({
        reference,
        state: 'done',
        verdict: BROKEN.includes(reference) ? 'broken' : 'clean',
        reason: null,
      })),
    );
  },
  90_000,
);
