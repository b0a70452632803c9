// Compares a monthly report with the payments by link of its month: how many there are and how much
// they sum to, in all and by operator, country, day and status. Wallet operations are other things,
// and are not counted here.

import { decimalText, wholeOf } from '../../../domain/decimal.ts';
import type { FindingDraft } from '../../../domain/finding.ts';
import type { SummaryValue } from '../../../domain/service-report.ts';
import type { CodedNote } from '../../../domain/snapshot.ts';
import type { SummaryKey } from '../../../domain/summary-keys.ts';
import { draftOf } from '../port/check.ts';
import type { PaymentTally } from './payment-tally.ts';
import { type ReadSummary, readSummary } from './read-summary.ts';
import {
  type Comparison,
  compareWithPayments,
  type Difference,
  noteOn,
} from './summary-differences.ts';

export interface ReportJudgement {
  readonly draft: FindingDraft | null;
  /** What in the report could not be judged; `null` when all of it was. */
  readonly note: CodedNote | null;
  /** The report is wrong, or it is right in all that is mapped. */
  readonly isJudged: boolean;
}

export function placeOfReport(period: string): string {
  return `report ${period}`;
}

/** How the report's summary is read, and how complete the payments are. */
export interface ReadReport {
  /** The mapped keys of the summary, with the meaning of each. */
  readonly keys: readonly SummaryKey[];
  /** Rows of payments that could not be read, so that a difference proves nothing. */
  readonly unread: number;
}

/** Judges a report. `tally.report` must have a summary. */
export function judgeReport(tally: PaymentTally, { keys, unread }: ReadReport): ReportJudgement {
  const { report, cells } = tally;
  const what = placeOfReport(report.period);
  const read = readSummary(report.summary!, keys);
  const comparison = compareWithPayments(read, [...cells.values()]);
  const gaps = gapsIn(read, comparison);
  const note: CodedNote | null = gaps === null ? null : { what, ...gaps };
  const isEmpty = read.totals.length === 0 && read.groups.every(({ known }) => known.size === 0);
  if (isEmpty)
    return { draft: null, note: note ?? { what, code: 'REPORT_WITHOUT_FIGURES' }, isJudged: false };
  if (comparison.differences.length === 0) {
    return {
      draft: null,
      note,
      isJudged: gapsIn({ ...read, unmapped: new Set() }, comparison) === null,
    };
  }
  if (unread === 0) return { draft: describe(tally, comparison.differences), note, isJudged: true };
  const reason = {
    code: gaps?.code ?? ('REPORT_DOUBTFUL' as const),
    figures: { ...gaps?.figures, doubt: unread },
  };
  return { draft: null, note: { what, incomplete: true, ...reason }, isJudged: false };
}

function describe(
  { report, span }: PaymentTally,
  differences: readonly Difference[],
): FindingDraft {
  const inOrder = [
    ...differences.filter((one) => one.isTotal),
    ...differences.filter((one) => !one.isTotal),
  ];
  const { name, stated, due } = inOrder[0]!;
  // A figure that is left out counts as 0, and the finding has null for it.
  const whole = stated === null ? 0n : wholeOf(stated);
  const actual = stated === null ? '0' : decimalText(stated);
  const shown = stated === null ? null : (whole?.toString() ?? actual);
  const { period } = report;
  const figures = {
    period,
    name: name.slice(0, 80),
    stated: shown,
    due,
    more: differences.length - 1,
  };
  return draftOf('REPORT_SUMMARY_MISMATCH', figures, {
    inputPlace: placeOfReport(period),
    expected: due.toString(),
    actual,
    difference: whole === null ? null : whole - due,
    evidence: inOrder
      .slice(0, 20)
      .map((one) => ({ what: 'report', sequence: null, reference: period, note: noteOn(one) })),
    newestEvidence: report.generatedAt ?? span.until,
  });
}

// What in a report's summary was not compared with payments: the figures of the note beside the
// verdict. What could not be read under a mapped key leaves the report in doubt. Figures that are
// missing, without a name or not mapped leave no doubt.

const MOST_NAMED = 8;
const LONGEST_NAME = 80;
const LONGEST_VALUE = 40;

/**
 * A note without its subject. `figures` has the names of each sort of gap as one text, `null` where
 * there are none.
 */
type Gaps = Required<Omit<CodedNote, 'what'>>;

/** Returns the gaps of the summary; `null` when every figure was compared. */
function gapsIn(
  read: ReadSummary,
  { unstated, empty }: Pick<Comparison, 'unstated' | 'empty'>,
): Gaps | null {
  const names = {
    unreadable: [...read.unreadable].map(([name, value]) => `${cut(name)} ${shown(value)}`),
    unstated,
    unnamed: [...read.unnamedRows],
    oddDays: [...read.uninterpretedDays],
    empty,
    unmapped: [...read.unmapped],
  };
  if (Object.values(names).every((some) => some.length === 0)) return null;
  const figures = Object.fromEntries(
    Object.entries(names).map(([gap, some]) => [gap, figureOf(some)]),
  );
  return {
    incomplete: names.unreadable.length > 0,
    code: 'REPORT_GAPS',
    figures: { doubt: null, ...figures },
  };
}

function listed(names: readonly string[]): string {
  return names.slice(0, MOST_NAMED).map(cut).join(', ');
}

/**
 * Returns the first names as one text in no language; if there are more, with dots and their
 * number.
 */
function figureOf(names: readonly string[]): string | null {
  if (names.length === 0) return null;
  return names.length > MOST_NAMED ? `${listed(names)}, … (${names.length})` : listed(names);
}

function cut(name: string): string {
  return name.slice(0, LONGEST_NAME + LONGEST_VALUE);
}

/** As JSON, so that an empty text and control characters can be seen. */
function shown(value: SummaryValue): string {
  const text = JSON.stringify(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}
