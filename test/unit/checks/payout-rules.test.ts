// One look at payouts, rule by rule: limits, counters, outcomes, the balance, automatic payouts and
// the statistics of payments, each at the edge where it begins to be a finding.

import { describe, expect, test } from 'vitest';
import { DAY, HOUR, type Instant, MINUTE } from '../../../src/core/domain/instant.ts';
import type { Payment } from '../../../src/core/domain/payment.ts';
import type {
  DisbursementCounters,
  Payout,
  PayoutLimits,
  SettlementSettings,
} from '../../../src/core/domain/published/payout.ts';
import {
  type Kept,
  type KeptPayouts,
  NOTHING_KEPT,
  type PayoutsRead,
} from '../../../src/core/domain/published/payout-place.ts';
import { openZone, type Zone } from '../../../src/core/domain/zone.ts';
import { judgePayouts } from '../../../src/core/kernel/checks/payouts/judge-payouts.ts';
import {
  addTotals,
  beginTotals,
  countPayment,
  keepTotals,
  type PaymentTotals,
} from '../../../src/core/kernel/checks/payouts/payment-totals.ts';

const TOLERANCE = 5 * MINUTE;
const FROM = Date.UTC(2026, 9, 20, 12);
const UNTIL = FROM + 4 * MINUTE;
const UTC = openZone('UTC')!;
const DOUALA = openZone('Africa/Douala')!;
const NOTHING = { limits: null, counters: null, balance: null };

interface Given {
  readonly limits?: PayoutLimits | null;
  readonly counters?: DisbursementCounters | null;
  readonly balance?: string;
  readonly read?: Partial<PayoutsRead>;
  readonly kept?: Partial<KeptPayouts>;
  readonly zones?: readonly Zone[];
  readonly payments?: PaymentTotals | null;
}

function judge({ limits = null, counters = null, balance, ...given }: Given) {
  const figures = { limits, counters, balance: balance === undefined ? null : { balance } };
  return judgePayouts({
    read: {
      ...{ from: FROM, until: UNTIL, before: figures, after: figures, payouts: null },
      ...{ accounts: null, settlement: null, statistics: null },
      ...given.read,
    },
    kept: { ...NOTHING_KEPT, ...given.kept },
    zones: given.zones ?? [UTC, DOUALA],
    payments: given.payments ?? null,
    clockTolerance: TOLERANCE,
  });
}

/** Kind, and what tells findings of the kind apart. */
const found = (given: Given): readonly string[] =>
  judge(given).drafts.map(({ kind, figures }) =>
    [kind, figures.of, figures.name].filter((one) => one !== undefined).join(' '),
  );
const sought = (given: Given): readonly string[] =>
  judge(given).sought.map(({ kind, inputPlace }) => `${kind} ${inputPlace}`);
const noted = (given: Given) => judge(given).notes.map(({ code }) => code);

const limits = (used: number, change: Partial<PayoutLimits> = {}): PayoutLimits => ({
  ...{ ceiling: 200_000, used, remaining: 200_000 - used, compliance: null },
  ...change,
});
const counters = (succeeded: number, pending = 0, failed = 0): DisbursementCounters => ({
  ...{ succeeded, pending, failed },
});
const payout = (id: string, change: Partial<Payout> = {}): Payout => ({
  ...{ id, reference: null, amount: 1_000, fees: null, status: 'SUCCESS', mode: null },
  ...{ payoutAccountId: null, accountType: null, createdAt: FROM - 5 * DAY },
  ...{ completedAt: FROM - 4 * DAY, failureReason: null },
  ...change,
});
const seen = <Value>(value: Value, at: Instant = FROM - DAY): Kept<Value> => ({ at, value });

describe('what remains of the ceiling', () => {
  test('is the ceiling less what is used, or nothing where more is used', () => {
    expect(found({ limits: limits(50_000) })).toEqual([]);
    expect(found({ limits: limits(50_000, { remaining: 150_001 }) })).toEqual([
      'PAYOUT_LIMITS_INCONSISTENT sum',
    ]);
    expect(found({ limits: limits(200_000, { remaining: 1 }) })).toEqual([
      'PAYOUT_LIMITS_INCONSISTENT sum',
    ]);
    const over = ['PAYOUT_LIMITS_INCONSISTENT over'];
    expect(found({ limits: limits(200_001, { remaining: 0 }) })).toEqual(over);
    expect(found({ limits: limits(200_001, { remaining: -1 }) })).toEqual(over);
    expect(found({ limits: limits(200_001, { remaining: -2 }) })).toEqual([
      'PAYOUT_LIMITS_INCONSISTENT sum',
    ]);
    expect(found({ limits: limits(200_000) })).toEqual([]);
  });

  test('is judged by the last figures, else by the first', () => {
    const wrong = { ...NOTHING, limits: limits(1, { remaining: 0 }) };
    const right = { ...NOTHING, limits: limits(1) };
    expect(found({ read: { before: wrong, after: right } })).toEqual([]);
    expect(found({ read: { before: wrong, after: NOTHING } })).toHaveLength(1);
    expect(sought({})).toEqual([]);
  });

  test('may be less than nothing where the ceiling was as high as the use before', () => {
    const used = limits(250_000, { remaining: 0 });
    const exceeded = (ceiling: number) =>
      found({ limits: used, kept: { limits: [seen(limits(250_000, { ceiling, remaining: 0 }))] } });
    expect(exceeded(250_000)).toEqual([]);
    expect(exceeded(249_999)).toEqual(['PAYOUT_LIMITS_INCONSISTENT over']);
  });
});

test('the ceiling is 200 000, and 2 000 000 once a file is approved, also where it was', () => {
  const high = limits(0, { ceiling: 2_000_000, remaining: 2_000_000 });
  const approved = { ...high, compliance: 'APPROVED' } as const;
  expect(found({ limits: high })).toEqual(['PAYOUT_CEILING_UNEXPECTED']);
  expect(found({ limits: approved })).toEqual([]);
  expect(found({ limits: limits(0, { compliance: 'APPROVED' }) })).toEqual([
    'PAYOUT_CEILING_UNEXPECTED',
  ]);
  const rejected = { ...high, compliance: 'REJECTED' } as const;
  expect(found({ limits: rejected, kept: { limits: [seen(approved)] } })).toEqual([]);
  expect(found({ limits: rejected, kept: { limits: [seen(rejected)] } })).toEqual([
    'PAYOUT_CEILING_UNEXPECTED',
  ]);
  const other = { ...rejected, ceiling: 300_000, remaining: 300_000 };
  const [draft] = judge({ limits: other, kept: { limits: [seen(approved)] } }).drafts;
  const [unfiled] = judge({ limits: high }).drafts;
  expect(unfiled!.evidence[0]!.note).toMatch(/^plafond 2000000, compliance not deposited at /);
  expect(draft).toMatchObject({
    figures: { ceiling: 300_000, compliance: 'REJECTED', due: 200_000 },
  });
});

