// The life of a finding on the command line: it is listed, shown, decided about by people with a
// reason, resolved and reopened by the engine, and every step is kept.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import type { AuditDocument } from '../../src/core/kernel/reconcile/audit-document.ts';
import type { CommandOptions, Ended } from '../support/command.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { notOnCitus } from '../support/not-on-citus.ts';
import { pointageAs } from '../support/operator-token.ts';
import { readCells } from '../support/sheet-cells.ts';

const EXAMPLE = join(import.meta.dirname, '../../docs/example-books');
/** Stands for the fingerprint of the example's finding. */
const IT = 'IT';
const NOON = Date.UTC(2026, 10, 15, 12);

let opened: TestStore;
let books: string;
/** Whether the test shares its books with others, because everything in it is refused. */
let areShared = false;
beforeEach(async () => {
  if (!areShared) await begin();
});
afterEach(async () => {
  if (!areShared) await end();
});

async function begin(): Promise<void> {
  opened = await openTestStore();
  books = mkdtempSync(join(tmpdir(), 'pointage-findings-'));
  cpSync(EXAMPLE, books, { recursive: true });
}

async function end(): Promise<void> {
  rmSync(books, { recursive: true, force: true });
  await opened.close();
}

const saidAt = (options: CommandOptions, ...words: string[]): Promise<Ended> =>
  pointageAs('awa', [...words, '--database-url', opened.databaseUrl], options);
const said = (...words: string[]): Promise<Ended> => saidAt({ clock: () => NOON }, ...words);
const findings = (...words: string[]): Promise<Ended> => said('findings', ...words);

async function run(): Promise<{ readonly fingerprint: string; readonly status: number }> {
  const { out, status } = await said('run', '--source', `file:${books}`, '--format', 'json');
  const document = JSON.parse(out) as AuditDocument;
  return { fingerprint: document.merchants[0]!.findings[0]?.fingerprint ?? '', status };
}

test('a finding is listed by its filters, and shown whole', async () => {
  const { fingerprint, status } = await run();
  expect(status).toBe(1);
  for (const filter of [
    [],
    ['--state', 'open'],
    ['--severity', 'critical'],
    ['--kind', 'BALANCE_DRIFT'],
  ]) {
    const { out } = await findings('list', ...filter);
    expect(out, filter.join(' ')).toContain(fingerprint);
  }
  for (const filter of [
    ['--state', 'resolved'],
    ['--severity', 'info'],
    ['--kind', 'HOLD_MISSING'],
  ]) {
    expect((await findings('list', ...filter)).out, filter.join(' ')).toBe(
      'There are no such findings.\n',
    );
  }
  const shown = await findings('show', fingerprint.slice(0, 6));
  expect(shown).toMatchObject({ status: 0, err: '' });
  expect(shown.out).toMatch(
    /^BALANCE_DRIFT critical, confirmed, open · EPICERIE_EXEMPLE · [0-9a-f]{16}\n/,
  );
  expect(shown.out).toMatch(
    /dated +2026-10-05T.*expected +11 755 XOF\n.*actual +11 802 XOF\n.*difference +47 XOF\n/s,
  );
  expect(shown.out).toContain('See also: pointage explain BALANCE_DRIFT');
});

test('people acknowledge, settle and reopen it, and each decision stays with its name and reason', async () => {
  const { fingerprint } = await run();
  const decide = (action: string, reason: string) =>
    findings(action, fingerprint, '--reason', reason);
  expect((await decide('acknowledge', 'asked the service')).out).toBe(
    `${fingerprint} is now acknowledged.\n`,
  );
  expect((await findings('list', '--state', 'open')).out).toBe('There are no such findings.\n');
  expect((await decide('settle', 'paid back in cash')).out).toBe(
    `${fingerprint} is now settled.\n`,
  );
  expect((await decide('reopen', 'not paid back')).out).toBe(`${fingerprint} is now open.\n`);
  const { out } = await findings('show', fingerprint);
  const history = [...out.matchAll(/^ {2}2026-11-15T12:00:00.000Z (.*)$/gm)].map(
    (match) => match[1],
  );
  expect(history).toEqual([
    'awa: acknowledge (asked the service)',
    'awa: settle (paid back in cash)',
    'awa: reopen (not paid back)',
  ]);
  const resolved = await decide('resolve', 'it will be gone');
  expect([resolved.status, resolved.err]).toEqual([
    3,
    expect.stringMatching(/unknown command 'resolve'/),
  ]);
});

