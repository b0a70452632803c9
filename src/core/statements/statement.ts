// A merchant's month as one value: every figure that a document of it shows, computed once. Holds
// no ledger line (a month may have hundreds of thousands; they come as a stream beside it) and
// leaves no arithmetic to the formats.

import type { AuditReport } from '../domain/finding.ts';
import type { Instant } from '../domain/instant.ts';
import type { LegalIdentity, Merchant, Wallet } from '../domain/merchant.ts';
import type { ChainMark, NotChecked } from '../domain/snapshot.ts';
import type { LinkSection, ServiceComparison, ServiceDocument } from './comparison.ts';
import type { JournalSection } from './journal.ts';
import type { PhoneNumbers } from './mask-phone-numbers.ts';
import type { CommissionSection } from './section-commissions.ts';
import type { DayRow, MonthRow, MovementRow, OperatorSection } from './section-movements.ts';
import type {
  CorrectionSection,
  CrossingSection,
  DueSection,
  FindingSection,
  OpenHoldSection,
  OpenOperationSection,
  Reconciliation,
  ReversalSection,
} from './section-reconciliation.ts';
import type { EntryChanges } from './statement-line.ts';
import type { ComparedPeriod, StatementSummary, StatusCounts } from './summary.ts';

/**
 * All amounts are whole units of `currency`, exact safe integers; all instants are epoch
 * milliseconds, UTC; all texts are as the service gave them (phone numbers masked), so each format
 * escapes for itself. The value is plain data: it can be written as JSON and read back, and its
 * keys always stand in this order.
 */
export interface Statement {
  readonly merchant: StatementMerchant;
  /**
   * Who issues it, by the configuration; null: none is configured. Not part of the content hash.
   */
  readonly issuer: LegalIdentity | null;
  /** Null when no wallet was read: then nothing is known of it but the ledger's lines. */
  readonly walletId: string | null;
  /** The currency that lines and operations are held to. */
  readonly currency: string;
  readonly period: StatementPeriod;
  readonly revision: StatementRevision;
  /** `pointage 0.1.0`. */
  readonly engine: string;
  /** Given by the caller. A statement generated again without a change keeps its first one. */
  readonly generatedAt: Instant;
  readonly phoneNumbers: PhoneNumbers;
  readonly integrity: StatementIntegrity;
  /** `Report.summary`. */
  readonly summary: StatementSummary;
  /** Another population, added to nothing; null where there is none, or none was read. */
  readonly paymentsByLink: LinkSection | null;
  /**
   * One row for each kind that the document knows, in its order, also with count 0; then kinds it
   * does not know.
   */
  readonly movements: readonly MovementRow[];
  readonly operators: OperatorSection;
  /** Every calendar day of the month in `period.zone`, also those without a line. */
  readonly days: readonly DayRow[];
  /**
   * Of a statement of a year, its months; else null. Sums of the days, and no part of the content
   * hash.
   */
  readonly months: readonly MonthRow[] | null;
  readonly commissions: CommissionSection;
  readonly due: DueSection;
  readonly reconciliation: Reconciliation;
  readonly findings: FindingSection;
  readonly openHolds: OpenHoldSection;
  readonly openOperations: OpenOperationSection;
  readonly earlierReversals: ReversalSection;
  readonly crossing: CrossingSection;
  readonly corrections: CorrectionSection;
  /** The operations of the month themselves come as a stream beside it. */
  readonly operations: { readonly count: number };
  readonly journal: JournalSection;
  /**
   * What the statement was made from. Not part of the content hash: it changes from night to night.
   */
  readonly circumstances: Circumstances;
}

