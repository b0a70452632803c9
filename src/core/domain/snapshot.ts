// A snapshot is one reading of one merchant's books, from a source or from the mirror, streamed to
// the engine. This is the port that sources and storage implement: it promises order and exactness,
// and names what could not be read.

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

/** A row that could not be read exactly. Nothing in it is guessed; its first bytes are kept. */
export interface RejectedRow {
  readonly part: BookPart;
  /**
   * Where the row stood: `ledger.jsonl:17`, `GET /ledger offset 200 item 3`. The same in every
   * reading.
   */
  readonly place: string;
  /** One clause that names the fault: `amount is 12.5, not a whole number`. */
  readonly reason: string;
  /** The parts of which `reason` is made; `null` in a mirror that kept `reason` alone. */
  readonly refusal: Refusal | null;
  /** The row's sequence, when that field alone could be read exactly. */
  readonly sequence: number | null;
  /** The row's reference, when that field alone could be read exactly. */
  readonly reference: string | null;
  /** The raw bytes as text (invalid UTF-8 replaced), at most 2,000 characters. */
  readonly raw: string;
}

/**
 * A position in the hash chain over a merchant's stored lines (docs/EVIDENCE.md, "The chain"). It
 * is printed and sent, so that others hold it too.
 */
export interface ChainMark {
  /**
   * Number of stored lines so far. A sequence that was read with several contents counts for each.
   */
  readonly lines: number;
  /** 64 lower-case hexadecimal digits. */
  readonly head: string;
}

/** Returns `843:1fb636a38fef`: the number of lines, and the first `digits` digits of the head. */
export function markText({ lines, head }: ChainMark, digits = 64): string {
  return `${lines}:${head.slice(0, digits)}`;
}

/**
 * Why something was not checked, by subject. A code without words in both languages does not
 * compile.
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
  /** The values that the clause is made of. */
  readonly figures?: NamedFigures;
}

/**
 * Something that a reading did not contain or that a run did not check. `incomplete`: the verdict
 * cannot be clean without it.
 */
export interface NotChecked {
  readonly what: string;
  readonly why: string;
  readonly incomplete: boolean;
  /**
   * The code of `why`, as in `Reason`, from which other languages word it. Absent when the reason
   * is a text from outside.
   */
  readonly code?: ReasonCode;
  readonly figures?: NamedFigures;
}

/** A note whose reason is given by code and figures, and is still to be worded. */
export interface CodedNote extends Pick<NotChecked, 'what' | 'figures'> {
  readonly code: ReasonCode;
  readonly incomplete?: boolean;
}

/** A note before it is reported: by code, or already in words. */
export type Note = CodedNote | NotChecked;

/** One step of a stream: rows in the stream's order, and the rows refused on the way. */
export interface Batch<Row> {
  /**
   * The rows as objects. In a batch with a view they are made at the first access, and `view` is
   * `null` from then on.
   */
  readonly rows: readonly Row[];
  readonly rejected: readonly RejectedRow[];
  /** The rows without objects; `null` or absent when `rows` already are objects. */
  readonly view?: RowView<Row> | null;
  /**
   * For each row `Snapshot.hashOf` a line's id, or an operation's externalReference. Absent when no
   * hashes are known; NaN where the hash of one row is not known.
   */
  readonly hashes?: ArrayLike<number>;
}

/** Rows that are read one after another, without an object for each. */
export interface SeenRows<Row> {
  readonly count: number;
  /** Returns a row that is valid only until the next call. To keep the row, keep a `copy` of it. */
  at(index: number): Row;
  copy(index: number): Row;
  /** Must be called when the rows are not read any more, because the source may wait for it. */
  release(): void;
}

export interface RowView<Row> extends SeenRows<Row> {
  /**
   * Returns a hash of a row, as in `Batch.hashes`; with `which` = 1 that of an operation's own
   * reference. NaN when the hash is not known.
   */
  hash(index: number, which?: number): number;
}

/** Wraps rows that are objects already. */
export function seenOf<Row>(rows: readonly Row[]): SeenRows<Row> {
  const at = (index: number): Row => rows[index]!;
  return { count: rows.length, at, copy: at, release: () => {} };
}

/** Returns the view of a batch. A batch of objects gets a view whose hashes are not known. */
export function viewOf<Row>(batch: Batch<Row>): RowView<Row> {
  return batch.view ?? { ...seenOf(batch.rows), hash: () => Number.NaN };
}

export function countOf<Row>(batch: Batch<Row>): number {
  return batch.view?.count ?? batch.rows.length;
}

/** Returns the last row, valid as long as that of `RowView.at`; `undefined` in an empty batch. */
export function lastOf<Row>(batch: Batch<Row>): Row | undefined {
  const { view } = batch;
  if (view == null) return batch.rows.at(-1);
  return view.count === 0 ? undefined : view.at(view.count - 1);
}

