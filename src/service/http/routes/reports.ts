// The Report API of the dashboard's document, exactly its fields: GET /web-merchant/reports, newest
// first; POST …/generate, which makes the report of a past month, or makes it again (a month that
// has not ended is refused with 400; every POST of this API answers 201); GET …/{id}/download, a
// file of a report that is READY, its bytes as they were issued.

import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { formatInstant, formatKnown } from '../../../core/domain/instant.ts';
import { parsePeriod } from '../../../core/domain/period.ts';
import { StatementRefused } from '../../../core/statements/exact.ts';
import type { IssuedStatement } from '../../../core/statements/revision.ts';
import { deltaOf, nameDownload } from '../../../io/formats/deltas.ts';
import {
  asMerchantSees,
  type ReportFile,
  type ReportRecord,
} from '../../workflows/month/read-reports.ts';
import { type Api, merchantOf, type Server } from '../port/api.ts';
import { dispositionOf } from '../port/csv.ts';
import { ApiError, refusals, reportNotFound } from '../port/errors.ts';
import { awaitReport } from '../port/generation-queue.ts';
import { noteOperator, noteSubjects } from '../port/operators.ts';

const REPORTS_PATH = '/web-merchant/reports';

const reportForm = z.object({
  id: z.uuid(),
  period: z.string().describe('Month covered, YYYY-MM'),
  periodLabel: z.string(),
  periodStart: z.iso.datetime().describe('First instant of the month'),
  periodEnd: z.iso.datetime().describe('First instant after the month'),
  status: z.enum(['PENDING', 'READY', 'FAILED']),
  filename: z.string().nullable(),
  fileUrl: z.string().nullable(),
  fileSize: z.int().nullable().describe('Bytes'),
  summary: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('Key figures of the month; null unless READY'),
  error: z
    .string()
    .nullable()
    .describe('Why the report is FAILED, or PENDING until it is released'),
  generatedAt: z.iso.datetime().nullable(),
});

/**
 * Returns a report in the document's form. `publicUrl` comes before the path of `fileUrl`; `null`:
 * the path alone.
 */
function formOf(report: ReportRecord, publicUrl: string | null): z.infer<typeof reportForm> {
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
    fileUrl:
      file === null
        ? null
        : `${publicUrl?.replace(/\/+$/, '') ?? ''}${REPORTS_PATH}/${id}/download`,
    fileSize: file?.size ?? null,
    summary: issued === null ? null : summaryOf(issued),
    error,
    generatedAt: formatKnown(generatedAt),
  };
}

/**
 * Returns the figures of a month, with the chain of the lines read. Payments by link have a key of
 * their own, where there are any, because they are another population: no figure adds the two.
 */
function summaryOf({
  summary,
  paymentsByLink,
  chain,
}: IssuedStatement): z.infer<typeof reportForm>['summary'] {
  const links = paymentsByLink == null ? {} : { paymentsByLink: paymentsByLink.summary };
  return { ...summary, ...links, ...(chain === undefined ? {} : { chain }) };
}

const FIRST_CHOICE = ['pdf', 'xlsx', 'json'];

/**
 * Returns the file that a download without a format gives: the PDF, where the report has one.
 * Returns `null` when the report has no file.
 */
function primaryFile({ files }: ReportRecord): ReportFile | null {
  const chosen = FIRST_CHOICE.map((name) => files.find(({ format }) => format === name)).find(
    Boolean,
  );
  return chosen ?? files[0] ?? null;
}

/** The document does not show the parameter's name; left out, the merchant is that of the token. */
const merchantQuery = z.object({ merchant_reference: z.string().min(1).max(200).optional() });

export function addListReports(server: Server, api: Api): void {
  server.get(REPORTS_PATH, {
    schema: {
      operationId: 'listReports',
      summary: 'List the reports of a merchant, newest first',
      querystring: merchantQuery,
      response: { 200: z.array(reportForm), ...refusals(400, 401, 404, 503) },
    },
    handler: async (request, reply) => {
      const merchant = await merchantOf(api, request, request.query.merchant_reference);
      const reports = await api.repository.list(merchant);
      return reply.send(reports.map((report) => formOf(report, api.publicUrl)));
    },
  });
}

