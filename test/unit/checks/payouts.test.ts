// Payouts, night by night. One fault is one finding of its kind, and a lawful payout is none.

import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../../src/core/domain/instant.ts';
import type { Payout } from '../../../src/core/domain/published/payout.ts';
import { NOTHING_KEPT, type PayoutsRead } from '../../../src/core/domain/published/payout-place.ts';
import { reconcileSample } from '../../../src/core/samples/read-sample.ts';
import { DAYS, judge, nights } from '../../support/payout-nights.ts';
import {
  keepLook,
  type Look,
  lookAt,
  makeWorld,
  OPENED,
  ORDINARY,
  type PayoutPolicy,
} from '../../support/payout-world.ts';

test('what a night judges is nearly always all of it', () => {
  const all = nights(ORDINARY, 7);
  const kinds = Map.groupBy(
    all.flatMap(({ sought }) => sought),
    ({ kind }) => kind,
  );
  expect(kinds.get('LINK_BALANCE_MISMATCH')!.length).toBeGreaterThan(DAYS - 12);
  expect(kinds.get('SETTLEMENT_MISSED')!.length).toBe(DAYS - 2);
  expect(kinds.get('PAYOUT_UNRECORDED')!.length).toBeGreaterThan(DAYS - 12);
});

const NIGHT = 40;

describe('one fault is one finding', () => {
  const from =
    (night: number, change: (read: PayoutsRead) => Partial<PayoutsRead>) =>
    (look: Look, now: number) =>
      now < night ? look : { ...look, read: { ...look.read, ...change(look.read) } };
  const both = (
    read: PayoutsRead,
    change: (figures: PayoutsRead['before']) => Partial<PayoutsRead['before']>,
  ) => ({
    before: { ...read.before, ...change(read.before) },
    after: { ...read.after, ...change(read.after) },
  });
  const limits = (change: (limits: NonNullable<PayoutsRead['before']['limits']>) => object) =>
    from(NIGHT, (read) =>
      both(read, (figures) => ({ limits: { ...figures.limits!, ...change(figures.limits!) } })),
    );
  const counters = (change: (counters: NonNullable<PayoutsRead['before']['counters']>) => object) =>
    from(NIGHT, (read) =>
      both(read, (figures) => ({
        counters: { ...figures.counters!, ...change(figures.counters!) },
      })),
    );
  const payout = (change: (payout: Payout) => Partial<Payout>) =>
    from(NIGHT, ({ payouts }) => ({
      payouts: payouts!.map((one, i) => (i === 0 ? { ...one, ...change(one) } : one)),
    }));

  const faults: readonly (readonly [
    string,
    string,
    Parameters<typeof nights>[2],
    Partial<PayoutPolicy>?,
  ])[] = [
    [
      'what remains is not what is left',
      'PAYOUT_LIMITS_INCONSISTENT',
      limits(({ remaining }) => ({ remaining: remaining + 7 })),
    ],
    [
      'more is used than the list comes to',
      'PAYOUT_LIMITS_INCONSISTENT',
      limits(({ used, remaining }) => ({ used: used + 7, remaining: remaining - 7 })),
    ],
    [
      'the ceiling is another',
      'PAYOUT_CEILING_UNEXPECTED',
      limits(({ remaining }) => ({ ceiling: 300_000, remaining: remaining + 100_000 })),
    ],
    [
      'the higher ceiling without a file',
      'PAYOUT_CEILING_UNEXPECTED',
      limits(({ remaining }) => ({ ceiling: 2_000_000, remaining: remaining + 1_800_000 })),
    ],
    [
      'a success counted as a failure',
      'PAYOUT_COUNTERS_MISMATCH',
      counters(({ succeeded, failed }) => ({ succeeded: succeeded - 1, failed: failed + 1 })),
    ],
    [
      'a request that is not listed',
      'PAYOUT_UNRECORDED',
      counters(({ succeeded }) => ({ succeeded: succeeded + 1 })),
    ],
    [
      'another date than it was requested on',
      'PAYOUT_OUTCOME_CHANGED',
      payout(() => ({ createdAt: OPENED })),
    ],
    [
      'the balance is off by one',
      'LINK_BALANCE_MISMATCH',
      from(NIGHT, (read) =>
        both(read, ({ balance }) => ({
          balance: { balance: String(Math.round(Number(balance!.balance) * 100 + 100) / 100) },
        })),
      ),
    ],
    [
      'a payment more in all',
      'PAYMENT_COUNT_MISMATCH',
      from(NIGHT, ({ statistics }) => ({
        statistics: {
          ...statistics!,
          counts: { ...statistics!.counts!, total: statistics!.counts!.total + 40 },
        },
      })),
    ],
    [
      'a day of another amount',
      'PAYMENT_COUNT_MISMATCH',
      from(NIGHT, ({ statistics }) => ({
        statistics: {
          ...statistics!,
          days: statistics!.days!.map((day, i) =>
            i === 3 ? { ...day, amount: day.amount + 1 } : day,
          ),
        },
      })),
    ],
  ];

  for (const [what, kind, alter, change = {}] of faults)
    test(`${what}: ${kind}`, () => {
      const said = nights({ ...ORDINARY, ...change }, 11, alter);
      expect(said.slice(0, NIGHT - 1).flatMap(({ drafts }) => drafts)).toEqual([]);
      const first = said.slice(NIGHT - 1, NIGHT + 6).filter(({ drafts }) => drafts.length > 0);
      expect(first.length, 'it is found').toBeGreaterThan(3);
      for (const { drafts } of first)
        expect(new Set(drafts.map((draft) => draft.kind))).toEqual(new Set([kind]));
    });

  test('a payout that had succeeded has failed, the only finding where all follows it', () => {
    const [one] = nights(ORDINARY, 11).slice(NIGHT, NIGHT + 1);
    const { look, kept } = one!;
    const { read } = look;
    const ended = read.payouts!.find(({ status }) => status === 'SUCCESS')!;
    const payouts = read.payouts!.map((some) =>
      some === ended ? { ...some, status: 'FAILED' as const } : some,
    );
    const { drafts } = judge({ ...look, read: { ...read, payouts } }, kept);
    expect(drafts.map(({ kind }) => kind)).toContain('PAYOUT_OUTCOME_CHANGED');
    expect(drafts.find(({ kind }) => kind === 'PAYOUT_OUTCOME_CHANGED')).toMatchObject({
      inputPlace: `payout ${ended.id}`,
      figures: { name: 'status', before: 'SUCCESS', now: 'FAILED' },
    });
  });

  test.each(['T0', 'T1'] as const)(
    'an automatic payout that does not come any more: %s',
    (mode) => {
      const stopped = makeWorld({ ...ORDINARY, mode, ceiling: 2_000_000 }, 5, DAYS);
      const until = OPENED + NIGHT * DAY;
      const world = {
        ...stopped,
        requests: stopped.requests.filter(({ payout: { createdAt } }) => createdAt < until),
        settledAt: stopped.settledAt.filter((at) => at < until),
      };
      let kept = NOTHING_KEPT;
      const found: string[][] = [];
      for (let night = 1; night <= NIGHT + 10; night += 1) {
        const look = lookAt(world, OPENED + night * DAY + 2 * HOUR);
        found.push(judge(look, kept).drafts.map(({ kind }) => kind));
        kept = keepLook(kept, look.read);
      }
      expect(found.slice(0, NIGHT).flat()).toEqual([]);
      expect(found.slice(NIGHT + 5)).toEqual(
        Array.from({ length: 5 }, () => ['SETTLEMENT_MISSED']),
      );
    },
  );
});

