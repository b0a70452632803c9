// The port of plug-in 2, sources: an outside place that holds merchants' books. A source decodes
// what is outside into the domain's words, or rejects the row by name; it never repairs and never
// judges.

import { type PlaceDown, sayPlaceDown } from '../../../core/domain/delivery/delivery.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import type { OpenOperation, Operation } from '../../../core/domain/operation.ts';
import type { DeliveryList } from '../../../core/domain/published/failed-delivery.ts';
import type { Note, Snapshot } from '../../../core/domain/snapshot.ts';

/**
 * Where an earlier reading stopped, so that a source may serve only what is new (it may always
 * serve more).
 */
export interface Since {
  readonly lastSequence: number;
  /**
   * The newest line known, where lines from a lower place on are wanted; absent: `lastSequence`.
   */
  readonly headSequence?: number;
  /** How many lines and operations have been stored: a hint for offset paging, never trusted. */
  readonly entryCount: number;
  readonly operationCount: number;
  /**
   * Newest createdAt among the stored operations, epoch milliseconds, UTC; −Infinity: all
   * operations are wanted.
   */
  readonly newestOperationCreatedAt: number;
  /** Newest updatedAt among the stored operations, epoch milliseconds, UTC. */
  readonly newestOperationUpdatedAt: number;
  /** How many of the stored operations are REVERSED; null: that is not known. */
  readonly reversedCount: number | null;
  /** Operations that were not final, or that contradicted their lines: to be asked for again. */
  readonly open: readonly OpenOperation[];
}

/**
 * `judged`, unless said otherwise: of operations what an audit needs. `described`: with their
 * texts, for who keeps or shows them.
 */
export type Detail = 'judged' | 'described';

/** The marks by which a reading asks for operations. */
export type Marks = Pick<Since, 'newestOperationCreatedAt' | 'newestOperationUpdatedAt'>;

export interface DigestedBooks {
  readonly digest: string;
  /**
   * Of the operations alone that a reading from the marks on does not ask for; null: there are
   * none.
   */
  readonly unasked: string | null;
  readonly at: Instant;
}

export interface Source {
  /** Shown in reports; holds no secret: `file:/books`, `http://127.0.0.1:4010/v1`. */
  readonly name: string;
  /**
   * To be called once the merchant is open. True where its books are a whole copy of one moment:
   * every reading serves everything and nothing moves, so that all rows older than the instant of
   * judgement are confirmed without grace. False where the books live on: a young row there may be
   * half of something that is still being posted.
   */
  isStateless(merchant: string): boolean;
  /** References of the merchants that this source can open, sorted. */
  merchants(): Promise<readonly string[]>;
  /** Throws `SourceFailed` when the merchant's books cannot be reached at all. */
  open(merchant: string, since: Since | null, detail?: Detail): Promise<Snapshot>;
  /**
   * As `open`, `described`, for a source that can read several merchants in one go when their calls
   * come at about the same time. It holds their rows in memory; null for a merchant with too many:
   * `open` it. Absent: the source cannot.
   */
  openTogether?(merchant: string, since: Since): Promise<Snapshot | null>;
  /**
   * SHA-256 of all rows that a merchant has, `at` an instant of the source's clock. Calls that come
   * at about the same time are one. Null: they are too many, or cannot be read. Absent: the source
   * cannot.
   */
  digestTogether?(merchant: string, marks: Marks): Promise<DigestedBooks | null>;
  /**
   * One operation as it is now, with its texts; null when the source says it does not exist. Throws
   * `SourceFailed` `UNREADABLE_OPERATION` when it exists but cannot be read exactly.
   */
  askOperation(merchant: string, reference: string): Promise<Operation | null>;
  /**
   * Notifications that the service lists as not delivered, as it lists them now. Throws
   * `SourceFailed`. Absent, or null: it has no such list.
   */
  askDeliveries?(merchant: string): Promise<DeliveryList | null>;
  close(): Promise<void>;
}

/**
 * The world failed: the source could not be reached, refused the credentials, or answered nonsense
 * throughout.
 */
export class SourceFailed extends Error {
  override readonly name = 'SourceFailed';
  /**
   * Stable, for logs and exit messages: `UNREACHABLE`, `INVALID_CREDENTIALS`, `TIMEOUT`,
   * `RATE_LIMITED`, …
   */
  readonly code: string;
  constructor(code: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** As `askOperation`; `unreadable`: it exists, but cannot be read exactly. */
export async function askReadable(source: Source, merchant: string, reference: string) {
  return source.askOperation(merchant, reference).catch((failure: unknown) => {
    if (failure instanceof SourceFailed && failure.code === 'UNREADABLE_OPERATION')
      return 'unreadable' as const;
    throw failure;
  });
}

/** Nothing at an address answers: the same sentence for each of its merchants. */
export class PlaceUnreachable extends SourceFailed {
  constructor(down: PlaceDown, setting: string, cause?: unknown) {
    super('UNREACHABLE', sayPlaceDown(down, setting), cause);
  }
}

// What a reading that goes on from an earlier one leaves out, and says so: rows that were read
// before are compared with what they were only where they are served again.

const NOT_READ_AGAIN: Note = { what: 'history', code: 'EARLIER_NOT_READ_AGAIN' };

/** `always` is absent from every reading of the source. */
export function absentSince(since: Since | null, always: readonly Note[]): readonly Note[] {
  return since === null
    ? always
    : always.map((one) => (one.what === NOT_READ_AGAIN.what ? NOT_READ_AGAIN : one));
}
