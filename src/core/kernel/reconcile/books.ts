// The books of one merchant as they are being reconciled: the replay, the operations at work, votes
// and sums of settled operations, and what lines have shown so far. All of it is plain data that a
// checkpoint can carry; only the lists of identities are kept elsewhere.

import { type ExactSum, emptySum } from '../../domain/amount.ts';
import { emptyVotes, type Standing, type Votes } from '../../domain/assumptions.ts';
import type { FindingDraft } from '../../domain/finding.ts';
import type { Instant } from '../../domain/instant.ts';
import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import type { DeclaredOpening } from '../../domain/merchant.ts';
import type { OpenOperation, Operation } from '../../domain/operation.ts';
import type { ReportWording } from '../../domain/report-wording.ts';
import type { StandingDecision } from '../../domain/settlement.ts';
import type { Note, RejectedRow, Remembered, Snapshot } from '../../domain/snapshot.ts';
import { beginPricing, type PricingState } from '../checks/across/pricing.ts';
import { beginDates, type DatesSeen } from '../checks/lines/dates.ts';
import type { CheckContext } from '../checks/port/check.ts';
import type { Drift } from '../replay/choose-lines.ts';
import { beginReplay, type ReplayState } from '../replay/replay-state.ts';
import type { Tally } from '../replay/tally.ts';
import type { CorrectionLine } from './corrections/correction-lines.ts';
import type { Notified } from './notifications/notified.ts';
import type { PaidOutBooks } from './paid-out.ts';
import type { Stray } from './roots/excess.ts';
import { emptySums, type MutableSums } from './sums.ts';

export interface ReconcileSettings
  extends Pick<
      CheckContext,
      | 'currency'
      | 'statedCurrency'
      | 'profiles'
      | 'adjustedAt'
      | 'watermark'
      | 'grace'
      | 'clockTolerance'
    >,
    Pick<Snapshot, Remembered> {
  readonly merchant: string;
  /** Makes the sentences of the report; it decides nothing. */
  readonly wording: ReportWording;
  readonly opening: DeclaredOpening | null;
  /**
   * The instant until which operations may have been asked for by reference, later than the books
   * were read; absent where none was.
   */
  readonly askedUntil?: Instant | undefined;
  /**
   * Fingerprints of findings whose evidence should have been read a second time, and was not;
   * absent: none.
   */
  readonly unread?: ReadonlySet<string> | undefined;
  readonly pinned: Partial<Standing>;
  /**
   * The source moves while it is read and serves no row a second time at will: it is read once,
   * lines before operations, and nothing is settled before the end, since a recall cannot bring it
   * back.
   */
  readonly keepsAll: boolean;
  /** Whether the source has these parts at all: an absent part is one note, not one a line. */
  readonly present: { readonly ledger: boolean; readonly operations: boolean };
  /** What people decided about roots; absent where no decisions are known. */
  readonly decisions?: readonly StandingDecision[];
}

