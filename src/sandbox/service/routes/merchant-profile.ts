// GET /merchants/me: the account profile, with the prices and bounds in force now.

import type { Route } from '../route.ts';

export const merchantProfile: Route = {
  method: 'GET',
  path: '/merchants/me',
  answer: ({ account }) => account.simulation.merchant,
};
