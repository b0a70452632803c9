// What a worker tells of itself while it works: a night as spans in a collector, its probes and
// metrics on a port of their own, and its log without secrets. It leaves when it is told to.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { planMerchant } from '../../src/sandbox/model/plan.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/service/start-sandbox.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { startTraceCollector, type TraceCollector } from '../support/trace-collector.ts';

const MAIN = join(resolve(import.meta.dirname, '../..'), 'src/service/cli/main.js');
const START = Date.UTC(2026, 9, 10);

let opened: TestStore;
let collector: TraceCollector;
let sandbox: Sandbox;
let scratch: string;
beforeEach(async () => {
  opened = await openTestStore();
  collector = await startTraceCollector();
  const plans = ['ALPHA', 'BETA'].map((reference) =>
    planMerchant({ reference, country: 'SN', opensAt: START - 2 * 86_400_000 }),
  );
  sandbox = await startSandbox({ seed: 'telemetry', merchants: plans, start: START, port: 0 });
  scratch = mkdtempSync(join(tmpdir(), 'pointage-telemetry-'));
});
afterEach(async () => {
  await sandbox.close();
  collector.close();
  await opened.close();
  rmSync(scratch, { recursive: true, force: true });
});

function startWorker(words: readonly string[]): { readonly child: ChildProcess; said(): string } {
  const merchants = sandbox.merchants.map(({ reference, apiKey, apiSecret }) => [
    reference,
    { apiKey, apiSecret },
  ]);
  const settings = {
    databaseUrl: opened.databaseUrl,
    source: sandbox.url,
    merchants: Object.fromEntries(merchants),
    telemetry: { port: 0, tracesUrl: collector.url },
  };
  const file = join(scratch, 'settings.json');
  writeFileSync(file, JSON.stringify(settings));
  const env = { PATH: process.env.PATH, POINTAGE_LOG: 'debug' };
  const child = spawn(process.execPath, [MAIN, 'worker', '--config', file, ...words], {
    env,
    cwd: scratch,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part: Buffer) => {
      said += part.toString();
    });
  }
  return { child, said: () => said };
}

test('a night is a trace for each merchant, from the job to the call, and nothing in it is secret', async () => {
  const { child, said } = startWorker(['--once']);
  await once(child, 'exit');
  const spans = collector.spans();
  const parentOf = (name: string) => {
    const parents = spans
      .filter((span) => span.name === name)
      .map(({ parentSpanId }) => spans.find(({ spanId }) => spanId === parentSpanId)?.name);
    return [...new Set(parents)].sort();
  };
  expect(spans.filter(({ name }) => name === 'merchant')).toHaveLength(2);
  expect(parentOf('merchant')).toEqual(['job merchants']);
  for (const part of ['mirror', 'replay', 'save'])
    expect([part, parentOf(part)]).toEqual([part, ['merchant']]);
  expect(parentOf('page')).toEqual(['mirror']);
  expect(parentOf('call')).toContain('mirror');
  const merchant = JSON.stringify(spans.find(({ name }) => name === 'merchant'));
  for (const key of ['merchant', 'runId', 'verdict', 'entries'])
    expect(merchant).toContain(`"key":"${key}"`);
  const log = said();
  expect(log).toContain('"event":"merchant settled"');
  for (const { apiKey, apiSecret } of sandbox.merchants) {
    for (const secret of [apiKey, apiSecret])
      expect(`${collector.bodies.join('')}${log}`).not.toContain(secret);
  }
  expect(collector.bodies.join('')).not.toMatch(/\+22\d{6}/);
});

test('a worker answers probes and scrapes on its own port, and ends with status 0 on SIGTERM', async () => {
  const { child, said } = startWorker([]);
  const exited = once(child, 'exit');
  await expect.poll(said, { timeout: 20_000 }).toContain('"event":"telemetry"');
  const [, origin] = /"origin":"(http:[^"]+)"/.exec(said())!;
  await expect.poll(async () => (await fetch(`${origin}/ready`)).status).toBe(200);
  expect((await fetch(`${origin}/health`)).status).toBe(200);
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  expect(metrics).toContain('pointage_store_up 1\n');
  expect(metrics).toMatch(/^pointage_queue_jobs\{kind="merchant",state="waiting"\} 0$/m);
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});