describe('the list of payouts', () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => payout(`p${i}`));
  const listed = (count: number, stated: DisbursementCounters | null, kept = {}) => ({
    counters: stated,
    read: { payouts: many(count) },
    kept,
  });

  test('lacks a payout where the counters have more', () => {
    expect(found(listed(3, counters(4)))).toEqual(['PAYOUT_UNRECORDED']);
    expect(found(listed(3, counters(2, 1, 1)))).toEqual(['PAYOUT_UNRECORDED']);
    expect(found(listed(3, counters(3)))).toEqual([]);
    const kept = { payouts: new Map([['x', [seen(payout('x'))]]]) };
    expect(found(listed(3, counters(4), kept))).toEqual([]);
    expect(judge(listed(3, counters(5))).drafts).toMatchObject([
      { figures: { counted: 5, listed: 3 }, expected: '5', actual: '3' },
    ]);
  });

  test('may be a first page where it has ten, fifteen or twenty rows', () => {
    for (const [rows, expected] of [
      [5, ['PAYOUT_UNRECORDED']],
      [9, ['PAYOUT_UNRECORDED']],
      [10, []],
      [11, ['PAYOUT_UNRECORDED']],
      [15, []],
    ] as const)
      expect(found(listed(rows, counters(40))), String(rows)).toEqual(expected);
    expect(noted(listed(10, counters(40)))).toEqual(['PAYOUTS_CUT']);
    expect(noted(listed(11, counters(40)))).toEqual([]);
    expect(noted(listed(10, counters(10)))).toEqual([]);
    expect(noted(listed(10, null))).toEqual(['PAYOUTS_CUT']);
    expect(noted(listed(11, null))).toEqual([]);
  });

  test('is judged by the last counters, else by the first; not where these moved', () => {
    const figures = (stated: DisbursementCounters | null) => ({ ...NOTHING, counters: stated });
    const read = (first: DisbursementCounters | null, last: DisbursementCounters | null) => ({
      read: { before: figures(first), after: figures(last), payouts: many(3) },
    });
    expect(found(read(counters(3), counters(3)))).toEqual([]);
    expect(noted(read(counters(4), counters(3)))).toEqual(['PAYOUTS_MOVED']);
    expect(noted(read(counters(3), null))).toEqual(['PAYOUTS_MOVED']);
    const moved = { before: { ...NOTHING, limits: limits(1) }, after: NOTHING, payouts: many(3) };
    expect(noted({ read: moved })).toEqual(['PAYOUTS_MOVED']);
    expect(noted({ counters: counters(4) })).toEqual([]);
  });

  test('shows twenty payouts as evidence, beside the counters', () => {
    const [draft] = judge(listed(22, counters(23))).drafts;
    expect(draft!.evidence).toHaveLength(21);
    expect(draft!.evidence.slice(0, 2).map(({ note }) => note)).toEqual([
      'requestSuccess 23, requestPending 0, requestFailed 0 at 2026-10-20T12:04:00.000Z',
      'payout of 1000, SUCCESS, requested at 2026-10-15T12:00:00.000Z',
    ]);
  });
});

describe('counters', () => {
  const list = [
    payout('a'),
    payout('b', { status: 'FAILED', createdAt: Date.UTC(2026, 8, 30, 23, 30) }),
    payout('c', { status: 'PENDING', completedAt: null }),
  ];
  const counted = (stated: DisbursementCounters, change: Partial<PayoutsRead> = {}) =>
    judge({ counters: stated, read: { payouts: list, ...change } }).drafts;

  test('are of all time or of the month, in a zone of the service', () => {
    expect(counted(counters(1, 1, 1))).toEqual([]);
    expect(counted(counters(1, 1, 0))).toEqual([]);
    expect(counted(counters(1, 0, 1))).toMatchObject([
      { figures: { of: 'list', name: 'requestPending', counted: 0, listed: 1 } },
    ]);
    expect(counted(counters(0, 1, 1))).toMatchObject([{ figures: { name: 'requestSuccess' } }]);
    expect(counted(counters(1, 2, 0))).toMatchObject([
      { figures: { name: 'requestFailed', counted: 0, listed: 1 } },
    ]);
  });

  test('of a copy may be of a month after its last payout', () => {
    const until = Date.UTC(2026, 10, 3);
    const copy = { from: until, until, copiedAfter: FROM };
    expect(counted(counters(0), copy)).toEqual([]);
    expect(counted(counters(1, 1), copy)).toEqual([]);
    expect(counted(counters(1, 1), { from: until, until })).toHaveLength(1);
  });
});

