// A merchant's payments by link and payouts over some weeks, kept by one lawful policy, and what a
// dashboard says of them each night while both go on. Shares nothing with the checks but the words
// of the domain.

import { DAY, HOUR, type Instant, MINUTE } from '../../src/core/domain/instant.ts';
import type { Payment, PaymentStatus } from '../../src/core/domain/payment.ts';
import type {
  PaymentStatistics,
  Payout,
  PayoutLimits,
} from '../../src/core/domain/published/payout.ts';
import type {
  Kept,
  KeptPayouts,
  PayoutFigures,
  PayoutsRead,
} from '../../src/core/domain/published/payout-place.ts';

export interface PayoutPolicy {
  /** Hours by which local midnights come before those of UTC. */
  readonly hoursAhead: 0 | 1;
  readonly usedCountsPending: boolean;
  readonly usedCountsFees: boolean;
  readonly usedBy: 'createdAt' | 'completedAt';
  readonly balanceIsNet: boolean;
  readonly balanceTakesPending: boolean;
  readonly balanceTakesFees: boolean;
  readonly countersOf: 'all' | 'month';
  readonly mode: 'MANUAL' | 'T0' | 'T1';
  readonly ceiling: number;
}

export const ORDINARY: PayoutPolicy = {
  hoursAhead: 0,
  usedCountsPending: true,
  usedCountsFees: false,
  usedBy: 'createdAt',
  balanceIsNet: true,
  balanceTakesPending: true,
  balanceTakesFees: false,
  countersOf: 'all',
  mode: 'MANUAL',
  ceiling: 200_000,
};

export function everyPolicy(): readonly PayoutPolicy[] {
  const choices: { readonly [Name in keyof PayoutPolicy]: readonly PayoutPolicy[Name][] } = {
    hoursAhead: [0, 1],
    usedCountsPending: [true, false],
    usedCountsFees: [true, false],
    usedBy: ['createdAt', 'completedAt'],
    balanceIsNet: [true, false],
    balanceTakesPending: [true, false],
    balanceTakesFees: [true, false],
    countersOf: ['all', 'month'],
    mode: ['MANUAL', 'T0', 'T1'],
    ceiling: [200_000, 2_000_000],
  };
  return Object.entries(choices).reduce<readonly object[]>(
    (some, [name, values]) =>
      some.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  ) as readonly PayoutPolicy[];
}

interface Link {
  readonly reference: string;
  readonly amount: number;
  readonly fees: number;
  readonly createdAt: Instant;
  readonly endedAt: Instant;
  readonly status: 'SUCCESS' | 'FAILED';
}

interface Request {
  readonly payout: Payout;
  readonly endsAt: Instant;
}

export interface World {
  readonly policy: PayoutPolicy;
  readonly links: readonly Link[];
  readonly requests: readonly Request[];
  readonly settledAt: readonly Instant[];
}

/** Time of day of automatic payouts, in UTC. */
const SETTLES_AT = 6 * HOUR;
export const OPENED: Instant = Date.UTC(2026, 8, 10);

export function makeWorld(policy: PayoutPolicy, seed: number, days: number): World {
  const random = randomFrom(seed);
  const links = Array.from({ length: days * 4 }, (_, i): Link => {
    const createdAt = OPENED + Math.floor(random() * days * DAY);
    const amount = 500 + Math.floor(random() * 4_000);
    const isPaid = random() < 0.7;
    return {
      reference: `PAY${String(i).padStart(6, '0')}`,
      amount,
      fees: Math.round(amount * 1.5) / 100,
      createdAt,
      endedAt: createdAt + (isPaid ? Math.floor(random() * 20 * HOUR) : 24 * HOUR),
      status: isPaid ? 'SUCCESS' : 'FAILED',
    };
  }).sort((a, b) => a.createdAt - b.createdAt);
  const world = { policy, links, requests: [] as Request[], settledAt: [] as Instant[] };
  for (let day = 1; day < days; day += 1) requestOn(world, OPENED + day * DAY, random);
  return world;
}

/**
 * Requests a payout each Monday at 09:00, or as the settings have it: of all there is, if the
 * ceiling has room for that.
 */
