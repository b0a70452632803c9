// A monthly report against the payments by link of its month: how many there are and how much they come to, in all and
// by operator, country, day and status. Wallet operations are another population and have no part in it.

import { totalOf } from '../../domain/amount.ts';
import { asDecimal, type Decimal, decimalText, wholeOf } from '../../domain/decimal.ts';
import type { Evidence, FindingDraft } from '../../domain/finding.ts';
import type { NotChecked } from '../../domain/reading.ts';
import { draftOf, type KindPage, money } from '../check.ts';
import { type Meaning, type Measure, meaningOf, memberOf } from './figure-meaning.ts';
import type { PaymentCell, PaymentTally } from './payment-tally.ts';
import { figuresOf, type SummaryFigure } from './summary-figures.ts';

export const reportSummaryMismatch: KindPage = {
  kind: 'REPORT_SUMMARY_MISMATCH',
  severity: 'error',
  explanation:
    'The service’s own monthly report disagrees with the payments by link of that month. Each figure that differs is named with both values; the report’s bounds are used. A summary may count the payments that succeeded or all of them: the reading that fits best stands. Payments younger than a day when the report was made may have been pending then.',
  fires: `
    payment 1 SUCCESS 1000 operator=wave
    payment 2 SUCCESS 500 operator=orange
    report 2026-10 totalAmount=1600 paymentCount=2
    at +40d`,
  quiet: `
    payment 1 SUCCESS 1000 operator=wave
    payment 2 SUCCESS 500 operator=orange
    payment 3 FAILED 700 operator=orange
    report 2026-10 totalAmount=1500.00 paymentCount=2
    at +40d`,
};

export interface ReportJudgement {
  readonly draft: FindingDraft | null;
  /** Why nothing can be said of the report; null: it was judged. */
  readonly note: NotChecked | null;
}

/** The place of a finding about a month's report. */
export function placeOfReport(period: string): string {
  return `report ${period}`;
}

/** What a reading of the summary counts: the payments that succeeded, or all. */
type Population = 'SUCCESS' | 'ALL';
type Reading = Readonly<Record<Measure, Population>>;

const READINGS: readonly Reading[] = [
  { amount: 'SUCCESS', count: 'SUCCESS' },
  { amount: 'SUCCESS', count: 'ALL' },
  { amount: 'ALL', count: 'ALL' },
  { amount: 'ALL', count: 'SUCCESS' },
];

interface Difference {
  readonly name: string;
  readonly stated: Decimal;
  /** What the payments come to, and the nearest of several lawful figures. */
  readonly due: bigint;
  /** A figure of the whole, which says more than one of a breakdown. */
  readonly isTotal: boolean;
}

/** `unread`: rows of payments could not be read, so that a difference proves nothing. `tally.report` has a summary. */
export function judgeReport(tally: PaymentTally, { unread }: { readonly unread: number }): ReportJudgement {
  const { report } = tally;
  const figures = [...figuresOf(report.summary!).values()];
  const known = figures.filter((figure) => meaningOf(figure.path) !== null && asDecimal(figure.value) !== null);
  const what = placeOfReport(report.period);
  if (known.length === 0) {
    const names = figures.slice(0, 8).map(({ name }) => name.slice(0, 60));
    const why = `its summary holds no figure of a known name (${names.length === 0 ? 'it is empty' : names.join(', ')})`;
    return { draft: null, note: { what, why, incomplete: false } };
  }
  const differences = READINGS.map((reading) => differencesUnder(reading, known, tally)).reduce((best, some) =>
    some.length < best.length ? some : best,
  );
  if (differences.length === 0) return { draft: null, note: null };
  if (unread === 0) return { draft: describe(tally, differences), note: null };
  const why = `its summary differs from the payments read, and ${unread} rows of payments could not be read`;
  return { draft: null, note: { what, why, incomplete: true } };
}

function differencesUnder(reading: Reading, known: readonly SummaryFigure[], tally: PaymentTally): Difference[] {
  const cells = [...tally.cells.values()];
  const stated = known.flatMap((figure) => {
    const meaning = meaningOf(figure.path)!;
    const dues = meaning.measures.map((measure) => dueFor({ ...meaning, measure }, reading[measure], cells));
    return differenceOf(figure, dues) ?? [];
  });
  const differences = [...stated, ...leftOut(reading, known, cells)];
  return differences.length > 0 ? differences : disagreeingWithin(known);
}

/** Where young payments leave room, total and breakdown may each lie in it and still not be the same month's. */
function disagreeingWithin(known: readonly SummaryFigure[]): Difference[] {
  const totals = known.filter(({ path }) => memberOf(path) === null && meaningOf(path)!.status === null);
  const parts = known.filter(({ path }) => memberOf(path) !== null && meaningOf(path)!.status === null);
  const groups = new Set(parts.map(({ path }) => memberOf(path)!.group));
  return totals.flatMap((total) => {
    const [measure] = meaningOf(total.path)!.measures;
    for (const group of groups) {
      const members = parts.filter(({ path }) => memberOf(path)!.group === group);
      const { measures } = meaningOf(members[0]!.path)!;
      if (measures.length > 1 || measures[0] !== measure) continue;
      const sum = members.reduce((most, { value }) => most.plus(asDecimal(value)!), asDecimal(0)!);
      const stated = asDecimal(total.value)!;
      if (!sum.equals(stated)) return [{ name: total.name, stated, due: wholeOf(sum)!, isTotal: true }];
    }
    return [];
  });
}