describe('what is used of the ceiling', () => {
  const used = (value: number, payouts: readonly Payout[], given: Given = {}) =>
    found({ limits: limits(value), ...given, read: { payouts, ...given.read } });
  const wrong = ['PAYOUT_LIMITS_INCONSISTENT list'];
  const lastMonth = Date.UTC(2026, 8, 30, 12);

  test('is the payouts of the month, with those that wait or without them', () => {
    const list = [
      payout('a'),
      payout('b', { amount: 200, status: 'PENDING', completedAt: null }),
      payout('c', { amount: 30, status: 'FAILED' }),
      payout('d', { amount: 4, createdAt: lastMonth, completedAt: lastMonth }),
    ];
    expect(used(1_000, list)).toEqual([]);
    expect(used(1_200, list)).toEqual([]);
    for (const value of [0, 1_004, 1_030, 1_204, 1_234]) expect(used(value, list)).toEqual(wrong);
    expect(judge({ limits: limits(1_100), read: { payouts: list } }).drafts).toMatchObject([
      { figures: { month: '2026-10', used: 1_100 }, actual: '1100' },
    ]);
  });

  test('has their fees or not, and half a unit more rounds up or down', () => {
    const list = [payout('a', { fees: '7.5' })];
    for (const value of [1_000, 1_007, 1_008]) expect(used(value, list)).toEqual([]);
    for (const value of [999, 1_001, 1_006, 1_009]) expect(used(value, list)).toEqual(wrong);
  });

  test('dates a payout by its request or by its end, and what has not ended by now', () => {
    const across = payout('a', { createdAt: lastMonth, completedAt: lastMonth + 2 * DAY });
    expect(used(1_000, [across])).toEqual([]);
    expect(used(0, [across])).toEqual([]);
    expect(used(500, [across])).toEqual(wrong);
    const waiting = payout('a', { createdAt: lastMonth, completedAt: null, status: 'PENDING' });
    expect(used(1_000, [waiting])).toEqual([]);
    const undated = payout('a', { createdAt: lastMonth, completedAt: null });
    expect(used(1_000, [undated])).toEqual(wrong);
    expect(used(1_000, [payout('a', { completedAt: null })])).toEqual([]);
  });

  test('is of the local month where the service has one', () => {
    const night = Date.UTC(2026, 8, 30, 23, 30);
    const list = [payout('a', { createdAt: night, completedAt: night })];
    expect(used(1_000, list)).toEqual([]);
    expect(used(1_000, list, { zones: [UTC] })).toEqual(wrong);
    expect(used(0, list, { zones: [UTC] })).toEqual([]);
  });

  test('includes a payout from its request on, which waits until its end has come', () => {
    const requested = { completedAt: null, createdAt: UNTIL };
    expect(used(1_000, [payout('a', requested)])).toEqual([]);
    expect(used(0, [payout('a', requested)])).toEqual(wrong);
    expect(used(0, [payout('a', { completedAt: UNTIL + 1 })])).toEqual([]);
    expect(used(0, [payout('a', { completedAt: UNTIL })])).toEqual(wrong);
  });

  test('dates a payout without an end by its request, and has no fees where none are stated', () => {
    const across = payout('b', { amount: 500, createdAt: lastMonth, completedAt: FROM - DAY });
    expect(used(1_500, [payout('a', { completedAt: null }), across])).toEqual([]);
    expect(used(1_001, [payout('a')])).toEqual(wrong);
  });

  test('is shown with the nearest lawful sum and twenty payouts', () => {
    const list = [payout('a', { fees: '7.5' })];
    expect(judge({ limits: limits(1_100), read: { payouts: list } }).drafts).toMatchObject([
      { figures: { listed: 1_007n } },
    ]);
    const many = Array.from({ length: 21 }, (_, i) => payout(`p${i}`));
    const { evidence } = judge({ limits: limits(1), read: { payouts: many } }).drafts[0]!;
    expect(evidence.map(({ reference }) => reference).slice(0, 2)).toEqual(['payout limits', 'p0']);
    expect(evidence).toHaveLength(21);
  });

  test('is counted in one way: the one that most looks bear out', () => {
    const list = [payout('a'), payout('b', { amount: 200, status: 'PENDING', completedAt: null })];
    const before = (value: number) => ({ kept: { limits: [seen(limits(value))] } });
    expect(used(1_200, list, before(1_000))).toEqual([]);
    const twice = { kept: { limits: [seen(limits(1_200), FROM - 2 * DAY), seen(limits(1_200))] } };
    expect(used(1_000, list, twice)).toContain('PAYOUT_LIMITS_INCONSISTENT list');
  });

  test('was nothing before a payout was requested, and waited until it ended', () => {
    const list = [payout('a', { createdAt: FROM - 3 * DAY, completedAt: FROM - DAY })];
    const looks = (...values: readonly (readonly [number, Instant])[]) => ({
      kept: { limits: values.map(([value, at]) => seen(limits(value), at)) },
    });
    const pendingCounts = looks(
      [0, FROM - 3 * DAY - 1],
      [1_000, FROM - 3 * DAY],
      [1_000, FROM - DAY - 1],
    );
    expect(used(1_000, list, pendingCounts)).toEqual([]);
    const endedCounts = looks([0, FROM - 3 * DAY], [0, FROM - DAY - 1], [1_000, FROM - DAY]);
    expect(used(1_000, list, endedCounts)).toEqual([]);
    const failed = [{ ...list[0]!, status: 'FAILED' } as const];
    expect(used(0, failed, looks([1_000, FROM - DAY - 1]))).toEqual([]);
  });
});

describe('what is used falls from look to look', () => {
  const falls = (given: Given, to = 40_000) =>
    found({
      limits: limits(to),
      kept: { limits: [seen(limits(50_000))], ...given.kept },
      read: given.read ?? {},
      ...(given.counters === undefined ? {} : { counters: given.counters }),
    });
  const fell = 'PAYOUT_LIMITS_INCONSISTENT fell';

  test('where the counters know of a payout that failed, lawfully', () => {
    const before = { counters: [seen(counters(1, 1))] };
    expect(falls({ counters: counters(1, 0, 1), kept: before })).toEqual([]);
    expect(falls({ counters: counters(2, 0, 0), kept: before })).toEqual([fell]);
    expect(falls({ counters: counters(2, 0, 0) })).toEqual([]);
    expect(falls({ counters: counters(1, 1), kept: before }, 50_000)).toEqual([]);
    expect(falls({ counters: counters(1, 1), kept: before }, 49_999)).toEqual([fell]);
    expect(falls({ kept: before })).toEqual([fell]);
  });

  test('by as much as the payouts that have failed in between', () => {
    const failed = (change: Partial<Payout>, kept: Given['kept'] = {}) =>
      falls({
        read: {
          payouts: [
            payout('f', { amount: 10_000, status: 'FAILED', completedAt: FROM, ...change }),
          ],
        },
        kept,
      }).includes(fell);
    expect(failed({})).toBe(false);
    expect(failed({ amount: 9_999 })).toBe(true);
    expect(failed({ amount: 9_999, fees: '0.5' })).toBe(false);
    expect(failed({ status: 'SUCCESS' })).toBe(true);
    expect(failed({ completedAt: null })).toBe(false);
    expect(failed({ completedAt: FROM - DAY - TOLERANCE })).toBe(false);
    expect(failed({ completedAt: FROM - DAY - TOLERANCE - 1 })).toBe(true);
    expect(failed({ createdAt: UNTIL + TOLERANCE })).toBe(false);
    expect(failed({ createdAt: UNTIL + TOLERANCE + 1 })).toBe(true);
    const early = { completedAt: FROM - 3 * DAY };
    const was = (status: Payout['status'], at: Instant) => ({
      payouts: new Map([['f', [seen(payout('f', { amount: 10_000, status }), at)]]]),
    });
    expect(failed(early, was('PENDING', FROM - DAY))).toBe(false);
    expect(failed(early, was('PENDING', FROM - DAY + 1))).toBe(true);
    expect(failed(early, was('FAILED', FROM - DAY))).toBe(true);
  });

  test('by as much as the amounts of payouts have shrunk: that is another finding', () => {
    const shrunk = (before: number, now: number) =>
      falls({
        read: { payouts: [payout('s', { amount: now })] },
        kept: { payouts: new Map([['s', [seen(payout('s', { amount: before }))]]]) },
      });
    expect(shrunk(20_000, 10_000)).not.toContain(fell);
    expect(shrunk(19_999, 10_000)).toContain(fell);
    expect(shrunk(10_000, 20_000)).toContain(fell);
  });

  test('at the first figures where the last were not served', () => {
    const read = {
      before: { ...NOTHING, limits: limits(40_000), counters: counters(1, 1) },
      after: NOTHING,
    };
    const kept = { limits: [seen(limits(50_000))], counters: [seen(counters(1, 1))] };
    expect(found({ read, kept })).toEqual([fell]);
  });

  test('within a month that all zones agree on', () => {
    const ending = Date.UTC(2026, 9, 31, 23, 30);
    expect(falls({ read: { from: ending, until: ending, payouts: [] } })).not.toContain(fell);
    const at = Date.UTC(2026, 8, 30, 23, 30);
    const before = { limits: [seen(limits(50_000), at)], counters: [seen(counters(1, 1), at)] };
    expect(falls({ counters: counters(1, 1), kept: before })).not.toContain(fell);
    const noon = Date.UTC(2026, 9, 1, 12);
    const then = { limits: [seen(limits(50_000), noon)], counters: [seen(counters(1, 1), noon)] };
    expect(falls({ counters: counters(1, 1), kept: then })).toEqual([fell]);
  });
});

