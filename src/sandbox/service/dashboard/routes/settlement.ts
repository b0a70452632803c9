// GET /web-merchant/settlement-settings. "The endpoint that changes the settlement mode: not shown": control alone changes it.

import { answerOf } from '../../../dashboard/answers.ts';
import type { DashboardRoute } from '../route.ts';

export const settlementSettings: DashboardRoute = {
  method: 'GET',
  path: '/web-merchant/settlement-settings',
  auth: 'Token',
  merchantIn: 'query',
  answer: ({ life }) => answerOf(life, 'settlement-settings'),
};
