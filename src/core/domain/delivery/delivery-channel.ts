// The port of plug-in 4, deliveries: one way by which something is announced. A channel sends what
// it is handed and says what became of it; it knows no store, and does not try again by itself.

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
   * Whether the receiver recognizes a repeated parcel by id or by name, so that a repeat does no
   * harm. Else a person decides about a parcel that may have arrived.
   */
  readonly isRepeatable: boolean;
  /** How many parcels one process sends at once. */
  readonly concurrency: number;
  /** Milliseconds within which `send` answers. */
  readonly deadline: number;
  /**
   * Makes ready to send, before anything is claimed; rejects with one sentence when nothing can be
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

/** `detail` is one line without secrets. */
export interface SendOutcome {
  readonly outcome: DeliveryOutcome;
  readonly detail: string;
}

/** A delivery with all that it takes to send it. */
export interface Parcel {
  /** UUID of the delivery; the same in every attempt. */
  readonly id: string;
  readonly target: string;
  readonly createdAt: Instant;
  /** Now. */
  readonly sentAt: Instant;
  readonly content: DeliveryContent;
  /** Of a statement; null for whatever else. */
  readonly report: ReportParcel | null;
  /**
   * For the mail at a night's end: the months whose statements are held at `sentAt`; else absent.
   */
  readonly heldMonths?: readonly HeldMonth[];
  /** For the mail at a night's end: what is open at `sentAt`. */
  readonly open?: OpenNow;
  /**
   * For the mail at a night's end to a reader of one merchant; null: the night did not judge it;
   * absent: it was not part of the night.
   */
  readonly verdict?: Verdict | null | undefined;
  /** For the mail at a night's end: what waits for a second operator at `sentAt`, the oldest. */
  readonly waiting?: readonly WaitingProposal[];
  /**
   * For the mail at a night's end: the signed head of the log with the night in it; null: it could
   * not be signed.
   */
  readonly signed?: LogHead | null;
  /**
   * Of findings: behind the lines that they were found in; absent: the run is not kept any more, or
   * had no chain.
   */
  readonly chain?: ChainMark;
}

/** `subject`: a finding, or a month; `amount`: whole units. */
export type WaitingProposal = Readonly<
  Record<'action' | 'merchant' | 'subject' | 'amount' | 'by', string>
> & {
  readonly currency: string | null;
  /** About a finding: how far the decision would go. */
  readonly wish: { readonly terms?: DecisionTerms | null };
};

/** Of all merchants, or of the one of its reader. */
export interface OpenNow extends OpenFindings {
  /** Its roots by currency and state. */
  readonly exposure: readonly StateExposure[];
  /** Who looks after how many of them, most first; at most ten. */
  readonly owners: readonly { readonly owner: string; readonly findings: number }[];
}

/** Of the log of evidence (docs/EVIDENCE.md). */
export interface LogHead {
  /** Leaves. */
  readonly size: number;
  /** Base64. */
  readonly root: string;
}

/** A month whose statement is held, and what has become since of the roots that broke it. */
export interface HeldMonth extends MonthKey {
  /**
   * Of those roots, how many are neither put right, accepted nor gone by now; null: what was issued
   * does not name them.
   */
  readonly open: number | null;
  /** The last word about each of the others. */
  readonly since: readonly RootOutcome[];
}

export interface RootOutcome {
  readonly fingerprint: string;
  readonly action: 'settle' | 'accept' | 'resolve';
  /** Null: the engine, which found the lines that put it right, or finds it no more. */
  readonly by: string | null;
  readonly reason: string;
  readonly at: Instant;
}

export interface ReportParcel {
  /** Null when no profile was read. */
  readonly merchantName: string | null;
  readonly revision: number;
  readonly figures: MonthFigures;
  /** Null: issued by a version that kept none. */
  readonly column: MonthColumn | null;
  /** What the verdict comes from, and how payments by link compare: a sentence each. */
  readonly reasons: Readonly<Record<'fr' | 'en', readonly string[]>>;
  readonly files: readonly ParcelFile[];
  /** Of those among them that programs import. */
  readonly portions: readonly Portion[];
  /**
   * Since when this same delivery is in doubt: it has the files that it had then; null: it is not.
   */
  readonly doubted: Instant | null;
  /**
   * Of the log that the statement is in: checks the `.tlog-proof` among the files. Null: there is
   * none.
   */
  readonly verifierKey: string | null;
  /** Of the lines that it was made from, as it printed it; null: it printed none. */
  readonly chain: ChainMark | null;
}

export interface StoredFile extends Pick<SentFile, 'fileName' | 'sha256'> {
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
}

export interface ParcelFile extends StoredFile, SentFile {
  /** The bytes; fails before its end when they are not those that were hashed. */
  read(): AsyncIterable<Uint8Array>;
}

/** Whole units at the cut-off; available = balance − reserved. */
export type WalletSides = Pick<Wallet, 'balance' | 'reserved' | 'available'>;

/** The key figures of a month, as its report states them: whole units of `currency`. */
export interface MonthFigures {
  readonly currency: string;
  readonly openingBalance: Amount;
  /**
   * Σ amounts of CASHIN_CREDIT lines, gross: a line that is posted net of its commission counts
   * with it.
   */
  readonly collected: Amount;
  /** Σ amounts of CASHOUT_DEBIT lines, positive. */
  readonly disbursed: Amount;
  /**
   * Σ amounts of CASHIN_FEE and CASHOUT_FEE lines, and commissions that credits are posted net of;
   * positive.
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
  /**
   * At the cut-off: as the service recorded them, and as they must be once every open root is put
   * right.
   */
  readonly recorded: WalletSides;
  /** Null where the books are not whole. */
  readonly due: WalletSides | null;
  /**
   * What the figures due have beyond the recorded ones because operations of the month's end were
   * posted after it, within the lawful delay; signed. Absent where nothing was.
   */
  readonly inTransit?: { readonly balance: Amount; readonly reserved: Amount };
  /**
   * What the recorded figures have of lines that are dated after the cut-off; signed. Absent where
   * there are none.
   */
  readonly ahead?: { readonly balance: Amount; readonly reserved: Amount };
  /**
   * What is recorded, and explained by nothing that was read: it is no part of the figures due.
   * Absent where there is none.
   */
  readonly toJustify?: { readonly balance: Amount; readonly reserved: Amount };
  readonly verdict: {
    /**
     * Broken: a confirmed critical or error was open at the cut-off, of this month or an earlier
     * one.
     */
    readonly state: Verdict;
    /** Of an incomplete one, what was not read or checked. */
    readonly missing: readonly string[];
  };
}

/** The column of the first page: opening + movements = recorded, all as the service recorded it. */
export interface MonthColumn
  extends Pick<
    MonthFigures,
    'collected' | 'fees' | 'disbursed' | 'reversals' | 'adjustments' | 'otherMovements'
  > {
  readonly opening: Amount;
  /** Lines recorded before their period, less those of this one that had been. */
  readonly ahead: Amount;
  /** What the recorded balance moved that no line did. */
  readonly gap: Amount;
  readonly recorded: Amount;
  readonly due: Amount | null;
}
