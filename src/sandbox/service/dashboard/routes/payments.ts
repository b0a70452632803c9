// What a merchant sees of its payments by link: one by its reference, all of them, those that filters find, and a file of those.

import { paymentsNow } from '../../../dashboard/statistics.ts';
import { readPage } from '../../read-query.ts';
import { PAYMENT_NOT_FOUND, QUERY } from '../choices.ts';
import { badRequest, Refusal } from '../refusal.ts';
import type { DashboardRoute } from '../route.ts';
import { csvOfPayments } from './payments-csv.ts';
import { readText, searchPayments } from './search-payments.ts';

/** "The merchant confirms the status with GET /web-merchant/payment/status before any irreversible action." */
export const paymentStatus: DashboardRoute = {
  method: 'GET',
  path: '/web-merchant/payment/status',
  auth: 'Token',
  merchantIn: 'query',
  answer: ({ life, query }) => {
    const reference = readText(query, QUERY.payment);
    if (reference === null) throw badRequest(`${QUERY.payment} must be given`);
    const payment = paymentsNow(life).find((one) => one.reference === reference);
    if (payment === undefined) throw new Refusal(404, PAYMENT_NOT_FOUND);
    return payment;
  },
};

/** A page, newest first. */
export const paymentList: DashboardRoute = {
  method: 'GET',
  path: '/web-merchant/payments',
  auth: 'Token',
  merchantIn: 'query',
  answer: ({ life, query }) => {
    const { limit, offset } = readPage(query);
    return paymentsNow(life)
      .toReversed()
      .slice(offset, offset + limit);
  },
};

export const paymentSearch: DashboardRoute = {
  method: 'GET',
  path: '/web-merchant/payments/search',
  auth: 'Token',
  merchantIn: 'query',
  answer: ({ life, service, query }) =>
    searchPayments(paymentsNow(life), { query, cap: service.settings.dashboard.paymentCap }),
};

export const paymentExport: DashboardRoute = {
  method: 'GET',
  path: '/web-merchant/payments/export',
  auth: 'Token',
  merchantIn: 'query',
  answer: ({ account, life, query }) => ({
    type: 'text/csv; charset=utf-8',
    name: `paiements-${account.plan.reference}.csv`,
    bytes: Buffer.from(csvOfPayments(searchPayments(paymentsNow(life), { query, cap: null }))),
  }),
};
