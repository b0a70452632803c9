// Decisions by command: the operator is known by the token in the environment, permitted as over
// HTTP, and named in the trail.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pointage } from '../support/command.ts';
import { type OperatorBooks, openOperatorBooks } from '../support/operator-books.ts';
import { addToken, pointageAs } from '../support/operator-token.ts';

const NOW = Date.UTC(2026, 10, 9, 8);
const HOLDS = ['BALANCE_DRIFT', 'CREDIT_MISSING'];

let books: OperatorBooks;
let fingerprints: readonly string[];
beforeAll(async () => {
  const span = { opensAt: Date.UTC(2026, 9, 28), readAt: Date.UTC(2026, 10, 8) };
  books = await openOperatorBooks({ DRIFTED: HOLDS }, span);
  const { rows } = await books.store.pool.query<{ fingerprint: string }>(
    "select fingerprint from findings where content ->> 'causedBy' is null order by 1",
  );
  fingerprints = rows.map((row) => row.fingerprint);
});
afterAll(() => books.close());

const at = () => ['--database-url', books.databaseUrl];
const clock = () => NOW;
const type = (environment: Record<string, string>, ...words: readonly string[]) =>
  pointage([...words, ...at()], { environment, clock });

test('without a token nothing is decided, and the answer says how to make the first operator', async () => {
  const words = ['findings', 'acknowledge', fingerprints[0]!, '--reason', 'seen'];
  const none = await type({}, ...words);
  expect([none.status, none.out]).toEqual([3, '']);
  expect(none.err).toBe(
    'pointage: Give your token in POINTAGE_TOKEN, or a file with it in POINTAGE_TOKEN_FILE: pointage operator add NAME --role decider publisher prints one.\n',
  );
  const wrong = await type({ POINTAGE_TOKEN: `pointage_${'x'.repeat(43)}` }, ...words);
  expect([wrong.status, wrong.err]).toEqual([
    3,
    expect.stringContaining("is no operator's, or no longer"),
  ]);
  expect(wrong.err).not.toContain('xxx');
  const by = await type({}, ...words, '--by', 'awa');
  expect([by.status, by.err]).toEqual([
    3,
    expect.stringMatching(/There is no --by: .*POINTAGE_TOKEN/),
  ]);
  const { rows } = await books.store.pool.query(
    'select 1 from finding_decisions where run_id is null',
  );
  expect(rows).toEqual([]);
});

test('a command needs the permission that the same act needs over HTTP', async () => {
  const reader = { POINTAGE_TOKEN: await addToken(books.databaseUrl, 'lecture', ['reader']) };
  const investigator = {
    POINTAGE_TOKEN: await addToken(books.databaseUrl, 'enquete', ['investigator']),
  };
  const [one] = fingerprints;
  for (const [environment, words, missing] of [
    [reader, ['findings', 'acknowledge', one!, '--reason', 'x'], 'investigate'],
    [investigator, ['findings', 'accept', one!, '--reason', 'x'], 'decide'],
    [investigator, ['merchants', 'retire', 'DRIFTED', '--reason', 'x'], 'decide'],
    [investigator, ['statement', 'release', 'DRIFTED', '2026-10'], 'publish'],
    [investigator, ['statement', 'close', 'DRIFTED', '2026-10'], 'publish'],
    [
      investigator,
      ['run', 'DRIFTED', '--reread', '--reason', 'x', '--source', `file:${books.folder}`],
      'decide',
    ],
    [reader, ['show', 'DRIFTED#3', '--phone-numbers', 'whole', '--reason', 'x'], 'investigate'],
  ] as const) {
    const { status, out, err } = await type(environment, ...words);
    expect([status, out, err], words.join(' ')).toEqual([
      3,
      '',
      expect.stringContaining(`has no role with the permission ${missing}`),
    ]);
  }
});

test('a decision bears the name of the token, also from a file, and is in the trail with its refusals', async () => {
  const file = join(books.folder, 'token');
  writeFileSync(file, `${await addToken(books.databaseUrl, 'ama', ['decider'])}\n`);
  const [one] = fingerprints;
  const words = ['findings', 'acknowledge', one!.slice(0, 10), '--reason', 'asked'];
  expect(await type({ POINTAGE_TOKEN_FILE: file }, ...words)).toMatchObject({ status: 0, err: '' });
  expect((await type({ POINTAGE_TOKEN_FILE: file }, ...words)).status).toBe(3);
  const gone = await type({ POINTAGE_TOKEN_FILE: `${file}s` }, ...words);
  expect([gone.status, gone.err]).toEqual([
    3,
    expect.stringContaining('POINTAGE_TOKEN_FILE cannot be read'),
  ]);
  const { rows } = await books.store.pool.query(
    'select decided_by from finding_decisions where run_id is null',
  );
  expect(rows).toEqual([{ decided_by: 'ama' }]);
  const trail = await pointage(['trail', '--format', 'json', ...at()]);
  const entries = (JSON.parse(trail.out) as readonly Record<string, unknown>[]).filter(
    (row) => row.operator === 'ama',
  );
  const entry = { via: 'cli', action: 'findings acknowledge', merchant: 'DRIFTED', subject: one };
  expect(entries).toMatchObject([
    { ...entry, status: 3 },
    { ...entry, status: 0 },
  ]);
  expect(trail.out).toContain('"operator": "lecture"');
});

test('above the amount a command proposes, and another operator confirms by command', async () => {
  const config = join(books.folder, 'limits.json');
  const limits = { databaseUrl: books.databaseUrl, decisions: { secondPersonAbove: { XAF: 0 } } };
  writeFileSync(config, JSON.stringify(limits));
  const as = (name: string, ...words: readonly string[]) =>
    pointageAs(name, [...words, '--config', config], { clock });
  const settled = await as('awa', 'findings', 'settle', fingerprints[1]!, '--reason', 'paid back');
  const id = /as the proposal ([0-9a-f-]{36})\.\n$/.exec(settled.out)![1]!;
  const { out } = await as('awa', 'proposals', 'list', '--format', 'json');
  expect(JSON.parse(out)).toMatchObject([
    { id, action: 'settle', by: 'awa', reason: 'paid back', currency: 'XAF' },
  ]);
  const own = await as('awa', 'proposals', 'confirm', id);
  expect([own.status, own.err]).toEqual([
    3,
    expect.stringContaining('awa has proposed it: another operator'),
  ]);
  const done = await as('moussa', 'proposals', 'confirm', id);
  expect([done.status, done.out]).toEqual([0, `Done: settle DRIFTED ${fingerprints[1]}.\n`]);
  expect((await as('awa', 'proposals', 'list')).out).toBe('No proposal waits.\n');
  const again = await as('moussa', 'proposals', 'withdraw', id);
  expect([again.status, again.err]).toEqual([
    3,
    expect.stringContaining(`No proposal ${id} waits`),
  ]);
});
