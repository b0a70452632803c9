// A snapshot: what one look at a source, or at the mirror, gives the engine about one merchant,
// streamed. The port that sources and storage implement; it promises order and exactness, and names
// what it could not give.

import type { Alteration } from './alteration.ts';
import type { Amount } from './amount.ts';
import type { NamedFigures } from './figures.ts';
import type { Instant } from './instant.ts';
import type { LedgerEntry } from './ledger-entry.ts';
import type { Merchant, Wallet } from './merchant.ts';
import type { HashedNotification, NotificationContent } from './notification.ts';
import type { Departure, MissingOperation, Operation } from './operation.ts';
import type { Bounds } from './period.ts';
import type { Refusal } from './refusal.ts';

/** The parts of a merchant's books that a source may or may not have. */
export type BookPart =
  | 'merchant'
  | 'wallet'
  | 'ledger'
  | 'operations'
  | 'reports'
  | 'payments'
  | 'payouts'
  | 'events';

/**
 * A row that could not be read exactly (section G). Nothing in it is guessed; its bytes are kept,
 * capped.
 */
export interface RejectedRow {
  readonly part: BookPart;
  /**
   * Where it stood: `ledger.jsonl:17`, `GET /ledger offset 200 item 3`. Stable between readings.
   */
  readonly place: string;
  /** One clause that names the fault: `amount is 12.5, not a whole number`. */
  readonly reason: string;
  /** What the clause is made of; null in a mirror that kept the clause alone. */
  readonly refusal: Refusal | null;
  /** The row's sequence or reference, when that field by itself could still be read exactly. */
  readonly sequence: number | null;
  readonly reference: string | null;
  /** The raw bytes as text (invalid UTF-8 replaced), at most 2,000 characters. */
  readonly raw: string;
}

/**
 * How far the hash chain over a merchant's stored lines had come (docs/EVIDENCE.md, "The chain"):
 * printed and sent, to lie in other hands.
 */
export interface ChainMark {
  /** Stored lines so far, further contents of one sequence among them. */
  readonly lines: number;
  /** 64 lower-case hexadecimal digits. */
  readonly head: string;
}

/** `843:1fb636a38fef`: the lines, and so many digits of the head behind them. */
export function markText({ lines, head }: ChainMark, digits = 64): string {
  return `${lines}:${head.slice(0, digits)}`;
}

/**
 * Why something was not checked, by what it is about; a code without words in both languages does
 * not compile.
 */
export type ReasonCode =
  | 'ACCOUNTS_CHANGED'
  | `API_WITHOUT_${'EVENTS' | 'HISTORY' | 'PAYMENTS' | 'PAYOUTS' | 'REPORTS'}`
  | `BALANCE_${'BOUNDED' | 'WITHOUT_ALL'}`
  | `CLOCK_${'BEHIND' | 'UNKNOWN'}`
  | 'DAYS_SINCE'
  | `DELIVERIES_${'NOT_ANSWERED' | 'REFUSED'}`
  | 'DUE_UNKNOWN'
  | 'EARLIER_NOT_READ_AGAIN'
  | `EVENTS_${'LEFT' | 'NEVER' | 'NOT_ASKED' | 'NOT_MIRRORED' | 'REFUSED' | 'TOO_NEW'}`
  | 'FILES_WITHOUT_HISTORY'
  | 'FILE_NAMED_OTHERWISE'
  | `FILE_${'ABSENT' | 'NO_PDF' | 'UNREADABLE'}`
  | `LINES_${'KNOWN_FROM' | 'NOT_READ_AGAIN' | 'OF_UNKNOWN_KINDS' | 'READ_WITHIN'}`
  | 'MIRROR_OF_ANOTHER_WALLET'
  | `MIRROR_WITHOUT_${'PAYMENTS' | 'PAYOUTS' | 'REPORTS' | 'REWRITTEN'}`
  | 'JOURNAL_LEAVES'
  | 'MONTHS_DIFFER'
  | 'MONTH_NOT_READ_AGAIN'
  | 'NAMES_UNKNOWN'
  | `NOTHING_${'READ' | 'THERE'}`
  | `OPENING_${'RESERVED' | 'WITHOUT_TOTALS'}`
  | 'OPEN_ASKED_LATER'
  | `OPERATIONS_${'AHEAD' | 'BEFORE_LINES' | 'LIST_CUT' | 'MISSED_ONCE' | 'NOT_READ_AGAIN' | 'OF_UNKNOWN_LINES'}`
  | `OPERATIONS_${'EXAMINED_LATER' | 'READ_WITHIN' | 'TOO_NEW'}`
  | 'OPERATION_OF_UNKNOWN_LINES'
  | 'PAYMENTS_SINCE'
  | `PAYOUTS_${'COPIED' | 'CUT' | 'MOVED' | 'NOT_ANSWERED'}`
  | 'PROVISIONAL'
  | 'PUBLISHED_NOW'
  | 'PUBLISHED_ROWS_REFUSED'
  | `REPORTS_${'NONE' | 'OLDER' | 'UNREACHABLE'}`
  | `REPORT_${'CONTRADICTED' | 'DOUBTFUL' | 'EMPTY' | 'FAILED' | 'GAPS' | 'LATER' | 'MONTH_OPEN' | 'PENDING'}`
  | `REPORT_OF_${'OPERATIONS' | 'OTHER_BOUNDS' | 'PAYMENTS'}`
  | `REPORT_WITHOUT_${'COMMON' | 'FIGURES' | 'PAYMENTS'}`
  | 'ROWS_REFUSED'
  | 'ROW_UNREADABLE'
  | 'SETTLEMENT_ZONE'
  | 'TABLES_WITHOUT_HISTORY'
  | `TABLE_${'NOT_MAPPED' | 'WITHOUT_ROW'}`
  | 'UNEXPLAINED';

