// A night in which merchants fail, each in its own way. The night ends, all others are judged, and
// each merchant that is not judged says why.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunProblem } from '../../src/core/domain/delivery/delivery.ts';
import { takeMember } from '../../src/io/storage/conclusions/run-members.ts';
import { requireMerchant } from '../../src/io/storage/merchants/merchants.ts';
import type { Service } from '../../src/service/compose/service.ts';
import { nightTaskOf, startServiceWorker } from '../../src/service/compose/service-worker.ts';
import { withStack } from '../../src/service/log.ts';
import type { Worker } from '../../src/service/worker/start-worker.ts';
import {
  type Announcements,
  NOTHING_ANNOUNCED,
} from '../../src/service/workflows/announcements.ts';
import {
  giveUpMerchant,
  runNight,
  workOnMerchant,
  workOnMerchants,
} from '../../src/service/workflows/nightly/run-night.ts';
import {
  listRunMembers,
  listRuns,
  loadRun,
} from '../../src/service/workflows/operators/runs-and-merchants.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { makeHttpBooks } from '../support/http-books.ts';
import { type HttpService, KEY, SECRET, startHttpService } from '../support/http-service.ts';
import { ended, type NightSettings, withNightService } from '../support/night-service.ts';
import { EVENING } from '../support/nightly-run.ts';

/** Lines that take more than a few of the shortest pages. */
const LINES = 160;
const MERCHANTS = ['M001', 'M002', 'M003', 'M004', 'M005', 'M006', 'M007'];

let opened: TestStore;
let http: HttpService;
let began: number;
beforeEach(async () => {
  opened = await openTestStore();
  http = await startHttpService(
    Object.fromEntries(MERCHANTS.map((name) => [name, makeHttpBooks(name, LINES)])),
  );
  http.clockOffset = EVENING - Date.now();
  began = performance.now();
});
afterEach(async () => {
  await http.close();
  await opened.close();
});

function atNight<T>(
  worker: object,
  use: (service: Service) => Promise<T>,
  rest: Partial<NightSettings> = {},
) {
  const { databaseUrl } = opened;
  return withNightService(
    http,
    { databaseUrl, worker, clock: () => EVENING + Math.round(performance.now() - began), ...rest },
    use,
  );
}

/**
 * Starts a worker that states no months, because nothing looks at them here, and making them takes
 * time.
 */
function startWorking(service: Service): Promise<Worker> {
  const { queue } = service;
  const work: typeof queue.work = async (kind, handler, options) => {
    if (kind !== 'statement') await queue.work(kind, handler, options);
  };
  return startServiceWorker({ ...service, queue: { ...queue, work } });
}

async function working<T>(service: Service, use: (worker: Worker) => Promise<T>): Promise<T> {
  const worker = await startWorking(service);
  try {
    return await use(worker);
  } finally {
    await worker.stop(5);
  }
}

const begin = (service: Service, jobId: string = randomUUID()) =>
  runNight(nightTaskOf(service), { jobId, plannedFor: null });

const isOf = (merchant: string, headers: Readonly<Record<string, unknown>>) =>
  headers['x-api-key'] === `${KEY}-${merchant}`;

/**
 * Enters M006 as the first merchant, of which no line can be stored from then on. Sends one command
 * a message, as a cluster's nodes take them.
 */
async function spoilFirstMerchant(why: string): Promise<void> {
  for (const command of [
    `insert into merchants (reference) values ('M006')`,
    `create function spoil() returns trigger language plpgsql as $$ begin raise exception '${why}'; end $$`,
    `create trigger spoil before insert on entries for each row when (new.merchant_id = 1) execute function spoil()`,
  ])
    await opened.store.pool.query(command);
}

