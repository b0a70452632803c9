// Which figures a summary may lawfully state for a selection of payments. What had settled a day before the report was
// made counts for sure; each younger payment may have been pending then, and counts or does not, as a whole.

import { totalOf } from '../../domain/amount.ts';
import type { PaymentStatus } from '../../domain/payment.ts';
import type { Measure } from '../../domain/summary-keys.ts';
import type { DayInterpretation, PaymentCell } from './payment-tally.ts';

/** What a summary counts: the payments that succeeded, or all. */
export type Population = 'SUCCESS' | 'ALL';

export interface Lawful {
  readonly least: bigint;
  readonly most: bigint;
  /** As of now. */
  readonly now: bigint;
  /** Every lawful figure, where they are few enough to be listed; null: all from `least` to `most`. */
  readonly figures: ReadonlySet<bigint> | null;
}

/** Beyond so many sums of young payments, nearly every figure between the ends is one. */
const MOST_FIGURES = 20_000;

/** What a figure counts: of the payments that have all that is not null. */
export interface Meaning {
  readonly measure: Measure;
  readonly status: PaymentStatus | null;
  /** In lower case. */
  readonly operator: string | null;
  readonly country: string | null;
  /** `YYYY-MM-DD`. */
  readonly day: string | null;
}

/** Some of the payments, in money or in number, as one interpretation of the summary understands a figure. */
export interface Selection extends Meaning {
  readonly population: Population;
  readonly days: DayInterpretation;
}

export function lawfulFigures(wanted: Selection, cells: readonly PaymentCell[]): Lawful {
  let sure = 0n;
  let young = 0n;
  const open: { readonly each: bigint; readonly times: number }[] = [];
  for (const cell of cells) {
    const part = partOf(cell, wanted);
    const whole = wanted.measure === 'count' ? BigInt(cell.count) : totalOf(cell.amount);
    if (part === 'sure') sure += whole;
    if (part === 'open' && cell.status === (wanted.status ?? 'SUCCESS')) young += whole;
    // Young payments stand in one cell only when their amounts are equal.
    if (part === 'open') open.push({ each: whole / BigInt(cell.count), times: cell.count });
  }
  const most = open.reduce((sum, { each, times }) => sum + each * BigInt(times), sure);
  return { least: sure, most, now: sure + young, figures: wanted.measure === 'count' ? null : reachable(sure, open) };
}

/** `open`: the payment may have had the status wanted when the report was made, or another. */
function partOf(cell: PaymentCell, wanted: Selection): 'sure' | 'open' | 'out' {
  if (wanted.operator !== null && cell.operator !== wanted.operator) return 'out';
  if (wanted.country !== null && cell.country.toLowerCase() !== wanted.country) return 'out';
  if (wanted.day !== null && cell.days[wanted.days] !== wanted.day) return 'out';
  const status = wanted.status ?? (wanted.population === 'ALL' ? null : 'SUCCESS');
  if (status === null) return 'sure';
  const mayHaveBeenPending = cell.isYoung && cell.status !== 'PENDING';
  if (!mayHaveBeenPending) return cell.status === status ? 'sure' : 'out';
  return cell.status === status || status === 'PENDING' ? 'open' : 'out';
}

function reachable(
  sure: bigint,
  open: readonly { readonly each: bigint; readonly times: number }[],
): ReadonlySet<bigint> | null {
  let figures = new Set([sure]);
  for (const { each, times } of open) {
    if (figures.size * (times + 1) > MOST_FIGURES) return null;
    const wider = new Set<bigint>();
    for (const figure of figures) {
      for (let taken = 0; taken <= times; taken += 1) wider.add(figure + each * BigInt(taken));
    }
    figures = wider;
  }
  return figures;
}

export function isLawful({ least, most, figures }: Lawful, stated: bigint): boolean {
  return figures === null ? stated >= least && stated <= most : figures.has(stated);
}

/** The lawful figure nearest to `stated`; of two, the lower. */
export function nearestLawful({ least, most, figures }: Lawful, stated: bigint): bigint {
  if (figures === null) return stated < least ? least : stated > most ? most : stated;
  const far = (figure: bigint): bigint => (figure < stated ? stated - figure : figure - stated);
  let nearest = least;
  for (const figure of figures) if (far(figure) < far(nearest)) nearest = figure;
  return nearest;
}
