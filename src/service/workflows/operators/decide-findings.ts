// What people do with findings: list them, look at one, decide about it. A beginning of a fingerprint is enough where it
// names one finding only.

import type { Due } from '../../../core/domain/finding.ts';
import { decideFinding } from '../../../io/storage/conclusions/decide-finding.ts';
import type { FindingDecision, FindingState } from '../../../io/storage/conclusions/findings.ts';
import { requireMerchant } from '../../../io/storage/merchants/merchants.ts';
import {
  type FindingQuery,
  type FoundFinding,
  findFindings,
  loadFinding,
} from '../../../io/storage/operators/find-findings.ts';
import { loadLastReport } from '../../../io/storage/operators/merchant-records.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import { StoreFailed } from '../../../io/storage/server/store-failed.ts';
import { type DecisionWish, termsOf } from './decision-terms.ts';

export { FINDING_STATES } from '../../../io/storage/conclusions/findings.ts';
export type { FindingQuery, FoundFinding };

export interface FoundList {
  /** How many there are in all. */
  readonly total: number;
  /** How many others follow from a root, and are left out for it. */
  readonly followers: number;
  /** Worst first, the most money first among equals, then by merchant, line and fingerprint. */
  readonly items: readonly FoundFinding[];
}

export async function listFindings(store: Store, query: FindingQuery): Promise<FoundList> {
  if (query.merchant !== undefined) await requireMerchant(store, query.merchant);
  const { total, items } = await findFindings(store, query);
  if (query.rootsOnly !== true) return { total, items, followers: 0 };
  const all = await findFindings(store, { ...query, rootsOnly: false, limit: 0 });
  return { total, items, followers: all.total - total };
}

/** Throws `StoreFailed` when there is none, or more than one, with that beginning. */
export async function findOne(
  store: Store,
  fingerprint: string,
): Promise<FoundFinding & { readonly decisions: readonly FindingDecision[]; readonly due: Due | null }> {
  const found = await loadFinding(store, fingerprint);
  if (found === null) throw new StoreFailed('UNKNOWN_FINDING', `There is no finding that begins with ${fingerprint}.`);
  // What the merchant's wallet must be, as the last run has it.
  const report = await loadLastReport(store, found.merchant);
  return { ...found, due: report?.due ?? null };
}

export interface NewDecision extends DecisionWish {
  readonly fingerprint: string;
  /** Where lines settle it, they are reason enough. */
  readonly reason: string | undefined;
  readonly by: string;
}

/** Returns the new state. Throws `StoreFailed` (UNKNOWN_FINDING, AMBIGUOUS_FINGERPRINT, DECISION_REFUSED). */
export async function decide(store: Store, wish: NewDecision): Promise<FindingState> {
  return decideAbout(store, await findOne(store, wish.fingerprint), wish);
}

/** As `decide`, about a finding that was looked up. */
export async function decideAbout(store: Store, found: FoundFinding, wish: NewDecision): Promise<FindingState> {
  const { action, by, at, lines = [] } = wish;
  const { fingerprint, item, proposedSettlement } = found.finding;
  const [first, ...more] = lines;
  const byLines = first === undefined ? undefined : `by line${more.length > 0 ? 's' : ''} ${lines.join(', ')}`;
  const reason = wish.reason ?? byLines;
  if (reason === undefined) {
    // No adjustment moves what is reserved: by lines alone such a root is not settled.
    const fits = item?.reserved === '0' ? proposedSettlement : null;
    const proposed = fits == null ? '' : ` Line ${fits.lines.join(fits.ambiguous ? ' or ' : ' with line ')} would fit.`;
    throw new StoreFailed('DECISION_REFUSED', `A decision needs a reason, or the lines that settle it.${proposed}`);
  }
  return decideFinding(store, { fingerprint, action, reason, by, at, terms: await termsOf(store, found, wish) });
}
