// Configuration of the journal: accounts, rules for what goes to which, taxes in commissions. What each key means is in
// docs/CONFIGURATION.md.

import { z } from 'zod';
import { ACCOUNT_ROLES, FIELDS } from '../../core/statements/journal.ts';

const account = z.strictObject({ number: z.string().min(1), label: z.string().min(1) });

const patterns = z
  .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
  .transform((given) => (typeof given === 'string' ? [given] : given));

function byName<Name extends string, Value extends z.ZodType>(names: readonly Name[], value: Value) {
  const shape = Object.fromEntries(names.map((name) => [name, value.optional()]));
  return z.strictObject(shape as Record<Name, z.ZodOptional<Value>>);
}

const rule = z
  .strictObject({
    role: z.enum(ACCOUNT_ROLES),
    when: byName(FIELDS, patterns).prefault({}),
    account: account.optional(),
    auxiliary: z.enum(FIELDS).exclude(['kind']).optional(),
  })
  .refine((one) => one.account !== undefined || one.auxiliary !== undefined, {
    message: 'needs an account, an auxiliary, or both',
  });

const tax = z.strictObject({
  name: z.string().min(1).max(20),
  bps: z.int().min(1).max(10_000),
  from: z.iso.date().optional(),
  countries: z
    .array(z.string().regex(/^[A-Z]{2}$/))
    .min(1)
    .optional(),
  account: account.optional(),
  recoverable: z.boolean().default(true),
});

/** The double-entry journal: what an accountant may want otherwise. */
export const journalSettings = z.strictObject({
  code: z.string().min(1).max(10).optional(),
  label: z.string().min(1).optional(),
  accounts: byName(ACCOUNT_ROLES, account).optional(),
  /** One tax, everywhere and always: short for `taxes`. */
  feeTaxBps: z.int().min(0).max(10_000).optional(),
  taxes: z.array(tax).optional(),
  rules: z.array(rule).optional(),
  entries: z.enum(['line', 'day']).optional(),
  opening: z.enum(['asserted', 'posted']).optional(),
});

export type GivenJournal = z.infer<typeof journalSettings>;
