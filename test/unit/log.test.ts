// A line of the log holds what happened, at its level, and no secret, wherever the secret was in
// it.

import { expect, test } from 'vitest';
import { loadConfiguration, secretsOf } from '../../src/service/config/load-configuration.ts';
import { type LogLevel, openLog } from '../../src/service/log.ts';

function logInto(level: LogLevel) {
  const lines: string[] = [];
  const log = openLog(level, (line) => void lines.push(line));
  return { log, lines, last: () => JSON.parse(lines.at(-1)!) as Record<string, unknown> };
}

test('a line has its time, its level and the fields of its run, merchant and job', () => {
  const { log, last } = logInto('info');
  log.write({
    runId: 7,
    merchant: 'M001',
    jobId: 'a-job',
    event: 'merchant ended',
    verdict: 'clean',
  });
  expect(last()).toMatchObject({
    level: 'info',
    runId: 7,
    merchant: 'M001',
    jobId: 'a-job',
    event: 'merchant ended',
    verdict: 'clean',
  });
  expect(last().time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
});

test('what is below the level of the log is not written, and nothing at all by a silent one', () => {
  const { log, lines } = logInto('silent');
  log.write({ level: 'error', event: 'a' });
  log.listenFrom('warn');
  for (const level of ['error', 'warn', 'info', 'debug'] as const)
    log.write({ level, event: level });
  log.write({ event: 'without a level' });
  log.write({ event: 'a failure', failure: 'why' });
  const events = lines.map((line) => (JSON.parse(line) as { event: string }).event);
  expect(events).toEqual(['error', 'warn', 'a failure']);
});

test('a known secret is replaced everywhere: in a message, in a key, in an address, escaped or not', () => {
  const { log, lines, last } = logInto('debug');
  const secret = 'p"ss/wörd+1';
  log.keep([secret]);
  log.write({
    failure: new Error(`the service said ${secret}`).stack,
    [secret]: 1,
    deep: { a: [{ b: [secret] }] },
  });
  log.write({
    url: `https://host/?q=${encodeURIComponent(secret)}&z=1`,
    text: JSON.stringify({ x: secret }),
  });
  for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]) {
    expect(lines.join('')).not.toContain(form);
  }
  expect(last().url).toBe('https://host/?q=[secret]&z=1');
});

test('a failure is written with its stack and that of its cause, without the secrets of either', () => {
  const { log, last } = logInto('info');
  log.keep(['known-secret']);
  const cause = new Error('no answer from postgres://bob:hush@db.example/x');
  log.write({ event: 'job failed', failure: new Error('refused: known-secret', { cause }) });
  expect(last()).toMatchObject({ level: 'error', event: 'job failed' });
  expect(last().failure).toMatch(
    /^Error: refused: \[secret\]\n +at .*\nCaused by: Error: .*postgres:\/\/db.example\/x\n +at /s,
  );
});

test('a value under the name of a secret is replaced at any depth, also in a text that is JSON', () => {
  const { log, last } = logInto('debug');
  const inside = {
    'x-api-secret': 'hush-1',
    list: [{ password: 'hush-2', Authorization: 'Bearer hush-3' }],
  };
  log.write({
    a: { b: { c: { d: inside } } },
    body: JSON.stringify(inside),
    token: 4242424242,
    kept: 'shown',
  });
  expect(JSON.stringify(last())).not.toMatch(/hush|4242424242/);
  expect(last().kept).toBe('shown');
});

test('an address keeps its host and loses its user; people are shown the user, without the password', () => {
  const { log, last } = logInto('debug');
  const why =
    'postgres://bob:pa:ss@db.example:5432/x and https://token@hooks.example/a?access_token=abc&b=1';
  log.write({ why });
  expect(last().why).toBe(
    'postgres://db.example:5432/x and https://hooks.example/a?access_token=[secret]&b=1',
  );
  expect(
    log.conceal('smtp://bob:hush@mail.example refused; write it like postgres://USER@HOST'),
  ).toBe('smtp://bob@mail.example refused; write it like postgres://USER@HOST');
  log.write({ why: 'a@b.example wrote at https://host/people/x@y' });
  expect(last().why).toBe('a@b.example wrote at https://host/people/x@y');
});

test('every secret of a configuration is known as one, and nothing else of it', async () => {
  const configuration = await loadConfiguration(
    { config: 'test/unit/every-secret.json' },
    { MAIL: 'smtps://post:m%40il-secret@mail.example' },
  );
  const secrets = [...secretsOf(configuration)].sort();
  const text = JSON.stringify(configuration);
  expect(secrets.filter((secret) => !secret.startsWith('m@') && !text.includes(secret))).toEqual(
    [],
  );
  const named = [...text.matchAll(/[\w%@+/-]*-secret[\w+/=-]*/g)].map(([word]) =>
    word.replace(/^post:|@mail.*$/g, ''),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((word) => !secrets.some((secret) => secret.includes(word)))).toEqual([]);
  expect(secrets.filter((secret) => !/-secret|whsec_/.test(secret))).toEqual([]);
  expect(
    secretsOf({ ...configuration, databaseUrl: 'postgres://pointage:pointage@db/pointage' }),
  ).not.toContain('pointage');
});

test.each(['\\\\', 'a-', 'a.', '\\\\"'])('a long run of %s is concealed in linear time', (part) => {
  const { log } = logInto('silent');
  const time = (count: number): number => {
    const begun = process.cpuUsage().user;
    log.conceal(part.repeat(count));
    return process.cpuUsage().user - begun;
  };
  time(1_000);
  // If it were searched from each of its places again, it would take ten seconds of the processor.
  expect(time(100_000)).toBeLessThan(1_000_000);
});
