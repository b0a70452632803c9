// Which keys of a service report's summary hold which figures. The document names no keys, so the
// operator configures them; the defaults are the names in this project's own reports and in the
// sandbox. A key that is not listed is never compared.

import { PAYMENT_STATUSES, type PaymentStatus } from './payment.ts';

const MEASURES = ['amount', 'count'] as const;
export type Measure = (typeof MEASURES)[number];

const BREAKDOWNS = ['operator', 'country', 'status', 'day'] as const;
export type Breakdown = (typeof BREAKDOWNS)[number];

/**
 * What a figure means: the `amount` in whole units or the `count` of payments, of all payments in
 * the summary, of each member of a breakdown, or of one status.
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
 * What each path in a summary means; `null`: the key is not compared. `a.b` is the key `b` in `a`.
 * `a[name].b` is the key `b` of each member of `a`. `a` may be an object whose keys name the
 * members, or a list whose rows are named by their field `name`.
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

/** One key of a summary, parsed. */
export interface SummaryKey {
  readonly measure: Measure;
  readonly status: PaymentStatus | null;
  /** The breakdown whose members have the figure; `null` for a figure of the whole summary. */
  readonly by: Breakdown | null;
  /** Path to the figure of the whole, or to the object or list of the members. */
  readonly holder: readonly string[];
  /** The field that names the rows of a list; `null` for a figure of the whole. */
  readonly naming: string | null;
  /** Path to the figure inside a member; empty when the member itself is the figure. */
  readonly within: readonly string[];
}

const PATH = /^([^[\]]+)(?:\[([^[\].]+)\](?:\.([^[\]]+))?)?$/;

/**
 * Parses a path. Returns `null` when it does not have the form above, when it has `[name]` and the
 * meaning is of the whole, or when it has none and the meaning is of each member.
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

/**
 * Returns the keys to compare: the defaults, overridden by `given`. Paths must have been checked.
 */
export function summaryKeysOf(given: SummaryKeys): readonly SummaryKey[] {
  return Object.entries({ ...DEFAULT_SUMMARY_KEYS, ...given }).flatMap(([path, meaning]) =>
    meaning === null ? [] : (parseSummaryKey(path, meaning) ?? []),
  );
}
