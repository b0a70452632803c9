// The état de rapprochement: from the recorded figures to the recomputed ones, difference by
// difference, and what was still open at the cut-off.

import type { Amount } from '../domain/amount.ts';
import type { WalletSides } from '../domain/delivery/delivery-channel.ts';
import type { ReportedFigures } from '../domain/figures.ts';
import type { Finding, ItemPart } from '../domain/finding.ts';
import type { FindingKind } from '../domain/finding-kind.ts';
import type { Instant } from '../domain/instant.ts';
import type { Operation } from '../domain/operation.ts';
import type {
  Accepted,
  ProposedEntry,
  ProposedSettlement,
  SettledBy,
} from '../domain/settlement.ts';
import type { FindingCounts } from './summary.ts';

export interface Reconciliation {
  /** recomputed = `summary.closingBalance`. */
  readonly balance: ReconciliationSide;
  /** recomputed = `summary.closingReserved`. */
  readonly reserved: ReconciliationSide;
  /**
   * Collections and disbursements as operations state them, against the lines of the month that
   * posted them; both gross.
   */
  readonly collections: Compared;
  readonly disbursements: Compared;
}

/** Nothing is compared where operations were not read: `circumstances.notChecked` says why. */
export interface Compared {
  readonly operations: Amount | null;
  readonly lines: Amount;
  /** operations − lines. */
  readonly difference: Amount | null;
}

/**
 * recorded − crossing − carriedForward − Σ items − others − remainder = recomputed. All signed.
 */
export interface ReconciliationSide {
  /**
   * Of all lines dated before the cut-off, the recorded figure after the last one by sequence; the
   * opening if none.
   */
  readonly recordedAtHead: Amount;
  /** Sequence of that line; null when no line is dated before the cut-off. */
  readonly headSequence: number | null;
  /**
   * Effect of lines before it by sequence but dated at or after the cut-off: they belong to a later
   * month.
   */
  readonly crossing: Amount;
  /** The same figure as `recordedAtHead`, by the name that the summary has for it. */
  readonly recorded: Amount;
  /** Named differences at lines dated before the month began, together. */
  readonly carriedForward: { readonly count: number; readonly amount: Amount };
  /** Named differences at the month's own lines, by sequence; at most 500. */
  readonly items: readonly ReconciliationItem[];
  /** Named differences of the month beyond those. */
  readonly others: { readonly count: number; readonly amount: Amount };
  /** What no confirmed finding names; printed also when it is 0. */
  readonly remainder: Amount;
  readonly recomputed: Amount;
}

export interface ReconciliationItem {
  /** First line whose recorded figure does not follow. */
  readonly sequence: number;
  readonly at: Instant;
  /** Recorded less due. */
  readonly amount: Amount;
  readonly findingKind: FindingKind;
  readonly fingerprint: string;
  /** The finding that explains it, where that is another one. */
  readonly rootKind: FindingKind;
  readonly rootFingerprint: string;
  readonly operationReference: string | null;
  /** In English; in other languages it is worded from `figures`. */
  readonly message: string;
  readonly figures: ReportedFigures;
}

export interface FindingSection {
  /**
   * Confirmed findings only, and none that lies after the cut-off: first the month's, then earlier
   * ones, then those without an instant; each in the order of the audit. At most 500.
   */
  readonly rows: readonly StatementFinding[];
  readonly count: number;
  /** Of all that are counted, also beyond the rows. Those of the month are `summary.findings`. */
  readonly earlier: FindingCounts;
  readonly standing: FindingCounts;
}

export interface StatementFinding
  extends Pick<
      Finding,
      | 'fingerprint'
      | 'kind'
      | 'severity'
      | 'operationReference'
      | 'message'
      | 'figures'
      | 'causedBy'
    >,
    Pick<Finding, 'expected' | 'actual' | 'difference'> {
  /** Where its line or operation lies; `standing`: it names neither. */
  readonly when: 'month' | 'earlier' | 'standing';
  readonly sequence: number | null;
  readonly at: Instant | null;
  /** What became of it, or of its root, by the cut-off. */
  readonly state: 'open' | 'accepted' | 'settled';
}

/**
 * A list of which the statement holds the first 1,000, in the order of lines unless it says
 * otherwise, and how many there are.
 */
interface Listed<Row> {
  readonly rows: readonly Row[];
  readonly count: number;
}

/** Money held at the cut-off, by operation. Σ held = `summary.closingReserved`. */
export interface OpenHoldSection extends Listed<OpenHold> {
  readonly total: Amount;
}

export interface OpenHold {
  /** Null: holds that name no operation, together. */
  readonly operationReference: string | null;
  readonly sequence: number;
  /** Of the first line that is still held. */
  readonly since: Instant;
  readonly held: Amount;
  readonly operator: string | null;
  readonly country: string | null;
}

/** Wallet operations created before the cut-off that were not final then, by createdAt. */
export interface OpenOperationSection extends Listed<OpenOperation> {
  readonly amount: Amount;
}

