// Every page and form of the console, as it is registered, for every role. A role without the
// permission is answered 403, a form needs the token of its session, and an accountant has the
// pages that name the own merchant.

import Fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  isPermitted,
  type Permission,
  ROLES,
  type Role,
} from '../../src/core/domain/operators/role.ts';
import { openConsole } from '../../src/service/console/open-console.ts';
import { type ConsoleBooks, openConsoleBooks } from '../support/console-books.ts';
import { logIn } from '../support/console-login.ts';
import { operatorOf } from '../support/operator-books.ts';

interface Page {
  readonly method: string;
  readonly url: string;
  readonly isOfMerchant: boolean;
}

/** The permission that a page needs beside `read`. */
const SHOWN_TO: Readonly<Record<string, Permission>> = {
  '/console/trail': 'trail',
  '/console/trail.csv': 'trail',
  '/console/trail.xlsx': 'trail',
};
/** The permission that each form needs, and fields to fill it in with. */
const FORMS: Readonly<
  Record<string, { readonly needs: Permission; readonly fields: Record<string, string> }>
> = {
  '/console/findings': { needs: 'decide', fields: { action: 'settle', reason: 'x' } },
  '/console/findings/:fingerprint': {
    needs: 'decide',
    fields: { action: 'settle', reason: 'x', merchant: 'SOUND' },
  },
  '/console/merchants/:merchant/months/:period': {
    needs: 'publish',
    fields: { action: 'release', reason: 'x' },
  },
  '/console/deliveries/:id': { needs: 'publish', fields: { state: 'HELD' } },
  '/console/audits': { needs: 'investigate', fields: { merchant: 'NOPE' } },
};
const ENTRANCE = ['/login', '/logout'];

const operators = ROLES.map((role) =>
  operatorOf(role, [role], role === 'accountant' ? 'SOUND' : null),
);
const cookies = new Map<Role, string>();
let opened: ConsoleBooks;
let pages: readonly Page[];
let fingerprint = '';

beforeAll(async () => {
  opened = await openConsoleBooks({ SOUND: ['CREDIT_MISSING'], OTHER: [] }, { others: operators });
  const { rows } = await opened.books.store.pool.query<{ fingerprint: string }>(
    'select fingerprint from findings',
  );
  fingerprint = rows[0]!.fingerprint;
  for (const { name, token } of operators)
    cookies.set(name as Role, await logIn(opened.server.origin, token));
  pages = await registered();
});
afterAll(() => opened.close());

async function registered(): Promise<readonly Page[]> {
  const found: Page[] = [];
  const room = Fastify();
  room.addHook('onRoute', ({ method, url, config }) => {
    const isOfMerchant = config?.merchantIn === 'merchant';
    for (const one of [method].flat())
      if (one !== 'HEAD') found.push({ method: one, url, isOfMerchant });
  });
  const unused = {} as never;
  const desk = openConsole({ sessions: unused, provider: null, language: 'fr', publicUrl: null });
  desk(room as never, {
    api: unused,
    findOperator: unused,
    wrong: unused,
    clock: Date.now,
    log: () => {},
  });
  await room.close();
  return found.filter(({ url }) => !url.includes('/assets/') && !ENTRANCE.includes(url));
}

function placeOf({ url, isOfMerchant }: Page, merchant = 'SOUND'): string {
  const values = {
    merchant,
    fingerprint,
    period: '2026-10',
    format: 'pdf',
    reference: 'CI-1',
    id: crypto.randomUUID(),
  };
  const path = url
    .replace(/:(\w+)/g, (_, name: string) => values[name as keyof typeof values])
    .replace('*', 'nothing');
  return isOfMerchant && !url.includes(':merchant') ? `${path}?merchant=${merchant}` : path;
}

async function call(role: Role | null, path: string, fields?: Record<string, string>) {
  const headers = { cookie: role === null ? '' : cookies.get(role)! };
  const sent = fields === undefined ? {} : { method: 'POST', body: new URLSearchParams(fields) };
  const answer = await fetch(opened.server.origin + path, { headers, redirect: 'manual', ...sent });
  return { status: answer.status, text: await answer.text() };
}

const formOf = (page: string): string => /name="form" value="([^"]+)"/.exec(page)![1]!;

test('pages are shown to those who may read, and forms taken of those with their permission', async () => {
  const [shown, forms] = [
    pages.filter(({ method }) => method === 'GET'),
    pages.filter(({ method }) => method === 'POST'),
  ];
  expect(shown.length).toBeGreaterThan(15);
  expect(forms.map(({ url }) => url).toSorted()).toEqual(Object.keys(FORMS).toSorted());
  for (const operator of operators) {
    const role = operator.name as Role;
    if (role === 'metrics') continue;
    const isOwn = operator.merchant !== null;
    for (const page of shown) {
      const { status } = await call(role, placeOf(page));
      const may = isOwn
        ? page.isOfMerchant || page.url === '/'
        : isPermitted(operator, SHOWN_TO[page.url] ?? 'read');
      expect([role, page.url, may ? [200, 303, 404].includes(status) : status]).toEqual([
        role,
        page.url,
        may || 403,
      ]);
    }
    const form = formOf((await call(role, isOwn ? '/console/merchants/SOUND' : '/')).text);
    for (const page of forms) {
      const { needs, fields } = FORMS[page.url]!;
      const { status } = await call(role, placeOf(page), { ...fields, form });
      const may = !isOwn && isPermitted(operator, needs);
      expect([role, page.url, status !== 403]).toEqual([role, page.url, may]);
      expect(
        (await call(role, placeOf(page), fields)).status,
        `${role} ${page.url} without its token`,
      ).toBe(403);
    }
  }
});

test('without a session, and to who reads metrics alone, every page is the login', async () => {
  expect(cookies.get('metrics')).not.toContain('session');
  for (const role of [null, 'metrics'] as const)
    for (const page of pages) {
      const { status, text } = await call(
        role,
        placeOf(page),
        page.method === 'POST' ? { form: 'x' } : undefined,
      );
      expect([page.url, status]).toEqual([page.url, page.method === 'POST' ? 401 : 200]);
      expect([page.url, text.includes('<h1>Connexion</h1>')]).toEqual([page.url, true]);
    }
});

test('an accountant sees no page of another merchant', async () => {
  const own = pages.filter(({ isOfMerchant }) => isOfMerchant);
  expect(own.length).toBeGreaterThan(5);
  for (const page of own)
    expect([page.url, (await call('accountant', placeOf(page, 'OTHER'))).status]).toEqual([
      page.url,
      403,
    ]);
});
