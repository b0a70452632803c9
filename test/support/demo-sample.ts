// Merchants of the demonstration whose documents are read by foreign programs, of which each takes
// seconds a merchant: sound and broken ones, of the three currencies and two zones, large and
// small. POINTAGE_MERCHANTS=all: all of them.

import type { MerchantPlan } from '../../src/sandbox/model/plan.ts';
import { demoPlans } from '../../src/sandbox/plans/demo-plans.ts';

const SAMPLE = [
  'LIBRAIRIE_KORAFICTIVE',
  'ONG_PUITS_INVENTES',
  'MARCHE_LAGUNE_FICTIF',
  'MINES_DE_PAPIER',
  'GARAGE_MODELE_DEMO',
];

/** `sample`: the references of others, where five are too many. */
export function demoSample(sample: readonly string[] = SAMPLE): readonly MerchantPlan[] {
  const all = demoPlans();
  return process.env.POINTAGE_MERCHANTS === 'all'
    ? all
    : all.filter(({ reference }) => sample.includes(reference));
}
