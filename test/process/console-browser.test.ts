// The console in a real browser: a person logs in, reads, decides and leaves.

import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AxeBuilder } from '@axe-core/playwright';
import Provider from 'oidc-provider';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasBrowser, openBrowser, openPage } from '../support/browser.ts';
import { type ConsoleBooks, openConsoleBooks } from '../support/console-books.ts';
import { freePort } from '../support/free-port.ts';
import { OPERATOR, operatorOf } from '../support/operator-books.ts';
import { withoutTriggers } from '../support/without-triggers.ts';

const OWN = operatorOf('comptable', ['accountant'], 'DRIFTED');
const AUDITOR = operatorOf('audit', ['auditor']);
let console_: ConsoleBooks;
let browser: Browser;
const at = (path: string): string => `${console_.server.origin}${path}`;

beforeAll(async () => {
  console_ = await openConsoleBooks(undefined, { others: [OWN, AUDITOR] });
  if (hasBrowser) browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await console_.close();
});

async function logIn(page: Page, { token } = OPERATOR): Promise<void> {
  await page.getByLabel('Jeton').fill(token);
  await page.getByRole('button', { name: 'Se connecter' }).click();
}

/** Takes a picture of the page, if `POINTAGE_PICTURES` names a folder. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.POINTAGE_PICTURES;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

const EVIL = '<script>window.acted = 1</script><img src=x onerror="window.acted = 1">';

/** Gives lines hostile descriptions, as a source may serve them. */
async function injectDescriptions(): Promise<void> {
  const spoil = 'update entries set description = $1 where sequence % 2 = 1';
  await withoutTriggers(console_.books.store.pool, (client) => client.query(spoil, [EVIL]));
}

async function expectToFit(page: Page): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
    page.viewportSize()!.width,
  );
}

/**
 * Checks the page for people with disabilities. No page of the console has frames, so none needs a
 * second page in which the results of frames are put together.
 */
async function expectAccessible(page: Page): Promise<void> {
  expect(page.frames()).toHaveLength(1);
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode()
    .options({ resultTypes: ['violations'] })
    .analyze();
  expect(
    violations.map(({ id, impact, nodes }) => [id, impact, nodes.map(({ html }) => html)]),
  ).toEqual([]);
}

test.runIf(hasBrowser)('a person logs in and sees what the night has found', async () => {
  const { page, complaints } = await openPage(browser, { viewport: { width: 1280, height: 900 } });
  await page.goto(at('/'));
  await expectAccessible(page);
  await picture(page, 'login');
  await logIn(page);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Ce matin');
  expect(await page.locator('.coverage').textContent()).toBe(
    '2 contrôlés sur 2 marchands attendus',
  );
  expect(await page.getByText('5 critiques').count()).toBe(1);
  expect(await page.getByRole('cell', { name: '61\u202f208\u00a0XAF (5)' }).count()).toBe(1);
  const bars = page.getByRole('img', { name: /par ancienneté, en XAF/ });
  const widths = await bars
    .locator('rect')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
  expect(widths[0]! / widths[1]!, 'as the amounts').toBeCloseTo(58_179 / 3_029, 0);
  expect(await bars.locator('text').allTextContents()).toContain('58\u202f179\u00a0XAF');
  await expectAccessible(page);
  await picture(page, 'morning-1280');
  await page.setViewportSize({ width: 390, height: 844 });
  await picture(page, 'morning-390');
  await expectToFit(page);
  await page.goto(at('/console/findings?kind=BALANCE_DRIFT'));
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole('link', { name: 'Écart de solde' }).click();
  expect(await page.locator('tr.here').count()).toBeGreaterThan(0);
  await expectToFit(page);
  await picture(page, 'lines-1280');
  expect(complaints).toEqual([]);
});

