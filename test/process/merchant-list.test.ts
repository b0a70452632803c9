// Merchants that an outside list names. A run covers them. A service takes a changed list on SIGHUP
// without being restarted, and stays as it is where the list or the file cannot be used.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AuditDocument } from '../../src/core/kernel/reconcile/audit-document.ts';
import { pointage } from '../support/command.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { makeHttpBooks } from '../support/http-books.ts';
import { type HttpService, KEY, SECRET, startHttpService } from '../support/http-service.ts';
import { startMailServer } from '../support/mail-server.ts';
import { alertTo, announce, stored } from '../support/outbox.ts';

const MAIN = join(import.meta.dirname, '../../src/service/cli/main.js');
const MERCHANTS = ['M001', 'M002', 'M003'];

let opened: TestStore;
let service: HttpService;
let scratch: string;
let file: string;
beforeEach(async () => {
  opened = await openTestStore();
  service = await startHttpService(
    Object.fromEntries(MERCHANTS.map((name) => [name, makeHttpBooks(name, 20)])),
  );
  scratch = mkdtempSync(join(tmpdir(), 'pointage-list-'));
  file = join(scratch, 'settings.json');
});
afterEach(async () => {
  await service.close();
  rmSync(scratch, { recursive: true, force: true });
  await opened.close();
});

const EACH = { apiKey: `${KEY}-{reference}`, apiSecret: 'env:SECRET' };
const environment = { SECRET };

function configure(from: object, others: object = {}): void {
  const settings = {
    source: service.baseUrl,
    databaseUrl: opened.databaseUrl,
    merchants: { from: { each: EACH, ...from } },
  };
  writeFileSync(file, JSON.stringify({ ...settings, ...others }));
}

interface List {
  readonly url: string;
  rows: unknown;
  readonly asked: string[];
  close(): void;
}

async function serveList(rows: unknown): Promise<List> {
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization}`);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(list.rows));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const list: List = {
    url: `http://127.0.0.1:${port}/clients?active=1`,
    rows,
    asked,
    close: () => server.close(),
  };
  return list;
}

test('a select on a database of one’s own names the merchants that a run covers', async () => {
  await opened.store.pool.query('create table clients (ref text, zone text, active boolean)');
  await opened.store.pool.query(
    "insert into clients values ('M001', null, true), ('M003', 'Africa/Douala', true), ('M002', null, false)",
  );
  configure({
    url: opened.databaseUrl,
    select: 'select ref as reference, zone from clients where active -- ours',
  });
  const { out, status } = await pointage(['run', '--config', file, '--format', 'json'], {
    environment,
  });
  const { merchants } = JSON.parse(out) as AuditDocument;
  expect([status, merchants.map(({ merchant }) => merchant)]).toEqual([0, ['M001', 'M003']]);
});

test.each<[string, string, RegExp]>([
  ['that is none', 'select nothing', /reading the list of merchants/],
  [
    'that would write',
    "insert into clients values ('M9') returning 'M9' as reference",
    /syntax|read-only/i,
  ],
  [
    'that takes too long',
    "select 'M001' as reference, pg_sleep(5)",
    /reading the list of merchants/,
  ],
])('a select %s is refused in one sentence, and nothing is run', async (_, select, says) => {
  configure({ url: opened.databaseUrl, select, deadline: 300 });
  const ended = await pointage(['run', '--config', file], { environment });
  expect(ended).toMatchObject({ status: 3, out: '' });
  expect(ended.err).toMatch(says);
  expect(ended.err.trim().split('\n')).toHaveLength(1);
});

test('a list over HTTP is read with its token, and the file’s own settings of a merchant win', async () => {
  const list = await serveList({
    items: MERCHANTS.map((reference) => ({ reference, zone: 'Africa/Dakar' })),
  });
  const token = randomUUID();
  const from = { url: list.url, token, each: EACH };
  configure(from, { merchants: { from, M002: { apiKey: 'of-nobody' } } });
  const ended = await pointage(['run', '--config', file, '--format', 'json'], { environment });
  list.close();
  expect(list.asked).toEqual([`/clients?active=1 Bearer ${token}`]);
  const verdicts = (JSON.parse(ended.out) as AuditDocument).merchants.map(
    ({ merchant, verdict }) => [merchant, verdict],
  );
  expect(verdicts, 'M002 alone is let in by nobody').toEqual([
    ['M001', 'clean'],
    ['M002', 'incomplete'],
    ['M003', 'clean'],
  ]);
  expect(ended.err).not.toContain(token);
});

test('doctor says that the list cannot be had', async () => {
  const list = await serveList([]);
  list.close();
  configure({ url: list.url, deadline: 500 });
  const begunAt = performance.now();
  const { out, status } = await pointage(['doctor', '--config', file], { environment });
  // Without a bound, the list would be asked for again for up to half a minute.
  expect(performance.now() - begunAt).toBeLessThan(6_000);
  expect([status, out]).toEqual([
    3,
    expect.stringMatching(
      /✗ configuration: No answer from http:.* \(ECONNREFUSED\): check merchants\.from\.url and the network/,
    ),
  ]);
});

