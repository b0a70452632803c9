// Operators that a command adds. A token is shown once and kept nowhere, opens what the roles allow
// over HTTP and in the console, and opens nothing once it is revoked or expired.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import { pointage } from '../support/command.ts';
import { type ConsoleBooks, openConsoleBooks } from '../support/console-books.ts';
import { OPERATOR } from '../support/operator-books.ts';

let opened: ConsoleBooks;
beforeAll(async () => {
  opened = await openConsoleBooks({ SOUND: [] });
});
afterAll(() => opened.close());

const operator = (...words: readonly string[]) =>
  pointage(['operator', ...words, '--database-url', opened.books.databaseUrl], {
    clock: () => opened.clock.now,
  });

async function add(...words: readonly string[]): Promise<string> {
  const { status, out, err } = await operator('add', ...words);
  expect([status, err]).toEqual([0, expect.stringContaining('The token is shown this once')]);
  expect(out).toMatch(/^pointage_[\w-]{43}\n$/);
  return out.trim();
}

const read = async (token: string, path: string) =>
  (await fetch(`${opened.server.origin}${path}`, { headers: { authorization: `Bearer ${token}` } }))
    .status;

test('a token opens what its roles allow, and is in no table', async () => {
  const token = await add('awa', '--role', 'reader');
  expect(await read(token, '/merchants')).toBe(200);
  expect(await read(token, '/metrics')).toBe(403);
  expect(await read(token.slice(0, -1), '/merchants')).toBe(401);
  const { rows } = await opened.books.store.pool.query('select * from operators');
  expect(rows).toMatchObject([{ operator_name: 'awa', used_on: '2026-11-09' }]);
  expect(JSON.stringify(rows)).not.toContain(token.slice(10));
});

test('an accountant reads the one merchant, which must be known', async () => {
  const token = await add('comptable', '--role', 'accountant', '--merchant', 'SOUND');
  expect([await read(token, '/merchants/SOUND'), await read(token, '/merchants')]).toEqual([
    200, 403,
  ]);
  for (const [words, says] of [
    [['--role', 'accountant', '--merchant', 'NOPE'], "no merchant 'NOPE'"],
    [['--role', 'accountant'], 'an accountant has one merchant'],
    [['--role', 'reader', '--merchant', 'SOUND'], 'an accountant has one merchant'],
    [['--role', 'boss'], '--role must be one of reader, investigator'],
    [[], "required option '--role <role...>'"],
    [['--role', 'reader', '--expires', '2026-11-01'], 'must be to come'],
    [['--role', 'reader', '--expires', 'soon'], 'is not an instant'],
  ] as const) {
    const { status, out, err } = await operator('add', 'other', ...words);
    expect([status, out]).toEqual([3, '']);
    expect(err).toContain(says);
  }
});

test('an expired or revoked token is refused at once, also in a session that it began', async () => {
  const [short, long] = [
    await add('bref', '--role', 'reader', '--expires', '2d'),
    await add('ama', '--role', 'reader'),
  ];
  const pages = { short: await sessionOf(short), long: await sessionOf(long) };
  expect([await pages.short(), await pages.long()]).toEqual([true, true]);
  opened.clock.now += 2 * DAY;
  const renewed = await sessionOf(long);
  expect([await read(short, '/merchants'), await pages.short()]).toEqual([401, false]);
  expect([await read(long, '/merchants'), await renewed()]).toEqual([200, true]);
  expect(await operator('revoke', 'ama')).toMatchObject({ status: 0, out: 'ama is revoked.\n' });
  expect([await read(long, '/merchants'), await renewed()]).toEqual([401, false]);
  const again = await operator('revoke', 'ama');
  expect([again.status, again.err]).toEqual([
    3,
    expect.stringContaining('There is no operator ama to revoke'),
  ]);
  expect(await read(await add('ama', '--role', 'reader'), '/merchants')).toBe(200);
});

test('a name is one operator, in the configuration or in the store', async () => {
  await add('kofi', '--role', 'reader');
  const twice = await operator('add', 'kofi', '--role', 'decider');
  expect([twice.status, twice.err]).toEqual([
    3,
    expect.stringContaining('There is an operator kofi already'),
  ]);
  // The same name is configured later, or on another machine: the operator of the configuration
  // holds good.
  const token = await add(OPERATOR.name, '--role', 'publisher');
  expect([await read(token, '/merchants'), await read(OPERATOR.token, '/merchants')]).toEqual([
    401, 200,
  ]);
});

test('the list has every one, with state, end and last day, and no secret', async () => {
  const { status, out } = await operator('list', '--format', 'json');
  expect(status).toBe(0);
  const listed = JSON.parse(out) as readonly { name: string; state: string }[];
  expect(listed.map(({ name, state }) => `${name}: ${state}`)).toEqual([
    'ama: in force',
    'awa: in force',
    'bref: expired',
    'comptable: in force',
    'controle: in force',
    'kofi: in force',
    'ama: revoked',
  ]);
  expect(listed[1]).toMatchObject({
    roles: 'reader',
    from: 'store',
    expiresAt: null,
    usedOn: '2026-11-09',
  });
  expect((await operator('list')).out).toContain('in force');
});

/** Begins a session, and returns what tells whether the first page is still shown in it. */
async function sessionOf(token: string): Promise<() => Promise<boolean>> {
  const cookies = (answer: Response) =>
    answer.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');
  const login = await fetch(`${opened.server.origin}/login`);
  const form = /name="form" value="([^"]+)"/.exec(await login.text())![1]!;
  const body = new URLSearchParams({ form, next: '/', draft: '', token });
  const headers = { cookie: cookies(login) };
  const entered = await fetch(`${opened.server.origin}/login`, {
    method: 'POST',
    body,
    headers,
    redirect: 'manual',
  });
  expect(entered.status).toBe(303);
  const cookie = cookies(entered);
  return async () => {
    const page = await fetch(`${opened.server.origin}/`, { headers: { cookie } });
    return (await page.text()).includes('<h1>Ce matin</h1>');
  };
}
