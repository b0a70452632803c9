// The trail: each call of an operator over HTTP and in the console leaves one entry that says who,
// about whom, what, and how it ended, and no secret.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTrail } from '../../src/service/workflows/operators/trail.ts';
import { pointage } from '../support/command.ts';
import { type ConsoleBooks, openConsoleBooks } from '../support/console-books.ts';
import { OPERATOR, operatorOf } from '../support/operator-books.ts';
import { tokenOf } from '../support/report-server.ts';

const READER = operatorOf('lecture', ['reader']);
const SCRAPER = operatorOf('prometheus', ['metrics']);

let opened: ConsoleBooks;
beforeAll(async () => {
  opened = await openConsoleBooks(
    { SOUND: [], DRIFTED: ['BALANCE_DRIFT'] },
    { others: [READER, SCRAPER] },
  );
});
afterAll(() => opened.close());

const bearer = ({ token }: { readonly token: string }) => ({ authorization: `Bearer ${token}` });

async function call(
  path: string,
  { by = OPERATOR, body }: { by?: { token: string }; body?: object } = {},
) {
  const headers = {
    ...bearer(by),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const init =
    body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(`${opened.server.origin}${path}`, init);
  return { status: answer.status, json: (await answer.json()) as never };
}

interface Entry {
  readonly number: number;
  readonly operator: string;
  readonly via: string;
  readonly action: string;
  readonly merchant: string | null;
  readonly subject: string | null;
  readonly status: number;
}

/**
 * Returns the entries of this test, oldest first. The reading of the trail itself is among them.
 */
async function entries(query = ''): Promise<readonly Entry[]> {
  await opened.server.trail.settle();
  const { json } = await call(`/trail?${query}`);
  return (json as { items: Entry[] }).items.filter(({ number }) => number > last).toReversed();
}

let last = 0;
beforeEach(async () => {
  await opened.server.trail.settle();
  const { rows } = await opened.books.store.pool.query<{ last: number }>(
    'select max(entry_number) as last from trail',
  );
  last = Number(rows[0]?.last ?? 0);
});

const shown = ({ operator, via, action, merchant, subject, status }: Entry) =>
  [operator, via, action, merchant, subject, status].join(' | ');

async function finding(): Promise<string> {
  const { json } = await call('/findings?merchant=DRIFTED');
  return (json as { items: { fingerprint: string }[] }).items[0]!.fingerprint;
}

test('has what was read and decided, by whom, of which merchant and how it was answered', async () => {
  const one = await finding();
  await call(`/findings/${one}`, { by: READER });
  const decision = { action: 'acknowledge', reason: 'seen' };
  await call(`/findings/${one}/decisions`, { by: READER, body: decision });
  await call(`/findings/${one}/decisions`, { body: decision });
  await call('/audits', { body: { merchant: 'SOUND' } });
  await call('/merchants/SOUND', { by: READER });
  await call('/merchants/NOPE', { by: READER });
  expect((await entries()).map(shown)).toEqual([
    'controle | http | GET /findings | DRIFTED |  | 200',
    `lecture | http | GET /findings/:fingerprint | DRIFTED | ${one} | 200`,
    `lecture | http | POST /findings/:fingerprint/decisions |  | ${one} | 403`,
    `controle | http | POST /findings/:fingerprint/decisions | DRIFTED | ${one} acknowledge | 201`,
    'controle | http | POST /audits | SOUND |  | 202',
    'lecture | http | GET /merchants/:reference | SOUND |  | 200',
    'lecture | http | GET /merchants/:reference | NOPE |  | 404',
  ]);
});

test('has the pages of the console, login and logout, and neither tokens nor forms', async () => {
  const { origin } = opened.server;
  const cookies = (answer: Response) =>
    answer.headers
      .getSetCookie()
      .map((set) => set.split(';')[0])
      .join('; ');
  const formOf = (page: string) => /name="form" value="([^"]+)"/.exec(page)![1]!;
  const login = await fetch(`${origin}/login`);
  const fields = { form: formOf(await login.text()), next: '/', draft: '', token: OPERATOR.token };
  const post = (path: string, cookie: string, body: Record<string, string>) =>
    fetch(`${origin}${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie },
      body: new URLSearchParams(body),
    });
  const entered = await post('/login', cookies(login), fields);
  const cookie = cookies(entered);
  const page = await fetch(`${origin}/console/merchants/SOUND`, { headers: { cookie } });
  const form = formOf(await page.text());
  await (
    await fetch(`${origin}/console/findings?state=open&merchant=DRIFTED`, { headers: { cookie } })
  ).text();
  await post(`/console/findings/${await finding()}`, cookie, {
    form,
    action: 'settle',
    reason: 'a-secret-reason',
  });
  await post('/logout', cookie, { form });
  expect((await entries()).map(shown)).toEqual([
    'controle | console | POST /login |  |  | 303',
    'controle | console | GET /console/merchants/:merchant | SOUND |  | 200',
    'controle | console | GET /console/findings | DRIFTED |  | 200',
    'controle | http | GET /findings | DRIFTED |  | 200',
    `controle | console | POST /console/findings/:fingerprint | DRIFTED | ${await finding()} settle | 409`,
    'controle | console | POST /logout |  |  | 303',
  ]);
  const { rows } = await opened.books.store.pool.query('select * from trail');
  for (const text of [OPERATOR.token, form, 'a-secret-reason'])
    expect(JSON.stringify(rows)).not.toContain(text);
});

test('has the months that a merchant has made over the Report API', async () => {
  const authenticationtoken = await tokenOf('SOUND');
  const generate = async (period: string) => {
    const body = JSON.stringify({ merchant_reference: 'SOUND', period });
    const headers = { authenticationtoken, 'content-type': 'application/json' };
    const path = `${opened.server.origin}/web-merchant/reports/generate`;
    return (await fetch(path, { method: 'POST', headers, body })).status;
  };
  expect([await generate('2026-10'), await generate('2026-12')]).toEqual([201, 400]);
  expect((await entries()).map(shown)).toEqual([
    'merchant SOUND | http | POST /web-merchant/reports/generate | SOUND | 2026-10 r1 | 201',
  ]);
});

test('leaves out calls of no operator, and those of a program that reads the metrics', async () => {
  const { origin } = opened.server;
  await fetch(`${origin}/merchants`, { headers: bearer({ token: 'x'.repeat(40) }) });
  await fetch(`${origin}/health`);
  await fetch(`${origin}/metrics`, { headers: bearer(SCRAPER) });
  await call('/runs', { by: SCRAPER });
  expect((await entries()).map(shown)).toEqual(['prometheus | http | GET /runs |  |  | 403']);
});

test('is read by key and by filter, by auditors alone', async () => {
  for (const path of ['/merchants/SOUND', '/merchants/DRIFTED', '/merchants/SOUND'])
    await call(path, { by: READER });
  expect((await entries('merchant=SOUND')).map(({ merchant }) => merchant)).toEqual([
    'SOUND',
    'SOUND',
  ]);
  expect((await entries('operator=lecture')).length).toBe(3);
  expect((await entries('operator=ama')).length).toBe(0);
  const [first, second] = [
    await call('/trail?limit=2&operator=lecture'),
    await call('/trail?limit=2'),
  ].map(({ json }) => json as { items: Entry[]; next: string });
  const next = (await call(`/trail?limit=1&operator=lecture&before=${first!.next}`)).json as {
    items: Entry[];
  };
  expect(next.items[0]!.number).toBeLessThan(first!.items[1]!.number);
  expect(second!.items.map(({ action }) => action)).toContain('GET /trail');
  expect((await call('/trail', { by: READER })).status).toBe(403);
  expect((await call('/trail?from=2030-01-01T00:00:00Z')).json).toEqual({ items: [], next: null });
});

test('is printed by a command, safe for spreadsheets', async () => {
  const deed = {
    operator: '=cmd()',
    via: 'http',
    action: 'GET /x',
    merchant: 'SOUND',
    subject: '+1',
    status: 200,
  } as const;
  await opened.server.trail.write([deed]);
  const words = ['trail', '--merchant', 'SOUND', '--database-url', opened.books.databaseUrl];
  const csv = await pointage([...words, '--limit', '1', '--format', 'csv']);
  expect([csv.status, csv.out.split('\r\n')[1]]).toEqual([
    0,
    expect.stringMatching(/;'=cmd\(\);http;GET \/x;SOUND;'\+1;200$/),
  ]);
  expect(csv.err).toContain('There are more');
  expect((await pointage([...words, '--operator', 'nobody'])).out).toBe(
    'There are no such entries.\n',
  );
});

test('an entry that cannot be written is logged as an error, and written with the next one', async () => {
  const { store } = opened.books;
  const events: object[] = [];
  let isAway = true;
  const pool = Object.create(store.pool, {
    connect: { value: () => (isAway ? Promise.reject(new Error('away')) : store.pool.connect()) },
  });
  const trail = openTrail(
    { ...store, pool },
    { clock: () => opened.clock.now, log: (event) => void events.push(event) },
  );
  const deed = {
    operator: 'awa',
    via: 'http',
    action: 'POST /x',
    merchant: null,
    status: 201,
  } as const;
  await trail.write([{ ...deed, subject: 'first' }]);
  expect(events).toMatchObject([
    { event: 'trail not written yet', waiting: 1, failure: { message: 'away' } },
  ]);
  isAway = false;
  trail.note({ ...deed, subject: 'second' });
  await trail.write([{ ...deed, subject: 'third' }]);
  expect((await entries('operator=awa')).map(({ subject }) => subject)).toEqual([
    'first',
    'second',
    'third',
  ]);
});