interface Running {
  readonly child: ChildProcess;
  readonly said: () => string;
  readonly logged: (event: string) => readonly Record<string, unknown>[];
}

function start(...words: string[]): Running {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, ...environment };
  const child = spawn(process.execPath, [MAIN, ...words, '--config', file], { env });
  let [out, err] = ['', ''];
  child.stdout.on('data', (part: Buffer) => {
    out += part.toString();
  });
  child.stderr.on('data', (part: Buffer) => {
    err += part.toString();
  });
  const lines = () => err.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'));
  return {
    child,
    said: () => out,
    logged: (event) =>
      lines()
        .flatMap((line) => [JSON.parse(line)])
        .filter((one) => one.event === event),
  };
}

test.each<[string, readonly string[], RegExp]>([
  ['worker', ['worker'], /^Working on /gm],
  ['server', ['serve', '--port', '0'], /^Operators are served at /gm],
])(
  'a %s takes a changed list on SIGHUP, and stays as it is where it cannot',
  { timeout: 60_000 },
  async (_, words, isUp) => {
    const list = await serveList([{ reference: 'M001' }]);
    const server = { operators: [{ name: 'ops', roles: ['reader'], token: randomUUID() }] };
    configure({ url: list.url }, { server });
    const running = start(...words);
    const { child, said, logged } = running;
    const waitFor = (what: () => unknown) =>
      vi.waitFor(() => expect(what()).toBeTruthy(), { timeout: 20_000, interval: 50 });
    const timesUp = () => said().match(isUp)?.length ?? 0;
    try {
      await waitFor(() => timesUp() === 1);
      child.kill('SIGHUP');
      await waitFor(() => logged('configuration unchanged').length === 1);

      list.rows = [{ reference: 'M001' }, { reference: 'M001' }];
      child.kill('SIGHUP');
      await waitFor(() => logged('configuration not reloaded').length === 1);
      expect(logged('configuration not reloaded')[0]).toMatchObject({
        level: 'error',
        why: expect.stringMatching(/row 2 \("M001"\): is there twice/),
      });
      expect(timesUp(), 'it has gone on as it was').toBe(1);

      list.rows = MERCHANTS.map((reference) => ({ reference }));
      child.kill('SIGHUP');
      await waitFor(() => timesUp() === 2);
      expect(logged('configuration reloaded')).toMatchObject([{ why: 'SIGHUP', merchants: 3 }]);

      writeFileSync(file, '{"sorce": ');
      child.kill('SIGHUP');
      await waitFor(() => logged('configuration not reloaded').length === 2);
      child.kill('SIGTERM');
      const [status] = (await once(child, 'exit')) as [number | null];
      expect(status).toBe(0);
    } finally {
      child.kill('SIGKILL');
      list.close();
    }
  },
);

test('a configuration that is read, but cannot be worked with, is left again', {
  timeout: 60_000,
}, async () => {
  const list = await serveList([{ reference: 'M001' }]);
  configure({ url: list.url });
  const { child, said, logged } = start('worker');
  try {
    await vi.waitFor(() => expect(said()).toMatch(/^Working on /), { timeout: 20_000 });
    configure({ url: list.url }, { databaseUrl: 'postgres://127.0.0.1:1/nowhere' });
    child.kill('SIGHUP');
    await vi.waitFor(() => expect(said().match(/Working on /g)).toHaveLength(2), {
      timeout: 30_000,
    });
    expect(logged('configuration not taken')).toMatchObject([
      { why: expect.stringMatching(/can't be reached/) },
    ]);
  } finally {
    child.kill('SIGKILL');
    list.close();
  }
});

test('a mail goes to the accountants that the list has when it is sent', async () => {
  const server = await startMailServer();
  try {
    await opened.store.pool.query(
      "create table clients (ref text, emails text); insert into clients values ('M001', 'nouveau@example.com')",
    );
    const mail = { url: server.url, from: 'pointage@example.com' };
    configure(
      {
        url: opened.databaseUrl,
        select: 'select ref as reference, emails as accountants from clients',
      },
      { mail },
    );
    const announced = { ...alertTo('mail', 'ancien@example.com'), merchant: 'M001' };
    const statement = {
      topic: 'statement',
      merchant: 'M001',
      period: '2026-10',
      reportId: randomUUID(),
      language: 'fr',
    } as const;
    await announce(opened.store, [{ ...announced, announces: 'report/x', content: statement }]);
    await pointage(['deliveries', 'send', '--config', file], { environment });
    expect((await stored(opened.store)).map(({ target }) => target)).toContain(
      'nouveau@example.com',
    );
  } finally {
    await server.close();
  }
});