test.runIf(hasBrowser)('a person finds a finding, settles it and logs out', async () => {
  const { page, complaints } = await openPage(browser, { viewport: { width: 1280, height: 900 } });
  await injectDescriptions();
  await page.goto(at('/console/findings?state=open'));
  await logIn(page);
  await page.evaluate('window.isSamePage = true');
  await page.getByLabel('Gravité').selectOption('critique');
  await page.waitForURL(/severity=critical/);
  expect(await page.evaluate('window.isSamePage'), 'drawn anew in place').toBe(true);
  expect(await page.getByRole('link', { name: 'English' }).getAttribute('href')).toContain(
    'severity=critical',
  );
  const network = await page.context().newCDPSession(page);
  const slow = { offline: false, latency: 250, downloadThroughput: -1, uploadThroughput: -1 };
  await network.send('Network.emulateNetworkConditions', slow);
  for (const choice of ['confirmé', 'provisoire', 'Tous'])
    await page.getByLabel('Statut').selectOption(choice);
  await page.waitForURL(/severity=critical.*status=&/);
  expect(await page.getByLabel('Statut').inputValue(), 'the last choice').toBe('');
  await network.send('Network.emulateNetworkConditions', { ...slow, latency: 0 });
  expect(await page.locator('main > .note').textContent()).toBe(
    'Filtre en vigueur : État = ouvert ; Gravité = critique.',
  );
  await expectAccessible(page);
  await picture(page, 'findings-1280');
  await page.getByRole('link', { name: 'Crédit manquant' }).click();
  const sentence = await page.locator('.sentence').textContent();
  expect(sentence).toMatch(
    /^L’opération d’encaissement GUI-CI-\S+ a réussi, mais son crédit de .* n’a jamais été inscrit\.$/,
  );
  await expectAccessible(page);
  await picture(page, 'finding-1280');
  const letter = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Lettre au service' }).click();
  expect((await letter).suggestedFilename()).toMatch(/^LETTER_DRIFTED_[0-9a-f]{16}\.txt$/);
  await page.getByRole('link', { name: /^GUI-CI-/ }).click();
  expect(await page.getByText('Aucune notification n’est arrivée.').count()).toBe(1);
  expect(await page.getByRole('row', { name: /Crédit manquant/ }).count()).toBe(1);
  await expectAccessible(page);
  await picture(page, 'operation-1280');
  await page.goBack();
  await page.setViewportSize({ width: 390, height: 844 });
  await picture(page, 'finding-390');
  await expectToFit(page);
  await page.locator('summary', { hasText: 'Régulariser' }).click();
  await page.locator('#settle-reason').fill('Crédit passé à la main, ticket 4412');
  // The session ends while the reason is being written.
  console_.clock.now += 13 * 3_600_000;
  await page.locator('form:has(#settle-reason) button').click();
  expect(await page.getByText('Ce que vous aviez écrit').count()).toBe(1);
  await logIn(page);
  expect(await page.locator('#settle-reason').inputValue()).toBe(
    'Crédit passé à la main, ticket 4412',
  );
  await expectAccessible(page);
  await page.locator('form:has(#settle-reason) button').click();
  expect(await page.locator('.done').textContent()).toContain('La décision est inscrite');
  expect(await page.locator('.story').textContent()).toContain(
    'Crédit passé à la main, ticket 4412',
  );
  expect(await page.locator('.story').textContent()).toContain('controle');
  expect(await page.locator('#reopen-reason').inputValue(), 'the draft is gone').toBe('');
  await picture(page, 'settled-390');
  await page.getByRole('button', { name: 'Se déconnecter' }).click();
  await page.goto(at('/console/findings'));
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Connexion');
  expect(complaints.filter((one) => !one.includes('401'))).toEqual([]);
});

test.runIf(hasBrowser)(
  'a person decides about all of a filter at once, and keeps the text when the session ends',
  async () => {
    const { page, complaints } = await openPage(browser, {
      viewport: { width: 1280, height: 900 },
    });
    await page.goto(at('/console/findings?merchant=DRIFTED&state=open'));
    await logIn(page);
    const count = await page.locator('tbody tr').count();
    await page.locator('summary').click();
    await page.locator('#action').selectOption('label');
    await page.locator('#reason').fill('panne');
    await expectAccessible(page);
    await picture(page, 'together-1280');
    await page.setViewportSize({ width: 390, height: 844 });
    await expectToFit(page);
    await picture(page, 'together-390');
    const send = page.locator('details button');
    await send.click();
    expect(await page.locator('.fault').textContent()).toContain('Refusé : Nothing is decided: ');
    expect(await page.locator('#reason').inputValue()).toBe('panne');
    await expectAccessible(page);
    await picture(page, 'together-refused-390');
    await page.locator('#reason').fill('+panne');
    console_.clock.now += 13 * 3_600_000;
    await send.click();
    await logIn(page);
    expect(new URL(page.url()).search).toBe('?merchant=DRIFTED&state=open');
    expect(await page.locator('#action').inputValue()).toBe('label');
    expect(await page.locator('#reason').inputValue()).toBe('+panne');
    await send.click();
    expect(await page.locator('.done').textContent()).toBe(
      `Inscrit pour ${count} constats : Étiquettes.`,
    );
    await page.setViewportSize({ width: 1280, height: 900 });
    await picture(page, 'together-done-1280');
    expect(complaints.filter((one) => !/40[19]/.test(one))).toEqual([]);
  },
);

