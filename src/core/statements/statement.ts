// A merchant's month as one value: every figure that a document of it shows, computed once. It
// holds no ledger lines, because a month may have hundreds of thousands; they come as a stream
// beside it. It leaves no arithmetic to the formats.

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
 * A statement. All amounts are whole units of `currency`, exact safe integers. All instants are
 * epoch milliseconds, UTC. All texts are as the service gave them (phone numbers masked), so each
 * format must escape them. The value is plain data: it can be written as JSON and read back, and
 * its keys always stand in this order.
 */
export interface Statement {
  readonly merchant: StatementMerchant;
  /**
   * Who issues the statement, by the configuration; `null` when no issuer is configured. Not part
   * of the content hash.
   */
  readonly issuer: LegalIdentity | null;
  /**
   * `null` when no wallet was read. Nothing is known of the wallet then but the ledger's lines.
   */
  readonly walletId: string | null;
  /** The currency that all lines and operations must have. */
  readonly currency: string;
  readonly period: StatementPeriod;
  readonly revision: StatementRevision;
  /** Name and version of the program: `pointage 0.1.0`. */
  readonly engine: string;
  /**
   * When the statement was made, as the caller says. A statement made again without a change keeps
   * its first instant.
   */
  readonly generatedAt: Instant;
  readonly phoneNumbers: PhoneNumbers;
  readonly integrity: StatementIntegrity;
  /** Key figures, in the form of `Report.summary`. */
  readonly summary: StatementSummary;
  /**
   * Payments by link, which are another population and added to no other figure. `null` when there
   * are none, or they were not read.
   */
  readonly paymentsByLink: LinkSection | null;
  /**
   * One row for each kind that the document knows, in its order, even with count 0; then the kinds
   * that it does not know.
   */
  readonly movements: readonly MovementRow[];
  readonly operators: OperatorSection;
  /** Every calendar day of the month in `period.zone`, also those without a line. */
  readonly days: readonly DayRow[];
  /**
   * Months of a year's statement; `null` in any other. They are sums of the days, and not part of
   * the content hash.
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
  /** How many operations the month has; the operations come as a stream beside the statement. */
  readonly operations: { readonly count: number };
  readonly journal: JournalSection;
  /**
   * What the statement was made from. It is not part of the content hash, because it changes from
   * night to night.
   */
  readonly circumstances: Circumstances;
}

export const LANGUAGES = ['fr', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

/**
 * Names of the formats in which a statement is given out, in the order in which a report's files
 * are made.
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
   * Name in the newest profile known; `null` when no profile was read. Like the rest of the
   * profile, it is not part of the content hash.
   */
  readonly name: string | null;
  readonly country: string | null;
  /**
   * Legal identity of the wallet's holder, by the configuration, or else the legal name of the
   * profile alone. `null` when nothing of it is known.
   */
  readonly holder: LegalIdentity | null;
  readonly profile: Merchant | null;
}

export interface StatementPeriod {
  /** `2026-10` for a month, `2026` for a year, `2026-10-31` for a month up to the end of a day. */
  readonly period: string;
  /** `octobre 2026`, `October 2026`; `2026`; `31 octobre 2026`. */
  readonly label: Readonly<Record<Language, string>>;
  /**
   * IANA name of the zone in which days are counted. Months begin in it too, unless the service
   * says otherwise.
   */
  readonly zone: string;
  /** First instant of the month. */
  readonly start: Instant;
  /**
   * First instant after the month, which is the cut-off. A line dated exactly here belongs to the
   * next month.
   */
  readonly end: Instant;
  /**
   * First instant as text in UTC and in the zone: `2026-09-30T23:00:00.000Z`, `2026-10-01
   * 00:00:00`.
   */
  readonly startText: BoundText;
  readonly endText: BoundText;
  /** `report` when the service published a Report of this month, whose bounds are then used. */
  readonly boundsFrom: 'report' | 'configuration';
}

export interface BoundText {
  readonly utc: string;
  readonly local: string;
}

export interface StatementRevision {
  /** 1 when the month is issued for the first time. */
  readonly number: number;
  /** The revision before; `null` at revision 1. */
  readonly previous: {
    readonly number: number;
    readonly generatedAt: Instant;
    readonly contentHash: string;
    /** Hash that its documents were printed with. */
    readonly documentHash: string;
  } | null;
  /** Figures that differ from the revision before; empty at revision 1. */
  readonly changes: readonly StatementChange[];
  /**
   * What the revision changes in the journal. `null` at revision 1, and where the document before
   * cannot be compared.
   */
  readonly entries: EntryChanges | null;
  /** Days on which the entries were validated. Absent when all were on the day of this edition. */
  readonly validated?: readonly Validated[];
}

/**
 * A day on which entries were validated, with their numbers. The first day of a list is that of all
 * entries whose numbers no other day lists.
 */
export interface Validated {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly numbers: readonly string[];
  /**
   * The issued month that the entries belong to, `YYYY-MM`, in a year; absent for the statement
   * itself.
   */
  readonly month?: string;
  /** The highest sequence among the month's lines, in a year; `null` when the month has none. */
  readonly until?: number | null;
}

