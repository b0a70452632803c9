// The merchants of a rehearsal: sound ones, and one for each fault that is to be planted, all
// opened at the same instant, so that the rehearsal reads everything and is notified of it.

import type { Country } from '../../src/core/domain/amount.ts';
import type { Instant } from '../../src/core/domain/instant.ts';
import { isLoss } from '../../src/sandbox/faults/losses.ts';
import { NOTIFICATION_FAULTS } from '../../src/sandbox/faults/named/notifications.ts';
import { REPORT_FAULTS } from '../../src/sandbox/faults/named/published.ts';
import type { AnyFault, Showing } from '../../src/sandbox/faults/port/planting.ts';
import { TAMPERINGS } from '../../src/sandbox/faults/register.ts';
import {
  type Books,
  type Expected,
  type MerchantPlan,
  ORDINARY_DASHBOARD,
  ORDINARY_TRAFFIC,
  planMerchant,
  type Traffic,
} from '../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES } from '../../src/sandbox/model/policy.ts';
import { drawFrom, seedRandom } from '../../src/sandbox/model/random.ts';
import { advance, dashboardOf, openSimulation } from '../../src/sandbox/simulation/simulate.ts';
import { simulateBooks } from '../../test/support/simulate-books.ts';

/**
 * When a fault is planted. IN_HISTORY: before any night. AFTER_A_NIGHT: between the first night and
 * the load, because it needs rows that a night has read, or a notification to come.
 * IN_WHAT_HAPPENED: after the load, in what was notified of it.
 */
export type PlantingTime = 'IN_HISTORY' | 'AFTER_A_NIGHT' | 'IN_WHAT_HAPPENED';

export interface RehearsalPlan extends MerchantPlan {
  /** The fault that is planted in the merchant's books; `null`: they stay sound. */
  readonly planted: { readonly fault: AnyFault; readonly when: PlantingTime } | null;
}

export interface RehearsalWish {
  readonly seed: string;
  readonly opensAt: Instant;
  /** When the rehearsal begins. All before is history. */
  readonly start: Instant;
  readonly sound: number;
  readonly faults: readonly AnyFault[];
  /** Operations of a merchant in a day, beside those that its partner asks for. */
  readonly operationsPerDay: number;
}

/** Countries of one currency each, so that what a partner may ask for is the same everywhere. */
const COUNTRIES: readonly Country[] = ['CI', 'SN', 'BF', 'ML', 'BJ', 'NE'];
/** The countries of `COUNTRIES` that have payments by link. */
const LINKED: readonly Country[] = ['CI', 'BF', 'ML'];
/**
 * Traffic of a merchant with a fault in the dashboard: operations and payments in a day. The fault
 * needs payments, which take the place of operations.
 */
const OF_DASHBOARD = { operationsPerDay: 2, paymentsPerDay: 12 };
/** Traffic that these faults need, and that is rare otherwise. */
const NEEDED: Readonly<Record<string, Partial<Traffic>>> = {
  'EVENT_MISSING/adjustment': { adjustmentsPerMonth: 90 },
  'EVENT_MISSING/reversal': { reversalRate: 0.3 },
  'OPERATION_OVERDUE/vanished': { operationsPerDay: 30, expiryRate: 0.6 },
  'ENTRY_REWRITTEN/carried': { adjustmentsPerMonth: 90 },
  ENTRY_DELETED: { adjustmentsPerMonth: 90 },
};
/**
 * Traffic of a merchant whose payments are paid out: so little that the ceiling has room for all of
 * it.
 */
const OF_SETTLEMENT = { operationsPerDay: 2, paymentsPerDay: 5 };
/**
 * Payments are paid out every day, an hour after the time of day at which the rehearsal begins, so
 * that there is something to pay out by then.
 */
const SETTLED: MerchantPlan['dashboard'] = {
  ...ORDINARY_DASHBOARD,
  settlement: { mode: 'T0', time: '07:00', timezone: 'UTC' },
};

/**
 * So many of the newest lines and operations are read again by the next night, unless partners call
 * very often.
 */
const READ_AGAIN = { lines: 90, operations: 30 };