describe('what is used begins anew with the month', () => {
  const may = Date.UTC(2026, 8, 20);
  const carried = (stated: DisbursementCounters, used: number, kept: Partial<KeptPayouts> = {}) =>
    judge({
      limits: limits(used),
      counters: stated,
      kept: { limits: [seen(limits(700), may)], counters: [seen(counters(2), may)], ...kept },
    });

  test('where no request was made since it began', () => {
    expect(carried(counters(2), 700).drafts).toMatchObject([
      { figures: { of: 'carried', month: '2026-10', before: 700, used: 700 }, expected: '0' },
    ]);
    expect(carried(counters(2), 0).drafts).toEqual([]);
    expect(carried(counters(2), 0).sought.map(({ inputPlace }) => inputPlace)).toContain(
      'payouts of 2026-10',
    );
    expect(carried(counters(3), 700).drafts).toEqual([]);
    const waiting = { counters: [seen(counters(2, 1), may)] };
    expect(carried(counters(2, 1), 700, waiting).drafts).toEqual([]);
    expect(carried(counters(2), 700, { counters: [seen(counters(2))] }).drafts).toEqual([]);
    expect(carried(counters(2), 700, { counters: [] }).drafts).toEqual([]);
    expect(carried(counters(2), 700, { limits: [seen(limits(700))] }).drafts).toEqual([]);
  });

  test('at the first figures where the last were not served', () => {
    const figures = { ...NOTHING, limits: limits(700), counters: counters(2) };
    const kept = { limits: [seen(limits(700), may)], counters: [seen(counters(2), may)] };
    expect(found({ kept, read: { before: figures, after: NOTHING } })).toEqual([
      'PAYOUT_LIMITS_INCONSISTENT carried',
    ]);
  });

  test('and is judged by the list where there is one', () => {
    const read = { payouts: [] };
    const kept = { limits: [seen(limits(700), may)], counters: [seen(counters(0), may)] };
    expect(found({ limits: limits(700), counters: counters(0), kept, read })).toEqual([
      'PAYOUT_LIMITS_INCONSISTENT list',
    ]);
  });
});

describe('requests that have ended', () => {
  const fallen = (before: DisbursementCounters, now: DisbursementCounters, given: Given = {}) =>
    found({ counters: now, ...given, kept: { counters: [seen(before)], ...given.kept } });

  test('are not fewer than they were', () => {
    const name = (which: string) => [`PAYOUT_COUNTERS_MISMATCH fell ${which}`];
    expect(fallen(counters(2), counters(1))).toEqual(name('requestSuccess'));
    expect(fallen(counters(2, 0, 2), counters(2, 0, 1))).toEqual(name('requestFailed'));
    expect(fallen(counters(2, 3, 2), counters(2, 0, 2))).toEqual([]);
    expect(fallen(counters(2), counters(2, 1))).toEqual([]);
  });

  test('at any look, and at the first figures where the last were not served', () => {
    const looks = [seen(counters(2), FROM - 2 * DAY), seen(counters(3))];
    const kept = { counters: looks };
    expect(found({ counters: counters(1), kept })).toHaveLength(1);
    const read = { before: { ...NOTHING, counters: counters(1) }, after: NOTHING };
    expect(found({ read, kept })).toHaveLength(1);
  });

  test('unless one of them has another outcome now: that is another finding', () => {
    const [waiting, ended] = [payout('a', { status: 'PENDING' }), payout('a')];
    const read = { payouts: [payout('a', { status: 'FAILED' })] };
    const payouts = new Map([['a', [seen(waiting, FROM - 2 * DAY), seen(ended)]]]);
    expect(fallen(counters(1), counters(0, 0, 1), { read, kept: { payouts } })).not.toContain(
      'PAYOUT_COUNTERS_MISMATCH fell requestSuccess',
    );
    const was = (status: Payout['status']) => ({
      read: { payouts: [payout('a', { status: 'FAILED' })] },
      kept: { payouts: new Map([['a', [seen(payout('a', { status }))]]]) },
    });
    const fell = 'PAYOUT_COUNTERS_MISMATCH fell requestSuccess';
    expect(fallen(counters(1), counters(0, 0, 1), was('SUCCESS'))).not.toContain(fell);
    expect(fallen(counters(1), counters(0, 0, 1), was('PENDING'))).toContain(fell);
    expect(fallen(counters(1), counters(0, 0, 1), was('FAILED'))).toContain(fell);
  });
});

describe('a payout', () => {
  const changed = (versions: readonly Partial<Payout>[]) => {
    const rows = versions.map((one, i) => seen(payout('a', one), FROM - (9 - i) * HOUR));
    return judge({
      read: { payouts: [rows.at(-1)!.value] },
      kept: { payouts: new Map([['a', rows.slice(0, -1)]]) },
    }).drafts.filter(({ kind }) => kind === 'PAYOUT_OUTCOME_CHANGED');
  };
  const pending = { status: 'PENDING', completedAt: null } as const;

  test.each([
    ['reference', null, 'r-1'],
    ['amount', 1_000, 900],
    ['createdAt', FROM - 5 * DAY, FROM],
    ['payoutAccountId', 'one', 'two'],
    ['accountType', 'BANK', null],
    ['mode', 'T0', 'T1'],
  ] as const)('keeps what was requested: %s', (name, before, now) => {
    const difference = name === 'amount' ? -100n : null;
    const figures = { id: 'a', name, before: String(before), now: String(now) };
    expect(changed([{ [name]: before }, { [name]: now }])).toMatchObject([{ figures, difference }]);
    expect(changed([{ ...pending, [name]: before }, { [name]: now }])).toHaveLength(1);
    expect(changed([{ [name]: before }, { [name]: before, failureReason: 'x' }])).toEqual([]);
  });

  test('keeps its outcome, its fees and its end once it has ended', () => {
    expect(changed([pending, {}])).toEqual([]);
    expect(changed([{}, { status: 'FAILED' }])).toMatchObject([
      { figures: { name: 'status', before: 'SUCCESS', now: 'FAILED' } },
    ]);
    expect(changed([pending, {}, { fees: '5' }])).toEqual([]);
    expect(changed([pending, { fees: '5' }, { fees: '6' }])).toMatchObject([
      { figures: { name: 'fees', before: '5', now: '6' } },
    ]);
    expect(changed([{ ...pending, fees: '5' }, { fees: '6' }])).toEqual([]);
    expect(
      changed([
        { ...pending, fees: '5' },
        { ...pending, fees: '6' },
      ]),
    ).toEqual([]);
    expect(changed([{ fees: '5' }, { fees: null }])).toMatchObject([
      { figures: { before: '5', now: 'null' } },
    ]);
    expect(changed([{}, { completedAt: FROM }])).toMatchObject([
      { figures: { name: 'completedAt' } },
    ]);
    expect(changed([pending, { ...pending, completedAt: FROM }])).toEqual([]);
  });

  test('is shown from the first version that differs, in 80 characters a value', () => {
    const long = (letter: string) => letter.repeat(90);
    const [draft] = changed([{ mode: long('x') }, { mode: long('y') }]);
    expect(draft).toMatchObject({ figures: { before: 'x'.repeat(80), now: 'y'.repeat(80) } });
    const id = 'i'.repeat(90);
    const kept = { payouts: new Map([[id, [seen(payout(id))]]]) };
    const read = { payouts: [payout(id, { amount: 1 })] };
    expect(judge({ read, kept }).drafts).toMatchObject([{ figures: { id: 'i'.repeat(80) } }]);
    expect(draft!.evidence.map(({ note }) => note)).toEqual([
      `mode ${'x'.repeat(80)} at 2026-10-20T03:00:00.000Z`,
      `mode ${'y'.repeat(80)} at 2026-10-20T12:04:00.000Z`,
    ]);
    expect(changed([{}, { fees: '5' }, { fees: '6' }, { fees: '7' }])).toEqual([]);
  });
});

