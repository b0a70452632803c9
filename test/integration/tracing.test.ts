// Traces as a collector receives them: spans within spans, failures by name, no secrets. A
// collector that is away costs the work nothing.

import { afterEach, expect, test } from 'vitest';
import { NO_TRACING } from '../../src/core/domain/measures.ts';
import { openLog } from '../../src/service/log.ts';
import { openTracing } from '../../src/service/telemetry/open-tracing.ts';
import { startTraceCollector, type TraceCollector } from '../support/trace-collector.ts';

const collectors: TraceCollector[] = [];
afterEach(() => {
  for (const collector of collectors.splice(0)) collector.close();
});

async function startCollector(): Promise<TraceCollector> {
  const collector = await startTraceCollector();
  collectors.push(collector);
  return collector;
}

function open(url: string, events: object[] = [], patience = 5_000) {
  const { keep, conceal } = openLog('silent');
  keep(['hush-hush']);
  const log = (event: object): void => void events.push(event);
  return openTracing({
    url,
    role: 'worker',
    version: '0.0.0-test',
    conceal,
    log,
    clock: Date.now,
    patience,
  });
}

test('spans of work within work, also side by side, reach the collector at the latest when it closes', async () => {
  const { url, bodies, spans } = await startCollector();
  const tracing = open(url);
  const told = await tracing.span('run', { runId: 7 }, () =>
    Promise.all(
      ['A', 'B'].map((merchant) =>
        tracing.span('merchant', { merchant }, async () => {
          await new Promise((resolve) => setTimeout(resolve, merchant === 'A' ? 5 : 1));
          return tracing.span('page', { merchant, entries: 3 }, async () => merchant);
        }),
      ),
    ),
  );
  await tracing.close();
  expect(told).toEqual(['A', 'B']);
  const all = spans();
  const named = (name: string, merchant?: string) =>
    all.find(
      (span) =>
        span.name === name &&
        (merchant === undefined || JSON.stringify(span).includes(`"${merchant}"`)),
    )!;
  expect(all.map(({ name }) => name).sort()).toEqual([
    'merchant',
    'merchant',
    'page',
    'page',
    'run',
  ]);
  expect(new Set(all.map(({ traceId }) => traceId)).size).toBe(1);
  for (const merchant of ['A', 'B']) {
    expect(named('page', merchant).parentSpanId).toBe(named('merchant', merchant).spanId);
    expect(named('merchant', merchant).parentSpanId).toBe(named('run').spanId);
  }
  expect(bodies.join('')).toContain('pointage-worker');
});

test('a failure goes on to the caller, and its span has its code, never its words', async () => {
  const { url, bodies, spans } = await startCollector();
  const tracing = open(url);
  const failure = Object.assign(new Error('refused hush-hush'), { code: 'INVALID_CREDENTIALS' });
  const failing = tracing.span(
    'call',
    { url: 'https://me:hush-hush@x/?payer=+2250700000000' },
    () => Promise.reject(failure),
  );
  await expect(failing).rejects.toBe(failure);
  await tracing.close();
  expect(spans()[0]!.status).toEqual({ code: 2, message: 'INVALID_CREDENTIALS' });
  expect(bodies.join('')).not.toMatch(/hush|22507|refused/);
});

test('a collector that is away fails no work and holds up the end no longer than its patience', async () => {
  const events: object[] = [];
  const tracing = open('http://127.0.0.1:1/v1/traces', events, 300);
  expect(await tracing.span('run', {}, async () => 'done')).toBe('done');
  const before = Date.now();
  await tracing.close();
  expect(Date.now() - before).toBeLessThan(1_000);
  expect(events.length).toBeLessThanOrEqual(1);
});

test('without a collector, work is done and nothing else', async () => {
  expect(await NO_TRACING.span('run', {}, async () => 'done')).toBe('done');
});
