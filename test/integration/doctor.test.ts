// `pointage doctor` before things that are really broken. Each is named, with what to do, and all
// others are examined too, within a bounded time and without a secret.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import { planMerchant } from '../../src/sandbox/model/plan.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/service/start-sandbox.ts';
import { diagnose } from '../../src/service/compose/doctor/diagnose.ts';
import type { Diagnosis } from '../../src/service/compose/doctor/examination.ts';
import { loadConfiguration, secretsOf } from '../../src/service/config/load-configuration.ts';
import { openLog } from '../../src/service/log.ts';
import { pointage } from '../support/command.ts';
import { openTestStore, type TestStore, withEmptyDatabase } from '../support/database-store.ts';
import { makeRoleLogins } from '../support/role-logins.ts';

/** The present, because the database's clock is real, and the others must agree with it. */
const NOW = Date.now();
const scratch = mkdtempSync(join(tmpdir(), 'pointage-doctor-'));
let sandbox: Sandbox;
let opened: TestStore;
let silent: Server;
let smtp: SMTPServer;
let mailPort: number;

beforeAll(async () => {
  const plans = ['ALPHA', 'BETA'].map((reference) =>
    planMerchant({ reference, country: 'CI', opensAt: NOW - 40 * DAY }),
  );
  sandbox = await startSandbox({ seed: 'doctor', merchants: plans, start: NOW, port: 0 });
  opened = await openTestStore();
  // A server that takes connections and says nothing.
  silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  smtp = new SMTPServer({
    authMethods: ['PLAIN'],
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _, done) =>
      password === 'right-password'
        ? done(null, { user: username })
        : done(new Error('535 Wrong password')),
  });
  mailPort = await new Promise((resolve) => {
    const listening = smtp.listen(0, '127.0.0.1', () =>
      resolve((listening.address() as AddressInfo).port),
    );
  });
});
afterAll(async () => {
  await sandbox.close();
  await opened.close();
  silent.close();
  await new Promise<void>((resolve) => smtp.close(resolve));
  rmSync(scratch, { recursive: true, force: true });
});

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const WEBHOOK_SECRET = `whsec_${'A'.repeat(40)}`;

/** Returns settings in which everything is as it should be. */
function soundSettings() {
  const merchants = sandbox.merchants.map(({ reference, apiKey, apiSecret, dashboard }) => [
    reference,
    { apiKey, apiSecret, dashboard: dashboard ?? undefined },
  ]);
  return {
    databaseUrl: opened.databaseUrl,
    source: sandbox.url,
    dashboard: { baseUrl: sandbox.dashboardUrl },
    merchants: Object.fromEntries(merchants) as Record<string, Record<string, unknown>>,
    mail: { url: `smtp://post:right-password@127.0.0.1:${mailPort}`, from: 'pointage@example.com' },
    alerts: {
      webhooks: [{ url: 'http://127.0.0.1:9/hook', secret: WEBHOOK_SECRET }],
      allowPrivate: true,
    },
    deliveries: { folder: join(scratch, 'delivered') },
  };
}

function written(settings: object): string {
  const file = join(scratch, 'settings.json');
  writeFileSync(file, JSON.stringify(settings));
  return file;
}

async function examine(change: object, patience = 8_000): Promise<(what: string) => Diagnosis> {
  const configuration = await loadConfiguration(
    { config: written({ ...soundSettings(), ...change }) },
    {},
  );
  const { keep, conceal } = openLog('silent');
  keep(secretsOf(configuration));
  const runtime = { clock: Date.now, random: () => 0, log: () => {} };
  const diagnoses = await diagnose({ configuration, runtime, conceal, patience });
  const text = JSON.stringify(diagnoses);
  for (const secret of secretsOf(configuration)) expect(text).not.toContain(secret);
  for (const { what, says, todo } of diagnoses)
    expect(`${what}${says}${todo}`).not.toMatch(/\n| {4}at /);
  return (what) => diagnoses.find((one) => one.what === what)!;
}

test('a sound installation has nothing broken, in text and in JSON, with status 0', async () => {
  const words = ['doctor', '--config', written(soundSettings())];
  const { status, out } = await pointage(words);
  const lines = out.trimEnd().split('\n');
  expect(lines.filter((line) => !/^[✓–] /.test(line))).toEqual([]);
  expect(status).toBe(0);
  expect(lines).toContain(`✓ source: ${sandbox.url} takes the credentials of 2 merchant(s)`);
  expect(lines).toContain('✓ engine: finds just what is wrong with broken books of its own');
  expect(lines).toContain(`✓ mail server: 127.0.0.1:${mailPort}: connected and logged in`);
  expect(lines.join('\n')).toMatch(/^✓ clock of the source: it /m);
  const json = await pointage([...words, '--format', 'json']);
  const { diagnoses } = JSON.parse(json.out) as { diagnoses: Diagnosis[] };
  expect(diagnoses.map(({ what }) => what)).toEqual(
    lines.map((line) => /^. ([^:]+):/.exec(line)![1]),
  );
});