test('the earlier figures of a copy are not compared, and a note says so where there are any', () => {
  const kept = { limits: [seen(limits(50_000))], counters: [seen(counters(1, 1))] };
  const copy = { limits: limits(40_000), counters: counters(1, 1), read: { copiedAfter: FROM } };
  expect(found({ ...copy, kept })).toEqual([]);
  expect(noted({ ...copy, kept })).toEqual(['PAYOUTS_COPIED']);
  expect(noted(copy)).toEqual([]);
  expect(noted({ ...copy, read: {}, kept })).toEqual([]);
});

/** Paid by link, each long ago unless it says otherwise. */
function totals(
  some: readonly (Partial<Payment> & { readonly paidFees?: string | null })[],
): PaymentTotals {
  const tally = beginTotals({ zones: [UTC, DOUALA], askedAt: FROM, clockTolerance: TOLERANCE });
  for (const { paidFees = null, ...one } of some)
    countPayment(
      tally,
      {
        ...{ reference: 'PAY', amount: 1_000, country: 'CI', operator: null, orderId: null },
        ...{ status: 'SUCCESS', createdAt: FROM - 10 * DAY },
        ...one,
      },
      paidFees,
    );
  return tally;
}

/** The age from which on a payment may have ended since the figures were asked for. */
const YOUNG = 26 * HOUR + TOLERANCE;

describe('the balance of what was collected by link', () => {
  const paid = totals([
    { paidFees: '15.5' },
    { status: 'FAILED', amount: 40 },
    { status: 'PENDING', amount: 60 },
  ]);
  const wrong = ['LINK_BALANCE_MISMATCH'];
  const of = (balance: string, payouts: readonly Payout[] = [], payments = paid, read = {}) => ({
    balance,
    payments,
    read: { payouts, ...read },
  });

  test('is net of fees or gross, to the hundredth', () => {
    expect(found(of('984.5'))).toEqual([]);
    expect(found(of('1000'))).toEqual([]);
    for (const balance of ['984.49', '984.51', '999.99', '1000.01', '990'])
      expect(found(of(balance))).toEqual(wrong);
    expect(judge(of('985.5')).drafts).toMatchObject([
      { figures: { due: '984.5', difference: '1', untold: 0 }, differences: [1n] },
    ]);
    expect(judge(of('1000.5')).drafts).toMatchObject([
      { figures: { due: '1000', difference: '0.5' }, difference: null, differences: [16n] },
    ]);
    expect(judge(of('900')).drafts).toMatchObject([
      { figures: { due: '984.5', difference: '-84.5' }, differences: [-100n] },
    ]);
  });

  test('is less by payouts, those that wait taken off or not, with their fees or without', () => {
    const payouts = [
      payout('a', { amount: 100, fees: '5' }),
      payout('b', { amount: 20, status: 'PENDING', completedAt: null, fees: '1' }),
      payout('c', { amount: 3, status: 'FAILED', fees: '9' }),
      payout('d', { amount: 200 }),
    ];
    for (const out of [300, 305, 320, 326])
      expect(found(of(String(1_000 - out), payouts)), String(out)).toEqual([]);
    for (const out of [303, 317, 323, 325])
      expect(found(of(String(1_000 - out), payouts)), String(out)).toEqual(wrong);
    expect(judge(of('5', payouts)).drafts[0]!.evidence).toHaveLength(2 + 4);
  });

  test('lies between bounds where fees are not known, and a note counts these payments', () => {
    const untold = totals([{}, { amount: 500, paidFees: '10' }]);
    for (const balance of ['1500', '1490', '490', '600'])
      expect(found(of(balance, [], untold))).toEqual([]);
    for (const balance of ['489.99', '1490.01', '1500.01'])
      expect(found(of(balance, [], untold))).toEqual(wrong);
    expect(noted(of('600', [], untold))).toEqual(['BALANCE_BOUNDED']);
    expect(noted(of('490', [], untold))).toEqual(['BALANCE_BOUNDED']);
    expect(noted(of('1490', [], untold))).toEqual(['BALANCE_BOUNDED']);
    expect(noted(of('1500', [], untold))).toEqual([]);
    expect(judge(of('2000', [], untold)).drafts).toMatchObject([{ figures: { untold: 1 } }]);
  });

  test('may have a payment already that ended as the payments were read', () => {
    const createdAt = FROM - YOUNG + 1;
    const young = totals([{ paidFees: '0' }, { createdAt, amount: 70, paidFees: '2' }]);
    expect(found(of('1068', [], young))).toEqual([]);
    expect(found(of('1000', [], young))).toEqual(wrong);
    const moved = { after: { ...NOTHING, balance: { balance: '1' } } };
    for (const balance of ['1000', '1068', '1040'])
      expect(found(of(balance, [], young, moved))).toEqual([]);
    for (const balance of ['999.99', '1070.01'])
      expect(found(of(balance, [], young, moved))).toEqual(wrong);
    const old = totals([
      { paidFees: '0' },
      { createdAt: createdAt - 1, amount: 70, paidFees: '2' },
    ]);
    expect(found(of('1000', [], old, moved))).toEqual(wrong);
  });

  test('is judged where all payments and all payouts are known and still', () => {
    const noPayments = { balance: '5', read: { payouts: [] } };
    expect(judge(noPayments).notes).toMatchObject([
      { code: 'BALANCE_WITHOUT_ALL', figures: { of: 'payments' } },
    ]);
    expect(judge({ balance: '5', payments: paid }).notes).toMatchObject([
      { code: 'BALANCE_WITHOUT_ALL', figures: { of: 'payouts' } },
    ]);
    const moved = { after: { ...NOTHING, limits: limits(1) } };
    expect(found(of('5', [], paid, moved))).toEqual([]);
    expect(sought(of('1000'))).toContain('LINK_BALANCE_MISMATCH balance by link');
  });

  test('knows of all payouts by the first counters where the last were not served', () => {
    const payouts = Array.from({ length: 10 }, (_, i) => payout(`p${i}`));
    const before = { limits: null, counters: counters(10), balance: { balance: '1' } };
    const read = { payouts, before, after: NOTHING };
    expect(noted({ payments: paid, read })).toEqual(['PAYOUTS_MOVED']);
    const kept = { payouts: new Map([['p0', []]]) };
    expect(noted({ balance: '984.5', payments: paid, read: { payouts: [] }, kept })).toEqual([]);
  });

  test('shows the payments that count, and twenty payouts', () => {
    const payouts = Array.from({ length: 21 }, (_, i) => payout(`p${i}`, { amount: 1 }));
    const { evidence } = judge(of('5', payouts)).drafts[0]!;
    expect(evidence).toHaveLength(22);
    expect(evidence[1]!.note).toBe('1 succeeded, 1000 at 2026-10-20T12:04:00.000Z');
  });
});

