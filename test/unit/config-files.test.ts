// A configuration of several files: what is included is put together, what is given twice is
// refused, and secrets are where containers are handed them.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  configurationJsonSchema,
  configurationSchema,
} from '../../src/service/config/check-configuration.ts';
import { ConfigurationInvalid } from '../../src/service/config/configuration-invalid.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import { nextPlanned } from '../../src/service/queue/planned-instants.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pointage-config-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, content: unknown): string {
  const file = join(folder, name);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}
const load = (content: object) =>
  loadConfiguration({ config: write('pointage.config.json', content) }, {});

async function refusalOf(content: object): Promise<string> {
  const failure = await load(content).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ConfigurationInvalid);
  return (failure as Error).message;
}

describe('included folders', () => {
  test('are read by name, and their merchants stand beside the others', async () => {
    write('merchants.d/20.json', { merchants: { M3: { zone: 'Africa/Dakar' } } });
    write('merchants.d/10.json', { merchants: { M2: {} }, graceMinutes: 20 });
    write('merchants.d/notes.txt', 'not read');
    write('more/alerts.json', { alerts: { mail: ['a@example.com'] } });
    const { merchants, graceMinutes, alerts } = await load({
      include: ['merchants.d', 'more'],
      merchants: { M1: {} },
    });
    expect(Object.keys(merchants)).toEqual(['M1', 'M2', 'M3']);
    expect([merchants.M3!.zone, graceMinutes, alerts.mail]).toEqual([
      'Africa/Dakar',
      20,
      ['a@example.com'],
    ]);
  });

  test.each<[string, Record<string, object>, object, RegExp]>([
    [
      'a key that two files give',
      { 'd/a.json': { zone: 'UTC' } },
      { include: 'd', zone: 'UTC' },
      /zone is given by .*pointage\.config\.json and by .*a\.json: leave it in one/,
    ],
    [
      'a merchant that two files give',
      { 'd/a.json': { merchants: { M1: {} } }, 'd/b.json': { merchants: { M1: {} } } },
      { include: 'd' },
      /merchants\.M1 is given by .*a\.json and by .*b\.json/,
    ],
    [
      'an include in an include',
      { 'd/a.json': { include: 'e' } },
      { include: 'd' },
      /includes others itself/,
    ],
    [
      'a folder that is not there',
      {},
      { include: 'gone' },
      /The folder .*gone, which .* cannot be read \(ENOENT\)/,
    ],
    [
      'an include that is no folder',
      {},
      { include: 7 },
      /include in .* must be a folder, or a list of them/,
    ],
    [
      'a list in place of settings',
      { 'd/a.json': [] },
      { include: 'd' },
      /a\.json must hold one JSON object/,
    ],
  ])('%s is refused', async (_, files, content, says) => {
    for (const [name, one] of Object.entries(files)) write(name, one);
    expect(await refusalOf(content)).toMatch(says);
  });
});

describe('a secret in a file', () => {
  test('is taken without the end of its line, and an address of books stays one', async () => {
    const key = write('key', 'hush\n');
    const { merchants, source } = await load({
      source: 'file:./books',
      merchants: { M1: { apiKey: `file:${key}`, source: 'file:./own' } },
    });
    expect([merchants.M1!.apiKey, merchants.M1!.source, source]).toEqual([
      'hush',
      'file:./own',
      'file:./books',
    ]);
  });

  test.each<[string, string, RegExp]>([
    [
      'is not there',
      'gone',
      /merchants\.M1\.apiKey refers to the file .*gone, which cannot be read \(ENOENT\)/,
    ],
    ['is empty', 'empty', /which is empty/],
    ['is no secret', 'long', /which holds more than 65536 characters/],
  ])('that %s is refused by its key', async (_, name, says) => {
    write('empty', '\n');
    write('long', 'x'.repeat(70_000));
    expect(
      await refusalOf({ merchants: { M1: { apiKey: `file:${join(folder, name)}` } } }),
    ).toMatch(says);
  });
});

describe('what a worker would stumble over later', () => {
  test.each<[string, object, RegExp]>([
    [
      'a minute that there is not',
      { night: { cron: '61 2 * * *' } },
      /worker\.night\.cron: '61 2 \* \* \*' is no plan/,
    ],
    [
      'a day that never comes',
      { monthStart: '0 5 31 2 *' },
      /worker\.monthStart: '0 5 31 2 \*' is no plan/,
    ],
    ['words', { night: { cron: 'every day at two o’clock' } }, /is no plan/],
    [
      'a zone that there is not',
      { night: { zone: 'Africa/Nowhere' } },
      /worker\.night\.zone: must be the name of a zone/,
    ],
  ])('%s is refused when the configuration is read', async (_, worker, says) => {
    expect(await refusalOf({ worker })).toMatch(says);
  });

  test.each(['0 2 * * *', '*/5 * * * *', '30 1 1,15 * MON-FRI', '0 2 L * *'])(
    '%s is a plan, here and for the queue',
    async (cron) => {
      const { worker } = await load({ worker: { night: { cron } } });
      expect(nextPlanned({ cron, zone: worker.night.zone }, Date.UTC(2026, 10, 1))).toBeGreaterThan(
        Date.UTC(2026, 10, 1),
      );
    },
  );

  test('a zone of tables that there is not is refused too', async () => {
    expect(await refusalOf({ postgres: { timeZone: 'Nowhere/None' } })).toMatch(
      /postgres\.timeZone: must be the name/,
    );
  });
});

