// The console over HTTP: who gets in, what a page may load, and what becomes of forms and of texts
// that mean harm.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { Role } from '../../src/core/domain/operators/role.ts';
import { LABELS } from '../../src/core/words/tree.ts';
import { appendLeaves, openLog, signLog } from '../../src/io/storage/evidence/log.ts';
import { addToTrail } from '../../src/io/storage/operators/trail.ts';
import { type ConsoleBooks, openConsoleBooks } from '../support/console-books.ts';
import { OPERATOR } from '../support/operator-books.ts';
import { readCells } from '../support/sheet-cells.ts';

let opened: ConsoleBooks;
let shared: ConsoleBooks | null = null;
const START = Date.UTC(2026, 10, 9, 8);
/**
 * Opens the books of one sound merchant, which tests share. With settings of its own, a test gets a
 * server of its own.
 */
const open = async (settings?: Parameters<typeof openConsoleBooks>[1]) => {
  shared ??= await openConsoleBooks({ SOUND: [] });
  opened =
    settings === undefined
      ? shared
      : await openConsoleBooks({}, { ...settings, shared: shared.books });
  opened.clock.now = START;
};
afterEach(async () => {
  if (opened !== shared) await opened.close();
});
afterAll(() => shared?.close());

/** Opens a visitor who keeps cookies as a browser does, and follows no redirect. */
function openVisitor(headers: Record<string, string> = {}) {
  const cookies = new Map<string, string>();
  const call = async (path: string, init: RequestInit = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const sent = { cookie, ...headers, ...(init.headers as Record<string, string>) };
    const answer = await fetch(`${opened.server.origin}${path}`, {
      ...init,
      headers: sent,
      redirect: 'manual',
    });
    const set = answer.headers.getSetCookie();
    for (const one of set) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(one)!;
      if (/Max-Age=0/.test(one)) cookies.delete(name!);
      else cookies.set(name!, value!);
    }
    const { status } = answer;
    const bytes = Buffer.from(await answer.arrayBuffer());
    return {
      status,
      headers: answer.headers,
      text: new TextDecoder().decode(bytes),
      bytes,
      set,
      to: answer.headers.get('location'),
    };
  };
  const get = (path: string) => call(path);
  const post = (path: string, fields: Record<string, string>, more: Record<string, string> = {}) =>
    call(path, { method: 'POST', body: new URLSearchParams(fields), headers: more });
  const logIn = async (token: string = OPERATOR.token) => {
    const form = formOf((await get('/login')).text);
    return post('/login', { form, next: '/', draft: '', token });
  };
  return { cookies, get, post, logIn };
}

function formOf(page: string): string {
  return /name="form" value="([^"]+)"/.exec(page)![1]!;
}

test('the morning says that the log of evidence was rolled back, with the rights of the server', async () => {
  const own = await openConsoleBooks({ SOUND: [] }, { asServer: true });
  opened = own;
  const { store } = own.books;
  const log = await openLog(store, { key: null, origin: 'console.example/log' }, 0);
  const leaves = [1, 2, 3].map((n) => ({
    subject: `night SOUND ${n}`,
    merchant: 'SOUND',
    text: `leaf ${n}\n`,
  }));
  await appendLeaves(store, log, { leaves });
  await signLog(store, log, { lastSeen: null, at: START });
  const visitor = openVisitor();
  await visitor.logIn();
  expect((await visitor.get('/')).text).not.toContain('Le journal des preuves');
  await store.pool.query('update evidence_logs set size = 2');
  const said =
    'Le journal des preuves s’arrête à la feuille 2, et a été signé jusqu’à la feuille 3';
  expect((await visitor.get('/')).text).toContain(`<p class="fault">${said}`);
});

