// A person's decision about a finding: acknowledge, resolve, settle, accept or reopen it. Refuses one without a reason or a name, and
// one that changes nothing.

import type pg from 'pg';
import type { Instant } from '../../../core/domain/instant.ts';
import type { DecisionTerms } from '../../../core/domain/settlement.ts';
import { lockHead } from '../merchants/merchant-lock.ts';
import { ask, build } from '../server/ask.ts';
import { inTransaction } from '../server/connections.ts';
import { storableJson, storableText } from '../server/storable-text.ts';
import { type Store, StoreFailed } from '../server/store.ts';
import type { FindingAction, FindingState } from './findings.ts';

export interface Decision {
  /** The whole fingerprint. */
  readonly fingerprint: string;
  readonly action: FindingAction;
  readonly reason: string;
  readonly by: string;
  readonly at: Instant;
  /** What it rests on; absent or null: nothing. */
  readonly terms?: DecisionTerms | null;
}

/** The states from which an action leads somewhere, and where to. */
const MOVES: Readonly<Record<FindingAction, { readonly from: readonly FindingState[]; readonly to: FindingState }>> = {
  acknowledge: { from: ['open'], to: 'acknowledged' },
  resolve: { from: ['open', 'acknowledged'], to: 'resolved' },
  settle: { from: ['open', 'acknowledged', 'accepted'], to: 'settled' },
  accept: { from: ['open', 'acknowledged', 'accepted'], to: 'accepted' },
  reopen: { from: ['acknowledged', 'settled', 'accepted', 'resolved'], to: 'open' },
};

/**
 * Returns the new state. Throws `StoreFailed` (UNKNOWN_FINDING, DECISION_REFUSED). A resolved finding that comes back is
 * reopened by the engine.
 */
export async function decideFinding(store: Store, decision: Decision): Promise<FindingState> {
  if (decision.reason.trim() === '') throw refused('A decision needs a reason.');
  if (decision.by.trim() === '') throw refused('A decision needs the name of the person who takes it.');
  return inTransaction(store, async (client) => {
    const find = build
      .selectFrom('findings')
      .select(['merchant_id', 'state'])
      .where('fingerprint', '=', decision.fingerprint);
    const found = (await ask(client, find)).rows[0];
    if (found === undefined) throw new StoreFailed('UNKNOWN_FINDING', `There is no finding ${decision.fingerprint}.`);
    // A run or another decision may have moved it before this one had the head.
    await lockHead(client, found.merchant_id);
    const row = (await ask(client, find.where('merchant_id', '=', found.merchant_id))).rows[0]!;
    const move = MOVES[decision.action];
    if (!move.from.includes(row.state)) throw refused(`The finding is ${row.state} already.`);
    const change = build
      .updateTable('findings')
      .set({ state: move.to })
      .where('merchant_id', '=', row.merchant_id)
      .where('fingerprint', '=', decision.fingerprint);
    await ask(client, change);
    await recordDecision(client, { ...decision, merchantId: row.merchant_id, before: row.state, after: move.to });
    return move.to;
  });
}

async function recordDecision(
  client: pg.ClientBase,
  made: Decision & { readonly merchantId: number; readonly before: string; readonly after: string },
): Promise<void> {
  const last = build
    .selectFrom('finding_decisions')
    .select(({ fn }) => fn.max('decision_number').as('number'))
    .where('merchant_id', '=', made.merchantId)
    .where('fingerprint', '=', made.fingerprint);
  const number = ((await ask(client, last)).rows[0]?.number ?? 0) + 1;
  const decision = build.insertInto('finding_decisions').values({
    merchant_id: made.merchantId,
    fingerprint: made.fingerprint,
    decision_number: number,
    action: made.action,
    state_before: made.before,
    state_after: made.after,
    reason: storableText(made.reason.trim()),
    decided_by: storableText(made.by.trim()),
    decided_at: made.at,
    run_id: null,
    terms: made.terms == null ? null : storableJson(made.terms),
  });
  await ask(client, decision);
}

function refused(message: string): StoreFailed {
  return new StoreFailed('DECISION_REFUSED', message);
}
