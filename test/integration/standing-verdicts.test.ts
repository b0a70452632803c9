// A merchant has one verdict in every place. Where a night could not read the books, they stay
// broken if they were, and are incomplete if they were not. The night, its mail, the morning's
// screen, metrics, lists and filters say the same, with the last verdict and when it was given.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadServiceFigures } from '../../src/io/storage/operators/service-figures.ts';
import { retireMerchant } from '../../src/service/workflows/operators/runs-and-merchants.ts';
import { pointage } from '../support/command.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { makeHttpBooks } from '../support/http-books.ts';
import { credentialsOf, type HttpService, startHttpService } from '../support/http-service.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { EVENING } from '../support/nightly-run.ts';

const MERCHANTS = ['M1', 'M2', 'M3'];
const DAY = 86_400_000;

let opened: TestStore;
let http: HttpService;
let mails: MailServer;
let scratch: string;
beforeEach(async () => {
  opened = await openTestStore();
  mails = await startMailServer();
  http = await startHttpService(
    Object.fromEntries(MERCHANTS.map((name) => [name, makeHttpBooks(name, 20)])),
  );
  const { wallet } = http.books.M1!;
  http.books.M1!.wallet = { ...wallet, balance: 20_047, available: 20_047 };
  scratch = mkdtempSync(join(tmpdir(), 'pointage-standing-'));
  configure();
});
afterEach(async () => {
  rmSync(scratch, { recursive: true, force: true });
  await Promise.all([http.close(), mails.close(), opened.close()]);
});

function configure(): void {
  const configuration = {
    ...{ databaseUrl: opened.databaseUrl, source: http.baseUrl },
    merchants: Object.fromEntries(MERCHANTS.map((name) => [name, credentialsOf(name)])),
    http: { retries: { attempts: 1, firstDelay: 1, longestDelay: 2, longestRetryAfter: 5 } },
    ...{
      mail: { url: mails.url, from: 'pointage@example.com' },
      alerts: { language: 'en', mail: ['a@example.com'] },
    },
  };
  writeFileSync(join(scratch, 'pointage.config.json'), JSON.stringify(configuration));
}

/** Runs a command on a day after the books end. The service's clock moves with it. */
function said(day: number, ...words: string[]) {
  const at = EVENING + day * DAY;
  http.clockOffset = at - Date.now();
  return pointage([...words, '--config', join(scratch, 'pointage.config.json')], {
    clock: () => at,
    width: 100,
  });
}

/**
 * Works a night. Returns its status, what it printed of the verdicts, and the subject of its mail.
 */
async function night(day: number) {
  mails.arrived.length = 0;
  const { status, out } = await said(day, 'worker', '--once');
  const subjects = mails.arrived
    .map(({ subject }) => subject!)
    .filter((subject) => subject.startsWith('Nightly'));
  return { status, counts: /: (\d+ clean, .*)\.\n/.exec(out)?.[1], subject: subjects.join(' | ') };
}

/** Returns what every screen says: how many merchants have each verdict, or which. */
async function screens(day: number) {
  const tonight = JSON.parse((await said(day, 'tonight', '--format', 'json')).out) as {
    readonly verdicts: Record<string, number>;
  };
  const { verdicts } = await loadServiceFigures(opened.store, EVENING);
  const listed = async (...filter: string[]) => {
    const { out } = await said(day, 'merchants', 'list', ...filter, '--format', 'json');
    return JSON.parse(out) as readonly {
      readonly merchant: string;
      readonly verdict: string | null;
    }[];
  };
  const all = await listed();
  const filtered = async (verdict: string) =>
    (await listed('--verdict', verdict)).map(({ merchant }) => merchant);
  const counts = { clean: 0, broken: 0, incomplete: 0 };
  for (const { verdict } of all) if (verdict !== null) counts[verdict as keyof typeof counts] += 1;
  expect(tonight.verdicts, 'the morning').toEqual(counts);
  const measured = Object.fromEntries(
    verdicts.map(({ verdict, merchants }) => [verdict, merchants]),
  );
  expect({ clean: 0, broken: 0, incomplete: 0, ...measured }, 'the metrics').toMatchObject(counts);
  for (const verdict of ['clean', 'broken', 'incomplete'] as const) {
    const found = all.filter((one) => one.verdict === verdict).map(({ merchant }) => merchant);
    expect(await filtered(verdict), `the filter ${verdict}`).toEqual(found);
  }
  return Object.fromEntries(all.map(({ merchant, verdict }) => [merchant, verdict]));
}