describe('a visitor without a session', () => {
  test('is shown the login at every page, and after it the page that was asked for', async () => {
    await open();
    const visitor = openVisitor();
    const { status, text } = await visitor.get('/?x=1');
    expect(status).toBe(200);
    expect(text).toContain('<h1>Connexion</h1>');
    expect(text).not.toContain('SOUND');
    const next = /name="next" value="([^"]+)"/.exec(text)![1]!;
    const entered = await visitor.post('/login', {
      form: formOf(text),
      next,
      draft: '',
      token: OPERATOR.token,
    });
    expect([entered.status, entered.to]).toEqual([303, '/']);
    expect((await visitor.get('/')).text).toContain('<h1>Ce matin</h1>');
  });

  test.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/console/../docs',
    'javascript:alert(1)',
  ])('is led nowhere else by the login: %s', async (next) => {
    await open();
    const visitor = openVisitor();
    const form = formOf((await visitor.get('/login')).text);
    expect(
      (await visitor.post('/login', { form, next, draft: '', token: OPERATOR.token })).to,
    ).toBe('/');
  });

  test('goes on at the provider with a login that no other page or answer can make its own', async () => {
    const found = createServer((_, answer) =>
      answer.setHeader('content-type', 'application/json').end(metadata),
    ).listen(0);
    await once(found, 'listening');
    const issuer = `http://localhost:${(found.address() as AddressInfo).port}`;
    const places = ['authorization', 'token'].map((name) => [
      `${name}_endpoint`,
      `${issuer}/${name}`,
    ]);
    const metadata = JSON.stringify({
      issuer,
      jwks_uri: `${issuer}/keys`,
      ...Object.fromEntries(places),
    });
    const oidc = { issuer, clientId: 'pointage', nameClaim: 'email' };
    await open({ publicUrl: 'http://127.0.0.1:1', oidc });
    const visitor = openVisitor();
    expect((await visitor.post('/login/provider', { form: 'made up' })).status).toBe(403);
    const form = formOf((await visitor.get('/login')).text);
    expect(
      (await visitor.post('/login/provider', { form }, { 'sec-fetch-site': 'cross-site' })).status,
    ).toBe(403);
    const sent = await visitor.post('/login/provider', {
      form,
      next: 'https://evil.example/',
      draft: '{"reason":"x"}',
    });
    const asked = new URL(/^0;url=(.*)$/.exec(sent.headers.get('refresh')!)![1]!);
    expect(asked.href).toContain(`${issuer}/authorization?`);
    expect(asked.searchParams.get('redirect_uri')).toBe('http://127.0.0.1:1/login/return');
    const [id, next, draft] = visitor.cookies.get('pointage_login')!.split('.');
    expect([next, draft].map((part) => Buffer.from(part!, 'base64url').toString())).toEqual([
      '/',
      '{"reason":"x"}',
    ]);
    expect(asked.href).not.toContain(id!);
    const back = await visitor.get('/login/return?code=theirs&state=theirs');
    expect([
      back.status,
      back.text.includes('n’a pas réussi'),
      visitor.cookies.has('pointage_login'),
    ]).toEqual([403, true, false]);
    expect(back.text).toContain('value="{&#34;reason&#34;:&#34;x&#34;}"');
    await opened.close();
    found.closeAllConnections();
    found.close();
    await open({ publicUrl: 'http://127.0.0.1:1', oidc });
    const again = formOf((await visitor.get('/login')).text);
    const away = await visitor.post('/login/provider', { form: again, draft: 'kept' });
    expect([away.status, away.text.includes('value="kept"')]).toEqual([503, true]);
    expect(away.text).toContain('href="/login?lang=en"');
  });

  test('is refused with a wrong token, and after so many told to wait; the right one is taken all the same', async () => {
    await open({ mostWrongTokens: 2 });
    const visitor = openVisitor();
    for (const status of [401, 401, 429])
      expect((await visitor.logIn('x'.repeat(40))).status).toBe(status);
    expect((await visitor.get('/')).text).toContain('Connexion');
    expect((await visitor.logIn()).status).toBe(303);
  });
});

