// Taxes that commissions contain. Each entry states its own, rounded half up; over a month, what an invoice would say is rounded
// once for each operator and tax, and one entry carries the difference. So no entry depends on another.

import type { Amount } from '../../domain/amount.ts';
import type { FeeTax, TaxRow } from '../journal.ts';

/** Commissions of one operator under one tax, in one month. */
export interface TaxSums {
  readonly operator: string | null;
  readonly tax: FeeTax;
  /** `YYYY-MM`. */
  readonly month: string;
  whole: Amount;
  /** Σ of what entries state. */
  stated: Amount;
}

/** The tax that a day and a country fall under: of several, the one that began last, and of those the one configured last. */
export function taxAt(
  taxes: readonly FeeTax[],
  { date, country }: { readonly date: string; readonly country: string | null },
): FeeTax | null {
  if (taxes.length === 0) return null;
  const valid = taxes.filter(
    ({ from, countries }) =>
      (from === null || from <= date) && (countries === null || (country !== null && countries.includes(country))),
  );
  return valid.toSorted((a, b) => ((a.from ?? '') < (b.from ?? '') ? -1 : 1)).at(-1) ?? null;
}

/** Of an amount that contains it, signed, rounded half away from 0. */
export function taxIn(whole: Amount, bps: number): Amount {
  const rate = BigInt(bps);
  const size = BigInt(Math.abs(whole));
  return Math.sign(whole) * Number((2n * size * rate + 10_000n + rate) / (2n * (10_000n + rate)));
}

/** By operator, then in the order of the configuration; unknown operators last. Months were rounded one by one. */
export function taxRows(sums: Iterable<TaxSums>): readonly TaxRow[] {
  const rows = Map.groupBy(sums, ({ operator, tax }) => JSON.stringify([operator, tax]));
  return [...rows.values()]
    .map((months): TaxRow => {
      const { operator, tax } = months[0]!;
      const whole = months.reduce((sum, one) => sum + one.whole, 0);
      const taxed = months.reduce((sum, one) => sum + taxIn(one.whole, tax.bps), 0);
      return { operator, name: tax.name, bps: tax.bps, net: whole - taxed, tax: taxed, whole };
    })
    .sort((a, b) => (a.operator === b.operator ? 0 : (a.operator ?? '\uffff') < (b.operator ?? '\uffff') ? -1 : 1));
}
