// One decision about all roots that a filter finds: all are decided in one transaction, or none.
// Refuses a set that differs from the one that the person saw. Refuses findings that need a second
// person, because one confirmation would stand for many findings.

import { createHash } from 'node:crypto';
import type { DueRule } from '../../../core/domain/operators/due-day.ts';
import { decideFindings, refused, requireMove } from '../../../io/storage/conclusions/findings.ts';
import { requireMerchant } from '../../../io/storage/merchants/merchants.ts';
import {
  type FindingQuery,
  findFindings,
  loadStand,
} from '../../../io/storage/operators/find-findings.ts';
import { type Store, StoreFailed } from '../../../io/storage/server/store.ts';
import { listFindings, type NewDecision, readWish, stakeOf } from './decide-findings.ts';
import { isAbove, type Limits } from './proposals.ts';

/** Most findings of one decision. */
export const MOST_TOGETHER = 500;

type Filter = Omit<FindingQuery, 'limit' | 'offset' | 'rootsOnly' | 'causedBy'>;
type Stand = Awaited<ReturnType<typeof loadStand>>;

/**
 * Does what `listFindings` does. `seen` identifies the whole set, for a decision about it; `null`
 * when the set is empty or has more than `MOST_TOGETHER` roots.
 */
export async function listDecidable(store: Store, query: FindingQuery, rules: readonly DueRule[]) {
  // Read before the list: if the set changes in between, the decision is refused.
  const stand = query.rootsOnly === true ? await standOf(store.pool, query) : [];
  const isDecidable = stand.length > 0 && stand.length <= MOST_TOGETHER;
  return { ...(await listFindings(store, query, rules)), seen: isDecidable ? nameOf(stand) : null };
}

export interface JointDecision extends Omit<NewDecision, 'lines' | 'limit'> {
  readonly filter: Filter;
  /** The number of findings that the person saw. */
  readonly expect: number;
  /** The value that `listDecidable` gave for the set. */
  readonly seen: string;
}

/**
 * Decides about all findings of the set and returns them, worst first. Throws `StoreFailed`
 * (DECISION_REFUSED, UNKNOWN_MERCHANT); nothing is decided then.
 */
export async function decideTogether(
  store: Store,
  limits: Limits,
  { filter, expect, seen, ...wish }: JointDecision,
) {
  if (filter.merchant !== undefined) await requireMerchant(store, filter.merchant);
  const stand = await standOf(store.pool, filter);
  if (stand.length > MOST_TOGETHER)
    throw noneOf(
      `the filter finds more than ${MOST_TOGETHER} findings, the most that one decision is about; narrow it.`,
    );
  if (stand.length !== expect)
    throw noneOf(`the filter finds ${stand.length} findings now, not ${expect}; ${AGAIN}`);
  const { items } = await findFindings(store, { ...filter, rootsOnly: true, limit: MOST_TOGETHER });
  if (nameOf(stand) !== seen) throw noneOf(CHANGED);
  const isStaked = wish.action === 'settle' || wish.action === 'accept';
  const above = isStaked ? items.filter((found) => isAbove(limits, stakeOf(found, {}))) : [];
  if (above.length > 0) {
    const many = `${above.length} of ${expect} findings weigh more than one operator may decide about alone`;
    throw noneOf(
      `${many}, the first ${above[0]!.finding.fingerprint}; decide about each of them by itself.`,
    );
  }
  const merchantIds = new Map(stand.map(({ merchant, merchantId }) => [merchant, merchantId]));
  const decisions: Parameters<typeof decideFindings>[1][number][] = [];
  const refusals: string[] = [];
  for (const found of items) {
    const { fingerprint } = found.finding;
    const place = {
      fingerprint,
      merchantId: merchantIds.get(found.merchant)!,
      labels: found.labels,
    };
    try {
      requireMove(found.state, wish.action);
      decisions.push({ ...wish, ...place, ...(await readWish(store, found, wish)) });
    } catch (failure) {
      if (!(failure instanceof StoreFailed)) throw failure;
      refusals.push(`${fingerprint}: ${failure.message}`);
    }
  }
  if (refusals.length > 0)
    throw noneOf(`${refusals.length} of ${expect} findings do not allow it; ${refusals[0]}`);
  await decideFindings(store, decisions, async (client) => {
    if (nameOf(await standOf(client, filter)) !== seen) throw noneOf(CHANGED);
  });
  return items.map(({ merchant, finding: { fingerprint } }) => ({ merchant, fingerprint }));
}

const AGAIN = 'list them again.';
const CHANGED = `the filter finds other findings, or one has another amount or a newer decision or note; ${AGAIN}`;

/** Returns the state of the set, with one root more than allowed if it is too large. */
function standOf(queries: Parameters<typeof loadStand>[0], filter: Filter): Promise<Stand> {
  return loadStand(queries, { ...filter, rootsOnly: true, limit: MOST_TOGETHER + 1 });
}

function nameOf(stand: Stand): string {
  const rows = stand.map((row) => JSON.stringify(Object.values(row))).sort();
  return createHash('sha256').update(rows.join()).digest('hex').slice(0, 32);
}

function noneOf(why: string): StoreFailed {
  return refused(`Nothing is decided: ${why}`);
}
