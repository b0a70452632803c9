// Months and deliveries in the console: what a person sees of them, can do with them, and is
// refused.

import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  ACCOUNTANT,
  BROKEN,
  type MonthBooks,
  openMonthBooks,
  SOUND,
} from '../support/month-books.ts';
import { OPERATOR, operatorOf } from '../support/operator-books.ts';
import { addressOf, readCells } from '../support/sheet-cells.ts';

const READER = operatorOf('lecture', ['reader']);
const SECOND = operatorOf('moussa', ['publisher']);
const OWN = operatorOf('comptable', ['accountant'], BROKEN);
const MONTH = `/console/merchants/${BROKEN}/months/2026-10`;

let opened: MonthBooks;
beforeAll(async () => {
  opened = await openMonthBooks([READER, SECOND, OWN], { XOF: 0 });
  await opened.send();
});
afterAll(() => opened.close());

/** Logs in a visitor who keeps cookies as a browser does, and follows no redirect. */
async function visit(token = OPERATOR.token) {
  const cookies = new Map<string, string>();
  const call = async (path: string, init: RequestInit = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(`${opened.server.origin}${path}`, {
      ...init,
      headers: { cookie },
      redirect: 'manual',
    });
    for (const one of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(one)!;
      cookies.set(name!, value!);
    }
    const bytes = Buffer.from(await answer.arrayBuffer());
    return {
      status: answer.status,
      text: new TextDecoder().decode(bytes),
      bytes,
      to: answer.headers.get('location'),
      headers: answer.headers,
    };
  };
  const get = (path: string) => call(path);
  const post = (path: string, fields: Record<string, string>) =>
    call(path, { method: 'POST', body: new URLSearchParams(fields) });
  const hidden = (page: string, name: string) =>
    new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';
  const form = hidden((await get('/login')).text, 'form');
  await post('/login', { form, next: '/', draft: '', token });
  /** Sends the page's own form of that name. */
  const act = async (action: string, fields: Record<string, string>) => {
    const page = (await get(MONTH)).text;
    return post(MONTH, {
      form: hidden(page, 'form'),
      seen: hidden(page, 'seen'),
      action,
      ...fields,
    });
  };
  return { get, post, act, hidden };
}

test('are listed with counts on top, a filter that says that it filters, and as CSV', async () => {
  const { get } = await visit();
  expect((await get('/console/months')).to).toBe('/console/months/2026-10');
  const { text } = await get('/console/months/2026-10');
  expect(
    [...text.matchAll(/<li class="(\w+)">(?:<a [^>]*>)?<strong>(\d+)<\/strong> ([^<]*)/g)].map(
      ([, ...all]) => all.join(' '),
    ),
  ).toEqual([
    'calm 2 établis',
    'broken 1 non conformes',
    'incomplete 1 retenus',
    'clean 1 envoyés',
    'zero 0 clos',
  ]);
  expect(text).toContain('retenu : livres non conformes');
  const held = (await get('/console/months/2026-10?only=held')).text;
  expect(held).toContain('Filtre en vigueur : retenus.');
  expect([held.includes(`>${BROKEN}<`), held.includes(`>${SOUND}<`)]).toEqual([true, false]);
  const csv = (await get('/console/months/2026-10.csv?only=broken')).text.split('\r\n');
  expect(csv[0]).toMatch(/^merchant;period;reportId;revision;statedAt;verdict;isHeld;/);
  expect(csv[1]).toMatch(/^PAPETERIE;2026-10;.*;1;2026-11-02T00:00:00.000Z;broken;true;/);
  expect(csv).toHaveLength(3);
  const { bytes } = await get('/console/months/2026-10.xlsx?only=broken');
  const rows = (await readCells(bytes)).cells.get('months-2026-10')!;
  const heads = csv[0]!.split(';');
  expect(heads.map((_, i) => rows.get(addressOf(i + 1, 1)))).toEqual(heads);
  expect([rows.get('A2'), rows.get('B2'), rows.get('A3')]).toEqual([BROKEN, '2026-10', undefined]);
  const none = (await get('/console/months/2020-01.csv')).text.split('\r\n');
  expect(none).toEqual([csv[0], '']);
  for (const path of [
    'months/2026-13',
    'months/x',
    `merchants/${BROKEN}/months/2026-09`,
    'merchants/NOPE/months/2026-10',
  ])
    expect([path, (await get(`/console/${path}`)).status]).toEqual([path, 404]);
});

