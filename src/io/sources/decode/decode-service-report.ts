// Decodes one monthly report (dashboard API, "Report"). The summary, whose form the document does
// not show, is kept as it is, within bounds. A report whose bounds are not those of its month is
// refused, because no payments could be counted by them.

import { DAY, type Instant } from '../../../core/domain/instant.ts';
import type { Refusal } from '../../../core/domain/refusal.ts';
import {
  type Decoded,
  decodedFrom,
  type Fields,
  fieldsOf,
  inexactTextOf,
  isNothing,
  LONGEST_ID,
  LONGEST_TEXT,
  own,
  refuse,
  takeId,
  takeNatural,
  takeOneOf,
  takeOptionalInstant,
  takeOptionalText,
} from '../../../core/domain/rows/decode-object.ts';
import {
  monthInUtc,
  REPORT_STATUSES,
  type ServiceReport,
  type Summary,
  type SummaryValue,
} from '../../../core/domain/service-report.ts';

const PERIOD = /^(?:19|20|21)\d\d-(?:0[1-9]|1[0-2])$/;

export function decodeServiceReport(value: unknown): Decoded<ServiceReport> {
  const fields = fieldsOf(value);
  const period = takePeriod(fields);
  const report = {
    id: takeId(fields, 'id'),
    period,
    periodLabel: takeOptionalText(fields, 'periodLabel'),
    periodStart: takeOptionalInstant(fields, 'periodStart'),
    periodEnd: takeOptionalInstant(fields, 'periodEnd'),
    status: takeOneOf(fields, 'status', REPORT_STATUSES),
    filename: takeOptionalText(fields, 'filename'),
    fileUrl: takeOptionalText(fields, 'fileUrl'),
    fileSize: isNothing(own(fields.row, 'fileSize')) ? null : takeNatural(fields, 'fileSize'),
    summary: decodeSummary(fields, 'summary'),
    error: takeOptionalText(fields, 'error'),
    generatedAt: takeOptionalInstant(fields, 'generatedAt'),
  };
  if (fields.fault === null) requireBounds(fields, report);
  return decodedFrom(fields, report);
}

function takePeriod(fields: Fields): string {
  const period = takeId(fields, 'period');
  return PERIOD.test(period) ? period : refuse(fields, 'period', 'month', '2000-01');
}

/**
 * Refuses bounds that are more than a day away from those of the month in UTC, because local
 * midnights are always within a day.
 */
function requireBounds(
  fields: Fields,
  report: {
    readonly period: string;
    readonly periodStart: Instant | null;
    readonly periodEnd: Instant | null;
  },
): void {
  const month = monthInUtc(report.period);
  const isNear = (instant: Instant | null, due: Instant): boolean =>
    instant === null || Math.abs(instant - due) <= DAY;
  const wanted = ['in_month', report.period] as const;
  if (!isNear(report.periodStart, month.from)) refuse(fields, 'periodStart', wanted, null);
  if (!isNear(report.periodEnd, month.until)) refuse(fields, 'periodEnd', wanted, null);
}

// Takes a report's summary out of its row: any JSON object within bounds, with every number exact
// or kept as its text. Its form is the service's own, and is not interpreted here.

/** Most values in one summary, at all levels together. */
const MOST_VALUES = 5_000;
/** Most objects and lists inside each other, including the summary itself. */
const DEEPEST_SUMMARY = 8;

type Bound = Extract<Refusal, { readonly code: 'FIELD_BEYOND_BOUNDS' }>['bound'];

/**
 * How each bound is worded in a refusal, and the largest number allowed; `null` when it is not a
 * number.
 */
const BOUNDS: Readonly<
  Record<Bound, { readonly says: (found: number) => string; readonly most: number | null }>
> = {
  values: { says: () => `holds more than ${MOST_VALUES} values`, most: MOST_VALUES },
  depth: { says: () => `is nested deeper than ${DEEPEST_SUMMARY} levels`, most: DEEPEST_SUMMARY },
  key: {
    says: (length) => `has a key of ${length} characters, more than ${LONGEST_ID}`,
    most: LONGEST_ID,
  },
  text: { says: (length) => `holds a text of ${length} characters`, most: LONGEST_TEXT },
  nul: { says: () => 'holds a text with U+0000', most: null },
  number: { says: (value) => `holds ${value}, which is no number`, most: null },
};

class TooMuch extends Error {
  readonly bound: Bound;
  readonly found: number;

  constructor(bound: Bound, found: number) {
    super(BOUNDS[bound].says(found));
    this.bound = bound;
    this.found = found;
  }
}

/**
 * Takes the summary; `null` when the row has none. A value beyond a bound is a fault of the row.
 */
function decodeSummary(fields: Fields, name: string): Summary | null {
  const value = own(fields.row, name);
  if (isNothing(value)) return null;
  if (fieldsOf(value).fault !== null) return refuse(fields, name, 'object', null);
  const budget = { left: MOST_VALUES };
  try {
    return copyOf(value, budget, 1) as Summary;
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    const field = `${fields.prefix}${name}`;
    const { bound, found } = error;
    const refusal = {
      code: 'FIELD_BEYOND_BOUNDS',
      field,
      bound,
      found,
      most: BOUNDS[bound].most,
    } as const;
    fields.fault ??= { reason: `${field} ${error.message}`, refusal };
    return null;
  }
}

function copyOf(value: unknown, budget: { left: number }, depth: number): SummaryValue {
  budget.left -= 1;
  if (budget.left < 0) throw new TooMuch('values', MOST_VALUES - budget.left);
  const inexact = inexactTextOf(value);
  if (inexact !== null) return textOf(inexact);
  if (typeof value === 'bigint') return textOf(value.toString());
  if (typeof value === 'string') return textOf(value);
  if (typeof value !== 'object' || value === null)
    return typeof value === 'number' ? numberOf(value) : typeof value === 'boolean' ? value : null;
  if (depth > DEEPEST_SUMMARY) throw new TooMuch('depth', depth);
  if (Array.isArray(value)) return value.map((item) => copyOf(item, budget, depth + 1));
  const entries = Object.entries(value).map(([key, inner]) => {
    if (key.length > LONGEST_ID) throw new TooMuch('key', key.length);
    return [textOf(key), copyOf(inner, budget, depth + 1)] as const;
  });
  return Object.fromEntries(entries);
}

function textOf(text: string): string {
  if (text.length > LONGEST_TEXT) throw new TooMuch('text', text.length);
  if (text.includes('\u0000')) throw new TooMuch('nul', text.indexOf('\u0000'));
  return text;
}

function numberOf(value: number): number {
  if (!Number.isFinite(value)) throw new TooMuch('number', value);
  return value;
}
