// The journal of payments by link of an issued month, over real HTTP and a real database:
// commissions that notifications told, payouts, what a revision gives to accounts that hold the
// revision before, and a service that cannot be asked.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { IssuedStatement } from '../../src/core/statements/revision.ts';
import { FORMATS } from '../../src/io/formats/register.ts';
import { openDashboard } from '../../src/io/sources/dashboard/open-dashboard.ts';
import { readReportFile } from '../../src/io/storage/issued/report-files.ts';
import { closeMonths } from '../../src/service/workflows/month/close-months.ts';
import { publishStatement } from '../../src/service/workflows/month/publish-statement.ts';
import { knownLinks } from '../../src/service/workflows/month/read-links.ts';
import type { ReportRecord } from '../../src/service/workflows/month/read-reports.ts';
import { askServiceMonthAt } from '../../src/service/workflows/month/service-month.ts';
import { takeSignal } from '../../src/service/workflows/notifications/receive-notification.ts';
import { readFecRows } from '../support/bookkeeping-readers.ts';
import { paymentAt, rawPayouts } from '../support/dashboard-rows.ts';
import {
  type DashboardService,
  dashboardSettings,
  startDashboardService,
} from '../support/dashboard-service.ts';
import { areInstalled } from '../support/installed.ts';
import { optionsAt } from '../support/nightly.ts';
import { rawPagesOf, squeezed } from '../support/pdf-tools.ts';
import { publishOctober } from '../support/publish-month.ts';
import {
  OCTOBER,
  openReportBooks,
  publishTask,
  READ_AT,
  type ReportBooks,
} from '../support/report-books.ts';
import { testFolder } from '../support/test-folder.ts';

const AT = Date.UTC(2026, 9, 5, 8);
/** The formats that these tests read. */
const READ: readonly string[] = ['json', 'fec', 'pdf'];
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

/** Issues October, in the formats that these tests read. */
const issueMonth = (books: ReportBooks) => publishOctober(books, service, 'M001', ['json', 'fec']);

async function bytesOf(books: ReportBooks, report: ReportRecord, format: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of readReportFile(books.store, report, format)) parts.push(part);
  return Buffer.concat(parts);
}

async function fecOf(books: ReportBooks, report: ReportRecord, format = 'fec') {
  return readFecRows(await bytesOf(books, report, format)).filter(
    ({ journal }) => journal === 'PL',
  );
}

async function rowsOf(books: ReportBooks, report: ReportRecord, format: string) {
  return (await fecOf(books, report, format)).map(
    ({ entry, account, debit, credit }) => [entry, account, debit - credit] as const,
  );
}

const accountOf = (report: ReportRecord) =>
  (report.issued as IssuedStatement).paymentsByLink!.account!;

function tell(books: ReportBooks, reference: string, body: object) {
  const bytes = Buffer.from(JSON.stringify({ status: 'SUCCESS', reference, ...body }));
  const task = { store: books.store, jobs: { send: async () => {} }, isKnown: async () => true };
  return takeSignal(task, { merchant: 'M001', receivedAt: AT + 1_000, body: bytes });
}

