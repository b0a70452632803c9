// What was collected and what is paid out: the balance, a request, the list of requests, and their counters.

import { z } from 'zod';
import { answerOf } from '../../../dashboard/answers.ts';
import { payoutAccountNamed, primaryOf } from '../../../dashboard/payout-accounts.ts';
import { balanceOf, requestPayout } from '../../../dashboard/payouts.ts';
import { LEAST_PAYOUT, payoutFees } from '../../../dashboard/terms.ts';
import { readForm } from '../../read-body.ts';
import { NO_PRIMARY_ACCOUNT, NOT_ENOUGH, PAYOUT_ACCOUNT_NOT_FOUND, QUERY } from '../choices.ts';
import { badRequest, Refusal } from '../refusal.ts';
import type { DashboardRoute } from '../route.ts';

export const balance: DashboardRoute = {
  method: 'GET',
  path: '/web-merchant/get-balance',
  auth: 'Token',
  merchantIn: 'query',
  answer: ({ life }) => answerOf(life, 'get-balance'),
};

export const disbursementForm = z.strictObject({
  [QUERY.merchant]: z.unknown().optional(),
  amount: z
    .int({ error: 'must be an integer, without decimals' })
    .min(LEAST_PAYOUT, { error: `must be at least ${LEAST_PAYOUT}` }),
  payoutAccountId: z.string({ error: 'must be the id of a payout account' }).optional(),
});

/** What passes the monthly ceiling is taken, and FAILED at once; what the balance does not allow is refused. */
export const disbursementRequest: DashboardRoute = {
  method: 'POST',
  path: '/web-merchant/request-disbursement',
  auth: 'Token',
  merchantIn: 'either',
  operates: true,
  answer: ({ life, service, body }) => {
    const { amount, payoutAccountId } = readForm(body, disbursementForm);
    const isNamed = payoutAccountId !== undefined;
    const account = isNamed ? payoutAccountNamed(life, payoutAccountId) : primaryOf(life);
    if (account === null) throw isNamed ? new Refusal(404, PAYOUT_ACCOUNT_NOT_FOUND) : badRequest(NO_PRIMARY_ACCOUNT);
    if (100 * (amount + payoutFees(amount, account.type)) > balanceOf(life)) throw badRequest(NOT_ENOUGH);
    return requestPayout(life, { amount, account, mode: 'MANUAL' }, service.settings.fates === 'drawn');
  },
};

export const disbursementList: DashboardRoute = {
  method: 'GET',
  path: '/web-merchant/list-disbursements',
  auth: 'Token',
  merchantIn: 'query',
  answer: ({ life }) => answerOf(life, 'list-disbursements'),
};

export const disbursementCount: DashboardRoute = {
  method: 'GET',
  path: '/web-merchant/refunds-stats',
  auth: 'Token',
  merchantIn: 'query',
  answer: ({ life }) => answerOf(life, 'refunds-stats'),
};