describe('the store:', () => {
  const query = (statement: string) => opened.store.pool.query(statement);

  test('a role that may do more than it should, and a login that is the owner', async () => {
    const logins = await makeRoleLogins(opened.databaseUrl);
    try {
      expect((await examine({}))('roles')).toMatchObject({
        condition: 'warning',
        todo: expect.stringContaining('--roles'),
      });
      const asWorker = { databaseUrl: logins.as('worker') };
      expect((await examine(asWorker))('roles').condition).toBe('good');
      await query('grant insert on entries to pointage_server');
      await query('grant delete on entry_blocks to pointage_worker');
      expect((await examine(asWorker))('roles')).toMatchObject({
        condition: 'broken',
        says: 'pointage_server adds to entries, pointage_worker removes from entry_blocks',
      });
    } finally {
      await logins.drop();
    }
  });

  test('a merchant whose rows were not compared with the chain for long, or did not fit', async () => {
    expect((await examine({}))('hash chain').condition).toBe('idle');
    await query("insert into merchants (reference) values ('LATE'), ('GONE')");
    await query(
      "update merchants set retired_at = 1, retired_by = 'a', retired_reason = 'b' where reference = 'GONE'",
    );
    await query(
      'insert into merchant_heads (merchant_id, intake) select merchant_id, 1 from merchants',
    );
    const compared = (at: number) => query(`update merchant_heads set chain_compared_at = ${at}`);
    await compared(NOW - 29 * DAY);
    expect((await examine({}))('hash chain').condition).toBe('good');
    await compared(NOW - 32 * DAY);
    expect((await examine({}))('hash chain')).toMatchObject({
      condition: 'warning',
      says: 'every merchant was compared within 33 day(s), LATE last of all',
    });
    await query(`update merchant_heads set tampered = '{}'`);
    expect((await examine({}))('hash chain')).toMatchObject({
      condition: 'broken',
      says: 'rows of LATE were changed in the store',
    });
    await query('update merchant_heads set intake = 0');
  });
});

test('keys of a report that are not mapped are named, so that they can be', async () => {
  expect((await examine({}))('dashboard').says).not.toContain('summaryKeys');
  const found = await examine({
    summaryKeys: { totalAmount: null, 'byOperator[operator].amount': null },
  });
  expect(found('dashboard').condition).toBe('good');
  expect(found('dashboard').says).toMatch(
    /summaryKeys does not map totalAmount, byOperator\[\]\.amount$/,
  );
});

