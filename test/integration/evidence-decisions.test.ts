// The decisions of a day enter the evidence log when the day is over, and the database's owner
// cannot change them without being found.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY, HOUR } from '../../src/core/domain/instant.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { pointageAs } from '../support/operator-token.ts';
import { plantNamed } from '../support/plant-named.ts';
import { writeBundle } from '../support/sandbox-bundle.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { withoutTriggers } from '../support/without-triggers.ts';

const READ_AT = Date.UTC(2026, 10, 2);
const scratch = mkdtempSync(join(tmpdir(), 'pointage-decisions-'));
let opened: TestStore;

beforeAll(async () => {
  opened = await openTestStore();
  const traffic = { ...ORDINARY_TRAFFIC, operationsPerDay: 4 };
  const plan = planMerchant({
    reference: 'DRIFTED',
    country: 'SN',
    opensAt: Date.UTC(2026, 9, 1),
    traffic,
  });
  const books = simulateBooks(plan, { seed: 'decisions', until: READ_AT });
  const planted = plantNamed(books, { names: ['BALANCE_DRIFT'], seed: 'decisions' });
  await writeBundle(join(scratch, 'books', 'DRIFTED'), planted.books);
});
afterAll(async () => {
  await opened.close();
  rmSync(scratch, { recursive: true, force: true });
});

async function commandAt(at: number, ...words: readonly string[]) {
  const file = join(scratch, 'pointage.config.json');
  const source = `file:${join(scratch, 'books')}`;
  writeFileSync(file, JSON.stringify({ databaseUrl: opened.databaseUrl, source, evidence: {} }));
  return pointageAs('awa', [...words, '--config', file], { clock: () => at });
}

const leaves = async () =>
  (
    await opened.store.pool.query<{ readonly subject: string; readonly content: string }>(
      `select subject, content from log_leaves where subject like 'decisions%' order by leaf_index`,
    )
  ).rows;

/**
 * Returns the kinds that an audit of the mirror names after `change`, which the database's owner
 * makes and then takes back.
 */
async function foundAfter(change: string, back: string): Promise<readonly string[]> {
  const asOwner = (statement: string) =>
    withoutTriggers(opened.store.pool, async (client) => {
      for (const command of statement.split(';')) await client.query(command);
    });
  await asOwner(change);
  const { out } = await commandAt(READ_AT + 2 * DAY, 'audit', 'DRIFTED', '--format', 'json');
  await asOwner(back);
  const { merchants } = JSON.parse(out) as {
    readonly merchants: readonly [
      { readonly findings: readonly { readonly kind: string; readonly message: string }[] },
    ];
  };
  const found = merchants[0].findings.filter(({ kind }) => kind === 'MIRROR_TAMPERED');
  for (const { message } of found) expect(message).toContain('people_decisions');
  return found.map(({ kind }) => kind);
}

test('a day of decisions is a leaf once it is over, and is not written twice', async () => {
  await commandAt(READ_AT, 'run');
  const { rows } = await opened.store.pool.query(
    'select fingerprint from findings order by fingerprint limit 1',
  );
  const fingerprint = String(rows[0].fingerprint);
  const decide = ['findings', 'acknowledge', fingerprint, '--reason', 'asked\tthem'];
  expect(await commandAt(READ_AT + HOUR, ...decide)).toMatchObject({ status: 0 });
  await commandAt(READ_AT + 2 * HOUR, 'run');
  expect(await leaves()).toEqual([]);
  await commandAt(READ_AT + DAY + HOUR, 'run');
  const [leaf, ...more] = await leaves();
  expect(more).toEqual([]);
  expect(leaf!.subject).toBe('decisions DRIFTED 2026-11-02 1');
  const decision = [
    'decision',
    READ_AT + HOUR,
    'acknowledge',
    fingerprint,
    1,
    'awa',
    'asked\\tthem',
    'open',
    'acknowledged',
  ];
  expect(leaf!.content).toMatch(
    /^pointage-leaf\/v1\nkind\tdecisions\nmerchant\tDRIFTED\nday\t2026-11-02\n/,
  );
  expect(leaf!.content).toContain(`\n${decision.join('\t')}\nsalt\t`);
  await commandAt(READ_AT + 2 * DAY, 'run');
  expect(await leaves()).toHaveLength(1);
});

test('a decision that is committed after its day has its leaf is no change: the day gets another leaf', async () => {
  const { rows } = await opened.store.pool.query(
    'select fingerprint from findings order by fingerprint limit 1',
  );
  const late = ['findings', 'reopen', String(rows[0].fingerprint), '--reason', 'too early'];
  expect(await commandAt(READ_AT + 3 * HOUR, ...late)).toMatchObject({ status: 0 });
  expect(await foundAfter('select 1', 'select 1')).toEqual([]);
  await commandAt(READ_AT + 2 * DAY + HOUR, 'run');
  const [first, second, ...more] = await leaves();
  expect(more).toEqual([]);
  expect(second!.subject).toBe('decisions DRIFTED 2026-11-02 2');
  const records = (content: string) =>
    content.split('\n').filter((one) => one.startsWith('decision\t'));
  expect(records(second!.content)).toEqual([
    ...records(first!.content),
    expect.stringContaining('\treopen\t'),
  ]);
  await commandAt(READ_AT + 3 * DAY, 'run');
  expect(await leaves()).toHaveLength(2);
});

test('nothing is found of decisions as they were, and of each change that the owner makes', async () => {
  const nothing = 'select 1';
  expect(await foundAfter(nothing, nothing)).toEqual([]);
  const set = (column: string, value: string) =>
    `update finding_decisions set ${column} = ${value} where run_id is null`;
  expect(await foundAfter(set('decided_by', `'other'`), set('decided_by', `'awa'`))).toEqual([
    'MIRROR_TAMPERED',
  ]);
  expect(
    await foundAfter(set('decided_at', 'decided_at + 1'), set('decided_at', 'decided_at - 1')),
  ).toEqual(['MIRROR_TAMPERED']);
  expect(
    await foundAfter(
      set('decision_number', 'decision_number + 7'),
      set('decision_number', 'decision_number - 7'),
    ),
  ).toEqual(['MIRROR_TAMPERED']);
  const inLeaf = (from: string, to: string) =>
    `update log_leaves set content = replace(content, '${from}', '${to}') where subject like 'decisions%'`;
  const both = (from: string, to: string) => `${set('decided_by', `'${to}'`)}; ${inLeaf(from, to)}`;
  expect(await foundAfter(both('awa', 'other'), both('other', 'awa'))).toEqual(['MIRROR_TAMPERED']);
  const moved = set('run_id', '(select min(run_id) from runs)');
  expect(
    await foundAfter(moved, `update finding_decisions set run_id = null where decided_by = 'awa'`),
  ).toEqual(['MIRROR_TAMPERED']);
  expect(await foundAfter(nothing, nothing)).toEqual([]);
});