export interface Books extends PaidOutBooks {
  readonly replay: ReplayState;
  /** The interpretations that this pass judges by. */
  readonly standing: Standing;
  /**
   * References of operations that are never settled, because an earlier pass had let them go before
   * a line that is wrong.
   */
  readonly atHand: ReadonlySet<string>;
  /** Votes of operations that have been settled. */
  readonly votes: Votes;
  readonly operationSums: MutableSums;
  /**
   * The sums by the lines of settled operations, beside `operationSums` by the operations
   * themselves.
   */
  readonly lineSums: MutableSums;
  /** What settled operations must have added to the balance. They hold nothing. */
  readonly requiredBalance: ExactSum;
  /** What adjustments and lines of unknown kinds moved: no operation requires it, and it stays. */
  readonly adjusted: { readonly balance: ExactSum; readonly reserved: ExactSum };
  readonly strays: Stray[];
  /** The newest adjustments, with what they name. */
  adjustments: CorrectionLine[];
  /** Settled operations of which lines came late, by reference. */
  readonly late: Map<string, Tally>;
  operations: number;
  /**
   * In the books of a checkpoint: the operations that are not final, or do not agree with their
   * lines, sorted by reference.
   */
  open: readonly OpenOperation[];
  /** Every currency that a line is in. */
  readonly currencies: Set<string>;
  /** Operators that the document does not know; a few are kept. */
  readonly strangeOperators: Set<string>;
  /** Findings that lines alone have shown. Operations are judged anew at every conclusion. */
  readonly lineDrafts: FindingDraft[];
  readonly pricing: PricingState;
  /**
   * The terms that a checkpoint was taken under (`termsOf`); empty while the books are not kept.
   */
  terms: string;
  /**
   * The first operation by createdAt. In an account that was never activated, it is the one that
   * should not be there.
   */
  first: Operation | null;
  /** The newest operations by createdAt, some of which the wallet's state may forbid. */
  recent: Operation[];
  readonly suspectIds: Set<string>;
  readonly suspectExternalReferences: Set<string>;
  readonly rejected: Map<string, RejectedRow>;
  rejectedCount: number;
  readonly notChecked: Map<string, Note>;
  /** Lines of a shared sequence that the replay did not apply: a recall must not count them. */
  readonly leftOut: LedgerEntry[];
  readonly dates: DatesSeen;
  /** When the first known line was posted, at the latest; `null` where there is none. */
  knownFrom: Instant | null;
  /** True where operations from before the first known line are served; they are left out. */
  leavesOutEarlier: boolean;
  /** Every line whose recorded figures do not follow from the line before. */
  readonly drifts: Drift[];
  /** Lines that name no operation, by sequence: each may be the one that an operation lacks. */
  readonly orphans: Map<number, { readonly kind: string; readonly amount: number }>;
  /**
   * Jumps of the sequence across which the figures continue; at most a thousand are kept, as
   * evidence only.
   */
  readonly harmlessJumps: Drift[];
  /** What notifications have shown; `null` where none were judged. */
  notified: Notified | null;
}

export function beginBooks(standing: Standing, atHand: ReadonlySet<string> = new Set()): Books {
  return {
    replay: beginReplay(),
    standing,
    atHand,
    votes: emptyVotes(),
    operationSums: emptySums(),
    lineSums: emptySums(),
    requiredBalance: emptySum(),
    adjusted: { balance: emptySum(), reserved: emptySum() },
    strays: [],
    adjustments: [],
    late: new Map(),
    operations: 0,
    open: [],
    currencies: new Set(),
    strangeOperators: new Set(),
    lineDrafts: [],
    pricing: beginPricing(),
    paidOut: new Map(),
    limitDrafts: [],
    paidOutFrom: Number.MIN_SAFE_INTEGER,
    ceilingCrossed: false,
    terms: '',
    replayAgain: false,
    first: null,
    recent: [],
    suspectIds: new Set(),
    suspectExternalReferences: new Set(),
    rejected: new Map(),
    rejectedCount: 0,
    notChecked: new Map(),
    leftOut: [],
    dates: beginDates(),
    knownFrom: null,
    leavesOutEarlier: false,
    drifts: [],
    orphans: new Map(),
    harmlessJumps: [],
    notified: null,
  };
}

// What books are judged by besides their lines and operations: prices, ceilings, the declared
// opening. A session that goes on from a checkpoint does not look at old lines again, so it must
// refuse to go on under other terms.

/**
 * The version of the form that a checkpoint carries; books of another version cannot be continued.
 */
const FORM = 11;

/**
 * Returns the terms as text. A checkpoint can be continued only under equal text. The order of the
 * profiles does not matter.
 */
export function termsOf({
  profiles,
  opening,
  clockTolerance,
  currency,
}: ReconcileSettings): string {
  const known = profiles.map(({ pricing, limits, createdAt }) =>
    JSON.stringify([pricing, limits.dailyCashoutLimit, createdAt]),
  );
  return JSON.stringify([FORM, [...new Set(known)].sort(), opening, clockTolerance, currency]);
}
