// GET /findings, GET /findings/{fingerprint} and POST /findings/{fingerprint}/decisions: what was found across merchants, and
// what people decide about it. A decision bears the name of the operator whose token it came with.

import { z } from 'zod';
import { PAGES } from '../../../core/checks/registry.ts';
import { SEVERITIES } from '../../../core/domain/finding.ts';
import { parseInstant } from '../../../core/domain/instant.ts';
import { FINDING_ACTIONS, FINDING_STATES } from '../../workflows/operators/operator-backend.ts';
import { directRefusals, notFound } from '../answer-error.ts';
import type { Server } from '../api.ts';
import { DirectError } from '../direct-error.ts';
import { findingForm, findingPageForm, STATUSES, shownFinding, shownFindingPage } from '../finding-form.ts';
import { askingOperator, OPERATOR_ROUTE, type OperatorApi } from '../operator-api.ts';
import { instantText, pageOf, pageQuery, reference, shownPage } from '../operator-forms.ts';

const fingerprint = z.string().regex(/^[0-9a-f]{16}$/, 'must be the 16 digits of a fingerprint');
const params = z.object({ fingerprint });
const ofMerchant = z.strictObject({ merchant: reference.optional() });

const query = pageQuery.extend({
  merchant: reference.optional(),
  kind: z
    .string()
    .regex(/^[A-Z_]{1,60}$/, 'must be a kind of the catalogue')
    .optional(),
  severity: z.enum(SEVERITIES).optional(),
  state: z.enum(FINDING_STATES).optional(),
  status: z.enum(STATUSES).optional(),
  since: instantText.optional().describe('Seen first by a run that began at this instant or later'),
  causedBy: z.enum(['none', 'all']).default('none').describe('none: roots only; all: also what follows from them'),
});

export function addListFindings(server: Server, { backend, querying }: OperatorApi): void {
  server.route({
    method: 'GET',
    url: '/findings',
    schema: {
      ...OPERATOR_ROUTE,
      operationId: 'listFindings',
      summary: 'Findings, worst first',
      description: 'Roots only, unless causedBy=all. Without a state: in whatever state they are.',
      tags: ['findings'],
      querystring: query,
      response: { 200: pageOf(findingForm), ...directRefusals(400, 401, 404, 429, 503) },
    },
    handler: async (request) => {
      const { since, causedBy, ...filter } = request.query;
      const wanted = {
        ...filter,
        since: since === undefined ? undefined : parseInstant(since)!,
        rootsOnly: causedBy === 'none',
      };
      return querying(async () => shownPage(await backend.listFindings(wanted), filter, shownFinding));
    },
  });
  server.route({
    method: 'GET',
    url: '/findings/:fingerprint',
    schema: {
      ...OPERATOR_ROUTE,
      operationId: 'readFinding',
      summary: 'A finding, with what was decided about it',
      tags: ['findings'],
      params,
      querystring: ofMerchant,
      response: { 200: findingPageForm, ...directRefusals(400, 401, 404, 503) },
    },
    handler: async (request) => {
      const found = await backend.findFinding({ ...request.params, ...request.query });
      if (found === null) throw notFound('finding');
      return shownFindingPage(found, explanationOf(found.finding.kind));
    },
  });
  addDecide(server, { backend });
}

const decision = z
  .strictObject({
    action: z.enum(FINDING_ACTIONS),
    reason: z
      .string()
      .trim()
      .min(1)
      .max(2_000)
      .optional()
      .describe('Kept as history; lines that settle are reason enough'),
    lines: z
      .array(z.string().regex(/^\d{1,15}$/))
      .max(50)
      .optional()
      .describe('settle: lines that put it right'),
    limit: z
      .string()
      .regex(/^\d{1,18}$/)
      .optional()
      .describe('accept: at most that much, without sign; absent: what it is now'),
    until: instantText.optional().describe('accept: from this instant on no more'),
  })
  .refine(({ action, reason }) => reason !== undefined || action === 'settle', {
    message: 'must be given',
    path: ['reason'],
  })
  .meta({ example: { action: 'acknowledge', reason: 'asked the service, ticket 4412' } });

function addDecide(server: Server, { backend }: Pick<OperatorApi, 'backend'>): void {
  server.route({
    method: 'POST',
    url: '/findings/:fingerprint/decisions',
    schema: {
      ...OPERATOR_ROUTE,
      operationId: 'decideFinding',
      summary: 'Decide about a finding',
      description: `acknowledge: from open; resolve: from open or acknowledged; settle and accept: a root that is none of
it yet; reopen: from any other state. Another move changes nothing and is refused with 409. A resolved finding that a run
finds again is reopened by the engine, and so is one that was settled or accepted once its evidence, its amount or its
lines are others, its limit is passed or its expiry is over. The next run applies what was decided.`,
      tags: ['findings'],
      params,
      querystring: ofMerchant,
      body: decision,
      response: { 201: findingPageForm, ...directRefusals(400, 401, 404, 409, 413, 415, 503) },
    },
    handler: async (request, reply) => {
      const { until, ...wish } = request.body;
      const made = {
        ...request.params,
        ...request.query,
        ...wish,
        until: until === undefined ? undefined : parseInstant(until)!,
        by: askingOperator(request),
      };
      const decided = await backend.decide(made);
      if (decided === null) throw notFound('finding');
      if ('refused' in decided) throw new DirectError(409, 'DECISION_REFUSED', decided.refused);
      return reply.code(201).send(shownFindingPage(decided, explanationOf(decided.finding.kind)));
    },
  });
}

/** Null for a kind that an older engine knew. */
function explanationOf(kind: string): string | null {
  return PAGES.get(kind)?.explanation ?? null;
}
