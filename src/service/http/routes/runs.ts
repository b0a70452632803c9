// GET /runs, GET /runs/{id} and GET /runs/{id}/changes: what the nights, and runs by hand, have
// done.

import { z } from 'zod';
import { SEVERITIES } from '../../../core/domain/finding.ts';
import type { RunRecord } from '../../workflows/operators/operator-backend.ts';
import type { Server } from '../port/api.ts';
import { directRefusals, thereIs } from '../port/errors.ts';
import {
  instant,
  type OperatorApi,
  paged,
  pageOf,
  pageQuery,
  plain,
  VERDICTS,
} from '../port/operator-api.ts';

const MEMBER_STATES = ['expected', 'done', 'failed'] as const;

const changes = z.object({ added: z.int(), resolved: z.int(), reopened: z.int() });

const runForm = z.object({
  id: z.int(),
  kind: z.enum(['manual', 'night']),
  source: z.string(),
  engine: z.string(),
  plannedFor: instant.nullable().describe('When its schedule wanted it'),
  startedAt: instant,
  finishedAt: instant.nullable().describe('Null while it goes on, or when it never ended properly'),
  closed: z.string().nullable().describe('Why it ended without covering everyone'),
  watermark: instant
    .nullable()
    .describe('The oldest instant up to which the books of a judged merchant were known'),
  coverage: z.object({
    expected: z.int().describe('Merchants that it was to cover'),
    judged: z.int().describe('Read to the end and judged'),
    unread: z.int().describe('Could not be read to the end'),
    failed: z.int().describe('Could not be judged, because of us'),
    waiting: z.int().describe('Not settled yet'),
  }),
  verdicts: z.object({ clean: z.int(), broken: z.int(), incomplete: z.int() }),
  entriesAdded: z.int(),
  operationsChanged: z.int(),
  findings: changes,
});

const memberForm = z.object({
  merchant: z.string(),
  state: z.enum(MEMBER_STATES),
  verdict: z.enum(VERDICTS).nullable(),
  reason: z.string().nullable().describe('Why it was not judged'),
  attempts: z.int(),
  startedAt: instant.nullable().describe('Of the last attempt'),
  finishedAt: instant.nullable(),
  watermark: instant.nullable().describe('The mirror holds what the source had at this instant'),
  entriesAdded: z.int(),
  operationsChanged: z.int(),
  findings: changes,
});

const changeForm = z.object({
  change: z.enum(['added', 'resolved', 'settled', 'reopened']),
  merchant: z.string(),
  fingerprint: z.string(),
  kind: z.string(),
  severity: z.enum(SEVERITIES),
  message: z.string(),
  causedBy: z.string().nullable(),
});

/** Returns a run as the API shows it, where `runId` is called `id`. */
function withId({ runId: id, ...run }: RunRecord) {
  return { ...run, id };
}

const params = z.object({
  id: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'must be the number of a run')
    .transform(Number)
    .meta({ type: 'integer' }),
});

export function addListRuns(server: Server, api: OperatorApi): void {
  const { backend, querying } = api;
  server.get('/runs', {
    config: { needs: 'read' },
    schema: {
      operationId: 'listRuns',
      summary: 'Runs, newest first',
      querystring: pageQuery,
      response: { 200: pageOf(runForm), ...directRefusals(429) },
    },
    handler: async ({ query }) =>
      querying(async () => {
        const { total, items } = await backend.listRuns(query);
        return paged({ total, items: items.map(withId) }, query);
      }),
  });
  server.get('/runs/:id', {
    config: { needs: 'read' },
    schema: {
      operationId: 'readRun',
      summary: 'A run, and what became of its merchants',
      description: 'Its merchants by state or verdict, a page at a time.',
      params,
      querystring: pageQuery.extend({
        state: z.enum(MEMBER_STATES).optional(),
        verdict: z.enum(VERDICTS).optional(),
      }),
      response: {
        200: runForm.extend({ members: pageOf(memberForm) }),
        ...directRefusals(404, 429),
      },
    },
    handler: async ({ params, query }) =>
      querying(async () => {
        const run = thereIs(await backend.findRun(params.id), 'run');
        const members = await backend.listMembers(params.id, query);
        return plain({ ...withId(run), members: paged(members, query) });
      }),
  });
  addListRunChanges(server, api);
}

function addListRunChanges(server: Server, { backend, querying }: OperatorApi): void {
  server.get('/runs/:id/changes', {
    config: { needs: 'read' },
    schema: {
      operationId: 'listRunChanges',
      summary: 'What a run found new, found again, or no longer found',
      description: 'By change (added, reopened, resolved), then by merchant and fingerprint.',
      params,
      querystring: pageQuery,
      response: { 200: pageOf(changeForm), ...directRefusals(404, 429) },
    },
    handler: async ({ params, query }) =>
      querying(async () => {
        return paged(thereIs(await backend.listChanges(params.id, query), 'run'), query);
      }),
  });
}