test('decisions write no mail: they are taken where alerts name readers and there is no mail server', async () => {
  const { fingerprint } = await run();
  const config = join(books, 'settings.json');
  writeFileSync(
    config,
    JSON.stringify({
      alerts: { mail: ['a@example.com'] },
      decisions: { secondPersonAbove: { XOF: 0 } },
    }),
  );
  const decided = async (name: string, ...words: string[]) => {
    const options = ['--config', config, '--database-url', opened.databaseUrl];
    const { status, err, out } = await pointageAs(name, [...words, ...options], {
      clock: () => NOON,
    });
    expect([status, err], words.join(' ')).toEqual([0, '']);
    return out;
  };
  const propose = async () => {
    const out = await decided('awa', 'findings', 'settle', fingerprint, '--reason', 'paid back');
    return /the proposal (\S+)\.$/m.exec(out)![1]!;
  };
  await decided('awa', 'findings', 'comment', fingerprint, 'they answer on Monday');
  await decided('awa', 'findings', 'assign', fingerprint, 'Moussa');
  const [, count, seen] = /--expect (\d+) --seen (\S+)/.exec(
    await decided('awa', 'findings', 'list'),
  )!;
  const joint = ['--expect', count!, '--seen', seen!, '--reason', 'seen'];
  await decided('awa', 'findings', 'decide', 'acknowledge', ...joint);
  await decided('awa', 'proposals', 'withdraw', await propose());
  await decided('moussa', 'proposals', 'confirm', await propose());
  expect(await decided('awa', 'findings', 'show', fingerprint)).toContain('confirmed, settled');
});

test('the engine resolves it when it is gone, and reopens it when it is back, with a reason of its own', async () => {
  const file = join(books, 'operations.jsonl');
  const sound = readFileSync(file, 'utf8');
  const [first, ...others] = sound.split('\n');
  const later = { ...(JSON.parse(first!) as object), status: 'PENDING', completedAt: null };
  const listed = async () => (await findings('list', '--kind', 'CREDIT_WITHOUT_SUCCESS')).out;
  writeFileSync(file, [JSON.stringify(later), ...others].join('\n'));
  await run();
  const fingerprint = /[0-9a-f]{16}/.exec(await listed())![0];
  writeFileSync(file, sound);
  await run();
  expect((await findings('list', '--state', 'resolved')).out).toContain(fingerprint);
  writeFileSync(file, [JSON.stringify(later), ...others].join('\n'));
  await run();
  const { out } = await findings('show', fingerprint);
  expect(out).toMatch(/^CREDIT_WITHOUT_SUCCESS critical, confirmed, open/);
  expect(out).toMatch(
    /pointage: resolve \(No longer found\.\)\n.*pointage: reopen \(Found again\.\)/,
  );
});

test('an acknowledged finding stays acknowledged while it is still found', async () => {
  const { fingerprint } = await run();
  await findings('acknowledge', fingerprint, '--reason', 'known');
  await run();
  expect((await findings('list', '--state', 'acknowledged')).out).toContain(fingerprint);
});

test('a beginning that several findings share is refused, and asks for more of it', async () => {
  const { fingerprint } = await run();
  const other = fingerprint.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
  await opened.store.pool.query(
    `insert into findings select merchant_id, $1, kind, severity, state, first_seen_run, last_seen_run, content
    from findings where fingerprint = $2`,
    [other, fingerprint],
  );
  const { status, err } = await findings('show', fingerprint.slice(0, 8));
  expect(status).toBe(3);
  expect(err).toMatch(/Several findings begin with [0-9a-f]{8}: give more of the fingerprint\./);
  expect((await findings('show', fingerprint)).status).toBe(0);
});