test('a commission is booked where its notification agrees with the payment, and a payout when it has left', () =>
  withBooks(async (books) => {
    await tell(books, 'PAY000001', { amount: 1_000, fees: 14.5 });
    // The notification has another amount, so that it says nothing of this payment.
    await tell(books, 'PAY000002', { amount: 20_001, fees: 300 });
    const { report } = await issueMonth(books);
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

test('54 commissions of 12.5 are 675, and nothing is owed where all was paid out', () =>
  withBooks(async (books) => {
    service.payments = Array.from({ length: 54 }, (_, i) =>
      paymentAt(100 + i, AT + i * 1_000, { amount: 625 }),
    );
    const [paid] = service.payouts['list-disbursements'] as Record<string, unknown>[];
    const out = { ...paid, amount: 33_075, fees: 0 };
    service.payouts = {
      ...service.payouts,
      'list-disbursements': [out],
      'get-balance': { balance: '0' },
    };
    for (let i = 0; i < 54; i++)
      await tell(books, `PAY${String(100 + i).padStart(6, '0')}`, { amount: 625, fees: 12.5 });
    const { report } = await issueMonth(books);
    expect(accountOf(report)).toMatchObject({
      ...{ collected: 33_750, commissions: 675, paidOut: 33_075, closing: 0 },
      service: { balance: '0', ours: 0, difference: '0', isExplained: true },
    });
    const rows = await rowsOf(books, report, 'fec');
    const sumOf = (account: string) =>
      rows.reduce((sum, row) => sum + (row[1] === account ? row[2] : 0), 0);
    expect([sumOf('5188'), sumOf('6317')]).toEqual([0, 675]);
    expect(rows.slice(-2)).toEqual([
      ['PL-2026-10-R-ORANGE-CI', '5188', 27],
      ['PL-2026-10-R-ORANGE-CI', '6317', -27],
    ]);
  }));

test('the delta of a revision has the payment that succeeded late, and nothing else of them', () =>
  withBooks(async (books) => {
    await issueMonth(books);
    service.payments = [...service.payments, paymentAt(4, LATE, { amount: 4_000 })].toSpliced(3, 1);
    const { report } = await issueMonth(books);
    expect(report.revision).toBe(2);
    expect(await rowsOf(books, report, 'delta')).toEqual([
      ['PL-2026-10-PAY000004', '5188', 4_000],
      ['PL-2026-10-PAY000004', '411', -4_000],
    ]);
  }));

describe('a payment and a payout of October that come after it was issued', () => {
  const [NOVEMBER, DECEMBER] = [Date.UTC(2026, 11, 2), Date.UTC(2027, 0, 2)];

  /** Issues a month at an instant, with the books as they were then. */
  async function publishAt(books: ReportBooks, month: number, now: number): Promise<ReportRecord> {
    await books.run(now);
    const serviceMonthOf = askServiceMonthAt({
      dashboard: openDashboard(dashboardSettings(service)),
      summaryKeys: {},
    });
    const formats = FORMATS.filter(({ name }) => READ.includes(name));
    const asked = {
      period: { year: 2026, month },
      formats,
      now,
      serviceMonthOf,
      auditFor: () => optionsAt(now),
    };
    return (await publishStatement(publishTask(books.store, asked), 'M001')).report;
  }

  function comeLate(): void {
    service.payments = [
      ...service.payments.toSpliced(3, 1),
      paymentAt(4, LATE, { amount: 4_000 }),
      paymentAt(6, Date.UTC(2026, 10, 7), { amount: 900, senderOperateur: 'MTN' }),
    ];
    const [paid, ...others] = service.payouts['list-disbursements'] as Record<string, unknown>[];
    const late = {
      ...paid,
      id: 'd-9',
      reference: 'DEC-9',
      amount: 3_000,
      fees: 50,
      completedAt: '2026-10-31T23:00:00Z',
    };
    service.payouts = { ...service.payouts, 'list-disbursements': [paid!, ...others, late] };
  }

  test('are booked on the first day of the next month where October is closed, once, and named', () =>
    withBooks(async (books) => {
      const { report: october } = await issueMonth(books);
      const wish = {
        merchant: 'M001',
        period: OCTOBER,
        by: 'awa',
        reason: null,
        now: READ_AT,
        expectOpen: 'any',
      } as const;
      await closeMonths(books.store, wish);
      comeLate();
      await tell(books, 'PAY000004', { amount: 4_000, fees: 60 });
      const november = await publishAt(books, 11, NOVEMBER);
      const { closing } = accountOf(october);
      expect(november).toMatchObject({ status: 'READY', revision: 1 });
      expect(accountOf(november)).toMatchObject({
        ...{ opening: closing, collected: 4_900, commissions: 60, paidOut: 3_000, payoutFees: 50 },
        ...{ late: { count: 1, amount: 4_000 }, closing: closing + 4_900 - 60 - 3_000 - 50 },
      });
      expect((november.issued as IssuedStatement).paymentsByLink!.summary).toMatchObject({
        paymentCount: 1,
        totalAmount: 900,
      });
      const rows = (await fecOf(books, november)).filter(
        ({ entry }) => !entry.includes('PAY000006'),
      );
      expect(
        rows.map(({ entry, date, account, debit, credit }) => [
          entry,
          date,
          account,
          debit - credit,
        ]),
      ).toEqual([
        ['PL-2026-11-PAY000004', '2026-11-01', '5188', 4_000],
        ['PL-2026-11-PAY000004', '2026-11-01', '411', -4_000],
        ['PL-2026-11-PAY000004-F', '2026-11-01', '6317', 60],
        ['PL-2026-11-PAY000004-F', '2026-11-01', '5188', -60],
        ['PL-2026-11-d-9', '2026-11-01', '585', 3_000],
        ['PL-2026-11-d-9', '2026-11-01', '5188', -3_000],
        ['PL-2026-11-d-9-F', '2026-11-01', '6317', 50],
        ['PL-2026-11-d-9-F', '2026-11-01', '5188', -50],
      ]);
      const pdf = join(testFolder('pointage-late-'), 'releve.pdf');
      writeFileSync(pdf, await bytesOf(books, november, 'pdf'));
      if (areInstalled('pdftotext'))
        expect(squeezed(rawPagesOf(pdf).join(''))).toContain(
          squeezed(
            'Un paiement (4 000) de la période précédente est connu depuis la clôture de celle-ci : il est compté et inscrit au premier jour de ce relevé.',
          ),
        );
      const december = await publishAt(books, 12, DECEMBER);
      expect(accountOf(december)).toMatchObject({
        opening: accountOf(november).closing,
        collected: 0,
        paidOut: 0,
      });
      expect(await rowsOf(books, december, 'fec')).toEqual([]);
      // A year asks for all payments, from the first on.
      const year = {
        period: { year: 2026, month: null },
        bounds: { start: Date.UTC(2026, 0, 1), end: DECEMBER },
        now: DECEMBER,
      };
      expect(await knownLinks(books.store, 'M001', year)).toMatchObject({ opening: null });
    }));

  test('are in no entry of the next month where October may be revised, which says so until it is', () =>
    withBooks(async (books) => {
      const { report: october } = await issueMonth(books);
      comeLate();
      const november = await publishAt(books, 11, NOVEMBER);
      expect(accountOf(november)).toMatchObject({
        opening: accountOf(october).closing,
        collected: 900,
        paidOut: 0,
      });
      expect(accountOf(november)).toMatchObject({ missing: { count: 1, amount: 4_000 } });
      expect(accountOf(november)).not.toHaveProperty('late');
      expect((await publishAt(books, 10, NOVEMBER)).revision).toBe(2);
      const revised = await publishAt(books, 11, NOVEMBER);
      expect(revised.revision).toBe(2);
      expect(accountOf(revised)).toMatchObject({
        opening: accountOf(october).closing + 4_000 - 3_050,
        collected: 900,
      });
      expect(accountOf(revised)).not.toHaveProperty('missing');
    }));
});

test('while the service cannot be asked, a revision keeps the entries that the month was issued with', () =>
  withBooks(async (books) => {
    const first = await issueMonth(books);
    const issued = await rowsOf(books, first.report, 'fec');
    service.before = ({ path }) => (path.endsWith('/search') ? { do: 'error', status: 500 } : null);
    books.addLateLine('M001', 12_345);
    await books.run(READ_AT + 60_000);
    const { report } = await issueMonth(books);
    expect(report.revision).toBe(2);
    expect(issued.length).toBeGreaterThan(5);
    expect(await rowsOf(books, report, 'fec')).toEqual(issued);
    expect(await rowsOf(books, report, 'delta')).toEqual([]);
  }));
