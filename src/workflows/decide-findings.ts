// What people do with findings: list them, look at one, decide about it. A beginning of a fingerprint is enough where it
// names one finding only.

import { type Decision, decideFinding } from '../storage/decide-finding.ts';
import { type FindingQuery, type FoundFinding, findFindings, loadFinding } from '../storage/find-findings.ts';
import type { FindingDecision, FindingState } from '../storage/findings.ts';
import type { Store } from '../storage/store.ts';
import { StoreFailed } from '../storage/store-failed.ts';

export type { FoundFinding };

/** Worst first, then by merchant, line and fingerprint. */
export async function listOpen(store: Store, query: FindingQuery): Promise<readonly FoundFinding[]> {
  return (await findFindings(store, query)).items;
}

/** Throws `StoreFailed` when there is none, or more than one, with that beginning. */
export async function findOne(
  store: Store,
  fingerprint: string,
): Promise<FoundFinding & { readonly decisions: readonly FindingDecision[] }> {
  const found = await loadFinding(store, fingerprint);
  if (found === null) throw new StoreFailed('UNKNOWN_FINDING', `There is no finding that begins with ${fingerprint}.`);
  return found;
}

/** Returns the new state. */
export async function decide(store: Store, decision: Decision): Promise<FindingState> {
  const { finding } = await findOne(store, decision.fingerprint);
  return decideFinding(store, { ...decision, fingerprint: finding.fingerprint });
}
