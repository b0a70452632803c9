// `pointage lab sandbox` as a process: merchants drawn from a seed, faults and trouble by name, and
// the lists of these names. With the configuration that it prints, the engine finds what was
// planted and nothing else.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { FAULTS_FROM_THE_START } from '../../src/sandbox/faults/register.ts';
import { MISBEHAVIOURS } from '../../src/sandbox/service/account/settings.ts';
import { CHOICES, DASHBOARD_CHOICES } from '../../src/sandbox/service/control/choices.ts';
import { pointage } from '../support/command.ts';

const MAIN = join(resolve(import.meta.dirname, '../..'), 'src/service/cli/main.js');
const scratch = mkdtempSync(join(tmpdir(), 'pointage-sandbox-'));
const children: ChildProcess[] = [];
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
});

interface Started {
  readonly child: ChildProcess;
  readonly origin: string;
  readonly configuration: string;
  // biome-ignore lint/suspicious/noExplicitAny: a configuration as it is printed
  readonly printed: any;
  readonly said: string;
}

async function serve(...words: string[]): Promise<Started> {
  const child = spawn(process.execPath, [MAIN, 'lab', 'sandbox', '--port', '0', ...words], {
    env: { PATH: process.env.PATH },
  });
  children.push(child);
  let [out, said] = ['', ''];
  child.stdout.on('data', (part) => (out += part));
  child.stderr.on('data', (part) => (said += part));
  while (!out.endsWith('\n}\n') && child.exitCode === null) await sleep(20);
  const printed = JSON.parse(out);
  const configuration = join(scratch, `${children.length}.json`);
  writeFileSync(configuration, out);
  return { child, origin: printed.source.replace('/v1', ''), configuration, printed, said };
}

const call = async (origin: string, path: string, init: RequestInit = {}) => {
  const answer = await fetch(`${origin}${path}`, init);
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into answers of every shape
  return { status: answer.status, body: (await answer.json()) as any };
};

/** Returns kind and merchant of every root that an audit finds. */
async function rootsFound({ configuration, printed }: Started): Promise<readonly string[]> {
  const words = [
    'audit',
    '--config',
    configuration,
    '--source',
    printed.source,
    '--as-of',
    '2026-10-31T12:00:00Z',
  ];
  const { out, err } = await pointage([...words, '--format', 'json']);
  expect(out, err).not.toBe('');
  type Audited = {
    readonly merchant: string;
    readonly findings: readonly { kind: string; causedBy: string | null }[];
  };
  const { merchants } = JSON.parse(out) as { readonly merchants: readonly Audited[] };
  return merchants
    .flatMap(({ merchant, findings }) =>
      findings.filter(({ causedBy }) => causedBy === null).map(({ kind }) => `${merchant} ${kind}`),
    )
    .toSorted();
}

test('serves so many merchants of the seed, with the faults that were asked for: an audit finds those and no others', async () => {
  const started = await serve('--merchants', '4', '--faults', 'BALANCE_DRIFT,CREDIT_MISSING');
  expect(Object.keys(started.printed.merchants)).toEqual(
    [1, 2, 3, 4].map((n) => `BOUTIQUE_000${n}`),
  );
  const planted = [
    ...started.said.matchAll(/^Planted (\S+) at (\S+): an audit should find (\S+) \(\S.*\)\.$/gm),
  ];
  expect(planted.map(([, name]) => name)).toEqual(['BALANCE_DRIFT', 'CREDIT_MISSING']);
  expect(new Set(planted.map(([, , merchant]) => merchant)).size).toBe(2);
  const expected = planted.map(([, , merchant, kind]) => `${merchant} ${kind}`).toSorted();
  expect(await rootsFound(started)).toEqual(expected);
  const { expected: listed } = (
    await call(started.origin, `/sandbox/merchants/${planted[0]![2]}/expected`)
  ).body;
  expect(listed.map(({ kind }: { kind: string }) => kind)).toEqual(['BALANCE_DRIFT']);
  started.child.kill('SIGTERM');
  expect(await once(started.child, 'exit')).toEqual([0, null]);
});