describe('what is lawful, or not known, is no finding', () => {
  const last = (policy: PayoutPolicy = ORDINARY) => nights(policy, 3).at(-1)!;

  test('payouts that moved while they were read are judged next time', () => {
    const { look, kept } = last();
    const { read } = look;
    const after = {
      ...read.after,
      counters: { ...read.after.counters!, succeeded: read.after.counters!.succeeded + 1 },
    };
    const said = judge({ ...look, read: { ...read, after } }, kept);
    expect(said.drafts).toEqual([]);
    expect(said.notes.map(({ code }) => code)).toContain('PAYOUTS_MOVED');
  });

  test('a list of a round number of rows may be cut short', () => {
    const { look } = last();
    const payouts = Array.from({ length: 10 }, (_, i) => ({
      ...look.read.payouts![0]!,
      id: `x-${i}`,
    }));
    const said = judge({ ...look, read: { ...look.read, payouts } }, NOTHING_KEPT);
    const kinds = said.drafts.map(({ kind }) => kind);
    expect(kinds).not.toContain('PAYOUT_UNRECORDED');
  });

  test('unknown fees make bounds, with their number', () => {
    const { look, kept } = last();
    const said = judge({ ...look, feesOf: () => null }, kept);
    expect(said.drafts).toEqual([]);
    const note = said.notes.find(({ code }) => code === 'BALANCE_BOUNDED')!;
    expect(note.figures).toEqual({
      count: look.payments.filter(({ status }) => status === 'SUCCESS').length,
    });
    const balance = { balance: '99999999' };
    const { before, after } = look.read;
    const beyond = { ...look.read, before: { ...before, balance }, after: { ...after, balance } };
    expect(
      judge({ ...look, feesOf: () => null, read: beyond }, kept).drafts.map(({ kind }) => kind),
    ).toEqual(['LINK_BALANCE_MISMATCH']);
  });

  test('a payment that succeeds while the figures are read may be counted, or not yet', () => {
    const world = makeWorld(ORDINARY, 3, DAYS);
    const busy = world.links.filter(({ status }) => status === 'SUCCESS').slice(100, 160);
    expect(busy.length).toBe(60);
    for (const { endedAt } of busy) {
      expect(judge(lookAt(world, endedAt - MINUTE), NOTHING_KEPT).drafts).toEqual([]);
    }
  });

  test('without any list and figures nothing is judged', () => {
    const nothing = { limits: null, counters: null, balance: null };
    const read = {
      from: 0,
      until: 0,
      before: nothing,
      after: nothing,
      payouts: null,
      accounts: null,
      settlement: null,
      statistics: null,
    };
    expect(judge({ read, payments: [], feesOf: () => null }, NOTHING_KEPT).sought).toEqual([]);
  });
});

