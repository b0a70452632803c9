// Rows of the dashboard API in the documents' form, and functions that read them into arrays.

import { formatInstant, type Instant } from '../../src/core/domain/instant.ts';
import type { Payment } from '../../src/core/domain/payment.ts';
import type { DashboardSnapshot } from '../../src/core/domain/published/dashboard-snapshot.ts';
import type { Span } from '../../src/core/domain/service-report.ts';
import type { RejectedRow } from '../../src/core/domain/snapshot.ts';
import type { Json } from './dashboard-service.ts';

export const OCTOBER: Span = { from: Date.UTC(2026, 9, 1), until: Date.UTC(2026, 10, 1) };

export function rawPayment(change: Json = {}): Json {
  return {
    id: '00000000-0000-4000-8000-000000000001',
    reference: 'PAY000001',
    amount: 1_500,
    country: 'CI',
    provider: 'agrégateur',
    order_id: 'CMD-1',
    senderNumber: '+2250000000001',
    senderOperateur: 'Orange',
    metadata: { note: 'braces } ] and "quotes"' },
    status: 'SUCCESS',
    createdAt: '2026-10-05T08:00:00.000Z',
    ...change,
  };
}

export function paymentAt(number: number, createdAt: Instant, change: Json = {}): Json {
  return rawPayment({
    reference: `PAY${String(number).padStart(6, '0')}`,
    createdAt: formatInstant(createdAt),
    ...change,
  });
}

export function rawReport(change: Json = {}): Json {
  return {
    id: '00000000-0000-4000-8000-00000000000a',
    period: '2026-10',
    periodLabel: 'octobre 2026',
    periodStart: '2026-10-01T00:00:00.000Z',
    periodEnd: '2026-10-31T23:59:59.999Z',
    status: 'READY',
    filename: 'rapport-2026-10.pdf',
    fileUrl: 'https://files.example/rapport-2026-10.pdf',
    fileSize: 1_024,
    summary: { totalAmount: 1_500, paymentCount: 1 },
    error: null,
    generatedAt: '2026-11-03T00:00:00.000Z',
    ...change,
  };
}

/** Each answer under the last words of its path. */
export type RawPayouts = Readonly<Record<string, unknown>>;

export function rawPayouts() {
  return {
    compliance: {
      compliance: { status: 'PENDING', managerIdNumber: 'CI-123' },
      requiredDocuments: [],
      limits: { plafond: 200_000, consomme: 50_000, restant: 150_000 },
    },
    'refunds-stats': { requestSuccess: 1, requestPending: 0, requestFailed: 1 },
    'get-balance': { balance: '125000.50' },
    'settlement-settings': {
      mode: 'T0',
      time: '06:00',
      timezone: 'Africa/Douala',
      lastSettlementAt: '2026-10-05T05:00:00.000Z',
      hasPrimaryAccount: true,
      primaryAccountType: 'BANK',
      fees: { mobileMoneyRate: 1.5, bankFixed: 500 },
    },
    'list-disbursements': [
      {
        id: 'd-1',
        reference: 'DEC-1',
        amount: 50_000,
        fees: 500,
        status: 'SUCCESS',
        mode: 'T0',
        payoutAccountId: 'a-1',
        accountType: 'BANK',
        createdAt: '2026-10-05T05:00:00.000Z',
        completedAt: '2026-10-05T06:00:00.000Z',
        failureReason: null,
      },
      {
        id: 'd-2',
        reference: 'DEC-2',
        amount: 70_000,
        fees: null,
        status: 'FAILED',
        mode: 'MANUAL',
        payoutAccountId: 'a-1',
        accountType: 'BANK',
        createdAt: '2026-10-06T05:00:00.000Z',
        completedAt: '2026-10-06T06:00:00.000Z',
        failureReason: 'Compte fermé',
      },
    ],
    'payout-accounts': [
      {
        id: 'a-1',
        type: 'BANK',
        label: 'Compte principal',
        number: 'CI00 0000 0000',
        bankCode: 'CI001',
        isPrimary: true,
        createdAt: '2026-09-01T00:00:00.000Z',
      },
    ],
    'merchants-transactions-count': { total: 3, success: 1, pending: 1, failed: 1 },
    'merchants-monthly-transactions-count': [
      { month: '2026-10', total: 3, success: 1, pending: 1, failed: 1, amount: 1_500 },
    ],
    'merchants-transactions-flow': [{ date: '2026-10-05', count: 1, amount: 1_500 }],
    'webhooks/failed': [
      {
        id: 'n-1',
        status: 'ABANDONED',
        reference: 'PAY000001',
        attempts: 1,
        lastStatusCode: 404,
        nextRetryAt: null,
        payload: { status: 'SUCCESS', amount: 1_500, reference: 'PAY000001', fees: 15 },
        createdAt: '2026-10-05T08:00:00.000Z',
      },
    ],
  } satisfies RawPayouts;
}

export interface ReadPayments {
  readonly rows: readonly Payment[];
  readonly rejected: readonly RejectedRow[];
}

export async function readPayments(
  snapshot: DashboardSnapshot,
  span: Span = OCTOBER,
): Promise<ReadPayments> {
  const rows: Payment[] = [];
  const rejected: RejectedRow[] = [];
  for await (const batch of snapshot.payments(span)) {
    rows.push(...batch.rows);
    rejected.push(...batch.rejected);
  }
  return { rows, rejected };
}
