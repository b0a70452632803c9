// Books as the direct API would serve them, for tests of sources: rows in the documents' form,
// plain JSON values.

import { formatInstant, MINUTE, parseInstant } from '../../src/core/domain/instant.ts';

export type ServedJson = Readonly<Record<string, unknown>>;

export interface HttpBooks {
  profile: ServedJson;
  /** The wallet; `null`: the service says that there is none. */
  wallet: ServedJson | null;
  /** The lines in ascending sequence. */
  ledger: ServedJson[];
  /** The operations in ascending createdAt. */
  operations: ServedJson[];
}

export const BOOKS_BEGIN = parseInstant('2026-11-01T08:00:00.000Z')!;

/**
 * Makes a merchant with `count` succeeded cash-ins of 1,000 without fees: one line each, a minute
 * apart.
 */
export function makeHttpBooks(merchant: string, count: number): HttpBooks {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  return {
    profile: makeProfile(merchant),
    wallet: makeWallet(count * 1_000),
    ledger: numbers.map((sequence) => makeLine(sequence)),
    operations: numbers.map((number) => makeOperation(number)),
  };
}

export function makeLine(sequence: number): ServedJson {
  return {
    id: `00000000-0000-4000-8000-${String(sequence).padStart(12, '0')}`,
    sequence,
    direction: 'CREDIT',
    kind: 'CASHIN_CREDIT',
    amount: 1_000,
    currency: 'XOF',
    balanceAfter: sequence * 1_000,
    reservedAfter: 0,
    operationReference: referenceOf(sequence),
    description: null,
    createdAt: formatInstant(BOOKS_BEGIN + sequence * MINUTE),
  };
}

export function makeOperation(number: number): ServedJson {
  const createdAt = BOOKS_BEGIN + number * MINUTE;
  return {
    reference: referenceOf(number),
    type: 'CASHIN',
    status: 'SUCCEEDED',
    amount: 1_000,
    fees: 0,
    netAmount: 1_000,
    currency: 'XOF',
    country: 'CI',
    operator: 'WAVE',
    counterparty: { phoneNumber: '+2250700000000', name: null },
    externalReference: `order-${number}`,
    description: null,
    payerActionUrl: null,
    requiresPayerAction: false,
    failure: null,
    metadata: { note: 'braces } ] and "quotes" in text' },
    createdAt: formatInstant(createdAt),
    updatedAt: formatInstant(createdAt + 5_000),
    completedAt: formatInstant(createdAt + 5_000),
    expiresAt: formatInstant(createdAt + 30 * MINUTE),
  };
}

export function referenceOf(number: number): string {
  return `GUI-CI-${String(number).padStart(8, '0')}`;
}

function makeProfile(reference: string): ServedJson {
  return {
    reference,
    name: 'Boutique',
    legalName: null,
    email: 'boutique@example.org',
    phoneNumber: null,
    country: 'CI',
    status: 'ACTIVE',
    allowedCountries: ['CI'],
    webhookUrl: 'https://shop.example/notifications',
    webhookSecretHint: null,
    pricing: { cashinFeeBps: 0, cashinFeeFlat: 0, cashoutFeeBps: 0, cashoutFeeFlat: 0 },
    limits: {
      minCashinAmount: 100,
      maxCashinAmount: 1_000_000,
      minCashoutAmount: 100,
      maxCashoutAmount: 1_000_000,
      dailyCashoutLimit: 0,
    },
    metadata: null,
    createdAt: '2026-01-01T00:00:00.000Z',
  };
}

function makeWallet(balance: number): ServedJson {
  return {
    walletId: '00000000-0000-4000-8000-00000000aaaa',
    merchantId: '00000000-0000-4000-8000-00000000bbbb',
    currency: 'XOF',
    balance,
    reserved: 0,
    available: balance,
    status: 'ACTIVE',
    totalCollected: balance,
    totalDisbursed: 0,
    totalFees: 0,
    updatedAt: '2026-11-01T12:00:00.000Z',
  };
}
