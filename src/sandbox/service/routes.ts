// The register of endpoints below /v1. A new endpoint is a file in routes/ and a line here.

import type { Route } from './route.ts';
import { ledger } from './routes/ledger.ts';
import { merchantProfile } from './routes/merchant-profile.ts';
import { operation } from './routes/operation.ts';
import { operations } from './routes/operations.ts';
import { wallet } from './routes/wallet.ts';

export const ROUTES: readonly Route[] = [merchantProfile, wallet, ledger, operations, operation];