/**
 * Lets another publisher confirm the proposal on the page of the month, who sees who proposed it.
 */
async function confirm() {
  const { get, post, hidden } = await visit(SECOND.token);
  const page = (await get(MONTH)).text;
  for (const text of ['En attente d’une deuxième personne', 'proposé par controle'])
    expect(page).toContain(text);
  const fields = {
    form: hidden(page, 'form'),
    proposal: hidden(page, 'proposal'),
    action: 'confirm',
  };
  expect((await post(MONTH, fields)).to).toBe(`${MONTH}?done=decided`);
  expect((await get(MONTH)).text).not.toContain('En attente');
  const late = await post(MONTH, fields);
  expect([late.status, late.text]).toEqual([
    409,
    expect.stringContaining('Quelqu’un d’autre a décidé entre-temps'),
  ]);
}

test('who may only read sees no form, and is refused one that was made up', async () => {
  const { get, post, act, hidden } = await visit(READER.token);
  const page = (await get(MONTH)).text;
  expect(page).toContain('Crédit en double');
  expect(page).not.toContain('name="action"');
  for (const action of ['release', 'send', 'close'])
    expect((await act(action, { reason: 'x' })).status).toBe(403);
  const [delivery] = (
    await opened.books.store.pool.query<{ id: string }>('select delivery_id as id from deliveries')
  ).rows;
  const form = hidden((await get('/')).text, 'form');
  expect(
    (await post(`/console/deliveries/${delivery!.id}`, { form, state: 'SUCCESS' })).status,
  ).toBe(403);
});

test('held, a month gives its accountant no file', async () => {
  const own = await visit(OWN.token);
  const page = (await own.get(MONTH)).text;
  expect(page).toContain('Retenu : vous aurez ces fichiers quand le relevé sera libéré.');
  expect(page).not.toContain(`${MONTH}/files/`);
  expect((await own.get(`${MONTH}/files/pdf`)).status).toBe(404);
  expect((await (await visit(READER.token)).get(`${MONTH}/files/pdf`)).status).toBe(200);
  expect((await own.get(`/console/merchants/${SOUND}/months/2026-10/files/pdf`)).status).toBe(403);
  // The month's deliveries are listed, and do not link to pages that an accountant is refused.
  const listed = (text: string) => text.split('data-head="Quoi"').length - 1;
  const whole = (await (await visit(READER.token)).get(MONTH)).text;
  expect([listed(page), page.includes('/console/deliveries')]).toEqual([listed(whole), false]);
  expect([listed(whole) > 0, whole.includes('href="/console/deliveries/')]).toEqual([true, true]);
});

test('held, a month names what is open first, is released with a reason, and not from a page that shows another state', async () => {
  const { get, post, act, hidden } = await visit();
  const before = (await get(MONTH)).text;
  expect(before.indexOf('Ce qui est ouvert')).toBeLessThan(before.indexOf('Fichiers'));
  expect(before).not.toContain('value="send"');
  const file = await get(`${MONTH}/files/pdf`);
  expect(file.headers.get('content-disposition')).toContain('"HELD_RELEVE_');
  const blank = await act('release', { reason: ' ' });
  expect([blank.status, blank.text]).toEqual([409, expect.stringContaining('La raison manque.')]);
  const unseen = await act('close', { reason: 'a <b>reason</b>', seen: 'another' });
  expect([unseen.status, unseen.text]).toEqual([409, expect.stringContaining('Le mois a changé')]);
  expect(unseen.text).toContain('a &#60;b&#62;reason&#60;/b&#62;</textarea>');
  expect((await act('forget', { reason: 'x' })).status).toBe(400);
  const proposed = await act('release', { reason: 'vu avec le service' });
  expect(proposed.to).toBe(`${MONTH}?done=proposed`);
  const own = (await get(proposed.to!)).text;
  expect(own).toContain('une autre personne doit la confirmer');
  expect([own.includes('value="withdraw"'), own.includes('value="confirm"')]).toEqual([
    true,
    false,
  ]);
  const forced = {
    form: hidden(own, 'form'),
    proposal: hidden(own, 'proposal'),
    action: 'confirm',
  };
  expect((await post(MONTH, forced)).text).toContain('controle has proposed it');
  const reader = await (await visit(READER.token)).get(MONTH);
  expect([
    reader.text.includes('proposé par controle'),
    reader.text.includes('name="action"'),
  ]).toEqual([true, false]);
  await confirm();
  const after = (await get(MONTH)).text;
  for (const text of ['controle, confirmé par moussa', 'vu avec le service', 'value="send"'])
    expect(after).toContain(text);
  const seen = hidden(before, 'seen');
  expect(
    (await post(MONTH, { form: hidden(before, 'form'), seen, action: 'release', reason: 'x' }))
      .status,
  ).toBe(409);
});

