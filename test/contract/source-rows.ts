// Raw rows in the form of the source document, sound unless a field is overridden: what sources are
// fed in tests.

export type Raw = Record<string, unknown>;

export function rawEntry(change: Raw): Raw {
  const sequence = typeof change.sequence === 'number' ? change.sequence : 1;
  return {
    id: `00000000-0000-4000-8000-${String(Math.abs(sequence)).padStart(12, '0')}`,
    sequence,
    direction: 'CREDIT',
    kind: 'CASHIN_CREDIT',
    amount: 1_000,
    currency: 'XOF',
    balanceAfter: 1_000 * sequence,
    reservedAfter: 0,
    operationReference: 'GUI-CI-000001',
    description: null,
    createdAt: '2026-01-05T08:00:00.000Z',
    ...change,
  };
}

export function rawOperation(change: Raw): Raw {
  return {
    reference: 'GUI-CI-000001',
    type: 'CASHIN',
    status: 'SUCCEEDED',
    amount: 1_000,
    fees: 20,
    netAmount: 980,
    currency: 'XOF',
    country: 'CI',
    operator: 'ORANGE',
    counterparty: { phoneNumber: '+2250700000000', name: null },
    externalReference: null,
    description: null,
    payerActionUrl: null,
    requiresPayerAction: false,
    failure: null,
    metadata: null,
    createdAt: '2026-01-05T08:00:00.000Z',
    updatedAt: '2026-01-05T08:01:00.000Z',
    completedAt: '2026-01-05T08:01:00.000Z',
    expiresAt: '2026-01-05T08:30:00.000Z',
    ...change,
  };
}

export function rawWallet(change: Raw): Raw {
  return {
    walletId: '00000000-0000-4000-9000-000000000001',
    merchantId: '00000000-0000-4000-a000-000000000001',
    currency: 'XOF',
    balance: 10_000,
    reserved: 20,
    available: 9_980,
    status: 'ACTIVE',
    totalCollected: 10_000,
    totalDisbursed: 0,
    totalFees: 0,
    updatedAt: '2026-01-31T00:00:00.000Z',
    ...change,
  };
}

export function rawMerchant(change: Raw): Raw {
  return {
    reference: 'M001',
    name: 'Boutique du Plateau',
    legalName: null,
    email: 'compte@example.test',
    phoneNumber: null,
    country: 'CI',
    status: 'ACTIVE',
    allowedCountries: ['CI', 'SN'],
    webhookUrl: 'https://shop.example/notifications',
    webhookSecretHint: null,
    pricing: { cashinFeeBps: 200, cashinFeeFlat: 0, cashoutFeeBps: 150, cashoutFeeFlat: 25 },
    limits: {
      minCashinAmount: 100,
      maxCashinAmount: 2_000_000,
      minCashoutAmount: 100,
      maxCashoutAmount: 2_000_000,
      dailyCashoutLimit: 0,
    },
    metadata: null,
    createdAt: '2025-12-01T00:00:00.000Z',
    ...change,
  };
}

/** The body of a notification that the operation of `rawOperation(change)` succeeded. */
export function rawEvent(change: Raw, frame: Raw = {}): Raw {
  return {
    id: 'evt_1',
    type: 'cashin.succeeded',
    createdAt: '2026-01-05T08:01:00.000Z',
    merchantReference: 'M001',
    data: { operation: rawOperation(change) },
    ...frame,
  };
}
