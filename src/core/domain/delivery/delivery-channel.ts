// The port of plug-in 4, deliveries: one way by which something is announced. A channel sends what
// it is handed and returns the outcome; it knows no store, and never retries by itself.

import type { Amount } from '../amount.ts';
import type { Verdict } from '../finding.ts';
import type { Instant } from '../instant.ts';
import type { StateExposure } from '../measures.ts';
import type { Wallet } from '../merchant.ts';
import type { MonthKey } from '../period.ts';
import type { DecisionTerms } from '../settlement.ts';
import type { ChainMark } from '../snapshot.ts';
import type { Portion, SentFile } from './choose-files.ts';
import type { Channel, DeliveryContent, DeliveryOutcome, OpenFindings } from './delivery.ts';

export interface DeliveryChannel {
  readonly name: Channel;
  /**
   * True when the receiver recognizes a repeated parcel by its id or name, so that a repeat does no
   * harm. If false, a person decides whether to repeat a parcel that may have arrived.
   */
  readonly isRepeatable: boolean;
  /** How many parcels one process sends at once. */
  readonly concurrency: number;
  /** Milliseconds within which `send` must settle. */
  readonly deadline: number;
  /**
   * Prepares to send, before any delivery is claimed. Rejects with one sentence when nothing can be
   * sent now.
   */
  open(): Promise<ChannelSession>;
}

export interface ChannelSession {
  send(parcel: Parcel): Promise<SendOutcome>;
  /** False when the session can take no more parcels. */
  isOpen(): boolean;
  close(): void;
}

/** What came of one attempt; `detail` is one line without secrets. */
export interface SendOutcome {
  readonly outcome: DeliveryOutcome;
  readonly detail: string;
}

/** A delivery with all that a channel needs to send it. */
export interface Parcel {
  /** UUID of the delivery; the same in every attempt. */
  readonly id: string;
  readonly target: string;
  readonly createdAt: Instant;
  /** The instant of this attempt. */
  readonly sentAt: Instant;
  readonly content: DeliveryContent;
  /** The report of a delivery of a statement; `null` for any other delivery. */
  readonly report: ReportParcel | null;
  /**
   * For the mail at a night's end, the months whose statements are held at `sentAt`; absent for any
   * other delivery.
   */
  readonly heldMonths?: readonly HeldMonth[];
  /** For the mail at a night's end, the findings that are open at `sentAt`. */
  readonly open?: OpenNow;
  /**
   * For the mail at a night's end to a reader of one merchant, the merchant's verdict. `null` when
   * the night did not judge the merchant; absent when the merchant was not part of the night.
   */
  readonly verdict?: Verdict | null | undefined;
  /**
   * For the mail at a night's end, the oldest proposals that wait for a second operator at
   * `sentAt`.
   */
  readonly waiting?: readonly WaitingProposal[];
  /**
   * For the mail at a night's end, the signed head of the log of evidence, which has the night in
   * it; `null` when it could not be signed.
   */
  readonly signed?: LogHead | null;
  /**
   * For a delivery of findings, the position in the hash chain after the lines of the run that
   * found them; absent when the run is not kept any more, or had no chain.
   */
  readonly chain?: ChainMark;
}

/**
 * A decision that one operator proposed. `subject` is a finding or a month; `amount` is in whole
 * units.
 */
export type WaitingProposal = Readonly<
  Record<'action' | 'merchant' | 'subject' | 'amount' | 'by', string>
> & {
  readonly currency: string | null;
  /** For a proposal about a finding, how far the decision would go. */
  readonly wish: { readonly terms?: DecisionTerms | null };
};

/**
 * The open findings of all merchants, or, for a mail to a reader of one merchant, of that merchant.
 */
export interface OpenNow extends OpenFindings {
  /** The open roots by currency and state. */
  readonly exposure: readonly StateExposure[];
  /** How many of the open roots each person looks after, most first; at most ten persons. */
  readonly owners: readonly { readonly owner: string; readonly findings: number }[];
}

/** The head of the log of evidence (docs/EVIDENCE.md). */
export interface LogHead {
  /** Number of leaves. */
  readonly size: number;
  /** Root hash of the tree, in Base64. */
  readonly root: string;
}

/**
 * A month whose statement is held, and what has become since then of the roots that made it broken.
 */
export interface HeldMonth extends MonthKey {
  /**
   * How many of those roots are still open: neither settled, accepted nor resolved. `null` when the
   * issued statement does not name its roots.
   */
  readonly open: number | null;
  /** The last decision or result about each root that is not open any more. */
  readonly since: readonly RootOutcome[];
}

export interface RootOutcome {
  readonly fingerprint: string;
  readonly action: 'settle' | 'accept' | 'resolve';
  /**
   * Who decided. `null` for the engine, which found the correcting lines, or no longer finds the
   * root.
   */
  readonly by: string | null;
  readonly reason: string;
  readonly at: Instant;
}