function requestOn(
  world: World & { requests: Request[]; settledAt: Instant[] },
  day: Instant,
  random: () => number,
): void {
  const { policy } = world;
  const nth = Math.round((day - OPENED) / DAY);
  const isDue = policy.mode === 'MANUAL' ? nth % 7 === 4 : policy.mode === 'T0' || nth % 2 === 0;
  if (!isDue) return;
  const at =
    day + (policy.mode === 'MANUAL' ? 9 * HOUR : SETTLES_AT) + Math.floor(random() * 3 * MINUTE);
  const pending = listAt(world, at).filter(({ status }) => status === 'PENDING');
  const onItsWay = policy.balanceTakesPending
    ? 0
    : pending.reduce((sum, { amount }) => sum + amount + 50, 0);
  const balance = Math.floor(balanceAt(world, at) - onItsWay);
  const amount =
    Math.min(balance, policy.mode === 'MANUAL' ? Math.floor(balance * 0.8) : balance) - 100;
  // Whatever the service states as used, it keeps its ceiling, because payouts on their way may
  // succeed too.
  const { remaining } = limitsAt({ ...world, policy: { ...policy, usedCountsPending: true } }, at);
  if (amount <= 0 || amount + 50 > remaining) return;
  const isFailed = policy.mode === 'MANUAL' && random() < 0.25;
  const endsAt = at + Math.floor((1 + random() * 30) * HOUR);
  const payout: Payout = {
    id: `d-${world.requests.length + 1}`,
    reference: null,
    amount,
    fees: '50',
    status: isFailed ? 'FAILED' : 'SUCCESS',
    mode: policy.mode,
    payoutAccountId: 'a-1',
    accountType: 'MOBILE_MONEY',
    createdAt: at,
    completedAt: endsAt,
    failureReason: null,
  };
  world.requests.push({ payout, endsAt });
  if (policy.mode !== 'MANUAL') world.settledAt.push(at);
}

function listAt({ requests }: World, at: Instant): readonly Payout[] {
  return requests
    .filter(({ payout }) => payout.createdAt <= at)
    .map(({ payout, endsAt }) =>
      endsAt <= at ? payout : { ...payout, status: 'PENDING', completedAt: null },
    );
}

function linkAt(link: Link, at: Instant): PaymentStatus {
  return link.endedAt <= at ? link.status : 'PENDING';
}

function balanceAt(world: World, at: Instant): number {
  const { balanceIsNet, balanceTakesPending, balanceTakesFees } = world.policy;
  const hundredths = (value: number): number => Math.round(value * 100);
  const collected = world.links
    .filter((link) => link.createdAt <= at && linkAt(link, at) === 'SUCCESS')
    .reduce(
      (sum, { amount, fees }) => sum + hundredths(amount) - (balanceIsNet ? hundredths(fees) : 0),
      0,
    );
  const paidOut = listAt(world, at)
    .filter(({ status }) => status === 'SUCCESS' || (balanceTakesPending && status === 'PENDING'))
    .reduce(
      (sum, { amount, fees }) =>
        sum + hundredths(amount) + (balanceTakesFees ? hundredths(Number(fees)) : 0),
      0,
    );
  return (collected - paidOut) / 100;
}

function localMonth({ policy }: World, at: Instant): string {
  return new Date(at + policy.hoursAhead * HOUR).toISOString().slice(0, 7);
}

function limitsAt(world: World, at: Instant): PayoutLimits {
  const { policy } = world;
  const used = listAt(world, at).reduce((sum, payout) => {
    const { status, amount, fees, createdAt, completedAt } = payout;
    const counts = status === 'SUCCESS' || (status === 'PENDING' && policy.usedCountsPending);
    const dated = policy.usedBy === 'createdAt' ? createdAt : (completedAt ?? at);
    if (!counts || localMonth(world, dated) !== localMonth(world, at)) return sum;
    return sum + amount + (policy.usedCountsFees ? Number(fees) : 0);
  }, 0);
  const compliance = policy.ceiling === 2_000_000 ? 'APPROVED' : null;
  return { ceiling: policy.ceiling, used, remaining: policy.ceiling - used, compliance };
}