/** Returns the same rows as objects, which may be kept. */
export function keptOf<Row>(batch: Batch<Row>): Batch<Row> {
  if (batch.view == null) return batch;
  const { view } = batch;
  const hashes = new Float64Array(view.count);
  for (let index = 0; index < view.count; index += 1) hashes[index] = view.hash(index);
  return { rows: batch.rows, rejected: batch.rejected, hashes };
}

/** An operation as served now, and as it was when it was last replayed (`null`: never replayed). */
export interface OperationVersion {
  readonly operation: Operation;
  readonly previous: Operation | null;
}

/** The rows to read once more after the streams have ended. */
export interface Recall {
  readonly references: ReadonlySet<string>;
  readonly entryIds: ReadonlySet<string>;
  readonly externalReferences: ReadonlySet<string>;
}

/**
 * A line read once more, with the recorded figures after the line before it (`null`: it is the
 * first known line).
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
   * When the wallet was read, by the source's own clock. Absent when the wallet was read as of the
   * beginning of the reading, or when that is not known.
   */
  readonly readAt?: Instant | null;
  /**
   * Lines that appeared after the last streamed line and before the wallet was surely read; usually
   * none.
   */
  readonly laterEntries: readonly LedgerEntry[];
  readonly rejected: readonly RejectedRow[];
}

/**
 * The notifications about one merchant's operations. Rows that could not be read are in the
 * snapshot's `rejected`.
 */
export interface Notifications {
  /**
   * Streams every notification that could be read, in any order, as often as it was delivered. May
   * be called again.
   */
  stream(): AsyncIterable<SeenRows<HashedNotification>>;
  /** Streams the notifications whose id is wanted, as they were delivered, with their content. */
  contents(isWanted: (id: string) => boolean): AsyncIterable<readonly NotificationContent[]>;
  /** Returns the newest version of each of these operations that the books have, in any order. */
  operations(references: ReadonlySet<string>): Promise<readonly Operation[]>;
}

/**
 * The lines as they are served now, by position in the ledger: 0 is the oldest line. May be used
 * only after the lines have been streamed.
 */
export interface ServedLines {
  /**
   * Returns where the line of this sequence, which was known before, stood when it was last served;
   * `null` when it was not served. When the line is at the position `expected`, this takes one
   * request at most.
   */
  positionOf(sequence: number, expected: number): Promise<number | null>;
  /**
   * Returns at most `count` lines from the position `from` on, oldest first; fewer when no more are
   * served. A row that cannot be read is `null`.
   */
  linesAt(from: number, count: number): Promise<readonly (LedgerEntry | null)[]>;
  /**
   * Must be called when positions may have moved: in a list that is served newest first, each new
   * line moves all others.
   */
  recount(): void;
  /** Digests of blocks of lines; absent when lines can only be compared by reading them. */
  readonly blocks?: ServedBlocks | undefined;
}

/**
 * Digests by block number (`LINE_BLOCK`): SHA-256, in hex, over the SHA-256 of each line of the
 * block.
 */
export type BlockDigests = ReadonlyMap<number, string>;

/**
 * A block holds 2 ** LINE_BLOCK sequences; the number of a line's block is sequence / 2 **
 * LINE_BLOCK, rounded down.
 */
export const LINE_BLOCK = 10;

/** Lines whose digests the source's server computes, so that unchanged lines need not be read. */
export interface ServedBlocks {
  /** Returns the digests of the blocks from sequence `first` to `last`, both included. */
  digests(first: number, last: number): Promise<BlockDigests>;
  /**
   * Returns the lines from `first` to `last`, and the readable line on either side of them,
   * ascending.
   */
  between(first: number, last: number): Promise<Batch<LedgerEntry>>;
}

/**
 * Thrown by a stream, at most once, when its rows prove not to be in the promised order. The caller
 * must start again: the second stream is in order.
 */
export class OutOfOrder extends Error {
  override readonly name = 'OutOfOrder';
}

/**
 * The first stretch of stored lines that does not fit the engine's own hash chain. It says nothing
 * about later lines.
 */
export interface TamperedLines {
  /** Lowest sequence of the lines that are now stored in the stretch; `null` when none are. */
  readonly first: number | null;
  /** Highest sequence of the lines that are now stored in the stretch; `null` when none are. */
  readonly last: number | null;
  /**
   * Number of lines from the first line to the end of the stretch, as stored or as in the chain,
   * whichever is more.
   */
  readonly until: number;
  /**
   * A table of the mirror with a row that is not as it was written; `first` and `last` are then
   * `null`. `null` or absent when lines were changed.
   */
  readonly table?: string | null;
}