describe('an automatic payout', () => {
  const settings = (change: Partial<SettlementSettings> = {}): SettlementSettings => ({
    ...{ mode: 'T0', time: '06:00', timezone: 'UTC', lastSettlementAt: null },
    ...{ hasPrimaryAccount: true, primaryAccountType: null, mobileMoneyRate: null },
    bankFixed: null,
    ...change,
  });
  /** Noon of the 10th: the next payout is due at six of the 11th. */
  const LOOK = Date.UTC(2026, 9, 10, 12);
  const DUE = LOOK + 18 * HOUR;

  interface Waited extends Partial<Omit<KeptPayouts, 'payouts'>> {
    /** The balance at every look. */
    readonly always?: string;
    readonly now?: SettlementSettings;
    readonly at?: Instant;
    readonly payouts?: readonly Payout[];
  }
  function missed({ now = settings(), at = FROM, payouts, always = '9000', ...kept }: Waited) {
    const figures = { limits: limits(0), counters: null, balance: { balance: always } };
    return judge({
      read: {
        ...{ from: at, until: at, before: figures, after: figures, settlement: now },
        payouts: payouts ?? null,
      },
      kept: {
        settlement: [seen(now, LOOK)],
        balance: [seen({ balance: always }, LOOK)],
        limits: [seen(limits(0), LOOK)],
        ...kept,
      },
    }).drafts.filter(({ kind }) => kind === 'SETTLEMENT_MISSED');
  }

  test('of T0 is missed a day after it was due, of T1 two days after the second', () => {
    expect(missed({ at: DUE + DAY + TOLERANCE })).toEqual([]);
    expect(missed({ at: DUE + DAY + TOLERANCE + 1 })).toMatchObject([
      {
        figures: {
          ...{ mode: 'T0', time: '06:00', timezone: 'UTC', last: null },
          due: '2026-10-11T06:00:00.000Z',
        },
        newestEvidence: DUE + DAY,
      },
    ]);
    const now = settings({ mode: 'T1' });
    expect(missed({ now, at: DUE + 3 * DAY + TOLERANCE })).toEqual([]);
    expect(missed({ now, at: DUE + 3 * DAY + TOLERANCE + 1 })).toHaveLength(1);
  });

  test('is due by the clocks of its zone, to the minute', () => {
    const due = (change: Partial<SettlementSettings>) =>
      missed({ now: settings(change) })[0]!.figures.due;
    expect(due({ time: '06:30' })).toBe('2026-10-11T06:30:00.000Z');
    expect(due({ timezone: 'America/New_York' })).toBe('2026-10-11T10:00:00.000Z');
    expect(due({ timezone: 'Asia/Tokyo' })).toBe('2026-10-10T21:00:00.000Z');
    expect(due({ timezone: 'Asia/Tokyo', time: '22:00' })).toBe('2026-10-10T13:00:00.000Z');
  });

  test.each([
    ['the later of two instants', Date.UTC(2026, 9, 24, 12), '2026-10-25T01:30:00.000Z'],
    ['the end of the jump or later', Date.UTC(2026, 2, 28, 12), '2026-03-29T01:30:00.000Z'],
  ])('is due, where the clocks are set, at %s', (_, look, due) => {
    const now = settings({ timezone: 'Europe/Paris', time: '02:30' });
    const kept = {
      settlement: [seen(now, look)],
      balance: [seen({ balance: '9000' }, look)],
      limits: [seen(limits(0), look)],
    };
    expect(missed({ now, at: look + 5 * DAY, ...kept })).toMatchObject([{ figures: { due } }]);
  });

  test('is shown with the balance at the look, and with the last payout or that there was none', () => {
    const balance = [seen({ balance: '9500' }, LOOK - DAY), seen({ balance: '9000' }, LOOK)];
    const [draft] = missed({ balance });
    expect(draft!.evidence.map(({ note }) => note)).toEqual([
      'T0 06:00, balance 9000, last never at 2026-10-10T12:00:00.000Z',
      'T0 06:00, balance 9000, last never at 2026-10-20T12:00:00.000Z',
    ]);
    const before = missed({ balance: [seen({ balance: '9000' }, LOOK - DAY)] });
    expect(before).toHaveLength(1);
    const zone = 'Z'.repeat(90);
    expect(judge({ read: { settlement: settings({ timezone: zone }) } }).notes).toMatchObject([
      { figures: { zone: 'Z'.repeat(80) } },
    ]);
  });

  test('is due after the look, not at it', () => {
    const kept = { settlement: [seen(settings(), DUE)], balance: [seen({ balance: '9000' }, DUE)] };
    expect(missed(kept)).toMatchObject([{ figures: { due: '2026-10-12T06:00:00.000Z' } }]);
    const before = {
      settlement: [seen(settings(), DUE - 1)],
      balance: [seen({ balance: '9000' }, DUE - 1)],
    };
    expect(missed(before)).toMatchObject([{ figures: { due: '2026-10-11T06:00:00.000Z' } }]);
  });

  test('needs settings that ask for one, an account, and a look that saw them', () => {
    expect(missed({ now: settings({ mode: 'MANUAL' }) })).toEqual([]);
    expect(missed({ now: settings({ time: null }) })).toEqual([]);
    expect(missed({ now: settings({ hasPrimaryAccount: false }) })).toEqual([]);
    expect(missed({ settlement: [] })).toEqual([]);
    expect(missed({ now: settings({ timezone: null }) })).toHaveLength(1);
    const unknown = { read: { settlement: settings({ timezone: 'Mars/Base' }) } };
    expect(judge(unknown).notes).toMatchObject([
      { code: 'SETTLEMENT_ZONE', figures: { zone: 'Mars/Base' } },
    ]);
    expect(sought({ read: { settlement: settings({ mode: 'MANUAL' }) } })).toEqual([
      'SETTLEMENT_MISSED settlement',
    ]);
    expect(sought({ read: { settlement: null } })).toEqual([]);
  });

  test('is waited for since the settings are as they are', () => {
    const other = seen(settings({ time: '07:00' }), LOOK + 2 * DAY);
    const again = seen(settings(), LOOK + 4 * DAY);
    const rows = (...settlement: readonly Kept<SettlementSettings>[]) => missed({ settlement });
    expect(rows(seen(settings(), LOOK), other)).toEqual([]);
    expect(rows(seen(settings(), LOOK), other, again)).toMatchObject([
      { figures: { due: '2026-10-15T06:00:00.000Z' } },
    ]);
    const paid = seen(settings({ lastSettlementAt: LOOK }), LOOK + 2 * DAY);
    expect(rows(seen(settings(), LOOK), paid)).toMatchObject([
      { figures: { due: '2026-10-11T06:00:00.000Z' } },
    ]);
  });

  test('is waited for since the last payout, whichever it was', () => {
    const since = LOOK + 3 * DAY;
    const due = '2026-10-14T06:00:00.000Z';
    const balance = [seen({ balance: '8000' }, LOOK), seen({ balance: '9000' }, since)];
    expect(missed({ now: settings({ lastSettlementAt: since }), balance })).toMatchObject([
      { figures: { due, last: '2026-10-13T12:00:00.000Z' } },
    ]);
    // What there was before the payout may be what was paid out.
    const earlier = [seen({ balance: '8000' }, LOOK), seen({ balance: '9000' }, LOOK + DAY)];
    expect(missed({ now: settings({ lastSettlementAt: since }), balance: earlier })).toEqual([]);
    const list = (change: Partial<Payout>) => [payout('a', { createdAt: LOOK - DAY, ...change })];
    expect(missed({ payouts: list({ completedAt: since }), balance })).toMatchObject([
      { figures: { due } },
    ]);
    expect(
      missed({ payouts: list({ createdAt: since, completedAt: null }), balance }),
    ).toMatchObject([{ figures: { due } }]);
    expect(missed({ payouts: list({ status: 'PENDING', completedAt: null }) })).toEqual([]);
    expect(missed({ payouts: [] })).toHaveLength(1);
  });

  test('needs a balance beyond its cost and a thousand more, within what the ceiling leaves', () => {
    expect(missed({ always: '1000' })).toEqual([]);
    expect(missed({ always: '1000.01' })).toHaveLength(1);
    const now = settings({ bankFixed: '500' });
    expect(missed({ now, always: '1500' })).toEqual([]);
    expect(missed({ now, always: '1500.5' })).toHaveLength(1);
    expect(missed({ always: '200000' })).toHaveLength(1);
    expect(missed({ always: '200000.01' })).toEqual([]);
  });

  test('must have been possible at every look of the wait', () => {
    const UNTIL_THEN = DUE + DAY;
    const balances = (value: string, at: Instant) =>
      missed({
        at: UNTIL_THEN + HOUR,
        balance: [seen({ balance: '9000' }, LOOK), seen({ balance: value }, at)],
      });
    expect(balances('5', UNTIL_THEN)).toEqual([]);
    expect(balances('5', UNTIL_THEN + 1)).toHaveLength(1);
    const rooms = (room: number, at: Instant) =>
      missed({
        at: UNTIL_THEN + HOUR,
        limits: [seen(limits(0), LOOK), seen(limits(200_000 - room), at)],
      });
    expect(rooms(8_999, UNTIL_THEN)).toEqual([]);
    expect(rooms(9_000, UNTIL_THEN)).toHaveLength(1);
    expect(rooms(8_999, UNTIL_THEN + 1)).toHaveLength(1);
    const room = (value: number, at: Instant) => seen(limits(200_000 - value), at);
    const at = UNTIL_THEN + HOUR;
    expect(missed({ at, limits: [room(8_999, LOOK), room(9_000, DUE)] })).toHaveLength(1);
    expect(missed({ at, limits: [room(8_999, LOOK), room(9_000, DUE + 1)] })).toEqual([]);
    expect(missed({ at, limits: [room(8_999, DUE + 1), room(9_000, DUE + 2)] })).toEqual([]);
    const unknown = { limits: null, counters: null, balance: { balance: '9000' } };
    const read = { from: at, until: at, before: unknown, after: unknown, settlement: settings() };
    const kept = {
      settlement: [seen(settings(), LOOK)],
      balance: [seen({ balance: '9000' }, LOOK)],
    };
    expect(found({ read, kept })).toEqual([]);
  });
});

