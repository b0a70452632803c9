// GET /wallet: the wallet. The document shows the resource and not its path.

import { walletOf } from '../../simulation/state.ts';
import { ok, type Route } from '../route.ts';

export const wallet: Route = {
  method: 'GET',
  path: '/wallet',
  deed: 'READ',
  described: { operationId: 'readWallet', summary: 'The wallet', answer: { status: 200, form: 'Wallet' } },
  answer: ({ account }) => ok(walletOf(account.simulation)),
};