const body = z.object({
  merchant_reference: z.string().min(1).max(200),
  period: z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month, YYYY-MM'),
});

const description = `A month is issued once, as revision 1, and frozen. Generated again without a change it is the same
report; with one, a new report with the next revision, which is in its summary. A report that takes long is answered as
PENDING; the list of reports shows how it ends. So is a month whose books do not agree or were rewritten, with the reason in \`error\`, until
the operator has looked at it and released it.`;

export function addGenerateReport(server: Server, api: Api): void {
  server.post(`${REPORTS_PATH}/generate`, {
    schema: {
      operationId: 'generateReport',
      summary: 'Generate or regenerate the report of a past month',
      description,
      body,
      response: { 201: reportForm, ...refusals(400, 401, 404, 413, 415, 503) },
    },
    handler: async (request, reply) => {
      const { merchant_reference: named, period: text } = request.body;
      const merchant = await merchantOf(api, request, named);
      const period = parsePeriod(text);
      if (period === null)
        throw new ApiError(400, 'body.period: must be a month, YYYY-MM, from 1970 on');
      try {
        const report = await awaitReport(api.queue.ask({ merchant, period }), api.answerWithin);
        noteOperator(request, { name: `merchant ${merchant}`, roles: [], merchant }, 'http');
        noteSubjects(request, [{ merchant, file: `${text} r${report.revision}` }]);
        return reply.code(201).send(formOf(asMerchantSees(report), api.publicUrl));
      } catch (failure) {
        if (failure instanceof StatementRefused) throw new ApiError(400, failure.message);
        throw failure;
      }
    },
  });
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function addDownloadReport(server: Server, api: Api): void {
  server.get(`${REPORTS_PATH}/:id/download`, {
    schema: {
      operationId: 'downloadReport',
      summary: 'Download a file of a report',
      description: 'Without a format: the PDF, where the report has one.',
      params: z.object({ id: z.string() }),
      querystring: merchantQuery.extend({ format: z.enum(api.formats).optional() }),
      produces: ['application/octet-stream'],
      response: { 200: z.string().meta({ format: 'binary' }), ...refusals(400, 401, 404, 503) },
    },
    handler: async (request, reply) => {
      const { merchant_reference: named, format } = request.query;
      const merchant = await merchantOf(api, request, named);
      const report = UUID.test(request.params.id)
        ? await api.repository.find(merchant, request.params.id)
        : null;
      if (report === null) throw reportNotFound();
      if (report.isHeld) throw new ApiError(404, report.error!);
      const file =
        format === undefined
          ? primaryFile(report)
          : report.files.find((one) => one.format === format);
      if (file === undefined || file === null) throw reportNotFound();
      const bytes = await api.repository.read(report, file);
      noteOperator(request, { name: `merchant ${merchant}`, roles: [], merchant }, 'http');
      return sendFile(reply, { ...report, ...file }, bytes) as never;
    },
  });
}

type Served = ReportFile & Pick<ReportRecord, 'merchant' | 'period' | 'revision'>;

/**
 * Sends a file of a report. The headers name its revision and, where the file has only changes, the
 * revision before. The trail says who was given the file.
 */
export function sendFile(
  reply: FastifyReply,
  file: Served,
  bytes: AsyncIterable<Uint8Array>,
): FastifyReply {
  const before = deltaOf(file);
  noteSubjects(reply.request, [{ merchant: file.merchant, file: nameDownload(file) }]);
  reply.headers({
    'x-pointage-revision': file.revision,
    ...(before === null ? {} : { 'x-pointage-delta-of': before }),
    'content-type': file.mediaType,
    'content-length': file.size,
    'content-disposition': dispositionOf(file.fileName),
    etag: `"${file.sha256}"`,
    'cache-control': 'private, no-cache',
  });
  return reply.send(Readable.from(bytes, { objectMode: false }));
}
