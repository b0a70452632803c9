// GET /runs and GET /runs/{id}: what the nights, and whoever ran by hand, have done.

import { z } from 'zod';
import { directRefusals, notFound } from '../answer-error.ts';
import type { Server } from '../api.ts';
import { OPERATOR_ROUTE, type OperatorApi } from '../operator-api.ts';
import {
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

export function addLookAtRuns(server: Server, { desk, looking }: OperatorApi): void {
  server.route({
    method: 'GET',
    url: '/runs',
    schema: {
      ...OPERATOR_ROUTE,
      summary: 'Runs, newest first',
      tags: ['runs'],
      querystring: pageQuery,
      response: { 200: pageOf(runForm), ...directRefusals(400, 401, 429, 503) },
    },
    handler: async ({ query }) => looking.pass(async () => shownPage(await desk.listRuns(query), query, shownRun)),
  });
  server.route({
    method: 'GET',
    url: '/runs/:id',
    schema: {
      ...OPERATOR_ROUTE,
      summary: 'A run, and what became of its merchants',
      description: 'Its merchants by state or verdict, a page at a time.',
      tags: ['runs'],
      params: z.object({
        id: z
          .string()
          .regex(/^[1-9]\d{0,14}$/, 'must be the number of a run')
          .transform(Number),
      }),
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
      looking.pass(async () => {
        const run = await desk.findRun(params.id);
        if (run === null) throw notFound('run');
        const members = await desk.listMembers(params.id, query);
        return { ...shownRun(run), members: shownPage(members, query, shownMember) };
      }),
  });
}
