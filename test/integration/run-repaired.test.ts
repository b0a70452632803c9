// A row that the source served unreadable once, and sound later, no longer keeps its merchant
// incomplete. Its record stays in the mirror, and a row that is still bad is never taken for
// repaired.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openPostgresSource } from '../../src/io/sources/postgres/open-postgres-source.ts';
import { openSource as openFiles } from '../../src/io/sources/register.ts';
import { makeHttpBooks, makeLine, makeOperation, referenceOf } from '../support/http-books.ts';
import { kindsIn, outcomeOf, runOver, runSource } from '../support/nightly-run.ts';
import { nightlyService } from '../support/nightly-service.ts';
import { insertBooks, openPostgresBooks } from '../support/postgres-books.ts';

const LINES = 60;
const small = { pageSize: 10 } as const;

const nights = nightlyService(LINES);
const { books } = nights;

const night = () => nights.night(small);

async function changes(): Promise<readonly string[]> {
  const answer = await nights.store.pool.query<{ change: string }>(
    'select change from rejected_row_changes order by intake',
  );
  return answer.rows.map((row) => row.change);
}

test('a line that is served sound the next night completes the books, and its finding is resolved', async () => {
  const sound = books().ledger[19]!;
  books().ledger[19] = { ...sound, amount: 12.5 };
  const first = await night();
  expect(first.report.verdict).toBe('incomplete');
  expect(kindsIn(first)).toContain('INPUT_REJECTED');
  books().ledger[19] = sound;
  books().ledger.push(makeLine(LINES + 1));
  books().operations.push(makeOperation(LINES + 1));
  books().wallet = makeHttpBooks('M001', LINES + 1).wallet;
  const second = await night();
  expect(second.report).toMatchObject({ verdict: 'clean', entries: LINES + 1, findings: [] });
  expect(second.changes.resolved).toHaveLength(first.report.findings.length);
  expect(await changes()).toEqual(['repaired']);
  const kept = await nights.store.pool.query('select raw from rejected_rows');
  expect(kept.rows).toEqual([{ raw: JSON.stringify({ ...sound, amount: 12.5 }) }]);
});

test('a line that stays bad keeps the merchant incomplete night after night, as one finding', async () => {
  books().ledger[19] = { ...books().ledger[19]!, amount: 12.5 };
  const first = await night();
  for (let count = 0; count < 2; count += 1) {
    const next = await night();
    // Only the first night has read all that it judges.
    const [history, ...others] = first.report.notChecked;
    const later = { ...history, code: 'EARLIER_NOT_READ_AGAIN', why: expect.any(String) };
    expect(next.report).toEqual({ ...first.report, notChecked: [later, ...others] });
    expect(next.changes).toEqual({
      added: [],
      resolved: [],
      settled: [],
      reopened: [],
      changed: [],
    });
  }
  expect(await changes()).toEqual([]);
});

test('a line that is bad in another way takes the place of the first, and is one finding', async () => {
  const sound = books().ledger[19]!;
  books().ledger[19] = { ...sound, amount: 12.5 };
  await night();
  books().ledger[19] = { ...sound, amount: '12' };
  await night();
  const third = await night();
  const said = third.report.findings.filter((finding) => finding.kind === 'INPUT_REJECTED');
  expect(said.map((finding) => finding.message)).toEqual([
    expect.stringContaining('amount is "12"'),
  ]);
  books().ledger[19] = sound;
  expect((await night()).report.verdict).toBe('clean');
});

test('a line without a readable sequence is looked for in the whole ledger', async () => {
  const sound = books().ledger[4]!;
  books().ledger[4] = { note: 'not a line' };
  expect((await night()).report.verdict).toBe('incomplete');
  expect((await night()).report.verdict).toBe('incomplete');
  books().ledger[4] = sound;
  expect((await night()).report).toMatchObject({ verdict: 'clean', findings: [] });
  nights.service.asked.length = 0;
  await night();
  const offsets = nights.service.asked
    .filter(({ path }) => path === '/ledger')
    .map(({ query }) => Number(query.get('offset')));
  expect(offsets.filter((offset) => offset > 0 && offset < LINES / 2)).toEqual([]);
});

test('a bad row that only claims the sequence of a sound line is not repaired by that line', async () => {
  books().ledger.splice(30, 0, { ...books().ledger[19]!, amount: 12.5 });
  expect((await night()).report.verdict).toBe('incomplete');
  expect((await night()).report.verdict).toBe('incomplete');
  books().ledger.splice(30, 1);
  expect((await night()).report.verdict).toBe('clean');
});

test('a bad row that is gone, and left no line, is missed one night and settled by the whole reading of the next', async () => {
  books().ledger.splice(30, 0, { ...makeLine(31), sequence: 31, amount: 12.5 });
  for (const [index, line] of books().ledger.entries()) {
    if (index > 30) books().ledger[index] = { ...line, sequence: Number(line.sequence) + 1 };
  }
  expect((await night()).report.verdict).toBe('incomplete');
  books().ledger.splice(30, 1);
  expect((await night()).report.verdict).toBe('incomplete');
  expect((await night()).report.verdict).toBe('clean');
  expect(await changes()).toEqual(['missed', 'repaired']);
});