export interface Reason {
  /** One clause in English: `none is published`. */
  readonly why: string;
  readonly code: ReasonCode;
  /** What the clause is made of. */
  readonly figures?: NamedFigures;
}

/**
 * Something that a reading did not contain or a run did not check. `incomplete`: a verdict cannot
 * be clean without it.
 */
export interface NotChecked {
  readonly what: string;
  readonly why: string;
  readonly incomplete: boolean;
  /** As `Reason`: why, for other languages; absent where the reason is a foreign text alone. */
  readonly code?: ReasonCode;
  readonly figures?: NamedFigures;
}

/** A `NotChecked` whose code and figures are its reason, still to be worded. */
export interface CodedNote extends Pick<NotChecked, 'what' | 'figures'> {
  readonly code: ReasonCode;
  readonly incomplete?: boolean;
}

/** A note before it is reported: coded, or in the words of others. */
export type Note = CodedNote | NotChecked;

/** One step of a stream: rows in the stream's order, and the rows refused on the way. */
export interface Batch<Row> {
  /** Of a batch with a view: made when they are named, and the view is gone then. */
  readonly rows: readonly Row[];
  readonly rejected: readonly RejectedRow[];
  /** Null or absent: the rows are at hand as objects. */
  readonly view?: RowView<Row> | null;
  /**
   * `Snapshot.hashOf` each line's id, each operation's externalReference, where they are at hand;
   * NaN: that of the row is not.
   */
  readonly hashes?: ArrayLike<number>;
}

/** Rows that are looked at one after another, without an object for each. */
export interface SeenRows<Row> {
  readonly count: number;
  /** Good until another row is looked at: to keep a row, keep a `copy` of it. */
  at(index: number): Row;
  copy(index: number): Row;
  /** Must be called when the rows are not looked at any more: the source may wait for it. */
  release(): void;
}

export interface RowView<Row> extends SeenRows<Row> {
  /**
   * As `Batch.hashes`. `which`: 1 for that of an operation's own reference, NaN where that is not
   * at hand.
   */
  hash(index: number, which?: number): number;
}

/** Rows that are at hand as objects. */
export function seenOf<Row>(rows: readonly Row[]): SeenRows<Row> {
  const at = (index: number): Row => rows[index]!;
  return { count: rows.length, at, copy: at, release: () => {} };
}

/** Of rows at hand as objects too, whose hashes are not. */
export function viewOf<Row>(batch: Batch<Row>): RowView<Row> {
  return batch.view ?? { ...seenOf(batch.rows), hash: () => Number.NaN };
}

export function countOf<Row>(batch: Batch<Row>): number {
  return batch.view?.count ?? batch.rows.length;
}

/** As `RowView.at`. */
export function lastOf<Row>(batch: Batch<Row>): Row | undefined {
  const { view } = batch;
  if (view == null) return batch.rows.at(-1);
  return view.count === 0 ? undefined : view.at(view.count - 1);
}

/** The same rows, which may be kept. */
export function keptOf<Row>(batch: Batch<Row>): Batch<Row> {
  if (batch.view == null) return batch;
  const { view } = batch;
  const hashes = new Float64Array(view.count);
  for (let index = 0; index < view.count; index += 1) hashes[index] = view.hash(index);
  return { rows: batch.rows, rejected: batch.rejected, hashes };
}

/**
 * An operation as served now, and as it stood when it was last replayed (null: never replayed
 * before).
 */
