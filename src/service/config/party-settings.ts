// Configuration of who stands on a document: the issuer, by country or by service, and the holder of the wallet. What each key
// means is in docs/CONFIGURATION.md.

import { z } from 'zod';

/** One printed line. */
const line = z
  .string()
  .max(140)
  .regex(/^\S(?:[^\p{Cc}\u2028\u2029]*\S)?$/u, 'must be one line that neither begins nor ends with a space');

const identity = {
  registration: line.optional(),
  taxLabel: line.default('NIF'),
  taxNumber: line.optional(),
  address: z.array(line).max(5).default([]),
};

export const issuerSettings = z.strictObject({
  legalName: line,
  ...identity,
  /** Of merchants; every country where it is left out. */
  countries: z
    .array(z.string().regex(/^[A-Z]{2}$/))
    .min(1)
    .optional(),
  /** Addresses as in `source`; every service where it is left out. */
  sources: z.array(z.string().min(1)).min(1).optional(),
});

/** Without a name of its own it has that of the profile. */
export const holderSettings = z.strictObject({ legalName: line.optional(), ...identity });

export type GivenIdentity = Pick<
  z.infer<typeof holderSettings>,
  'legalName' | 'registration' | 'taxLabel' | 'taxNumber' | 'address'
>;
