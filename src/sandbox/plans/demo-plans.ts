// The merchants of the demonstration: a dozen made-up businesses in all nine countries and three currencies, each under
// its own lawful policy, five of them with a fault in three months of history, one with a fault that was put right, three more
// with one in the day after.

import { DAY, HOUR, type Instant } from '../../core/domain/instant.ts';
import { CREDIT_TAKEN_BACK } from '../faults/named/credits.ts';
import { alterLine, atLine } from '../faults/port/edit-books.ts';
import { defineFault } from '../faults/port/planting.ts';
import { faultNamed } from '../faults/register.ts';
import { type MerchantPlan, ORDINARY_TRAFFIC, planMerchant } from '../model/plan.ts';
import { policyNamed } from '../model/policy.ts';
import type { ServedLimits, ServedPricing } from '../model/served.ts';

export const DEMO_SEED = 'pointage';

/** The demonstration opens here, with three months of history, and lives on for a day: into the next month. */
export const DEMO_START: Instant = Date.UTC(2026, 9, 31, 12);

const OPENING: Instant = Date.UTC(2026, 7, 1);
const FREE: ServedPricing = { cashinFeeBps: 0, cashinFeeFlat: 0, cashoutFeeBps: 0, cashoutFeeFlat: 0 };
const GUINEAN_LIMITS: ServedLimits = {
  minCashinAmount: 2_000,
  maxCashinAmount: 25_000_000,
  minCashoutAmount: 5_000,
  maxCashoutAmount: 15_000_000,
  dailyCashoutLimit: 0,
};

/** Of those that a first quiet night reads again: the oldest. */
const OLD_LINE = 40;
const EDITED_LONG_AFTER = defineFault('ENTRY_REWRITTEN', {
  says: 'the description of a line is changed three months after it was posted',
  change: (books) => atLine(alterLine(books, OLD_LINE, { description: 'Libellé corrigé après coup' }), OLD_LINE),
});

const SOON = DEMO_START + HOUR;

