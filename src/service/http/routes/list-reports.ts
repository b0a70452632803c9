// GET /web-merchant/reports: every report of the caller's merchant, newest first.

import { z } from 'zod';
import { type Api, merchantOf, type Server } from '../api.ts';
import { refusals } from '../api-error.ts';
import { formOf, REPORTS_PATH, reportForm } from '../report-form.ts';

/** The document does not show the parameter's name; left out, the merchant is that of the token. */
export const merchantQuery = z.object({ merchant_reference: z.string().min(1).max(200).optional() });

export function addListReports(server: Server, api: Api): void {
  server.route({
    method: 'GET',
    url: REPORTS_PATH,
    schema: {
      operationId: 'listReports',
      summary: 'List the reports of a merchant, newest first',
      tags: ['reports'],
      security: [{ authenticationtoken: [] }],
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
