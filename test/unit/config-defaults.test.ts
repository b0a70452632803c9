// The settings that hold where nothing is configured, which are given without a check.

import { expect, test } from 'vitest';
import { STATEMENT_FORMATS } from '../../src/core/statements/statement.ts';
import { checkConfiguration } from '../../src/service/config/check-configuration.ts';
import { ConfigurationInvalid } from '../../src/service/config/configuration-invalid.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';

test('without anything to check the configuration is what the check would have made of it', async () => {
  expect(await loadConfiguration({}, {})).toEqual(checkConfiguration({}, 'no file'));
  const texts = {
    databaseUrl: 'postgres://me@db/books',
    dataDirectory: 'store',
    source: 'file:books',
  };
  expect(await loadConfiguration(texts, {})).toEqual(checkConfiguration(texts, 'no file'));
});

test('a flag is stronger than the environment, an empty one is not given, and either may name a variable', async () => {
  const environment = {
    POINTAGE_SOURCE: 'env:PLACE',
    DATABASE_URL: 'postgres://theirs',
    PLACE: 'file:books',
  };
  const { source, databaseUrl, dataDirectory } = await loadConfiguration(
    { dataDirectory: '' },
    environment,
  );
  expect([source, databaseUrl, dataDirectory]).toEqual([
    'file:books',
    'postgres://theirs',
    '.pointage',
  ]);
  expect((await loadConfiguration({ source: 'file:others' }, environment)).source).toBe(
    'file:others',
  );
  const unset = loadConfiguration({ source: 'env:NO_SUCH' }, {});
  await expect(unset).rejects.toThrow(
    'source refers to the environment variable NO_SUCH, which is not set.',
  );
});

test('a number of the environment is checked, also where there is nothing else', async () => {
  const refused = loadConfiguration({}, { POINTAGE_GRACE_MINUTES: '2000' });
  await expect(refused).rejects.toThrow(ConfigurationInvalid);
  await expect(refused).rejects.toThrow(/graceMinutes: .*<=1440/);
  expect((await loadConfiguration({}, { POINTAGE_GRACE_MINUTES: '7' })).graceMinutes).toBe(7);
  const { telemetry } = await loadConfiguration({}, { POINTAGE_TELEMETRY_PORT: '9191' });
  expect(telemetry).toEqual({ host: '127.0.0.1', port: 9191 });
});

test('what is sent may be of any format, and of no other', () => {
  const formats = [...STATEMENT_FORMATS];
  expect(checkConfiguration({ deliveries: { formats } }, 'a file').deliveries.formats).toEqual(
    formats,
  );
  const unknown = () => checkConfiguration({ deliveries: { formats: ['pdf', 'doc'] } }, 'a file');
  expect(unknown).toThrow(ConfigurationInvalid);
  expect(unknown).toThrow(/deliveries\.formats\.1: .*"camt"/);
});