test('released, it is sent to another address, closed, and what failed is tried again', async () => {
  expect((await (await visit(OWN.token)).get(`${MONTH}/files/pdf`)).status).toBe(200);
  const { get, post, act, hidden } = await visit();
  const bad = await act('send', { to: 'nobody' });
  expect([bad.status, bad.text]).toEqual([
    409,
    expect.stringContaining('Ce n’est pas une adresse'),
  ]);
  opened.mail.refuse = (recipient) => (recipient === 'gone@example.com' ? 550 : null);
  for (const to of ['gone@example.com', 'audit@example.com'])
    expect((await act('send', { to })).status).toBe(303);
  await opened.send();
  expect(opened.mail.arrived.map(({ envelope }) => envelope.to[0]).toSorted()).toEqual(
    ['audit@example.com', ACCOUNTANT, ACCOUNTANT].toSorted(),
  );
  expect((await act('send', { to: 'gone@example.com' })).text).toContain(
    'The mail server has refused gone@example.com',
  );
  const list = (await get('/console/deliveries?state=ABANDONED')).text;
  expect(list).toContain('aria-current="true">abandonné');
  const [, place] = /action="(\/console\/deliveries\/[0-9a-f-]{36})"/.exec(list)!;
  const form = hidden(list, 'form');
  const one = (await get(place!)).text;
  expect(one).toMatch(
    /<h1>relevé<\/h1>[\s\S]*<td[^>]*>refusé<\/td><td[^>]*>[^<]*550[\s\S]*&#34;period&#34;: &#34;2026-10&#34;/,
  );
  expect((await get('/console/deliveries/1')).status).toBe(404);
  expect((await post(place!, { form, state: 'FAILED' })).status).toBe(409);
  expect((await post(place!, { form, state: 'ABANDONED' })).to).toBe('/console/deliveries?done=1');
  expect((await get('/console/deliveries.csv')).text.split('\r\n')).toHaveLength(6);
  expect((await act('close', { reason: 'approuvé' })).to).toBe(`${MONTH}?done=proposed`);
  await confirm();
  expect((await get(MONTH)).text).not.toContain('value="close"');
  expect(
    (await opened.books.store.pool.query('select closed_by, reason from closed_months')).rows,
  ).toEqual([{ closed_by: 'controle, confirmed by moussa', reason: 'approuvé' }]);
});

test('the search leads to the one that it finds, and says how it read what it did not find', async () => {
  const { get } = await visit();
  const { rows } = await opened.books.store.pool.query<{ reference: string }>(
    'select reference from operation_versions order by 1 limit 1',
  );
  const { reference } = rows[0]!;
  expect((await get(`/console/search?q=${reference}`)).to).toMatch(
    `/console/operations/${reference}?merchant=`,
  );
  expect((await get(`/console/search?q=${BROKEN}`)).to).toBe(`/console/merchants/${BROKEN}`);
  const none = await get('/console/search?q=<b>nothing</b>');
  expect([none.status, none.text]).toEqual([200, expect.stringContaining('&#60;b&#62;nothing')]);
  expect((await get('/')).text).toContain('action="/console/search"');
});
