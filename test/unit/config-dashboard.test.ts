// Settings of the dashboard: secrets come from the environment, and a mistake is named without its
// value.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openConfiguredDashboard } from '../../src/service/compose/open-configured.ts';
import type { Configuration } from '../../src/service/config/check-configuration.ts';
import { ConfigurationInvalid } from '../../src/service/config/configuration-invalid.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';

const scratch = mkdtempSync(join(tmpdir(), 'config-'));
afterAll(() => rmSync(scratch, { recursive: true }));

const runtime = { clock: () => 0, random: () => 0, log: () => {} };
const login = { numero: 'env:NUMERO', password: 'env:PASSWORD' };
const written = {
  dashboard: { baseUrl: 'env:BASE' },
  merchants: { M001: { dashboard: login }, M002: {} },
};
const environment = {
  NUMERO: '+225000017',
  PASSWORD: 'never-shown',
  BASE: 'https://dashboard.example',
};

function load(
  value: object,
  given: Readonly<Record<string, string>> = environment,
): Promise<Configuration> {
  const file = join(scratch, 'config.json');
  writeFileSync(file, JSON.stringify(value));
  return loadConfiguration({ config: file }, given);
}

async function mistake(value: object, given?: Readonly<Record<string, string>>): Promise<string> {
  try {
    await load(value, given);
  } catch (failure) {
    expect(failure).toBeInstanceOf(ConfigurationInvalid);
    return (failure as Error).message;
  }
  throw new Error('the configuration was accepted');
}

test('number, password and address come from the environment, and only merchants with a login are opened', async () => {
  const configuration = await load(written);
  expect(configuration.merchants.M001!.dashboard).toEqual({
    numero: '+225000017',
    password: 'never-shown',
  });
  const published = (await openConfiguredDashboard(
    configuration,
    'https://api.example/v1',
    runtime,
  ))!;
  expect([published.dashboard.name, published.months]).toEqual(['https://dashboard.example', 3]);
  expect(await published.dashboard.merchants()).toEqual(['M001']);
});

test('books in files bring their own, and without a setting there is none', async () => {
  expect(await openConfiguredDashboard(await load(written), 'file:books', runtime)).toMatchObject({
    dashboard: { name: 'file:books' },
    months: null,
  });
  expect(await openConfiguredDashboard(await load({}), undefined, runtime)).toBeNull();
});

test('keys of a summary are given by path, and reach the comparison of reports', async () => {
  const summaryKeys = {
    'totaux.montant': 'amount',
    'parPays[pays]': 'count by country',
    totalAmount: null,
  };
  const configuration = await load({ ...written, summaryKeys });
  const published = await openConfiguredDashboard(configuration, undefined, runtime);
  expect(published!.summaryKeys).toEqual(summaryKeys);
});

test.each([
  { a: 'sum' },
  { 'a[b]': 'amount' },
  { a: 'amount by operator' },
  { 'a[b][c]': 'amount by day' },
  { '[a].b': 'count by day' },
  { 'a[b]c': 'count by day' },
])('no key of a summary is %j', async (summaryKeys) => {
  expect(await mistake({ summaryKeys })).toContain(`summaryKeys.${Object.keys(summaryKeys)[0]}: `);
});

test.each<[string, object, Readonly<Record<string, string>>, RegExp]>([
  [
    'a variable that is not set',
    written,
    { NUMERO: 'n', BASE: 'b' },
    /M001\.dashboard\.password .* PASSWORD, which is not set/,
  ],
  [
    'a login without a password',
    { merchants: { M001: { dashboard: { numero: 'n' } } } },
    {},
    /merchants\.M001\.dashboard\.password/,
  ],
  ['no address', { dashboard: { months: 2 } }, {}, /dashboard\.baseUrl/],
  ['no months', { dashboard: { baseUrl: 'b', months: 0 } }, {}, /dashboard\.months/],
  [
    'no attempts',
    { dashboard: { baseUrl: 'b', retries: { attempts: 0 } } },
    {},
    /dashboard\.retries\.attempts/,
  ],
  [
    'an empty name',
    { dashboard: { baseUrl: 'b', parameters: { from: '' } } },
    {},
    /dashboard\.parameters\.from/,
  ],
  [
    'an empty password',
    { merchants: { M001: { dashboard: { numero: 'n', password: '' } } } },
    {},
    /merchants\.M001\.dashboard\.password/,
  ],
  ['a key that is not known', { dashboard: { baseUrl: 'b', token: 'never-shown' } }, {}, /token/],
])('%s is named', async (_, value, given, message) => {
  expect(await mistake(value, given)).toMatch(message);
  expect(await mistake(value, given)).not.toContain('never-shown');
});

test('an address that could never work is refused before anything is opened', async () => {
  const configuration = await load({
    dashboard: { baseUrl: 'https://user:never-shown@dashboard.example' },
  });
  const opened = openConfiguredDashboard(configuration, undefined, runtime);
  await expect(opened).rejects.toThrow(/must not hold a user name/);
});
