// A second person confirms what stands now. A proposal is refused, with the reason, if its finding
// has changed since, its end has come, its line is another, or its proposer has lost the right. Its
// terms are seen wherever it is listed.

import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import type { AuditDocument } from '../../src/core/kernel/reconcile/audit-document.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { pointageAs } from '../support/operator-token.ts';

const EXAMPLE = join(import.meta.dirname, '../../docs/example-books');
const NOON = Date.UTC(2026, 10, 15, 12);

let opened: TestStore;
let folder: string;
let now: number;
beforeEach(async () => {
  now = NOON;
  opened = await openTestStore();
  folder = mkdtempSync(join(tmpdir(), 'pointage-outdated-'));
  cpSync(EXAMPLE, join(folder, 'books'), { recursive: true });
  const { databaseUrl } = opened;
  const source = `file:${join(folder, 'books')}`;
  const decisions = { secondPersonAbove: { XOF: 10 } };
  writeFileSync(join(folder, 'pointage.json'), JSON.stringify({ databaseUrl, source, decisions }));
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await opened.close();
});

const said = (who: string, ...words: string[]) =>
  pointageAs(who, [...words, '--config', join(folder, 'pointage.json')], { clock: () => now });

/**
 * Runs, and returns the root of this kind, with the verdict: by default the drift of 47 at line 6.
 */
async function run(kind = 'BALANCE_DRIFT') {
  const { out } = await said('awa', 'run', '--format', 'json');
  const { findings, verdict } = (JSON.parse(out) as AuditDocument).merchants[0]!;
  return { root: findings.find((one) => one.kind === kind)!, verdict };
}

/** Posts one more line after the last one. That of a cash-in belongs to the first operation. */
function post(kind: 'CASHIN_CREDIT' | 'ADJUSTMENT_DEBIT', amount: number): void {
  const [books, wallet] = [
    join(folder, 'books', 'ledger.jsonl'),
    join(folder, 'books', 'wallet.json'),
  ];
  const stated = JSON.parse(readFileSync(wallet, 'utf8')) as Record<string, number>;
  const lines = readFileSync(books, 'utf8').trim().split('\n');
  const sequence = lines.length + 1;
  const direction = kind === 'CASHIN_CREDIT' ? 'CREDIT' : 'DEBIT';
  const balanceAfter = stated.balance! + (direction === 'CREDIT' ? amount : -amount);
  const createdAt = '2026-10-20T08:00:00.000Z';
  const operationReference = direction === 'CREDIT' ? 'GUI-CI-EXEMPLE1' : null;
  const of = {
    operationReference,
    description: 'Régularisation',
    id: `line-${sequence}`,
    createdAt,
  };
  const line = {
    ...(JSON.parse(lines.at(-1)!) as object),
    ...of,
    sequence,
    direction,
    kind,
    amount,
    balanceAfter,
  };
  appendFileSync(books, `${JSON.stringify(line)}\n`);
  writeFileSync(
    wallet,
    JSON.stringify({
      ...stated,
      balance: balanceAfter,
      available: balanceAfter,
      updatedAt: createdAt,
    }),
  );
}

const propose = async (...words: string[]) => proposeAbout((await run()).root, ...words);

async function proposeAbout(root: Awaited<ReturnType<typeof run>>['root'], ...words: string[]) {
  const { out } = await said('awa', 'findings', words[0]!, root.fingerprint, ...words.slice(1));
  const id = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(out)![0];
  return { root, id };
}

const confirm = async (id: string) => {
  const { status, err } = await said('moussa', 'proposals', 'confirm', id);
  return { status, err };
};

test('its terms are in the list, on the finding, and in the history for good, with what ended them', async () => {
  const { root, id } = await propose(
    'accept',
    '--reason',
    'small',
    '--limit',
    '90',
    '--until',
    '2026-11-20T00:00:00Z',
  );
  const until = 'until 2026-11-20T00:00:00.000Z';
  expect((await said('awa', 'proposals', 'list')).out.replace(/\s+/g, ' ')).toMatch(
    /up to 90, until/,
  );
  const csv = (await said('awa', 'proposals', 'list', '--format', 'csv')).out;
  expect(csv).toContain('small;90;2026-11-20T00:00:00.000Z;');
  const show = async () => (await said('awa', 'findings', 'show', root.fingerprint)).out;
  expect(await show()).toContain(
    `Waits for a second person: accept, proposed by awa (small; up to 90, ${until}): ${id}`,
  );
  expect(await confirm(id)).toEqual({ status: 0, err: '' });
  expect(await show()).not.toContain('Waits for a second person');
  expect((await run()).verdict).toBe('clean');
  expect(await show()).toContain(`awa, confirmed by moussa: accept (small; up to 90, ${until})`);
  now += 10 * DAY;
  expect((await run()).verdict).toBe('broken');
  expect(await show()).toContain(
    'pointage: reopen (It was accepted until 2026-11-20T00:00:00.000Z.)',
  );
});

test('it is refused where the finding has come to more since', async () => {
  const kind = 'CREDIT_DUPLICATED';
  post('CASHIN_CREDIT', 10_000);
  const { root, id } = await proposeAbout((await run(kind)).root, 'accept', '--reason', 'small');
  post('CASHIN_CREDIT', 10_000);
  expect((await run(kind)).root.fingerprint).toBe(root.fingerprint);
  const was = 'The finding was 10000 off, and is 20000 off since it was proposed.';
  const err = expect.stringContaining(`${was} Withdraw the proposal, and make it anew.`);
  expect(await confirm(id)).toEqual({ status: 3, err });
  expect((await said('awa', 'proposals', 'withdraw', id)).status).toBe(0);
});

test('it is refused where the end that it proposes has come', async () => {
  const { id } = await propose('accept', '--reason', 'small', '--until', '2026-11-16T00:00:00Z');
  now += 2 * DAY;
  expect(await confirm(id)).toEqual({
    status: 3,
    err: expect.stringContaining(
      'It was to hold until 2026-11-16T00:00:00.000Z. Withdraw the proposal',
    ),
  });
});

test('it is refused where its proposer is no operator any more', async () => {
  const { id } = await propose('settle', '--reason', 'paid back');
  expect((await said('moussa', 'operator', 'revoke', 'awa')).status).toBe(0);
  expect(await confirm(id)).toEqual({
    status: 3,
    err: expect.stringContaining('awa is no operator any more. Withdraw the proposal'),
  });
});

test('it is refused where its line was served with another content since', async () => {
  post('ADJUSTMENT_DEBIT', 47);
  const { id } = await propose('settle', '--line', '8');
  expect((await said('awa', 'proposals', 'list')).out).toContain('line 8');
  await opened.store.pool.query(
    `insert into entries
      (merchant_id, sequence, amount, balance_after, reserved_after, created_at, intake, variant, direction, kind,
        currency, entry_id, operation_reference, description)
    select merchant_id, sequence, 46, balance_after, reserved_after, created_at, intake, 1, direction, kind,
      currency, entry_id, operation_reference, description
    from entries where sequence = 8`,
  );
  expect(await confirm(id)).toMatchObject({ status: 3 });
});
