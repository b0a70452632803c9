// The service gives a merchant another wallet. That is one finding, and the new ledger is judged by
// itself from its first line on, over HTTP.

import { expect, test } from 'vitest';
import type { AuditReport } from '../../src/core/domain/finding.ts';
import { DAY, HOUR } from '../../src/core/domain/instant.ts';
import { boundsOf } from '../../src/core/domain/period.ts';
import { openZone } from '../../src/core/domain/zone.ts';
import { rereadMonth } from '../../src/service/workflows/mirror/reread-month.ts';
import { makeLine, makeOperation } from '../support/http-books.ts';
import { openSource } from '../support/http-reader.ts';
import { acceptFinding } from '../support/known-findings.ts';
import { EVENING } from '../support/nightly-run.ts';
import { nightlyService } from '../support/nightly-service.ts';

const LINES = 30;

const nights = nightlyService(LINES);
const { books } = nights;
let count = 0;

async function night(): Promise<AuditReport> {
  const now = EVENING + DAY * ++count;
  return (await nights.night({}, { clock: () => now })).report;
}

const said = ({ verdict, findings }: AuditReport) => [
  verdict,
  ...findings.map(({ kind, sequence, accepted, causedBy }) =>
    [kind, sequence, accepted === null ? '' : 'accepted', causedBy === null ? '' : 'follows']
      .join(' ')
      .trim(),
  ),
];

/**
 * Posts so many more cash-ins, of operations after the last. The ledger begins with a balance of
 * `carried`, which no line posts.
 */
function post(lines: number, carried = 0): void {
  for (let i = 0; i < lines; i += 1) {
    const number = Number(String(books().operations.at(-1)!.reference).slice(-8)) + 1;
    const { ledger } = books();
    const balance = Number(ledger.at(-1)?.balanceAfter ?? carried) + 1_000;
    const id = `00000000-0000-4000-9000-${String(number).padStart(12, '0')}`;
    ledger.push({ ...makeLine(number), id, sequence: ledger.length + 1, balanceAfter: balance });
    books().operations.push(makeOperation(number));
    const totalCollected = ledger.length * 1_000;
    books().wallet = { ...books().wallet, balance, available: balance, totalCollected };
  }
}

function replaceWallet(id: string): void {
  books().ledger.length = 0;
  books().wallet = { ...books().wallet, walletId: id };
}

test('is one finding, its ledger is judged by itself, and what the one before had credited is not owed again', async () => {
  expect(said(await night())).toEqual(['clean']);
  replaceWallet('w-2');
  post(3);
  const report = await night();
  expect(said(report)).toEqual(['broken', 'WALLET_REPLACED']);
  expect(report).toMatchObject({ entries: 3, lastSequence: 3, due: { balance: '3000' } });
  expect(report.findings[0]).toMatchObject({ figures: { now: 'w-2', balance: '30000' } });
  await acceptFinding(nights.store, 'WALLET_REPLACED');
  // The operations of the old wallet are no longer served, either.
  books().operations.splice(0, LINES);
  for (let i = 0; i < 3; i += 1) {
    post(20);
    expect(said(await night())).toEqual(['clean', 'WALLET_REPLACED  accepted']);
  }
});

test('what it begins with and no line posts follows from it, and a fault of its own stands by itself', async () => {
  await night();
  replaceWallet('w-2');
  post(3, 30_000);
  expect(said(await night())).toEqual([
    'broken',
    'OPENING_BALANCE_UNEXPLAINED 1  follows',
    'WALLET_REPLACED',
  ]);
  books().operations.push(makeOperation(books().operations.length + 1));
  expect(said(await night())).toContain('CREDIT_MISSING');
});

test('another one after that is another finding', async () => {
  await night();
  replaceWallet('w-2');
  post(3);
  await night();
  await acceptFinding(nights.store, 'WALLET_REPLACED');
  replaceWallet('w-3');
  post(2);
  const report = await night();
  expect(said(report)).toEqual(['broken', 'WALLET_REPLACED']);
  expect(report).toMatchObject({ entries: 2, due: { balance: '2000' } });
});

test('a wallet that is read again is no other one', async () => {
  await night();
  post(1);
  expect(said(await night())).toEqual(['clean']);
  const { rows } = await nights.store.pool.query('select 1 from ledger_rereads');
  expect(rows).toEqual([]);
});

test('is found also where a month that is issued had read the new wallet before the night', async () => {
  expect(said(await night())).toEqual(['clean']);
  replaceWallet('w-2');
  post(3);
  const bounds = boundsOf({ year: 2026, month: 11 }, openZone('UTC')!);
  const source = openSource(nights.service, { clock: () => EVENING });
  await rereadMonth(
    { store: nights.store, source, now: EVENING + DAY * count + HOUR, bounds },
    'M001',
  );
  await source.close();
  const report = await night();
  expect(said(report)).toEqual(['broken', 'WALLET_REPLACED']);
  expect(report).toMatchObject({ entries: 3, lastSequence: 3, due: { balance: '3000' } });
});
