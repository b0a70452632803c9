// Alterations of lines that only memory can see: the service serves posted lines otherwise than it
// did. There is one root at the first such line, night after night, from a checkpoint as from the
// first line, and in an audit of the mirror too.

import { expect, test } from 'vitest';
import type { AuditReport } from '../../src/core/domain/finding.ts';
import { openMirrorSnapshot } from '../../src/io/storage/mirror/read/mirror-snapshot.ts';
import { makeLine, makeOperation } from '../support/http-books.ts';
import type { runOver } from '../support/nightly-run.ts';
import { nightlyService } from '../support/nightly-service.ts';

const LINES = 60;

const nights = nightlyService(LINES);
const { books } = nights;

async function night(more: Parameters<typeof runOver>[3] = {}): Promise<AuditReport> {
  return (await nights.night({}, more)).report;
}

function rootsIn({ findings }: AuditReport): readonly unknown[] {
  return findings
    .filter(({ causedBy }) => causedBy === null)
    .map(({ kind, sequence }) => `${kind} ${sequence}`);
}

function serveLine(sequence: number, fields: object): void {
  books().ledger[sequence - 1] = { ...books().ledger[sequence - 1]!, ...fields };
}

/** Posts one more cash-in of a thousand. */
function post(sequence: number, balance: number): void {
  books().ledger.push({ ...makeLine(sequence), balanceAfter: balance });
  books().operations.push(makeOperation(sequence));
  books().wallet = {
    ...books().wallet,
    balance,
    available: balance,
    totalCollected: sequence * 1_000,
  };
}

async function storedUnder(sequence: number): Promise<readonly number[]> {
  const query = 'select variant from entries where sequence = $1 order by variant';
  const { rows } = await nights.store.pool.query<{ variant: number }>(query, [sequence]);
  return rows.map(({ variant }) => variant);
}

test('a description changed long after is one root, with both rows, and the first content is judged', async () => {
  expect(rootsIn(await night())).toEqual([]);
  serveLine(20, { description: 'changed afterwards' });
  post(61, 61_000);
  const report = await night();
  expect(rootsIn(report)).toEqual(['ENTRY_REWRITTEN 20']);
  expect(report.verdict).toBe('broken');
  expect(report.findings[0]).toMatchObject({ status: 'confirmed', actual: 'changed afterwards' });
  expect(report.findings[0]!.evidence.map(({ note }) => note)).toEqual([
    expect.stringMatching(/^was read as/),
    expect.stringMatching(/^is served as .*changed afterwards/),
  ]);
  expect(await storedUnder(20)).toEqual([-1, 0]);
  post(62, 62_000);
  expect(rootsIn(await night())).toEqual(['ENTRY_REWRITTEN 20']);
  expect(await storedUnder(20)).toEqual([-1, 0]);
  const snapshot = await openMirrorSnapshot(nights.store, {
    merchant: 'M001',
    after: null,
    watermark: null,
  });
  expect(snapshot.alterations).toHaveLength(1);
  await snapshot.close();
});

test('two lines changed apart are two roots', async () => {
  await night();
  serveLine(20, { description: 'changed afterwards' });
  serveLine(40, { description: 'changed as well' });
  expect(rootsIn(await night())).toEqual(['ENTRY_REWRITTEN 20', 'ENTRY_REWRITTEN 40']);
});

test('an amount changed with all later figures is one root, and what is off follows from it', async () => {
  await night();
  serveLine(20, { amount: 1_047 });
  for (let sequence = 20; sequence <= LINES; sequence += 1)
    serveLine(sequence, { balanceAfter: sequence * 1_000 + 47 });
  books().wallet = { ...books().wallet, balance: 60_047, available: 60_047 };
  const first = await night();
  expect(rootsIn(first)).toEqual(['ENTRY_REWRITTEN 20']);
  expect(first.findings[0]).toMatchObject({
    difference: '47',
    item: { balance: '47', reserved: '0' },
  });
  post(61, 61_047);
  const second = await night();
  expect(rootsIn(second)).toEqual(['ENTRY_REWRITTEN 20']);
  expect(second.findings.map(({ kind, sequence }) => [kind, sequence])).toEqual([
    ['ENTRY_REWRITTEN', '20'],
    ['BALANCE_DRIFT', '61'],
  ]);
  expect(second.findings[0]!.item).toEqual({ balance: '47', reserved: '0' });
});

