// Decodes the wallet as the service states it (direct API, "Wallet"). Figures that disagree with each other pass: that is
// a finding. A status outside the document is refused.

import { WALLET_STATUSES, type Wallet } from '../../domain/wallet.ts';
import type { Decoded } from '../../rows/decoded.ts';
import {
  decodedFrom,
  fieldsOf,
  takeId,
  takeInstant,
  takeInteger,
  takeOneOf,
  takeText,
} from '../../rows/take-fields.ts';

export function decodeWallet(value: unknown): Decoded<Wallet> {
  const fields = fieldsOf(value);
  return decodedFrom(fields, {
    walletId: takeId(fields, 'walletId'),
    merchantId: takeId(fields, 'merchantId'),
    currency: takeText(fields, 'currency'),
    balance: takeInteger(fields, 'balance'),
    reserved: takeInteger(fields, 'reserved'),
    available: takeInteger(fields, 'available'),
    status: takeOneOf(fields, 'status', WALLET_STATUSES),
    totalCollected: takeInteger(fields, 'totalCollected'),
    totalDisbursed: takeInteger(fields, 'totalDisbursed'),
    totalFees: takeInteger(fields, 'totalFees'),
    updatedAt: takeInstant(fields, 'updatedAt'),
  });
}
