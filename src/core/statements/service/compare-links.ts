// Compares the service's own report of a month with our tables of its payments by link, key by key,
// as the audit does: with the interpretation of the summary that fits best
// (`summary-differences.ts`). A figure that differs from ours is either a difference or an allowed
// one; none is passed over.

import { type Amount, currencyOf } from '../../domain/amount.ts';
import { type Decimal, decimalText, wholeOf } from '../../domain/decimal.ts';
import type { SummaryKey } from '../../domain/summary-keys.ts';
import type { Zone } from '../../domain/zone.ts';
import type { Meaning, PaymentTally } from '../../kernel/checks/reports/payment-tally.ts';
import { readSummary } from '../../kernel/checks/reports/read-summary.ts';
import {
  type Comparison,
  compareWithPayments,
} from '../../kernel/checks/reports/summary-differences.ts';
import {
  type AllowedDifference,
  cut,
  type LinkSummary,
  notCompared,
  type Paid,
  type PaidLink,
  type ServiceComparison,
} from '../comparison.ts';
import { beginDays, sumOf } from '../exact.ts';
import type { LinkReading } from './link-account.ts';

/**
 * Compares a report, `tally.report`, which must have a summary that counts payments by link.
 * `unread` is the number of payments that could not be read.
 */
export function compareLinks(
  tally: PaymentTally,
  {
    keys,
    unread,
    ours,
  }: { readonly keys: readonly SummaryKey[]; readonly unread: number; readonly ours: LinkSummary },
): ServiceComparison {
  const read = readSummary(tally.report.summary!, keys);
  const compared = read.groups.reduce((sum, { known }) => sum + known.size, read.totals.length);
  if (compared === 0)
    return notCompared({ why: 'its summary holds no figure', code: 'REPORT_WITHOUT_FIGURES' });
  const comparison = compareWithPayments(read, [...tally.cells.values()]);
  const { differences } = comparison;
  if (differences.length > 0 && unread > 0) {
    const why = `its summary differs from the payments read, and ${unread} rows of payments could not be read`;
    return notCompared({ why, code: 'REPORT_DOUBTFUL', figures: { doubt: unread } });
  }
  const placed: readonly Placed[] = [
    ...read.totals,
    ...read.groups.flatMap((group) => [...group.known.values(), ...leftOutOf(group, ours)]),
  ];
  const byName = new Map(placed.map((figure) => [figure.name, figure]));
  const wrong = new Set(differences.map(({ name }) => name));
  const allowed = placed
    .filter(({ name }) => !wrong.has(name))
    .flatMap((figure) => allowedIn(figure, comparison, ours));
  return {
    notCompared: null,
    compared,
    differences: differences.map(({ name, stated, due }) => {
      const meaning = byName.get(name)?.meaning;
      const own = meaning === undefined ? null : ownFigure(ours, meaning);
      const isOther = own !== null && (stated === null || wholeOf(stated) !== own);
      return worded(name, stated, isOther ? own : due);
    }),
    ...(allowed.length === 0 ? {} : { allowed, madeAt: tally.report.generatedAt }),
  };
}

interface Placed {
  readonly name: string;
  readonly meaning: Meaning;
  /** `null` when the report lists other members of the breakdown and not this one. */
  readonly stated: Decimal | null;
}

/** Returns the members of our table that the report's breakdown leaves out. */
function leftOutOf(
  { key, known, listed, isPartlyNamed }: ReturnType<typeof readSummary>['groups'][number],
  ours: LinkSummary,
): readonly Placed[] {
  const [like] = known.values();
  if (like === undefined || isPartlyNamed || key.by === 'status') return [];
  return [...tableOf(ours, key.by).keys()]
    .filter((member) => !listed.has(member) && member !== UNNAMED_OPERATOR)
    .map((member) => ({
      name: [...key.holder, member, ...key.within].join('.'),
      meaning: { ...like.meaning, [key.by]: member },
      stated: null,
    }));
}