test('a line taken out, with the later ones under other numbers, is one root', async () => {
  await night();
  books().ledger.splice(19, 1);
  books()
    .ledger.slice(19)
    .forEach((line, i) => {
      books().ledger[19 + i] = {
        ...line,
        sequence: 20 + i,
        balanceAfter: Number(line.balanceAfter) - 1_000,
      };
    });
  books().wallet = { ...books().wallet, balance: 59_000, available: 59_000 };
  post(60, 60_000);
  post(61, 61_000);
  expect(rootsIn(await night())).toEqual(['ENTRY_DELETED 20']);
});

test('a line put in between, with the later ones under other numbers, is one root', async () => {
  await night();
  const added = {
    ...makeLine(20),
    id: '00000000-0000-4000-8000-00000000abcd',
    kind: 'ADJUSTMENT_CREDIT',
    amount: 70,
  };
  const later = books().ledger.splice(19);
  books().ledger.push({
    ...added,
    operationReference: null,
    description: 'bonus',
    balanceAfter: 19_070,
  });
  for (const line of later) {
    const sequence = Number(line.sequence) + 1;
    books().ledger.push({ ...line, sequence, balanceAfter: Number(line.balanceAfter) + 70 });
  }
  books().wallet = { ...books().wallet, balance: 60_070, available: 60_070 };
  expect(rootsIn(await night())).toEqual(['ENTRY_INSERTED_LATE 20']);
});

test('a late commit that fills a gap is lawful: it is told, and the verdict stays clean', async () => {
  const [late] = books().ledger.splice(39, 1);
  expect(rootsIn(await night())).toContain('LINES_MISSING 41');
  books().ledger.splice(39, 0, late!);
  const report = await night();
  expect(rootsIn(report)).toEqual(['ENTRY_INSERTED_LATE 40']);
  expect(report.findings[0]!.severity).toBe('info');
  expect(report.verdict).not.toBe('broken');
});

test('lines delivered again, and a reading that begins anew, are no alteration', async () => {
  await night();
  books().ledger.splice(30, 0, books().ledger[29]!);
  post(61, 61_000);
  expect(rootsIn(await night())).toEqual([]);
});

const REREAD = { reread: { at: 1_790_000_000_000, by: 'amina', reason: 'restored from a backup' } };

test('a person has the altered lines read anew: what is served now is judged, and both contents stay', async () => {
  await night();
  books().ledger.splice(19, 1);
  books()
    .ledger.slice(19)
    .forEach((line, i) => {
      books().ledger[19 + i] = {
        ...line,
        sequence: 20 + i,
        balanceAfter: Number(line.balanceAfter) - 1_000,
      };
    });
  books().operations.splice(19, 1);
  books().wallet = {
    ...books().wallet,
    balance: 59_000,
    available: 59_000,
    totalCollected: 59_000,
  };
  expect(rootsIn(await night())).toEqual(['ENTRY_DELETED 20']);
  const reread = await night(REREAD);
  expect(reread).toMatchObject({ lastSequence: 59, entries: 59, recorded: { balance: '59000' } });
  expect(rootsIn(reread).filter((root) => !String(root).startsWith('OPERATION_'))).toEqual([
    'CREDIT_MISSING null',
  ]);
  expect(await storedUnder(20)).toEqual([-1, 0, 1_000_000]);
  const { rows } = await nights.store.pool.query(
    'select reread, from_sequence, decided_by from ledger_rereads',
  );
  expect(rows).toEqual([{ reread: 1, from_sequence: 20, decided_by: 'amina' }]);
  books().ledger.push({
    ...makeLine(60),
    operationReference: 'GUI-CI-00000061',
    balanceAfter: 60_000,
  });
  books().operations.push(makeOperation(61));
  books().wallet = {
    ...books().wallet,
    balance: 60_000,
    available: 60_000,
    totalCollected: 60_000,
  };
  expect((await night()).lastSequence).toBe(60);
  serveLine(30, { description: 'and again' });
  expect(rootsIn(await night())).toContain('ENTRY_REWRITTEN 30');
});

test('books without altered lines have nothing to read anew', async () => {
  await night();
  expect(rootsIn(await night(REREAD))).toEqual([]);
  expect((await nights.store.pool.query('select 1 from ledger_rereads')).rowCount).toBe(0);
});