test('one that is down, one that is slow and one that is poison are exactly those that are not judged', async () => {
  await spoilFirstMerchant('spoilt');
  http.before = ({ headers, path }) => {
    if (isOf('M002', headers)) return { do: 'error', status: 503, code: 'UPSTREAM_UNAVAILABLE' };
    return isOf('M004', headers) && path === '/operations' ? { do: 'hang' } : null;
  };
  const logged: string[] = [];
  const log = (event: object) => void logged.push(JSON.stringify(withStack(event)));
  await atNight(
    { attempts: 2, longestMinutes: 0.12 },
    (opened) => {
      const service = { ...opened, announcements: TELLING };
      return working(service, async () => {
        const runId = await begin(service);
        const run = await ended(service, runId);
        expect(run.coverage).toEqual({ expected: 7, judged: 4, unread: 2, failed: 1, waiting: 0 });
        const { items: missing } = await listRunMembers(service.store, runId, {
          limit: 10,
          notJudged: true,
        });
        expect(missing.map(({ merchant, state, verdict }) => [merchant, state, verdict])).toEqual([
          ['M002', 'done', 'incomplete'],
          ['M004', 'done', 'incomplete'],
          ['M006', 'failed', null],
        ]);
        expect(missing.map(({ reason }) => reason)).toEqual([
          expect.stringMatching(/^UNREACHABLE|^UPSTREAM|^TEMPORAR|503/),
          expect.stringMatching(/^TOOK_TOO_LONG: The source took longer than the 0.12 minutes/),
          expect.stringMatching(/^its work failed 2 times, at last with: spoilt$/),
        ]);
        // The lines of the slow merchant were read before it was left, and they stay.
        const kept = await service.store.pool.query(
          `select entry_count from merchant_heads natural join merchants where reference = 'M004'`,
        );
        expect(kept.rows).toEqual([{ entry_count: LINES }]);
        const problems = await service.store.pool.query<{ content: { problem: RunProblem } }>(
          `select content from deliveries where topic = 'run'`,
        );
        expect(problems.rows.map(({ content }) => content.problem)).toMatchObject([
          {
            kind: 'NOT_COVERED',
            runId,
            expected: 7,
            done: 4,
            missing: missing.map(({ merchant }) => ({ merchant })),
          },
        ]);
      });
    },
    { log },
  );
  const said = logged.join('\n');
  expect(said).toMatch(/"event":"merchant given up".*M006/);
  expect(said, 'the stack is in the log').toMatch(/spoilt.*save-entries|spoilt[^\n]*\bat /);
  expect(said).not.toContain(SECRET);
});

test('who could not be reached or judged is tried once more before the night ends, and then is covered', async () => {
  await spoilFirstMerchant('the node is away');
  http.before = ({ headers }) => (isOf('M002', headers) ? { do: 'drop' } : null);
  const again: object[] = [];
  const log = (event: { readonly event?: string }): void => {
    if (event.event !== 'night tries again') return;
    again.push(event);
    http.before = () => null;
    void opened.store.pool.query('drop trigger spoil on entries');
  };
  await atNight(
    { attempts: 2 },
    (opened) => {
      const service = { ...opened, announcements: TELLING };
      return working(service, async () => {
        const runId = await begin(service);
        const run = await ended(service, runId);
        expect(run.coverage).toEqual({ expected: 7, judged: 7, unread: 0, failed: 0, waiting: 0 });
        expect(again).toEqual([{ event: 'night tries again', runId, merchants: 2 }]);
        expect((await service.store.pool.query('select from deliveries')).rowCount).toBe(0);
      });
    },
    { log },
  );
});

test('a job of an earlier night that is given up gives nothing up in the next', async () => {
  await atNight({}, async (service) => {
    const night = nightTaskOf(service);
    const first = await begin(service);
    const merchantId = await requireMerchant(service.store, 'M001');
    await takeMember(service.store, { merchantId, at: EVENING });
    const second = await begin(service);
    await takeMember(service.store, { merchantId, at: EVENING });
    const failed = async (runId: number) => {
      const reason = 'no connection';
      await giveUpMerchant(night, {
        data: { runId, round: 1, merchant: 'M001' },
        attempts: 5,
        reason,
      });
      return (await loadRun(service.store, second))!.coverage.failed;
    };
    expect([await failed(first), await failed(second)]).toEqual([0, 1]);
  });
});

test('a stopping worker leaves each merchant at its next page, and another goes on from there', async () => {
  let pages = 0;
  http.longestPage = 20;
  http.before = ({ headers, path }) => {
    if (!isOf('M003', headers)) return null;
    if (path === '/ledger') pages += 1;
    return path === '/ledger' ? { do: 'drip', pause: 4 } : null;
  };
  const logged: { readonly event?: string; readonly merchants?: readonly string[] }[] = [];
  await atNight(
    { attempts: 1 },
    async (service) => {
      const jobId = randomUUID();
      const worker = await startWorking(service);
      const runId = await begin(service, jobId);
      while (pages < 3) await sleep(20);
      await worker.stop(10);
      const read = () =>
        service.store.pool.query<{ lines: number }>('select count(*) as lines from entries');
      const wentBack = logged.filter(({ event }) => event === 'job put back');
      expect(wentBack.flatMap(({ merchants = [] }) => merchants)).toContain('M003');
      expect((await loadRun(service.store, runId))?.finishedAt).toBeNull();
      expect((await read()).rows[0]!.lines).toBeGreaterThan(0);
      const waiting = (await service.queue.depths()).find(({ kind }) => kind === 'merchants');
      expect(waiting).toMatchObject({ active: 0, failed: 0 });
    },
    { log: (event) => void logged.push(event) },
  );
  http.before = () => null;
  http.longestPage = 200;
  // The job has one attempt in all, and being asked to stop has not used it up.
  await atNight({ attempts: 1 }, (service) =>
    working(service, async () => {
      const run = await ended(service, 1);
      expect(run.coverage).toMatchObject({ expected: 7, judged: 7 });
      expect(run.entriesAdded).toBeLessThanOrEqual(7 * LINES);
    }),
  );
});