test.each(['/wallet', '/ledger', '/operations', '/merchants/me'])(
  'where %s does not answer in a night, broken books stay broken and the others are incomplete, in every place',
  async (path) => {
    expect(await night(0)).toMatchObject({ status: 1, counts: '2 clean, 1 broken, 0 incomplete' });
    expect(await screens(0)).toEqual({ M1: 'broken', M2: 'clean', M3: 'clean' });
    http.before = (asked) =>
      asked.path === path && !asked.headers['x-api-key']?.includes('M3')
        ? { do: 'error', status: 503, code: 'TEMPORARILY_UNAVAILABLE' }
        : null;
    expect(await night(1)).toEqual({
      status: 2,
      counts: '1 clean, 1 broken, 1 incomplete',
      subject: 'Nightly check — 1 broken, 1 read in part, 1 clean',
    });
    expect(await screens(1)).toEqual({ M1: 'broken', M2: 'incomplete', M3: 'clean' });
    const { out } = await said(1, 'merchants', 'list');
    expect(out).toMatch(/M1 [^\n]*│ broken[^\n]*\n[^\n]*│ \(broken on 2026-11-02\)/);
    expect(out).toMatch(/M2 [^\n]*│ incomplete[^\n]*\n[^\n]*│ \(clean on 2026-11-02\)/);
    expect(JSON.parse((await said(1, 'merchants', 'list', '--format', 'json')).out)).toMatchObject([
      { merchant: 'M1', verdict: 'broken', judged: 'false', lastVerdict: 'broken', lastRun: 1 },
      { merchant: 'M2', verdict: 'incomplete', judged: 'false', lastVerdict: 'clean', lastRun: 1 },
      { merchant: 'M3', verdict: 'clean', judged: 'true', lastVerdict: 'clean', lastRun: 2 },
    ]);
    http.before = () => null;
    expect(await night(2)).toMatchObject({ status: 1, counts: '2 clean, 1 broken, 0 incomplete' });
    expect(await screens(2)).toEqual({ M1: 'broken', M2: 'clean', M3: 'clean' });
  },
);

test('where the whole place is out of reach, the mail says so and how many stay broken', async () => {
  await night(0);
  await http.close();
  expect(await night(1)).toEqual({
    status: 2,
    counts: '0 clean, 1 broken, 2 incomplete',
    subject: `Nightly check — ${http.baseUrl} is out of reach (ECONNREFUSED): 3 merchants not checked; 1 broken`,
  });
  expect(await screens(1)).toEqual({ M1: 'broken', M2: 'incomplete', M3: 'incomplete' });
  http = await startHttpService({});
});

test('a run of one merchant speaks of that merchant alone, and a retired one is counted no more', async () => {
  await night(0);
  expect((await said(1, 'run', 'M3')).status).toBe(0);
  expect(await screens(1)).toEqual({ M1: 'broken', M2: 'clean', M3: 'clean' });
  await retireMerchant(opened.store, 'M1', {
    at: EVENING,
    by: 'Awa',
    reason: 'closed its account',
  });
  const { verdicts } = await loadServiceFigures(opened.store, EVENING);
  expect(verdicts).toEqual([{ verdict: 'clean', merchants: 2 }]);
});

test('without a night, the morning counts every merchant after a run of one', async () => {
  expect((await said(0, 'run')).status).toBe(1);
  expect((await said(1, 'run', 'M3')).status).toBe(0);
  expect(await screens(1)).toEqual({ M1: 'broken', M2: 'clean', M3: 'clean' });
  const { out } = await said(1, 'tonight');
  expect(out).toMatch(
    /\ncovered +1 of 1 merchant, 2 not asked for\nverdicts +2 clean, 1 broken, 0 incomplete\n/,
  );
});
