// What the routes of operators share: what they are given, and the forms of pages. Instants are ISO
// 8601 in UTC; amounts of reports are decimal texts, as everywhere in reports.

import { z } from 'zod';
import { formatInstant, parseInstant } from '../../../core/domain/instant.ts';
import { shownTerms } from '../../../core/domain/settlement.ts';
import type {
  Listed,
  OperatorBackend,
  Proposal,
} from '../../workflows/operators/operator-backend.ts';
import { DirectError } from './errors.ts';
import { openLimiter } from './limits.ts';

export type OperatorApi = ReturnType<typeof openOperatorApi>;

export function openOperatorApi(backend: OperatorBackend) {
  return {
    backend,
    /** Limits the queries across merchants, which count and sort many rows. */
    querying: openLimiter({ atOnce: 4, mostWaiting: 50, refusal: tooMany }),
    /** Limits the drawing of documents, which takes the processor. */
    drawing: openLimiter({ atOnce: 1, mostWaiting: 10, refusal: tooMany }),
  };
}

function tooMany(): DirectError {
  return new DirectError(
    429,
    'RATE_LIMITED',
    'Too many calls of this kind wait already; ask again in some seconds.',
  );
}

export const VERDICTS = ['clean', 'broken', 'incomplete'] as const;

/**
 * Returns the form of a whole number within bounds, given in digits. The API's description shows it
 * as an integer.
 */
function count(bounds: {
  readonly least: number;
  readonly most: number;
  readonly otherwise: number;
}) {
  const { least: minimum, most: maximum, otherwise } = bounds;
  return z
    .string()
    .regex(/^\d{1,10}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(minimum).max(maximum))
    .default(otherwise)
    .meta({ type: 'integer', minimum, maximum, default: otherwise });
}

/**
 * The page of a list that a caller wants. The bounds are those of the payment service's documents.
 */
export const pageQuery = z.strictObject({
  limit: count({ least: 1, most: 200, otherwise: 50 }),
  offset: count({ least: 0, most: 1_000_000_000, otherwise: 0 }),
});

/**
 * The reference of a merchant. A text that no database can hold is refused, because no merchant is
 * called so.
 */
export const reference = z
  .string()
  .min(1)
  .max(200)
  .refine(
    (text) => !text.includes('\0') && text.isWellFormed(),
    'must be the reference of a merchant',
  );

/** An instant as it is given: with any zone. */
export const givenInstant = z
  .string()
  .refine(
    (text) => parseInstant(text) !== null,
    'must be an instant with a zone, like 2026-11-02T12:00:00Z',
  )
  .transform((text) => parseInstant(text)!)
  .meta({ format: 'date-time' });

const { $schema: _, ...describedInstant } = z.toJSONSchema(z.iso.datetime());

/** An instant in an answer: a number in the program, ISO 8601 in UTC in JSON. */
export const instant = z.codec(z.iso.datetime(), z.number().meta(describedInstant), {
  decode: (text) => parseInstant(text)!,
  encode: formatInstant,
});

type Plain<T> = T extends readonly (infer Item)[]
  ? Plain<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Plain<T[Key]> }
    : T;

/** Returns `value` with the type that forms have, in which nothing is readonly. */
export function plain<T>(value: T): Plain<T> {
  return value as Plain<T>;
}

export const proposalForm = z.object({
  id: z.uuid(),
  merchant: z.string(),
  action: z.enum(['settle', 'accept', 'release', 'close']),
  subject: z.string().describe('A finding by its fingerprint, or a month'),
  reason: z.string().nullable(),
  amount: z.string().describe('At stake, in whole units, without sign'),
  currency: z.string().nullable(),
  by: z.string().describe('Who proposes it, and cannot confirm it'),
  at: instant,
  terms: z
    .object({
      limit: z.string().nullable(),
      until: z.iso.datetime().nullable(),
      lines: z.array(z.string()),
    })
    .nullable()
    .describe(
      'accept: the most that the item may be, and the end · settle: by which lines · null: no terms',
    ),
});

export function shownProposal({ wish, decisions: _, ...proposal }: Proposal) {
  return plain({ ...proposal, reason: wish.reason, terms: shownTerms(wish.terms) });
}

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    total: z.int().describe('How many there are in all'),
    limit: z.int(),
    offset: z.int(),
    items: z.array(item),
  });
}

export function paged<Item>(
  { total, items }: Listed<Item>,
  { limit, offset }: z.infer<typeof pageQuery>,
): Plain<{ total: number; limit: number; offset: number; items: readonly Item[] }> {
  return plain({ total, limit, offset, items });
}
