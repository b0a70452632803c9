// GET /merchants and GET /merchants/{reference}: whose books are mirrored, what they come to, what is held and what is wrong.

import { z } from 'zod';
import { SEVERITIES } from '../../../core/domain/finding.ts';
import { FINDING_STATES, type MerchantPage } from '../../workflows/operators/operator-backend.ts';
import { directRefusals, notFound } from '../answer-error.ts';
import type { Server } from '../api.ts';
import { findingForm, shownFinding } from '../finding-form.ts';
import { OPERATOR_ROUTE, type OperatorApi } from '../operator-api.ts';
import {
  merchantForm,
  pageOf,
  pageQuery,
  reference,
  shownInstant,
  shownMerchant,
  shownPage,
} from '../operator-forms.ts';

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
  heldAt: z.iso.datetime().nullable(),
  status: z.string().nullable().describe('Of the operation as it was last read'),
  expiresAt: z.iso.datetime().nullable(),
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
          code: z.string().optional().describe('Why, for programs; absent where the reason is somebody else’s words'),
          figures: z.record(z.string(), z.unknown()).optional().describe('What the reason is made of'),
        }),
      ),
    })
    .nullable()
    .describe('What the last run said; null before the first'),
  holds: z
    .object({ total: z.int(), amount: z.int(), items: z.array(hold).describe('At most 100, by their lines') })
    .nullable()
    .describe(
      'What cash-outs still hold, as the last run left it; null until the next run when that no longer holds good',
    ),
  findings: z.object({
    unresolved: z.array(z.object({ severity: z.enum(SEVERITIES), state: z.enum(FINDING_STATES), count: z.int() })),
    worst: z.array(findingForm).describe('Open roots, worst first, at most 100'),
  }),
});

export function addListMerchants(server: Server, { backend, querying }: OperatorApi): void {
  server.route({
    method: 'GET',
    url: '/merchants',
    schema: {
      ...OPERATOR_ROUTE,
      operationId: 'listMerchants',
      summary: 'Merchants of the mirror, by reference',
      tags: ['merchants'],
      querystring: pageQuery,
      response: { 200: pageOf(merchantForm), ...directRefusals(400, 401, 429, 503) },
    },
    handler: async ({ query }) =>
      querying(async () => shownPage(await backend.listMerchants(query), query, shownMerchant)),
  });
  server.route({
    method: 'GET',
    url: '/merchants/:reference',
    schema: {
      ...OPERATOR_ROUTE,
      operationId: 'readMerchant',
      summary: 'A merchant: balances, holds, open findings',
      description: 'Figures of the last run, which read the books up to the watermark.',
      tags: ['merchants'],
      params: z.object({ reference }),
      response: { 200: merchantPage, ...directRefusals(400, 401, 404, 429, 503) },
    },
    handler: async ({ params }) =>
      querying(async () => {
        const page = await backend.findMerchant(params.reference);
        if (page === null) throw notFound('merchant');
        return shownMerchantPage(page);
      }),
  });
}

function shownMerchantPage(page: MerchantPage): z.infer<typeof merchantPage> {
  const { books, holds, unresolved, worst, ...record } = page;
  return {
    ...shownMerchant(record),
    books: books === null ? null : { ...books, notChecked: books.notChecked.map((note) => ({ ...note })) },
    holds:
      holds === null
        ? null
        : {
            total: holds.total,
            amount: holds.amount,
            items: holds.items.map((one) => ({
              ...one,
              heldAt: shownInstant(one.heldAt),
              expiresAt: shownInstant(one.expiresAt),
            })),
          },
    findings: { unresolved: unresolved.map((one) => ({ ...one })) as never, worst: worst.map(shownFinding) },
  };
}
