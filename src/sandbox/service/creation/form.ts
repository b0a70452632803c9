// The body of POST /cashin and POST /cashout. The document shows `callbackUrl` alone: the other names are those of the
// Operation that comes of them. Refuses fields that it does not know.

import { z } from 'zod';
import { COUNTRIES } from '../../../core/domain/amount.ts';
import { refusalOfUrl } from '../../courier/receiving-url.ts';
import { OPERATORS } from '../../served.ts';
import { freeObject } from '../free-data.ts';

const LARGEST_METADATA = 4_096;

/** An absent text and null are the same. */
const text = (longest: number) => {
  const error = `must be a text of 1 to ${longest} characters, or null`;
  return z.string({ error }).min(1, { error }).max(longest, { error }).nullish().transform(orNull);
};

function orNull<Value>(value: Value | null | undefined): Value | null {
  return value ?? null;
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
    metadata: freeObject(LARGEST_METADATA, 'must be an object, or null').nullish().transform(orNull),
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
