// A finding: one difference between what is recorded and what must be true. In the trade: a break,
// or an exception.

import type { Amount } from './amount.ts';
import type { NamedFigures, ReportedFigures } from './figures.ts';
import type { FindingKind } from './finding-kind.ts';
import type { Instant } from './instant.ts';
import type { Accepted, ProposedEntry, ProposedSettlement, SettledBy } from './settlement.ts';
import type { NotChecked } from './snapshot.ts';

/**
 * critical: money is wrong · error: the books can't be trusted · warning: late or bent · info:
 * worth knowing.
 */
export const SEVERITIES = ['critical', 'error', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/**
 * confirmed: all evidence is older than the watermark less the grace period, and a second reading
 * confirmed it.
 */
export type FindingStatus = 'confirmed' | 'provisional';

/** What the engine and people have decided about it. */
export const FINDING_STATES = ['open', 'acknowledged', 'settled', 'accepted', 'resolved'] as const;
export type FindingState = (typeof FINDING_STATES)[number];

/**
 * The states of a finding that still has to be put right: one that is new, and one that a person
 * has acknowledged.
 */
export const OPEN_STATES = ['open', 'acknowledged'] as const satisfies readonly FindingState[];

export function isOpen({ state }: { readonly state: FindingState }): boolean {
  return state === 'open' || state === 'acknowledged';
}

/** Whether a finding of that severity breaks the books once it is confirmed. */
export function isGrave({ severity }: { readonly severity: Severity }): boolean {
  return severity === 'critical' || severity === 'error';
}

export type Verdict = 'clean' | 'broken' | 'incomplete';

export interface Evidence {
  readonly what:
    | 'line'
    | 'operation'
    | 'wallet'
    | 'profile'
    | 'input'
    | 'gap'
    | 'report'
    | 'notification';
  readonly sequence: string | null;
  readonly reference: string | null;
  readonly note: string | null;
}

/**
 * The result of a check, before the search for roots. `expected` and `actual` are in whole units
 * (or plain text where the figure is not money); `difference` = actual − expected, its sign kept.
 */
export interface FindingDraft
  extends Pick<
    Finding,
    'kind' | 'severity' | 'operationReference' | 'expected' | 'actual' | 'evidence'
  > {
  /** First offending line, or null. */
  readonly sequence: number | null;
  /**
   * Set only where neither a line nor an operation can be named (a refused row, a month's report):
   * part of the place.
   */
  readonly inputPlace: string | null;
  readonly difference: bigint | null;
  /** The figures of its sentence; their names depend on the kind. */
  readonly figures: NamedFigures;
  /** Where several interpretations of the figure are lawful: the difference from each. */
  readonly differences: readonly bigint[];
  /**
   * Newest instant among the evidence: decides confirmed or provisional. Null: it is not tied to an
   * instant.
   */
  readonly newestEvidence: Instant | null;
  /**
   * It may be newer than the rows that it is compared with: provisional, however old the evidence
   * is.
   */
  readonly againstOlder: boolean;
  /** The other reference under which the missing notification came; null: none is recognized. */
  readonly namedBy: string | null;
  /** The line or the operation that it is about; null: it is about neither. */
  readonly about: About | null;
}

/** What of a line or an operation says what a finding is worth, and since when. */
export interface About {
  /** Whole units. */
  readonly amount: Amount | null;
  readonly createdAt: Instant | null;
  /** Null: the merchant's. */
  readonly currency: string | null;
}

export interface Finding {
  readonly fingerprint: string;
  readonly kind: FindingKind;
  readonly severity: Severity;
  readonly status: FindingStatus;
  readonly sequence: string | null;
  readonly operationReference: string | null;
  readonly expected: string | null;
  readonly actual: string | null;
  readonly difference: string | null;
  /** The figures in English. */
  readonly message: string;
  readonly figures: ReportedFigures;
  readonly evidence: readonly Evidence[];
  /** Fingerprint of the root, or null when this finding is a root. */
  readonly causedBy: string | null;
  /**
   * By how much this root, with all that follows from it, puts the recorded figures off. Null: it
   * is no root.
   */
  readonly item: Item | null;
  /** Where its item comes from; they sum to it. Empty where there is none. */
  readonly itemParts: readonly ItemPart[];
  /**
   * Of a root that puts no figure off: the amount that it is about, without sign. Null on others,
   * and where none is known.
   */
  readonly concerned: string | null;
  /** Of its amounts; null: not known. */
  readonly currency: string | null;
  /** Of the line or the operation that it is about; null: not known. */
  readonly itemAt: string | null;
  /**
   * How it was put right; null while it is open. A settled root has no weight in verdict or due.
   */
  readonly settledBy: SettledBy | null;
  /** Of an open root: lines that may have put it right; null: none, or several that fit equally. */
  readonly proposedSettlement: ProposedSettlement | null;
  /** The acceptance in force; null: none. */
  readonly accepted: Accepted | null;
  /**
   * Past acceptances, each with its end: a month that ended before that end is judged by it.
   * Absent: none.
   */
  readonly acceptedBefore?: readonly Accepted[];
  /** Of an open root: entries that would put it right; null: no entry would. */
  readonly proposal: readonly ProposedEntry[] | null;
}

/** The fingerprint of a finding's root: its own, where it is a root. */
export function rootOf({
  fingerprint,
  causedBy,
}: Pick<Finding, 'fingerprint' | 'causedBy'>): string {
  return causedBy ?? fingerprint;
}

/** What a report says has become of a finding: it was put right, it is accepted, or neither. */
export function standingOf({ settledBy, accepted }: Pick<Finding, 'settledBy' | 'accepted'>) {
  if (settledBy !== null) return 'settled';
  return accepted === null ? 'open' : 'accepted';
}

/** The fingerprints of the findings which say that a row could not be read. */
export function unreadRows(
  findings: readonly Pick<Finding, 'kind' | 'fingerprint'>[],
): ReadonlySet<string> {
  return new Set(
    findings.flatMap(({ kind, fingerprint }) => (kind === 'INPUT_REJECTED' ? [fingerprint] : [])),
  );
}

/**
 * Returns the verdict on books, or on a month of them. `open`: confirmed findings that are neither
 * put right nor accepted. What follows from one of the `unread` rows does not prove the ledger
 * wrong, because it could not be checked.
 */
export function verdictOf(
  open: readonly Pick<Finding, 'severity' | 'causedBy'>[],
  unread: ReadonlySet<string>,
  notChecked: readonly { readonly incomplete?: boolean | undefined }[],
): Verdict {
  if (open.some((row) => isGrave(row) && (row.causedBy === null || !unread.has(row.causedBy))))
    return 'broken';
  return notChecked.some(({ incomplete }) => incomplete) ? 'incomplete' : 'clean';
}

/** Whole units as decimal text: what is recorded too high (+) or too low (−). */
export interface Item {
  readonly balance: string;
  readonly reserved: string;
}

/**
 * A part of an item, at the place it belongs to. `drift`: the recorded figures do not follow at the
 * line. `wallet`: the wallet states another figure than its last line. `posted`: lines moved more
 * (+) or less (−) than is required; `sequence` is the first line at fault where there is one,
 * `operationReference` the operation. `unserved`: moved by lines that were not served. `corrected`:
 * moved by a line that corrects the root and does not undo it whole; without a line, put right
 * outside the ledger.
 */
export interface ItemPart extends Item {
  readonly of: 'drift' | 'wallet' | 'posted' | 'unserved' | 'corrected';
  readonly sequence: string | null;
  readonly operationReference: string | null;
}

/** What a figure must be once every open root is put right; decimal text. */
export interface Due {
  readonly balance: string;
  readonly reserved: string;
  readonly available: string;
  /**
   * Recorded less all items, less what the operations require: not 0 where a figure is off without
   * a finding.
   */
  readonly unexplained: Item;
}

/** The wallet's figures, in the order in which people read them. */
export const FIGURES = [
  'balance',
  'reserved',
  'available',
  'totalCollected',
  'totalDisbursed',
  'totalFees',
] as const;

/** As decimal strings; null where they are not known. */
export type Figures = Readonly<Record<(typeof FIGURES)[number], string | null>>;

/**
 * The report of one merchant: the JSON form of `pointage audit --format json`, one element of
 * `merchants`.
 */
export interface AuditReport {
  readonly merchant: string;
  readonly currency: string | null;
  readonly verdict: Verdict;
  readonly entries: number;
  readonly operations: number;
  readonly firstSequence: number | null;
  readonly lastSequence: number | null;
  readonly recomputed: Figures;
  readonly recorded: Figures;
  readonly unexplained: { readonly balance: string | null; readonly reserved: string | null };
  /** Null where the books are not whole; `notChecked` says what is missing. */
  readonly due: Due | null;
  readonly assumptions: Readonly<Record<string, unknown>>;
  /** `incomplete`: without it the verdict cannot be clean. */
  readonly notChecked: readonly NotChecked[];
  readonly findings: readonly Finding[];
}
