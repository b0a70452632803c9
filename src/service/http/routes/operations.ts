// GET /operations/{reference}, GET /merchants/{reference}/entries and GET /search: one operation
// followed through versions, lines, notifications, months and findings; the lines around one line;
// and what a text finds. Phone numbers are masked. To see them whole takes a reason, which is
// logged with the operator's name.

import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { FINDING_STATES, SEVERITIES } from '../../../core/domain/finding.ts';
import { OPERATION_STATUSES, OPERATION_TYPES } from '../../../core/domain/operation.ts';
import { READINGS } from '../../workflows/operators/search-books.ts';
import type { Server } from '../port/api.ts';
import { DirectError, directRefusals, invalid, notFound, thereIs } from '../port/errors.ts';
import { instant, type OperatorApi, plain, reference } from '../port/operator-api.ts';
import { askingOperator, noteMerchant, requirePermission } from '../port/operators.ts';

/** A whole amount: a number in the program, decimal text in JSON. */
const amount = z.codec(z.string(), z.number().meta({ type: 'string' }), {
  decode: Number,
  encode: String,
});
const sequence = amount.describe('Number of a line');
const figures = z.object({ balance: amount, reserved: amount });

const lineForm = z.object({
  id: z.string(),
  sequence,
  kind: z.string(),
  direction: z.string(),
  amount,
  currency: z.string(),
  createdAt: instant,
  operationReference: z.string().nullable(),
  description: z.string().nullable(),
  before: figures
    .nullable()
    .describe('Recorded figures after the judged line before; null: it is the first known line'),
  balanceAfter: amount,
  reservedAfter: amount,
  missing: z.int().describe('Numbers of the sequence that are left out before it'),
  off: figures
    .nullable()
    .describe(
      'The break: recorded less what follows from the line before; null: both figures follow',
    ),
  isJudged: z.boolean().describe('False: another content that was read under this sequence'),
});

const versionForm = z.object({
  number: z.int().describe('1 for the first that was read'),
  readAfter: instant.nullable(),
  readUntil: instant
    .nullable()
    .describe(
      'It was read between these two readings of the wallet; null: none was before, or since',
    ),
  reference: z.string(),
  type: z.enum(OPERATION_TYPES),
  status: z.enum(OPERATION_STATUSES),
  amount,
  fees: amount,
  netAmount: amount,
  currency: z.string(),
  country: z.string(),
  operator: z.string(),
  externalReference: z.string().nullable(),
  requiresPayerAction: z.boolean(),
  failureCode: z.string().nullable(),
  failureMessage: z.string().nullable(),
  counterpartyNumber: z.string().nullable(),
  counterpartyName: z.string().nullable(),
  description: z.string().nullable(),
  metadata: z.string().nullable().describe('JSON text'),
  createdAt: instant,
  updatedAt: instant,
  completedAt: instant.nullable(),
  expiresAt: instant.nullable(),
});

const lines = z.array(sequence);
const nullableInstant = instant.nullable();

const operationForm = z.object({
  merchant: z.string(),
  reference: z.string(),
  currency: z.string().nullable(),
  versions: z.array(versionForm).describe('Oldest first'),
  lines: z.array(lineForm).describe('That name it, by sequence'),
  hold: z
    .object({
      amount,
      lines,
      releasedBy: lines,
      left: amount.describe('By the recorded moves of the reserved amount'),
    })
    .nullable(),
  fee: z
    .object({
      charged: amount.describe('As the operation states it'),
      posted: amount.describe('By its lines'),
      price: z
        .object({ bps: z.number(), flat: amount, least: amount, most: amount, fits: z.boolean() })
        .nullable()
        .describe(
          'The newest price known that fits what was charged, else the newest; null: no profile was read',
        ),
    })
    .nullable(),
  reversal: z
    .object({ at: nullableInstant.describe('Null: it is not REVERSED'), lines })
    .nullable(),
  notifications: z
    .array(
      z.object({
        eventId: z.string(),
        variant: z.int().describe('Above 0: another body under the same id'),
        channel: z.enum(['direct', 'payments']).describe('direct: signed'),
        type: z.string().nullable(),
        createdAt: nullableInstant,
        receivedAt: instant,
        fault: z.string().nullable().describe('Why its body could not be read'),
      }),
    )
    .describe('As they came; the same body again is not counted'),
  months: z.array(
    z.object({
      period: z.string(),
      lines: lines.describe('Of this operation, in this month'),
      report: z
        .object({ revision: z.int(), issuedAt: nullableInstant, isHeld: z.boolean() })
        .nullable()
        .describe('In force; null: not issued'),
      closedAt: nullableInstant,
      closedBy: z.string().nullable(),
    }),
  ),
  findings: z
    .array(
      z.object({
        fingerprint: z.string(),
        kind: z.string(),
        severity: z.enum(SEVERITIES),
        status: z.enum(['confirmed', 'provisional']),
        state: z.enum(FINDING_STATES),
        sequence: z.string().nullable(),
        causedBy: z.string().nullable(),
        message: z.string(),
      }),
    )
    .describe('That name it or begin at its lines, worst first, at most 50'),
});

const entriesForm = z.object({
  merchant: z.string(),
  around: sequence.nullable(),
  items: z
    .array(
      lineForm.extend({
        findings: z.array(z.object({ fingerprint: z.string(), kind: z.string() })),
      }),
    )
    .describe('By sequence'),
});