/** Where no list of payouts is served, figures can be compared only with earlier looks. */
describe('without a list, figures are compared from look to look', () => {
  const found = (...rows: readonly string[]) =>
    reconcileSample(rows.join('\n'))
      .findings.filter(({ kind }) => kind.startsWith('PAYOUT_'))
      .map(({ kind, figures }) => `${kind} ${(figures as { readonly of?: string }).of}`);

  test.each([
    [
      'what is used falls though no payout failed',
      [
        'limits 200000 50000 150000 seen=+2d',
        'counters 1 1 0 seen=+2d',
        'limits 200000 40000 160000',
        'counters 1 1 0',
      ],
      '+3d',
      ['PAYOUT_LIMITS_INCONSISTENT fell'],
    ],
    [
      'what is used falls when a payout failed',
      [
        'limits 200000 50000 150000 seen=+2d',
        'counters 1 1 0 seen=+2d',
        'limits 200000 40000 160000',
        'counters 1 0 1',
      ],
      '+3d',
      [],
    ],
    [
      'what is used does not begin anew with the month',
      [
        'limits 200000 50000 150000 seen=+2d',
        'counters 1 0 0 seen=+2d',
        'limits 200000 50000 150000',
        'counters 1 0 0',
      ],
      '+40d',
      ['PAYOUT_LIMITS_INCONSISTENT carried'],
    ],
    [
      'what is used begins anew with the month',
      [
        'limits 200000 50000 150000 seen=+2d',
        'counters 1 0 0 seen=+2d',
        'limits 200000 0 200000',
        'counters 1 0 0',
      ],
      '+40d',
      [],
    ],
    [
      'requests that have ended are fewer',
      ['counters 2 0 0 seen=+2d', 'counters 1 0 0'],
      '+3d',
      ['PAYOUT_COUNTERS_MISMATCH fell'],
    ],
    ['requests that wait are fewer', ['counters 1 1 0 seen=+2d', 'counters 2 0 0'], '+3d', []],
    [
      'more is used than the ceiling',
      ['limits 200000 250000 0'],
      '+3d',
      ['PAYOUT_LIMITS_INCONSISTENT over'],
    ],
    [
      'more is used than the ceiling, which was higher',
      [
        'limits 2000000 250000 1750000 compliance=APPROVED seen=+2d',
        'limits 200000 250000 0 compliance=REJECTED',
      ],
      '+3d',
      [],
    ],
  ] as const)('%s', (_, rows, at, expected) => {
    expect(found(...rows, `at ${at}`)).toEqual(expected);
  });
});

describe('an automatic payout is due', () => {
  const looked = (
    settings: string,
    rest = 'limits 200000 0 200000 seen=+2d\nbalance 9000 seen=+2d\nat +10d',
  ) =>
    reconcileSample(`settlement T0 06:00 ${settings} last=+1d seen=+2d\n${rest}`).findings.map(
      ({ kind }) => kind,
    );

  test.each([
    ['nothing excuses it', 'UTC', ['SETTLEMENT_MISSED']],
    ['the fixed fee leaves enough', 'UTC bankFixed=500', ['SETTLEMENT_MISSED']],
    ['the fixed fee leaves too little', 'UTC bankFixed=8500', []],
    ['there is no account to pay to', 'UTC primary=false', []],
  ])('unless: %s', (_, settings, kinds) => {
    expect(looked(settings)).toEqual(kinds);
  });

  test.each([
    ['ACTIVE', ['SETTLEMENT_MISSED']],
    ['SUSPENDED', []],
    ['CLOSED', []],
  ])('unless the account is not active: %s', (status, kinds) => {
    const rest = 'limits 200000 0 200000 seen=+2d\nbalance 9000 seen=+2d\nat +10d';
    expect(looked('UTC', `${rest}\nprofile status=${status}`)).toEqual(kinds);
  });

  test('unless the ceiling leaves no room', () => {
    expect(
      looked('UTC', 'limits 200000 195000 5000 seen=+2d\nbalance 9000 seen=+2d\nat +10d'),
    ).toEqual([]);
  });

  test('by the clocks of its zone', () => {
    // The payout is due at 06:00 of the third day, and has a day of grace: half past five by UTC is
    // half past six in Douala.
    const rest = 'limits 200000 0 200000 seen=+2d\nbalance 9000 seen=+2d\nat +4650m';
    expect(looked('UTC', rest)).toEqual([]);
    expect(looked('Africa/Douala', rest)).toEqual(['SETTLEMENT_MISSED']);
  });
});
