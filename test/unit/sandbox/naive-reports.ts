// A naive look at published reports, independent of the engine: the sandbox's own form of a summary
// against a plain count of the payments that had succeeded, or may have, when it was made.

import type { Books } from '../../../src/sandbox/model/plan.ts';
import type { Seen } from './naive-lines.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;

export function lookAtReports({ reports, payments }: Books): Seen[] {
  return reports
    .filter(
      (report) => report.summary !== null && !agrees(report.summary, countsOf(report, payments)),
    )
    .map(() => ({ kind: 'REPORT_SUMMARY_MISMATCH', sequence: null, operationReference: null }));
}

type Report = Books['reports'][number];
type Counts = ReturnType<typeof countsOf>;

function countsOf(report: Report, payments: Books['payments']) {
  const [from, until] = [Date.parse(report.periodStart), Date.parse(report.periodEnd)];
  const paid = payments.filter(
    ({ createdAt, status }) =>
      Date.parse(createdAt) >= from && Date.parse(createdAt) <= until && status === 'SUCCESS',
  );
  const sure = paid.filter(
    ({ createdAt }) => Date.parse(createdAt) < Date.parse(report.generatedAt!) - DAY - HOUR,
  );
  return { sure, paid };
}

function agrees(summary: NonNullable<Report['summary']>, { sure, paid }: Counts): boolean {
  const sum = (some: Counts['paid']) => some.reduce((total, { amount }) => total + amount, 0);
  const within = (figure: number, least: number, most: number) => figure >= least && figure <= most;
  const of = (some: Counts['paid'], name: string) =>
    some.filter((one) => one.senderOperateur.toLowerCase() === name);
  const names = new Set([
    ...paid.map((one) => one.senderOperateur.toLowerCase()),
    ...summary.byOperator.map((one) => one.operator),
  ]);
  const amountOf = (name: string) =>
    summary.byOperator.find((one) => one.operator === name)?.amount ?? 0;
  const broken = summary.byOperator.reduce((total, { amount }) => total + amount, 0);
  return (
    broken === summary.totalAmount &&
    within(summary.totalAmount, sum(sure), sum(paid)) &&
    within(summary.paymentCount, sure.length, paid.length) &&
    [...names].every((name) => within(amountOf(name), sum(of(sure, name)), sum(of(paid, name))))
  );
}
