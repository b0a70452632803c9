// The fields of an operation (direct API, "Operation"), and everything derived from them: one table
// of the judged fields, for audits, which are faster without the texts, and one of all fields, for
// code that stores or shows operations. A type or status outside the document is refused, because
// no rule could judge the operation. A currency, country or failure code outside it is read and is
// a finding; an operator outside it is read and named beside the verdict.

import { COUNTRIES, CURRENCIES } from '../amount.ts';
import { WALLET_STATUSES, type Wallet } from '../merchant.ts';
import {
  type DescribedOperation,
  FAILURE_CODES,
  OPERATION_STATUSES,
  OPERATION_TYPES,
  OPERATORS,
  type Operation,
  type OperationTexts,
} from '../operation.ts';
import { createDecoder } from './decode-object.ts';
import {
  type FieldsOf,
  flag,
  hashed,
  id,
  instant,
  integer,
  oneOf,
  optional,
  remark,
  text,
  word,
} from './field.ts';
import { createCopy, createCursorType } from './row-cursor.ts';
import { createEquality, createRowTable } from './row-table.ts';

export const OPERATION_FIELDS: FieldsOf<Operation> = {
  reference: hashed(id()),
  type: oneOf(OPERATION_TYPES),
  status: oneOf(OPERATION_STATUSES),
  amount: integer(),
  fees: integer(),
  netAmount: integer(),
  currency: word(CURRENCIES),
  country: word(COUNTRIES),
  operator: word(OPERATORS),
  externalReference: hashed(optional(text())),
  payerActionUrl: optional(text()),
  requiresPayerAction: flag(),
  failureCode: {
    ...optional(word(FAILURE_CODES)),
    path: ['failure', 'code'],
    isRequiredInside: true,
  },
  createdAt: instant(),
  updatedAt: instant(),
  completedAt: optional(instant()),
  expiresAt: optional(instant()),
};

const TEXT_FIELDS: FieldsOf<OperationTexts> = {
  counterpartyNumber: remark(['counterparty', 'phoneNumber']),
  counterpartyName: remark(['counterparty', 'name']),
  description: remark(),
  failureMessage: remark(['failure', 'message']),
  metadata: remark(),
};

export const DESCRIBED_FIELDS: FieldsOf<DescribedOperation> = {
  ...OPERATION_FIELDS,
  ...TEXT_FIELDS,
};

export const OPERATION_TABLE = createRowTable(OPERATION_FIELDS);
/**
 * Begins with the columns of `OPERATION_TABLE` in the same places; the columns of the texts follow.
 */
export const DESCRIBED_TABLE = createRowTable(DESCRIBED_FIELDS);

export const decodeOperation = createDecoder(OPERATION_TABLE);
export const decodeDescribed = createDecoder(DESCRIBED_TABLE);

/** True when two servings of an operation agree in every judged field. */
export const sameOperation = createEquality(OPERATION_TABLE);

const TEXTS = Object.keys(TEXT_FIELDS) as (keyof OperationTexts)[];

/**
 * True when the later serving says nothing new. It may leave out texts, because a list need not
 * show all fields that a single operation has.
 */
export function saysNothingNew(later: DescribedOperation, known: DescribedOperation): boolean {
  return (
    sameOperation(later, known) &&
    TEXTS.every((name) => later[name] === null || later[name] === known[name])
  );
}

export const createOperationCursor = createCursorType(OPERATION_TABLE);
export const createDescribedCursor = createCursorType(DESCRIBED_TABLE);

export const copyOperation = createCopy(OPERATION_TABLE);
export const copyDescribed = createCopy(DESCRIBED_TABLE);

// The fields of a wallet as the service states it (direct API, "Wallet"). Figures that disagree
// with each other are read, because that is a finding. A status outside the document is refused.

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