export interface ReportParcel {
  /** `null` when no profile was read. */
  readonly merchantName: string | null;
  readonly revision: number;
  readonly figures: MonthFigures;
  /** The column of the first page; `null` when the version that issued the statement kept none. */
  readonly column: MonthColumn | null;
  /** Why the verdict is what it is, and how payments by link compare, one sentence each. */
  readonly reasons: Readonly<Record<'fr' | 'en', readonly string[]>>;
  /** What the merchant has to do, as the first page says it: a sentence each. */
  readonly toDo: Readonly<Record<'fr' | 'en', readonly string[]>>;
  readonly files: readonly ParcelFile[];
  /** The files to import by programs, which are all in `files` too. */
  readonly portions: readonly Portion[];
  /**
   * When an earlier attempt of this delivery got into doubt; this attempt then sends the same files
   * again. `null` when no attempt is in doubt.
   */
  readonly doubted: Instant | null;
  /**
   * Public key of the log of evidence, which checks the `.tlog-proof` among the files; `null` when
   * there is none.
   */
  readonly verifierKey: string | null;
  /**
   * The position in the hash chain that the statement prints, after the lines that it was made
   * from; `null` when it prints none.
   */
  readonly chain: ChainMark | null;
}

export interface StoredFile extends Pick<SentFile, 'fileName' | 'sha256'> {
  readonly mediaType: string;
  /** In bytes. */
  readonly size: number;
}

export interface ParcelFile extends StoredFile, SentFile {
  /**
   * Streams the file's bytes; fails before the end when they are not the bytes that were hashed.
   */
  read(): AsyncIterable<Uint8Array>;
}

/** Wallet figures in whole units at the cut-off; available = balance − reserved. */
export type WalletSides = Pick<Wallet, 'balance' | 'reserved' | 'available'>;

/** The key figures of a month, as its report states them: whole units of `currency`. */
export interface MonthFigures {
  readonly currency: string;
  readonly openingBalance: Amount;
  /**
   * Σ amounts of CASHIN_CREDIT lines, gross: a line that is posted net of its commission counts
   * with the commission.
   */
  readonly collected: Amount;
  /** Σ amounts of CASHOUT_DEBIT lines, positive. */
  readonly disbursed: Amount;
  /**
   * Σ amounts of CASHIN_FEE and CASHOUT_FEE lines, and of the commissions that net credits left
   * out; positive.
   */
  readonly fees: Amount;
  /** Net effect of REVERSAL_* lines on the balance, signed. */
  readonly reversals: Amount;
  /** Net effect of ADJUSTMENT_* lines on the balance, signed. */
  readonly adjustments: Amount;
  /**
   * Net effect of lines of unknown kind, and of lines whose direction is not that of their kind; 0
   * in sound books.
   */
  readonly otherMovements: Amount;
  /** opening + collected − disbursed − fees + reversals + adjustments + otherMovements. */
  readonly closingBalance: Amount;
  readonly closingReserved: Amount;
  /** closingBalance − closingReserved. */
  readonly availableAtClose: Amount;
  /** The figures at the cut-off as the service recorded them. */
  readonly recorded: WalletSides;
  /**
   * The figures at the cut-off as they must be once every open root is put right; `null` when the
   * books were not read whole.
   */
  readonly due: WalletSides | null;
  /**
   * How much of the figures due is not recorded yet, because operations of the month's end were
   * posted after the month, within the lawful delay; signed. Absent when there are no such
   * operations.
   */
  readonly inTransit?: { readonly balance: Amount; readonly reserved: Amount };
  /**
   * How much of the recorded figures comes from lines that are dated after the cut-off; signed.
   * Absent when there are no such lines.
   */
  readonly ahead?: { readonly balance: Amount; readonly reserved: Amount };
  /**
   * How much of the recorded figures no line or operation explains, so that it is not part of the
   * figures due. Absent when there is nothing to justify.
   */
  readonly toJustify?: { readonly balance: Amount; readonly reserved: Amount };
  readonly verdict: {
    /**
     * `broken`: a confirmed critical or error finding of this month or an earlier one was open at
     * the cut-off.
     */
    readonly state: Verdict;
    /** What was not read or checked, for an incomplete verdict; else empty. */
    readonly missing: readonly string[];
  };
}

/**
 * The column of figures on the first page: opening + movements = recorded, all as the service
 * recorded it.
 */
export interface MonthColumn
  extends Pick<
    MonthFigures,
    'collected' | 'fees' | 'disbursed' | 'reversals' | 'adjustments' | 'otherMovements'
  > {
  readonly opening: Amount;
  /**
   * Lines of later months that are recorded before this month's end, less lines of this month that
   * were recorded before it began.
   */
  readonly ahead: Amount;
  /** How far the recorded balance moved without a line. */
  readonly gap: Amount;
  readonly recorded: Amount;
  readonly due: Amount | null;
}
