// Where a report's summary and the payments of its month disagree, under the reading of the summary that fits best: does a
// total, and does a breakdown, count the payments that succeeded, or all of them?

import { asDecimal, type Decimal, decimalText, wholeOf } from '../../domain/decimal.ts';
import { type Meaning, type Measure, meaningOf, memberOf } from './figure-meaning.ts';
import {
  isLawful,
  type Lawful,
  lawfulFigures,
  nearestLawful,
  type Population,
  type Selection,
} from './lawful-figures.ts';
import type { PaymentCell } from './payment-tally.ts';
import type { SummaryFigure } from './summary-figures.ts';

export interface Difference {
  readonly name: string;
  readonly stated: Decimal;
  /** What the payments come to; of several lawful figures the nearest. */
  readonly due: bigint;
  /** A figure of the whole, which says more than one of a breakdown. */
  readonly isTotal: boolean;
}

/** For each measure of a total, and of a member of a breakdown. */
type Reading = Readonly<Record<`${'total' | 'member'} ${Measure}`, Population>>;

const POPULATIONS: readonly Population[] = ['SUCCESS', 'ALL'];

/** Those who count what succeeded come first: of two readings that fit alike, the first stands. */
const READINGS: readonly Reading[] = POPULATIONS.flatMap((amount) =>
  POPULATIONS.flatMap((count) =>
    POPULATIONS.flatMap((memberAmount) =>
      POPULATIONS.map((memberCount) => ({
        'total amount': amount,
        'total count': count,
        'member amount': memberAmount,
        'member count': memberCount,
      })),
    ),
  ),
);

/** A figure with what it counts; its value is a number. */
export interface KnownFigure {
  readonly figure: SummaryFigure;
  readonly meaning: Meaning;
  readonly stated: Decimal;
  readonly member: ReturnType<typeof memberOf>;
}

/** The figures of which it is known what they count, in the order of the summary. */
export function knownFigures(figures: Iterable<SummaryFigure>): readonly KnownFigure[] {
  return [...figures].flatMap((figure) => {
    const meaning = meaningOf(figure.path);
    const stated = asDecimal(figure.value);
    return meaning === null || stated === null ? [] : [{ figure, meaning, stated, member: memberOf(figure.path) }];
  });
}

/** The payments counted, and what has been found lawful of them: the readings ask for the same figures again. */
interface Counted {
  readonly cells: readonly PaymentCell[];
  readonly lawful: Map<string, Lawful>;
}

function lawfulIn({ cells, lawful }: Counted, wanted: Selection, population: Population): Lawful {
  const { status, operator, country, day, measure } = wanted;
  const key = JSON.stringify([status, operator, country, day, measure, population]);
  const known = lawful.get(key);
  if (known !== undefined) return known;
  const found = lawfulFigures(wanted, population, cells);
  lawful.set(key, found);
  return found;
}

/** The fewest differences that any one reading leaves; none when the summary agrees. */
export function findDifferences(known: readonly KnownFigure[], cells: readonly PaymentCell[]): readonly Difference[] {
  const counted: Counted = { cells, lawful: new Map() };
  let best: readonly Difference[] | null = null;
  for (const reading of READINGS) {
    const differences = differencesUnder(reading, known, counted);
    if (best === null || differences.length < best.length) best = differences;
    if (best.length === 0) break;
  }
  return best!;
}

function differencesUnder(reading: Reading, known: readonly KnownFigure[], counted: Counted): readonly Difference[] {
  const differences = [
    ...known.flatMap((one) => differenceOf(one, reading, counted) ?? []),
    ...leftOutMembers(reading, known, counted),
  ];
  return differences.length > 0 ? differences : disagreeingWithin(reading, known, counted);
}

function populationIn(reading: Reading, { member }: Pick<KnownFigure, 'member'>, measure: Measure): Population {
  return reading[`${member === null ? 'total' : 'member'} ${measure}`];
}

