// Chooses the published reports that can be compared with payments: for each month that has ended,
// the newest one that is READY, has a summary and was made by the instant judged. Every month that
// is left out is a note, with the reason.

import { asDecimal, decimalText } from '../../../domain/decimal.ts';
import { isList } from '../../../domain/figures.ts';
import { formatInstant, type Instant } from '../../../domain/instant.ts';
import {
  boundsOfReport,
  type ServiceReport,
  type Summary,
  type SummaryValue,
} from '../../../domain/service-report.ts';
import type { Note, Reason } from '../../../domain/snapshot.ts';
import { isObject } from './read-summary.ts';
import { placeOfReport } from './report-summary.ts';

export interface ChosenReports {
  /** One a month, newest month first. */
  readonly reports: readonly ServiceReport[];
  readonly notes: readonly Note[];
}

/** Chooses the reports. `most` limits them to that many newest months; `null` for all months. */
export function chooseReports(
  published: readonly ServiceReport[],
  { asOf, most }: { readonly asOf: Instant; readonly most: number | null },
): ChosenReports {
  const periods = [...new Set(published.map(({ period }) => period))].sort().reverse();
  if (periods.length === 0)
    return {
      reports: [],
      notes: [note('reports', { why: 'none is published', code: 'REPORTS_NONE' })],
    };
  const within = periods.slice(0, most ?? periods.length);
  const reports: ServiceReport[] = [];
  const notes: Note[] = [];
  for (const period of within) {
    const what = placeOfReport(period);
    const ofPeriod = published.filter((report) => report.period === period);
    const newest = newestReady(
      ofPeriod.filter(({ generatedAt }) => generatedAt === null || generatedAt <= asOf),
    );
    const why = newest === null ? reasonIn(ofPeriod) : reasonAgainst(newest, asOf);
    if (why !== null) {
      notes.push(note(what, why));
      continue;
    }
    reports.push(newest!);
    if (isContradicted(newest!, ofPeriod))
      notes.push({ what, ...contradiction(newest!), incomplete: true });
  }
  const older = periods.length - within.length;
  if (older > 0) {
    const why = `${older === 1 ? '1 older month is' : `${older} older months are`} not compared again`;
    notes.push(
      note(`reports before ${within.at(-1)}`, {
        why,
        code: 'REPORTS_OLDER',
        figures: { count: older },
      }),
    );
  }
  return { reports, notes };
}

/**
 * Returns the READY report that was generated last, because it replaces earlier ones; `null` where
 * none is READY.
 */
export function newestReady(reports: readonly ServiceReport[]): ServiceReport | null {
  const ready = reports.filter(({ status }) => status === 'READY');
  const at = (report: ServiceReport): number => report.generatedAt ?? Number.NEGATIVE_INFINITY;
  return ready.reduce<ServiceReport | null>(
    (best, one) => (best === null || at(one) > at(best) ? one : best),
    null,
  );
}

/**
 * Whether another report of the month has the same instant of generation and states something else.
 */
function isContradicted(chosen: ServiceReport, ofPeriod: readonly ServiceReport[]): boolean {
  const rivals = ofPeriod.filter(
    (report) =>
      report.status === 'READY' &&
      report.generatedAt === chosen.generatedAt &&
      !countsWalletOperations(report),
  );
  return (
    chosen.generatedAt !== null &&
    rivals.some(({ summary }) => !isAlike(summary ?? {}, chosen.summary!))
  );
}

function isAlike(one: Summary, other: Summary): boolean {
  const { differences, onlyInService, onlyInOurs } = compareSummaries(one, other);
  return differences.length + onlyInService.length + onlyInOurs.length === 0;
}

function contradiction({ generatedAt }: ServiceReport): Reason {
  const at = formatInstant(generatedAt!);
  const why = `several READY reports made at ${at} state different figures; the one served first was compared`;
  return { why, code: 'REPORT_CONTRADICTED', figures: { at } };
}

/**
 * Says why none of a month's reports counts: none is READY, or those that are were made after the
 * instant judged.
 */
export function reasonIn(reports: readonly ServiceReport[]): Reason {
  const made = newestReady(reports)?.generatedAt;
  if (made !== undefined && made !== null) {
    const at = formatInstant(made);
    return { why: `it was made only at ${at}`, code: 'REPORT_LATER', figures: { at } };
  }
  const failed = reports.find(({ status }) => status === 'FAILED');
  if (failed === undefined)
    return { why: 'it is not generated yet (PENDING)', code: 'REPORT_PENDING' };
  const reason = failed.error?.slice(0, 200) ?? null;
  const why = `its generation FAILED${reason === null ? '' : `: ${reason}`}`;
  return { why, code: 'REPORT_FAILED', figures: { reason } };
}