/** Parameters by which a call asks for whole phone numbers. */
const numbersAsked = z.strictObject({
  phoneNumbers: z
    .enum(['masked', 'whole'])
    .default('masked')
    .describe('whole: needs the permission investigate, and a reason, which is logged'),
  reason: z.string().trim().min(1).max(500).optional(),
});

/**
 * Returns who asks for whole phone numbers, and why; `undefined` where they stay masked. Throws
 * `DirectError` where the reason is missing, or the permission to investigate.
 */
function wholeFor(request: FastifyRequest, { phoneNumbers, reason }: z.infer<typeof numbersAsked>) {
  if (phoneNumbers === 'masked') return undefined;
  requirePermission(request, 'investigate');
  if (reason === undefined) throw invalid(['query.reason: must be given']);
  return { by: askingOperator(request).name, reason };
}

export function addOperation(server: Server, { backend, querying }: OperatorApi): void {
  server.get('/operations/:reference', {
    config: { needs: 'read', merchantIn: 'merchant' },
    schema: {
      operationId: 'followOperation',
      summary: 'What happened to one operation',
      description: 'Its versions, lines, hold, fee, reversal, notifications, months and findings.',
      params: z.object({ reference }),
      querystring: numbersAsked.extend({
        merchant: reference.optional().describe('Where several merchants have it'),
      }),
      response: { 200: operationForm, ...directRefusals(404, 409, 422, 429) },
    },
    handler: async (request) =>
      querying(async () => {
        const whole = wholeFor(request, request.query);
        const { merchant } = request.query;
        const followed = await backend.followOperation({ ...request.params, merchant, whole });
        if (!('holders' in followed)) {
          noteMerchant(request, followed.merchant);
          return plain(followed);
        }
        const { holders } = followed;
        if (holders.length === 0) throw notFound('operation');
        const text = 'Several merchants have an operation of this reference: name one.';
        throw new DirectError(409, 'SEVERAL_MERCHANTS', text, { merchants: holders });
      }),
  });
}

const pageQuery = numbersAsked.extend({
  around: z
    .string()
    .regex(/^\d{1,15}$/, 'must be the number of a line')
    .transform(Number)
    .optional()
    .meta({ type: 'integer', minimum: 0 })
    .describe('In the middle of the page; absent: the newest lines'),
  limit: z
    .string()
    .regex(/^(?:[1-9]\d?|1\d\d|200)$/, 'must be a whole number from 1 to 200')
    .transform(Number)
    .default(21)
    .meta({ type: 'integer', minimum: 1, maximum: 200, default: 21 }),
});

export function addEntries(server: Server, { backend, querying }: OperatorApi): void {
  server.get('/merchants/:reference/entries', {
    config: { needs: 'read', merchantIn: 'reference' },
    schema: {
      operationId: 'listEntries',
      summary: 'Lines around a place, with balances and breaks',
      params: z.object({ reference }),
      querystring: pageQuery,
      response: { 200: entriesForm, ...directRefusals(404, 429) },
    },
    handler: async (request) =>
      querying(async () => {
        const { around = null, limit } = request.query;
        const whole = wholeFor(request, request.query);
        const page = await backend.listEntries({
          merchant: request.params.reference,
          around,
          limit,
          whole,
        });
        return plain(thereIs(page, 'merchant'));
      }),
  });
}

const searchForm = z.object({
  reading: z.enum(READINGS).describe('How the text was read'),
  tried: z.array(z.enum(READINGS)).describe('Readings that found nothing before'),
  more: z.boolean().describe('There are others: at most 50 are listed'),
  items: z.array(
    z.object({
      merchant: z.string(),
      reference: z.string().nullable().describe('Of the operation; null: the line names none'),
      sequence: sequence.nullable().describe('Null: an operation, not a line'),
      by: z
        .enum(['reference', 'externalReference', 'phoneNumber', 'amount', 'sequence'])
        .describe('What fits'),
      type: z.enum(OPERATION_TYPES).nullable(),
      status: z.enum(OPERATION_STATUSES).nullable(),
      amount: amount.nullable(),
      currency: z.string().nullable(),
      createdAt: nullableInstant,
      externalReference: z.string().nullable().describe('Phone numbers in it masked'),
    }),
  ),
});

export function addSearch(server: Server, { backend, querying }: OperatorApi): void {
  server.get('/search', {
    config: { needs: 'read', merchantIn: 'merchant' },
    schema: {
      operationId: 'search',
      summary: 'Operations and lines by what people have in hand',
      description: `q is a reference, the partner's reference, a line (M001#124), an amount and a day (202700 2026-08-11, on the
merchant's calendar), or the payer's or payee's phone number. A search that takes more than two seconds is cut off with 422.`,
      querystring: z.strictObject({
        q: z
          .string()
          .trim()
          .min(1)
          .max(200)
          .refine((text) => !text.includes('\0') && text.isWellFormed(), 'must be a text'),
        merchant: reference.optional().describe('Of one merchant'),
      }),
      response: { 200: searchForm, ...directRefusals(404, 422, 429) },
    },
    handler: async ({ query: { q: text, merchant } }) =>
      querying(async () => plain(await backend.search({ text, merchant }))),
  });
}

const FORMS = { searchForm, operationForm, entriesForm };

/** Returns `value` as a route writes it in its answer, for commands that print the same. */
export function encodeForm(form: keyof typeof FORMS, value: object): unknown {
  return z.encode(FORMS[form] as z.ZodType, value);
}