/**
 * Adds findings beside the example's: `count` of the same kind, the n-th off by n, and one that
 * follows from it.
 */
async function addFindings(count: number): Promise<void> {
  await opened.store.pool.query(
    `insert into findings (merchant_id, fingerprint, kind, severity, state, first_seen_run, last_seen_run, currency, content)
    select merchant_id, lpad(to_hex(n), 16, '0'), kind, severity, state, first_seen_run, last_seen_run, currency,
      content || jsonb_build_object('fingerprint', lpad(to_hex(n), 16, '0'), 'causedBy', root, 'item',
        case when root is null then jsonb_build_object('balance', (-n)::text, 'reserved', '0') end)
    from findings, lateral (
      select n, null as root from generate_series(1, $1::int) n
      union all
      select 4095, fingerprint
    ) added`,
    [count],
  );
}

test('findings are listed by money, roots alone, and what is left out is counted', async () => {
  notOnCitus('sends a statement of its own that only one database takes');
  await run();
  await addFindings(60);
  const { out } = await findings('list');
  expect(out).toMatch(
    /\n11 more: --limit 61 lists them all\.\n1 more follow from a root: --followers lists them too\.\n61 in all; .*:\n {2}pointage .*\n$/,
  );
  const json = await findings('list', '--limit', '3', '--format', 'json');
  const listed = JSON.parse(json.out) as readonly { readonly balance: number | null }[];
  expect(listed.map(({ balance }) => balance)).toEqual([-60, -59, -58]);
  expect(json.err).toMatch(/^58 more: /);
  const whole = await findings('list', '--limit', '100', '--followers');
  expect(whole.out).toContain('└ BALANCE_DRIFT');
  expect(whole.out).not.toContain('more');
});

test('a list is given to programs as JSON, CSV and a workbook, with amounts as numbers and who decided', async () => {
  const { fingerprint } = await run();
  await findings('acknowledge', fingerprint, '--reason', 'asked; "soon"');
  const inThreeDays = { clock: () => NOON + 3 * DAY };
  const list = (...words: string[]) => saidAt(inThreeDays, 'findings', 'list', ...words);
  const [row] = JSON.parse((await list('--format', 'json')).out) as object[];
  expect(row).toMatchObject({
    fingerprint,
    merchant: 'EPICERIE_EXEMPLE',
    state: 'acknowledged',
    balance: 47,
    reserved: 0,
    currency: 'XOF',
    ageDays: 3,
    decision: 'acknowledge',
    decidedBy: 'awa',
    decidedAt: '2026-11-15T12:00:00.000Z',
  });
  const csv = (await list('--format', 'csv')).out.split('\r\n');
  expect(csv[0]).toBe(`\uFEFF${Object.keys(row!).join(';')}`);
  expect(csv[1]).toContain(
    `${fingerprint};EPICERIE_EXEMPLE;BALANCE_DRIFT;critical;confirmed;acknowledged;47;0;XOF;3;`,
  );
  expect(csv[1]).toContain(
    ';acknowledge;awa;2026-11-15T12:00:00.000Z;"asked; ""soon""";;;;;After line 6',
  );
  expect((await list()).out).toMatch(/47 XOF .*since 3 days .*awa: acknowledge \(asked; "soon"\)/s);
  const file = join(books, 'findings.xlsx');
  expect(await list('--format', 'xlsx', '--out', file)).toMatchObject({ status: 0, out: '' });
  const sheet = (await readCells(readFileSync(file))).cells.get('Findings')!;
  expect(['A1', 'A2', 'G1', 'G2'].map((place) => sheet.get(place))).toEqual([
    'fingerprint',
    fingerprint,
    'balance',
    47,
  ]);
});

test('what is at stake is given to people and to programs, with its currency', async () => {
  await run();
  const shown = await findings('exposure');
  expect([shown.status, shown.err]).toEqual([0, '']);
  expect(shown.out).toMatch(/XOF .* open .* 1 .* 47 XOF .* 0 XOF/);
  const csv = (
    await findings('exposure', '--merchant', 'EPICERIE_EXEMPLE', '--format', 'csv')
  ).out.split('\r\n');
  expect(csv[0]).toBe('\uFEFFcurrency;state;age;findings;off;concerned');
  expect(csv[1]).toMatch(/^XOF;open;[\d>-]+;1;47;0$/);
  expect(await findings('exposure', '--merchant', 'NOBODY')).toMatchObject({ status: 3, out: '' });
});

