// A report as the dashboard document shows it: exactly its fields. What a report does not have yet is null.

import { z } from 'zod';
import { formatInstant } from '../../core/domain/instant.ts';
import type { IssuedStatement } from '../../core/statements/revision.ts';
import type { ReportFile, ReportRecord } from '../workflows/month/read-reports.ts';

export const REPORTS_PATH = '/web-merchant/reports';

export const reportForm = z.object({
  id: z.uuid(),
  period: z.string().describe('Month covered, YYYY-MM'),
  periodLabel: z.string(),
  periodStart: z.iso.datetime().describe('First instant of the month'),
  periodEnd: z.iso.datetime().describe('First instant after the month'),
  status: z.enum(['PENDING', 'READY', 'FAILED']),
  filename: z.string().nullable(),
  fileUrl: z.string().nullable(),
  fileSize: z.int().nullable().describe('Bytes'),
  summary: z.record(z.string(), z.unknown()).nullable().describe('Key figures of the month; null unless READY'),
  error: z.string().nullable().describe('Why the report is FAILED, or PENDING until it is released'),
  generatedAt: z.iso.datetime().nullable(),
});

/** `publicUrl` stands before the path of `fileUrl`; null: the path alone. */
export function formOf(report: ReportRecord, publicUrl: string | null): z.infer<typeof reportForm> {
  const file = primaryFile(report);
  const { id, period, periodLabel, status, error, generatedAt } = report;
  const issued = report.issued as IssuedStatement | null;
  return {
    id,
    period,
    periodLabel,
    periodStart: formatInstant(report.periodStart),
    periodEnd: formatInstant(report.periodEnd),
    status,
    filename: file?.fileName ?? null,
    fileUrl: file === null ? null : `${publicUrl?.replace(/\/+$/, '') ?? ''}${REPORTS_PATH}/${id}/download`,
    fileSize: file?.size ?? null,
    summary: issued === null ? null : summaryOf(issued),
    error,
    generatedAt: generatedAt === null ? null : formatInstant(generatedAt),
  };
}

/** With the other population under a key of its own, where there is one: no figure adds the two. */
function summaryOf({ summary, paymentsByLink }: IssuedStatement): z.infer<typeof reportForm>['summary'] {
  return paymentsByLink == null ? { ...summary } : { ...summary, paymentsByLink: paymentsByLink.summary };
}

const FIRST_CHOICE = ['pdf', 'xlsx', 'json'];

/** The file that a download without a format gives: the PDF, where the report has one. Null when it has no file. */
export function primaryFile({ files }: ReportRecord): ReportFile | null {
  const chosen = FIRST_CHOICE.map((name) => files.find(({ format }) => format === name)).find(Boolean);
  return chosen ?? files[0] ?? null;
}
