// GET /trail: what operators did and looked at.

import { z } from 'zod';
import type { Server } from '../port/api.ts';
import { directRefusals } from '../port/errors.ts';
import { TRAIL_FILTER } from '../port/filters.ts';
import { givenInstant, instant, type OperatorApi, pageQuery, plain } from '../port/operator-api.ts';

export const entryNumber = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'must be the number of an entry')
  .transform(Number);

const entryForm = z.object({
  number: z.int().describe('In the order of writing'),
  at: instant,
  operator: z.string(),
  via: z.enum(['http', 'console', 'cli']),
  action: z.string().describe('A route, or a command'),
  merchant: z.string().nullable().describe('Null: none, or several'),
  subject: z
    .string()
    .nullable()
    .describe('Of which finding, operation, audit or month, and what was decided'),
  status: z.int().describe('Of the answer, or with which the command ended'),
});

export function addTrail(server: Server, { backend, querying }: OperatorApi): void {
  server.get('/trail', {
    config: { needs: 'trail' },
    schema: {
      operationId: 'listTrail',
      summary: 'What operators did and looked at, newest first',
      description:
        'By key: `next` of one page is `before` of the page after it; null: there is none.',
      querystring: pageQuery.omit({ offset: true }).extend({
        operator: TRAIL_FILTER.operator,
        merchant: TRAIL_FILTER.merchant,
        from: givenInstant.optional().describe('At or after it'),
        to: givenInstant.optional().describe('Before it'),
        before: entryNumber.optional().describe('Entries with a lower number'),
      }),
      response: {
        200: z.object({ items: z.array(entryForm), next: z.string().nullable() }),
        ...directRefusals(429),
      },
    },
    handler: async ({ query }) =>
      querying(async () => {
        const items = await backend.listTrail(query);
        return plain({
          items,
          next: items.length < query.limit ? null : String(items.at(-1)!.number),
        });
      }),
  });
}
