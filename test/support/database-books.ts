// Rows for tests of the store, with everything that a test does not care about filled in. The money
// need not add up.

import type { LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import type { Merchant, Wallet } from '../../src/core/domain/merchant.ts';
import type { Operation } from '../../src/core/domain/operation.ts';
import type { RejectedRow, Snapshot } from '../../src/core/domain/snapshot.ts';

/** 2026-03-01T00:00:00Z. */
export const BEGIN = 1_772_323_200_000;

export function line(sequence: number, changes: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    id: `entry-${sequence}`,
    sequence,
    direction: 'CREDIT',
    kind: 'CASHIN_CREDIT',
    amount: 1_000,
    currency: 'XOF',
    balanceAfter: sequence * 1_000,
    reservedAfter: 0,
    operationReference: `GUI-CI-${sequence}`,
    description: null,
    createdAt: BEGIN + sequence * 1_000,
    ...changes,
  };
}

export function lines(from: number, to: number): readonly LedgerEntry[] {
  return Array.from({ length: to - from + 1 }, (_, i) => line(from + i));
}

export function operation(number: number, changes: Partial<Operation> = {}): Operation {
  return {
    reference: `GUI-CI-${number}`,
    type: 'CASHIN',
    status: 'SUCCEEDED',
    amount: 1_000,
    fees: 0,
    netAmount: 1_000,
    currency: 'XOF',
    country: 'CI',
    operator: 'WAVE',
    externalReference: `order-${number}`,
    payerActionUrl: null,
    requiresPayerAction: false,
    failureCode: null,
    createdAt: BEGIN + number * 1_000,
    updatedAt: BEGIN + number * 1_000 + 500,
    completedAt: BEGIN + number * 1_000 + 500,
    expiresAt: null,
    ...changes,
  };
}

export function profile(changes: Partial<Merchant> = {}): Merchant {
  return {
    reference: 'M001',
    name: 'Épicerie du Plateau',
    legalName: null,
    country: 'CI',
    status: 'ACTIVE',
    allowedCountries: ['CI', 'SN'],
    pricing: { cashin: { bps: 200, flat: 0 }, cashout: { bps: 100, flat: 25 } },
    limits: {
      minCashinAmount: 100,
      maxCashinAmount: 1_000_000,
      minCashoutAmount: 200,
      maxCashoutAmount: 2_000_000,
      dailyCashoutLimit: 0,
    },
    createdAt: BEGIN,
    ...changes,
  };
}

export function wallet(changes: Partial<Wallet> = {}): Wallet {
  return {
    walletId: 'wallet-1',
    merchantId: 'merchant-1',
    currency: 'XOF',
    balance: 5_000,
    reserved: 1_000,
    available: 4_000,
    status: 'ACTIVE',
    totalCollected: 6_000,
    totalDisbursed: 1_000,
    totalFees: 0,
    updatedAt: BEGIN,
    ...changes,
  };
}

export function rejected(place: string, changes: Partial<RejectedRow> = {}): RejectedRow {
  return {
    part: 'ledger',
    place,
    reason: 'not JSON',
    refusal: null,
    sequence: null,
    reference: null,
    raw: '{',
    ...changes,
  };
}

/** Returns all rows of a stream, in its order. */
export async function rowsOf<Row>(
  stream: AsyncIterable<{ readonly rows: readonly Row[] }>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const batch of stream) rows.push(...batch.rows);
  return rows;
}

/** Returns the sequences of a reading's lines, and the references of its operations. */
export async function placesIn(snapshot: Snapshot) {
  return {
    sequences: (await rowsOf(snapshot.entries())).map((entry) => entry.sequence),
    references: (await rowsOf(snapshot.operations())).map((version) => version.operation.reference),
  };
}
