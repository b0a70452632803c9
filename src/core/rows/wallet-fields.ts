// The fields of a wallet as the service states it (direct API, "Wallet"). Figures that disagree with each other pass: that is
// a finding. A status outside the document is refused.

import { WALLET_STATUSES, type Wallet } from '../domain/wallet.ts';
import { createDecoder } from './decode-object.ts';
import { type FieldsOf, id, instant, integer, oneOf, text } from './field.ts';
import { createRowTable } from './row-table.ts';
import { createEquality } from './same-row.ts';

const FIELDS: FieldsOf<Wallet> = {
  walletId: id(),
  merchantId: { ...id(), column: 'service_merchant_id' },
  currency: text(),
  balance: integer(),
  reserved: integer(),
  available: integer(),
  status: oneOf(WALLET_STATUSES),
  totalCollected: integer(),
  totalDisbursed: integer(),
  totalFees: integer(),
  updatedAt: instant(),
};

export const WALLET_TABLE = createRowTable(FIELDS);

export const decodeWallet = createDecoder(WALLET_TABLE);

export const sameWallet = createEquality(WALLET_TABLE);