describe('the statistics of payments', () => {
  const paid = totals([
    {},
    { amount: 500 },
    { status: 'FAILED', amount: 40 },
    { status: 'PENDING', amount: 60 },
  ]);
  const counts = (total: number, succeeded = 2, pending = 1, failed = 1) => ({
    ...{ total, succeeded, pending, failed },
  });
  const stated = (
    statistics: Partial<NonNullable<PayoutsRead['statistics']>>,
    payments: PaymentTotals | null = paid,
  ) =>
    judge({
      payments,
      read: { statistics: { counts: null, months: null, days: null, ...statistics } },
    });
  const wrong = (...given: Parameters<typeof stated>) =>
    stated(...given).drafts.map(
      ({ figures }) => `${figures.period} ${figures.name} ${figures.stated} ${figures.due}`,
    );
  const month = (change: object = {}) => ({
    month: '2026-10',
    ...counts(4),
    amount: null,
    ...change,
  });
  const day = (count: number, amount: number) => ({ date: '2026-10-10', count, amount });

  test('count every payment in all, by its outcome', () => {
    expect(wrong({ counts: counts(4) })).toEqual([]);
    expect(wrong({ counts: counts(5) })).toEqual(['all total 5 4']);
    expect(wrong({ counts: counts(4, 1) })).toEqual(['all success 1 2']);
    expect(wrong({ counts: counts(4, 2, 0) })).toEqual(['all pending 0 1']);
    expect(wrong({ counts: counts(4, 2, 1, 3) })).toEqual(['all failed 3 1']);
  });

  test('of a month may state the money of the successes, or of all', () => {
    expect(wrong({ months: [month()] })).toEqual([]);
    expect(wrong({ months: [month({ amount: 1_500 })] })).toEqual([]);
    expect(wrong({ months: [month({ amount: 1_600 })] })).toEqual([]);
    expect(wrong({ months: [month({ amount: 1_540 })] })).toEqual(['2026-10 amount 1540 1500']);
    expect(wrong({ months: [{ ...month(), month: '2026-09' }] })).toEqual(['2026-09 success 2 0']);
  });

  test('of a day are the successes', () => {
    expect(wrong({ days: [day(2, 1_500)] })).toEqual([]);
    expect(wrong({ days: [day(3, 1_500)] })).toEqual(['2026-10-10 success 3 2']);
    expect(wrong({ days: [day(2, 1_501)] })).toEqual(['2026-10-10 amount 1501 1500']);
  });

  test('may be of local days where the service has them', () => {
    const night = totals([{ createdAt: Date.UTC(2026, 9, 9, 23, 30) }]);
    expect(wrong({ days: [day(1, 1_000)] }, night)).toEqual([]);
    expect(wrong({ days: [{ ...day(1, 1_000), date: '2026-10-09' }] }, night)).toEqual([]);
    expect(wrong({ days: [{ ...day(1, 1_000), date: '2026-10-08' }] }, night)).toHaveLength(1);
  });

  test('are shown by the first zone', () => {
    const night = totals([{ createdAt: Date.UTC(2026, 9, 9, 23, 30) }]);
    const of = (count: number, amount: number) =>
      wrong({ days: [{ ...day(count, amount), date: '2026-10-09' }] }, night);
    expect(of(5, 1_000)).toEqual(['2026-10-09 success 5 1']);
    expect(of(1, 5)).toEqual(['2026-10-09 amount 5 1000']);
    const evening = totals([
      { createdAt: Date.UTC(2026, 9, 9, 22, 30) },
      { createdAt: Date.UTC(2026, 9, 9, 23, 30) },
    ]);
    const days = [{ ...day(1, 1_000), date: '2026-10-09' }, day(1, 1_000)];
    expect(wrong({ days }, evening)).toEqual([]);
  });

  test('are explained by the days of the month, by as much as these are off', () => {
    const september = { date: '2026-09-10', count: 1, amount: 0 };
    expect(wrong({ months: [month(counts(5, 3))], days: [september] })).toEqual([
      '2026-10 success 3 2',
      '2026-09-10 success 1 0',
    ]);
    expect(wrong({ counts: counts(4, 1, 1, 2), days: [day(1, 1_000)] })).toEqual([
      'all success 1 2',
      '2026-10-10 success 1 2',
    ]);
  });

  test('are one finding, of the narrowest period, where a payment is missing from all', () => {
    const three = { counts: counts(3, 1), months: [month(counts(3, 1))], days: [day(1, 1_000)] };
    expect(wrong(three)).toEqual(['2026-10-10 success 1 2']);
    expect(wrong({ ...three, days: null })).toEqual(['2026-10 success 1 2']);
    expect(wrong({ ...three, months: null })).toEqual(['2026-10-10 success 1 2']);
    const money = { months: [month({ amount: 1_501 })], days: [day(2, 1_501)] };
    expect(wrong(money)).toEqual(['2026-10-10 amount 1501 1500']);
    expect(wrong({ ...three, months: [month(counts(2, 0))] })).toContain('2026-10 success 0 2');
  });

  test('may have a young payment in any state, or not yet', () => {
    const createdAt = FROM - YOUNG + 1;
    const young = totals([{}, { createdAt, amount: 70 }]);
    const one = (succeeded: number, pending: number, failed = 0) =>
      wrong({ counts: { total: succeeded + pending + failed, succeeded, pending, failed } }, young);
    expect(one(1, 0)).toEqual([]);
    expect(one(2, 0)).toEqual([]);
    expect(one(1, 1)).toEqual([]);
    expect(one(1, 0, 1)).toEqual([]);
    expect(one(3, 0)).toEqual(['all success 3 2']);
    expect(one(0, 0)).toEqual(['all success 0 1']);
    const settled = totals([{}, { createdAt: createdAt - 1, amount: 70 }]);
    expect(wrong({ counts: { total: 1, succeeded: 1, pending: 0, failed: 0 } }, settled)).toEqual([
      'all success 1 2',
    ]);
  });

  test('of days before those that were counted are not compared, and a note says since when', () => {
    const since = (daysFrom: string) => ({ ...paid, daysFrom });
    expect(wrong({ days: [day(9, 9)] }, since('2026-10-11'))).toEqual([]);
    expect(stated({ days: [day(9, 9)] }, since('2026-10-11')).notes).toMatchObject([
      { code: 'DAYS_SINCE', figures: { since: '2026-10-11' } },
    ]);
    expect(wrong({ days: [day(9, 9)] }, since('2026-10-10'))).toHaveLength(1);
    expect(stated({ days: [day(2, 1_500)] }, since('2026-10-10')).notes).toEqual([]);
    expect(stated({ counts: counts(9) }, null).sought).toEqual([]);
  });
});

