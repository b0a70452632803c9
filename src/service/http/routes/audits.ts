// POST /audits, GET /audits, GET /audits/{id} and its report.pdf: audits that operators order over
// HTTP, done by a worker, and read when they are done.

import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { formatInstant } from '../../../core/domain/instant.ts';
import { documentName } from '../../../core/domain/naming/names.ts';
import { parsePeriod } from '../../../core/domain/period.ts';
import {
  AUDIT_SOURCES,
  AUDIT_STATES,
  type Requested,
  type StoredAudit,
} from '../../workflows/operators/operator-backend.ts';
import type { Server } from '../port/api.ts';
import { attach } from '../port/csv.ts';
import { DirectError, directRefusals, invalid, notFound } from '../port/errors.ts';
import {
  givenInstant,
  instant,
  type OperatorApi,
  paged,
  pageOf,
  pageQuery,
  reference,
} from '../port/operator-api.ts';
import { askingOperator, namedAlone } from '../port/operators.ts';

const auditForm = z
  .object({
    id: z.uuid(),
    merchant: z.string(),
    source: z.enum(AUDIT_SOURCES),
    asOf: instant.describe('Findings that lie at or after it are left out'),
    period: z.string().nullable(),
    state: z.enum(AUDIT_STATES),
    requestedBy: z.string(),
    requestedAt: instant,
    startedAt: instant.nullable(),
    finishedAt: instant.nullable(),
    attempts: z.int().describe('More than one when a worker died on the way'),
    entriesRead: z.int().describe('Lines taken so far'),
    error: z.string().nullable().describe('Why the audit is FAILED'),
  })
  .meta({
    example: {
      id: '0b9b3c1e-55a8-4a35-9a5e-0d9a3c0f7a10',
      merchant: 'M001',
      source: 'mirror',
      asOf: '2026-11-01T00:00:00.000Z',
      period: '2026-10',
      state: 'RUNNING',
      requestedBy: 'controle',
      requestedAt: '2026-11-05T08:00:00.000Z',
      startedAt: '2026-11-05T08:00:01.000Z',
      finishedAt: null,
      attempts: 1,
      entriesRead: 40_000,
      error: null,
    },
  });

const auditPageForm = auditForm.extend({
  result: z
    .looseObject({})
    .nullable()
    .describe('The document of `pointage audit --format json`; null unless DONE'),
});

const wish = z
  .strictObject({
    merchant: reference,
    asOf: givenInstant.optional().describe('Findings that lie later are left out; default: now'),
    period: z
      .string()
      .refine((text) => parsePeriod(text) !== null, 'must be a month, YYYY-MM, from 1970 on')
      .transform((text) => parsePeriod(text)!)
      .optional()
      .describe(
        'A month that is over, YYYY-MM: as of its end, in the zone of the merchant’s months',
      ),
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

export function addAudits(server: Server, api: OperatorApi): void {
  server.post('/audits', {
    config: { needs: 'investigate' },
    schema: {
      operationId: 'orderAudit',
      summary: 'Ask for an audit',
      description,
      body: wish,
      response: { 202: auditForm, ...directRefusals(404, 429) },
    },
    handler: async (request, reply) => {
      const { asOf, period, ...wanted } = request.body;
      const requested = {
        ...wanted,
        asOf: period ?? asOf ?? null,
        by: askingOperator(request).name,
      };
      const audit = auditOf(await api.backend.requestAudit(requested));
      return reply.code(202).header('location', `/audits/${audit.id}`).send(audit);
    },
  });
  addReadAudits(server, api);
  addDownloadAudit(server, api);
}

/** Returns the audit that was queued. Throws `DirectError` where none was. */
function auditOf(requested: Requested): StoredAudit {
  switch (requested.kind) {
    case 'queued':
      return requested.audit;
    case 'unknown merchant':
      throw notFound('merchant');
    case 'refused':
      throw invalid([`body.${requested.field}: ${requested.why}`]);
    case 'too many':
      throw new DirectError(
        429,
        'RATE_LIMITED',
        'Too many audits wait already; ask again when some are done.',
      );
  }
}

function addReadAudits(server: Server, { backend, querying }: OperatorApi): void {
  server.get('/audits', {
    config: { needs: 'read' },
    schema: {
      operationId: 'listAudits',
      summary: 'Audits that were asked for, newest first',
      description: 'Without their results.',
      querystring: pageQuery,
      response: { 200: pageOf(auditForm), ...directRefusals(429) },
    },
    handler: async ({ query }) =>
      querying(async () => paged(await backend.listAudits(query), query)),
  });
  server.get('/audits/:id', {
    config: { needs: 'read' },
    schema: {
      operationId: 'readAudit',
      summary: 'An audit: how far it is, and what it said',
      description: 'When it is DONE, `result` is the document of `pointage audit --format json`.',
      params: z.object({ id: z.uuid() }),
      response: { 200: auditPageForm, ...directRefusals(404, 429) },
    },
    handler: async (request, reply) =>
      querying(async () => {
        const { id } = request.params;
        const audit = namedAlone(request, await backend.findAudit(id), 'audit');
        const result = await backend.loadResult(id);
        // As it was stored, character by character: a result may be long, and its figures are not
        // to pass through numbers.
        const text = `${JSON.stringify(z.encode(auditForm, audit)).slice(0, -1)},"result":${result ?? 'null'}}`;
        return reply.type('application/json; charset=utf-8').send(text as never);
      }),
  });
}

/**
 * Returns the report of an audit as PDF. It is drawn whole before its first byte is sent, because
 * half of a document is no answer. Throws `DirectError` 409 while the audit is not DONE.
 */
export async function drawAudit(
  { backend, drawing }: Pick<OperatorApi, 'backend' | 'drawing'>,
  audit: StoredAudit,
): Promise<{ readonly name: string; readonly bytes: Buffer }> {
  const { id, state, merchant, asOf } = audit;
  const bytes = await drawing(async () => {
    const result = await backend.loadResult(id);
    if (result === null)
      throw new DirectError(409, 'AUDIT_NOT_DONE', `The audit is ${state}: it has no report.`, {
        state,
      });
    const out = new PassThrough();
    return (await Promise.all([buffer(out), backend.writeReport(result, out)]))[0];
  });
  const name = `${documentName('AUDIT', merchant, formatInstant(asOf).slice(0, 10))}.pdf`;
  return { name, bytes };
}

function addDownloadAudit(server: Server, { backend, drawing }: OperatorApi): void {
  server.get('/audits/:id/report.pdf', {
    config: { needs: 'read' },
    schema: {
      operationId: 'downloadAudit',
      summary: 'The report of an audit, as PDF',
      description: 'In the language of `reports.language`. 409 while the audit is not DONE.',
      params: z.object({ id: z.uuid() }),
      produces: ['application/pdf'],
      response: { 200: z.string().meta({ format: 'binary' }), ...directRefusals(404, 409, 429) },
    },
    handler: async (request, reply) => {
      const audit = namedAlone(request, await backend.findAudit(request.params.id), 'audit');
      const { name, bytes } = await drawAudit({ backend, drawing }, audit);
      return attach(reply, 'application/pdf', name).send(bytes) as never;
    },
  });
}
