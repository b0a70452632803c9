// What is at stake: amounts of confirmed roots by currency, state and age; never across currencies,
// and no amount without one.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Finding } from '../../src/core/domain/finding.ts';
import { DAY, formatInstant } from '../../src/core/domain/instant.ts';
import { loadExposure, loadOpen } from '../../src/io/storage/conclusions/exposure.ts';
import { saveConclusion } from '../../src/io/storage/conclusions/save-conclusion.ts';
import { withMerchantLock } from '../../src/io/storage/merchants/merchant-lock.ts';
import { startRun } from '../../src/io/storage/nights/nights.ts';
import { findFindings } from '../../src/io/storage/operators/find-findings.ts';
import { findingOf, reportWith } from '../support/concluded.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';

const NOW = Date.UTC(2026, 10, 26);
let opened: TestStore;
beforeAll(async () => {
  opened = await openTestStore();
});
afterAll(() => opened.close());

async function conclude(merchant: string, findings: readonly Finding[]): Promise<void> {
  const { store } = opened;
  const runId = await startRun(store, {
    startedAt: NOW - DAY,
    source: 'file:books',
    engine: 'pointage 0',
  });
  const report = reportWith(merchant, findings);
  await withMerchantLock(store, merchant, (lease) =>
    saveConclusion(store, lease, { runId, report, checkpoint: null }),
  );
}

const offBy = (balance: string, reserved = '0'): Partial<Finding> => ({
  item: { balance, reserved },
});
const about = (concerned: string): Partial<Finding> => ({ ...offBy('0'), concerned });
const daysOld = (days: number): Partial<Finding> => ({ itemAt: formatInstant(NOW - days * DAY) });

test('sums what is off and what is concerned, by currency, state and age', async () => {
  await conclude('M1', [
    findingOf('a1', { ...offBy('-500'), ...daysOld(100) }),
    findingOf('a2', { ...offBy('300', '700'), ...daysOld(91) }),
    findingOf('a3', { ...about('40'), ...daysOld(90) }),
    // A finding without a day of its own has that of the run: yesterday.
    findingOf('a4', about('7')),
    findingOf('a5', { ...offBy('9'), ...daysOld(2), currency: 'GHS' }),
    // Followers, findings that are not certain, and findings that are gone do not count.
    findingOf('b1', { causedBy: 'a1', ...daysOld(100) }),
    findingOf('b2', { ...offBy('1000'), status: 'provisional' }),
  ]);
  await conclude('M2', [
    findingOf('c1', { ...offBy('1000'), currency: null, ...daysOld(3) }),
    findingOf('c2', offBy('5')),
  ]);
  await conclude('M2', [findingOf('c1', { ...offBy('1000'), currency: null, ...daysOld(3) })]);
  await opened.store.pool.query(`update findings set state = 'accepted' where fingerprint = 'a2'`);
  const open = { state: 'open', severities: { critical: 1 } } as const;
  const ofM1 = [
    { currency: 'GHS', ...open, age: '2-7', findings: 1, off: '9', concerned: '0' },
    { currency: 'XOF', ...open, age: '0-1', findings: 1, off: '0', concerned: '7' },
    { currency: 'XOF', ...open, age: '31-90', findings: 1, off: '0', concerned: '40' },
    { currency: 'XOF', ...open, age: '>90', findings: 1, off: '500', concerned: '0' },
    {
      currency: 'XOF',
      ...open,
      state: 'accepted',
      age: '>90',
      findings: 1,
      off: '700',
      concerned: '0',
    },
  ];
  const unknown = { currency: null, ...open, age: '2-7', findings: 1, off: null, concerned: null };
  const { pool } = opened.store;
  expect(await loadExposure(pool, { at: NOW })).toEqual([...ofM1, unknown]);
  expect(await loadExposure(pool, { merchant: 'M1', at: NOW })).toEqual(ofM1);
  expect(await loadExposure(pool, { merchant: 'M9', at: NOW })).toEqual([]);
});

test('what an earlier version wrote is as old as its first run', async () => {
  const { pool } = opened.store;
  await pool.query(`update findings set item_at = null where fingerprint = 'a1'`);
  expect(await loadExposure(pool, { merchant: 'M1', at: NOW })).toContainEqual({
    ...{ currency: 'XOF', state: 'open', age: '0-1' },
    ...{ findings: 2, off: '500', concerned: '7', severities: { critical: 2 } },
  });
});

test('what is open follows from the same figures, with what follows from no root that was dealt with', async () => {
  const { pool } = opened.store;
  const openNow = async () => loadOpen(pool, await loadExposure(pool, { at: NOW }));
  await pool.query(`update findings set severity = 'error' where fingerprint = 'a5'`);
  const before = await openNow();
  expect(before.counts).toEqual({ critical: 4, error: 1, warning: 0, info: 0, followers: 1 });
  expect(before.oldest).toMatchObject({ merchant: 'M1', fingerprint: 'a1' });
  // Amounts of an unknown currency are not weighed.
  expect(before.largest).toMatchObject([
    { currency: 'GHS', merchant: 'M1', fingerprint: 'a5', item: { balance: '9' } },
    { currency: 'XOF', merchant: 'M1', fingerprint: 'a1', item: { balance: '-500' } },
  ]);
  const ofM2 = await loadOpen(pool, await loadExposure(pool, { merchant: 'M2', at: NOW }), 'M2');
  expect(ofM2).toMatchObject({
    counts: { critical: 1, followers: 0 },
    oldest: { fingerprint: 'c1' },
    largest: [],
  });
  for (const [state, followers] of Object.entries({
    acknowledged: 1,
    settled: 0,
    accepted: 0,
    resolved: 1,
  })) {
    await pool.query(`update findings set state = $1 where fingerprint = 'a1'`, [state]);
    const { counts } = await openNow();
    expect([state, counts.critical, counts.followers]).toEqual([
      state,
      state === 'acknowledged' ? 4 : 3,
      followers,
    ]);
  }
});

test('a list is in order of money within a currency, and never across', async () => {
  const kind = { severity: 'info', kind: 'SEQUENCE_GAP' } as const;
  await conclude('M3', [
    findingOf('d1', { ...kind, ...offBy('1'), currency: 'GHS' }),
    findingOf('d2', { ...kind, ...offBy('1000'), currency: 'XOF' }),
    findingOf('d3', { ...kind, ...about('2000'), currency: 'XOF' }),
    findingOf('d4', { ...kind, ...offBy('3'), currency: 'GHS' }),
  ]);
  const { items } = await findFindings(opened.store, { merchant: 'M3', limit: 9 });
  expect(items.map(({ finding }) => finding.fingerprint)).toEqual(['d4', 'd1', 'd3', 'd2']);
});
