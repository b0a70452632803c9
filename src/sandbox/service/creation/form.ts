// The body of POST /cashin and POST /cashout. The document shows `callbackUrl` alone: the other names are those of the
// Operation that comes of them. Refuses fields that it does not know.

import { z } from 'zod';
import { COUNTRIES } from '../../../domain/currency.ts';
import { refusalOfUrl } from '../../courier/receiving-url.ts';
import { OPERATORS } from '../../served.ts';

const LARGEST_METADATA = 4_096;

/** An absent text and null are the same. */
const text = (longest: number) => {
  const error = `must be a text of 1 to ${longest} characters, or null`;
  return z.string({ error }).min(1, { error }).max(longest, { error }).nullish().transform(orNull);
};

function orNull<Value>(value: Value | null | undefined): Value | null {
  return value ?? null;
}

/** Any object, with all of its names: `z.record` would lose `__proto__`. */
const freeData = z
  .unknown()
  .refine((value) => value === undefined || value === null || isObject(value), { error: 'must be an object, or null' })
  .refine((value) => JSON.stringify(value ?? null).length <= LARGEST_METADATA, {
    error: `must have at most ${LARGEST_METADATA} characters as JSON`,
  })
  .optional()
  .meta({ type: ['object', 'null'] })
  .transform((value) => orNull(value as Readonly<Record<string, unknown>> | null | undefined));

/** As JSON has them: a number that is kept as it was written is none. */
function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

export function creationForm(allowance: { readonly privateHttp: boolean }) {
  return z.strictObject({
    amount: z.int({ error: 'must be an integer, without decimals' }).positive({ error: 'must be above 0' }),
    country: z.enum(COUNTRIES, { error: `must be one of ${COUNTRIES.join(', ')}` }),
    operator: z.enum(OPERATORS, { error: `must be one of ${OPERATORS.join(', ')}` }),
    phoneNumber: z.string({ error: 'must be a text' }).max(32, { error: 'must have at most 32 characters' }),
    name: text(120),
    externalReference: text(120),
    description: text(500),
    metadata: freeData,
    callbackUrl: z
      .string({ error: 'must be a URL' })
      .superRefine((value, context) => {
        const refusal = refusalOfUrl(value, allowance);
        if (refusal !== null) context.addIssue({ code: 'custom', message: refusal });
      })
      .nullish()
      .transform(orNull),
  });
}

export type CreationForm = z.output<ReturnType<typeof creationForm>>;