/** Policies drawn for a merchant until one makes books in which its fault has a place. */
const MOST_DRAWN = 20;

/**
 * Returns the plans: `SAIN_001` and so on, then `FAUTE_001` and so on, each under a lawful policy
 * drawn for it.
 */
export function rehearsalPlans(wish: RehearsalWish): readonly RehearsalPlan[] {
  const { seed, opensAt, start, sound, faults, operationsPerDay } = wish;
  const paymentsPerDay = Math.min(ORDINARY_TRAFFIC.paymentsPerDay, Math.ceil(operationsPerDay / 2));
  const ofBooks = { operationsPerDay, paymentsPerDay };
  const planOf = (
    reference: string,
    planted: RehearsalPlan['planted'],
    attempt = 0,
  ): RehearsalPlan => {
    const random = seedRandom(`${seed}/${reference}/rehearsal ${attempt}`);
    const shows = planted === null || 'plant' in planted.fault ? null : planted.fault.shows;
    const traffic =
      shows === null ? ofBooks : shows === 'BETWEEN_LOOKS' ? OF_SETTLEMENT : OF_DASHBOARD;
    const plan = planMerchant({
      reference,
      country: drawFrom(random, shows === null ? COUNTRIES : LINKED),
      dashboard: shows === 'BETWEEN_LOOKS' ? SETTLED : ORDINARY_DASHBOARD,
      policy: drawFrom(random, LAWFUL_POLICIES),
      opensAt,
      traffic: {
        ...ORDINARY_TRAFFIC,
        ...traffic,
        paymentsPerDay: traffic.paymentsPerDay + attempt,
        reversalRate: 0.06,
        failureRate: 0.12,
        expiryRate: 0.1,
        ...NEEDED[planted?.fault.name ?? ''],
      },
    });
    const offersNone =
      planted !== null && !offersPlace(plan, planted.fault, { seed, until: start });
    return offersNone && attempt < MOST_DRAWN
      ? planOf(reference, planted, attempt + 1)
      : { ...plan, planted };
  };
  const named = (name: string, i: number): string => `${name}_${String(i + 1).padStart(3, '0')}`;
  return [
    ...Array.from({ length: sound }, (_, i) => planOf(named('SAIN', i), null)),
    ...faults.map((fault, i) => planOf(named('FAUTE', i), { fault, when: plantingTimeOf(fault) })),
  ];
}

function plantingTimeOf(fault: AnyFault): PlantingTime {
  if (isLoss(fault.name)) return 'AFTER_A_NIGHT';
  if (!('plant' in fault)) return LATER.has(fault.shows) ? 'AFTER_A_NIGHT' : 'IN_HISTORY';
  if (TAMPERINGS.includes(fault)) return 'AFTER_A_NIGHT';
  return [...NOTIFICATION_FAULTS, ...REPORT_FAULTS].includes(fault)
    ? 'IN_WHAT_HAPPENED'
    : 'IN_HISTORY';
}

const LATER: ReadonlySet<Showing> = new Set(['AFTER_A_LOOK', 'WHEN_NOTIFIED']);

function offersPlace(
  plan: MerchantPlan,
  fault: AnyFault,
  history: { readonly seed: string; readonly until: Instant },
): boolean {
  if (!('plant' in fault)) {
    const simulation = openSimulation(plan, history.seed);
    advance(simulation, history.until);
    const random = seedRandom(`${history.seed}/${fault.name}`);
    return fault.plantIn === undefined || fault.plantIn(dashboardOf(simulation), random) !== null;
  }
  const books = simulateBooks(plan, history);
  return [0, 1, 2].some((attempt) => {
    const planted = fault.plant(books, seedRandom(`${history.seed}/${fault.name}/${attempt}`));
    return (
      planted !== null && (!TAMPERINGS.includes(fault) || isReadAgain(books, planted.expected))
    );
  });
}

function isReadAgain(
  { entries, operations }: Books,
  { sequence, operationReference }: Expected,
): boolean {
  if (sequence !== null)
    return entries.slice(-READ_AGAIN.lines).some((line) => line.sequence === sequence);
  return operations
    .slice(-READ_AGAIN.operations)
    .some(({ reference }) => reference === operationReference);
}
