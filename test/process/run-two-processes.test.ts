// Two runs at once on one store. Every merchant is worked on by one run at a time, both end well,
// and what they leave is what one run leaves.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AuditDocument } from '../../src/core/kernel/reconcile/audit-document.ts';
import { listRuns } from '../../src/io/storage/operators/run-records.ts';
import { loadServiceFigures } from '../../src/io/storage/operators/service-figures.ts';
import { type Ended, type ProcessOptions, pointageProcess } from '../support/command.ts';
import { openTestStore, type TestStore, withTestStore } from '../support/database-store.ts';
import { makeHttpBooks } from '../support/http-books.ts';
import { credentialsOf, type HttpService, KEY, startHttpService } from '../support/http-service.ts';
import { loadLastReports } from '../support/last-reports.ts';
import { EVENING, outcomeOf, runOver } from '../support/nightly-run.ts';

const MERCHANTS = ['M001', 'M002', 'M003', 'M004', 'M005', 'M006'];
/** Lines that take more than one page of each merchant. */
const LINES = 250;

let opened: TestStore;
let service: HttpService;
let scratch: string;
beforeEach(async () => {
  opened = await openTestStore();
  service = await startHttpService(
    Object.fromEntries(MERCHANTS.map((name) => [name, makeHttpBooks(name, LINES)])),
  );
  service.clockOffset = EVENING - Date.now();
  for (const name of ['M002', 'M005']) service.books[name]!.ledger.splice(LINES / 2, 2);
  scratch = mkdtempSync(join(tmpdir(), 'pointage-two-'));
});
afterEach(async () => {
  await service.close();
  rmSync(scratch, { recursive: true, force: true });
  await opened.close();
});

/** Runs the command. `host` tells the service whose requests are whose. */
async function runFrom(
  host: string,
): Promise<{ readonly status: number; readonly err: string; readonly document: AuditDocument }> {
  const { status, out, err } = await startFrom(host);
  return { status, err, document: JSON.parse(out) as AuditDocument };
}

function startFrom(host: string, options: ProcessOptions = {}): Promise<Ended> {
  const settings = {
    source: service.baseUrl.replace('127.0.0.1', host),
    merchants: Object.fromEntries(MERCHANTS.map((name) => [name, credentialsOf(name)])),
    http: { pageSize: 100 },
  };
  const config = join(scratch, `${host}.json`);
  writeFileSync(config, JSON.stringify(settings));
  const words = [
    'run',
    '--config',
    config,
    '--format',
    'json',
    '--database-url',
    opened.databaseUrl,
  ];
  return pointageProcess(words, options);
}

test('two processes share the merchants, and leave what one leaves', async () => {
  // The service is so slow that both runs are at work at the same time, and slower still until the
  // second has begun, however late that is.
  const seen = new Set<unknown>();
  service.before = ({ path, headers }) => {
    seen.add(headers.host);
    return path === '/ledger' ? { do: 'drip', pause: seen.size < 2 ? 50 : 4 } : null;
  };
  const both = await Promise.all([runFrom('127.0.0.1'), runFrom('localhost')]);
  for (const { status, err } of both)
    expect({ isWell: [1, 2].includes(status), err }).toEqual({ isWell: true, err: '' });

  const hosts = (merchant: string): readonly string[] =>
    service.asked
      .filter(({ headers }) => headers['x-api-key'] === `${KEY}-${merchant}`)
      .map(({ headers }) => String(headers.host).split(':')[0]!);
  const turns = (list: readonly string[]) =>
    list.filter((host, i) => i === 0 || host !== list[i - 1]);
  const all = service.asked.map(({ headers }) => String(headers.host).split(':')[0]!);
  expect(turns(all).length, 'both were at work at the same time').toBeGreaterThan(3);
  for (const merchant of MERCHANTS)
    expect(turns(hosts(merchant)).length, merchant).toBeLessThanOrEqual(2);

  const judged = both.flatMap(({ document }) =>
    document.merchants.filter(({ lastSequence }) => lastSequence !== null),
  );
  expect(new Set(judged.map(({ merchant }) => merchant))).toEqual(new Set(MERCHANTS));
  const skipped = both.flatMap(({ document }) =>
    document.merchants.filter(({ lastSequence }) => lastSequence === null),
  );
  expect(skipped.length, 'one was found at work').toBeGreaterThan(0);
  for (const { verdict, notChecked } of skipped) {
    expect([verdict, notChecked[0]!.why]).toEqual([
      'incomplete',
      expect.stringMatching(/^another process is working/),
    ]);
  }
  service.before = () => null;
  await withTestStore(async (alone) => {
    await runOver(alone, service);
    // A run that comes to a merchant when the other has finished it reads it a second time, and can
    // say more of its history.
    const reports = async (store: typeof alone) =>
      (await loadLastReports(store)).map(({ report }) => {
        return {
          ...report,
          notChecked: report.notChecked.filter(({ what }) => what !== 'history'),
        };
      });
    expect(await reports(opened.store)).toEqual(await reports(alone));
  });
  const counts = await opened.store.pool.query('select count(*)::int as lines from entries');
  expect(counts.rows).toEqual([{ lines: MERCHANTS.length * LINES - 4 }]);
});

