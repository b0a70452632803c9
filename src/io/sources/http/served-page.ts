// One list of the direct API as those see it who walk over it: pages of rows, each row with what proves its place. How a
// page is fetched is not said here.

import type { Instant } from '../../../core/domain/instant.ts';
import type { BookPart, RejectedRow } from '../../../core/domain/snapshot.ts';
import type { Decoded } from '../../../core/rows/decode-object.ts';

/** One item of a page. Exactly one of `row` and `refused` is set. */
export interface ServedRow<Row> {
  /** Equal for two deliveries of one row. */
  readonly key: string;
  /** What the list is sorted by; null when the row was refused. */
  readonly rank: number | null;
  /** When the row was created; null when it was refused. */
  readonly at: Instant | null;
  readonly row: Row | null;
  readonly refused: RejectedRow | null;
}

export interface ServedPage<Row> {
  /** Offset of the first row. */
  readonly from: number;
  /** As served. */
  readonly rows: readonly ServedRow<Row>[];
  /** The service's clock when it answered. */
  readonly date: Instant | null;
}

export interface ListKind<Row> {
  readonly part: BookPart;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly decode: (value: unknown) => Decoded<Row>;
  readonly keyOf: (row: Row) => string;
  readonly rankOf: (row: Row) => number;
  readonly createdAt: (row: Row) => Instant;
  /** `sequence 17`, for messages and places. */
  readonly nameRank: (rank: number) => string;
}

export interface PagedList<Row> {
  readonly kind: ListKind<Row>;
  readonly merchant: string;
  /** `GET /ledger`. */
  readonly request: string;
  /**
   * Asks for one page. `fromOffset` gives its offset for the page size in force, which shrinks when a page is too large
   * for the cap. `limit`, where given, asks for fewer rows.
   */
  fetch(fromOffset: (pageSize: number) => number, limit?: number): Promise<ServedPage<Row>>;
  /** How many rows the service gives at most; from then on no more are asked for. */
  shrinkTo(pageSize: number): void;
  pageSize(): number;
}