/** By reference: sound ones first, then those with a fault in their history, then the others. */
const PLANS: Readonly<Record<string, Partial<MerchantPlan>>> = {
  // Sound.
  LIBRAIRIE_KORAFICTIVE: {
    policy: policyNamed('DEBIT_AND_FEE.NET.GROSS_AND_FEE.LINES.GROSS.HALF_UP'),
    name: 'Librairie Kora-Fictive',
    legalName: 'Dupont & Fils <SARL>',
    country: 'SN',
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 6, sequenceGapRate: 0.004 },
  },
  TRANSPORT_IMAGINAIRE: {
    policy: policyNamed('RELEASE_LAST.NET.GROSS_AND_FEE.NET.NET.CEILING'),
    name: 'Transport Imaginaire du Golfe',
    country: 'TG',
    pricing: { cashinFeeBps: 150, cashinFeeFlat: 25, cashoutFeeBps: 125, cashoutFeeFlat: 0 },
    priceChange: {
      at: Date.UTC(2026, 8, 15),
      pricing: { cashinFeeBps: 165, cashinFeeFlat: 25, cashoutFeeBps: 125, cashoutFeeFlat: 0 },
    },
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 5 },
  },
  ONG_PUITS_INVENTES: {
    policy: policyNamed('DEBIT_ALL.NET.NET.PRINCIPAL.GROSS_LESS_REVERSALS.FLOOR'),
    name: 'Les Puits Inventés',
    legalName: 'ONG « Les Puits Inventés »',
    country: 'NE',
    pricing: FREE,
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 4, cashoutShare: 0.4 },
  },
  // With a fault in their history.
  MARCHE_LAGUNE_FICTIF: {
    policy: policyNamed('RELEASE_FIRST.NET.GROSS_AND_FEE.LINES.GROSS.FLOOR'),
    name: 'Marché de la Lagune Fictive',
    country: 'CI',
    allowedCountries: ['CI', 'BF', 'ML', 'SN'],
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 13 },
    faults: [faultNamed('BALANCE_DRIFT/persistent')],
  },
  ATELIER_KARITE_TEST: {
    policy: policyNamed('DEBIT_AND_FEE.NET.NET.NET.GROSS.HALF_UP'),
    name: 'Atelier Karité Test',
    country: 'BF',
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 7 },
    faults: [faultNamed('HOLD_NOT_RELEASED')],
  },
  PHARMACIE_SAHEL_DEMO: {
    policy: policyNamed('RELEASE_FIRST.AMOUNT.GROSS_AND_FEE.PRINCIPAL.NET.HALF_UP'),
    name: 'Pharmacie Sahel Démo',
    country: 'ML',
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 5 },
    faults: [faultNamed('CREDIT_DUPLICATED')],
  },
  ECOLE_FICTIVE_DU_LAC: {
    policy: policyNamed('DEBIT_ALL.NET.GROSS_AND_FEE.LINES.GROSS.CEILING'),
    name: 'École Fictive du Lac',
    country: 'BJ',
    limits: {
      minCashinAmount: 500,
      maxCashinAmount: 1_000_000,
      minCashoutAmount: 1_000,
      maxCashoutAmount: 500_000,
      dailyCashoutLimit: 150_000,
    },
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 5 },
    faults: [faultNamed('FEE_AMOUNT_MISMATCH')],
  },
  MINES_DE_PAPIER: {
    policy: policyNamed('RELEASE_LAST.AMOUNT.NET.LINES.GROSS.HALF_UP'),
    name: 'Mines de Papier',
    legalName: 'Mines de Papier SA (fictive)',
    country: 'GN',
    pricing: { cashinFeeBps: 180, cashinFeeFlat: 500, cashoutFeeBps: 110, cashoutFeeFlat: 1_000 },
    limits: GUINEAN_LIMITS,
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 6, typicalAmount: 180_000 },
    faults: [faultNamed('LINES_MISSING/run')],
  },
  // Its fault was put right: the books are clean, and say by which line.
  GARAGE_MODELE_DEMO: {
    policy: policyNamed('FEE_OUTSIDE.AMOUNT.GROSS_AND_FEE.LINES.NET_LESS_REVERSALS.HALF_EVEN'),
    name: 'Garage Modèle (démo)',
    country: 'CM',
    pricing: { cashinFeeBps: 200, cashinFeeFlat: 0, cashoutFeeBps: 150, cashoutFeeFlat: 100 },
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 4 },
    faults: [CREDIT_TAKEN_BACK],
  },
  // Sound until the demonstration opens.
  TELEBOUTIQUE_EXEMPLE: {
    policy: policyNamed('FEE_OUTSIDE.AMOUNT.NET.PRINCIPAL.GROSS.CEILING'),
    name: 'Téléboutique Exemple',
    country: 'CI',
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 14, cancellationRate: 0.06 },
    slips: [{ kind: 'CREDIT_MISSING', from: SOON }],
  },
  RESTAURANT_NULLEPART: {
    policy: policyNamed('RELEASE_FIRST.NET.GROSS_AND_FEE.NET.GROSS.HALF_EVEN'),
    name: 'Restaurant de Nulle Part',
    country: 'CM',
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 12 },
    slips: [{ kind: 'DEBIT_DUPLICATED', from: SOON }],
  },
  COOPERATIVE_ESSAI: {
    policy: policyNamed('DEBIT_AND_FEE.NET.GROSS_AND_FEE.LINES.GROSS.HALF_EVEN'),
    name: "Coopérative d'Essai",
    country: 'SN',
    allowedCountries: ['SN', 'CI'],
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 15 },
    slips: [{ kind: 'CREDIT_DUPLICATED', from: SOON + 2 * HOUR }],
    laterFaults: [{ fault: EDITED_LONG_AFTER, at: DEMO_START + DAY / 2 }],
  },
};

/** The same plans every time. */
export function demoPlans(): readonly MerchantPlan[] {
  return Object.entries(PLANS).map(([reference, parts]) => planMerchant({ ...parts, reference, opensAt: OPENING }));
}
