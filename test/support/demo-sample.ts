// The merchants of the demonstration whose documents foreign programs read. A program takes seconds
// for a merchant, so these are few: sound and broken ones, of the three currencies and two zones,
// large and small. POINTAGE_MERCHANTS=all takes all of them.

import type { MerchantPlan } from '../../src/sandbox/model/plan.ts';
import { demoPlans } from '../../src/sandbox/plans/demo-plans.ts';

const SAMPLE = [
  'LIBRAIRIE_KORAFICTIVE',
  'ONG_PUITS_INVENTES',
  'MARCHE_LAGUNE_FICTIF',
  'MINES_DE_PAPIER',
  'GARAGE_MODELE_DEMO',
];

/**
 * Returns the plans of the sample. `sample`: the references of other merchants, where five are too
 * many.
 */
export function demoSample(sample: readonly string[] = SAMPLE): readonly MerchantPlan[] {
  const all = demoPlans();
  return process.env.POINTAGE_MERCHANTS === 'all'
    ? all
    : all.filter(({ reference }) => sample.includes(reference));
}