test.runIf(hasBrowser)('a browser without JavaScript filters too', async () => {
  const { page } = await openPage(browser, { javaScriptEnabled: false });
  await page.goto(at('/console/findings?state=open'));
  await logIn(page);
  await page.getByLabel('Gravité').selectOption('critique');
  await page.getByRole('button', { name: 'Afficher' }).click();
  expect(page.url()).toContain('severity=critical');
  expect(await page.locator('main > .note').textContent()).toContain('Gravité = critique');
});

test.runIf(hasBrowser)(
  'an accountant has the own merchant, and an auditor reads who looked at it',
  async () => {
    const { page, complaints } = await openPage(browser, {
      viewport: { width: 1280, height: 900 },
    });
    await page.goto(at('/'));
    await logIn(page, OWN);
    expect(await page.getByRole('navigation').getByRole('link').allTextContents()).toEqual([
      'Marchand',
      'Constats',
    ]);
    await expectAccessible(page);
    await expectToFit(page);
    await picture(page, 'accountant-1280');
    await page.getByRole('navigation').getByRole('link', { name: 'Constats' }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Se déconnecter' }).click();
    await page.goto(at('/console/trail'));
    await logIn(page, AUDITOR);
    expect(await page.getByRole('row', { name: /comptable.*DRIFTED/ }).count()).toBeGreaterThan(0);
    await expectAccessible(page);
    await picture(page, 'trail-1280');
    await page.setViewportSize({ width: 390, height: 844 });
    await expectToFit(page);
    await picture(page, 'trail-390');
    expect(complaints).toEqual([]);
  },
);

test.runIf(hasBrowser)('a text from outside is shown and never acts', async () => {
  const { page, complaints } = await openPage(browser);
  await injectDescriptions();
  await page.goto(at('/console/findings?kind=BALANCE_DRIFT'));
  await logIn(page);
  await page.getByRole('link', { name: 'Écart de solde' }).click();
  expect(await page.getByText(EVIL).count()).toBeGreaterThan(0);
  expect(await page.locator('body script, img').count()).toBe(0);
  expect(await page.evaluate('window.acted')).toBeUndefined();
  expect(complaints).toEqual([]);
});

test.runIf(hasBrowser)('no other page can show the console in a frame', async () => {
  const frames = `<iframe src="${at('/health')}"></iframe><iframe src="${at('/login')}"></iframe>`;
  const other = createServer((_, answer) =>
    answer.setHeader('content-type', 'text/html').end(frames),
  ).listen(0);
  await once(other, 'listening');
  const { page } = await openPage(browser);
  await page.goto(`http://localhost:${(other.address() as AddressInfo).port}/`);
  const [, probe, console] = page.frames();
  expect(await probe!.locator('body').textContent()).toBe('{"status":"ok"}');
  expect([console!.url(), await console!.locator('form').count()]).toEqual([
    'chrome-error://chromewebdata/',
    0,
  ]);
  other.close();
});

/**
 * Opens a provider of OpenID Connect at another site than the console. It believes whoever gives a
 * name.
 */
async function openIdentities(redirect: string) {
  const port = await freePort();
  const issuer = `http://localhost:${port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'pointage', client_secret: SECRET, redirect_uris: [redirect] }],
    claims: { email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    cookies: { keys: [SECRET] },
    findAccount: (_, accountId) => {
      const [email, unverified] = accountId.split('?');
      const claims = { sub: accountId, email: email!, email_verified: unverified === undefined };
      return { accountId, claims: () => claims };
    },
  });
  const listening = provider.listen(port);
  await once(listening, 'listening');
  return { issuer, close: () => listening.close() };
}

const SECRET = 'a secret that the two of them share';

test.runIf(hasBrowser)(
  'a person whom the provider names logs in there, and keeps what was half written',
  async () => {
    const port = await freePort();
    const publicUrl = `http://127.0.0.1:${port}`;
    const identities = await openIdentities(`${publicUrl}/login/return`);
    const oidc = {
      issuer: identities.issuer,
      clientId: 'pointage',
      clientSecret: SECRET,
      nameClaim: 'email',
    };
    const AWA = operatorOf('awa@books.example', ['decider']);
    const settings = { others: [AWA], publicUrl, port, oidc };
    const books = await openConsoleBooks({ DRIFTED: ['CREDIT_MISSING'] }, settings);
    const { page, complaints } = await openPage(browser, { viewport: { width: 390, height: 844 } });
    const enter = async (name: string, page: Page) => {
      await page.getByRole('button', { name: 'Se connecter par localhost' }).click();
      await page.locator('[name=login]').fill(name);
      await page.locator('[name=password]').fill('any');
      await page.getByRole('button', { name: 'Sign-in' }).click();
      await page.getByRole('button', { name: 'Continue' }).click();
    };
    await page.goto(`${publicUrl}/console/findings?state=open`);
    await expectAccessible(page);
    await picture(page, 'login-provider-390');
    await enter(AWA.name, page);
    await page.getByRole('link', { name: 'Crédit manquant' }).click();
    expect(await page.locator('.who').textContent()).toBe(AWA.name);
    await page.locator('summary', { hasText: 'Régulariser' }).click();
    await page.locator('#settle-reason').fill('Crédit passé à la main');
    books.clock.now += 13 * 3_600_000;
    await page.locator('form:has(#settle-reason) button').click();
    await page.getByRole('button', { name: 'Se connecter par localhost' }).click();
    expect(await page.locator('#settle-reason').inputValue()).toBe('Crédit passé à la main');
    // The provider's own pages ask for a font from elsewhere.
    expect(complaints.filter((one) => !/401|ERR_NAME_NOT_RESOLVED/.test(one))).toEqual([]);
    for (const [stranger, says] of [
      ['moussa@books.example', /aucun opérateur ne porte ce nom/],
      [`${AWA.name}?unverified`, /n’a pas réussi/],
    ] as const) {
      const other = (await openPage(browser)).page;
      await other.goto(`${publicUrl}/`);
      await enter(stranger, other);
      expect(await other.getByRole('alert').textContent()).toMatch(says);
      await other.goto(`${publicUrl}/login/return?code=made-up&state=made-up`);
      expect(await other.getByRole('alert').textContent(), 'the login was used').toMatch(
        /n’est plus valable/,
      );
    }
    identities.close();
    await books.close();
  },
);