export const LANGUAGES = ['fr', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

/**
 * The forms in which a statement is given out, by name, in the order in which a report's files are
 * made.
 */
export const STATEMENT_FORMATS = [
  'json',
  'csv',
  'operations',
  'pdf',
  'xlsx',
  'journal',
  'fec',
  'camt',
  'mt940',
  'ofx',
  'sage',
  'odoo',
] as const;
export type StatementFormatName = (typeof STATEMENT_FORMATS)[number];

export interface StatementMerchant {
  readonly reference: string;
  /**
   * Of the newest profile known; null when none was read. Not part of the content hash, as the rest
   * of the profile.
   */
  readonly name: string | null;
  readonly country: string | null;
  /** Its legal name by the configuration, else by the profile. Null: nothing of it is known. */
  readonly holder: LegalIdentity | null;
  readonly profile: Merchant | null;
}

export interface StatementPeriod {
  /** `YYYY-MM`; of a year `YYYY`, of a month up to the end of a day `YYYY-MM-DD`. */
  readonly period: string;
  /** `octobre 2026`, `October 2026`; `2026`; `31 octobre 2026`. */
  readonly label: Readonly<Record<Language, string>>;
  /**
   * IANA name: the zone in which days are counted, and months begin unless the service says
   * otherwise.
   */
  readonly zone: string;
  /** First instant of the month. */
  readonly start: Instant;
  /**
   * First instant after the month: the cut-off. A line dated exactly here belongs to the next
   * month.
   */
  readonly end: Instant;
  /**
   * The bounds as text in UTC and in the zone: `2026-09-30T23:00:00.000Z`, `2026-10-01 00:00:00`.
   */
  readonly startText: BoundText;
  readonly endText: BoundText;
  /** `report`: the service published a Report of this month, and its bounds are used. */
  readonly boundsFrom: 'report' | 'configuration';
}

export interface BoundText {
  readonly utc: string;
  readonly local: string;
}

export interface StatementRevision {
  /** 1 when the month is issued for the first time. */
  readonly number: number;
  /** The one before; null at revision 1. */
  readonly previous: {
    readonly number: number;
    readonly generatedAt: Instant;
    readonly contentHash: string;
    /** As it was printed. */
    readonly documentHash: string;
  } | null;
  /** What is stated otherwise than in the revision before; empty at revision 1. */
  readonly changes: readonly StatementChange[];
  /**
   * What it changes in the journal; null at revision 1, and where the document before cannot be
   * compared.
   */
  readonly entries: EntryChanges | null;
  /** When its entries were validated; absent: all on the day of this edition. */
  readonly validated?: readonly Validated[];
}

/** The first is of all entries that no other lists by their numbers. */
export interface Validated {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly numbers: readonly string[];
  /**
   * In a year, the issued month that it is of, and the highest sequence of its lines; absent: of
   * the statement itself.
   */
  readonly month?: string;
  readonly until?: number | null;
}

export interface StatementChange {
  /**
   * Path in the summary: `closingBalance`, `byOperator.ORANGE.amount`; `lines` or `details` when
   * only what lies below it differs.
   */
  readonly figure: string;
  /** As text; null where the figure was, or is, not there. */
  readonly before: string | null;
  readonly after: string | null;
}

/** SHA-256, as 64 lower-case hexadecimal digits. How they are computed: `integrity.ts`. */
export interface StatementIntegrity {
  /** After the last line of the month, by sequence: each link holds the one before and one line. */
  readonly chainHead: string;
  /**
   * Over the canonical content: figures, tables, findings, journal and chain head; equal content,
   * equal hash.
   */
  readonly contentHash: string;
  /** The first 12 digits of the content hash: for the ids of files that programs import. */
  readonly shortHash: string;
  /**
   * Over all that documents show, lines, operations and circumstances included: equal documents,
   * equal hash. Printed on them.
   */
  readonly documentHash: string;
}

/**
 * `verdict`, as `coverage`, is of the whole books as they were audited, not of this month alone
 * (that is `findings.verdict`).
 */
export interface AsIssued {
  readonly account: string;
  readonly issued: number;
  readonly stated: number;
}

export interface Circumstances extends Pick<AuditReport, 'verdict' | 'assumptions' | 'notChecked'> {
  readonly coverage: Pick<
    AuditReport,
    'entries' | 'operations' | 'firstSequence' | 'lastSequence'
  > & {
    /**
     * The books were complete up to here when they were read, by the source or the caller; null:
     * unknown.
     */
    readonly watermark: Instant | null;
    /** Of the lines that the mirror had then; absent where no chain is kept over them. */
    readonly chain?: ChainMark;
  };
  /**
   * The service's own report of the month beside this statement; null when there is none, or it was
   * not read.
   */
  readonly serviceReport: ServiceComparison | null;
  /** The file of that report; null when there is none, or it was not read. */
  readonly serviceDocument: ServiceDocument | null;
  readonly walletAsRead: WalletAsRead | null;
  /**
   * Earlier periods beside this one, in their currency the same; absent: none was issued where this
   * one is.
   */
  readonly comparatives?: readonly ComparedPeriod[];
  /**
   * Of a year whose months were issued, accounts that they moved otherwise than the year does, and
   * what each of the two moved (debit − credit, without operations in transit); absent: there are
   * none.
   */
  readonly asIssued?: readonly AsIssued[];
  /** Of a day, that its month is closed. Absent: it is open, or was when it was issued. */
  readonly closed?: {
    readonly at: Instant;
    readonly by: string;
    /**
     * Lines dated before the cut-off that came afterwards, and are not counted: how many, and at
     * most 20 by sequence.
     */
    readonly late: { readonly count: number; readonly sequences: readonly number[] };
  };
  /** Of a day: how many lines are counted otherwise than by their date. Absent: none is. */
  readonly notByDate?: {
    /**
     * Dated before the end of the day and not counted: they came after their month was closed, or
     * their date is impossible.
     */
    readonly late: number;
    readonly countedAfter: number;
    /**
     * Dated later and counted all the same: their date is impossible; or they are in the recorded
     * figures alone.
     */
    readonly countedBefore: number;
    readonly ahead: number;
  };
}

/**
 * From the month's end to the wallet as it was read later: closing + `sinceCutOff` = recomputed
 * now; `recordedNow` is what the ledger's last line says; `difference` = wallet − recomputed now,
 * which the audit explains but for `unexplained`.
 */
export interface WalletAsRead {
  readonly wallet: Wallet;
  readonly balance: WalletBridge;
  readonly reserved: WalletBridge;
}

export interface WalletBridge {
  readonly closing: number;
  /** Effect of the lines dated after the month's end. */
  readonly sinceCutOff: number;
  readonly recomputedNow: number;
  /** After the last line read; null when there is none. */
  readonly recordedNow: number | null;
  readonly wallet: number;
  readonly difference: number;
  /** What the audit could not name, as its report has it; null when it could not be compared. */
  readonly unexplained: string | null;
}

// Books of the ledger alone have no operations: what is counted of these is 0 then, and says
// nothing. Nor do commission and net of an operation that came to nothing.

export function lacksOperations(notChecked: readonly NotChecked[]): boolean {
  return notChecked.some(({ what, incomplete }) => what === 'operations' && incomplete);
}

/** False: a document says nothing of operations but that. */
export function hasOperations({ circumstances }: Pick<Statement, 'circumstances'>): boolean {
  return !lacksOperations(circumstances.notChecked);
}

/**
 * False of an operation that failed, expired or was cancelled: its commission and net were
 * announced, and never moved.
 */
export function movesMoney(status: keyof StatusCounts): boolean {
  return status !== 'FAILED' && status !== 'EXPIRED' && status !== 'CANCELLED';
}
