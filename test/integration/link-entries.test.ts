// The journal of payments by link of an issued month, over real HTTP and a real database: commissions that notifications told, payouts,
// what a revision gives accounts that hold the one before, and a service that cannot be asked.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { IssuedStatement } from '../../src/core/statements/revision.ts';
import { readReportFile } from '../../src/io/storage/issued/report-files.ts';
import type { ReportRecord } from '../../src/service/workflows/month/read-reports.ts';
import { takeSignal } from '../../src/service/workflows/notifications/receive-notification.ts';
import { readFecRows } from '../support/bookkeeping-readers.ts';
import { paymentAt, rawPayouts } from '../support/dashboard-rows.ts';
import { type DashboardService, startDashboardService } from '../support/dashboard-service.ts';
import { publishOctober } from '../support/publish-month.ts';
import { openReportBooks, READ_AT, type ReportBooks } from '../support/report-books.ts';

const AT = Date.UTC(2026, 9, 5, 8);
const LATE = Date.UTC(2026, 9, 31, 22);
let service: DashboardService;

beforeAll(async () => {
  service = await startDashboardService();
});
beforeEach(() => {
  service.before = () => null;
  service.reports = [];
  service.payouts = rawPayouts();
  service.payments = [
    paymentAt(1, AT, { amount: 1_000 }),
    paymentAt(2, AT + 1, { amount: 20_000, senderOperateur: 'WAVE' }),
    paymentAt(3, Date.UTC(2026, 8, 20), { amount: 66_666 }),
    paymentAt(4, LATE, { amount: 4_000, status: 'PENDING' }),
    paymentAt(5, AT + 2, { amount: 7_777, status: 'FAILED' }),
  ];
});
afterAll(() => service.close());

async function withBooks(use: (books: ReportBooks) => Promise<void>): Promise<void> {
  const books = await openReportBooks(['M001']);
  try {
    await use(books);
  } finally {
    await books.close();
  }
}

async function rowsOf(books: ReportBooks, report: ReportRecord, format: string) {
  const parts: Uint8Array[] = [];
  for await (const part of readReportFile(books.store, report, format)) parts.push(part);
  return readFecRows(Buffer.concat(parts))
    .filter(({ journal }) => journal === 'PL')
    .map(({ entry, account, debit, credit }) => [entry, account, debit - credit] as const);
}

const accountOf = (report: ReportRecord) => (report.issued as IssuedStatement).paymentsByLink!.account!;

function tell(books: ReportBooks, reference: string, body: object) {
  const bytes = Buffer.from(JSON.stringify({ status: 'SUCCESS', reference, ...body }));
  const task = { store: books.store, jobs: { send: async () => {} }, isKnown: async () => true };
  return takeSignal(task, { merchant: 'M001', receivedAt: AT + 1_000, body: bytes });
}

test('a commission is booked where its notification agrees with the payment, and a payout when it has left', () =>
  withBooks(async (books) => {
    await tell(books, 'PAY000001', { amount: 1_000, fees: 14.5 });
    // Of another amount: it says nothing of this payment.
    await tell(books, 'PAY000002', { amount: 20_001, fees: 300 });
    const { report } = await publishOctober(books, service);
    expect(accountOf(report)).toMatchObject({
      opening: 66_666,
      collected: 21_000,
      commissions: 15,
      unknownCount: 1,
      unknownAmount: 20_000,
      paidOut: 50_000,
      payoutFees: 500,
      closing: 66_666 + 21_000 - 15 - 50_000 - 500,
    });
    expect(await rowsOf(books, report, 'fec')).toEqual([
      ['PL-2026-10-PAY000001', '5188', 1_000],
      ['PL-2026-10-PAY000001', '411', -1_000],
      ['PL-2026-10-PAY000001-F', '6317', 15],
      ['PL-2026-10-PAY000001-F', '5188', -15],
      ['PL-2026-10-PAY000002', '5188', 20_000],
      ['PL-2026-10-PAY000002', '411', -20_000],
      ['PL-2026-10-d-1', '585', 50_000],
      ['PL-2026-10-d-1', '5188', -50_000],
      ['PL-2026-10-d-1-F', '6317', 500],
      ['PL-2026-10-d-1-F', '5188', -500],
    ]);
  }));

test('the delta of a revision has the payment that succeeded late, and nothing else of them', () =>
  withBooks(async (books) => {
    await publishOctober(books, service);
    service.payments = [...service.payments, paymentAt(4, LATE, { amount: 4_000 })].toSpliced(3, 1);
    const { report } = await publishOctober(books, service);
    expect(report.revision).toBe(2);
    expect(await rowsOf(books, report, 'delta')).toEqual([
      ['PL-2026-10-PAY000004', '5188', 4_000],
      ['PL-2026-10-PAY000004', '411', -4_000],
    ]);
  }));

test('while the service cannot be asked, a revision keeps the entries that the month was issued with', () =>
  withBooks(async (books) => {
    const first = await publishOctober(books, service);
    const issued = await rowsOf(books, first.report, 'fec');
    service.before = ({ path }) => (path.endsWith('/search') ? { do: 'error', status: 500 } : null);
    books.addLateLine('M001', 12_345);
    await books.run(READ_AT + 60_000);
    const { report } = await publishOctober(books, service);
    expect(report.revision).toBe(2);
    expect(issued.length).toBeGreaterThan(5);
    expect(await rowsOf(books, report, 'fec')).toEqual(issued);
    expect(await rowsOf(books, report, 'delta')).toEqual([]);
  }));
