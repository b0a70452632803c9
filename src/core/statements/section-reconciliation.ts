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
   * Collections as operations state them, against the lines of the month that posted them; both
   * gross.
   */
  readonly collections: Compared;
  /**
   * Disbursements as operations state them, against the lines of the month that posted them; both
   * gross.
   */
  readonly disbursements: Compared;
}

/**
 * What operations state against what lines post. Where operations were not read, nothing is
 * compared, and `circumstances.notChecked` says why.
 */
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
   * The recorded figure after the line with the highest sequence among those dated before the
   * cut-off; the declared opening when there is none.
   */
  readonly recordedAtHead: Amount;
  /** Sequence of that line; `null` when no line is dated before the cut-off. */
  readonly headSequence: number | null;
  /**
   * Effect of lines that come before that line by sequence and are dated at or after the cut-off.
   * They belong to a later month.
   */
  readonly crossing: Amount;
  /** The same figure as `recordedAtHead`, under the name that the summary uses. */
  readonly recorded: Amount;
  /** Sum of the named differences at lines dated before the month began. */
  readonly carriedForward: { readonly count: number; readonly amount: Amount };
  /** Named differences at the month's own lines, by sequence; at most 500. */
  readonly items: readonly ReconciliationItem[];
  /**
   * Sum of the named differences that are beyond the rows kept in `items` and `carriedForward`.
   */
  readonly others: { readonly count: number; readonly amount: Amount };
  /** The difference that no confirmed finding names. It is printed also when it is 0. */
  readonly remainder: Amount;
  readonly recomputed: Amount;
}

export interface ReconciliationItem {
  /** Sequence of the line whose recorded figure does not follow from the line before. */
  readonly sequence: number;
  readonly at: Instant;
  /** The recorded figure less the figure due. */
  readonly amount: Amount;
  readonly findingKind: FindingKind;
  readonly fingerprint: string;
  /** Kind of the root that explains the finding; the finding's own kind where it is a root. */
  readonly rootKind: FindingKind;
  /** Fingerprint of the root that explains the finding; its own where it is a root. */
  readonly rootFingerprint: string;
  readonly operationReference: string | null;
  /** The sentence in English. In other languages it is made from `figures`. */
  readonly message: string;
  readonly figures: ReportedFigures;
}

export interface FindingSection {
  /**
   * Confirmed findings only, and none that lies after the cut-off. First come those of the month,
   * then earlier ones, then those without a date, each in the order of the audit. At most 500.
   */
  readonly rows: readonly StatementFinding[];
  readonly count: number;
  /**
   * Counts of the earlier findings, also those beyond the rows. The counts of the month are
   * `summary.findings`.
   */
  readonly earlier: FindingCounts;
  /** Counts of the findings without a date, also those beyond the rows. */
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
  /**
   * Where the finding's line or operation lies. `standing` when it has no date, because it names
   * neither.
   */
  readonly when: 'month' | 'earlier' | 'standing';
  readonly sequence: number | null;
  readonly at: Instant | null;
  /** What had become of the finding, or of its root, by the cut-off. */
  readonly state: 'open' | 'accepted' | 'settled';
}

/**
 * A list of which the statement holds the first 1,000 rows, in the order of lines unless a list
 * says otherwise. `count` is how many there are.
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
  /** `null` for all holds together that name no operation. */
  readonly operationReference: string | null;
  readonly sequence: number;
  /** Date of the first line whose money is still held. */
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
  /** The status as it was read; a final one when the operation ended after the cut-off. */
  readonly statusAsRead: string;
  /**
   * When the operation became final, after the cut-off. `null` when it was still open when it was
   * read.
   */
  readonly completedAt: Instant | null;
}

/** REVERSAL_* lines of this month that undo an operation created in an earlier one. */
export interface ReversalSection extends Listed<EarlierReversal> {
  /** Net effect of the lines on the balance. */
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
  /** The line's own description, whole, with phone numbers masked; `null` when it has none. */
  readonly reason: string | null;
}

/**
 * Lines whose sequence and date disagree about a bound of the month. The sequence is the order and
 * the date decides the month, so such a line is on one side by its sequence and on the other by its
 * date.
 */