describe('names what is broken, and what to do:', () => {
  test('a database that is away; what depends on it is not known', async () => {
    const found = await examine({ databaseUrl: 'postgres://me:hush-hush@127.0.0.1:1/pointage' });
    expect(found('database')).toMatchObject({
      condition: 'broken',
      todo: expect.stringContaining('databaseUrl'),
    });
    expect(found('database').says).toContain('ECONNREFUSED');
    expect(found('schema').condition).toBe('idle');
    expect(found('source').condition).toBe('good');
  });

  test('a schema that is older, and one that is newer than this engine', async () => {
    await withEmptyDatabase(async (databaseUrl) => {
      expect((await examine({ databaseUrl }))('schema')).toMatchObject({
        condition: 'warning',
        todo: 'npx pointage migrate',
      });
    });
    expect(await schemaAfter('9999_later')).toMatchObject({
      condition: 'broken',
      says: 'made by a newer pointage (9999_later)',
      todo: 'run that version, or restore a backup of before',
    });
  });

  test('a schema of a development version', async () => {
    expect(await schemaAfter('0001_store')).toMatchObject({
      condition: 'broken',
      says: 'made by a development version before the release of 0.1.0',
      todo: 'use an empty database or another data directory',
    });
  });

  /** Examines the schema with one more migration in the store's list. */
  async function schemaAfter(migration: string): Promise<Diagnosis> {
    const { pool } = opened.store;
    await pool.query("insert into kysely_migration (name, timestamp) values ($1, '')", [migration]);
    try {
      return (await examine({}))('schema');
    } finally {
      await pool.query('delete from kysely_migration where name = $1', [migration]);
    }
  }

  test.each(['wallet', 'ledger', 'operations'])(
    'a %s that is not where it is looked for, as a night reads it',
    async (part) => {
      const found = await examine({ http: { paths: { [part]: '/nowhere' } } });
      expect(found('source')).toMatchObject({
        condition: 'broken',
        says: expect.stringContaining('2 of 2 asked merchant(s)'),
      });
      expect(found('source').says).toMatch(/nowhere|http\.paths\.wallet/);
    },
  );

  test('a wrong key, by the merchant whose it is', async () => {
    const { merchants } = soundSettings();
    const found = await examine({
      merchants: { ...merchants, BETA: { ...merchants.BETA, apiSecret: 'gs_test_wrong' } },
    });
    expect(found('source')).toMatchObject({
      condition: 'broken',
      todo: 'correct apiKey and apiSecret of BETA',
    });
    expect(found('source').says).toContain(
      '1 of 2 asked merchant(s) cannot be read; BETA: INVALID_CREDENTIALS',
    );
  });

  test('a signing secret that is not the one in force, and a merchant that is notified nowhere', async () => {
    const { merchants } = soundSettings();
    const [alpha] = sandbox.merchants;
    const withSecrets = (notifications: object) =>
      examine({ merchants: { ...merchants, ALPHA: { ...merchants.ALPHA, notifications } } });
    const what = 'notifications of the source';
    expect((await examine({}))(what).condition).toBe('idle');
    const sound = { current: alpha!.signingSecret };
    expect((await withSecrets(sound))(what).condition).toBe('good');
    const other = 'whsec_another_secret_of_many_letters';
    expect(
      (await withSecrets({ current: other, previous: alpha!.signingSecret }))(what).condition,
    ).toBe('good');
    expect((await withSecrets({ current: other }))(what)).toMatchObject({
      condition: 'warning',
      says: 'those of ALPHA are signed with a secret that is not configured',
      todo: 'give its current signing secret as merchants.ALPHA.notifications.current',
    });
    await fetch(`${sandbox.url}/merchants/me`, {
      method: 'PATCH',
      headers: {
        'x-api-key': alpha!.apiKey,
        'x-api-secret': alpha!.apiSecret,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ webhookUrl: null }),
    });
    expect((await withSecrets(sound))(what)).toMatchObject({
      condition: 'warning',
      says: 'ALPHA has no URL to be notified at',
    });
  });

  test('all merchants with --all, the first twenty without; and a clock that is days behind', async () => {
    const start = NOW - 24 * DAY;
    const plans = Array.from({ length: 21 }, (_, n) =>
      planMerchant({ reference: `M${n + 10}`, country: 'CI', opensAt: start - 3_600_000 }),
    );
    const late = await startSandbox({ seed: 'late', merchants: plans, start, port: 0 });
    try {
      const keys = late.merchants.map(
        ({ reference, apiKey, apiSecret }) => [reference, { apiKey, apiSecret }] as const,
      );
      const merchants = Object.fromEntries(keys);
      merchants.M30 = { ...merchants.M30!, apiSecret: 'gs_test_wrong' };
      const settings = { source: late.url, dashboard: undefined, merchants };
      const some = await examine(settings);
      const says = `${late.url} takes the credentials of 20 of 21 merchant(s); --all asks the others too`;
      expect(some('source')).toMatchObject({ condition: 'good', says });
      expect(some('clock of the source')).toMatchObject({
        condition: 'broken',
        says: 'it is 24 days behind this machine',
        todo: expect.stringMatching(
          /NTP.*simulated service, start it with pointage lab sandbox --follow$/,
        ),
      });
      const { out } = await pointage([
        'doctor',
        '--all',
        '--config',
        written({ ...soundSettings(), ...settings }),
      ]);
      expect(out).toMatch(
        /^✗ source: \S+: 1 of 21 asked merchant\(s\) cannot be read; M30: INVALID_CREDENTIALS/m,
      );
      merchants.M10 = merchants.M30;
      expect((await examine(settings))('source').says).toMatch(
        /: 1 of 20 asked merchant\(s\), of 21, cannot be read; M10:/,
      );
    } finally {
      await late.close();
    }
  });

  test('keys of one merchant given to another', async () => {
    const { ALPHA, BETA } = soundSettings().merchants;
    const found = await examine({ merchants: { ALPHA: BETA, BETA: ALPHA } });
    expect(found('source').says).toContain('WRONG_MERCHANT');
  });

  test('a source, a dashboard and a mail server whose ports are closed', async () => {
    const port = await closedPort();
    const found = await examine({
      source: `http://127.0.0.1:${port}/v1`,
      dashboard: { baseUrl: `http://127.0.0.1:${port}` },
      mail: { url: `smtp://127.0.0.1:${port}`, from: 'pointage@example.com' },
    });
    for (const what of ['source', 'dashboard', 'mail server']) {
      expect(found(what)).toMatchObject({
        condition: 'broken',
        says: expect.stringContaining('ECONNREFUSED'),
      });
    }
    expect(found('clock of the source').condition).toBe('idle');
  });

  test('of several sources the one that is away, without its neighbour’s credentials', async () => {
    const { merchants } = soundSettings();
    const away = `http://127.0.0.1:${await closedPort()}/v1`;
    const found = await examine({
      merchants: { ...merchants, BETA: { ...merchants.BETA, source: away } },
    });
    expect(found('source 1')).toMatchObject({
      condition: 'good',
      says: expect.stringContaining('of 1 merchant(s)'),
    });
    expect(found('source 2')).toMatchObject({
      condition: 'broken',
      says: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test('a mail server that refuses the password', async () => {
    const mail = {
      url: `smtp://post:wrong-password@127.0.0.1:${mailPort}`,
      from: 'pointage@example.com',
    };
    const found = await examine({ mail });
    expect(found('mail server')).toMatchObject({
      condition: 'broken',
      says: expect.stringContaining('535'),
    });
  });

  test('webhooks that lead inside, or nowhere', async () => {
    const to = (url: string) => ({ alerts: { webhooks: [{ url, secret: WEBHOOK_SECRET }] } });
    expect((await examine(to('https://127.0.0.1:8443/a')))('webhooks').says).toContain(
      'no public address',
    );
    expect((await examine(to('https://[::ffff:10.0.0.1]/a')))('webhooks').says).toContain(
      'no public address',
    );
    expect((await examine(to('https://nowhere.invalid/a')))('webhooks')).toMatchObject({
      condition: 'broken',
    });
  });

  test('a folder that cannot be written, and a template that is not there', async () => {
    writeFileSync(join(scratch, 'a-file'), '');
    const reports = { template: join(scratch, 'no-template') };
    const found = await examine({
      deliveries: { folder: join(scratch, 'a-file', 'below') },
      reports,
    });
    expect(found('delivery folder')).toMatchObject({
      condition: 'broken',
      says: expect.stringContaining('ENOTDIR'),
    });
    expect(found('template')).toMatchObject({
      condition: 'broken',
      says: expect.stringContaining('layout.json'),
    });
  });

  test('a server that others reach, where no proxy is trusted', async () => {
    const at = async (server: object) => (await examine({ server }))('proxies');
    const todo = expect.stringContaining('server.trustedProxies');
    expect(await at({ host: '0.0.0.0' })).toMatchObject({ condition: 'warning', todo });
    expect(await at({ host: '0.0.0.0', trustedProxies: ['10.0.0.1'] })).toMatchObject({
      condition: 'good',
    });
    expect(await at({ host: '127.0.0.1' })).toBeUndefined();
  });

  test('clocks that disagree', async () => {
    await sandbox.advanceTo(NOW + 3_600_000);
    const found = await examine({});
    expect(found('clock of the source')).toMatchObject({
      condition: 'broken',
      todo: expect.stringContaining('NTP'),
    });
    expect(found('clock of the source').says).toMatch(/^it is (59|60) min ahead of this machine$/);
  });

  test('hosts that take a call and never answer, all within one patience', async () => {
    const port = (silent.address() as AddressInfo).port;
    const before = Date.now();
    const found = await examine(
      {
        databaseUrl: `postgres://127.0.0.1:${port}/x`,
        source: `http://127.0.0.1:${port}/v1`,
        dashboard: { baseUrl: `http://127.0.0.1:${port}` },
        mail: { url: `smtp://127.0.0.1:${port}`, from: 'pointage@example.com' },
      },
      700,
    );
    expect(Date.now() - before).toBeLessThan(3_000);
    for (const what of ['database', 'source', 'dashboard', 'mail server']) {
      expect(found(what).condition, what).toBe('broken');
    }
  });
});

test('a configuration that cannot be used is the only line, with status 3', async () => {
  const { status, out } = await pointage(['doctor', '--config', written({ sauce: 'x' })]);
  expect(status).toBe(3);
  expect(out).toMatch(/^✗ configuration: .*sauce.* → correct it, and look again\n$/);
});
