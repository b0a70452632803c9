// The register of endpoints below /v1. A new endpoint is a file in routes/ and a line here.

import type { Route } from '../route.ts';
import { ledger } from './ledger.ts';
import { merchantProfile } from './merchant-profile.ts';
import { operation } from './operation.ts';
import { operations } from './operations.ts';
import { wallet } from './wallet.ts';

export const ROUTES: readonly Route[] = [merchantProfile, wallet, ledger, operations, operation];