describe('a session', () => {
  test('begins under a new id, in a cookie that no script and no other site can use', async () => {
    await open();
    const visitor = openVisitor();
    const planted = 'A'.repeat(43);
    visitor.cookies.set('pointage_session', planted);
    visitor.cookies.set('pointage_entry', planted);
    const { set } = await visitor.logIn();
    const cookie = set.find((one) => one.startsWith('pointage_session='))!;
    expect(cookie).toMatch(
      /^pointage_session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    expect(cookie).not.toContain(planted);
    const thief = openVisitor({ cookie: `pointage_session=${planted}` });
    expect((await thief.get('/')).text).toContain('Connexion');
    const { rows } = await opened.books.store.pool.query<object>('select * from console_sessions');
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(visitor.cookies.get('pointage_session'));
    expect(JSON.stringify(rows)).not.toContain(OPERATOR.token);
  });

  test('behind TLS has a cookie that is sent over TLS alone', async () => {
    await open({ publicUrl: 'https://pointage.example' });
    const { set } = await openVisitor().logIn();
    expect(set.find((one) => one.includes('session='))).toMatch(
      /^__Host-pointage_session=.*; Secure$/,
    );
  });

  test('is over after twelve hours, and after the logout, also for one who kept its id', async () => {
    await open();
    const visitor = openVisitor();
    await visitor.logIn();
    const kept = `pointage_session=${visitor.cookies.get('pointage_session')}`;
    const page = await visitor.get('/');
    expect(page.text).toContain('Ce matin');
    opened.clock.now += 12 * 3_600_000 - 1;
    expect((await visitor.get('/')).text).toContain('Ce matin');
    opened.clock.now += 1;
    expect((await visitor.get('/')).text).toContain('Connexion');
    const second = openVisitor();
    await second.logIn();
    const id = `pointage_session=${second.cookies.get('pointage_session')}`;
    const form = formOf((await second.get('/')).text);
    expect((await second.post('/logout', { form })).to).toBe('/login');
    for (const cookie of [kept, id])
      expect((await openVisitor({ cookie }).get('/')).text).toContain('Connexion');
  });

  test.each([
    ['without the token of its page', { form: '' }, {}],
    ['with the token of another session', { form: 'x'.repeat(43) }, {}],
    ['from another site', {}, { 'sec-fetch-site': 'cross-site' }],
  ])('refuses a form %s', async (_, fields, headers) => {
    await open();
    const visitor = openVisitor();
    await visitor.logIn();
    const form = formOf((await visitor.get('/')).text);
    const { status, text } = await visitor.post('/logout', { form, ...fields }, headers);
    expect([status, text]).toEqual([
      403,
      expect.stringContaining('was not sent from a page of this session'),
    ]);
    expect((await visitor.get('/')).text).toContain('Ce matin');
  });
});

describe('roles', () => {
  const operator = (name: string, roles: readonly Role[], merchant: string | null = null) => ({
    ...{ name, roles, merchant },
    token: name.repeat(10),
  });
  const others = [
    operator('lecture', ['reader']),
    operator('scraper', ['metrics']),
    operator('comptable', ['accountant'], 'SOUND'),
  ];

  test('who may not read is not let in', async () => {
    await open({ others });
    const { status, text, set } = await openVisitor().logIn(others[1]!.token);
    expect([status, text]).toEqual([
      403,
      expect.stringContaining('Vos rôles n’ouvrent pas ces pages'),
    ]);
    expect(set.join()).not.toContain('pointage_session');
  });

  test('an accountant is led to the own merchant, and sees no page of another or across merchants', async () => {
    opened = await openConsoleBooks(
      { SOUND: ['CREDIT_MISSING'], DRIFTED: ['CREDIT_MISSING'] },
      { others },
    );
    const visitor = openVisitor();
    await visitor.logIn();
    const found = (await visitor.get('/console/findings')).text.matchAll(
      /"(\/console\/findings\/\w{16})\?merchant=(\w+)"/g,
    );
    const places = new Map([...found].map(([, place, merchant]) => [merchant!, place!]));
    const own = openVisitor();
    expect((await own.logIn(others[2]!.token)).status).toBe(303);
    expect((await own.get('/')).to).toBe('/console/merchants/SOUND');
    const seen = [
      'merchants/SOUND',
      'findings?merchant=SOUND&state=open',
      'findings.csv?merchant=SOUND',
    ];
    for (const path of [
      ...seen.map((one) => `/console/${one}`),
      `${places.get('SOUND')}?merchant=SOUND`,
    ]) {
      const { status, text } = await own.get(path);
      expect([path, status, text.includes('SOUND'), text.includes('DRIFTED')]).toEqual([
        path,
        200,
        true,
        false,
      ]);
      for (const [, link] of text.matchAll(/<a href="(\/[^"]*)"/g))
        expect([link, (await own.get(link!.replaceAll('&#38;', '&'))).status]).not.toEqual([
          link,
          403,
        ]);
    }
    const across = [
      'findings',
      'findings?merchant=',
      'findings.csv',
      'merchants',
      'merchants.xlsx',
      'months',
      'months/2026-10',
      'trail',
    ];
    const another = [
      'findings?merchant=DRIFTED',
      'findings?merchant=SOUND&merchant=DRIFTED',
      'merchants/DRIFTED',
    ];
    const months = [
      'merchants/DRIFTED/months/2026-10',
      'merchants/DRIFTED/months/2026-10/files/pdf?merchant=SOUND',
    ];
    const rest = [
      'deliveries',
      'deliveries.csv',
      'audits',
      'search?q=DRIFTED',
      'operations/X?merchant=DRIFTED',
      'operations/X',
    ];
    const refused = [...across, ...another, ...months, ...rest].map((path) => `/console/${path}`);
    for (const path of [
      ...refused,
      places.get('SOUND')!,
      `${places.get('DRIFTED')}?merchant=DRIFTED`,
    ]) {
      const { status, text } = await own.get(path);
      expect([path, status, text.includes('Crédit manquant')]).toEqual([path, 403, false]);
    }
    expect((await own.get(`${places.get('DRIFTED')}?merchant=SOUND`)).status).toBe(404);
    const form = formOf((await own.get('/console/merchants/SOUND')).text);
    const wish = { form, action: 'acknowledge', reason: 'x', seen: '0', merchant: 'SOUND' };
    expect((await own.post(`${places.get('SOUND')}?merchant=SOUND`, wish)).status).toBe(403);
  });

  test('the trail is shown to auditors, by pages and as CSV', async () => {
    const auditor = operator('audit', ['auditor']);
    opened = await openConsoleBooks({ SOUND: [] }, { others: [...others, auditor] });
    const entry = { via: 'cli', action: 'findings settle', status: 0, at: START } as const;
    const trail = Array.from({ length: 60 }, (_, i) => ({
      ...entry,
      operator: 'awa',
      merchant: 'SOUND',
      subject: `n${i}`,
    }));
    await addToTrail(opened.books.store, [
      ...trail,
      { ...entry, operator: '=awa<b>', merchant: null, subject: null },
    ]);
    const reader = openVisitor();
    await reader.logIn(others[0]!.token);
    expect((await reader.get('/')).text).not.toContain('/console/trail');
    for (const path of ['trail', 'trail.csv'])
      expect((await reader.get(`/console/${path}`)).status).toBe(403);
    const visitor = openVisitor();
    await visitor.logIn(auditor.token);
    expect((await visitor.get('/')).text).toContain('href="/console/trail"');
    expect((await visitor.get('/console/trail')).text).toContain('=awa&#60;b&#62;');
    const first = (await visitor.get('/console/trail?operator=awa&merchant=SOUND')).text;
    const next = /rel="next" href="([^"]+)"/.exec(first)![1]!.replaceAll('&#38;', '&');
    const second = (await visitor.get(next)).text;
    const subjects = (page: string) => [...page.matchAll(/>(n\d+)</g)].map(([, one]) => one);
    expect([...subjects(first), ...subjects(second)]).toEqual(
      trail.map(({ subject }) => subject).reverse(),
    );
    expect(second).not.toContain('rel="next"');
    const odd = await visitor.get('/console/trail?operator=%00&merchant=%00&before=-1');
    expect([odd.status, odd.text.includes('>n59<')]).toEqual([200, true]);
    const csv = (await visitor.get('/console/trail.csv')).text.split('\r\n');
    expect(csv[0]).toMatch(/number.*operator.*action/);
    expect(csv.some((row) => row.includes("'=awa<b>"))).toBe(true);
    expect(csv[1]).toMatch(/^\d+;2026-11-09T08:00:00\.000Z;/);
    expect(csv.join()).not.toContain('Ce fichier s’arrête');
    await opened.books.store.pool.query(
      `insert into trail (at, operator, via, action, status) select 0, 'many', 'cli', 'x', 0 from generate_series(1, 10001)`,
    );
    const [cut, whole] = await Promise.all(
      ['operator=many', 'operator=awa'].map(
        async (filter) => (await visitor.get(`/console/trail.csv?${filter}`)).text,
      ),
    );
    expect(cut!.split('\r\n')).toHaveLength(10_003);
    expect(cut!.slice(-300)).toMatch(
      /\r\nCe fichier s’arrête à 10\s000 lignes et il y en a d’autres[^\r]*\r\n$/,
    );
    expect(whole).not.toContain('Ce fichier');
    const { cells } = await readCells(
      (await visitor.get('/console/trail.xlsx?operator=many')).bytes,
    );
    expect(cells.get('trail')!.get('A2002')).toMatch(/^Ce fichier s’arrête à 2\s000 lignes/);
    expect([cells.get('trail')!.get('C2001'), cells.get('trail')!.get('A2003')]).toEqual([
      'many',
      undefined,
    ]);
  });

  test('who may only read sees no form to decide, and is refused one that was made up', async () => {
    opened = await openConsoleBooks({ DRIFTED: ['CREDIT_MISSING'] }, { others });
    const visitor = openVisitor();
    expect((await visitor.logIn(others[0]!.token)).status).toBe(303);
    const [, place] = /href="(\/console\/findings\/[0-9a-f]{16})\?/.exec(
      (await visitor.get('/')).text,
    )!;
    const page = (await visitor.get(place!)).text;
    expect(page).toContain('Crédit manquant');
    expect(page).toContain(`<p>${LABELS.fr.catalogue.explanations.CREDIT_MISSING}</p>`);
    expect(page).not.toContain('<p lang=');
    expect(page).not.toContain('name="action"');
    const fields = {
      form: formOf(page),
      action: 'settle',
      reason: 'x',
      seen: '0',
      merchant: 'DRIFTED',
    };
    const { status, text } = await visitor.post(place!, fields);
    expect([status, text]).toEqual([
      403,
      expect.stringContaining('has no role with the permission decide'),
    ]);
    expect((await visitor.get('/console/audits')).text).not.toContain(
      'method="post" action="/console/audits"',
    );
    const wish = { form: fields.form, merchant: 'DRIFTED' };
    expect((await visitor.post('/console/audits', wish)).status).toBe(403);
    expect(opened.entrance.sent).toEqual([]);
  });

  test('a decision is refused once another person has decided what the page did not show', async () => {
    opened = await openConsoleBooks({ DRIFTED: ['CREDIT_MISSING'] }, {});
    const visitor = openVisitor();
    await visitor.logIn();
    const [, place] = /href="(\/console\/findings\/[0-9a-f]{16})\?/.exec(
      (await visitor.get('/')).text,
    )!;
    const page = (await visitor.get(place!)).text;
    // Amounts have their currency, and the date is that of the line or the operation.
    expect(page).toMatch(/<dt>En date du<\/dt><dd><time datetime="2026-/);
    expect(page).toMatch(/<dt>Attendu<\/dt><dd>[\d\u202f]+\u00a0XAF<\/dd>/);
    const stake = /<h2>Ce qui est en jeu<\/h2>.*?<\/table>/s.exec(
      (await visitor.get('/')).text,
    )![0];
    expect(stake).toMatch(
      /XAF<\/td>.*ouvert.*data-head="En tout"><span>[\d\u202f]+\u00a0XAF <span class="who">\(1\)/s,
    );
    const fields = {
      form: formOf(page),
      action: 'acknowledge',
      reason: 'x',
      seen: '0',
      merchant: 'DRIFTED',
    };
    expect((await visitor.post(place!, fields)).status).toBe(303);
    const dated = await visitor.post(place!, {
      ...fields,
      action: 'accept',
      seen: '1',
      until: 'demain',
    });
    expect([dated.status, dated.text]).toEqual([
      409,
      expect.stringContaining('Refusé : la date s’écrit AAAA-MM-JJ.'),
    ]);
    const late = await visitor.post(place!, {
      ...fields,
      action: 'settle',
      reason: 'a <b>reason</b>',
    });
    expect([late.status, late.text]).toEqual([
      409,
      expect.stringContaining('Quelqu’un d’autre a décidé'),
    ]);
    expect(late.text).toContain('a &#60;b&#62;reason&#60;/b&#62;</textarea>');
    const csv = (await visitor.get('/console/findings.csv?state=acknowledged')).text.split('\r\n');
    expect(csv).toHaveLength(3);
    expect(csv[1]).toMatch(/;acknowledge;controle;2026-[^;]*Z;x;/);
    const merchants = async (filter: string) =>
      (await visitor.get(`/console/merchants?${filter}`)).text;
    expect(await merchants('')).toContain('<p class="note">1 marchand, sans filtre.</p>');
    const broken = await merchants('verdict=broken&text=drift');
    expect(broken).toContain(
      'Filtre en vigueur : Verdict = non conformes ; Dans la référence ou le nom = drift.',
    );
    expect(broken).toContain('<option value="broken" selected>');
    expect(broken).toContain('href="/console/merchants/DRIFTED"');
    expect(await merchants('verdict=none')).not.toContain('href="/console/merchants/DRIFTED"');
    expect((await visitor.get('/console/merchants?verdict=good')).status).toBe(400);
    const filtered = (await visitor.get('/console/findings?owner=Awa&minimum=1+XAF&state=')).text;
    expect(filtered).toContain(
      'Filtre en vigueur : Au moins (10000 XOF) = 1 XAF ; Responsable = Awa.',
    );
    expect(filtered).toContain('name="owner" value="Awa"');
    expect((await visitor.get('/console/findings?severity=worst')).status).toBe(400);
    for (const path of [
      'findings?merchant=NOPE',
      'findings/x',
      'operations/NOPE',
      'merchants/NOPE',
      'nothing/here',
    ]) {
      const { status, text } = await visitor.get(`/console/${path}`);
      expect([path, status, text]).toEqual([
        path,
        404,
        expect.stringContaining('<h1>Erreur 404</h1>'),
      ]);
    }
  });

  test('one decision about all of a filter is offered to who may, taken once, and refused with its reason kept', async () => {
    const investigator = operator('enquete', ['investigator']);
    const settings = { others: [...others, investigator], secondPersonAbove: { XAF: 1 } };
    opened = await openConsoleBooks(
      { DRIFTED: ['CREDIT_MISSING', 'FEE_AMOUNT_MISMATCH'] },
      settings,
    );
    const place = '/console/findings?merchant=DRIFTED&state=open';
    const actionsOn = (page: string) =>
      [
        ...(/<select id="action".*?<\/select>/s.exec(page)?.[0] ?? '').matchAll(/value="(\w+)"/g),
      ].map(([, one]) => one);
    const NOTES = ['comment', 'assign', 'label', 'due'];
    for (const [token, offered] of [
      [others[0]!.token, []],
      [investigator.token, ['acknowledge', ...NOTES]],
      [OPERATOR.token, ['acknowledge', 'settle', 'accept', ...NOTES]],
    ] as const) {
      const one = openVisitor();
      await one.logIn(token);
      expect(actionsOn((await one.get(place)).text)).toEqual(offered);
    }
    const visitor = openVisitor();
    await visitor.logIn();
    expect(actionsOn((await visitor.get('/console/findings')).text)).toEqual([]);
    expect(actionsOn((await visitor.get('/console/findings?state=resolved')).text)).toEqual([]);
    const page = (await visitor.get(place)).text;
    expect(page).toContain('<summary>Décider des 2 constats de ce filtre</summary>');
    const carried = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(page)![1]!;
    const fields = {
      form: formOf(page),
      expect: carried('expect'),
      seen: carried('seen'),
      reason: 'ticket <4412>',
    };
    for (const [given, says] of [
      [
        { action: 'settle' },
        'Refusé : Nothing is decided: 2 of 2 findings weigh more than one operator',
      ],
      [{ action: 'accept', until: 'demain' }, 'Refusé : la date s’écrit AAAA-MM-JJ.'],
      [
        { action: 'acknowledge', expect: '3' },
        'the filter finds 2 findings now, not 3; list them again.',
      ],
      [{ action: 'acknowledge', reason: ' ' }, 'A decision needs a reason.'],
    ] as const) {
      const { status, text } = await visitor.post(place, { ...fields, ...given });
      expect([given, status, text.replaceAll('&#39;', "'")]).toEqual([
        given,
        409,
        expect.stringContaining(says),
      ]);
      expect(text).toContain('<details open>');
      expect(text).toContain(`<option value="${given.action}" selected>`);
      if (!('reason' in given)) expect(text).toContain('ticket &#60;4412&#62;</textarea>');
    }
    expect((await visitor.post(place, { ...fields, action: 'resolve' })).status).toBe(400);
    expect(
      (await visitor.post('/console/findings?state=never', { ...fields, action: 'settle' })).status,
    ).toBe(400);
    const { status, to } = await visitor.post(place, { ...fields, action: 'acknowledge' });
    expect([status, to]).toEqual([303, `${place}&done=2+acknowledge`]);
    const after = (await visitor.get(to!)).text;
    expect(after).toContain(
      '<p class="done" role="status">Inscrit pour 2 constats : Prendre en charge.</p>',
    );
    expect(after.replace(to!, '')).not.toContain('done=');
    expect((await visitor.get(`${to}&lang=en`)).text).toContain(
      'Recorded for 2 findings: Acknowledge.',
    );
    expect((await visitor.get(`${place}&done=9+x`)).text).not.toContain('class="done"');
    const late = await visitor.post(place, { ...fields, action: 'acknowledge' });
    expect([late.status, late.text]).toEqual([
      409,
      expect.stringContaining('the filter finds 0 findings now, not 2'),
    ]);
    const { rows } = await opened.books.store.pool.query<{ subject: string }>(
      "select merchant, subject, status from trail where action = 'POST /console/findings' and status = 303",
    );
    expect(rows).toHaveLength(2);
    for (const row of rows)
      expect(row).toMatchObject({
        merchant: 'DRIFTED',
        subject: expect.stringMatching(/^[0-9a-f]{16} acknowledge$/),
      });
  });
});