/** The figure lies between `least` and `most`, both included. */
interface Due {
  readonly least: bigint;
  readonly most: bigint;
}

function differenceOf(figure: SummaryFigure, dues: readonly Due[]): Difference | null {
  const stated = asDecimal(figure.value)!;
  const fits = dues.some(({ least, most }) => stated.gte(least.toString()) && stated.lte(most.toString()));
  if (fits && stated.isInteger()) return null;
  const bounds = dues.flatMap(({ least, most }) => [least, most]);
  const far = (due: bigint): Decimal => stated.minus(due.toString()).abs();
  const due = bounds.reduce((best, bound) => (far(bound).lt(far(best)) ? bound : best));
  return { name: figure.name, stated, due, isTotal: memberOf(figure.path) === null };
}

/** Payments that may have settled only after the report was made leave room; all others do not. */
function dueFor(
  wanted: Omit<Meaning, 'measures'> & { readonly measure: Measure },
  population: Population,
  cells: readonly PaymentCell[],
): Due {
  let [least, most] = [0n, 0n];
  for (const cell of cells) {
    if (wanted.operator !== null && cell.operator !== wanted.operator) continue;
    if (wanted.country !== null && cell.country.toLowerCase() !== wanted.country) continue;
    if (wanted.day !== null && cell.day !== wanted.day.slice(0, 10)) continue;
    const figure = wanted.measure === 'count' ? BigInt(cell.count) : totalOf(cell.amount);
    const status = wanted.status ?? (population === 'ALL' ? null : 'SUCCESS');
    const wasPending = cell.isYoung && cell.status !== 'PENDING';
    if (status === null || (cell.status === status && !wasPending)) least += figure;
    if (status === null || cell.status === status || (status === 'PENDING' && wasPending)) most += figure;
  }
  return { least, most };
}

/** Members that have payments and that a breakdown, which lists others, does not list. */
function leftOut(reading: Reading, known: readonly SummaryFigure[], cells: readonly PaymentCell[]): Difference[] {
  const groups = new Map<string, { readonly like: SummaryFigure; readonly members: Set<string> }>();
  for (const figure of known) {
    const place = memberOf(figure.path);
    if (place === null) continue;
    const group = groups.get(place.group) ?? { like: figure, members: new Set<string>() };
    groups.set(place.group, group);
    group.members.add(place.member);
  }
  return [...groups.values()].flatMap(({ like, members }) => leftOutOf(reading, { like, members }, cells));
}

function leftOutOf(
  reading: Reading,
  { like, members }: { readonly like: SummaryFigure; readonly members: ReadonlySet<string> },
  cells: readonly PaymentCell[],
): Difference[] {
  const meaning = meaningOf(like.path)!;
  const kind = (['operator', 'country', 'day'] as const).find((one) => meaning[one] !== null);
  if (kind === undefined) return [];
  const listed = new Set([...members].map((member) => (kind === 'day' ? member.slice(0, 10) : member)));
  const present = new Set(cells.flatMap((cell) => cell[kind]?.toLowerCase() ?? []));
  const measure = meaning.measures[0]!;
  return [...present]
    .filter((member) => !listed.has(member))
    .sort()
    .flatMap((member) => {
      const { least } = dueFor({ ...meaning, [kind]: member, measure }, reading[measure], cells);
      if (least === 0n) return [];
      const shown = memberOf(like.path)!.member;
      const name = like.name
        .split('.')
        .map((part) => (part.toLowerCase() === shown ? member : part))
        .join('.');
      return [{ name, stated: asDecimal(0)!, due: least, isTotal: false }];
    });
}

function describe({ report, span }: PaymentTally, differences: readonly Difference[]): FindingDraft {
  const inOrder = [...differences.filter((one) => one.isTotal), ...differences.filter((one) => !one.isTotal)];
  const { name, stated, due } = inOrder[0]!;
  const whole = wholeOf(stated);
  const actual = decimalText(stated);
  const more = differences.length > 1 ? `; ${differences.length - 1} more of its figures differ` : '';
  const shown = whole === null ? actual : money(whole);
  const message = `The report of ${report.period} states ${name.slice(0, 80)} ${shown.slice(0, 80)}, where the payments by link of the month give ${money(due)}${more}.`;
  return draftOf(reportSummaryMismatch, message, {
    inputPlace: placeOfReport(report.period),
    expected: due.toString(),
    actual,
    difference: whole === null ? null : whole - due,
    evidence: inOrder.slice(0, 20).map((one) => evidenceOf(report.period, one)),
    newestEvidence: report.generatedAt ?? span.until,
  });
}

function evidenceOf(period: string, { name, stated, due }: Difference): Evidence {
  const note = `${name.slice(0, 80)}: report ${decimalText(stated).slice(0, 80)}, payments ${due}`;
  return { what: 'report', sequence: null, reference: period, note };
}