test('kept totals are the months of what has settled, and add up with what follows', () => {
  const tally = beginTotals({ zones: [UTC], askedAt: FROM, clockTolerance: TOLERANCE });
  const one = (amount: number, status: Payment['status'], createdAt: Instant): Payment => ({
    ...{ reference: 'PAY', amount, country: 'CI', operator: null, orderId: null },
    ...{ status, createdAt },
  });
  countPayment(tally, one(5, 'SUCCESS', FROM - 30 * DAY), '0.5');
  countPayment(tally, one(7, 'SUCCESS', FROM - 30 * DAY), null);
  countPayment(tally, one(9, 'FAILED', FROM - 3 * DAY), '4');
  countPayment(tally, one(11, 'SUCCESS', FROM), '3');
  const kept = keepTotals(tally, FROM, 2);
  const success = { PENDING: [0, '0'], SUCCESS: [2, '12'], FAILED: [0, '0'] };
  const failed = { PENDING: [0, '0'], SUCCESS: [0, '0'], FAILED: [1, '9'] };
  expect(kept).toEqual({
    before: FROM,
    all: { ...success, FAILED: [1, '9'] },
    months: { UTC: { '2026-09': success, '2026-10': failed } },
    told: '0.5',
    untold: [1, '7'],
    unread: 2,
  });
  const other = beginTotals({ zones: [UTC, DOUALA], askedAt: FROM, clockTolerance: TOLERANCE });
  addTotals(other, kept);
  expect(other.periods.map(({ size }) => size)).toEqual([2, 0]);
  addTotals(tally, kept);
  const twice = keepTotals(tally, FROM, 0);
  expect([twice.told, twice.untold, twice.all.SUCCESS]).toEqual(['1', [2, '14'], [4, '24']]);
  expect(twice.months.UTC!['2026-09']!.SUCCESS).toEqual([4, '24']);
});
