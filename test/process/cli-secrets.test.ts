// No secret is printed, logged or stored, neither when all is well nor when the service, the
// database or the configuration refuses it.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { pointageProcess } from '../support/command.ts';
import { type CommandProcess, openCommandProcess } from '../support/command-process.ts';
import { withTestStore } from '../support/database-store.ts';
import { makeHttpBooks } from '../support/http-books.ts';
import {
  credentialsOf,
  type HttpService,
  SECRET,
  startHttpService,
} from '../support/http-service.ts';
import { openPostgresBooks } from '../support/postgres-books.ts';

const PASSWORD = 'hush-hush-hush';
const { apiKey: KEY } = credentialsOf('M001');

let commands: CommandProcess;
beforeAll(() => {
  commands = openCommandProcess();
});
afterAll(() => commands.close());

let service: HttpService;
let scratch: string;
beforeEach(async () => {
  service = await startHttpService({ M001: makeHttpBooks('M001', 30) });
  scratch = mkdtempSync(join(tmpdir(), 'pointage-secrets-'));
});
afterEach(async () => {
  await service.close();
  rmSync(scratch, { recursive: true, force: true });
});

function configured(content: unknown): string {
  const file = join(scratch, 'settings.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

/**
 * Returns everything that the process said, with the fullest log. It must hold none of the secrets.
 */
async function spoken(
  words: readonly string[],
  settings: unknown,
  { environment = {} as Record<string, string>, run = commands.run } = {},
) {
  const options = { environment: { POINTAGE_LOG: 'debug', ...environment } };
  const ended = await run([...words, '--config', configured(settings)], options);
  for (const secret of [SECRET, KEY, PASSWORD])
    expect(`${ended.out}${ended.err}`).not.toContain(secret);
  return ended;
}

const retries = { attempts: 2, firstDelay: 1, longestDelay: 2, longestRetryAfter: 5 };
const settingsFor = (change: object = {}) => ({
  source: service.baseUrl,
  merchants: { M001: { apiKey: KEY, apiSecret: SECRET } },
  http: { retries, deadline: 2_000 },
  ...change,
});

test('a run that goes well, and what it stores, holds no secret', async () => {
  await withTestStore(async (store, databaseUrl) => {
    const withPassword = databaseUrl.replace(/\/\/([^@]*)@/, `//$1:${PASSWORD}@`);
    service.before = ({ number }) =>
      number % 7 === 0 ? { do: 'error', status: 503, code: 'UNAVAILABLE' } : null;
    const words = ['run', '--format', 'json', '--database-url', withPassword];
    const { err } = await spoken(words, settingsFor(), { run: pointageProcess });
    expect(err, 'the log tells of what was asked again').toContain('"what":"retry"');
    for (const table of ['runs', 'run_merchants', 'findings', 'checkpoints', 'rejected_rows']) {
      const { rows } = await store.pool.query(`select t::text as row from ${table} t`);
      for (const secret of [SECRET, KEY, PASSWORD])
        expect(JSON.stringify(rows), table).not.toContain(secret);
    }
  });
});

test.each<[string, number, string]>([
  ['the credentials', 401, 'INVALID_CREDENTIALS'],
  ['the account', 403, 'ACCOUNT_SUSPENDED'],
  ['every answer', 500, 'INTERNAL_ERROR'],
])(
  'a service that refuses %s, and says the secret in its refusal, is not repeated',
  async (_, status, code) => {
    service.before = () => ({ do: 'error', status, code });
    const { status: ended, out } = await spoken(
      ['audit', '--source', service.baseUrl],
      settingsFor(),
    );
    expect(ended).toBe(2);
    expect(out).toContain(code);
  },
);

test('a service that sends the reader elsewhere, or answers with the secret, is not repeated', async () => {
  const headers = { location: `http://127.0.0.1:1/?secret=${SECRET}` };
  service.before = () => ({ do: 'answer', status: 302, body: '', headers });
  await spoken(['audit', '--source', service.baseUrl], settingsFor());
  service.before = () => ({ do: 'answer', status: 200, body: `<html>${SECRET} ${KEY}</html>` });
  await spoken(['audit', '--source', service.baseUrl], settingsFor());
});

test('secrets from the environment are not printed either', async () => {
  const settings = settingsFor({
    merchants: { M001: { apiKey: 'env:THE_KEY', apiSecret: 'env:THE_SECRET' } },
  });
  service.before = () => ({ do: 'error', status: 401, code: 'INVALID_CREDENTIALS' });
  await spoken(['audit', '--source', service.baseUrl], settings, {
    environment: { THE_KEY: KEY, THE_SECRET: SECRET },
  });
});

test.each<[string, (secret: string) => unknown]>([
  [
    'without its quotes',
    (secret) => `{"merchants": {"M001": {"apiKey": "k", "apiSecret": ${secret}}}}`,
  ],
  [
    'before a missing comma',
    (secret) => `{"merchants": {"M001": {"apiSecret": "${secret}" "apiKey": "k"}}}`,
  ],
  ['cut off', (secret) => `{"merchants": {"M001": {"apiSecret": "${secret}`],
  ['under a key that is not known', (secret) => ({ merchants: { M001: { apiSecrets: secret } } })],
  ['where a number belongs', (secret) => ({ graceMinutes: secret })],
  ['where a choice belongs', (secret) => ({ assumptions: { reversal: secret } })],
  [
    'that no header can hold',
    (secret) => settingsFor({ merchants: { M001: { apiKey: 'k', apiSecret: `${secret}\n` } } }),
  ],
])('a configuration with a secret %s is refused without it', async (_, settings) => {
  const ended = await spoken(['audit', '--source', service.baseUrl], settings(PASSWORD));
  expect(ended).toMatchObject({ status: 3, out: '' });
  // A parser that quotes the place of a mistake quotes a piece of the secret.
  expect(ended.err).not.toContain(PASSWORD.slice(0, 6));
});

test.each<[string, readonly string[]]>([
  [
    'a database without a server',
    ['migrate', '--database-url', `postgres://me:${PASSWORD}@127.0.0.1:1/books`],
  ],
  [
    'tables that nobody serves',
    ['audit', '--source', `postgres://me:${PASSWORD}@127.0.0.1:1/books`],
  ],
  ['an address with a password', ['audit', '--source', `http://me:${PASSWORD}@127.0.0.1:1/v1`]],
  ['an address of no known form', ['audit', '--source', `ftp://me:${PASSWORD}@127.0.0.1/`]],
  [
    'a database of no known form',
    ['migrate', '--database-url', `mysql://me:${PASSWORD}@127.0.0.1:1/books`],
  ],
])('%s is refused without its password', async (_, words) => {
  expect((await spoken(words, {})).status).not.toBe(0);
});

test('a run over tables names them, in its report and in the store, without the password', async () => {
  const tables = await openPostgresBooks();
  await withTestStore(async (store, databaseUrl) => {
    const source = tables.settings.connectionString.replace(/\/\/([^@]*)@/, `//$1:${PASSWORD}@`);
    expect(source).toContain(PASSWORD);
    const ended = await spoken(
      ['run', '--source', source, '--format', 'json', '--database-url', databaseUrl],
      {},
    );
    expect(ended.status).toBe(2);
    expect(JSON.parse(ended.out)).toMatchObject({
      source: expect.stringMatching(/^postgres:\/\//),
      merchants: [],
    });
    const { rows } = await store.pool.query('select source from runs');
    expect(JSON.stringify(rows)).not.toContain(PASSWORD);
  });
  await tables.close();
});
