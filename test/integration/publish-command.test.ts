// `pointage statement issue` fetches the lines of the month again before it states the month, where
// a source is configured. The server, which has no source, says in the statement that it did not.

import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readReportFile } from '../../src/io/storage/issued/report-files.ts';
import { loadIssuedReport } from '../../src/io/storage/issued/reports.ts';
import { issuingOf } from '../../src/service/compose/publishing.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import { type Ended, pointage } from '../support/command.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';

const NOON = Date.UTC(2026, 10, 15, 12);
const MERCHANT = 'EPICERIE_EXEMPLE';

let opened: TestStore;
let folder: string;
beforeEach(async () => {
  opened = await openTestStore();
  folder = mkdtempSync(join(tmpdir(), 'pointage-publish-'));
  cpSync(join(import.meta.dirname, '../../docs/example-books'), join(folder, 'books'), {
    recursive: true,
  });
  await said('run', '--source', `file:${join(folder, 'books')}`);
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await opened.close();
});

const said = (...words: string[]): Promise<Ended> =>
  pointage([...words, '--database-url', opened.databaseUrl], { clock: () => NOON });

function configured(more: object = {}): string {
  const file = join(folder, 'pointage.json');
  const deliveries = { hold: 'none' };
  writeFileSync(
    file,
    JSON.stringify({ source: `file:${join(folder, 'books')}`, deliveries, ...more }),
  );
  return file;
}

/** Lets a posted line of October be served with another description. */
function rewriteLine(): void {
  const file = join(folder, 'books/ledger.jsonl');
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const at = lines.findIndex((line) => line.includes('"createdAt":"2026-10-'));
  lines[at] = JSON.stringify({ ...JSON.parse(lines[at]!), description: 'changed afterwards' });
  writeFileSync(file, `${lines.join('\n')}\n`);
}

test('a line that was rewritten since the last night holds the month', async () => {
  rewriteLine();
  const without = await said(
    'statement',
    'issue',
    MERCHANT,
    '2026-10',
    '--config',
    configured({ history: { beforeStatement: false } }),
  );
  expect(without.out).toContain('revision 1: READY');
  expect(without.out).not.toContain('held:');
  const { out } = await said('statement', 'issue', MERCHANT, '2026-10', '--config', configured());
  expect(out).toContain('revision 2: READY');
  expect(out).toContain('held:');
});

const PUBLISHER = { name: 'awa', roles: ['publisher'], token: 'p'.repeat(40) };
const READER = { name: 'lecture', roles: ['reader'], token: 'r'.repeat(40) };

/** Returns the trail, oldest first: who, what, of which month, and how it ended. */
async function trail(): Promise<readonly string[]> {
  const { rows } = await opened.store.pool.query(
    "select concat_ws(' | ', operator, via, action, merchant, subject, status) as entry, at from trail order by entry_number",
  );
  for (const { at } of rows) expect(Number(at)).toBe(NOON);
  return rows.map(({ entry }) => entry);
}

test('each revision that it issues is in the trail, with whose token or account it was', async () => {
  const words = ['statement', 'issue', '--all', '2026-10', '--config'];
  const issue = (environment: Record<string, string>) =>
    pointage(
      [
        ...words,
        configured({ server: { operators: [PUBLISHER, READER] } }),
        '--database-url',
        opened.databaseUrl,
      ],
      {
        clock: () => NOON,
        environment,
      },
    );
  const refused = await issue({ POINTAGE_TOKEN: READER.token });
  expect([refused.status, refused.err]).toEqual([
    3,
    expect.stringContaining('lecture has no role with the permission publish'),
  ]);
  expect((await issue({ POINTAGE_TOKEN: 'x'.repeat(40) })).status).toBe(3);
  expect(
    await loadIssuedReport(opened.store, { merchant: MERCHANT, period: '2026-10' }),
  ).toBeNull();
  expect((await issue({ POINTAGE_TOKEN: PUBLISHER.token })).out).toContain('revision 1: READY');
  expect((await issue({ POINTAGE_TOKEN: PUBLISHER.token })).out).toContain('unchanged');
  rewriteLine();
  expect((await issue({ USER: 'cron' })).out).toContain('revision 2: READY');
  expect(await trail()).toEqual([
    'lecture | cli | statement issue | 2026-10 | 3',
    `awa | cli | statement issue | ${MERCHANT} | 2026-10 r1 | 0`,
    `account cron | cli | statement issue | ${MERCHANT} | 2026-10 r2 | 0`,
  ]);
});

test('a first statement waits for its source, and one that is issued stays as it was', async () => {
  const config = configured();
  const books = join(folder, 'books');
  renameSync(books, `${books} away`);
  const issue = () => said('statement', 'issue', MERCHANT, '2026-10', '--config', config);
  const waiting = await issue();
  expect([waiting.status, waiting.out]).toEqual([2, '']);
  expect(waiting.err).toMatch(
    /The first statement of \S+ 2026-10 waits, for its lines could not be read again: .* once the source answers/,
  );
  expect(
    await loadIssuedReport(opened.store, { merchant: MERCHANT, period: '2026-10' }),
  ).toBeNull();
  renameSync(`${books} away`, books);
  expect((await issue()).out).toContain('revision 1: READY');
  renameSync(books, `${books} away`);
  expect((await issue()).out).toContain('unchanged');
});

test('the server says that it read the mirror alone', async () => {
  const configuration = await loadConfiguration({ config: configured() }, {});
  const runtime = { clock: () => NOON, log: () => {}, published: null };
  const issue = issuingOf(configuration, opened.store, runtime);
  const report = await issue({ merchant: MERCHANT, period: { year: 2026, month: 10 } }, () => {});
  const json = await text(readReportFile(opened.store, report, 'json'));
  expect(json).toContain('MONTH_NOT_READ_AGAIN');
});