export interface StatementChange {
  /**
   * Path in the summary: `closingBalance`, `byOperator.ORANGE.amount`. `lines` or `details` when
   * the summary is the same and only these differ.
   */
  readonly figure: string;
  /** The figure as text; `null` when it was not there. */
  readonly before: string | null;
  /** The figure as text; `null` when it is not there now. */
  readonly after: string | null;
}

/**
 * Hashes of a statement: SHA-256, as 64 lower-case hexadecimal digits. `integrity.ts` computes
 * them.
 */
export interface StatementIntegrity {
  /**
   * The chain's link after the last line of the month. Each link hashes the link before and one
   * line, by sequence.
   */
  readonly chainHead: string;
  /**
   * Hash of the canonical content: figures, tables, findings, journal and chain head. Equal content
   * has an equal hash.
   */
  readonly contentHash: string;
  /** The first 12 digits of the content hash, for the ids of files that programs import. */
  readonly shortHash: string;
  /**
   * Hash of all that documents show, lines, operations and circumstances included. Documents print
   * it, and equal documents have an equal hash.
   */
  readonly documentHash: string;
}

/**
 * What an account moved (debit − credit) in the issued months together, and as the year states it.
 */
export interface AsIssued {
  readonly account: string;
  readonly issued: number;
  readonly stated: number;
}

/**
 * What the statement was made from. `verdict` and `coverage` are of the whole books as they were
 * audited; the verdict on this month alone is `summary.verdict`.
 */
export interface Circumstances extends Pick<AuditReport, 'verdict' | 'assumptions' | 'notChecked'> {
  readonly coverage: Pick<
    AuditReport,
    'entries' | 'operations' | 'firstSequence' | 'lastSequence'
  > & {
    /**
     * Instant up to which the books were complete when they were read, as the source or the caller
     * says; `null` when that is not known.
     */
    readonly watermark: Instant | null;
    /** Chain mark of the lines that the mirror had then; absent where no chain is kept. */
    readonly chain?: ChainMark;
  };
  /**
   * Comparison with the service's own report of the month; `null` when there is no report, or it
   * was not read.
   */
  readonly serviceReport: ServiceComparison | null;
  /** The file of that report; null when there is none, or it was not read. */
  readonly serviceDocument: ServiceDocument | null;
  readonly walletAsRead: WalletAsRead | null;
  /**
   * Figures of earlier periods in the same currency; absent when none was issued beside this
   * statement.
   */
  readonly comparatives?: readonly ComparedPeriod[];
  /**
   * Accounts that the issued months of a year moved otherwise than the year does, without
   * operations in transit. Absent when there are none.
   */
  readonly asIssued?: readonly AsIssued[];
  /**
   * Says, in an attestation to a day, that the month is closed. Absent when the month was open when
   * this was issued.
   */
  readonly closed?: {
    readonly at: Instant;
    readonly by: string;
    /**
     * Lines dated before the cut-off that came after the closing and are not counted: how many, and
     * the sequences of the first 20.
     */
    readonly late: { readonly count: number; readonly sequences: readonly number[] };
  };
  /**
   * Says, in an attestation to a day, how many lines are counted otherwise than by their date.
   * Absent when there are none.
   */
  readonly notByDate?: {
    /**
     * Lines dated before the end of the day and not counted, because they came after their month
     * was closed.
     */
    readonly late: number;
    /**
     * Lines dated before the end of the day and counted after it, because their date is impossible.
     */
    readonly countedAfter: number;
    /**
     * Lines dated after the end of the day and counted in it, because their date is impossible.
     */
    readonly countedBefore: number;
    /** Lines dated after the end of the day that only the recorded figures include. */
    readonly ahead: number;
  };
}

/**
 * Leads from the month's end to the wallet as it was read later: closing + `sinceCutOff` =
 * `recomputedNow`, and `difference` = wallet − `recomputedNow`. The audit explains the difference,
 * except for `unexplained`.
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
  /** Figure recorded at the last line read; `null` when there is no line. */
  readonly recordedNow: number | null;
  readonly wallet: number;
  readonly difference: number;
  /**
   * The part of the difference that the audit could not name, as its report has it; `null` when it
   * could not be compared.
   */
  readonly unexplained: string | null;
}

// Books of the ledger alone have no operations, so counts of operations are 0 then and say nothing.
// The commission and the net amount of an operation that failed say nothing either.

export function lacksOperations(notChecked: readonly NotChecked[]): boolean {
  return notChecked.some(({ what, incomplete }) => what === 'operations' && incomplete);
}

/** Returns whether operations were read. If not, a document says only that about them. */
export function hasOperations({ circumstances }: Pick<Statement, 'circumstances'>): boolean {
  return !lacksOperations(circumstances.notChecked);
}

/**
 * Returns `false` for an operation that failed, expired or was cancelled, because its commission
 * and net amount were announced and never moved.
 */
export function movesMoney(status: keyof StatusCounts): boolean {
  return status !== 'FAILED' && status !== 'EXPIRED' && status !== 'CANCELLED';
}
