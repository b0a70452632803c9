// The demonstration's night from its alert to clean, by people who have a browser and nothing else.
// The payment credited twice is found and followed, and settled by two people with the line that
// the payment service posts. The month is released by two people, and sent once more.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import type { Role } from '../../src/core/domain/operators/role.ts';
import { DEMO_SEED, DEMO_START, demoPlans } from '../../src/sandbox/plans/demo-plans.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/service/start-sandbox.ts';
import { withServing } from '../../src/service/cli/commands/serving.ts';
import { stageOf } from '../../src/service/cli/stage/stage.ts';
import { type Service, withService } from '../../src/service/compose/service.ts';
import {
  isIdle,
  OF_NIGHTS,
  startServiceWorker,
  workNight,
} from '../../src/service/compose/service-worker.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import { hasBrowser, openBrowser, openPage } from '../support/browser.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { testFolder } from '../support/test-folder.ts';

const MERCHANT = 'PHARMACIE_SAHEL_DEMO';
const ACCOUNTANT = 'compta@example.com';

let opened: TestStore;
let mail: MailServer;
let sandbox: Sandbox;
let browser: Browser;
beforeAll(async () => {
  if (!hasBrowser) return;
  opened = await openTestStore();
  mail = await startMailServer();
  const merchants = demoPlans().filter(
    ({ reference }) => reference === MERCHANT || reference === 'MARCHE_LAGUNE_FICTIF',
  );
  sandbox = await startSandbox({
    seed: DEMO_SEED,
    merchants,
    start: DEMO_START,
    port: 0,
    control: true,
  });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await sandbox?.close();
  await mail?.close();
  await opened?.close();
});

const operatorOf = (name: string, roles: readonly Role[]) => ({
  name,
  roles,
  token: name.repeat(20),
});
const AWA = operatorOf('awa', ['decider', 'publisher']);
const MOUSSA = operatorOf('moussa', ['decider', 'publisher', 'auditor']);

async function configured() {
  const accounts = sandbox.merchants.map(({ reference, apiKey, apiSecret }) => {
    const accountants = reference === MERCHANT ? [{ email: ACCOUNTANT }] : [];
    return [reference, { apiKey, apiSecret, accountants }] as const;
  });
  const config = join(testFolder('pointage-night-'), 'settings.json');
  const settings = {
    source: sandbox.url,
    databaseUrl: opened.databaseUrl,
    mail: { url: mail.url, from: 'pointage@example.com' },
    merchants: Object.fromEntries(accounts),
    server: { operators: [AWA, MOUSSA] },
    decisions: { secondPersonAbove: { XOF: 1 } },
  };
  writeFileSync(config, JSON.stringify(settings));
  return loadConfiguration({ config }, {});
}

async function night(service: Service): Promise<void> {
  await workNight(service);
  while (!(await isIdle(service, OF_NIGHTS))) await sleep(100);
}

/**
 * Checks that nothing on the page is out of reach. Takes a picture of it, wide and narrow, if
 * `POINTAGE_PICTURES` names a folder.
 */
async function look(page: Page, name: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect([name, violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])]).toEqual([
    name,
    [],
  ]);
  const folder = process.env.POINTAGE_PICTURES;
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    if (folder !== undefined) {
      mkdirSync(folder, { recursive: true });
      await page.screenshot({ path: `${folder}/night-${name}-${width}.png`, fullPage: true });
    }
    expect([name, width, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([
      name,
      width,
      width,
    ]);
  }
}

async function openFor(operator: { readonly token: string }) {
  const { page, complaints } = await openPage(browser, { viewport: { width: 1280, height: 900 } });
  /**
   * Opens a page, and logs in where the session has ended, because a simulated day is longer than a
   * session.
   */
  const visit = async (url: string) => {
    await page.goto(url);
    if ((await page.getByLabel('Jeton').count()) === 0) return;
    await page.getByLabel('Jeton').fill(operator.token);
    await page.getByRole('button', { name: 'Se connecter' }).click();
  };
  return { page, complaints, visit };
}

test.runIf(hasBrowser)(
  'the night goes from its alert to clean',
  async () => {
    const configuration = await configured();
    const quiet = { out: () => {}, note: () => {}, colour: false, width: null };
    const terminal = { ...quiet, progress: () => ({ update: () => {}, stop: () => {} }) };
    const stage = { ...stageOf(terminal, {}), clock: () => sandbox.now(), log: () => {} };
    await withServing(stage, configuration, { host: '127.0.0.1', port: 0 }, ({ origin }) =>
      withService(configuration, stage, async (service) => {
        const worker = await startServiceWorker(service);
        try {
          await night(service);
          await sandbox.advanceTo(sandbox.now() + DAY);
          await night(service);
          await putRight(origin, service);
        } finally {
          await worker.stop(10);
        }
      }),
    );
  },
  240_000,
);

