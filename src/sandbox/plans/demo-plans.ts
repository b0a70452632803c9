// The merchants of the demonstration: a dozen made-up businesses in all nine countries and three
// currencies, each under its own lawful policy. Five have a fault in three months of history, one
// has a fault that was put right, and three more get a fault in the day after.
// `demo-merchants.json` says how each differs from an ordinary merchant.

import { readFileSync } from 'node:fs';
import type { Instant } from '../../core/domain/instant.ts';
import { CREDIT_TAKEN_BACK } from '../faults/named/money.ts';
import { alterLine, atLine } from '../faults/port/edit-books.ts';
import { defineFault } from '../faults/port/planting.ts';
import { faultNamed } from '../faults/register.ts';
import {
  type MerchantPlan,
  ORDINARY_TRAFFIC,
  planMerchant,
  type SlipKind,
  type Traffic,
} from '../model/plan.ts';
import { policyNamed } from '../model/policy.ts';

export const DEMO_SEED = 'pointage';

/**
 * The instant at which the demonstration opens, with three months of history. It goes on for a day,
 * into the next month.
 */
export const DEMO_START: Instant = Date.UTC(2026, 9, 31, 12);

const OPENING: Instant = Date.UTC(2026, 7, 1);

/** Index of a line among the oldest ones, which a first quiet night reads again. */
const OLD_LINE = 40;
const EDITED_LONG_AFTER = defineFault('ENTRY_REWRITTEN', {
  says: 'the description of a line is changed three months after it was posted',
  change: (books) =>
    atLine(alterLine(books, OLD_LINE, { description: 'Libellé corrigé après coup' }), OLD_LINE),
});

/**
 * A merchant as the file has it: instants are text, policy and faults are names. Absent parts are
 * as usual.
 */
interface DemoMerchant
  extends Partial<
    Pick<MerchantPlan, 'name' | 'legalName' | 'country' | 'allowedCountries' | 'pricing' | 'limits'>
  > {
  readonly policy: string;
  readonly traffic: Partial<Traffic>;
  readonly priceChange?: Pick<MerchantPlan, 'pricing'> & { readonly at: string };
  /** Names of faults in its history. */
  readonly faults?: readonly string[];
  readonly slips?: readonly { readonly kind: SlipKind; readonly from: string }[];
  /** When a line that is three months old by then is changed. */
  readonly editedAt?: string;
}

/**
 * Merchants by reference: sound ones first, then those with a fault in their history, one whose
 * fault was put right, and those that are sound until the demonstration opens.
 */
const MERCHANTS = JSON.parse(
  readFileSync(new URL('demo-merchants.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, DemoMerchant>>;

/** Returns the plans, the same on every call. */
export function demoPlans(): readonly MerchantPlan[] {
  return Object.entries(MERCHANTS).map(([reference, merchant]) => {
    const { policy, traffic, priceChange, faults = [], slips = [], editedAt, ...parts } = merchant;
    return planMerchant({
      ...parts,
      reference,
      opensAt: OPENING,
      policy: policyNamed(policy),
      traffic: { ...ORDINARY_TRAFFIC, ...traffic },
      priceChange:
        priceChange === undefined ? null : { ...priceChange, at: Date.parse(priceChange.at) },
      faults: faults.map((name) =>
        name === CREDIT_TAKEN_BACK.name ? CREDIT_TAKEN_BACK : faultNamed(name),
      ),
      slips: slips.map(({ kind, from }) => ({ kind, from: Date.parse(from) })),
      laterFaults:
        editedAt === undefined ? [] : [{ fault: EDITED_LONG_AFTER, at: Date.parse(editedAt) }],
    });
  });
}
