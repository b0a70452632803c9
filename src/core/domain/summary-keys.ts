// Which keys of a service report's summary hold which figures. The document shows no names, so the
// operator says them; the defaults are the names of this project's own reports and of the sandbox.
// A key that is not here is never compared.

import { PAYMENT_STATUSES, type PaymentStatus } from './payment.ts';

const MEASURES = ['amount', 'count'] as const;
export type Measure = (typeof MEASURES)[number];

const BREAKDOWNS = ['operator', 'country', 'status', 'day'] as const;
export type Breakdown = (typeof BREAKDOWNS)[number];

/**
 * `amount` in whole units, or `count` of payments: of all that a summary counts, of each member, or
 * of one status.
 */
export type FigureMeaning =
  | Measure
  | `${Measure} by ${Breakdown}`
  | `${Measure} of ${PaymentStatus}`;

export const FIGURE_MEANINGS: readonly FigureMeaning[] = MEASURES.flatMap((measure) => [
  measure,
  ...BREAKDOWNS.map((breakdown) => `${measure} by ${breakdown}` as const),
  ...PAYMENT_STATUSES.map((status) => `${measure} of ${status}` as const),
]);

/**
 * Path → measure; null: not compared. `a.b` is the key `b` in `a`. `a[name].b` is the key `b` of
 * each member of `a`: of an object, whose keys name them, or of a list, whose rows their `name`
 * names.
 */
export type SummaryKeys = Readonly<Record<string, FigureMeaning | null>>;

const DEFAULT_SUMMARY_KEYS: SummaryKeys = {
  totalAmount: 'amount',
  paymentCount: 'count',
  'byOperator[operator].amount': 'amount by operator',
  'byOperator[operator].count': 'count by operator',
  'byCountry[country].amount': 'amount by country',
  'byCountry[country].count': 'count by country',
  'byDay[day].amount': 'amount by day',
  'byDay[day].count': 'count by day',
  'byStatus[status]': 'count by status',
};

/** One key, taken apart. */
export interface SummaryKey {
  readonly measure: Measure;
  readonly status: PaymentStatus | null;
  /** Null: a figure of the whole. */
  readonly by: Breakdown | null;
  /** The figure of the whole, or what holds the members. */
  readonly holder: readonly string[];
  /** The field that names the rows of a list. */
  readonly naming: string | null;
  /** Where the figure is in a member; empty: the member is the figure. */
  readonly within: readonly string[];
}

const PATH = /^([^[\]]+)(?:\[([^[\].]+)\](?:\.([^[\]]+))?)?$/;

/**
 * Null for a path that is not of the form above, or names members where its meaning has none, or
 * none where it has.
 */
export function parseSummaryKey(path: string, meaning: FigureMeaning): SummaryKey | null {
  const [, holder, naming, within] = PATH.exec(path) ?? [];
  const [measure, relation, what] = meaning.split(' ');
  if (holder === undefined || (naming !== undefined) !== (relation === 'by')) return null;
  return {
    measure: measure as Measure,
    status: relation === 'of' ? (what as PaymentStatus) : null,
    by: relation === 'by' ? (what as Breakdown) : null,
    holder: holder.split('.'),
    naming: naming ?? null,
    within: within?.split('.') ?? [],
  };
}

/** The defaults under what is given. Paths must have been checked. */
export function summaryKeysOf(given: SummaryKeys): readonly SummaryKey[] {
  return Object.entries({ ...DEFAULT_SUMMARY_KEYS, ...given }).flatMap(([path, meaning]) =>
    meaning === null ? [] : (parseSummaryKey(path, meaning) ?? []),
  );
}
