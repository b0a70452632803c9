// A judged part of what a service publishes beside the ledger, which a session includes in its
// report. Also the comparison of the service's reports with the payments by link of their months,
// which come in a stream. Nothing in a part changes what is replayed, and a checkpoint does not
// keep it.

import type { Payment } from '../../../domain/payment.ts';
import type { ReportWording } from '../../../domain/report-wording.ts';
import type { ServiceReport, Span } from '../../../domain/service-report.ts';
import type { Batch, Note, RejectedRow } from '../../../domain/snapshot.ts';
import { type SummaryKey, type SummaryKeys, summaryKeysOf } from '../../../domain/summary-keys.ts';
import { fingerprintOf } from '../../checks/port/fingerprint.ts';
import { type Judgement, joined } from '../../checks/port/judgement.ts';
import { KINDS_IN_PART } from '../../checks/port/kinds.ts';
import type { ChosenReports } from '../../checks/reports/choose-reports.ts';
import {
  beginPaymentTally,
  type PaymentTally,
  takePayment,
} from '../../checks/reports/payment-tally.ts';
import {
  judgeReport,
  placeOfReport,
  type ReportJudgement,
} from '../../checks/reports/report-summary.ts';

export interface JudgedPart extends Judgement<Note> {
  readonly rejected: readonly RejectedRow[];
}

export function joinParts(parts: readonly JudgedPart[]): JudgedPart {
  return { ...joined(parts), rejected: parts.flatMap(({ rejected }) => rejected) };
}

/**
 * Returns, by kind, the fingerprints of the places that were judged. A finding of these kinds at
 * another place was not looked for, so that it must not be taken for gone.
 */
export function judgedFingerprints(
  merchant: string,
  part: JudgedPart | null,
): ReadonlyMap<string, ReadonlySet<string>> {
  const byKind = Map.groupBy(part?.sought ?? [], ({ kind }) => kind);
  return new Map(
    KINDS_IN_PART.map((kind) => {
      const places = (byKind.get(kind) ?? []).map((place) => ({
        ...place,
        sequence: null,
        operationReference: null,
      }));
      return [kind, new Set(places.map((place) => fingerprintOf(merchant, place)))];
    }),
  );
}

export interface ReportComparison {
  readonly chosen: ChosenReports;
  readonly keys: readonly SummaryKey[];
  readonly tallies: readonly PaymentTally[];
  /** Refused rows by their place; at most a thousand are kept. */
  readonly rejected: Map<string, RejectedRow>;
  rejectedCount: number;
  unreadPayments: number;
}

const REJECTED_KEPT = 1_000;

/**
 * Begins a comparison. `rejected` are rows of reports that could not be read. `given` are keys of
 * their summaries, which replace the default keys.
 */
export function beginComparison(
  chosen: ChosenReports,
  rejected: readonly RejectedRow[],
  given: SummaryKeys = {},
): ReportComparison {
  const tallies = chosen.reports.map(beginPaymentTally);
  const keys = summaryKeysOf(given);
  const comparison = {
    chosen,
    keys,
    tallies,
    rejected: new Map(),
    rejectedCount: 0,
    unreadPayments: 0,
  };
  takeRejected(comparison, rejected);
  return comparison;
}

/** Returns the span of time whose payments are needed; `null` when no report is compared. */
export function spanWanted({ tallies }: ReportComparison): Span | null {
  if (tallies.length === 0) return null;
  return {
    from: Math.min(...tallies.map(({ span }) => span.from)),
    until: Math.max(...tallies.map(({ span }) => span.until)),
  };
}

export function takePayments(comparison: ReportComparison, batch: Batch<Payment>): void {
  for (const payment of batch.rows) {
    for (const tally of comparison.tallies) takePayment(tally, payment);
  }
  takeRejected(comparison, batch.rejected);
  comparison.unreadPayments += batch.rejected.length;
}

function takeRejected(comparison: ReportComparison, rows: readonly RejectedRow[]): void {
  comparison.rejectedCount += rows.length;
  for (const row of rows)
    if (comparison.rejected.size < REJECTED_KEPT) comparison.rejected.set(row.place, row);
}

/** Call once, after the last payment. */
export function concludeComparison(comparison: ReportComparison): JudgedPart {
  const { chosen, keys, tallies, rejectedCount, unreadPayments } = comparison;
  const judged = tallies.map((tally) => judgeReport(tally, { keys, unread: unreadPayments }));
  const refused =
    rejectedCount === 0 ? [] : [refusedNote('refused rows of reports and payments', rejectedCount)];
  return {
    drafts: judged.flatMap(({ draft }) => draft ?? []),
    rejected: [...comparison.rejected.values()],
    // The months whose report was judged: it is wrong, or right in all that it states.
    sought: tallies
      .filter(({ report }, i) => isSettled(chosen, report, judged[i]!))
      .map(({ report }) => ({
        kind: 'REPORT_SUMMARY_MISMATCH',
        inputPlace: placeOfReport(report.period),
      })),
    notes: [...chosen.notes, ...judged.flatMap(({ note }) => note ?? []), ...refused],
  };
}

export function refusedNote(what: string, count: number): Note {
  return { what, incomplete: true, code: 'PUBLISHED_ROWS_REFUSED', figures: { count } };
}

/**
 * Whether the month counts as judged. Where two reports contradict each other, one that is right
 * does not settle the month.
 */
function isSettled(
  { notes }: ChosenReports,
  { period }: ServiceReport,
  { draft, isJudged }: ReportJudgement,
): boolean {
  return draft !== null || (isJudged && notes.every(({ what }) => what !== placeOfReport(period)));
}

/**
 * Returns the choice where there are no payments to compare with: no reports, and a note for each.
 */
export function withoutPayments(
  { reports, notes }: ChosenReports,
  without: Note,
  wording: ReportWording,
): ChosenReports {
  const why = `there are no payments to compare it with (${wording.note(without).why})`;
  const left = reports.map(({ period }): Note => {
    return { what: placeOfReport(period), why, incomplete: false, code: 'REPORT_WITHOUT_PAYMENTS' };
  });
  return { reports: [], notes: [...notes, ...left, without] };
}
