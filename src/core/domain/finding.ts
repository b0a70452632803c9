// A finding: one difference between what is recorded and what must be true. In the trade: a break,
// or an exception.

import type { Amount } from './amount.ts';
import type { NamedFigures, ReportedFigures } from './figures.ts';
import type { FindingKind } from './finding-kind.ts';
import type { Instant } from './instant.ts';
import type { Accepted, ProposedEntry, ProposedSettlement, SettledBy } from './settlement.ts';
import type { NotChecked } from './snapshot.ts';

/**
 * `critical`: money is wrong. `error`: the books cannot be trusted. `warning`: a row is late or
 * does not follow the form of the documents. `info`: worth knowing.
 */
export const SEVERITIES = ['critical', 'error', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/**
 * `confirmed`: all evidence is older than the watermark less the grace period, and a second reading
 * confirmed it. `provisional`: not yet, so that it is never an alarm.
 */
export type FindingStatus = 'confirmed' | 'provisional';

/** What the engine and people have decided about a finding. */
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

/** Says whether a finding of that severity makes the verdict `broken` once it is confirmed. */
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
  /** Sequence of the first line at fault; `null` when no line is. */
  readonly sequence: number | null;
  /**
   * The place of a finding that can name neither a line nor an operation (a refused row, a month's
   * report), as part of its fingerprint; `null` for all other findings.
   */
  readonly inputPlace: string | null;
  readonly difference: bigint | null;
  /** The figures that the finding's sentence is made of; their names depend on the kind. */
  readonly figures: NamedFigures;
  /**
   * The difference from each lawful interpretation of the figure, where there are several; else
   * empty.
   */
  readonly differences: readonly bigint[];
  /**
   * Newest instant among the evidence, which decides whether the finding is confirmed or
   * provisional; `null` when the evidence is tied to no instant, because the finding then never
   * waits.
   */
  readonly newestEvidence: Instant | null;
  /**
   * True when the evidence may be newer than the rows that it is compared with. The finding is then
   * provisional, however old the evidence is.
   */
  readonly againstOlder: boolean;
  /**
   * The other reference under which the missing notification came; `null` when none is recognized.
   */
  readonly namedBy: string | null;
  /** The line or the operation that the finding is about; `null` when it is about neither. */
  readonly about: About | null;
}

/**
 * Amount, time and currency of the line or the operation that a finding is about: they give the
 * finding its weight and its age.
 */
export interface About {
  /** Whole units. */
  readonly amount: Amount | null;
  readonly createdAt: Instant | null;
  /** `null` when the line or the operation names none: the merchant's currency is meant then. */
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
  /** The figures of the finding as one or more English sentences. */
  readonly message: string;
  readonly figures: ReportedFigures;
  readonly evidence: readonly Evidence[];
  /** Fingerprint of the root, or null when this finding is a root. */
  readonly causedBy: string | null;
  /**
   * By how much the recorded figures are off because of this root and of all findings that follow
   * from it; `null` when the finding is not a root.
   */
  readonly item: Item | null;
  /** The parts of `item`, by where they come from; they sum to it. Empty when `item` is `null`. */
  readonly itemParts: readonly ItemPart[];
  /**
   * The amount at stake in a root that puts no recorded figure off: whole units, without sign.
   * `null` for all other findings, and when the amount is not known.
   */
  readonly concerned: string | null;
  /** The currency of the finding's amounts; `null` when it is not known. */
  readonly currency: string | null;
  /**
   * When the line or the operation that the finding is about was made, in ISO 8601; `null` when it
   * is not known.
   */
  readonly itemAt: string | null;
  /**
   * How the root was put right; `null` while it is not. A settled root weighs nothing in the
   * verdict or in the figures due.
   */
  readonly settledBy: SettledBy | null;
  /** Lines that may have put an open root right; `null` when there are none. */
  readonly proposedSettlement: ProposedSettlement | null;
  /** The acceptance in force; `null` when there is none. */
  readonly accepted: Accepted | null;
  /**
   * Past acceptances, each with its end. A month whose cut-off lies before that end is judged by
   * the acceptance. Absent when there are none.
   */
  readonly acceptedBefore?: readonly Accepted[];
  /** Entries that would put an open root right; `null` when no entry would. */
  readonly proposal: readonly ProposedEntry[] | null;
}

/** Returns the fingerprint of a finding's root: its own, when it is a root itself. */
export function rootOf({
  fingerprint,
  causedBy,
}: Pick<Finding, 'fingerprint' | 'causedBy'>): string {
  return causedBy ?? fingerprint;
}

/**
 * Says what has become of a finding by a report: it was put right, it is accepted, or it is open.
 */
export function standingOf({ settledBy, accepted }: Pick<Finding, 'settledBy' | 'accepted'>) {
  if (settledBy !== null) return 'settled';
  return accepted === null ? 'open' : 'accepted';
}

/** Returns the fingerprints of the findings which say that a row could not be read. */
export function unreadRows(
  findings: readonly Pick<Finding, 'kind' | 'fingerprint'>[],
): ReadonlySet<string> {
  return new Set(
    findings.flatMap(({ kind, fingerprint }) => (kind === 'INPUT_REJECTED' ? [fingerprint] : [])),
  );
}

/**
 * Returns the verdict on books, or on a month of them. `open` must hold the confirmed findings that
 * are neither put right nor accepted. A finding that follows from one of the `unread` rows does not
 * make the books broken, because the row could not be checked.
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

/** By how much a figure is recorded too high (+) or too low (−): whole units as decimal text. */
export interface Item {
  readonly balance: string;
  readonly reserved: string;
}

/**
 * A part of an item, with the line or the operation where it arises. `drift`: the recorded figures
 * do not follow from the line before. `wallet`: the wallet states another figure than its last
 * line. `posted`: lines moved more (+) or less (−) than is required; `sequence` is the first line
 * at fault where there is one, `operationReference` the operation. `unserved`: lines that were not
 * served moved the figures. `corrected`: a line that corrects the root moved the figures, but does
 * not undo the root whole; without a line, the root was put right outside the ledger.
 */
export interface ItemPart extends Item {
  readonly of: 'drift' | 'wallet' | 'posted' | 'unserved' | 'corrected';
  readonly sequence: string | null;
  readonly operationReference: string | null;
}

/** What each figure must be once every open root is put right: whole units as decimal text. */
export interface Due {
  readonly balance: string;
  readonly reserved: string;
  readonly available: string;
  /**
   * Recorded figures less all items, less what the operations require: not 0 where a figure is off
   * and no finding says why.
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

/** The figures as decimal text; `null` where a figure is not known. */
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
  /** `null` when the books were not read whole; `notChecked` says what is missing. */
  readonly due: Due | null;
  readonly assumptions: Readonly<Record<string, unknown>>;
  /**
   * What was not read or not checked. The verdict cannot be clean while an `incomplete` note is
   * among these.
   */
  readonly notChecked: readonly NotChecked[];
  readonly findings: readonly Finding[];
}