export const NO_SUMMARY: Reason = { why: 'it has no summary', code: 'REPORT_EMPTY' };

function reasonAgainst(report: ServiceReport, asOf: Instant): Reason | null {
  const { until } = boundsOfReport(report);
  if (report.summary === null) return NO_SUMMARY;
  if (until > asOf) {
    const at = formatInstant(until);
    return { why: `its month ends only at ${at}`, code: 'REPORT_MONTH_OPEN', figures: { at } };
  }
  if (!countsWalletOperations(report)) return null;
  return { why: 'it counts wallet operations, not payments by link', code: 'REPORT_OF_OPERATIONS' };
}

/**
 * Whether the summary says that it counts wallet operations. One that says nothing counts payments
 * by link.
 */
export function countsWalletOperations({ summary }: Pick<ServiceReport, 'summary'>): boolean {
  return summary?.population === 'WALLET_OPERATIONS';
}

function note(what: string, reason: Reason): Note {
  return { what, ...reason, incomplete: false };
}

// Compares two summaries of one month key by key: the service's and ours. Finds what differs and
// what only one of them has. It does not know what a key means, and a key that was not compared
// never counts as equal.

interface SummaryDifference {
  /** The key in the service's spelling where the service has it, else in ours. */
  readonly key: string;
  /** `null` where the service does not list this member of a breakdown that it gives. */
  readonly service: string | null;
  readonly ours: string | null;
  /**
   * The service's figure less ours, signed, as decimal text; `null` where one of them is not a
   * number.
   */
  readonly difference: string | null;
}

/**
 * Compares two summaries. Numbers are equal by value however they are written (12500, "12500.00");
 * texts are equal as they stand. `compared` is how many figures both sides have, with the members
 * that one side leaves out of a breakdown and the other counts. The order is the service's, then
 * what only we have.
 */
export function compareSummaries(service: Summary, ours: Summary) {
  const [theirs, own] = [figuresOf(service), figuresOf(ours)];
  const [theirGroups, ownGroups] = [groupsOf(theirs), groupsOf(own)];
  const differences: SummaryDifference[] = [];
  const onlyInService: string[] = [];
  const onlyInOurs: string[] = [];
  let compared = 0;
  const compare = (
    name: string,
    values: { readonly service: SummaryScalar; readonly ours: SummaryScalar },
  ): void => {
    compared += 1;
    if (!sameValue(values.service, values.ours)) differences.push(differenceOf(name, values));
  };
  for (const [key, figure] of theirs) {
    const match = own.get(key);
    if (match !== undefined) compare(figure.name, { service: figure.value, ours: match.value });
    else if (isLeftOut(figure, ownGroups))
      compare(figure.name, { service: figure.value, ours: null });
    else onlyInService.push(figure.name);
  }
  for (const [key, figure] of own) {
    if (theirs.has(key)) continue;
    if (isLeftOut(figure, theirGroups)) compare(figure.name, { service: null, ours: figure.value });
    else onlyInOurs.push(figure.name);
  }
  return { compared, differences, onlyInService, onlyInOurs };
}

/**
 * Returns the breakdowns of one side, each in the form `byOperator.*.amount`. Where both sides have
 * a breakdown, a member that is missing on one side counts as 0. A breakdown with a row that names
 * no member is left out, because the row may be of any member.
 */
function groupsOf(figures: ReadonlyMap<string, SummaryFigure>): ReadonlySet<string> {
  const groupsWhere = (isNamed: boolean) =>
    [...figures.values()]
      .filter(({ isUnnamed }) => isUnnamed !== isNamed)
      .flatMap(({ path }) => groupOf(path) ?? []);
  return new Set(groupsWhere(true)).difference(new Set(groupsWhere(false)));
}

function groupOf(path: readonly string[]): string | null {
  if (path.length >= 3) return pathKey([...path.slice(0, -2), '*', path.at(-1)!]);
  // A path of two parts is a member only in a breakdown (`by…`): `control.x` is a field beside
  // others.
  return path.length === 2 && path[0]!.startsWith('by') ? pathKey([path[0]!, '*']) : null;
}

function isLeftOut(
  { path, value, isUnnamed }: SummaryFigure,
  others: ReadonlySet<string>,
): boolean {
  const group = groupOf(path);
  return !isUnnamed && group !== null && others.has(group) && asDecimal(value) !== null;
}