test('an unreadable operation is requested again until it can be read', async () => {
  const sound = books().operations[7]!;
  books().operations[7] = { ...sound, status: 'DONE' };
  const first = await night();
  expect(first.report.verdict).toBe('incomplete');
  expect(first.report.findings.find((finding) => finding.causedBy === null)?.kind).toBe(
    'INPUT_REJECTED',
  );
  const second = await night();
  expect(second.report.notChecked).toContainEqual(
    expect.objectContaining({ why: '1 row could not be read exactly' }),
  );
  expect(second.report.verdict).toBe('incomplete');
  books().operations[7] = sound;
  nights.service.asked.length = 0;
  expect((await night()).report).toMatchObject({
    verdict: 'clean',
    operations: LINES,
    findings: [],
  });
  expect(nights.service.asked.map(({ path }) => path)).toContain(`/operations/${referenceOf(8)}`);
});

test.each(['wallet', 'profile'] as const)(
  'a %s that could not be read is repaired by the next one',
  async (part) => {
    const sound = books()[part]!;
    const broken = part === 'wallet' ? { balance: 'much' } : { country: 12 };
    books()[part] = { ...sound, ...broken };
    expect((await night()).report.verdict).toBe('incomplete');
    books()[part] = sound;
    expect((await night()).report.verdict).toBe('clean');
  },
);

test('a repaired row that is refused again counts again, and its finding is reopened', async () => {
  const sound = books().wallet!;
  const broken = { ...sound, balance: 'much' };
  books().wallet = broken;
  const first = await night();
  books().wallet = sound;
  await night();
  books().wallet = broken;
  const third = await night();
  expect(third.report.verdict).toBe('incomplete');
  expect(third.changes.reopened).toEqual(
    first.report.findings.map((finding) => finding.fingerprint),
  );
  books().wallet = sound;
  expect((await night()).report.verdict).toBe('clean');
  expect(await changes()).toEqual(['repaired', 'refused', 'repaired']);
});

test('a reading that breaks off settles nothing', async () => {
  const sound = books().ledger[19]!;
  books().ledger[19] = { ...sound, amount: 12.5 };
  await night();
  books().ledger[19] = sound;
  nights.service.before = ({ path }) =>
    path === '/wallet' ? { do: 'error', status: 401, code: 'INVALID_CREDENTIALS' } : null;
  const broken = outcomeOf(await runOver(nights.store, nights.service, small), 'M001');
  expect(broken.report.verdict).toBe('incomplete');
  expect(await changes()).toEqual([]);
  nights.service.before = () => null;
  expect((await night()).report.verdict).toBe('clean');
  expect(await changes()).toEqual(['repaired']);
});

test('a line of tables that is repaired far below the head is met again', async () => {
  const tables = await openPostgresBooks({ 'ledger_entries.amount': 'numeric' });
  const { profile, wallet, ledger, operations } = makeHttpBooks('M001', 1_300);
  await insertBooks(tables.client, { merchant: profile, wallet, entries: ledger, operations });
  await tables.client.query('update ledger_entries set amount = 12.5 where sequence = 20');
  const source = openPostgresSource(tables.settings);
  const first = outcomeOf(await runSource(nights.store, source), 'M001');
  expect(first.report.notChecked).toContainEqual(expect.objectContaining({ what: 'refused rows' }));
  await tables.client.query('update ledger_entries set amount = 1000 where sequence = 20');
  const second = outcomeOf(await runSource(nights.store, source), 'M001');
  expect(second.report.notChecked).not.toContainEqual(
    expect.objectContaining({ what: 'refused rows' }),
  );
  expect(kindsIn(second)).not.toContain('INPUT_REJECTED');
  expect(second.entriesAdded).toBe(1);
  await source.close();
  await tables.close();
});

test('a corrected row of a file no longer counts, wherever it is by then', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pointage-repaired-'));
  cpSync(join(import.meta.dirname, '../../docs/example-books'), folder, { recursive: true });
  const file = join(folder, 'ledger.jsonl');
  const sound = readFileSync(file, 'utf8');
  const source = await openFiles(`file:${folder}`, {});
  const verdictOf = async () =>
    outcomeOf(await runSource(nights.store, source), 'EPICERIE_EXEMPLE');
  writeFileSync(file, `${sound}half a li`);
  expect(kindsIn(await verdictOf())).toEqual(['BALANCE_DRIFT', 'INPUT_REJECTED']);
  writeFileSync(file, `half a li\n${sound}`);
  expect(kindsIn(await verdictOf()), 'elsewhere, and still one').toEqual([
    'BALANCE_DRIFT',
    'INPUT_REJECTED',
  ]);
  writeFileSync(file, sound);
  expect(kindsIn(await verdictOf())).toEqual(['BALANCE_DRIFT']);
  await source.close();
  rmSync(folder, { recursive: true, force: true });
});
