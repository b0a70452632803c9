// GET /web-merchant/reports/{id}/download: one file of a report that is READY, its bytes as they were issued.

import { Readable } from 'node:stream';
import { z } from 'zod';
import type { ReportFile } from '../../workflows/month/read-reports.ts';
import { type Api, merchantOf, type Server } from '../api.ts';
import { ApiError, refusals, reportNotFound } from '../api-error.ts';
import { primaryFile, REPORTS_PATH } from '../report-form.ts';
import { merchantQuery } from './list-reports.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function addDownloadReport(server: Server, api: Api): void {
  server.route({
    method: 'GET',
    url: `${REPORTS_PATH}/:id/download`,
    schema: {
      operationId: 'downloadReport',
      summary: 'Download a file of a report',
      description: 'Without a format: the PDF, where the report has one.',
      tags: ['reports'],
      security: [{ authenticationtoken: [] }],
      params: z.object({ id: z.string() }),
      querystring: merchantQuery.extend({ format: z.enum(api.formats).optional() }),
      produces: ['application/octet-stream'],
      response: { 200: z.string().meta({ format: 'binary' }), ...refusals(400, 401, 404, 503) },
    },
    handler: async (request, reply) => {
      const { merchant_reference: named, format } = request.query;
      const merchant = await merchantOf(api, request, named);
      const report = UUID.test(request.params.id) ? await api.repository.find(merchant, request.params.id) : null;
      if (report === null) throw reportNotFound();
      if (report.isHeld) throw new ApiError(404, report.error!);
      const file = format === undefined ? primaryFile(report) : report.files.find((one) => one.format === format);
      if (file === undefined || file === null) throw reportNotFound();
      const bytes = await api.repository.read(report, file);
      reply.headers({
        'content-type': file.mediaType,
        'content-length': file.size,
        'content-disposition': dispositionOf(file),
        etag: `"${file.sha256}"`,
        'cache-control': 'private, no-cache',
      });
      return reply.send(Readable.from(bytes, { objectMode: false }) as never);
    },
  });
}

/** The name twice: for every client, and as it is (RFC 6266). */
function dispositionOf({ fileName }: ReportFile): string {
  const plain = fileName.replace(/[^\w.-]/g, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(fileName)}`;
}