test('misbehaves by its options, and leaves fates to decisions', async () => {
  const { origin } = await serve(
    ...[
      '--merchants',
      '1',
      '--fates',
      'decided',
      '--misbehaviours',
      'FAILING=0.25,SLOW_CREATIONS,DELIVERED_TWICE',
    ],
  );
  expect((await call(origin, '/sandbox/fates')).body).toEqual({ fates: 'decided' });
  expect((await call(origin, '/sandbox/misbehaviour')).body).toEqual({
    failureRate: 0.25,
    rateLimit: null,
    latency: null,
    creationTakes: { from: 1_000, to: 3_000 },
    unavailableBeforeRecording: 0,
    unavailableAfterRecording: 0,
    misdelivery: { DELIVERED_TWICE: 0.1 },
  });
});

test('sends to private networks by plain HTTP where that was asked for', async () => {
  const patched = async (...words: string[]) => {
    const { origin, printed } = await serve('--merchants', '1', ...words);
    const [{ apiKey, apiSecret }] = Object.values(printed.merchants) as [
      { apiKey: string; apiSecret: string },
    ];
    const headers = { 'x-api-key': apiKey, 'x-api-secret': apiSecret };
    const body = JSON.stringify({ webhookUrl: 'http://10.1.2.3/hook' });
    return (await call(origin, '/v1/merchants/me', { method: 'PATCH', headers, body })).status;
  };
  expect(await patched()).toBe(400);
  expect(await patched('--private-http')).toBe(200);
});

describe('what there is by name', () => {
  test.each([
    ['--faults list', FAULTS_FROM_THE_START.map(({ name, says }) => [name, says])],
    ['--misbehaviours list', [...MISBEHAVIOURS].map(([name, { says }]) => [name, says])],
    [
      '--choices',
      [...CHOICES, ...DASHBOARD_CHOICES].map(({ subject, chosen }) => [subject, chosen]),
    ],
  ] as const)('is listed: %s', async (what, rows) => {
    const { status, out, err } = await pointage(['lab', 'sandbox', ...what.split(' ')]);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    const said = out.replaceAll(/[│\s]+/g, ' ');
    expect(rows.length).toBeGreaterThan(8);
    for (const [name, says] of rows) {
      expect(said).toContain(` ${name}`);
      for (const word of says!.split(' ')) expect(said, says).toContain(word);
    }
  });

  test.each([
    [
      '--faults',
      'BALANCE_DRFT',
      /knows no 'BALANCE_DRFT' \(did you mean BALANCE_DRIFT\?\): .*--faults list/,
    ],
    ['--faults', 'OPERATION_VANISHED', /'pointage lab sandbox --faults list' names them/],
    ['--misbehaviours', 'SLOWLY', /knows no 'SLOWLY' .*--misbehaviours list/],
    ['--misbehaviours', 'FAILING=1.5', /the share of FAILING must be from 0 to 1, not '1.5'/],
    ['--misbehaviours', 'FAILING=', /the share of FAILING must be from 0 to 1/],
    ['--misbehaviours', 'HASTY=0.5', /HASTY has no share/],
    ['--merchants', '501', /whole number from 1 to 500/],
    ['--fates', 'chance', /Allowed choices are drawn, decided/],
  ])('is refused in one sentence where it is not: %s %s', async (option, value, says) => {
    const { status, out, err } = await pointage(['lab', 'sandbox', '--port', '0', option, value]);
    expect({ status, out }).toEqual({ status: 3, out: '' });
    expect(err).toMatch(says);
  });

  test('a fault that has no place, because all books have one, is refused', async () => {
    const words = [
      'lab',
      'sandbox',
      '--port',
      '0',
      '--merchants',
      '1',
      '--faults',
      'BALANCE_DRIFT,CREDIT_MISSING',
    ];
    const { status, err } = await pointage(words);
    expect(status).toBe(3);
    expect(err).toMatch(
      /--faults: no sound books offer a place for CREDIT_MISSING; give more --merchants/,
    );
  });
});
