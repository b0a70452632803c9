// Counts of payments by link: in all, by month, and what was paid each day.

import { countsOf, dailyFlowOf, monthlyCountsOf, paymentsNow } from '../../../dashboard/statistics.ts';
import type { DashboardRoute } from '../route.ts';

export const paymentCounts: DashboardRoute = {
  method: 'GET',
  path: '/web-merchant/merchants-transactions-count',
  auth: 'Token',
  merchantIn: 'query',
  answer: ({ life }) => countsOf(paymentsNow(life)),
};

export const monthlyCounts: DashboardRoute = {
  method: 'GET',
  path: '/web-merchant/merchants-monthly-transactions-count',
  auth: 'Token',
  merchantIn: 'query',
  answer: ({ life }) => monthlyCountsOf(paymentsNow(life)),
};

export const dailyFlow: DashboardRoute = {
  method: 'GET',
  path: '/web-merchant/merchants-transactions-flow',
  auth: 'Token',
  merchantIn: 'query',
  answer: ({ life }) => dailyFlowOf(paymentsNow(life)),
};
