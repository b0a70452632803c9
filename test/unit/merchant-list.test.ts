// A list of merchants from outside. Each row becomes the settings of one merchant, or the whole
// list is refused, with the rows named.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkConfiguration } from '../../src/service/config/check-configuration.ts';
import { ConfigurationInvalid } from '../../src/service/config/configuration-invalid.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import { merchantsOf } from '../../src/service/config/merchant-list.ts';

const read = (rows: readonly unknown[], each: Record<string, unknown> = {}, environment = {}) =>
  merchantsOf(rows, { each, most: 4 }, environment);

test('columns are settings, in either way of writing names, and what is null is not given', () => {
  const merchants = read([
    {
      reference: 'M001',
      api_key: 'k1',
      apiSecret: 's1',
      zone: null,
      accountants: 'a@example.com, b@example.com',
    },
    { reference: 'M002', holder: { legalName: 'Une SARL' }, zone: 'Africa/Dakar', accountants: '' },
  ]);
  expect(merchants.M001).toEqual({
    apiKey: 'k1',
    apiSecret: 's1',
    accountants: [{ email: 'a@example.com' }, { email: 'b@example.com' }],
  });
  expect(merchants.M002).toMatchObject({
    holder: { legalName: 'Une SARL' },
    zone: 'Africa/Dakar',
    accountants: [],
  });
});

test('a setting for each is filled in with the name, taken from its file, and gives way to the row', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pointage-each-'));
  for (const name of ['M001', 'M002'])
    writeFileSync(join(folder, `${name}.key`), `key of ${name}\n`);
  const each = { apiKey: `file:${folder}/{reference}.key`, apiSecret: 'env:SHARED', zone: 'UTC' };
  const merchants = read(
    [{ reference: 'M001' }, { reference: 'M002', zone: 'Africa/Douala' }],
    each,
    {
      SHARED: 'hush',
    },
  );
  expect(merchants.M001).toMatchObject({ apiKey: 'key of M001', apiSecret: 'hush', zone: 'UTC' });
  expect(merchants.M002).toMatchObject({ apiKey: 'key of M002', zone: 'Africa/Douala' });
  rmSync(folder, { recursive: true });
});

test('a text of the list itself is never looked up elsewhere', () => {
  expect(
    read(
      [{ reference: 'M1', apiKey: 'env:HOME', apiSecret: 'file:/etc/passwd' }],
      {},
      { HOME: '/root' },
    ).M1,
  ).toMatchObject({
    apiKey: 'env:HOME',
    apiSecret: 'file:/etc/passwd',
  });
});

const PLACED = { apiKey: 'file:/run/secrets/{reference}' };

test.each<[string, readonly unknown[], Record<string, unknown>, RegExp]>([
  ['an empty list', [], {}, /cannot be taken: it is empty/],
  [
    'too long a list',
    Array.from({ length: 5 }, (_, n) => ({ reference: `M${n}` })),
    {},
    /more than 4 merchants/,
  ],
  ['a row that is none', [7], {}, /row 1: is no object/],
  [
    'a row without a name',
    [{ reference: 'M1' }, { zone: 'UTC' }],
    {},
    /row 2: has no reference of 1 to 200/,
  ],
  [
    'a merchant that is there twice',
    [{ reference: 'M1' }, { reference: 'M1' }],
    {},
    /row 2 \("M1"\): is there twice/,
  ],
  [
    'a setting that there is not',
    [{ reference: 'M1', pin: 1 }],
    {},
    /row 1 \("M1"\): it: Unrecognized key: "pin"/,
  ],
  [
    'a zone that there is not',
    [{ reference: 'M1', zone: 'Nowhere' }],
    {},
    /\("M1"\): zone: must be the name of a zone/,
  ],
  [
    'an address that is none',
    [{ reference: 'M1', accountants: 'somebody' }],
    {},
    /accountants\.0\.email: /,
  ],
  [
    'a name that climbs out of its folder',
    [{ reference: '../M1' }],
    PLACED,
    /\("\.\.\/M1"\): cannot stand for \{reference\}/,
  ],
  [
    'a secret that is not there',
    [{ reference: 'M1' }],
    PLACED,
    /apiKey refers to the file \/run\/secrets\/M1, which cannot/,
  ],
])('%s is refused as a whole', (_, rows, each, says) => {
  expect(() => read(rows, each)).toThrow(ConfigurationInvalid);
  expect(() => read(rows, each)).toThrow(says);
});

test('where the list is, is a setting of its own beside the merchants of the file', async () => {
  const from = {
    url: 'postgres://me:hush@db/x',
    select: 'select reference from clients',
    each: { apiKey: 'env:{reference}' },
  };
  const { merchants, merchantsFrom } = checkConfiguration({ merchants: { from, M1: {} } }, 'test');
  expect(Object.keys(merchants)).toEqual(['M1']);
  expect(merchantsFrom).toMatchObject({ ...from, most: 20_000 });
  const folder = mkdtempSync(join(tmpdir(), 'pointage-from-'));
  const config = join(folder, 'config.json');
  writeFileSync(config, JSON.stringify({ merchants: { from } }));
  const loaded = await loadConfiguration({ config }, {});
  rmSync(folder, { recursive: true });
  expect(loaded.merchantsFrom!.each, 'filled in for each, and not before').toEqual({
    apiKey: 'env:{reference}',
  });
});

test.each<[string, object, RegExp]>([
  ['a database without a select', { url: 'postgres://db/x' }, /needs select with a database/],
  ['a select over HTTP', { url: 'https://a/list', select: 'select 1' }, /has none over HTTP/],
  [
    'another address',
    { url: 'ftp://a/list' },
    /must be a postgres:\/\/, http:\/\/ or https:\/\/ address/,
  ],
])('%s is refused', (_, from, says) => {
  expect(() => checkConfiguration({ merchants: { from } }, 'test')).toThrow(says);
});
