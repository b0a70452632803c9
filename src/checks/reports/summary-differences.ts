// Where a report's summary and the payments of its month disagree, under the reading of the summary that fits best: do its
// amounts, and do its counts, take the payments that succeeded, or all of them, and whose midnights part its days?

import { asDecimal, type Decimal, decimalText, wholeOf } from '../../domain/decimal.ts';
import type { Measure } from './figure-meaning.ts';
import { isLawful, type Lawful, lawfulFigures, nearestLawful, type Population } from './lawful-figures.ts';
import { DAY_READINGS, type DayReading, type PaymentCell } from './payment-tally.ts';
import type { FigureGroup, KnownFigure, NamedFigure, ReadBreakdown, ReadSummary } from './read-summary.ts';

export interface Difference {
  readonly name: string;
  /** Null: a member that has payments and that the breakdown, which lists others, leaves out. */
  readonly stated: Decimal | null;
  /** What the payments come to; of several lawful figures the nearest. */
  readonly due: bigint;
  /** A figure of the whole, which says more than one of a breakdown. */
  readonly isTotal: boolean;
}

export interface Comparison {
  /** None when the summary agrees. */
  readonly differences: readonly Difference[];
  /** Names of figures that it does not state, although the payments give something. */
  readonly unstated: readonly string[];
  /** Breakdowns without members, although payments belong in them. */
  readonly empty: readonly string[];
}

/** How one summary counts, total and breakdowns alike. */
interface Reading extends Readonly<Record<Measure, Population>> {
  readonly days: DayReading;
}

const POPULATIONS: readonly Population[] = ['SUCCESS', 'ALL'];

/** Of two readings that fit alike the first stands: days as the bounds have them, then what succeeded. */
const READINGS: readonly Reading[] = DAY_READINGS.flatMap((days) =>
  POPULATIONS.flatMap((amount) => POPULATIONS.map((count) => ({ amount, count, days }))),
);

/** The payments under one reading, and what has been found lawful of them: the readings ask for the same figures again. */
interface Counted {
  readonly reading: Reading;
  readonly cells: readonly PaymentCell[];
  readonly lawful: Map<string, Lawful>;
}

/** Under the reading that leaves fewest differences. */
export function compareWithPayments(read: ReadSummary, cells: readonly PaymentCell[]): Comparison {
  const hasDays = [...read.breakdowns.values()].some(({ kind }) => kind === 'day');
  const lawful = new Map<string, Lawful>();
  const readings = READINGS.filter(({ days }) => hasDays || days === 'BOUNDS');
  let best: { readonly counted: Counted; readonly differences: readonly Difference[] } | null = null;
  for (const reading of readings) {
    const counted = { reading, cells, lawful };
    const differences = differencesUnder(counted, read);
    if (best === null || differences.length < best.differences.length) best = { counted, differences };
    if (differences.length === 0) break;
  }
  const { counted, differences } = best!;
  return { differences, unstated: unstatedIn(counted, read), empty: emptyBreakdowns(counted, read) };
}

function differencesUnder(counted: Counted, read: ReadSummary): readonly Difference[] {
  const leftOut = membersWithout(counted, read).filter(({ isListed }) => !isListed);
  const differences = [
    ...read.known.flatMap((one) => differenceOf(counted, one) ?? []),
    ...leftOut.map(({ name, due }) => ({ name, stated: null, due, isTotal: false })),
  ];
  return differences.length > 0 ? differences : disagreeingWithin(counted, read);
}

function lawfulOf({ reading, cells, lawful }: Counted, { meaning }: NamedFigure, measure: Measure): Lawful {
  const { status, operator, country, day } = meaning;
  const [population, days] = [reading[measure], reading.days];
  const key = JSON.stringify([status, operator, country, day, measure, population, day === null ? null : days]);
  const known = lawful.get(key);
  if (known !== undefined) return known;
  const found = lawfulFigures({ status, operator, country, day, measure, population, days }, cells);
  lawful.set(key, found);
  return found;
}

/** What the figure can be a measure of, of those that its name leaves open. */
function fittingMeasures(counted: Counted, one: KnownFigure): readonly Measure[] {
  const whole = wholeOf(one.stated);
  if (whole === null) return [];
  return one.meaning.measures.filter((measure) => isLawful(lawfulOf(counted, one, measure), whole));
}

function differenceOf(counted: Counted, one: KnownFigure): Difference | null {
  const { name, meaning, stated } = one;
  if (fittingMeasures(counted, one).length > 0) return null;
  const near = wholeOf(stated) ?? wholeOf(stated.floor())!;
  const dues = meaning.measures.map((measure) => nearestLawful(lawfulOf(counted, one, measure), near));
  const far = (due: bigint): Decimal => stated.minus(due.toString()).abs();
  const due = dues.reduce((best, some) => (far(some).lt(far(best)) ? some : best));
  return { name, stated, due, isTotal: one.member === null };
}

