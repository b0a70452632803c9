// Counts of payments by link: in all, by month, and what was paid each day.

import { answerOf } from '../../../dashboard/answers.ts';
import type { DashboardRoute } from '../route.ts';

export const paymentCounts: DashboardRoute = {
  method: 'GET',
  path: '/web-merchant/merchants-transactions-count',
  auth: 'Token',
  merchantIn: 'query',
  answer: ({ life }) => answerOf(life, 'merchants-transactions-count'),
};

export const monthlyCounts: DashboardRoute = {
  method: 'GET',
  path: '/web-merchant/merchants-monthly-transactions-count',
  auth: 'Token',
  merchantIn: 'query',
  answer: ({ life }) => answerOf(life, 'merchants-monthly-transactions-count'),
};

export const dailyFlow: DashboardRoute = {
  method: 'GET',
  path: '/web-merchant/merchants-transactions-flow',
  auth: 'Token',
  merchantIn: 'query',
  answer: ({ life }) => answerOf(life, 'merchants-transactions-flow'),
};
