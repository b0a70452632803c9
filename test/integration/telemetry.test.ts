// Metrics and probes as a scraper sees them, over HTTP. What is known is given, what is not known
// is absent, and a store that is away takes nothing else with it.

import { afterEach, expect, test } from 'vitest';
import type { QueueDepth, ServiceFigures } from '../../src/core/domain/measures.ts';
import { type MetricsSource, openMetrics } from '../../src/service/telemetry/metrics.ts';
import { startTelemetryServer } from '../../src/service/telemetry/start-telemetry-server.ts';

const NOW = 1_000_000;
const FIGURES: ServiceFigures = {
  runs: [{ kind: 'night', outcome: 'complete', count: 3 }],
  newestNight: {
    startedAt: NOW - 20_000,
    finishedAt: NOW - 10_000,
    entriesAdded: 50,
    members: [{ state: 'done', merchants: 2 }],
  },
  lastNightFinishedAt: NOW - 10_000,
  verdicts: [{ verdict: 'broken', merchants: 2 }],
  watched: 2,
  oldestWatermark: NOW - 15_000,
  neverRead: 0,
  findings: [{ severity: 'critical', state: 'open', count: 4 }],
  exposure: [
    { currency: 'XOF', state: 'open', age: '>90', findings: 3, off: '5000', concerned: '1200' },
    { currency: null, state: 'open', age: '0-1', findings: 1, off: null, concerned: null },
  ],
  entries: 77,
  log: 'continued',
  deliveries: [{ channel: 'mail', state: 'FAILED', count: 1 }],
};
const DEPTH: readonly QueueDepth[] = [{ kind: 'merchant', waiting: 9, active: 2, failed: 0 }];

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function start(source: MetricsSource, obstacles: () => readonly string[] = () => []) {
  const events: object[] = [];
  const clock = { now: NOW };
  const log = (event: object): void => void events.push(event);
  const metrics = openMetrics({
    source,
    clock: () => clock.now,
    version: '0.0.0-test',
    log,
    goodFor: 1_000,
  });
  const server = await startTelemetryServer({
    host: '127.0.0.1',
    port: 0,
    obstacles: async () => obstacles(),
    metrics,
  });
  closing.push(() => server.close());
  const get = async (path: string) => {
    const answer = await fetch(`${server.origin}${path}`);
    return {
      status: answer.status,
      type: answer.headers.get('content-type'),
      text: await answer.text(),
    };
  };
  const lines = async () => (await get('/metrics')).text.split('\n');
  return { get, lines, clock, events, measures: metrics.measures };
}

test('tells what the store, the queue and the process know', async () => {
  const { get, lines, measures } = await start({
    service: async () => FIGURES,
    queue: async () => DEPTH,
  });
  measures.entriesRead(5);
  measures.entriesRead(6);
  expect((await lines()).some((line) => line.startsWith('pointage_canary_found{'))).toBe(false);
  measures.canaryJudged(true);
  measures.jobEnded({ kind: 'merchant', outcome: 'failed', milliseconds: 300 });
  measures.deliveryTried({ channel: 'mail', outcome: 'RETRY', count: 3 });
  measures.callAnswered({ method: 'GET', route: '/runs/:id', status: 404, milliseconds: 4 });
  expect((await get('/metrics')).type).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(await lines()).toEqual(
    expect.arrayContaining([
      'pointage_exposure{currency="XOF",state="open",age=">90"} 6200',
      'pointage_exposure_findings{currency="XOF",state="open",age=">90"} 3',
      'pointage_exposure_findings{currency="unknown",state="open",age="0-1"} 1',
      'pointage_store_up 1',
      'pointage_runs{kind="night",outcome="complete"} 3',
      'pointage_night_lag_seconds 10',
      'pointage_merchant_lag_seconds 15',
      'pointage_night_merchants{state="done"} 2',
      'pointage_night_merchants{state="waiting"} 0',
      'pointage_night_duration_seconds 10',
      'pointage_night_entries_per_second 5',
      'pointage_merchants{verdict="broken"} 2',
      'pointage_merchants{verdict="clean"} 0',
      'pointage_findings{severity="critical",state="open"} 4',
      'pointage_findings{severity="error",state="open"} 0',
      'pointage_mirror_entries 77',
      'pointage_log_continued 1',
      'pointage_queue_jobs{kind="merchant",state="waiting"} 9',
      'pointage_deliveries{channel="mail",state="FAILED"} 1',
      'pointage_entries_read_total 11',
      'pointage_canary_found{version="0.0.0-test"} 1',
      'pointage_job_duration_seconds_bucket{le="0.5",kind="merchant",outcome="failed"} 1',
      'pointage_job_duration_seconds_bucket{le="0.1",kind="merchant",outcome="failed"} 0',
      'pointage_delivery_attempts_total{channel="mail",outcome="RETRY"} 3',
      'pointage_http_request_duration_seconds_count{method="GET",route="/runs/:id",status="404"} 1',
      'pointage_build_info{version="0.0.0-test"} 1',
    ]),
  );
  expect((await lines()).some((line) => line.startsWith('process_resident_memory_bytes '))).toBe(
    true,
  );
});

test('a lag that is not known is absent, not 0', async () => {
  const none = { ...FIGURES, lastNightFinishedAt: null, newestNight: null, oldestWatermark: null };
  const { lines } = await start({ service: async () => none, queue: null });
  const told = await lines();
  expect(told).toContain('pointage_store_up 1');
  expect(told.filter((line) => /^pointage_(night|merchant_lag|queue)/.test(line))).toEqual([]);
});

test('a store that is away leaves its figures out, and the rest is served', async () => {
  let isAway = false;
  const service = async () => {
    if (isAway) throw new Error('the database is away');
    return FIGURES;
  };
  const { lines, clock, events } = await start({ service, queue: async () => DEPTH });
  expect(await lines()).toContain('pointage_mirror_entries 77');
  isAway = true;
  clock.now += 2_000;
  const told = await lines();
  expect(told).toContain('pointage_store_up 0');
  expect(told).toContain('pointage_queue_jobs{kind="merchant",state="waiting"} 9');
  expect(
    told.filter((line) => /^pointage_(runs|night|merchant|findings|mirror)/.test(line)),
  ).toEqual([]);
  expect(events).toEqual([
    { level: 'warn', event: 'no figures', what: 'store', failure: 'the database is away' },
  ]);
});

test('scrapes of a short while share one reading, and then there is a new one', async () => {
  let readings = 0;
  const service = async () => {
    readings += 1;
    return FIGURES;
  };
  const { lines, clock } = await start({ service, queue: null });
  await Promise.all([lines(), lines(), lines()]);
  expect(readings).toBe(1);
  clock.now += 1_500;
  await lines();
  expect(readings).toBe(2);
});

test('is alive whatever happens, ready only without obstacles, and answers nothing else', async () => {
  const obstacles: string[] = [];
  const { get } = await start({ service: null, queue: null }, () => obstacles);
  expect(await get('/ready')).toMatchObject({ status: 200, text: '{"status":"ready"}' });
  obstacles.push('it is stopping');
  expect(await get('/ready')).toMatchObject({
    status: 503,
    text: '{"status":"not ready","obstacles":["it is stopping"]}',
  });
  expect(await get('/health')).toMatchObject({ status: 200, text: '{"status":"ok"}' });
  expect((await get('/')).status).toBe(404);
});
