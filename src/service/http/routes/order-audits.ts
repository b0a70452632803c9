// POST /audits, GET /audits and GET /audits/{id}: audits that are asked for over HTTP, done by a worker, and read when they
// are done.

import { z } from 'zod';
import { parseInstant } from '../../../core/domain/instant.ts';
import { parsePeriod } from '../../../core/domain/period.ts';
import {
  AUDIT_SOURCES,
  type AuditRequest,
  type Requested,
  type StoredAudit,
} from '../../workflows/operators/operator-backend.ts';
import { directRefusals, invalid, notFound } from '../answer-error.ts';
import type { Server } from '../api.ts';
import { auditForm, auditPageForm, shownAudit } from '../audit-form.ts';
import { DirectError } from '../direct-error.ts';
import { askingOperator, OPERATOR_ROUTE, type OperatorApi } from '../operator-api.ts';
import { instantText, pageOf, pageQuery, reference, shownPage } from '../operator-forms.ts';

const wish = z
  .strictObject({
    merchant: reference,
    asOf: instantText.optional().describe('Findings that lie later are left out; default: now'),
    period: z
      .string()
      .refine((text) => parsePeriod(text) !== null, 'must be a month, YYYY-MM, from 1970 on')
      .optional()
      .describe('A month that is over, YYYY-MM: as of its end, in the zone of the merchant’s months'),
    source: z
      .enum(AUDIT_SOURCES)
      .default('mirror')
      .describe('mirror: what runs have read; service: the books as they are kept'),
  })
  .refine(({ asOf, period }) => asOf === undefined || period === undefined, {
    message: 'has one of asOf and period, not both',
  })
  .meta({ example: { merchant: 'M001', period: '2026-10', source: 'mirror' } });

const description = `Written down and queued for a worker: answered with 202, and not with the dashboard's 201, because nothing is
audited yet. Ask for the audit itself to see how far it is. A month is judged by everything that was read since, also lines and
states after it; what lies after its end is left out. Balances are those of the books as they were read, not of the month's end.`;

export function addOrderAudits(server: Server, api: OperatorApi): void {
  server.route({
    method: 'POST',
    url: '/audits',
    schema: {
      ...OPERATOR_ROUTE,
      operationId: 'orderAudit',
      summary: 'Ask for an audit',
      description,
      tags: ['audits'],
      body: wish,
      response: { 202: auditForm, ...directRefusals(400, 401, 404, 413, 415, 429, 503) },
    },
    handler: async (request, reply) => {
      const audit = auditOf(await api.backend.requestAudit(requestOf(request.body, askingOperator(request))));
      return reply.code(202).header('location', `/audits/${audit.id}`).send(shownAudit(audit));
    },
  });
  addReadAudits(server, api);
}

function requestOf({ merchant, source, asOf, period }: z.infer<typeof wish>, by: string): AuditRequest {
  const instant = asOf === undefined ? null : parseInstant(asOf);
  return { merchant, source, asOf: period === undefined ? instant : parsePeriod(period), by };
}

/** Throws `DirectError` for what was not queued. */
function auditOf(requested: Requested): StoredAudit {
  switch (requested.kind) {
    case 'queued':
      return requested.audit;
    case 'unknown merchant':
      throw notFound('merchant');
    case 'refused':
      throw invalid([`body.${requested.field}: ${requested.why}`]);
    case 'too many':
      throw new DirectError(429, 'RATE_LIMITED', 'Too many audits wait already; ask again when some are done.');
  }
}

function addReadAudits(server: Server, { backend, querying }: OperatorApi): void {
  server.route({
    method: 'GET',
    url: '/audits',
    schema: {
      ...OPERATOR_ROUTE,
      operationId: 'listAudits',
      summary: 'Audits that were asked for, newest first',
      description: 'Without their results.',
      tags: ['audits'],
      querystring: pageQuery,
      response: { 200: pageOf(auditForm), ...directRefusals(400, 401, 429, 503) },
    },
    handler: async ({ query }) => querying(async () => shownPage(await backend.listAudits(query), query, shownAudit)),
  });
  server.route({
    method: 'GET',
    url: '/audits/:id',
    schema: {
      ...OPERATOR_ROUTE,
      operationId: 'readAudit',
      summary: 'An audit: how far it is, and what it said',
      description: 'When it is DONE, `result` is the document of `pointage audit --format json`.',
      tags: ['audits'],
      params: z.object({ id: z.uuid() }),
      response: { 200: auditPageForm, ...directRefusals(400, 401, 404, 429, 503) },
    },
    handler: async ({ params }, reply) =>
      querying(async () => {
        const audit = await backend.findAudit(params.id);
        if (audit === null) throw notFound('audit');
        const result = await backend.loadResult(params.id);
        // As it was stored, character by character: a result may be long, and its figures are not to pass through numbers.
        const text = `${JSON.stringify(shownAudit(audit)).slice(0, -1)},"result":${result ?? 'null'}}`;
        return reply.type('application/json; charset=utf-8').send(text as never);
      }),
  });
}