describe('an account of the journal', () => {
  const named = (number: string) => ({ accounts: { customers: { number, label: 'Clients' } } });
  const wallet552 = { number: '552', label: 'Portefeuille' };

  test.each([
    '12',
    'CLI',
    'CLIENTS',
    '(411)',
    '[411]',
    '63 17',
    '411|1',
    '',
    '411\t',
    `411${'0'.repeat(20)}`,
  ])("is refused under the number '%s'", async (number) => {
    expect(await refusalOf({ journal: named(number) })).toMatch(
      /journal.accounts.customers.number: must begin with three/,
    );
  });

  test.each(['411', '411ORANGE', '411.01', '4110-CI', '411_1'])(
    'may have the number %s',
    async (number) => {
      expect((await load({ journal: named(number) })).journal.accounts?.customers?.number).toBe(
        number,
      );
    },
  );

  test.each<[string, object, RegExp]>([
    [
      'that another role has by default',
      { journal: named('552') },
      /^journal: customers and wallet have one account, 552/,
    ],
    [
      'that another role has in the settings for all',
      {
        journal: { accounts: { wallet: { ...wallet552, number: '5521' } } },
        merchants: { M1: { journal: named('5521') } },
      },
      /^merchants.M1.journal: customers and wallet have one account, 5521/,
    ],
    [
      'that a rule gives to another',
      { journal: { rules: [{ role: 'suppliers', account: wallet552 }] } },
      /wallet and suppliers have one account, 552/,
    ],
    [
      'that a rule takes for the wallet',
      {
        journal: {
          rules: [
            {
              role: 'wallet',
              when: { operator: 'WAVE' },
              account: { ...wallet552, number: '411' },
            },
          ],
        },
      },
      /customers and wallet have one account, 411/,
    ],
  ])('is refused %s', async (_, content, why) => {
    expect(await refusalOf(content)).toMatch(why);
  });

  test('may be another role’s where a rule of neither is the wallet', async () => {
    const transfers = { number: '585', label: 'Virements de fonds' };
    const rules = [{ role: 'suppliers', when: { beneficiary: '*BANQUE*' }, account: transfers }];
    await load({
      journal: { rules },
      merchants: { M1: { journal: { accounts: { wallet: { ...wallet552, number: '5521' } } } } },
    });
  });

  test.each([{ label: ' ' }, { code: ' ' }, { code: 'M M' }, { links: { label: '' } }])(
    'is refused beside the journal %j',
    async (journal) => {
      expect(await refusalOf({ journal })).toMatch(/^The configuration .*1 mistake: journal/);
    },
  );
});

describe('a key that is not known', () => {
  test.each<[object, RegExp]>([
    [{ sorce: 'https://api.example/v1' }, /Unrecognized key: "sorce" \(did you mean source\?\)/],
    [
      { merchants: { M1: { apikey: 'k' } } },
      /merchants\.M1: Unrecognized key: "apikey" \(did you mean apiKey\?\)/,
    ],
    [{ worker: { nigth: {} } }, /worker: Unrecognized key: "nigth" \(did you mean night\?\)/],
    [
      { alerts: { webhooks: [{ url: 'https://a', secert: '' }] } },
      /"secert" \(did you mean secret\?\)/,
    ],
    [{ entirely: 1 }, /Unrecognized key: "entirely"\. See/],
  ])('%j is refused with the one that was meant, where one is near', async (content, says) => {
    expect(await refusalOf(content)).toMatch(says);
  });
});

describe('the schema for editors', () => {
  interface Described {
    readonly properties: Readonly<Record<string, unknown>>;
    readonly additionalProperties: boolean;
  }

  test('knows every key of the configuration, and of its files', () => {
    const { properties, additionalProperties } = configurationJsonSchema() as Described;
    expect(Object.keys(properties)).toEqual([
      '$schema',
      'include',
      ...Object.keys(configurationSchema.shape),
    ]);
    expect(additionalProperties).toBe(false);
  });

  test('lets every text with a form of its own stand elsewhere', () => {
    const alone: unknown[] = [];
    let seen = 0;
    const walk = (node: unknown, isAlternative: boolean): void => {
      if (typeof node !== 'object' || node === null) return;
      const one = node as Readonly<Record<string, unknown>>;
      const hasForm =
        one.type === 'string' && ['pattern', 'format', 'allOf'].some((form) => form in one);
      if (hasForm) seen += 1;
      if (hasForm && !isAlternative) alone.push(one);
      if (hasForm) return;
      const alternatives = JSON.stringify(one.anyOf ?? []).includes('^(?:env|file):');
      for (const [key, inner] of Object.entries(one)) {
        for (const below of Array.isArray(inner) ? inner : [inner])
          walk(below, key === 'anyOf' && alternatives);
      }
    };
    walk(configurationJsonSchema(), false);
    expect(seen).toBeGreaterThan(10);
    expect(alone).toEqual([]);
  });

  test('may be named in the file', async () => {
    expect((await load({ $schema: './config.schema.json', graceMinutes: 3 })).graceMinutes).toBe(3);
  });
});