export interface OperationVersion {
  readonly operation: Operation;
  readonly previous: Operation | null;
}

/** Which rows to bring back after the streams have passed. */
export interface Recall {
  readonly references: ReadonlySet<string>;
  readonly entryIds: ReadonlySet<string>;
  readonly externalReferences: ReadonlySet<string>;
}

/**
 * A line brought back, with the recorded figures after the line before it (null: it is the first
 * known line).
 */
export interface RecalledEntry {
  readonly entry: LedgerEntry;
  readonly before: {
    readonly sequence: number;
    readonly balance: Amount;
    readonly reserved: Amount;
  } | null;
}

export interface Recalled {
  /**
   * Every distinct line whose operationReference is in `references` or whose id is in `entryIds`,
   * by sequence.
   */
  readonly entries: readonly RecalledEntry[];
  /** The newest version of every operation whose reference or externalReference was asked for. */
  readonly operations: readonly OperationVersion[];
}

/** The end of a reading: the wallet, and the ledger as it moved while the reading went on. */
export interface Closing {
  readonly wallet: Wallet | null;
  /**
   * By the source's own clock, when the wallet was read; absent: when the reading began, or it is
   * not known.
   */
  readonly readAt?: Instant | null;
  /**
   * Lines that appeared after the last one streamed and before the wallet was surely read; usually
   * none.
   */
  readonly laterEntries: readonly LedgerEntry[];
  readonly rejected: readonly RejectedRow[];
}

/**
 * What the service notified of one merchant. Rows that could not be read are among the reading's
 * `rejected`.
 */
export interface Notifications {
  /**
   * Every notification that could be read, in any order, as often as it was delivered. May be
   * called again.
   */
  stream(): AsyncIterable<SeenRows<HashedNotification>>;
  /** Those whose id is wanted, as they were delivered, with their content. */
  contents(isWanted: (id: string) => boolean): AsyncIterable<readonly NotificationContent[]>;
  /** The newest version of each of these operations that the books have, in any order. */
  operations(references: ReadonlySet<string>): Promise<readonly Operation[]>;
}

/**
 * The lines as they are served now, by their position in the ledger: 0 = the oldest. May be asked
 * for once the lines have been streamed.
 */
export interface ServedLines {
  /**
   * Where the line of this sequence, which was known before, stood when it was last served; null:
   * it was not served. At most one call where that is the position `expected`.
   */
  positionOf(sequence: number, expected: number): Promise<number | null>;
  /**
   * From the position `from` on, at most `count` lines, oldest first; fewer: no more are served.
   * Null: a row that cannot be read.
   */
  linesAt(from: number, count: number): Promise<readonly (LedgerEntry | null)[]>;
  /**
   * To be called where positions may have moved: of a list served newest first, each new line moves
   * all others.
   */
  recount(): void;
  /** Absent: lines are compared by reading them. */
  readonly blocks?: ServedBlocks | undefined;
}

/**
 * Of a block of lines: its number (`LINE_BLOCK`), and SHA-256, in hex, of those of each of its
 * lines.
 */
export type BlockDigests = ReadonlyMap<number, string>;

/** The number of a line's block: its sequence / 2 ** LINE_BLOCK, rounded down. */
export const LINE_BLOCK = 10;

/** Lines by their sequence, where their keeper says by a digest whether they are as they were. */
export interface ServedBlocks {
  /** Of the lines from one sequence to another, both included. */
  digests(first: number, last: number): Promise<BlockDigests>;
  /** The same lines, and the readable line on either side of them, ascending. */
  between(first: number, last: number): Promise<Batch<LedgerEntry>>;
}

/**
 * A stream throws it, once at most, where its rows turn out not to be in the promised order. The
 * caller starts again: a second stream gives them in order.
 */
export class OutOfOrder extends Error {
  override readonly name = 'OutOfOrder';
}

/**
 * A stretch of stored lines in which the first is that no longer fits the engine's own hash chain;
 * nothing is known of later ones.
 */
export interface TamperedLines {
  /** Lowest and highest sequence of the lines that are stored there now; null: none is. */
  readonly first: number | null;
  readonly last: number | null;
  /**
   * Lines up to the end of the stretch, as they are stored or as the chain has them; counted from
   * the first.
   */
  readonly until: number;
  /**
   * Null or absent: lines are meant. Else a table of the mirror with a row that is not as it was
   * written, and the lines fit.
   */
  readonly table?: string | null;
}

export function tamperedTable(table: string): TamperedLines {
  return { first: null, last: null, until: 0, table };
}

/** The wallet's id is another than it was: a new ledger of the same merchant. */
export interface ReplacedWallet {
  /** As they were last read. */
  readonly before: Wallet;
  readonly now: Wallet;
  /** When the new one was first read. */
  readonly since: Instant;
}

