// What the dashboard answers of payouts and of counts, each answer under the last words of its path: as it follows from the state,
// or as a planted fault has it.

import { COMPLIANCE_DOCUMENTS, type ComplianceFile } from './compliance-file.ts';
import { shownAccount } from './payout-accounts.ts';
import { balanceOf, disbursementCounters, payoutLimits } from './payouts.ts';
import { settlementOf } from './settlement.ts';
import type { DashboardLife } from './state.ts';
import { countsOf, dailyFlowOf, monthlyCountsOf, paymentsNow } from './statistics.ts';

const SOUND = {
  compliance: (life) => ({
    compliance: life.compliance as ComplianceFile | null,
    requiredDocuments: COMPLIANCE_DOCUMENTS,
    limits: payoutLimits(life),
  }),
  'refunds-stats': disbursementCounters,
  /** "A balance is returned as a decimal string." */
  'get-balance': (life) => ({ balance: (balanceOf(life) / 100).toFixed(2) }),
  /** All of them, newest first. */
  'list-disbursements': ({ payouts }) => payouts.toReversed(),
  /** In the order in which they were added. */
  'payout-accounts': ({ payoutAccounts }) => payoutAccounts.map(shownAccount),
  'settlement-settings': settlementOf,
  'merchants-transactions-count': (life) => countsOf(paymentsNow(life)),
  'merchants-monthly-transactions-count': (life) => monthlyCountsOf(paymentsNow(life)),
  'merchants-transactions-flow': (life) => dailyFlowOf(paymentsNow(life)),
} satisfies { readonly [name: string]: (life: DashboardLife) => unknown };

export type AnswerName = keyof typeof SOUND;
type Answer<Of extends AnswerName> = ReturnType<(typeof SOUND)[Of]>;

/** From now on the answer of that name is what `change` makes of the right one. False: it is wrong already. */
export function makeWrong<Of extends AnswerName>(
  life: DashboardLife,
  name: Of,
  change: (right: Answer<Of>) => Answer<Of>,
): boolean {
  if (life.wrong.has(name)) return false;
  life.wrong.set(name, change as (right: unknown) => unknown);
  return true;
}

export function answerOf<Of extends AnswerName>(life: DashboardLife, name: Of): Answer<Of> {
  const right = SOUND[name](life);
  const change = life.wrong.get(name);
  return (change === undefined ? right : change(right)) as Answer<Of>;
}

/** All of them, as they stand now. */
export function answersOf(life: DashboardLife): Readonly<Record<AnswerName, unknown>> {
  const names = Object.keys(SOUND) as readonly AnswerName[];
  return Object.fromEntries(names.map((name) => [name, answerOf(life, name)])) as Record<AnswerName, unknown>;
}