export type CrossingSection = Listed<CrossingLine>;

export interface CrossingLine
  extends Pick<CorrectionLine, 'sequence' | 'at' | 'kind' | 'operationReference'> {
  readonly balanceEffect: Amount;
  readonly bound: 'start' | 'end';
  /**
   * The side of the bound on which the line's date puts it. By its sequence it lies among lines of
   * the other side.
   */
  readonly datedBefore: boolean;
}

// States what is due: the three figures of the wallet at the cut-off, and the items between the
// recorded figures and those due.

/** due = recorded − Σ open items. */
export interface DueSection {
  /** Figures that the service has recorded in its own lines. */
  readonly recorded: WalletSides;
  /** The sum of the lines that were served. */
  readonly recomputed: WalletSides;
  /**
   * `null` where the books are not whole; `circumstances.notChecked` then says what is missing.
   */
  readonly due: WalletSides | null;
  /**
   * Items that were open at the cut-off and items that the month put right, in the order of the
   * findings; at most 500.
   */
  readonly items: readonly SuspenseItem[];
  /** Sum of the open items beyond these 500. */
  readonly others: { readonly count: number; readonly balance: Amount; readonly reserved: Amount };
}

export type SuspenseItem = FoundItem | TransitItem;

/** What a root leaves in suspense at the cut-off. */
export interface FoundItem extends ItemFacts {
  readonly fingerprint: string;
  /** Present when nothing that was read explains the item. */
  readonly toJustify?: true;
  readonly kind: Finding['kind'];
  /**
   * For a settled item nothing is due any more. An accepted item is still due, and weighs nothing
   * in the verdict.
   */
  readonly state: 'open' | 'accepted' | 'settled';
  /**
   * Who accepted the item and until when, as is known by now. For an item that was open at the
   * cut-off it was accepted since. Like the fields below, it is no part of the content hash.
   */
  readonly acceptedBy?: Accepted;
  /** What put the item right after the cut-off. */
  readonly settledSince?: SettledBy;
  /**
   * A line of the same amount that names no operation. It may have put the item right, and is to be
   * confirmed.
   */
  readonly candidate?: ProposedSettlement;
}

/**
 * An operation that ended before the cut-off and was posted after it, within the lawful delay. No
 * finding is about it, and it weighs nothing in the verdict. In the month that posted it, it is
 * settled. Without an operation, the item is what lines dated after the cut-off moved that come
 * before the month's last line, whose `sequence` it has.
 */
export interface TransitItem extends ItemFacts {
  readonly fingerprint: null;
  readonly kind: null;
  readonly state: 'transit' | 'settled';
}

interface ItemFacts {
  readonly sequence: number | null;
  readonly operationReference: string | null;
  /**
   * When the item arose, which is the earliest date of its parts; `null` where no part has a date.
   */
  readonly at: Instant | null;
  /** True when the item arose before the month. */
  readonly isCarried: boolean;
  /**
   * What is recorded too high (+) or too low (−), less what was put right in part. For a settled
   * item it is what the month put right.
   */
  readonly balance: Amount;
  /** The reserved amount that is too high or too low, as in `balance`. */
  readonly reserved: Amount;
  readonly parts: readonly DatedPart[];
  /**
   * What put the item right: lines of the month, which put an open item right in part; for an item
   * in transit, the lines that posted it. `null` when nothing did.
   */
  readonly settledBy: SettledBy | null;
  /**
   * Entries that would put the item right if the service posted them now. Empty where no entry
   * would, and where the item is put right.
   */
  readonly proposal: readonly ProposedEntry[];
  /** The sentence in English. In other languages it is made from `figures`. */
  readonly message: string;
  readonly figures: ReportedFigures;
}

/**
 * A part of an item (`ItemPart`) with its date. `settled` is an amount that the line put right.
 */
export interface DatedPart
  extends Pick<ItemFacts, 'sequence' | 'operationReference' | 'at' | 'balance' | 'reserved'> {
  readonly of: Exclude<ItemPart['of'], 'wallet' | 'corrected'> | 'settled';
}