/** A month whose statement was issued, and would be stated otherwise by what is known now. */
export interface ChangedMonth {
  /** `2026-10`. */
  readonly period: string;
  /** The one in force. */
  readonly revision: number;
  /** How many figures differ. */
  readonly count: number;
  /**
   * The first of them, by their names in revisions (`closingBalance`), as issued and now; null:
   * there is none.
   */
  readonly figures: readonly {
    readonly figure: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
}

/** Times, and how many operations are known from before them, of them, and in all. */
export interface OperationsAsked extends Bounds {
  readonly before: number;
  readonly count: number;
  readonly known: number;
}

/** What of a snapshot only memory can see. */
export type Remembered =
  | 'departures'
  | 'missing'
  | 'alterations'
  | 'replaced'
  | 'tampered'
  | 'changedMonths';

export interface Snapshot {
  /** The merchant's reference, as the source knows it. */
  readonly merchant: string;
  /** Every version of the profile known, oldest first; empty when the source has none. */
  readonly profiles: readonly Merchant[];
  /**
   * The source may move while it is read, and serves no line a second time at will: its lines are
   * read first, then its operations, and nothing may be settled that a recall would have to bring
   * back.
   */
  readonly moving: boolean;
  /** The wallet's currency, where it is known before the lines are; else null. */
  readonly currency: string | null;
  /**
   * The reading is complete up to this instant; null when the source cannot say (the caller's
   * instant is taken).
   */
  readonly watermark: Instant | null;
  /** What this source does not hold for the merchant. */
  readonly absent: readonly Note[];
  /** Rows refused before the streams. */
  readonly rejected: readonly RejectedRow[];
  /** Instants of `wallet.adjusted` events, or null when the source has no events. */
  readonly adjustedAt: readonly Instant[] | null;
  /**
   * Operations that are served otherwise than before, against the document; absent: the source
   * remembers nothing.
   */
  readonly departures?: readonly Departure[];
  /** Known operations that are not served any more; absent: the source remembers nothing. */
  readonly missing?: readonly MissingOperation[];
  /**
   * Lines that are served otherwise than before, in their order; absent: the source remembers
   * nothing.
   */
  readonly alterations?: readonly Alteration[];
  /** Absent or null: the wallet is the one that it was first, or the source remembers none. */
  readonly replaced?: ReplacedWallet | null;
  /**
   * Of a mirror: stored lines that were changed since, as the last comparison with its hash chain
   * has it; absent or null: none.
   */
  readonly tampered?: TamperedLines | null;
  /** Of a mirror, by month; absent: none. */
  readonly changedMonths?: readonly ChangedMonth[];
  /**
   * Null when the source has none. They may be asked for once the operations have been streamed to
   * their end.
   */
  readonly notifications: Notifications | null;
  /** Hashes rows and notifications under a secret key of this process: a safe integer ≥ 0. */
  hashOf(text: string): number;
  /** Expected number of lines, for a progress bar; null when unknown. */
  readonly expectedEntries: number | null;
  /**
   * Lines in ascending sequence (equal sequences adjacent; a re-delivery may be repeated or
   * dropped). May be called again: each call starts at the first line. Throws `OutOfOrder` where
   * the order was taken on trust and proves wrong.
   */
  entries(): AsyncIterable<Batch<LedgerEntry>>;
  /** Operations in ascending createdAt, each once, in its newest version; else as `entries`. */
  operations(): AsyncIterable<Batch<OperationVersion>>;
  /**
   * All operations created after this instant are among them; absent or null: that cannot be said.
   */
  readonly operationsAfter?: Instant | null;
  /** All operations of some times, as they are served now; absent: it cannot be asked for them. */
  readonly operationsOf?: (asked: OperationsAsked) => AsyncIterable<Batch<OperationVersion>>;
  /** Called after the streams have been read to their end. */
  closing(): Promise<Closing>;
  recall(request: Recall): Promise<Recalled>;
  /** Absent: the source cannot be asked for lines by their position. */
  readonly servedLines?: ServedLines;
  close(): Promise<void>;
}

/**
 * Operations created before this instant may be gone with the oldest lines, or with the wallet
 * before this one.
 */
export function servedSince({
  alterations = [],
  replaced,
}: Pick<Snapshot, 'alterations' | 'replaced'>): Instant {
  const fallen = alterations.find(({ change }) => change === 'fallen');
  return Math.max(
    fallen?.now?.createdAt ?? Number.NEGATIVE_INFINITY,
    replaced?.since ?? Number.NEGATIVE_INFINITY,
  );
}
