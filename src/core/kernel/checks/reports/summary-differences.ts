// Finds where a report's summary and the payments of its month disagree. The document leaves open
// how a summary counts: whether its amounts and its counts include only payments that succeeded or
// all, and whose midnights separate its days. The interpretation that fits best applies.

import { asDecimal, type Decimal, decimalText, wholeOf } from '../../../domain/decimal.ts';
import type { Measure } from '../../../domain/summary-keys.ts';
import { valueIn } from '../../../domain/value-in.ts';
import {
  DAY_INTERPRETATIONS,
  type DayInterpretation,
  isLawful,
  type Lawful,
  lawfulFigures,
  type Meaning,
  nearestLawful,
  type PaymentCell,
  type Population,
} from './payment-tally.ts';
import type { FigureGroup, KnownFigure, ReadSummary } from './read-summary.ts';

export interface Difference {
  readonly name: string;
  /**
   * The figure of the report. `null` for a member with payments that the breakdown leaves out while
   * it lists others.
   */
  readonly stated: Decimal | null;
  /** The figure by the payments; where several are lawful, the nearest to the stated one. */
  readonly due: bigint;
  /** True for a figure of the whole month, which says more than a figure of a breakdown. */
  readonly isTotal: boolean;
}

export interface Comparison {
  readonly differences: readonly Difference[];
  /** Names of figures that the report does not state, although there are payments for them. */
  readonly unstated: readonly string[];
  /** Breakdowns without members, although payments belong in them. */
  readonly empty: readonly string[];
  readonly interpretation: Interpretation;
  /** Returns the figure by the payments as they are now, under `interpretation`. */
  readonly now: (meaning: Meaning) => bigint;
}

/** How one summary counts, total and breakdowns alike. */
interface Interpretation extends Readonly<Record<Measure, Population>> {
  readonly days: DayInterpretation;
}

const POPULATIONS: readonly Population[] = ['SUCCESS', 'ALL'];

/**
 * All interpretations. Of two that fit alike the first applies, so days by the report's own bounds
 * come first, and payments that succeeded before all payments.
 */
const INTERPRETATIONS: readonly Interpretation[] = DAY_INTERPRETATIONS.flatMap((days) =>
  POPULATIONS.flatMap((amount) => POPULATIONS.map((count) => ({ amount, count, days }))),
);

/**
 * The payments under one interpretation, with the lawful figures computed so far, which all
 * interpretations share.
 */
interface Counted {
  readonly interpretation: Interpretation;
  readonly cells: readonly PaymentCell[];
  readonly lawful: Map<string, Lawful>;
}

/** Compares the summary under the interpretation that leaves the fewest differences. */
export function compareWithPayments(read: ReadSummary, cells: readonly PaymentCell[]): Comparison {
  const hasDays = read.groups.some(({ key }) => key.by === 'day');
  const lawful = new Map<string, Lawful>();
  const interpretations = INTERPRETATIONS.filter(({ days }) => hasDays || days === 'BOUNDS');
  let best: { readonly counted: Counted; readonly differences: readonly Difference[] } | null =
    null;
  for (const interpretation of interpretations) {
    const counted = { interpretation, cells, lawful };
    const differences = differencesUnder(counted, read);
    if (best === null || differences.length < best.differences.length)
      best = { counted, differences };
    if (differences.length === 0) break;
  }
  const { counted, differences } = best!;
  return {
    differences,
    unstated: unstatedIn(counted, read),
    empty: emptyBreakdowns(counted, read),
    interpretation: counted.interpretation,
    now: (meaning) => lawfulOf(counted, meaning).now,
  };
}

function differencesUnder(counted: Counted, read: ReadSummary): readonly Difference[] {
  const leftOut = membersWithout(counted, read).filter(({ isListed }) => !isListed);
  const members = read.groups.flatMap(({ known }) => [...known.values()]);
  const differences = [
    ...read.totals.flatMap((one) => differenceOf(counted, one, true) ?? []),
    ...members.flatMap((one) => differenceOf(counted, one, false) ?? []),
    ...leftOut.map(({ name, due }) => ({ name, stated: null, due, isTotal: false })),
  ];
  return differences.length > 0 ? differences : disagreeingWithin(counted, read);
}

function lawfulOf({ interpretation, cells, lawful }: Counted, meaning: Meaning): Lawful {
  const [population, days] = [interpretation[meaning.measure], interpretation.days];
  const key = JSON.stringify([
    ...Object.values(meaning),
    population,
    meaning.day === null ? null : days,
  ]);
  return valueIn(lawful, key, () => lawfulFigures({ ...meaning, population, days }, cells));
}

