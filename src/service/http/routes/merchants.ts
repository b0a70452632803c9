// GET /merchants and GET /merchants/{reference}: whose books are mirrored, with their balances,
// holds and open findings.

import { z } from 'zod';
import { FINDING_STATES, SEVERITIES } from '../../../core/domain/finding.ts';
import type { Server } from '../port/api.ts';
import { directRefusals, thereIs } from '../port/errors.ts';
import { MERCHANT_FILTER } from '../port/filters.ts';
import {
  instant,
  type OperatorApi,
  paged,
  pageOf,
  pageQuery,
  plain,
  reference,
  VERDICTS,
} from '../port/operator-api.ts';
import { findingForm, shownFinding } from './findings.ts';

const merchantForm = z.object({
  reference: z.string(),
  name: z.string().nullable(),
  country: z.string().nullable(),
  status: z.string().nullable(),
  verdict: z
    .enum(VERDICTS)
    .nullable()
    .describe(
      'Of the newest run; of one that did not judge it broken where it was, else incomplete',
    ),
  judged: z.boolean().describe('Whether the newest run judged it'),
  lastVerdict: z
    .enum(VERDICTS)
    .nullable()
    .describe('Of the last run that judged it, as are lastRun and lastRunAt'),
  lastRun: z.int().nullable(),
  lastRunAt: instant.nullable(),
  watermark: instant.nullable().describe('The mirror holds what the source had at this instant'),
  openFindings: z.int().describe('Roots that are open'),
});

const figures = z.object({
  balance: z.string().nullable(),
  reserved: z.string().nullable(),
  available: z.string().nullable(),
  totalCollected: z.string().nullable(),
  totalDisbursed: z.string().nullable(),
  totalFees: z.string().nullable(),
});

const hold = z.object({
  operationReference: z.string(),
  amount: z.int(),
  sequence: z.int().nullable().describe('The line that holds'),
  heldAt: instant.nullable(),
  status: z.string().nullable().describe('Of the operation as it was last read'),
  expiresAt: instant.nullable(),
});

const merchantPage = merchantForm.extend({
  books: z
    .object({
      currency: z.string().nullable(),
      entries: z.int(),
      operations: z.int(),
      recorded: figures.describe('As the wallet states them'),
      recomputed: figures.describe('As the lines make them'),
      unexplained: z.object({ balance: z.string().nullable(), reserved: z.string().nullable() }),
      due: z
        .object({
          balance: z.string(),
          reserved: z.string(),
          available: z.string(),
          unexplained: z.object({ balance: z.string(), reserved: z.string() }),
        })
        .nullable()
        .describe(
          'What the wallet must be once every root that is not settled is put right; null: it takes whole books',
        ),
      notChecked: z.array(
        z.object({
          what: z.string(),
          why: z.string(),
          incomplete: z.boolean().optional().describe('Without it the verdict cannot be clean'),
          code: z
            .string()
            .optional()
            .describe('Why, for programs; absent where the reason is a text from outside'),
          figures: z
            .record(z.string(), z.unknown())
            .optional()
            .describe('What the reason is made of'),
        }),
      ),
    })
    .nullable()
    .describe('What the last run said; null before the first'),
  holds: z
    .object({
      total: z.int(),
      amount: z.int(),
      items: z.array(hold).describe('At most 100, by their lines'),
    })
    .nullable()
    .describe(
      'What cash-outs still hold, as the last run left it; null until the next run when that no longer holds good',
    ),
  findings: z.object({
    unresolved: z.array(
      z.object({ severity: z.enum(SEVERITIES), state: z.enum(FINDING_STATES), count: z.int() }),
    ),
    worst: z.array(findingForm).describe('Open roots, worst first, at most 100'),
  }),
});

export function addListMerchants(server: Server, { backend, querying }: OperatorApi): void {
  server.get('/merchants', {
    config: { needs: 'read' },
    schema: {
      operationId: 'listMerchants',
      summary: 'Merchants of the mirror, by reference',
      querystring: pageQuery.extend(MERCHANT_FILTER),
      response: { 200: pageOf(merchantForm), ...directRefusals(429) },
    },
    handler: async ({ query }) =>
      querying(async () => paged(await backend.listMerchants(query), query)),
  });
  server.get('/merchants/:reference', {
    config: { needs: 'read', merchantIn: 'reference' },
    schema: {
      operationId: 'readMerchant',
      summary: 'A merchant: balances, holds, open findings',
      description: 'Figures of the last run, which read the books up to the watermark.',
      params: z.object({ reference }),
      response: { 200: merchantPage, ...directRefusals(404, 429) },
    },
    handler: async ({ params }) =>
      querying(async () => {
        const page = thereIs(await backend.findMerchant(params.reference), 'merchant');
        const { unresolved, worst, ...merchant } = page;
        return plain({
          ...merchant,
          findings: { unresolved: unresolved as never, worst: worst.map(shownFinding) },
        });
      }),
  });
}