async function putRight(origin: string, service: Service): Promise<void> {
  const { page, complaints, visit } = await openFor(AWA);
  await visit(`${origin}/`);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Ce matin');
  await look(page, 'morning');
  await page.goto(`${origin}/console/findings?merchant=${MERCHANT}&state=open`);
  await page.getByRole('link', { name: 'Crédit en double' }).first().click();
  const finding = page.url();
  await page
    .getByRole('link', { name: /^GUI-CI-/ })
    .first()
    .click();
  expect(await page.getByRole('row', { name: /Crédit en double/ }).count()).toBe(1);
  await look(page, 'operation');
  await page.goto(finding);
  const proposal = page
    .locator('section', { hasText: 'Proposition de correction' })
    .locator('li')
    .first();
  const [, amount] = /([\d\u202f]+)\u00a0XOF/.exec((await proposal.textContent())!)!;
  await look(page, 'finding');

  // The payment service posts what was proposed, by a line that names no fault.
  const posted = {
    direction: 'DEBIT',
    amount: Number(amount!.replace(/\D/g, '')),
    description: 'Régularisation',
  };
  const url = `${sandbox.origin}/sandbox/merchants/${MERCHANT}/adjustments`;
  expect((await fetch(url, { method: 'POST', body: JSON.stringify(posted) })).status).toBeLessThan(
    300,
  );
  await sandbox.advanceTo(sandbox.now() + DAY);
  await night(service);
  await visit(finding);
  const main = (await page.locator('main').textContent())!;
  expect(main).toMatch(/Pourrait l’avoir régularisé : ligne \d+\./);
  const [, line] = /: ligne (\d+)\./.exec(main)!;
  await page.locator('summary', { hasText: 'Régulariser' }).click();
  await page.locator('#settle-lines').fill(line!);
  await page.locator('form:has(#settle-lines) button').click();
  expect(await page.locator('main').textContent()).toContain(
    'une autre personne doit la confirmer',
  );
  expect(await page.getByRole('button', { name: 'Confirmer' }).count(), 'by whom proposed it').toBe(
    0,
  );
  const second = await openFor(MOUSSA);
  await second.visit(finding);
  await look(second.page, 'proposed');
  await second.page.getByRole('button', { name: 'Confirmer' }).click();
  expect(await second.page.locator('main > p .badge').allTextContents()).toContain('régularisé');
  await sandbox.advanceTo(sandbox.now() + DAY);
  await night(service);

  await visit(`${origin}/`);
  await page
    .locator('section', { hasText: 'Relevés retenus' })
    .getByRole('row', { name: MERCHANT })
    .getByRole('link', { name: 'octobre 2026' })
    .click();
  expect(await page.getByText('Rien n’est ouvert.').count()).toBe(1);
  await look(page, 'month-held');
  expect(mail.arrived.filter(({ envelope }) => envelope.to.includes(ACCOUNTANT))).toEqual([]);
  await page.locator('summary', { hasText: 'Libérer' }).click();
  await page.locator('#release-reason').fill(`Régularisé par la ligne ${line}`);
  await page.locator('form:has(#release-reason) button').click();
  expect(await page.locator('.done').textContent()).toContain(
    'une autre personne doit la confirmer',
  );
  expect(await page.getByRole('button', { name: 'Confirmer' }).count(), 'by whom proposed it').toBe(
    0,
  );
  await second.visit(page.url().replace(/\?.*/, ''));
  await look(second.page, 'month-proposed');
  await second.page.getByRole('button', { name: 'Confirmer' }).click();
  expect(await second.page.locator('.done').textContent()).toContain('C’est fait');
  expect(await second.page.locator('main').textContent()).toContain('awa, confirmé par moussa');
  await page.reload();
  await page.locator('summary', { hasText: 'Envoyer encore' }).click();
  await page.locator('#send-to').fill('audit@example.com');
  await page.locator('form:has(#send-to) button').click();
  const arrived = () => mail.arrived.map(({ envelope }) => envelope.to[0]).toSorted();
  await expect
    .poll(arrived, { timeout: 30_000 })
    .toEqual(expect.arrayContaining(['audit@example.com', ACCOUNTANT]));
  await page.reload();
  await look(page, 'month');
  await page.getByRole('link', { name: 'Envois', exact: true }).click();
  expect(await page.getByRole('row', { name: /audit@example\.com/ }).textContent()).toContain(
    'arrivé',
  );
  await look(page, 'deliveries');
  await page.getByRole('link', { name: 'Mois', exact: true }).click();
  await look(page, 'months');
  await page.getByRole('searchbox').fill(MERCHANT);
  await page.getByRole('searchbox').press('Enter');
  expect(await page.locator('main > p .badge').first().textContent()).toBe('conformes');
  await look(page, 'merchant');
  expect([...complaints, ...second.complaints]).toEqual([]);
}
