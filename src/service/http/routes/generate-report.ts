// POST /web-merchant/reports/generate: makes the report of a past month, or makes it again. A month that has not ended is
// refused with 400; every POST of this API answers 201.

import { z } from 'zod';
import { parsePeriod } from '../../../core/domain/period.ts';
import { StatementRefused } from '../../../core/statements/exact.ts';
import { asMerchantSees } from '../../workflows/month/read-reports.ts';
import { type Api, merchantOf, type Server } from '../api.ts';
import { ApiError, refusals } from '../api-error.ts';
import { answerOf } from '../generation-queue.ts';
import { formOf, REPORTS_PATH, reportForm } from '../report-form.ts';

const body = z.object({
  merchant_reference: z.string().min(1).max(200),
  period: z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month, YYYY-MM'),
});

const description = `A month is issued once, as revision 1, and frozen. Generated again without a change it is the same
report; with one, a new report with the next revision, which is in its summary. A report that takes long is answered as
PENDING; the list of reports shows how it ends. So is a month whose books do not agree, with the reason in \`error\`, until
the operator has looked at it and released it.`;

export function addGenerateReport(server: Server, api: Api): void {
  server.route({
    method: 'POST',
    url: `${REPORTS_PATH}/generate`,
    schema: {
      operationId: 'generateReport',
      summary: 'Generate or regenerate the report of a past month',
      description,
      tags: ['reports'],
      security: [{ authenticationtoken: [] }],
      body,
      response: { 201: reportForm, ...refusals(400, 401, 404, 413, 415, 503) },
    },
    handler: async (request, reply) => {
      const { merchant_reference: named, period: text } = request.body;
      const merchant = await merchantOf(api, request, named);
      const period = parsePeriod(text);
      if (period === null) throw new ApiError(400, 'body.period: must be a month, YYYY-MM, from 1970 on');
      try {
        const report = await answerOf(api.queue.ask({ merchant, period }), api.answerWithin);
        return reply.code(201).send(formOf(asMerchantSees(report), api.publicUrl));
      } catch (failure) {
        if (failure instanceof StatementRefused) throw new ApiError(400, failure.message);
        throw failure;
      }
    },
  });
}