test('what is mistyped in an address is named, and never ours', async () => {
  await open();
  const visitor = openVisitor();
  await visitor.logIn();
  const answers: [string, number, RegExp][] = [
    ['findings?minimum=10000', 400, /minimum must be an amount with its currency/],
    ['findings?label=%00', 400, /U\+0000/],
    ['merchants?text=%00', 400, /U\+0000/],
    ['search?q=%00', 400, /U\+0000/],
    ['deliveries?merchant=a&merchant=b', 400, /query\.merchant: comes twice/],
    ['findings/0123456789abcdef?merchant=a&merchant=b', 400, /query\.merchant: comes twice/],
    ['findings.csv?operation=abc.xlsx', 200, /^fingerprint;merchant;/],
  ];
  for (const [path, status, says] of answers) {
    const answer = await visitor.get(`/console/${path}`);
    expect([path, answer.status, answer.text]).toEqual([path, status, expect.stringMatching(says)]);
  }
});

test('every page may load what this server has and nothing else, and is shown in no frame', async () => {
  await open();
  const visitor = openVisitor();
  const pages = [await visitor.get('/login'), await visitor.get('/')];
  await visitor.logIn();
  pages.push(await visitor.get('/'), await visitor.post('/logout', {}));
  for (const { headers, text } of pages) {
    const policy = headers.get('content-security-policy')!;
    for (const rule of [
      "default-src 'none'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'self'",
    ])
      expect(policy.split('; ')).toContain(rule);
    expect(policy).not.toContain('unsafe');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(
      text.replace(/<script src="\/console\/assets\/[\w.-]+" defer><\/script>/, ''),
    ).not.toMatch(/<script|\sstyle=|<style|\son\w+=/);
  }
  const styles = /<link rel="stylesheet" href="([^"]+)"/.exec(pages[0]!.text)![1]!;
  const { status, headers } = await visitor.get(styles);
  expect([status, headers.get('cache-control')]).toEqual([
    200,
    'public, max-age=31536000, immutable',
  ]);
});

test('the language is the browser’s, until the visitor chooses one', async () => {
  await open();
  const visitor = openVisitor({ 'accept-language': 'en-GB,en;q=0.9,fr;q=0.8' });
  expect((await visitor.get('/login')).text).toContain('<html lang="en">');
  expect((await visitor.get('/login?lang=fr')).text).toContain('<html lang="fr">');
  expect((await visitor.get('/login')).text).toContain('<html lang="fr">');
});

test('programs have their routes as before, by their token alone', async () => {
  await open();
  const visitor = openVisitor();
  await visitor.logIn();
  expect((await visitor.get('/runs')).status).toBe(401);
  expect((await visitor.get('/health')).text).toBe('{"status":"ok"}');
});
