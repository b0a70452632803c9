// The filters of findings: alike in the query of a route, in the address of a page and on the command line.

import { z } from 'zod';
import { SEVERITIES } from '../../../core/domain/finding.ts';
import { parseInstant } from '../../../core/domain/instant.ts';
import { FINDING_STATES, type FindingQuery } from '../../workflows/operators/operator-backend.ts';
import { reference } from './operator-api.ts';

export const STATUSES = ['confirmed', 'provisional'] as const;

const form = (pattern: RegExp, is: string) => z.string().regex(pattern, `must be ${is}`).optional().describe(is);
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
  .refine((given) => instantIn(given) !== null, 'must be an instant with a zone, or a day, like 2026-11-02')
  .optional();

const money = form(/^\d{1,15} [A-Z]{3}$/, "an amount with its currency, like '10000 XOF'");

export const FINDING_FILTER = {
  merchant: reference.optional().describe('reference of the merchant'),
  state: choice(FINDING_STATES),
  severity: choice(SEVERITIES),
  kind: form(/^[A-Z_]{1,60}$/, 'a kind of the catalogue'),
  status: choice(STATUSES),
  country: form(/^[A-Z]{2}$/, 'the country of the merchant, like CI'),
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

const filter = z.strictObject(FINDING_FILTER);
export type FindingFilter = z.output<typeof filter>;

/** A filter that is left empty is none. `refuse` gets a sentence for each mistake, which begins with its name. */
export function readFilter(given: object, refuse: (mistakes: readonly string[]) => Error): FindingFilter {
  const read = filter.safeParse(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')));
  if (read.success) return read.data;
  throw refuse(read.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim()));
}

export function queryOf({ minimum, maximum, ...same }: FindingFilter): Omit<FindingQuery, 'limit'> {
  const between = { since: instantIn(same.since) ?? undefined, before: instantIn(same.before) ?? undefined };
  return { ...same, ...between, minimum: moneyIn(minimum), maximum: moneyIn(maximum) };
}

function moneyIn(given: string | undefined) {
  const [amount = '', currency = ''] = given?.split(' ') ?? [];
  return given === undefined ? undefined : { amount, currency };
}

/** Null: it is none. */
function instantIn(given: string | undefined) {
  return given === undefined ? undefined : parseInstant(/^\d{4}-\d\d-\d\d$/.test(given) ? `${given}T00:00:00Z` : given);
}