function differenceOf(one: KnownFigure, reading: Reading, counted: Counted): Difference | null {
  const { figure, meaning, stated } = one;
  const lawful = meaning.measures.map((measure) =>
    lawfulIn(counted, { ...meaning, measure }, populationIn(reading, one, measure)),
  );
  const whole = wholeOf(stated);
  if (whole !== null && lawful.some((some) => isLawful(some, whole))) return null;
  const dues = lawful.map((some: Lawful) => nearestLawful(some, whole ?? wholeOf(stated.floor())!));
  const far = (due: bigint): Decimal => stated.minus(due.toString()).abs();
  const due = dues.reduce((best, some) => (far(some).lt(far(best)) ? some : best));
  return { name: figure.name, stated, due, isTotal: one.member === null };
}

function breakdownsIn(known: readonly KnownFigure[]): readonly (readonly KnownFigure[])[] {
  const groups = new Map<string, KnownFigure[]>();
  for (const one of known) {
    if (one.member === null) continue;
    const group = groups.get(one.member.group);
    if (group === undefined) groups.set(one.member.group, [one]);
    else group.push(one);
  }
  return [...groups.values()];
}

/** What the members of a breakdown are: null for states, which are a closed list. */
function kindOf({ meaning }: KnownFigure): 'operator' | 'country' | 'day' | null {
  return (['operator', 'country', 'day'] as const).find((kind) => meaning[kind] !== null) ?? null;
}

/** Members that have payments and that a breakdown, which lists others, does not list. */
function leftOutMembers(reading: Reading, known: readonly KnownFigure[], counted: Counted): readonly Difference[] {
  return breakdownsIn(known).flatMap((members) => {
    const like = members[0]!;
    const kind = kindOf(like);
    if (kind === null) return [];
    const listed = new Set(members.map(({ meaning }) => (kind === 'day' ? meaning.day!.slice(0, 10) : meaning[kind])));
    const present = new Set(counted.cells.flatMap((cell) => cell[kind]?.toLowerCase() ?? []));
    const measure = like.meaning.measures[0]!;
    const population = populationIn(reading, like, measure);
    return [...present.difference(listed)].sort().flatMap((member) => {
      const { least } = lawfulIn(counted, { ...like.meaning, [kind]: member, measure }, population);
      if (least === 0n) return [];
      const name = renamed(like, member);
      return [{ name, stated: asDecimal(0)!, due: least, isTotal: false }];
    });
  });
}

/** `byOperator.wave.amount` → `byOperator.mtn.amount`. */
function renamed({ figure, member }: KnownFigure, name: string): string {
  return figure.name
    .split('.')
    .map((part) => (part.toLowerCase() === member!.member ? name : part))
    .join('.');
}

/** Where young payments leave room, total and breakdown may each lie in it and still not be of the same month. */
function disagreeingWithin(reading: Reading, known: readonly KnownFigure[], { cells }: Counted): readonly Difference[] {
  const isWhole = cells.every((cell) => cell.status !== 'SUCCESS' || cell.operator !== null);
  if (!isWhole) return [];
  const totals = known.filter(({ member, meaning }) => member === null && meaning.status === null);
  const breakdowns = breakdownsIn(known).filter((members) => kindOf(members[0]!) !== null);
  return totals.flatMap((total) => {
    const measure = total.meaning.measures[0]!;
    const countsAlike =
      populationIn(reading, total, measure) === 'SUCCESS' && reading[`member ${measure}`] === 'SUCCESS';
    const off = breakdowns
      .filter(
        ([first]) => countsAlike && first!.meaning.measures.length === 1 && first!.meaning.measures[0] === measure,
      )
      .map((members) => members.reduce((sum, { stated }) => sum.plus(stated), asDecimal(0)!))
      .find((sum) => !sum.equals(total.stated));
    if (off === undefined) return [];
    return [{ name: total.figure.name, stated: total.stated, due: wholeOf(off)!, isTotal: true }];
  });
}

/** `totalAmount: report 15000, payments 14000`. */
export function noteOn({ name, stated, due }: Difference): string {
  return `${name.slice(0, 80)}: report ${decimalText(stated).slice(0, 80)}, payments ${due}`;
}
