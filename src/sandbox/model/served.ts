// The resources of the direct API, as named forms: the schemas of its OpenAPI document, and the
// types of what is served. They state the document's tables ("Resources and their fields") in the
// tables' order, which is also the order of the JSON fields. Books with a planted fault may serve
// values outside these schemas.

import { z } from 'zod';
import { COUNTRIES, CURRENCIES } from '../../core/domain/amount.ts';
import { DIRECTIONS, ENTRY_KINDS } from '../../core/domain/ledger-entry.ts';
import { MERCHANT_STATUSES, WALLET_STATUSES } from '../../core/domain/merchant.ts';
import { DELIVERY_STATUSES, TYPES_OF_NOTIFICATIONS } from '../../core/domain/notification.ts';
import {
  FAILURE_CODES,
  OPERATION_STATUSES,
  OPERATION_TYPES,
  OPERATORS,
} from '../../core/domain/operation.ts';

export type Operator = (typeof OPERATORS)[number];

export type Draft<Value> = { -readonly [Key in keyof Value]: Value[Key] };
/** The type with everything in it readonly, at any depth. */
export type Frozen<Value> = Value extends object
  ? { readonly [Key in keyof Value]: Frozen<Value[Key]> }
  : Value;

const instant = z.iso.datetime().describe('ISO 8601, UTC');
const text = z.string();
/** Whole units; below zero only where a fault was planted. */
const amount = z.int().describe('whole units');
const free = z.record(z.string(), z.unknown()).nullable().describe('free data, as it was given');

const operation = z.strictObject({
  reference: text.describe('GUI-CI-… of a cash-in, GUI-CO-… of a cash-out'),
  type: z.enum(OPERATION_TYPES),
  status: z.enum(OPERATION_STATUSES),
  amount,
  fees: amount.describe('commission, fixed when it was created'),
  netAmount: amount.describe('amount less fees on a cash-in, amount plus fees on a cash-out'),
  currency: z.enum(CURRENCIES),
  country: z.enum(COUNTRIES),
  operator: z.enum(OPERATORS),
  counterparty: z.strictObject({ phoneNumber: text.describe('E.164'), name: text.nullable() }),
  externalReference: text.nullable(),
  description: text.nullable(),
  payerActionUrl: text.nullable().describe('where to send the payer; null without a redirect'),
  requiresPayerAction: z.boolean(),
  failure: z.strictObject({ code: z.enum(FAILURE_CODES), message: text }).nullable(),
  metadata: free,
  createdAt: instant,
  updatedAt: instant,
  completedAt: instant.nullable(),
  expiresAt: instant.nullable(),
});
/** An operation. Its failure may have a code that the document does not have. */
export type ServedOperation = Frozen<Omit<z.output<typeof operation>, 'failure'>> & {
  readonly failure: { readonly code: string; readonly message: string } | null;
};

const entry = z.strictObject({
  id: z.uuid(),
  sequence: z.int().describe('strictly increasing: the sort key'),
  direction: z.enum(DIRECTIONS),
  kind: z.enum(ENTRY_KINDS),
  amount: amount.describe('whole units, above 0'),
  currency: z.enum(CURRENCIES),
  balanceAfter: amount,
  reservedAfter: amount,
  operationReference: text.nullable(),
  description: text.nullable(),
  createdAt: instant,
});
/** A line. `direction` and `kind` may be words that the document does not have. */
export type ServedEntry = Frozen<Omit<z.output<typeof entry>, 'direction' | 'kind'>> & {
  readonly direction: string;
  readonly kind: string;
};

const wallet = z.strictObject({
  walletId: z.uuid(),
  merchantId: z.uuid(),
  currency: z.enum(CURRENCIES),
  balance: amount,
  reserved: amount,
  available: amount.describe('balance less reserved'),
  status: z.enum(WALLET_STATUSES),
  totalCollected: amount,
  totalDisbursed: amount,
  totalFees: amount,
  updatedAt: instant,
});
export type ServedWallet = Frozen<z.output<typeof wallet>>;

const merchant = z.strictObject({
  reference: text,
  name: text,
  legalName: text.nullable(),
  email: z.email(),
  phoneNumber: text.nullable(),
  country: z.enum(COUNTRIES),
  status: z.enum(MERCHANT_STATUSES),
  allowedCountries: z.array(z.enum(COUNTRIES)),
  webhookUrl: text.nullable(),
  webhookSecretHint: text
    .nullable()
    .describe('the last eight characters of the signing secret in force'),
  pricing: z.strictObject({
    cashinFeeBps: z.int().describe('basis points: 200 is 2 %'),
    cashinFeeFlat: amount,
    cashoutFeeBps: z.int(),
    cashoutFeeFlat: amount,
  }),
  limits: z.strictObject({
    minCashinAmount: amount,
    maxCashinAmount: amount,
    minCashoutAmount: amount,
    maxCashoutAmount: amount,
    dailyCashoutLimit: amount.describe('of any 24 hours; 0 is none'),
  }),
  metadata: free,
  createdAt: instant,
});
export type ServedMerchant = Frozen<z.output<typeof merchant>>;
export type ServedPricing = ServedMerchant['pricing'];
export type ServedLimits = ServedMerchant['limits'];

const notification = z.strictObject({
  id: z.string().startsWith('evt_').describe('the key of deduplication'),
  type: z.enum([...TYPES_OF_NOTIFICATIONS, 'wallet.adjusted', 'ping']),
  createdAt: instant,
  merchantReference: text,
  data: z.strictObject({ operation: operation.optional() }),
});
/** A notification. `data` holds the operation when the type is about one. */
export type ServedNotification = Frozen<Omit<z.output<typeof notification>, 'type' | 'data'>> & {
  readonly type: string;
  readonly data: { readonly operation?: ServedOperation };
};

const delivery = z.strictObject({
  id: z.uuid(),
  type: text,
  url: text,
  state: z.enum(DELIVERY_STATUSES),
  attempts: z.int(),
  lastStatus: z.int().nullable().describe('null: no answer, or nothing sent yet'),
  nextRetryAt: instant.nullable(),
  createdAt: instant,
  updatedAt: instant,
  payload: notification,
});

const address = z.strictObject({ id: z.uuid(), address: z.union([z.ipv4(), z.ipv6()]) });

const refusal = z.strictObject({
  success: z.literal(false),
  error: z.strictObject({
    code: text.describe('what to branch on'),
    message: text,
    details: z.record(z.string(), z.unknown()).nullable(),
  }),
  requestId: text,
  timestamp: instant,
});

/** The schemas by the names that the document gives them. */
export const ANSWERS = {
  Operation: operation,
  OperationAnswer: z.strictObject({ operation }),
  LedgerEntry: entry,
  Wallet: wallet,
  Merchant: merchant,
  Notification: notification,
  Delivery: delivery,
  DeliveryAnswer: z.strictObject({ delivery }),
  AllowedAddress: address,
  RemovedAddress: z.strictObject({ id: z.uuid(), deleted: z.literal(true) }),
  ApiSecret: z.strictObject({ apiKey: text, apiSecret: text.describe('shown this once') }),
  SigningSecret: z.strictObject({
    webhookSecret: z.string().startsWith('whsec_'),
    webhookSecretHint: text,
  }),
  Refusal: refusal,
} as const;
export type AnswerName = keyof typeof ANSWERS;
