// Rows of the dashboard API in the documents' form, and readings of them into arrays.

import type { DashboardSnapshot } from '../../src/domain/dashboard-snapshot.ts';
import { formatInstant, type Instant } from '../../src/domain/instant.ts';
import type { Payment } from '../../src/domain/payment.ts';
import type { Span } from '../../src/domain/service-report.ts';
import type { RejectedRow } from '../../src/domain/snapshot.ts';
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

export interface ReadPayments {
  readonly rows: readonly Payment[];
  readonly rejected: readonly RejectedRow[];
}

export async function readPayments(snapshot: DashboardSnapshot, span: Span = OCTOBER): Promise<ReadPayments> {
  const rows: Payment[] = [];
  const rejected: RejectedRow[] = [];
  for await (const batch of snapshot.payments(span)) {
    rows.push(...batch.rows);
    rejected.push(...batch.rejected);
  }
  return { rows, rejected };
}