describe('where one run was made', () => {
  let fingerprint: string;
  beforeAll(async () => {
    areShared = true;
    await begin();
    ({ fingerprint } = await run());
  });
  afterAll(async () => {
    await end();
    areShared = false;
  });

  test.each<[string, readonly string[], RegExp]>([
    ['an empty reason', ['acknowledge', IT, '--reason', ' '], /A decision needs a reason\./],
    [
      'a name',
      ['acknowledge', IT, '--reason', 'known', '--by', 'moussa'],
      /There is no --by: .*POINTAGE_TOKEN/,
    ],
    [
      'a decision that changes nothing',
      ['reopen', IT, '--reason', 'why not'],
      /The finding is open already\./,
    ],
    [
      'a fingerprint that is not there',
      ['show', 'ffff0000'],
      /There is no finding that begins with ffff0000\./,
    ],
    [
      'a decision about nothing',
      ['accept', 'ffff0000', '--reason', 'gone'],
      /no finding that begins with ffff0000/,
    ],
  ])('%s is refused in one sentence, and nothing is changed', async (_, words, says) => {
    const ended = await findings(...words.map((word) => (word === IT ? fingerprint : word)));
    expect(ended).toMatchObject({ status: 3, out: '' });
    expect(ended.err).toMatch(says);
    expect(ended.err.trim().split('\n')).toHaveLength(1);
    const kept = await opened.store.pool.query('select 1 from finding_decisions');
    expect([
      kept.rowCount,
      (await findings('list', '--state', 'open')).out.includes(fingerprint),
    ]).toEqual([0, true]);
  });

  test.each<[string, readonly string[], RegExp]>([
    [
      'a workbook for the terminal',
      ['--format', 'xlsx'],
      /not for a terminal: say with --out FILE/,
    ],
    [
      'a form that there is not',
      ['--format', 'xml'],
      /--format must be one of text, json, csv, xlsx, not 'xml'/,
    ],
    [
      'a file that cannot be written',
      ['--format', 'csv', '--out', '/nowhere/x.csv'],
      /cannot be written to .*ENOENT/,
    ],
    [
      'a workbook that cannot be written',
      ['--format', 'xlsx', '--out', '/nowhere/x'],
      /cannot be written to .*ENOENT/,
    ],
  ])('%s is refused in one sentence', async (_, words, says) => {
    const ended = await findings('list', ...words);
    expect(ended).toMatchObject({ status: 3, out: '' });
    expect(ended.err).toMatch(says);
  });
});

test('a run and an audit are given to spreadsheets as a row a merchant', async () => {
  for (const command of ['run', 'audit']) {
    const { out, status } = await said(command, '--source', `file:${books}`, '--format', 'csv');
    expect([command, status]).toEqual([command, 1]);
    const [head, row] = out
      .slice(1)
      .split('\r\n')
      .map((line) => line.split(';'));
    const keys = ['merchant', 'verdict', 'lines', 'recordedBalance', 'dueBalance', 'openRoots'];
    expect(keys.map((key) => row![head!.indexOf(key)])).toEqual([
      'EPICERIE_EXEMPLE',
      'broken',
      '7',
      '11702',
      '11655',
      '1',
    ]);
  }
});

test('on a narrow terminal the list stays within it', async () => {
  await run();
  for (const width of [60, 80, 132]) {
    const listed = await saidAt({ clock: () => NOON, width }, 'findings', 'list');
    // A command that is to be copied stays in one line.
    const [out, command] = listed.out.split(/(?=^ {2}pointage)/m) as [string, string];
    expect(command).toMatch(
      /^ {2}pointage findings decide ACTION --expect 1 --seen \S+ --reason TEXT\n$/,
    );
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(out).toContain('11 755');
  }
});
