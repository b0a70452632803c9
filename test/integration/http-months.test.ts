// Months and deliveries over HTTP. A held statement leaves by no way for the merchant's own people,
// and goes out when a person with the right says why and a second person confirms it. Sent once
// more, it is a delivery of its own. Closed, the month names who closed it and why.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { pointage } from '../support/command.ts';
import {
  ACCOUNTANT,
  BROKEN,
  type MonthBooks,
  openMonthBooks,
  SOUND,
} from '../support/month-books.ts';
import { OPERATOR, operatorOf } from '../support/operator-books.ts';
import { type TestServer, tokenOf } from '../support/report-server.ts';

const OWN = operatorOf('comptable', ['accountant'], BROKEN);
const SECOND = operatorOf('moussa', ['decider', 'publisher']);
const DECIDER = operatorOf('ama', ['decider']);
const MONTH = `/merchants/${BROKEN}/months/2026-10`;

let opened: MonthBooks;
let server: TestServer;
beforeAll(async () => {
  opened = await openMonthBooks([OWN, SECOND, DECIDER], { XOF: 0 });
  server = opened.server;
});
afterAll(() => opened.close());

const call = (path: string, body?: object, token = OPERATOR.token) =>
  fetch(`${server.origin}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
const read = async (path: string, token?: string): Promise<any> =>
  (await call(path, undefined, token)).json();
const refusal = async (path: string, body: object, token?: string) => {
  const answer = await call(path, body, token);
  const { error } = (await answer.json()) as { readonly error?: { code: string; message: string } };
  return [answer.status, error?.code, error?.message];
};
const rows = async (query: string) => (await opened.books.store.pool.query(query)).rows;

test('are listed with counts of the whole month, whatever is filtered', async () => {
  await opened.send();
  const { items, ...listed } = await read('/months');
  const counts = { stated: 2, broken: 1, held: 1, sent: 1, closed: 0 };
  expect(listed).toEqual({ period: '2026-10', counts, total: 2, limit: 50, offset: 0 });
  expect(items).toEqual([
    {
      ...{
        merchant: SOUND,
        period: '2026-10',
        revision: 1,
        statedAt: '2026-11-02T00:00:00.000Z',
        verdict: 'clean',
      },
      ...{ held: null, openRoots: 0, releasedAt: null, releasedBy: null, releaseReason: null },
      ...{ closedAt: null, closedBy: null, deliveries: { total: 1, sent: 1, stuck: 0 } },
    },
    expect.objectContaining({
      merchant: BROKEN,
      verdict: 'broken',
      held: 'broken',
      deliveries: { total: 1, sent: 0, stuck: 0 },
    }),
  ]);
  expect(items[1].openRoots).toBeGreaterThan(0);
  for (const [query, merchants] of [
    ['held=true', [BROKEN]],
    ['held=false', [SOUND]],
    ['verdict=clean', [SOUND]],
    ['period=2026-09', []],
    [`merchant=${BROKEN}`, [BROKEN]],
    ['limit=1&offset=1', [BROKEN]],
  ] as const) {
    const found = await read(`/months?${query}`);
    expect(
      found.items.map(({ merchant }: { merchant: string }) => merchant),
      query,
    ).toEqual(merchants);
    if (!/period|merchant/.test(query)) expect(found.counts).toEqual(counts);
  }
  expect((await call('/months?merchant=NOPE')).status).toBe(404);
  expect((await call('/months?period=2026-13')).status).toBe(400);
});

test('are listed by command as in the console', async () => {
  const list = async (...words: readonly string[]) =>
    (await pointage(['statement', 'list', ...words, '--database-url', opened.books.databaseUrl]))
      .out;
  expect(await list()).toMatch(
    new RegExp(`${SOUND}.*2026-10 r1.*clean.*[\\s\\S]*${BROKEN}.*broken.*held`),
  );
  const held = await list('--held', '--format', 'csv');
  expect(held).toContain(`\n${BROKEN};2026-10;`);
  expect(held).not.toContain(SOUND);
  expect(await list('--period', '2026-09')).toBe('No such statement was issued.\n');
});

test('held, a file leaves for no accountant; who sees every merchant may look at it, marked', async () => {
  const shown = await read(`${MONTH}/files`);
  expect(shown).toMatchObject({ revision: 1, held: true, error: null });
  const pdf = shown.items.find(({ format }: { format: string }) => format === 'pdf');
  const file = await call(`${MONTH}/files/pdf`);
  expect([file.status, file.headers.get('content-disposition')]).toEqual([
    200,
    expect.stringContaining('"HELD_RELEVE_'),
  ]);
  expect((await file.arrayBuffer()).byteLength).toBe(pdf.size);
  const own = await read(`${MONTH}/files`, OWN.token);
  expect(own).toEqual({
    revision: 1,
    held: true,
    error: expect.stringContaining('is held for review'),
    items: [],
  });
  for (const { format } of shown.items)
    expect((await call(`${MONTH}/files/${format}`, undefined, OWN.token)).status).toBe(404);
  expect(
    (await call(`/merchants/${SOUND}/months/2026-10/files/pdf`, undefined, OWN.token)).status,
  ).toBe(403);
  expect((await call(`${MONTH}/files/nothing`)).status).toBe(404);
});

test('held, it is not sent, not closed and not released without a reason', async () => {
  expect(await refusal(`${MONTH}/send`, { to: 'audit@example.com' })).toEqual([
    ...[409, 'MONTH_REFUSED', `The statement of ${BROKEN} for 2026-10 is held: release it first.`],
  ]);
  for (const body of [{}, { reason: ' ' }])
    expect((await refusal(`${MONTH}/release`, body))[0]).toBe(400);
  const close = await refusal(`${MONTH}/close`, { reason: 'approved' });
  expect(close.slice(0, 2)).toEqual([409, 'MONTH_REFUSED']);
  expect(close[2]).toMatch(
    /^PAPETERIE 2026-10 is not closed: 1 root is open \(.*\), its statement is held; what comes/,
  );
  expect(
    (await refusal(`/merchants/${BROKEN}/months/2026-09/release`, { reason: 'x' })).slice(0, 2),
  ).toEqual([404, 'NOT_FOUND']);
  expect(
    await rows(
      "select 1 from report_holds where act = 'released' union all select 1 from closed_months",
    ),
  ).toEqual([]);
  expect(opened.mail.arrived).toHaveLength(1);
});

const propose = async (path: string, body: object) => {
  const answer = await call(path, body);
  expect(answer.status).toBe(202);
  return (await answer.json()) as { readonly id: string; readonly amount: string };
};
const confirm = (id: string, { token } = SECOND) => call(`/proposals/${id}/confirm`, {}, token);

test('above the amount a release is proposed, and goes no further while another number of roots is open', async () => {
  const { items } = await read(`/exposure?merchant=${BROKEN}`);
  expect(items).toHaveLength(1);
  const amount = String(Number(items[0].off) + Number(items[0].concerned));
  const { id, ...proposal } = await propose(`${MONTH}/release`, { reason: 'looked at' });
  expect(proposal).toMatchObject({
    action: 'release',
    subject: '2026-10',
    amount,
    currency: 'XOF',
    by: 'controle',
  });
  expect(
    (await refusal(`${MONTH}/release`, { reason: 'again' }, SECOND.token)).slice(0, 2),
  ).toEqual([409, 'PROPOSAL_REFUSED']);
  expect((await refusal(`/proposals/${id}/confirm`, {}))[2]).toMatch(
    /^controle has proposed it: another operator with/,
  );
  expect((await confirm(id, DECIDER)).status).toBe(403);

  const { fingerprint } = (await read(`/findings?merchant=${BROKEN}&state=open`)).items[0];
  const settled = await propose(`/findings/${fingerprint}/decisions`, {
    action: 'settle',
    reason: 'paid back',
  });
  expect((await confirm(settled.id)).status).toBe(200);
  expect(await refusal(`/proposals/${id}/confirm`, {}, SECOND.token)).toEqual([
    409,
    'PROPOSAL_REFUSED',
    "'2026-10, revision 1, open roots: 1' is now '2026-10, revision 1, open roots: 0'. Withdraw the proposal, and make it anew.",
  ]);
  expect((await read('/months')).counts.held).toBe(1);
  expect((await call(`/proposals/${id}/withdraw`, {})).status).toBe(200);
  const anew = await propose(`${MONTH}/release`, { reason: 'looked at\nit' });
  expect(anew.amount, 'the statement that goes out still has the root').toBe(amount);
  const reopened = { action: 'reopen', reason: 'not all of it' };
  expect((await call(`/findings/${fingerprint}/decisions`, reopened)).status).toBe(201);
  expect((await call(`/proposals/${anew.id}/withdraw`, {}, SECOND.token)).status).toBe(200);
  await opened.send();
  expect(opened.mail.arrived).toHaveLength(1);
});

test('released with a reason by two it goes out, once, and its accountant has the file', async () => {
  const { id } = await propose(`${MONTH}/release`, { reason: 'looked at\nit' });
  expect((await confirm(id)).status).toBe(200);
  expect((await read(`/months?merchant=${BROKEN}`)).items[0]).toMatchObject({
    held: null,
    releasedBy: 'controle, confirmed by moussa',
    releaseReason: 'looked at\nit',
    releasedAt: expect.any(String),
  });
  expect((await confirm(id)).status).toBe(404);
  await opened.send();
  expect(opened.mail.arrived.map(({ envelope }) => envelope.to)).toEqual([
    [ACCOUNTANT],
    [ACCOUNTANT],
  ]);
  expect(await refusal(`${MONTH}/release`, { reason: 'again' })).toEqual([
    ...[409, 'MONTH_REFUSED', `Nothing of ${BROKEN} 2026-10 is held.`],
  ]);
  const file = await call(`${MONTH}/files/pdf`, undefined, OWN.token);
  expect([file.status, file.headers.get('content-disposition')]).toEqual([
    200,
    expect.stringContaining('"RELEVE_'),
  ]);
});

test('sent once more it is a delivery of its own, which names who asked; an address that was refused takes no second one', async () => {
  opened.mail.refuse = (recipient) => (recipient === 'gone@example.com' ? 550 : null);
  for (const to of ['audit@example.com', 'gone@example.com', 'accountants']) {
    opened.clock.now += 1_000;
    expect((await call(`${MONTH}/send`, { to })).status, to).toBe(200);
    await opened.send();
  }
  expect(opened.mail.arrived.slice(2).map(({ envelope }) => envelope.to)).toEqual([
    ['audit@example.com'],
    [ACCOUNTANT],
  ]);
  const { items } = await read(`/deliveries?merchant=${BROKEN}`);
  expect(items.map(({ target, state }: Record<string, string>) => `${target} ${state}`)).toEqual([
    `${ACCOUNTANT} SUCCESS`,
    'gone@example.com ABANDONED',
    'audit@example.com SUCCESS',
    `${ACCOUNTANT} SUCCESS`,
  ]);
  const [sent] = await rows("select content from deliveries where target = 'audit@example.com'");
  expect(sent!.content).toMatchObject({ topic: 'statement', askedBy: 'controle' });
  expect((await read(`/months?merchant=${BROKEN}`)).items[0].deliveries).toEqual({
    total: 4,
    sent: 3,
    stuck: 1,
  });
  const [status, code, message] = await refusal(`${MONTH}/send`, { to: 'gone@example.com' });
  expect([status, code, message]).toEqual([
    409,
    'MONTH_REFUSED',
    expect.stringMatching(/^The mail server has refused gone@/),
  ]);
  for (const to of ['nobody', 'a@b', '', ['audit@example.com']])
    expect((await refusal(`${MONTH}/send`, { to }))[0]).toBe(400);
  const gone = items[1].id;
  expect((await refusal(`/deliveries/${gone}/retry`, { state: 'FAILED' })).slice(0, 2)).toEqual([
    409,
    'DELIVERY_REFUSED',
  ]);
  expect((await refusal(`/deliveries/${items[0].id}/retry`, { state: 'SUCCESS' }))[2]).toContain(
    'was delivered at',
  );
  opened.mail.refuse = () => null;
  expect((await call(`/deliveries/${gone}/retry`, { state: 'ABANDONED' })).status).toBe(200);
  await opened.send();
  expect(
    await rows(
      `select outcome from delivery_attempts where delivery_id = '${gone}' order by attempt_number`,
    ),
  ).toEqual([{ outcome: 'REFUSED' }, { outcome: 'SUCCESS' }]);
  expect((await call(`${MONTH}/send`, { to: 'gone@example.com' })).status).toBe(200);
  expect((await read('/deliveries?state=SUCCESS&limit=2')).total).toBe(5);
});

test('closed with the number of open roots that was seen, and with no other', async () => {
  for (const expectOpen of [undefined, 0, 2]) {
    const body = { reason: 'approved', ...(expectOpen === undefined ? {} : { expectOpen }) };
    expect((await refusal(`${MONTH}/close`, body)).slice(0, 2), String(expectOpen)).toEqual([
      409,
      'MONTH_REFUSED',
    ]);
  }
  const { id } = await propose(`${MONTH}/close`, { reason: 'approved', expectOpen: 1 });
  expect(await rows('select 1 from closed_months')).toEqual([]);
  expect((await confirm(id)).status).toBe(200);
  expect(await rows('select period, closed_by, reason from closed_months')).toEqual([
    { period: '2026-10', closed_by: 'controle, confirmed by moussa', reason: 'approved' },
  ]);
  const again = await call(`${MONTH}/close`, { reason: 'once more', expectOpen: 1 });
  expect([again.status, await again.json()]).toEqual([
    200,
    expect.objectContaining({ closedBy: 'controle, confirmed by moussa' }),
  ]);
});

test('a month that is not broken is closed by one person, whatever the amount', async () => {
  const closed = await call(`/merchants/${SOUND}/months/2026-10/close`, { reason: 'approved' });
  expect([closed.status, await closed.json()]).toEqual([
    200,
    expect.objectContaining({ closedBy: 'controle' }),
  ]);
  expect((await read('/months')).counts).toMatchObject({ held: 0, closed: 2, sent: 2 });
});

test('what a merchant asks for with its own token stays as it was', async () => {
  const headers = { authenticationtoken: await tokenOf(BROKEN) };
  expect((await fetch(`${server.origin}${MONTH}/files/pdf`, { headers })).status).toBe(401);
  expect((await fetch(`${server.origin}/web-merchant/reports`, { headers })).status).toBe(200);
});
