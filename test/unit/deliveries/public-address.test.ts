// Addresses that webhooks may go to, and addresses that they may not, however they are written.

import type { lookup } from 'node:dns';
import { expect, test } from 'vitest';
import {
  isPublic,
  lookupPublic,
  requirePublicHost,
} from '../../../src/io/deliveries/public-address.ts';

test.each(['8.8.8.8', '1.1.1.1', '197.149.128.1', '2606:4700::1111', '::ffff:8.8.8.8'])(
  '%s is public',
  (address) => {
    expect(isPublic(address)).toBe(true);
  },
);

test.each([
  '127.0.0.1',
  '127.255.255.254',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '255.255.255.255',
  '224.0.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '::1',
  '::',
  '::7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '2001:0:7f00:1::',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '2001:db8::1',
  'not an address',
])('%s is not public', (address) => {
  expect(isPublic(address)).toBe(false);
});

test.each([
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://017700000001/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://169.254.169.254/latest',
])('%s is refused before anything is looked up', (address) => {
  expect(() => requirePublicHost(new URL(address))).toThrow(/is not a public address/);
});

test('a name passes, and is judged by what it leads to: one private address among public ones refuses it', async () => {
  expect(() => requirePublicHost(new URL('https://hooks.example/'))).not.toThrow();
  const answering = (...addresses: readonly string[]) =>
    ((_name: string, _options: object, done: (failure: null, found: object[]) => void) =>
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )) as typeof lookup;
  const asked = (...addresses: readonly string[]) =>
    new Promise((resolve) => {
      const options = { all: true } as const;
      lookupPublic(answering(...addresses))('hooks.example', options, (failure, found) =>
        resolve(failure ?? found),
      );
    });
  expect(await asked('8.8.8.8', '10.0.0.1')).toMatchObject({
    name: 'AddressRefused',
    message: expect.stringContaining('hooks.example leads to 10.0.0.1'),
  });
  expect(await asked('8.8.8.8')).toEqual([{ address: '8.8.8.8', family: 4 }]);
});
