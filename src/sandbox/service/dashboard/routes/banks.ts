// GET /banks/active: the banks that payouts can go to. Open to anybody.

import { BANKS } from '../choices.ts';
import type { OpenRoute } from '../route.ts';

export const activeBanks: OpenRoute = { method: 'GET', path: '/banks/active', answer: () => BANKS };