function figuresAt(world: World, at: Instant): PayoutFigures {
  const listed = listAt(world, at).filter(
    ({ createdAt }) =>
      world.policy.countersOf === 'all' || localMonth(world, createdAt) === localMonth(world, at),
  );
  const of = (wanted: Payout['status']): number =>
    listed.filter(({ status }) => status === wanted).length;
  return {
    limits: limitsAt(world, at),
    counters: { succeeded: of('SUCCESS'), pending: of('PENDING'), failed: of('FAILED') },
    balance: { balance: String(balanceAt(world, at)) },
  };
}

function statisticsAt(world: World, at: Instant): PaymentStatistics {
  const made = world.links.filter(({ createdAt }) => createdAt <= at);
  const count = (some: readonly Link[]) => {
    const of = (wanted: PaymentStatus): number =>
      some.filter((link) => linkAt(link, at) === wanted).length;
    return {
      total: some.length,
      succeeded: of('SUCCESS'),
      pending: of('PENDING'),
      failed: of('FAILED'),
    };
  };
  const paid = (some: readonly Link[]): readonly Link[] =>
    some.filter((link) => linkAt(link, at) === 'SUCCESS');
  const amountOf = (some: readonly Link[]): number =>
    some.reduce((sum, { amount }) => sum + amount, 0);
  const dayOf = ({ createdAt }: Link): string =>
    new Date(createdAt + world.policy.hoursAhead * HOUR).toISOString().slice(0, 10);
  const months = Map.groupBy(made, (link) => dayOf(link).slice(0, 7));
  const days = Map.groupBy(paid(made), dayOf);
  return {
    counts: count(made),
    months: [...months].map(([month, some]) => ({
      month,
      ...count(some),
      amount: amountOf(paid(some)),
    })),
    days: [...days].map(([date, some]) => ({ date, count: some.length, amount: amountOf(some) })),
  };
}

export interface Look {
  readonly read: PayoutsRead;
  readonly payments: readonly Payment[];
  readonly feesOf: (reference: string) => string | null;
}

/**
 * Looks at the dashboard: the figures at `at`, payments two minutes later, the lists after these,
 * and the figures again.
 */
export function lookAt(world: World, at: Instant): Look {
  const [paymentsAt, listedAt, endsAt] = [at + 2 * MINUTE, at + 3 * MINUTE, at + 4 * MINUTE];
  const payouts = listAt(world, listedAt);
  const newest = payouts.reduce(
    (most, { createdAt, completedAt }) => Math.max(most, createdAt, completedAt ?? 0),
    at,
  );
  const lastSettlementAt = world.settledAt.findLast((settled) => settled <= listedAt) ?? null;
  const { mode } = world.policy;
  const fees = new Map(world.links.map((link) => [link.reference, String(link.fees)]));
  return {
    read: {
      from: at,
      until: newest,
      before: figuresAt(world, at),
      after: figuresAt(world, endsAt),
      payouts,
      accounts: null,
      settlement: {
        mode,
        time: mode === 'MANUAL' ? null : '06:00',
        timezone: 'UTC',
        lastSettlementAt,
        hasPrimaryAccount: true,
        primaryAccountType: 'MOBILE_MONEY',
        mobileMoneyRate: null,
        bankFixed: '100',
      },
      statistics: statisticsAt(world, at),
    },
    payments: world.links
      .filter(({ createdAt }) => createdAt <= paymentsAt)
      .map((link) => ({ ...PAYMENT, ...link, status: linkAt(link, paymentsAt) })),
    feesOf: (reference) => fees.get(reference) ?? null,
  };
}

const PAYMENT = { country: 'CI', operator: 'wave', orderId: null } as const;

/** Returns what is kept of a look: what it saw otherwise than the look before. */
export function keepLook(
  kept: KeptPayouts,
  { until, after, before, settlement, payouts }: PayoutsRead,
): KeptPayouts {
  const add = <Value>(rows: readonly Kept<Value>[], value: Value | null): readonly Kept<Value>[] =>
    value === null || JSON.stringify(rows.at(-1)?.value) === JSON.stringify(value)
      ? rows
      : [...rows, { at: until, value }];
  const versions = new Map(kept.payouts);
  for (const payout of payouts ?? [])
    versions.set(payout.id, add(versions.get(payout.id) ?? [], payout));
  return {
    limits: add(kept.limits, after.limits),
    counters: add(kept.counters, after.counters),
    balance: add(kept.balance, before.balance),
    settlement: add(kept.settlement, settlement),
    payouts: versions,
    totals: kept.totals,
  };
}

function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
