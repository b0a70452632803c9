// `pointage serve` and `pointage statement issue` as processes: they find everything by
// configuration, refuse a wrong one in one sentence, say no secret, and stop when they are told to.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../src/service/cli/program.ts';
import { stageOf } from '../../src/service/cli/stage/stage.ts';
import { pointage } from '../support/command.ts';
import { openReportBooks, type ReportBooks } from '../support/report-books.ts';

const run = promisify(execFile);
const main = join(resolve(import.meta.dirname, '../..'), 'src/service/cli/main.js');
const scratch = mkdtempSync(join(tmpdir(), 'pointage-serve-'));
const secret = randomUUID() + randomUUID();
const operator = randomUUID();
let books: ReportBooks;

beforeAll(async () => {
  books = await openReportBooks(['ALPHA', 'BETA']);
});
afterAll(async () => {
  await books.close();
  rmSync(scratch, { recursive: true, force: true });
});

function configure(server: object): string {
  const file = join(scratch, `${randomUUID()}.json`);
  const tokens = { secret: 'env:TOKEN_SECRET' };
  writeFileSync(
    file,
    JSON.stringify({
      databaseUrl: books.databaseUrl,
      server: {
        port: 0,
        tokens,
        operators: [{ name: 'ops', roles: ['metrics'], token: 'env:OPERATOR_TOKEN' }],
        ...server,
      },
    }),
  );
  return file;
}

async function startedPointage(words: readonly string[]) {
  const env = { PATH: process.env.PATH, TOKEN_SECRET: secret, OPERATOR_TOKEN: operator };
  return run(process.execPath, [main, ...words], { env, cwd: scratch }).then(
    ({ stdout, stderr }) => ({ status: 0, stdout, stderr }),
    (failure: { code: number; stdout: string; stderr: string }) => ({
      status: failure.code,
      ...failure,
    }),
  );
}

function startServe(file: string): {
  readonly child: ChildProcess;
  readonly origin: Promise<string>;
  said(): string;
} {
  const env = {
    PATH: process.env.PATH,
    TOKEN_SECRET: secret,
    OPERATOR_TOKEN: operator,
    POINTAGE_LOG: 'info',
  };
  const child = spawn(process.execPath, [main, 'serve', '--config', file], { env, cwd: scratch });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part: Buffer) => {
      said += part.toString();
    });
  }
  const origin = once(createInterface({ input: child.stdout }), 'line').then(
    ([line]) => /http:\/\/[\d.]+:\d+/.exec(String(line))![0],
  );
  return { child, origin, said: () => said };
}

test('serve answers what it was asked before SIGTERM, then stops with status 0', {
  timeout: 60_000,
}, async () => {
  const { child, origin, said } = startServe(configure({ publicUrl: 'https://reports.example/' }));
  const exited = once(child, 'exit');
  const at = await origin;
  expect((await fetch(`${at}/health`)).status).toBe(200);
  expect((await fetch(`${at}/ready`)).status).toBe(200);
  const authorization = `Bearer ${operator}`;
  const metrics = await (await fetch(`${at}/metrics`, { headers: { authorization } })).text();
  expect(metrics).toContain('pointage_store_up 1\n');
  expect(metrics).toMatch(/^pointage_mirror_entries [1-9]\d*$/m);
  expect(metrics).toMatch(
    /^pointage_http_request_duration_seconds_count\{method="GET",route="\/ready",status="200"\} 1$/m,
  );
  const token = await new SignJWT({ merchant_reference: 'ALPHA' })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('5m')
    .sign(new TextEncoder().encode(secret));
  const headers = { authenticationtoken: token, 'content-type': 'application/json' };
  const body = JSON.stringify({ merchant_reference: 'ALPHA', period: '2026-10' });
  const asked = fetch(`${at}/web-merchant/reports/generate`, { method: 'POST', headers, body });
  await expect
    .poll(async () => (await books.store.pool.query('select 1 from reports')).rowCount)
    .toBe(1);
  child.kill('SIGTERM');
  const answer = await asked;
  const report = (await answer.json()) as { id: string; status: string; fileUrl: string };
  expect([answer.status, report.status]).toEqual([201, 'READY']);
  expect(report.fileUrl).toBe(`https://reports.example/web-merchant/reports/${report.id}/download`);
  expect(await exited).toEqual([0, null]);
  expect(said()).toContain('/web-merchant/reports/generate');
  expect(said()).not.toContain(secret);
  expect(said()).not.toContain(token);
  expect(said()).not.toContain(operator);
});

