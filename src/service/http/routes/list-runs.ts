// GET /runs, GET /runs/{id} and GET /runs/{id}/changes: what the nights, and runs by hand, have done.

import { z } from 'zod';
import { directRefusals, notFound } from '../answer-error.ts';
import type { Server } from '../api.ts';
import { OPERATOR_ROUTE, type OperatorApi } from '../operator-api.ts';
import {
  changeForm,
  MEMBER_STATES,
  memberForm,
  pageOf,
  pageQuery,
  runForm,
  shownMember,
  shownPage,
  shownRun,
  VERDICTS,
} from '../operator-forms.ts';

const params = z.object({
  id: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'must be the number of a run')
    .transform(Number)
    .meta({ type: 'integer' }),
});

export function addListRuns(server: Server, api: OperatorApi): void {
  const { backend, querying } = api;
  server.route({
    method: 'GET',
    url: '/runs',
    schema: {
      ...OPERATOR_ROUTE,
      operationId: 'listRuns',
      summary: 'Runs, newest first',
      tags: ['runs'],
      querystring: pageQuery,
      response: { 200: pageOf(runForm), ...directRefusals(400, 401, 429, 503) },
    },
    handler: async ({ query }) => querying(async () => shownPage(await backend.listRuns(query), query, shownRun)),
  });
  server.route({
    method: 'GET',
    url: '/runs/:id',
    schema: {
      ...OPERATOR_ROUTE,
      operationId: 'readRun',
      summary: 'A run, and what became of its merchants',
      description: 'Its merchants by state or verdict, a page at a time.',
      tags: ['runs'],
      params,
      querystring: pageQuery.extend({
        state: z.enum(MEMBER_STATES).optional(),
        verdict: z.enum(VERDICTS).optional(),
      }),
      response: {
        200: runForm.extend({ members: pageOf(memberForm) }),
        ...directRefusals(400, 401, 404, 429, 503),
      },
    },
    handler: async ({ params, query }) =>
      querying(async () => {
        const run = await backend.findRun(params.id);
        if (run === null) throw notFound('run');
        const members = await backend.listMembers(params.id, query);
        return { ...shownRun(run), members: shownPage(members, query, shownMember) };
      }),
  });
  addListRunChanges(server, api);
}

function addListRunChanges(server: Server, { backend, querying }: OperatorApi): void {
  server.route({
    method: 'GET',
    url: '/runs/:id/changes',
    schema: {
      ...OPERATOR_ROUTE,
      operationId: 'listRunChanges',
      summary: 'What a run found new, found again, or no longer found',
      description: 'By change (added, reopened, resolved), then by merchant and fingerprint.',
      tags: ['runs'],
      params,
      querystring: pageQuery,
      response: { 200: pageOf(changeForm), ...directRefusals(400, 401, 404, 429, 503) },
    },
    handler: async ({ params, query }) =>
      querying(async () => {
        const changes = await backend.listChanges(params.id, query);
        if (changes === null) throw notFound('run');
        return shownPage(changes, query, (change) => ({ ...change }));
      }),
  });
}
