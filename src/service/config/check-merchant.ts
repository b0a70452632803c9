// What a configuration may hold for one merchant, in a file or in a list: credentials, who is named
// on its documents, its journal. What each key means is in docs/CONFIGURATION.md.

import { z } from 'zod';
import { INTERPRETATIONS, QUESTIONS } from '../../core/domain/assumptions.ts';
import { openZone } from '../../core/domain/zone.ts';
import { ACCOUNT_ROLES, FIELDS } from '../../core/statements/journal.ts';
import { accountant, signingSecrets } from './service-settings.ts';

export const pins = z.strictObject(
  Object.fromEntries(
    QUESTIONS.map((question) => [question, z.enum(INTERPRETATIONS[question]).optional()]),
  ) as unknown as {
    [Q in keyof typeof INTERPRETATIONS]: z.ZodOptional<
      z.ZodEnum<{ [R in (typeof INTERPRETATIONS)[Q][number]]: R }>
    >;
  },
);

export const zone = z.string().refine((name) => name === 'local' || openZone(name) !== null, {
  message:
    "must be the name of a zone, like Africa/Douala, or 'local' for that of the merchant's country",
});

/**
 * Returns the form of a list of countries. It makes a new form for each use, because the printed
 * schema names forms that several places share.
 */
const countries = () =>
  z
    .array(z.string().regex(/^[A-Z]{2}$/))
    .min(1)
    .optional();

/** One printed line. */
const line = z
  .string()
  .max(140)
  .regex(
    /^\S(?:[^\p{Cc}\u2028\u2029]*\S)?$/u,
    'must be one line that neither begins nor ends with a space',
  );

const identity = {
  registration: line.optional(),
  taxLabel: line.default('NIF'),
  taxNumber: line.optional(),
  address: z.array(line).max(5).default([]),
};

/** The certificate that seals the documents of an issuer: a PKCS#12 file with its key. */
const sealSettings = z.strictObject({
  certificate: z.string().min(1),
  passphrase: z.string().min(1),
});

export const issuerSettings = z.strictObject({
  legalName: line,
  ...identity,
  seal: sealSettings.optional(),
  countries: countries(),
  sources: z.array(z.string().min(1)).min(1).optional(),
});

/** The merchant as its documents name it. Without a `legalName` it has the name of its profile. */
const holderSettings = z.strictObject({ legalName: line.optional(), ...identity });

export type GivenIdentity = Pick<
  z.infer<typeof holderSettings>,
  'legalName' | 'registration' | 'taxLabel' | 'taxNumber' | 'address'
>;

/**
 * The number of an account. Programs that test a FEC ask for its first three digits; brackets would
 * make it a virtual account of a plain-text journal.
 */
const accountNumber = z
  .string()
  .regex(/^\d{3}[\w.-]{0,17}$/, 'must begin with three digits, and have no space or bracket');
const account = z.strictObject({ number: accountNumber, label: line });

const patterns = z
  .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
  .transform((given) => (typeof given === 'string' ? [given] : given));

function byName<Name extends string, Value extends z.ZodType>(
  names: readonly Name[],
  value: Value,
) {
  const shape = Object.fromEntries(names.map((name) => [name, value.optional()]));
  return z.strictObject(shape as Record<Name, z.ZodOptional<Value>>);
}

const rule = z
  .strictObject({
    role: z.enum(ACCOUNT_ROLES),
    when: byName(FIELDS, patterns).prefault({}),
    account: account.optional(),
    auxiliary: z.enum(FIELDS).exclude(['kind', 'description']).optional(),
    counterpart: account.optional(),
  })
  .refine((one) => (one.account ?? one.auxiliary ?? one.counterpart) !== undefined, {
    message: 'needs an account, an auxiliary or a counterpart',
  })
  .refine(
    (one) => one.counterpart === undefined || one.role === 'customers' || one.role === 'suppliers',
    {
      message: 'has a counterpart, which only customers and suppliers can have',
    },
  );

const tax = z.strictObject({
  name: z.string().min(1).max(20),
  bps: z.int().min(1).max(10_000),
  from: z.iso.date().optional(),
  countries: countries(),
  account: account.optional(),
  recoverable: z.boolean().default(true),
});

const currency = () => z.string().regex(/^[A-Z]{3}$/);
const amount = () => z.number().positive();
const rate = z.strictObject({
  of: currency(),
  from: z.iso.date(),
  units: amount(),
  worth: amount(),
});

const invoice = z.strictObject({
  number: z.string().regex(/^[\w/-]{3,30}$/),
  date: z.iso.date(),
  net: z.int(),
  tax: z.int().default(0),
});
const invoices = z.record(z.string().regex(/^\d{4}-(?:0[1-9]|1[0-2])$/), invoice);

const journalCode = z.string().regex(/^\S{1,10}$/, 'must be of 1 to 10 characters without a space');

/** The settings of the double-entry journal that an accountant may want to change. */
export const journalSettings = z.strictObject({
  code: journalCode.optional(),
  label: line.optional(),
  links: z.strictObject({ code: journalCode.optional(), label: line.optional() }).optional(),
  accounts: byName(ACCOUNT_ROLES, account).optional(),
  feeTaxBps: z.int().min(0).max(10_000).optional(),
  taxes: z.array(tax).optional(),
  rules: z.array(rule).optional(),
  commissionInvoices: invoices.optional(),
  auxiliaries: z.enum(['operator', 'none']).optional(),
  entries: z.enum(['line', 'day']).optional(),
  books: z
    .strictObject({
      currency: currency(),
      decimals: z.int().min(0).max(4).optional(),
      rates: z.array(rate).default([]),
    })
    .optional(),
  opening: z.enum(['asserted', 'posted']).optional(),
});

export type GivenJournal = z.infer<typeof journalSettings>;

const total = z.int().optional();
const totals = { totalCollected: total, totalDisbursed: total, totalFees: total };

export const merchant = z.strictObject({
  apiKey: z.string().min(1).optional(),
  apiSecret: z.string().min(1).optional(),
  dashboard: z.strictObject({ numero: z.string().min(1), password: z.string().min(1) }).optional(),
  opening: z.strictObject({ balance: z.int(), reserved: z.int().default(0), ...totals }).optional(),
  assumptions: pins.optional(),
  zone: zone.optional(),
  journal: journalSettings.optional(),
  holder: holderSettings.optional(),
  source: z.string().min(1).optional(),
  accountants: z.array(accountant).default([]),
  notifications: signingSecrets.optional(),
});

export type Merchant = z.infer<typeof merchant>;