test('serve without tokens of merchants serves operators alone, and asks for audits that a worker does', async () => {
  const token = randomUUID() + randomUUID();
  const { child, origin, said } = startServe(
    configure({
      tokens: undefined,
      operators: [{ name: 'controle', roles: ['investigator'], token }],
    }),
  );
  const exited = once(child, 'exit');
  const at = await origin;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  expect((await fetch(`${at}/merchants`, { headers })).status).toBe(200);
  expect((await fetch(`${at}/web-merchant/reports`, { headers })).status).toBe(404);
  const asked = await fetch(`${at}/audits`, {
    method: 'POST',
    headers,
    body: '{"merchant":"ALPHA"}',
  });
  const { id } = (await asked.json()) as { id: string };
  const jobs = await books.store.pool.query("select data from pgboss.job where name = 'audit'");
  expect([asked.status, jobs.rows]).toEqual([202, [{ data: { auditId: id } }]]);
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  expect(said()).toContain('Operators are served at');
  expect(said()).not.toContain(token);
}, 60_000);

test('publish issues every merchant of the mirror once', { timeout: 60_000 }, async () => {
  const words = ['statement', 'issue', '--all', '2026-10', '--config', configure({})];
  const first = await startedPointage(words);
  expect([first.status, first.stderr]).toEqual([
    0,
    '! 2026-09 is not issued for BETA: 2026-10 has no comparison with it before its next revision. Issue months in their order.\n',
  ]);
  expect(first.stdout).toMatch(
    /^ALPHA 2026-10, revision 1: READY.*\nBETA 2026-10, revision 1: READY \([0-9a-f-]{36}\)\n$/,
  );
  const environment = { TOKEN_SECRET: secret, OPERATOR_TOKEN: operator };
  const again = await pointage(words, { environment });
  expect([again.status, again.out.match(/READY, unchanged/g)?.length]).toEqual([0, 2]);
  const early = await pointage(
    ['statement', 'issue', 'ALPHA', '2031-01', '--config', configure({})],
    { environment },
  );
  expect([early.status, early.out]).toEqual([2, '']);
  expect(early.err).toContain('has not ended');
});

test('a server that could not check tokens does not start', async () => {
  const file = configure({});
  const without = join(scratch, 'without.json');
  writeFileSync(without, JSON.stringify({ databaseUrl: books.databaseUrl }));
  const cases = [
    [without, {}, 'There is no way to check the tokens of callers'],
    [file, { TOKEN_SECRET: 'short-secret' }, 'server.tokens.secret must have at least 32 bytes'],
    [
      file,
      { TOKEN_SECRET: '' },
      'server.tokens.secret refers to the environment variable TOKEN_SECRET, which is not set',
    ],
    [
      configure({ tokens: { secret: 'env:TOKEN_SECRET', algorithms: ['RS256'] } }),
      {},
      'server.tokens',
    ],
    [
      configure({ tokens: { secret: 'env:TOKEN_SECRET', algorithms: ['none'] } }),
      {},
      'server.tokens',
    ],
    [
      configure({ tokens: { jwksUrl: 'https://x/jwks.json', algorithms: ['HS256'] } }),
      {},
      'server.tokens',
    ],
    [configure({ tokens: { jwksUrl: 'file:///etc/passwd' } }), {}, 'server.tokens'],
    [
      configure({ operators: [{ name: 'a', roles: ['reader'], token: 'too-short' }] }),
      {},
      'server.operators.0.token',
    ],
    [
      configure({ operators: [{ name: 'a', token: secret }] }),
      {},
      'server.operators.0.roles: needs roles, one or more of reader, investigator, decider, publisher, accountant, auditor, metrics',
    ],
    [
      configure({ operators: [{ name: 'a', roles: [], token: secret }] }),
      {},
      'server.operators.0.roles: needs roles',
    ],
    [
      configure({ operators: [{ name: 'a', roles: ['boss'], token: secret }] }),
      {},
      'server.operators.0.roles.0: needs',
    ],
    [
      configure({ operators: [{ name: 'a', roles: ['accountant'], token: secret }] }),
      {},
      'server.operators.0: an acc',
    ],
    [
      configure({
        operators: ['a', 'a'].map((name) => ({ name, roles: ['reader'], token: secret })),
      }),
      {},
      'must have different names and different tokens',
    ],
    [configure({ publicUrl: 'javascript:alert(1)' }), {}, 'server.publicUrl'],
  ] as const;
  for (const [config, environment, sentence] of cases) {
    const said = { out: '', note: '' };
    const terminal = {
      out: (text: string) => void Object.assign(said, { out: said.out + text }),
      note: (text: string) => void Object.assign(said, { note: said.note + text }),
      colour: false,
      width: null,
      progress: () => ({ update: () => {}, stop: () => {} }),
    };
    const stage = stageOf(terminal, {
      TOKEN_SECRET: secret,
      OPERATOR_TOKEN: operator,
      ...environment,
    });
    expect([await runCommand(['serve', '--config', config], stage), said.out], sentence).toEqual([
      3,
      '',
    ]);
    expect(said.note).toContain(sentence);
    expect(said.note).not.toContain('short-secret');
    expect(said.note).not.toContain('\n    at ');
  }
});
