// No month is issued from books that were rewritten until a person lets it go, whatever the
// configuration holds back.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { formatNamed } from '../../src/io/formats/register.ts';
import type { ReportRecord } from '../../src/io/storage/issued/reports.ts';
import { announcementsOf } from '../../src/service/compose/delivering.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import { releaseStatement } from '../../src/service/workflows/deliveries/manage-deliveries.ts';
import { publishStatement } from '../../src/service/workflows/month/publish-statement.ts';
import { asMerchantSees } from '../../src/service/workflows/month/read-reports.ts';
import { makeLine, makeOperation, referenceOf, type ServedJson } from '../support/http-books.ts';
import { optionsAt } from '../support/nightly.ts';
import { nightlyService } from '../support/nightly-service.ts';
import { stored } from '../support/outbox.ts';
import { publishTask } from '../support/report-books.ts';
import { testFolder } from '../support/test-folder.ts';

const formats = [formatNamed('json')!];
const PUBLISHED = Date.UTC(2026, 10, 2, 22);
const nights = nightlyService(30);

beforeEach(() => {
  const books = nights.books();
  Object.assign(books, JSON.parse(JSON.stringify(books).replaceAll('2026-11-01T', '2026-10-31T')));
});

async function publish(now = PUBLISHED): Promise<ReportRecord> {
  const scratch = testFolder('pointage-rewritten-');
  const config = join(scratch, 'settings.json');
  writeFileSync(config, JSON.stringify({ deliveries: { folder: scratch, hold: 'none' } }));
  const announcements = announcementsOf(await loadConfiguration({ config }, {}));
  const task = publishTask(nights.store, {
    now,
    announcements,
    formats,
    auditFor: () => optionsAt(PUBLISHED),
  });
  return (await publishStatement(task, 'M001')).report;
}

async function release(): Promise<void> {
  const month = { merchant: 'M001', period: '2026-10' };
  expect(
    await releaseStatement(nights.store, month, { by: 'amina', reason: null, now: PUBLISHED + 1 }),
  ).not.toBeNull();
}

/**
 * Returns the states of deliveries, those of the newest revision first: each revision has one, into
 * the folder.
 */
async function deliveries(): Promise<readonly string[]> {
  return (await stored(nights.store)).map(({ state }) => state);
}

/** Takes out a line. From there on, every balance is lower by what the line had moved. */
function takeOut(sequence: number): void {
  const { ledger } = nights.books();
  ledger.splice(sequence - 1, 1);
  for (const [i, line] of ledger.entries()) {
    if (i >= sequence - 1)
      ledger[i] = { ...line, sequence: i + 1, balanceAfter: Number(line.balanceAfter) - 1_000 };
  }
  nights.books().operations.splice(sequence - 1, 1);
  setBalance(ledger.length * 1_000);
}

/** Adds a cash-in of October, whose line comes after the lines that were read. */
function addLate(number: number): void {
  const { ledger, operations } = nights.books();
  const sequence = ledger.length + 1;
  const inOctober = (row: ServedJson): ServedJson =>
    JSON.parse(JSON.stringify(row).replaceAll('2026-11-01T', '2026-10-31T'));
  ledger.push(inOctober({ ...makeLine(sequence), operationReference: referenceOf(number) }));
  operations.push(inOctober(makeOperation(number)));
  setBalance(sequence * 1_000);
}

function setBalance(balance: number): void {
  nights.books().wallet = {
    ...nights.books().wallet,
    balance,
    available: balance,
    totalCollected: balance,
  };
}

test('a month of sound books is READY at once; a revision of one with a rewritten line is held', async () => {
  await nights.night();
  expect(await publish()).toMatchObject({ status: 'READY', revision: 1, isHeld: false });
  nights.books().ledger[9] = { ...nights.books().ledger[9]!, description: 'changed afterwards' };
  await nights.night();
  const second = await publish();
  expect(second).toMatchObject({ status: 'READY', revision: 2, isHeld: true });
  expect(asMerchantSees(second)).toMatchObject({
    status: 'PENDING',
    error: expect.stringContaining('of this month do not agree; the report'),
  });
});

test('what a reread makes of a month that was issued waits for a release, once', async () => {
  await nights.night();
  expect(await publish()).toMatchObject({ revision: 1, isHeld: false });
  takeOut(10);
  await nights.night();
  await nights.night(
    {},
    { reread: { at: PUBLISHED + 10, by: 'amina', reason: 'restored from a backup' } },
  );
  const held = await publish(PUBLISHED + 20);
  expect(held).toMatchObject({ revision: 2, isHeld: true });
  expect(asMerchantSees(held).error).toMatch(/^The books of this month do not agree; the report/);
  const accepted = { ...held, issued: { summary: { verdict: { state: 'clean' } } } };
  expect(asMerchantSees(accepted).error).toMatch(
    /^The books of this month were read anew after it was issued; the/,
  );
  expect(await deliveries()).toEqual(['HELD', 'PENDING']);
  await release();
  expect(await deliveries()).toEqual(['PENDING', 'PENDING']);
  expect(await publish(PUBLISHED + 30)).toMatchObject({ revision: 2, isHeld: false });
});

test('a month that is first issued out of rewritten books is held', async () => {
  await nights.night();
  nights.books().ledger[9] = { ...nights.books().ledger[9]!, description: 'changed afterwards' };
  await nights.night();
  expect(await publish()).toMatchObject({ status: 'READY', revision: 1, isHeld: true });
});

test('what is held after a reread stays held when a late line makes another revision of it', async () => {
  await nights.night();
  expect(await publish()).toMatchObject({ revision: 1, isHeld: false });
  takeOut(10);
  await nights.night();
  await nights.night(
    {},
    { reread: { at: PUBLISHED + 10, by: 'amina', reason: 'restored from a backup' } },
  );
  expect(await publish(PUBLISHED + 20)).toMatchObject({ revision: 2, isHeld: true });
  addLate(31);
  await nights.night();
  expect(await publish(PUBLISHED + 30)).toMatchObject({ revision: 3, isHeld: true });
  await release();
  expect(await publish(PUBLISHED + 40)).toMatchObject({ revision: 3, isHeld: false });
});

test('a late line of an issued month makes a revision that is not held', async () => {
  await nights.night();
  expect(await publish()).toMatchObject({ revision: 1, isHeld: false });
  addLate(31);
  await nights.night();
  expect(await publish(PUBLISHED + 10)).toMatchObject({ revision: 2, isHeld: false });
});