/** Members that have payments and of whom a breakdown has no figure of a measure of which it has others'. */
function membersWithout(
  counted: Counted,
  { breakdowns }: ReadSummary,
): readonly { readonly name: string; readonly due: bigint; readonly isListed: boolean }[] {
  return [...breakdowns.values()].flatMap((breakdown) => {
    if (breakdown.isPartlyNamed) return [];
    const present = presentIn(counted, breakdown);
    return [...breakdown.groups.values()].flatMap((group) => {
      const like = group.known[0];
      if (like === undefined) return [];
      const measure = measureOf(counted, group);
      return [...present.difference(group.named)].sort().flatMap((member) => {
        const meaning = { ...like.meaning, [breakdown.kind]: member };
        const due = lawfulOf(counted, { ...like, meaning }, measure).least;
        const name = nameOf(breakdown, member, like);
        return due === 0n ? [] : [{ name, due, isListed: breakdown.members.has(member) }];
      });
    });
  });
}

/** `byOperator.mtn.amount`, like `byOperator.wave.amount`. */
function nameOf({ name }: ReadBreakdown, member: string, like: KnownFigure): string {
  const measure = like.member!.measure.length === 0 ? [] : like.name.split('.').slice(-1);
  return [name, member, ...measure].join('.');
}

/** Whom or what the payments have of a breakdown's kind; of states nothing: they are a closed list, and none is missed. */
function presentIn({ cells, reading }: Counted, { kind }: ReadBreakdown): ReadonlySet<string> {
  if (kind === 'status') return new Set();
  if (kind === 'day') return new Set(cells.map(({ days }) => days[reading.days]));
  return new Set(cells.flatMap((cell) => cell[kind]?.toLowerCase() ?? []));
}

/** Bare numbers are of the measure that all of them fit, if there is one. */
function measureOf(counted: Counted, { known }: FigureGroup): Measure {
  const { measures } = known[0]!.meaning;
  return (
    measures.find((one) => known.every((figure) => fittingMeasures(counted, figure).includes(one))) ?? measures[0]!
  );
}

function unstatedIn(counted: Counted, read: ReadSummary): readonly string[] {
  const stated = read.unstated.filter((one) =>
    one.meaning.measures.some((measure) => lawfulOf(counted, one, measure).least > 0n),
  );
  return [...stated, ...membersWithout(counted, read).filter(({ isListed }) => isListed)].map(({ name }) => name);
}

function emptyBreakdowns({ cells, reading }: Counted, { breakdowns }: ReadSummary): readonly string[] {
  const counts = ({ status, isYoung }: PaymentCell): boolean =>
    reading.amount === 'ALL' || reading.count === 'ALL' || (status === 'SUCCESS' && !isYoung);
  return [...breakdowns.values()]
    .filter(({ members, isPartlyNamed }) => members.size === 0 && !isPartlyNamed)
    .filter(({ kind }) => cells.some((cell) => counts(cell) && (kind !== 'operator' || cell.operator !== null)))
    .map(({ name }) => name);
}

/** Where young payments leave room, total and breakdown may each lie in it and still not be of the same month. */
function disagreeingWithin(counted: Counted, { known, breakdowns }: ReadSummary): readonly Difference[] {
  const groups = [...breakdowns.values()].flatMap((breakdown) => wholeGroupsOf(counted, breakdown));
  const totals = known.filter(({ member, meaning }) => member === null && meaning.status === null);
  return totals.flatMap((total) => {
    const fitting = fittingMeasures(counted, total);
    // All payments leave no room.
    if (fitting.length !== 1 || counted.reading[fitting[0]!] === 'ALL') return [];
    const off = groups
      .filter(([first]) => first!.meaning.measures.length === 1 && first!.meaning.measures[0] === fitting[0])
      .map((members) => members.reduce((sum, { stated }) => sum.plus(stated), asDecimal(0)!))
      .find((sum) => !sum.equals(total.stated));
    return off === undefined ? [] : [{ name: total.name, stated: total.stated, due: wholeOf(off)!, isTotal: true }];
  });
}

/** Those whose figures add up to all that succeeded: a payment that nobody made is of no operator. */
function wholeGroupsOf({ cells }: Counted, breakdown: ReadBreakdown): readonly (readonly KnownFigure[])[] {
  const { kind, isPartlyNamed, members, groups } = breakdown;
  if (kind === 'status' || isPartlyNamed) return [];
  if (kind === 'operator' && cells.some(({ status, operator }) => status === 'SUCCESS' && operator === null)) return [];
  return [...groups.values()]
    .map(({ known }) => known)
    .filter((known) => known.length > 0 && members.isSubsetOf(new Set(known.map(({ member }) => member!.member))));
}

/** `totalAmount: report 15000, payments 14000`. */
export function noteOn({ name, stated, due }: Difference): string {
  const said = stated === null ? 'left out by the report' : `report ${decimalText(stated).slice(0, 80)}`;
  return `${name.slice(0, 80)}: ${said}, payments ${due}`;
}