export function tamperedTable(table: string): TamperedLines {
  return { first: null, last: null, until: 0, table };
}

/** The wallet's id has changed: the same merchant has a new ledger. */
export interface ReplacedWallet {
  /** The wallet before, as it was last read. */
  readonly before: Wallet;
  readonly now: Wallet;
  /** When the new wallet was first read. */
  readonly since: Instant;
}

/** An issued month whose figures would be different by what is known now. */
export interface ChangedMonth {
  /** `2026-10`. */
  readonly period: string;
  /** The revision in force. */
  readonly revision: number;
  /** How many figures differ. */
  readonly count: number;
  /**
   * The first of the figures that differ, by their names in revisions (`closingBalance`). A side is
   * `null` when it does not have the figure.
   */
  readonly figures: readonly {
    readonly figure: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
}

/**
 * A span of time, and how many operations are known that were created before it, in it, and in all.
 */
export interface OperationsAsked extends Bounds {
  readonly before: number;
  readonly count: number;
  readonly known: number;
}

/** The fields of a snapshot that only a comparison with earlier readings can fill. */
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
   * True when rows may change during the reading, and lines cannot be read a second time at will.
   * The lines are then read before the operations, and no operation may be settled, because a
   * recall could not bring its lines back.
   */
  readonly moving: boolean;
  /** The wallet's currency, when it is known before the lines are read; else `null`. */
  readonly currency: string | null;
  /**
   * The reading is complete up to this instant; `null` when the source cannot say, and the caller's
   * instant is then used.
   */
  readonly watermark: Instant | null;
  /** Why parts of the merchant's books are missing from this source. */
  readonly absent: readonly Note[];
  /** Rows that were refused before the streams began. */
  readonly rejected: readonly RejectedRow[];
  /** Instants of `wallet.adjusted` events, or null when the source has no events. */
  readonly adjustedAt: readonly Instant[] | null;
  /**
   * Operations that are served now in a way that the document excludes after what was served
   * before. Absent when the source remembers no earlier readings.
   */
  readonly departures?: readonly Departure[];
  /**
   * Known operations that are not served any more. Absent when the source remembers no earlier
   * readings.
   */
  readonly missing?: readonly MissingOperation[];
  /**
   * Lines that are served differently than before, by sequence. Absent when the source remembers no
   * earlier readings.
   */
  readonly alterations?: readonly Alteration[];
  /**
   * `null` or absent when the wallet is still the first one, or the source remembers no earlier
   * wallet.
   */
  readonly replaced?: ReplacedWallet | null;
  /**
   * For a mirror, stored lines that were changed afterwards, by the last comparison with its hash
   * chain; `null` or absent when there are none.
   */
  readonly tampered?: TamperedLines | null;
  /**
   * For a mirror, the issued months that would be stated differently now; absent when there are
   * none.
   */
  readonly changedMonths?: readonly ChangedMonth[];
  /**
   * `null` when the source has no notifications. They may be read only after the operations have
   * been streamed to their end.
   */
  readonly notifications: Notifications | null;
  /**
   * Hashes a text under a secret key of this process, the same for rows and notifications: a safe
   * integer ≥ 0.
   */
  hashOf(text: string): number;
  /** Expected number of lines, for a progress bar; null when unknown. */
  readonly expectedEntries: number | null;
  /**
   * Streams the lines in ascending sequence (equal sequences adjacent; a re-delivery may be
   * repeated or dropped). May be called again: each call starts at the first line. Throws
   * `OutOfOrder` when the source did not check the order beforehand and it proves wrong.
   */
  entries(): AsyncIterable<Batch<LedgerEntry>>;
  /**
   * Streams the operations in ascending createdAt, each once, in its newest version; in other ways
   * like `entries`.
   */
  operations(): AsyncIterable<Batch<OperationVersion>>;
  /**
   * `operations` has every operation created after this instant. Absent or `null`: that cannot be
   * said, so that a missing operation proves nothing.
   */
  readonly operationsAfter?: Instant | null;
  /**
   * Streams all operations created in a span of time, as they are served now. Absent when the
   * source cannot be asked for that.
   */
  readonly operationsOf?: (asked: OperationsAsked) => AsyncIterable<Batch<OperationVersion>>;
  /** Reads the end of the books. Must be called after the streams have been read to their end. */
  closing(): Promise<Closing>;
  recall(request: Recall): Promise<Recalled>;
  /** Absent when the source cannot be asked for lines by position. */
  readonly servedLines?: ServedLines;
  close(): Promise<void>;
}

/**
 * Returns the earliest creation from which operations must still be served. Older ones may be gone
 * with the oldest lines, or with the wallet before this one. −Infinity when nothing is gone.
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