test.runIf(hasBrowser)(
  'merchants, one of them, and audits are shown in both languages',
  async () => {
    const { page, complaints } = await openPage(browser, {
      viewport: { width: 1280, height: 900 },
      colorScheme: 'dark',
    });
    await page.goto(at('/console/merchants'));
    await logIn(page);
    await page.getByLabel('Verdict').selectOption('non conformes');
    await page.getByLabel('Dans la référence ou le nom').fill('drift');
    await page.getByRole('button', { name: 'Afficher' }).click();
    await page.waitForURL(/text=drift/);
    expect(new URL(page.url()).search).toBe('?verdict=broken&status=&country=&text=drift');
    expect(await page.getByRole('link', { name: 'SOUND' }).count()).toBe(0);
    await expectAccessible(page);
    await picture(page, 'merchants-dark-1280');
    await page.getByRole('link', { name: 'DRIFTED' }).click();
    expect(await page.getByRole('row', { name: /^Solde / }).textContent()).toMatch(/XAF/);
    await expectAccessible(page);
    await picture(page, 'merchant-dark-1280');
    await page.setViewportSize({ width: 390, height: 844 });
    await expectToFit(page);
    await picture(page, 'merchant-dark-390');
    await page.getByRole('link', { name: 'Demander un audit' }).click();
    await page.getByRole('button', { name: 'Demander' }).click();
    expect(await page.locator('.done').textContent()).toContain('L’audit est demandé');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'English' }).click();
    expect(await page.getByRole('row').last().textContent()).toContain('waiting');
    await picture(page, 'audits-dark-390');
    await expectToFit(page);
    expect(console_.entrance.sent).toHaveLength(1);
    expect(complaints).toEqual([]);
  },
);
