// A service that misbehaves for one merchant leaves exactly that merchant incomplete. All others
// are judged as ever, the run ends with the status that its verdicts give, and the next run catches
// up.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AuditDocument } from '../../src/core/kernel/reconcile/audit-document.ts';
import { pointage } from '../support/command.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { makeHttpBooks, makeLine } from '../support/http-books.ts';
import {
  type AskedRequest,
  credentialsOf,
  type HttpService,
  type Misbehaviour,
  startHttpService,
} from '../support/http-service.ts';
import { EVENING } from '../support/nightly-run.ts';

/** Lines of more than two pages. */
const LINES = 90;
const PAGE = 40;
const MERCHANTS = ['M001', 'M002', 'M003'];

let opened: TestStore;
let service: HttpService;
let scratch: string;
beforeEach(async () => {
  opened = await openTestStore();
  service = await startHttpService(
    Object.fromEntries(MERCHANTS.map((name) => [name, makeHttpBooks(name, LINES)])),
  );
  service.clockOffset = EVENING - Date.now();
  scratch = mkdtempSync(join(tmpdir(), 'pointage-run-'));
});
afterEach(async () => {
  await service.close();
  rmSync(scratch, { recursive: true, force: true });
  await opened.close();
});

async function run(
  credentials: object = {},
): Promise<{ readonly status: number; readonly verdicts: object; readonly why: string }> {
  const config = join(scratch, 'settings.json');
  const merchants = {
    ...Object.fromEntries(MERCHANTS.map((name) => [name, credentialsOf(name)])),
    ...credentials,
  };
  const retries = { attempts: 2, firstDelay: 1, longestDelay: 2, longestRetryAfter: 5 };
  writeFileSync(
    config,
    JSON.stringify({
      source: service.baseUrl,
      merchants,
      http: { retries, deadline: 300, pageSize: PAGE },
    }),
  );
  const words = [
    'run',
    '--config',
    config,
    '--format',
    'json',
    '--database-url',
    opened.databaseUrl,
  ];
  const { status, out, err } = await pointage(words, { clock: () => EVENING });
  expect(err).toBe('');
  const document = JSON.parse(out) as AuditDocument;
  const verdicts = Object.fromEntries(
    document.merchants.map(({ merchant, verdict }) => [merchant, verdict]),
  );
  const second = document.merchants.find(({ merchant }) => merchant === 'M002')!;
  return { status, verdicts, why: second.notChecked.map(({ why }) => why).join('\n') };
}

const isSecond = ({ headers }: AskedRequest): boolean =>
  headers['x-api-key'] === credentialsOf('M002').apiKey;
const answer = (body: string): Misbehaviour => ({ do: 'answer', status: 200, body });

/** Serves lines without end, each newer than the line before. */
function endless({ path, query }: AskedRequest): Misbehaviour | null {
  if (path !== '/ledger') return null;
  const from = Number(query.get('offset')) + 1;
  const rows = Array.from({ length: Number(query.get('limit')) }, (_, index) =>
    makeLine(from + index),
  );
  return answer(JSON.stringify({ data: rows }));
}

function samePage({ path, query }: AskedRequest): null {
  if (path === '/ledger') query.set('offset', '0');
  return null;
}

test.each<[string, (request: AskedRequest) => Misbehaviour | null, string]>([
  [
    'fails at every request',
    () => ({ do: 'error', status: 500, code: 'INTERNAL_ERROR' }),
    'INTERNAL_ERROR',
  ],
  [
    'fails at the wallet only',
    ({ path }) => (path === '/wallet' ? { do: 'drop' } : null),
    'UNREACHABLE',
  ],
  [
    'answers with a page of a gateway',
    () => answer('<html><body>busy</body></html>'),
    'UNREADABLE_ANSWER',
  ],
  [
    'answers with another form of list',
    ({ path }) => (path === '/ledger' ? answer('{"x":[{}]}') : null),
    'UNREADABLE_ANSWER',
  ],
  ['never answers', () => ({ do: 'hang' }), 'TIMEOUT'],
  [
    'refuses the credentials',
    () => ({ do: 'error', status: 401, code: 'INVALID_CREDENTIALS' }),
    'INVALID_CREDENTIALS',
  ],
  ['serves one page for ever', samePage, 'PAGING_BROKEN'],
  ['serves lines without end', endless, 'PAGING_BROKEN'],
])('a service that %s for one merchant leaves that one incomplete', async (_, misbehave, code) => {
  service.before = (request) => (isSecond(request) ? misbehave(request) : null);
  const first = await run();
  expect(first.verdicts).toEqual({ M001: 'clean', M002: 'incomplete', M003: 'clean' });
  expect(first.why).toContain(code);
  expect(first.status).toBe(2);
  const drifted = service.books.M003!;
  drifted.ledger.push(makeLine(LINES + 1));
  const second = await run();
  expect(second.verdicts).toEqual({ M001: 'clean', M002: 'incomplete', M003: 'broken' });
  expect(second.status).toBe(1);
});

test('wrong credentials for one merchant, or those of another, leave that one incomplete', async () => {
  const wrong = await run({ M002: { ...credentialsOf('M002'), apiSecret: 'wrong' } });
  expect(wrong.verdicts).toEqual({ M001: 'clean', M002: 'incomplete', M003: 'clean' });
  expect(wrong.why).toContain('INVALID_CREDENTIALS');
  const other = await run({ M002: credentialsOf('M003') });
  expect(other.verdicts).toEqual({ M001: 'clean', M002: 'incomplete', M003: 'clean' });
  expect(other.why).toContain('WRONG_MERCHANT');
  expect([wrong.status, other.status]).toEqual([2, 2]);
});

test('what was read before the service failed is kept, and the next run makes good', async () => {
  service.before = (request) =>
    isSecond(request) && request.path === '/operations'
      ? { do: 'error', status: 500, code: 'INTERNAL_ERROR' }
      : null;
  expect((await run()).status).toBe(2);
  const kept = await opened.store.pool.query(
    `select count(*)::int as lines from entries join merchants using (merchant_id) where reference = 'M002'`,
  );
  expect(kept.rows).toEqual([{ lines: LINES }]);
  service.before = () => null;
  const { status, verdicts } = await run();
  expect(verdicts).toEqual({ M001: 'clean', M002: 'clean', M003: 'clean' });
  expect(status).toBe(0);
});