function differenceOf(
  counted: Counted,
  { name, meaning, stated }: KnownFigure,
  isTotal: boolean,
): Difference | null {
  const lawful = lawfulOf(counted, meaning);
  const whole = wholeOf(stated);
  if (whole !== null && isLawful(lawful, whole)) return null;
  return { name, stated, due: nearestLawful(lawful, whole ?? wholeOf(stated.floor())!), isTotal };
}

/**
 * Returns the members with payments for which a breakdown lacks a figure that it has for other
 * members.
 */
function membersWithout(
  counted: Counted,
  { groups }: ReadSummary,
): readonly { readonly name: string; readonly due: bigint; readonly isListed: boolean }[] {
  return groups.flatMap(({ key, known, unreadable, listed, isPartlyNamed }) => {
    const [like] = known.values();
    if (like === undefined || isPartlyNamed) return [];
    const without = [...presentIn(counted, key)].filter(
      (member) => !known.has(member) && !unreadable.has(member),
    );
    return without.sort().flatMap((member) => {
      const due = lawfulOf(counted, { ...like.meaning, [key.by]: member }).least;
      const name = [...key.holder, member, ...key.within].join('.');
      return due === 0n ? [] : [{ name, due, isListed: listed.has(member) }];
    });
  });
}

/**
 * Returns the members that a breakdown should have, by the payments. None for statuses, because a
 * summary may leave out some of a closed list.
 */
function presentIn(
  { cells, interpretation }: Counted,
  { by }: FigureGroup['key'],
): ReadonlySet<string> {
  if (by === 'status') return new Set();
  if (by === 'day') return new Set(cells.map(({ days }) => days[interpretation.days]));
  return new Set(cells.flatMap((cell) => cell[by]?.toLowerCase() ?? []));
}

function unstatedIn(counted: Counted, read: ReadSummary): readonly string[] {
  const stated = read.unstated.filter(({ meaning }) => lawfulOf(counted, meaning).least > 0n);
  return [...stated, ...membersWithout(counted, read).filter(({ isListed }) => isListed)].map(
    ({ name }) => name,
  );
}

function emptyBreakdowns(
  { cells, interpretation }: Counted,
  { groups }: ReadSummary,
): readonly string[] {
  const counts = ({ status, isYoung }: PaymentCell): boolean =>
    interpretation.amount === 'ALL' ||
    interpretation.count === 'ALL' ||
    (status === 'SUCCESS' && !isYoung);
  const empty = groups
    .filter(({ listed, isPartlyNamed }) => listed.size === 0 && !isPartlyNamed)
    .filter(({ key }) =>
      cells.some((cell) => counts(cell) && (key.by !== 'operator' || cell.operator !== null)),
    );
  return [...new Set(empty.map(({ key }) => key.holder.join('.')))];
}

/**
 * Returns the totals that disagree with their own breakdown. Young payments make a range, and both
 * may lie within it and still differ from each other.
 */
function disagreeingWithin(
  counted: Counted,
  { totals, groups }: ReadSummary,
): readonly Difference[] {
  const whole = groups.filter((group) => isWhole(counted, group));
  return totals.flatMap(({ name, meaning, stated }) => {
    // A figure of all payments has no range.
    if (meaning.status !== null || counted.interpretation[meaning.measure] === 'ALL') return [];
    const off = whole
      .filter(({ key }) => key.measure === meaning.measure)
      .map(({ known }) =>
        [...known.values()].reduce((sum, one) => sum.plus(one.stated), asDecimal(0)!),
      )
      .find((sum) => !sum.equals(stated));
    return off === undefined ? [] : [{ name, stated, due: wholeOf(off)!, isTotal: true }];
  });
}

/**
 * Whether the figures of the breakdown must add up to the total of successes. They need not by
 * operator where a success has none.
 */
function isWhole({ cells }: Counted, { key, known, listed, isPartlyNamed }: FigureGroup): boolean {
  if (key.by === 'status' || isPartlyNamed || known.size === 0) return false;
  if (
    key.by === 'operator' &&
    cells.some(({ status, operator }) => status === 'SUCCESS' && operator === null)
  )
    return false;
  return [...listed].every((member) => known.has(member));
}

/** Returns the note of evidence: `totalAmount: report 15000, payments 14000`. */
export function noteOn({ name, stated, due }: Difference): string {
  const said =
    stated === null ? 'left out by the report' : `report ${decimalText(stated).slice(0, 80)}`;
  return `${name.slice(0, 80)}: ${said}, payments ${due}`;
}