test('a night is begun once by a job, and ends the one that was still going on', async () => {
  await atNight({}, async (opened) => {
    const service = { ...opened, announcements: TELLING };
    const jobId = randomUUID();
    const first = await begin(service, jobId);
    expect(await begin(service, jobId)).toBe(first);
    const second = await begin(service);
    expect(await loadRun(service.store, first)).toMatchObject({
      closed: 'the next night began',
      coverage: { expected: 7, failed: 7, waiting: 0 },
    });
    await working(service, async () => {
      expect((await ended(service, second)).coverage).toMatchObject({
        expected: 7,
        judged: 7,
        waiting: 0,
      });
    });
    const announced = await service.store.pool.query<{ announces: string }>(
      'select announces from deliveries',
    );
    expect(announced.rows, 'the second night covers whom the first had left').toEqual([]);
    expect((await listRuns(service.store, { limit: 5 })).items.map(({ runId }) => runId)).toEqual([
      second,
      first,
    ]);
  });
});

/** Announces every problem of a run to one target. */
const TELLING: Announcements = {
  ...NOTHING_ANNOUNCED,
  run: (problem) => [
    {
      channel: 'mail',
      announces: `run/${problem.runId}/${problem.kind}`,
      target: 'nobody@example.test',
      merchant: null,
      content: { topic: 'run', problem },
    },
  ],
};

test('a merchant whose worker lost the job just after it settled it has its month asked for, and its night ended, by the next job', async () => {
  for (const merchant of MERCHANTS.slice(1)) delete http.books[merchant];
  await atNight({}, async (service) => {
    const runId = await begin(service);
    const lost = new AbortController();
    const log = ({ event }: { readonly event?: string }) => {
      if (event === 'merchant settled') lost.abort();
    };
    const task = { ...nightTaskOf(service), log };
    const job = { id: randomUUID(), attempt: 1 } as const;
    const about = { runId, round: 1 as const };
    const settling = workOnMerchants(task, {
      ...job,
      signal: lost.signal,
      data: { ...about, merchants: ['M001'] },
    });
    await expect(settling).rejects.toThrow('the job was taken over');
    const monthsAsked = async () =>
      (await service.queue.depths()).find(({ kind }) => kind === 'statement')!.waiting;
    const left = async () => ({
      finishedAt: (await loadRun(service.store, runId))!.finishedAt,
      months: await monthsAsked(),
    });
    expect(await left()).toEqual({ finishedAt: null, months: 0 });
    // As after a job that was put back, which counts no attempt.
    const { signal } = new AbortController();
    await workOnMerchant(task, { ...job, signal, data: { ...about, merchant: 'M001' } });
    expect(await left()).toEqual({ finishedAt: expect.any(Number), months: 1 });
  });
});

test('a worker for the nights leaves statements to one for the months', async () => {
  const few = MERCHANTS.slice(0, 2);
  for (const merchant of MERCHANTS) if (!few.includes(merchant)) delete http.books[merchant];
  const settings = {
    databaseUrl: opened.databaseUrl,
    clock: () => EVENING + Math.round(performance.now() - began),
  };
  const months = async (service: Service) => {
    const depth = (await service.queue.depths()).find(({ kind }) => kind === 'statement')!;
    return depth.waiting + depth.active;
  };
  await withNightService(http, settings, async (service) => {
    const worker = await startServiceWorker(service, 'nights');
    const runId = await begin(service);
    expect((await ended(service, runId)).coverage).toMatchObject({ judged: few.length });
    await worker.stop(5);
    expect(await months(service)).toBe(few.length);
  });
  await withNightService(http, settings, async (service) => {
    const worker = await startServiceWorker(service, 'months');
    while ((await months(service)) > 0) await sleep(100);
    await worker.stop(5);
    const issued = await service.store.pool.query(`select from reports where status = 'READY'`);
    expect(issued.rowCount).toBe(few.length);
  });
});