export interface OpenOperation
  extends Pick<
    Operation,
    'reference' | 'type' | 'amount' | 'fees' | 'operator' | 'country' | 'createdAt' | 'expiresAt'
  > {
  /** As read: final when it ended after the cut-off. */
  readonly statusAsRead: string;
  /** When it became final, after the cut-off; null: it was still open when it was read. */
  readonly completedAt: Instant | null;
}

/** REVERSAL_* lines of this month that undo an operation created in an earlier one. */
export interface ReversalSection extends Listed<EarlierReversal> {
  /** Net effect on the balance. */
  readonly total: Amount;
}

export interface EarlierReversal extends Pick<CorrectionLine, 'sequence' | 'at' | 'amount'> {
  readonly operationReference: string;
  readonly type: string;
  readonly operator: string;
  readonly operationCreatedAt: Instant;
}

/** Every REVERSAL_* and ADJUSTMENT_* line of the month, with the reason that the service gives. */
export type CorrectionSection = Listed<CorrectionLine>;

export interface CorrectionLine {
  readonly sequence: number;
  readonly at: Instant;
  readonly kind: string;
  readonly operationReference: string | null;
  /** Effect on the balance, signed. */
  readonly amount: Amount;
  /** The line's own description, whole, phone numbers masked; null: none. */
  readonly reason: string | null;
}

/**
 * Lines whose order disagrees with a bound of the month. The sequence is the order, the date
 * decides the month: such a line is on one side by its sequence and on the other by its date.
 */
export type CrossingSection = Listed<CrossingLine>;

export interface CrossingLine
  extends Pick<CorrectionLine, 'sequence' | 'at' | 'kind' | 'operationReference'> {
  readonly balanceEffect: Amount;
  readonly bound: 'start' | 'end';
  /** The side on which its date puts it. Lines before it by sequence lie on the other side. */
  readonly datedBefore: boolean;
}

// What a month's statement says of what is due: the three figures of the wallet at the cut-off, and
// the items between what is recorded and what is due.

/** due = recorded − Σ open items. */
export interface DueSection {
  /** As the service has it in its own lines. */
  readonly recorded: WalletSides;
  /** The lines that were served, added up. */
  readonly recomputed: WalletSides;
  /** Null where the books are not whole; `circumstances.notChecked` says what is missing. */
  readonly due: WalletSides | null;
  /**
   * In the order of the findings: those open at the cut-off, and those that the month put right; at
   * most 500.
   */
  readonly items: readonly SuspenseItem[];
  /** The open ones beyond those. */
  readonly others: { readonly count: number; readonly balance: Amount; readonly reserved: Amount };
}

export type SuspenseItem = FoundItem | TransitItem;

/** What a root leaves in suspense at the cut-off. */
export interface FoundItem extends ItemFacts {
  readonly fingerprint: string;
  /** Nothing that was read explains it; absent: something does. */
  readonly toJustify?: true;
  readonly kind: Finding['kind'];
  /** Of a settled one nothing is due any more; an accepted one weighs nothing in the verdict. */
  readonly state: 'open' | 'accepted' | 'settled';
  /**
   * By whom and until when, as is known by now: of an open one, since the cut-off. No part of the
   * content hash, as all below.
   */
  readonly acceptedBy?: Accepted;
  /** What put it right after the cut-off. */
  readonly settledSince?: SettledBy;
  /** A line of the same amount that names nothing: to be confirmed. */
  readonly candidate?: ProposedSettlement;
}

/**
 * An operation that ended before the cut-off and was posted after it, within the lawful delay: no
 * finding is about it, and it weighs nothing in the verdict. In the month that posted it, it is
 * settled. Or, without an operation, what lines before the month's last one moved that are dated
 * after the cut-off: `sequence` is that last line.
 */
export interface TransitItem extends ItemFacts {
  readonly fingerprint: null;
  readonly kind: null;
  readonly state: 'transit' | 'settled';
}

interface ItemFacts {
  readonly sequence: number | null;
  readonly operationReference: string | null;
  /** When it arose: the earliest of its parts; null where nothing of it has a date. */
  readonly at: Instant | null;
  /** It arose before the month. */
  readonly isCarried: boolean;
  /**
   * Recorded too high (+) or too low (−), less what was put right in part; of a settled one, what
   * the month put right.
   */
  readonly balance: Amount;
  readonly reserved: Amount;
  readonly parts: readonly DatedPart[];
  /**
   * By lines of the month, of an open one in part; in transit, by the lines that posted it. Null:
   * by nothing.
   */
  readonly settledBy: SettledBy | null;
  /**
   * Entries that would put it right if the service posted them now; empty where none would, and
   * where it is put right.
   */
  readonly proposal: readonly ProposedEntry[];
  /** In English; in other languages it is worded from `figures`. */
  readonly message: string;
  readonly figures: ReportedFigures;
}

/** As `ItemPart`, with its date. `settled`: put right by the line. */
export interface DatedPart
  extends Pick<ItemFacts, 'sequence' | 'operationReference' | 'at' | 'balance' | 'reserved'> {
  readonly of: Exclude<ItemPart['of'], 'wallet' | 'corrected'> | 'settled';
}
