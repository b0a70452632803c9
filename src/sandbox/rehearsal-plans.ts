// The merchants of a rehearsal: sound ones, and one for each fault that is to be planted, all opened at the same instant, so
// that whatever happens to them is read and notified while somebody listens.

import type { Country } from '../domain/currency.ts';
import type { Instant } from '../domain/instant.ts';
import type { Fault } from './faults/fault.ts';
import { NOTIFICATION_FAULTS } from './faults/named/notifications.ts';
import { REPORT_FAULTS } from './faults/named/reports.ts';
import { type MerchantPlan, ORDINARY_TRAFFIC, planMerchant } from './plan.ts';
import { LAWFUL_POLICIES } from './policy.ts';
import { drawFrom, seedRandom } from './random.ts';
import { isLoss } from './service/losses.ts';
import { simulateBooks } from './simulation/simulate.ts';

/**
 * When a fault is planted: in the history that nobody has read yet; before what it makes the service lose; in what was notified
 * while somebody listened.
 */
export type PlantingTime = 'IN_HISTORY' | 'BEFORE_IT_HAPPENS' | 'IN_WHAT_HAPPENED';

export interface RehearsalPlan extends MerchantPlan {
  /** In its books; null: they stay sound. */
  readonly planted: { readonly fault: Fault; readonly when: PlantingTime } | null;
}

export interface RehearsalWish {
  readonly seed: string;
  readonly opensAt: Instant;
  /** Until then, history. */
  readonly start: Instant;
  readonly sound: number;
  readonly faults: readonly Fault[];
}

/** Countries of one currency each, so that what a partner may ask for is the same everywhere. */
const COUNTRIES: readonly Country[] = ['CI', 'SN', 'BF', 'ML', 'BJ', 'NE'];

/** Policies drawn for a merchant until one makes books in which its fault has a place. */
const MOST_DRAWN = 20;

/** `SAIN_001` and so on, then `FAUTE_001` and so on, each under a lawful policy drawn for it. */
export function rehearsalPlans({ seed, opensAt, start, sound, faults }: RehearsalWish): readonly RehearsalPlan[] {
  const planOf = (reference: string, planted: RehearsalPlan['planted'], attempt = 0): RehearsalPlan => {
    const random = seedRandom(`${seed}/${reference}/rehearsal ${attempt}`);
    const plan = planMerchant({
      reference,
      country: drawFrom(random, COUNTRIES),
      policy: drawFrom(random, LAWFUL_POLICIES),
      opensAt,
      traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 14, reversalRate: 0.06, failureRate: 0.12, expiryRate: 0.1 },
    });
    const offersNone = planted !== null && !offersPlace(plan, planted.fault, { seed, until: start });
    return offersNone && attempt < MOST_DRAWN ? planOf(reference, planted, attempt + 1) : { ...plan, planted };
  };
  const named = (name: string, i: number): string => `${name}_${String(i + 1).padStart(3, '0')}`;
  return [
    ...Array.from({ length: sound }, (_, i) => planOf(named('SAIN', i), null)),
    ...faults.map((fault, i) => planOf(named('FAUTE', i), { fault, when: plantingTimeOf(fault) })),
  ];
}

function plantingTimeOf(fault: Fault): PlantingTime {
  if (isLoss(fault.name)) return 'BEFORE_IT_HAPPENS';
  return [...NOTIFICATION_FAULTS, ...REPORT_FAULTS].includes(fault) ? 'IN_WHAT_HAPPENED' : 'IN_HISTORY';
}

function offersPlace(
  plan: MerchantPlan,
  fault: Fault,
  history: { readonly seed: string; readonly until: Instant },
): boolean {
  const books = simulateBooks(plan, history);
  return [0, 1, 2].some(
    (attempt) => fault.plant(books, seedRandom(`${history.seed}/${fault.name}/${attempt}`)) !== null,
  );
}
