// Filters of lists: each is declared once, and alike in the query of a route, in the address of a
// page and on the command line.

import { z } from 'zod';
import { DELIVERY_STATES } from '../../../core/domain/delivery/delivery.ts';
import { FINDING_STATES, SEVERITIES } from '../../../core/domain/finding.ts';
import { type Instant, parseInstantOrDay } from '../../../core/domain/instant.ts';
import { MERCHANT_STATUSES } from '../../../core/domain/merchant.ts';
import type { FindingQuery } from '../../workflows/operators/operator-backend.ts';
import { reference, VERDICTS } from './operator-api.ts';

export const STATUSES = ['confirmed', 'provisional'] as const;

const form = (pattern: RegExp, is: string) =>
  z.string().regex(pattern, `must be ${is}`).optional().describe(is);
const choice = <const Choices extends readonly string[]>(choices: Choices) => {
  const listed = choices.join(', ');
  return z
    .enum(choices, { error: `must be one of ${listed}` })
    .optional()
    .describe(listed);
};
const text = (what: string, least = 1) => z.string().min(least).max(100).optional().describe(what);
const since = z
  .string()
  .refine(
    (given) => parseInstantOrDay(given) !== null,
    'must be an instant with a zone, or a day, like 2026-11-02',
  )
  .optional();

const money = form(/^\d{1,15} [A-Z]{3}$/, "an amount with its currency, like '10000 XOF'");

const merchant = reference.optional().describe('reference of the merchant');
const country = form(/^[A-Z]{2}$/, 'the country of the merchant, like CI');

export const FINDING_FILTER = {
  merchant,
  state: choice(FINDING_STATES),
  severity: choice(SEVERITIES),
  kind: form(/^[A-Z_]{1,60}$/, 'a kind of the catalogue'),
  status: choice(STATUSES),
  country,
  network: text('operator of its operation, like ORANGE'),
  minimum: money,
  maximum: money,
  since: since.describe('seen first by a run that began at this instant or later'),
  before: since.describe('seen first by a run that began before this instant'),
  owner: text('who looks after it'),
  label: text('one of its labels'),
  operation: text('reference of its operation'),
  text: text('in the reference of its operation, three letters or more', 3),
};

/** The verdicts that merchants can be filtered by; `none`: no run has judged the merchant. */
export const MERCHANT_VERDICTS = [...VERDICTS, 'none'] as const;

export const MERCHANT_FILTER = {
  verdict: choice(MERCHANT_VERDICTS),
  status: choice(MERCHANT_STATUSES),
  country,
  text: text('in its reference or its name'),
};

export const DELIVERY_FILTER = {
  state: choice(DELIVERY_STATES),
  merchant,
  since: since.describe('written at this instant or later'),
};

export const SENT_FILTER = {
  merchant,
  period: form(/^\d{4}-(0[1-9]|1[0-2])$/, 'a month, like 2026-10'),
};

export const TRAIL_FILTER = {
  operator: text('name of the operator'),
  merchant,
  since: since.describe('at this instant or later'),
};

export type Filters = Readonly<Record<string, z.ZodType>>;
export type Filter<Of extends Filters> = z.output<z.ZodObject<Of>>;
export type FindingFilter = Filter<typeof FINDING_FILTER>;

/**
 * Returns what `given` says of a declared filter. A filter that is left empty counts as absent.
 * `refuse` gets a sentence for each mistake, which begins with the filter's name, and returns the
 * error that is thrown.
 */
export function readFilter<Of extends Filters>(
  declared: Of,
  given: object,
  refuse: (mistakes: readonly string[]) => Error,
): Filter<Of> {
  const asked = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  const read = z.strictObject(declared).safeParse(asked);
  if (read.success) return read.data;
  throw refuse(read.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim()));
}

export function queryOf({ minimum, maximum, ...same }: FindingFilter): Omit<FindingQuery, 'limit'> {
  return {
    ...same,
    since: instantIn(same.since),
    before: instantIn(same.before),
    minimum: moneyIn(minimum),
    maximum: moneyIn(maximum),
  };
}

function moneyIn(given: string | undefined) {
  const [amount = '', currency = ''] = given?.split(' ') ?? [];
  return given === undefined ? undefined : { amount, currency };
}

/** Returns the instant of a filter that was read already. A day begins at midnight in UTC. */
export function instantIn(given: string | undefined): Instant | undefined {
  return given === undefined ? undefined : parseInstantOrDay(given)!;
}
