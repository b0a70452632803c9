// The closed loop: partners call the simulated service, its notifications flow into the server, a
// worker reads, and a night finds exactly what was planted, at its place.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { rehearseByWords } from '../../bench/rehearsal/command.ts';
import { compareFound } from '../../bench/rehearsal/print-rehearsal.ts';
import type { Finding } from '../../src/core/domain/finding.ts';
import { runsOf } from '../support/assert-property.ts';
import { type Ended, runHere } from '../support/command.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';

let opened: TestStore;
beforeEach(async () => {
  opened = await openTestStore();
});
afterEach(() => opened.close());

const rehearse = (...words: string[]): Promise<Ended> =>
  runHere(rehearseByWords, ['--database-url', opened.databaseUrl, ...words]);

/** Few operations, because each is notified, read and judged by itself. */
const FEW = ['--operations', '5'];

/** Faults of every time of planting, and of every way to show. */
const FAULTS = [
  'CREDIT_MISSING',
  'REPORT_SUMMARY_MISMATCH',
  'EVENT_CONTRADICTS_OPERATION',
  'EVENT_MISSING',
  'EVENT_ID_REUSED',
  'ENTRY_DELETED',
  'OPERATION_OVERDUE/vanished',
  'STATUS_REGRESSION',
  'PAYMENT_EVENT_MISSING',
  'PAYOUT_COUNTERS_MISMATCH',
  'SETTLEMENT_MISSED',
];
/** Faults for PROPERTY_RUNS above 1. Each is planted and shows like one of the others. */
const MORE_FAULTS = [
  'WALLET_BALANCE_MISMATCH',
  'EVENT_MISSING/reversal',
  'ENTRY_REWRITTEN',
  'SEQUENCE_RESET',
];

async function count(what: string): Promise<number> {
  const { rows } = await opened.store.pool.query<{ count: string }>(`select count(*) from ${what}`);
  return Number(rows[0]!.count);
}

describe('a rehearsal', { timeout: 600_000 }, () => {
  test('of a service that is prompt finds nothing in sound books, and keeps every notification once', async () => {
    const { status, out } = await rehearse(
      '--merchants',
      '2',
      '--faults',
      'none',
      '--hours',
      '3',
      ...FEW,
      '--calm',
    );
    expect(out).toContain('2 of 2 sound merchants are clean; 0 of 0 planted faults');
    expect(status).toBe(0);
    const [, made, links] = /^2 partners made (\d+) operations and (\d+) links/
      .exec(out)!
      .map(Number) as [number, number, number];
    expect(made).toBeGreaterThan(10);
    expect(await count('notifications')).toBeGreaterThan(made);
    expect(await count("notifications where channel = 'payments'")).toBeGreaterThan(links);
    expect(await count('notifications where variant > 0 or fault is not null')).toBe(0);
    const again = await rehearse('--merchants', '1', '--faults', 'none');
    expect([again.status, again.err]).toEqual([3, expect.stringContaining('one that is empty')]);
  });

  test('of one that is slow, out of order and out of reach at times finds exactly what was planted', async () => {
    const names = runsOf(1) > 1 ? [...FAULTS, ...MORE_FAULTS] : FAULTS;
    const { status, out } = await rehearse(
      '--merchants',
      '1',
      '--faults',
      names.join(','),
      '--hours',
      '3',
      ...FEW,
    );
    const found = `${names.length} of ${names.length} planted faults were found at their place, and nothing else`;
    expect(out).toContain(`1 of 1 sound merchants are clean; ${found}`);
    expect(out).not.toContain('Not rehearsed');
    expect(status).toBe(0);
  });

  test('begins with faults that can be planted', async () => {
    const refused = async (...words: string[]) => {
      const { status, err } = await rehearse(...words);
      return [status, err.trim()];
    };
    expect(await refused('--faults', 'CREDIT_LOST')).toEqual([
      3,
      expect.stringContaining("--faults knows no 'CREDIT_LOST'"),
    ]);
    expect(await refused('--faults', 'OPERATION_VANISHED')).toEqual([
      3,
      expect.stringContaining('two nights after it tell that it is gone'),
    ]);
    expect(await refused('--faults', 'none', '--merchants', '0')).toEqual([
      3,
      expect.stringContaining('no merchant'),
    ]);
    expect((await rehearse('--faults', 'list')).out).toContain('CREDIT_MISSING ');
  });
});

test('planted faults that were not found differ from findings that were not planted', () => {
  const root = (
    kind: string,
    sequence: string | null,
    operationReference: string | null,
    rest: object = {},
  ) =>
    ({ kind, sequence, operationReference, causedBy: null, severity: 'error', ...rest }) as Finding;
  const expected = [{ kind: 'CREDIT_MISSING', sequence: null, operationReference: 'A' }];
  const told = (findings: readonly Finding[]) => {
    const { missed, surplus } = compareFound(expected, { findings });
    return [missed.length, surplus.map(({ kind }) => kind)];
  };
  expect(told([root('CREDIT_MISSING', null, 'A')])).toEqual([0, []]);
  expect(told([])).toEqual([1, []]);
  expect(told([root('CREDIT_MISSING', null, 'B')])).toEqual([1, ['CREDIT_MISSING']]);
  expect(told([root('CREDIT_MISSING', null, 'A'), root('CREDIT_MISSING', null, 'A')])).toEqual([
    0,
    ['CREDIT_MISSING'],
  ]);
  expect(told([root('CREDIT_MISSING', null, 'A', { causedBy: 'f' })])).toEqual([1, []]);
  expect(told([root('CREDIT_MISSING', null, 'A'), root('FEE_MISSING', '7', 'A')])).toEqual([
    0,
    ['FEE_MISSING'],
  ]);
  expect(
    told([root('CREDIT_MISSING', null, 'A'), root('GAP', '7', null, { severity: 'info' })]),
  ).toEqual([0, []]);
});