function allowedIn(
  { name, meaning, stated }: Placed,
  { interpretation, now }: Comparison,
  ours: LinkSummary,
): readonly AllowedDifference[] {
  const own = ownFigure(ours, meaning);
  const whole = stated === null ? 0n : wholeOf(stated);
  if (own === null || whole === own) return [];
  const otherwise =
    interpretation[meaning.measure] === 'ALL' && meaning.status === null ? 'population' : 'days';
  const why = whole === now(meaning) ? otherwise : 'pending';
  return [{ ...worded(name, stated, own), why, ...totalRow(meaning) }];
}

function worded(name: string, stated: Decimal | null, ours: bigint) {
  return {
    key: cut(name),
    service: stated === null ? null : cut(decimalText(stated)),
    ours: ours.toString(),
  };
}

function totalRow(meaning: Meaning): Pick<AllowedDifference, 'total'> {
  const { measure, status, operator, country, day } = meaning;
  return (status ?? operator ?? country ?? day) === null ? { total: measure } : {};
}

const MEMBERS = ['operator', 'country', 'day'] as const;

/** Returns our rows by their names in lower case, as reports write them. */
function tableOf(ours: LinkSummary, by: (typeof MEMBERS)[number]): ReadonlyMap<string, Paid> {
  if (by === 'operator')
    return new Map(ours.byOperator.map((row) => [row.operator.toLowerCase(), row]));
  if (by === 'country')
    return new Map(ours.byCountry.map((row) => [row.country.toLowerCase(), row]));
  return new Map(ours.byDay.map((row) => [row.day, row]));
}

/**
 * Returns the figure that our tables show for the meaning; `null` when they show none, as for the
 * money of payments that failed.
 */
function ownFigure(ours: LinkSummary, meaning: Meaning): bigint | null {
  const { measure, status } = meaning;
  if (status !== null) return measure === 'count' ? BigInt(ours.byStatus[status]) : null;
  const whole = { count: ours.paymentCount, amount: ours.totalAmount };
  const by = MEMBERS.find((one) => meaning[one] !== null);
  const member = by === undefined ? whole : tableOf(ours, by).get(meaning[by]!);
  return BigInt(member?.[measure] ?? 0);
}

// Sums up the payments by link of a period.

/** The name of an operator that the service does not name. */
const UNNAMED_OPERATOR = '—';

/**
 * `currency` is used where a payment's country has no known currency, or there is no payment.
 * Throws `StatementRefused` when a sum cannot be stated exactly.
 */
export function linkSummary(
  { bounds, paid, byStatus }: Pick<LinkReading, 'bounds' | 'paid' | 'byStatus'>,
  zone: Zone,
  currency: string,
): LinkSummary {
  const days = beginDays(bounds, zone);
  const amountOf = (rows: readonly PaidLink[]): Amount => sumOf(rows, ({ amount }) => amount);
  const by = (keyOf: (payment: PaidLink) => string): readonly (readonly [string, Paid])[] =>
    [...Map.groupBy(paid, keyOf)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, rows]) => [key, { count: rows.length, amount: amountOf(rows) }]);
  const byCountry = by(({ country }) => country);
  return {
    population: 'PAYMENTS_BY_LINK',
    currency: currencyIn(byCountry, currency),
    totalAmount: amountOf(paid),
    paymentCount: paid.length,
    byOperator: by(({ operator }) => operator ?? UNNAMED_OPERATOR).map(([operator, own]) => ({
      operator,
      ...own,
    })),
    byCountry: byCountry.map(([country, own]) => ({ country, ...own })),
    byDay: by(({ createdAt }) => days.dayAt(createdAt).day).map(([day, own]) => ({ day, ...own })),
    byStatus,
  };
}

function currencyIn(byCountry: readonly (readonly [string, Paid])[], otherwise: string): string {
  const currencies = [
    ...new Set(byCountry.map(([country]) => currencyOf(country) ?? otherwise)),
  ].sort();
  if (currencies.join() === 'XAF,XOF') return 'FCFA';
  return currencies.length === 0 ? otherwise : currencies.join(' + ');
}
