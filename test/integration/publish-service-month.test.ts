// The payment service's own report of a month beside ours, by `pointage statement issue` on a real
// database and a real dashboard. The report gives the bounds, its figures are compared where they
// count the same, and a dashboard that cannot be read changes nothing.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { IssuedStatement } from '../../src/core/statements/revision.ts';
import type { StatementSummary } from '../../src/core/statements/summary.ts';
import { reportRepositoryOf } from '../../src/service/workflows/month/read-reports.ts';
import { rawReport } from '../support/dashboard-rows.ts';
import {
  type DashboardService,
  type Json,
  PASSWORD,
  startDashboardService,
} from '../support/dashboard-service.ts';
import { publishOctober } from '../support/publish-month.ts';
import { openReportBooks, READ_AT, type ReportBooks } from '../support/report-books.ts';
import { withoutTriggers } from '../support/without-triggers.ts';

let books: ReportBooks;
let service: DashboardService;
let ours: StatementSummary;

beforeAll(async () => {
  [books, service] = [await openReportBooks(['M001', 'M002']), await startDashboardService()];
  // The late line is dated at noon of the last day.
  books.addLateLine('M001', 12_345);
  await books.run(READ_AT + 60_000);
  await publish();
  const [first] = await reportRepositoryOf(books.store).list('M001');
  ours = (first!.issued as IssuedStatement).summary;
});
beforeEach(() => {
  service.before = () => null;
});
afterAll(async () => {
  await service.close();
  await books.close();
});

const publish = (merchant = 'M001', dashboard: Parameters<typeof publishOctober>[1] = service) =>
  publishOctober(books, dashboard, merchant);

test('a service that published nothing of the month is not spoken of', async () => {
  service.reports = [
    rawReport({ period: '2026-09', periodStart: null, periodEnd: null, summary: { ...ours } }),
  ];
  const { status, said, report } = await publish();
  expect([status, report.revision]).toEqual([0, 1]);
  expect(said).not.toContain('service');
  expect(service.asked.some(({ path }) => path === '/web-merchant/reports')).toBe(true);
});

test('a report that says the same agrees, whatever else it states and whichever edition it is', async () => {
  const { totalFees: _, ...summary } = ours;
  service.reports = [
    rawReport({ summary: { ...summary, revision: 7, chainHead: 'other', pages: 3 } }),
  ];
  const { status, said, report } = await publish();
  expect([status, report.revision]).toEqual([0, 1]);
  expect(said).toMatch(/the service's report: \d{2,} figures compared, all agree\n/);
});

test('a report that differs in one figure is named by key and both figures, and changes nothing', async () => {
  const byOperator = ours.byOperator.map((row, i) =>
    i === 0 ? { ...row, amount: row.amount + 5 } : row,
  );
  service.reports = [rawReport({ summary: { ...ours, byOperator } })];
  const { status, said, report } = await publish();
  expect([status, report.revision]).toEqual([0, 1]);
  expect(said).toMatch(/figures compared, 1 differ\n/);
  const [{ operator, amount }] = ours.byOperator as [(typeof ours.byOperator)[number]];
  const told = `the service's report says byOperator.${operator}.amount is ${amount + 5}, the statement ${amount}\n`;
  expect(said).toContain(told);
});

test.each<[string, Json, string]>([
  [
    'nothing that we count',
    { summary: { population: 'WALLET_OPERATIONS', pages: 3 } },
    'none of the figures',
  ],
  ['nothing at all', { summary: null }, 'it has no summary'],
  ['that it is not made yet', { status: 'PENDING', summary: null }, 'it is not generated yet'],
])('a report that states %s is not compared, and that is said', async (_, change, why) => {
  service.reports = [rawReport(change)];
  const { status, said } = await publish();
  expect(status).toBe(0);
  expect(said).toContain(`the service's report was not compared: ${why}`);
  expect(said).not.toContain('says');
});

test('a merchant whose dashboard is not configured is issued without asking', async () => {
  const asked = service.asked.length;
  const { status, said } = await publish('M002');
  expect([status, said.includes('service'), service.asked.length]).toEqual([0, false, asked]);
});

const BOUNDS = { periodStart: '2026-09-30T06:00:00.000Z', periodEnd: '2026-10-31T05:59:59.999Z' };

test('a month that was issued keeps its bounds where the service publishes others later, and is not compared with those', async () => {
  service.reports = [rawReport({ ...BOUNDS, summary: { ...ours } })];
  const { status, said, report } = await publish();
  const bounds = { periodStart: Date.UTC(2026, 9, 1), periodEnd: Date.UTC(2026, 10, 1) };
  expect([status, report]).toEqual([0, expect.objectContaining({ revision: 1, ...bounds })]);
  expect(said).toContain(
    "the service's report was not compared: its month has other bounds than the statement",
  );
});

test('other bounds are those of our statement, and stay while the dashboard cannot be read', async () => {
  await withoutTriggers(books.store.pool, async (client) => {
    for (const table of ['report_file_parts', 'report_files', 'reports'])
      await client.query(`delete from ${table}`);
  });
  service.reports = [rawReport({ ...BOUNDS, summary: { ...ours } })];
  const moved = await publish();
  const bounds = { periodStart: Date.UTC(2026, 8, 30, 6), periodEnd: Date.UTC(2026, 9, 31, 6) };
  expect(moved.report).toMatchObject({ status: 'READY', revision: 1, ...bounds });
  expect((moved.report.issued as IssuedStatement).summary).toMatchObject({
    adjustments: ours.adjustments - 12_345,
  });
  expect(moved.said).toMatch(/says adjustments is -?\d+, the statement -?\d+\n/);
  service.before = () => ({ do: 'error', status: 500 });
  const down = await publish();
  expect(down.report).toEqual(moved.report);
  expect(down.said).toMatch(
    /revision 1: READY, unchanged.*\n {2}the service's report was not compared: http.*: [A-Z_]+: /,
  );
  expect(down.said).not.toContain(PASSWORD);
  service.before = () => null;
  service.reports = [rawReport({ ...BOUNDS, status: 'SOON' })];
  const unread = await publish();
  expect(unread.report).toEqual(moved.report);
  expect(unread.said).toContain('was not compared: a report could not be read');
});
