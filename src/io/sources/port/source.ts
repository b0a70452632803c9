// The port of plug-in 2, sources: an outside system that holds merchants' books. A source decodes
// outside rows into the domain's words, or refuses the row by name; it never repairs and never
// judges.

import { type PlaceDown, sayPlaceDown } from '../../../core/domain/delivery/delivery.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import type { OpenOperation, Operation } from '../../../core/domain/operation.ts';
import type { DeliveryList } from '../../../core/domain/published/failed-delivery.ts';
import type { Note, Snapshot } from '../../../core/domain/snapshot.ts';

/**
 * Where an earlier reading stopped, so that a source may serve only what is new. A source may
 * always serve more.
 */
export interface Since {
  readonly lastSequence: number;
  /**
   * Sequence of the newest known line, when lines from a lower sequence on are wanted; absent: it
   * is `lastSequence`.
   */
  readonly headSequence?: number;
  /** How many lines have been stored: a hint for offset paging, never trusted. */
  readonly entryCount: number;
  /** How many operations have been stored: a hint for offset paging, never trusted. */
  readonly operationCount: number;
  /**
   * Newest createdAt among the stored operations, epoch milliseconds, UTC; −Infinity asks for all
   * operations.
   */
  readonly newestOperationCreatedAt: number;
  /** Newest updatedAt among the stored operations, epoch milliseconds, UTC. */
  readonly newestOperationUpdatedAt: number;
  /** How many of the stored operations are REVERSED; `null` when that is not known. */
  readonly reversedCount: number | null;
  /** Operations to fetch again, because they were not final, or contradicted their lines. */
  readonly open: readonly OpenOperation[];
}

/**
 * How much of an operation is read. `judged`, the default: what an audit needs. `described`: with
 * its texts, for code that stores or shows operations.
 */
export type Detail = 'judged' | 'described';

/** The instants by which a later reading selects operations. */
export type Marks = Pick<Since, 'newestOperationCreatedAt' | 'newestOperationUpdatedAt'>;

export interface DigestedBooks {
  readonly digest: string;
  /**
   * Digest of the operations that a reading from the marks on would not select; `null` when there
   * are none.
   */
  readonly unasked: string | null;
  readonly at: Instant;
}

export interface Source {
  /**
   * Name of the source in reports; it holds no secret: `file:/books`, `http://127.0.0.1:4010/v1`.
   */
  readonly name: string;
  /**
   * True when the merchant's books are a whole copy of one moment. Every reading then serves all
   * rows and nothing moves, so that rows older than the instant of judgement are confirmed without
   * a grace period. False when the books are live: a new row may then be half of something that is
   * still being posted. Must be called only once the merchant is open.
   */
  isStateless(merchant: string): boolean;
  /** Returns the references of the merchants that this source can open, sorted. */
  merchants(): Promise<readonly string[]>;
  /** Opens the books of a merchant. Throws `SourceFailed` when they cannot be reached at all. */
  open(merchant: string, since: Since | null, detail?: Detail): Promise<Snapshot>;
  /**
   * Opens the books as `open` does, in `described` detail, and joins calls for several merchants at
   * about the same time into one reading. Their rows are held in memory; `null` for a merchant with
   * too many rows, which the caller must `open`. Absent when the source cannot join calls.
   */
  openTogether?(merchant: string, since: Since): Promise<Snapshot | null>;
  /**
   * Returns SHA-256 over all rows of a merchant; `at` is an instant of the source's clock. Calls at
   * about the same time are joined. `null` when the rows are too many, or cannot be read. Absent
   * when the source cannot compute digests.
   */
  digestTogether?(merchant: string, marks: Marks): Promise<DigestedBooks | null>;
  /**
   * Returns one operation as it is now, with its texts; `null` when the source says that it does
   * not exist. Throws `SourceFailed` `UNREADABLE_OPERATION` when it exists but cannot be read
   * exactly.
   */
  askOperation(merchant: string, reference: string): Promise<Operation | null>;
  /**
   * Returns the notifications that the service lists as not delivered now. Throws `SourceFailed`.
   * Absent, or `null`, when the source has no such list.
   */
  askDeliveries?(merchant: string): Promise<DeliveryList | null>;
  close(): Promise<void>;
}

/**
 * The source failed as a whole: it could not be reached, refused the credentials, or its answers
 * could not be understood.
 */
export class SourceFailed extends Error {
  override readonly name = 'SourceFailed';
  /**
   * Stable code for logs and exit messages: `UNREACHABLE`, `INVALID_CREDENTIALS`, `TIMEOUT`,
   * `RATE_LIMITED`, …
   */
  readonly code: string;
  constructor(code: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/**
 * Requests one operation as `askOperation` does, but returns `unreadable` when it exists and cannot
 * be read exactly.
 */
export async function askReadable(source: Source, merchant: string, reference: string) {
  return source.askOperation(merchant, reference).catch((failure: unknown) => {
    if (failure instanceof SourceFailed && failure.code === 'UNREADABLE_OPERATION')
      return 'unreadable' as const;
    throw failure;
  });
}

/** No server answers at an address. The message is the same for each merchant of the address. */
export class PlaceUnreachable extends SourceFailed {
  constructor(down: PlaceDown, setting: string, cause?: unknown) {
    super('UNREACHABLE', sayPlaceDown(down, setting), cause);
  }
}

// What a reading that continues an earlier one must report as left out: rows read before are
// compared with their earlier content only when they are served again.

const NOT_READ_AGAIN: Note = { what: 'history', code: 'EARLIER_NOT_READ_AGAIN' };

/** Returns the notes of a reading. `always` are those of every reading of the source. */
export function absentSince(since: Since | null, always: readonly Note[]): readonly Note[] {
  return since === null
    ? always
    : always.map((one) => (one.what === NOT_READ_AGAIN.what ? NOT_READ_AGAIN : one));
}