test('a merchant that another process has taken over meanwhile is left to it, and the others are judged', async () => {
  let isTaken = false;
  service.before = ({ path, headers }) => {
    if (path === '/operations' && headers['x-api-key'] === `${KEY}-M003` && !isTaken) {
      isTaken = true;
      void opened.store.pool.query(
        `update merchant_heads set fence = fence + 1
        from merchants where merchants.merchant_id = merchant_heads.merchant_id and reference = 'M003'`,
      );
      return { do: 'drip', pause: 2 };
    }
    return null;
  };
  const run = await runOver(opened.store, service);
  const verdicts = run.merchants.map(({ report }) => report.verdict);
  expect(verdicts).toEqual(['clean', 'broken', 'incomplete', 'clean', 'broken', 'clean']);
  expect(outcomeOf(run, 'M003').report.notChecked[0]!.why).toMatch(/^another process is working/);
});

/** Ends a run by a signal at its third merchant, which the service never answers again. */
function interruptedBy(signal: NodeJS.Signals): Promise<Ended> {
  const asked = Promise.withResolvers<NodeJS.Signals>();
  service.before = ({ path, headers }) => {
    if (path !== '/ledger' || headers['x-api-key'] !== `${KEY}-M003`) return null;
    asked.resolve(signal);
    return { do: 'hang' };
  };
  return startFrom('127.0.0.1', { signal: asked.promise });
}

test('a run that is interrupted says how far it came, is closed, and the next goes on', async () => {
  for (const [signal, status] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    const { out, ...ended } = await interruptedBy(signal);
    const err = 'pointage: left after 2 of 6 merchants; the next run goes on.\n';
    expect([out, ended]).toEqual(['', { status, err }]);
    const [left] = (await listRuns(opened.store, { limit: 1 })).items;
    expect(left).toMatchObject({
      finishedAt: expect.any(Number),
      closed: 'it was interrupted',
      coverage: { expected: 6, judged: 2, failed: 4, waiting: 0 },
    });
  }
  service.before = () => null;
  expect((await runFrom('127.0.0.1')).status).toBe(1);
  const { items: runs } = await listRuns(opened.store, { limit: 10 });
  expect(runs.map(({ closed, coverage: { judged } }) => [closed, judged])).toEqual([
    [null, 6],
    ['it was interrupted', 2],
    ['it was interrupted', 2],
  ]);
});

test('a run whose process was killed is closed by the next, and one that is at work is not', async () => {
  expect(await interruptedBy('SIGKILL')).toMatchObject({ status: null, out: '', err: '' });
  const outcomes = async () =>
    (await loadServiceFigures(opened.store, 0)).runs.map(({ outcome, count }) => [outcome, count]);
  expect(await outcomes()).toEqual([['running', 1]]);
  const asked = Promise.withResolvers<void>();
  service.before = ({ path, headers }) => {
    if (path === '/ledger' && headers['x-api-key'] === `${KEY}-M003`) asked.resolve();
    return null;
  };
  const second = startFrom('127.0.0.1');
  await asked.promise;
  await startFrom('localhost');
  await second;
  expect(await outcomes()).toEqual(
    expect.arrayContaining([
      ['closed', 1],
      ['complete', 2],
    ]),
  );
  expect((await listRuns(opened.store, { limit: 1 })).items[0]).toMatchObject({ closed: null });
});