/**
 * Whether the values are equal; `null` equals 0, because a side that states nothing counts nothing.
 */
function sameValue(service: SummaryScalar, ours: SummaryScalar): boolean {
  const [a, b] = [asDecimal(service ?? 0), asDecimal(ours ?? 0)];
  return a !== null && b !== null ? a.equals(b) : service === ours;
}

function differenceOf(
  key: string,
  { service, ours }: { readonly service: SummaryScalar; readonly ours: SummaryScalar },
): SummaryDifference {
  const [a, b] = [asDecimal(service ?? 0), asDecimal(ours ?? 0)];
  const difference = a === null || b === null ? null : decimalText(a.minus(b));
  return { key, service: textOf(service), ours: textOf(ours), difference };
}

function textOf(value: SummaryScalar): string | null {
  if (value === null) return null;
  const decimal = asDecimal(value);
  return decimal === null ? String(value) : decimalText(decimal);
}

// The figures of a summary in our own form, one by one, each with a name. Members of lists ("by
// operator") have the names of their rows, so that two summaries can be compared whatever the order
// of their lists.

type SummaryScalar = string | number | boolean | null;

interface SummaryFigure {
  /** As a person reads it: `byOperator.Wave.amount`. */
  readonly name: string;
  /** The parts of the name, in lower case ("casing varies, compare in lower case"). */
  readonly path: readonly string[];
  readonly value: SummaryScalar;
  /** The figure belongs to a row that has only a place and no name, so that no member has it. */
  readonly isUnnamed: boolean;
}

/** Fields that name a member of a list. */
const NAMING = ['operator', 'country', 'status', 'day'];

/**
 * Returns the figures by their joined paths, in the order of the summary. Names that differ only in
 * casing are one, and their numbers are added.
 */
function figuresOf(summary: Summary): ReadonlyMap<string, SummaryFigure> {
  const figures = new Map<string, SummaryFigure>();
  collect(summary, { names: [], isUnnamed: false }, figures);
  return figures;
}

function pathKey(path: readonly string[]): string {
  return JSON.stringify(path);
}

interface Place {
  readonly names: readonly string[];
  readonly isUnnamed: boolean;
}

function collect(value: SummaryValue, at: Place, figures: Map<string, SummaryFigure>): void {
  const { names, isUnnamed } = at;
  if (typeof value !== 'object' || value === null) {
    add(figures, {
      name: names.join('.'),
      path: names.map((part) => part.toLowerCase()),
      value,
      isUnnamed,
    });
  } else if (isList(value)) collectList(value, at, figures);
  else
    for (const [key, inner] of Object.entries(value))
      collect(inner, { names: [...names, key], isUnnamed }, figures);
}

function collectList(
  list: readonly SummaryValue[],
  { names, isUnnamed }: Place,
  figures: Map<string, SummaryFigure>,
): void {
  const known = NAMING.filter((key) => list.some((row) => nameIn(row, key) !== null));
  const listName = names.at(-1)?.toLowerCase() ?? '';
  const naming = known.find((key) => listName.includes(key)) ?? known[0] ?? null;
  for (const [index, member] of list.entries()) {
    const called = naming === null ? null : nameIn(member, naming);
    if (called !== null) {
      const { [naming!]: _, ...rest } = member as Summary;
      collect(rest, { names: [...names, called], isUnnamed }, figures);
      continue;
    }
    // Beside rows with names, a bare number could be taken for a name.
    const place = naming === null ? String(index) : `#${index + 1}`;
    collect(member, { names: [...names, place], isUnnamed: true }, figures);
  }
}

function nameIn(row: SummaryValue, field: string): string | null {
  const name = isObject(row) ? row[field] : null;
  return typeof name === 'string' && name.trim() !== '' ? name : null;
}

function add(figures: Map<string, SummaryFigure>, figure: SummaryFigure): void {
  const key = pathKey(figure.path);
  const known = figures.get(key);
  if (known === undefined || known.value === null) {
    figures.set(key, figure);
    return;
  }
  const [a, b] = [asDecimal(known.value), asDecimal(figure.value)];
  // A value that is no number cannot be added. It replaces the number, so that it stays visible.
  if (a !== null && b !== null) figures.set(key, { ...known, value: decimalText(a.plus(b)) });
  else if (a !== null && figure.value !== null) figures.set(key, { ...known, value: figure.value });
}
