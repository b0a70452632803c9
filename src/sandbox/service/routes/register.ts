// The register of endpoints below /v1. A new endpoint is a file in routes/ and a line here.

import { cashin, cashout } from '../creation/create-operation.ts';
import type { Route } from '../route.ts';
import { addressAddition, addressList, addressRemoval, keyRegeneration } from './access.ts';
import { ledger } from './ledger.ts';
import { merchantChange, merchantProfile } from './merchant-profile.ts';
import { operation } from './operation.ts';
import { operations } from './operations.ts';
import { wallet } from './wallet.ts';
import { secretRotation, webhookList, webhookReplay, webhookTest } from './webhooks.ts';

export const ROUTES: readonly Route[] = [
  cashin,
  cashout,
  operations,
  operation,
  wallet,
  ledger,
  merchantProfile,
  merchantChange,
  webhookTest,
  webhookList,
  webhookReplay,
  secretRotation,
  addressList,
  addressAddition,
  addressRemoval,
  keyRegeneration,
];
