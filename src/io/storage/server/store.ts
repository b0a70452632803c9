// The open store, and the named error of its failures: our own database could not be started,
// reached or used, or refused a request. Never the fault of a ledger.

import type pg from 'pg';

export interface Store {
  readonly pool: pg.Pool;
  /** For work that holds a connection for long. */
  readonly lasting: LastingConnections;
  /** How to connect to it from elsewhere, as plain data; may hold a password. */
  readonly address: pg.ClientConfig;
  /** For people: where the store is; holds no password. */
  readonly description: string;
  /** Name of its mirror as a source of books, in no language; holds no password. */
  readonly mirrorName: string;
  /** Milliseconds for which joined queries wait for late merchants (`together`); absent: none. */
  readonly patience?: number;
  /**
   * SQL by which a connection of another thread states whose rows it may see; absent: all that its
   * login may.
   */
  readonly statement?: string;
  close(): Promise<void>;
}

export interface LastingConnections {
  /** One for the caller alone; never waits for another to be given back. */
  borrow(): Promise<pg.Client>;
  /** Rolls an open transaction back; the caller undoes settings and locks of the session. */
  giveBack(client: pg.Client): void;
  /** Ends the idle ones, and from now on those that are given back. */
  close(): Promise<void>;
}

/** Stable, for logs and exit messages. */
type StoreFailure =
  | 'UNSUPPORTED_PLATFORM'
  | 'EMBEDDED_SERVER'
  | 'UNREACHABLE'
  | 'SERVER_TOO_OLD'
  | 'POOLED'
  | 'MIGRATION'
  | 'ROLES_REFUSED'
  | 'UNKNOWN_FINDING'
  | 'AMBIGUOUS_FINGERPRINT'
  | 'DECISION_REFUSED'
  | 'UNKNOWN_RUN'
  | 'UNKNOWN_MERCHANT'
  | 'MERCHANT_BUSY'
  | 'UNKNOWN_REPORT'
  | 'REPORT_TAKEN_OVER'
  | 'FILE_ALTERED'
  | 'NOT_CLOSABLE'
  | 'MONTH_REFUSED'
  | 'UNKNOWN_DELIVERY'
  | 'AMBIGUOUS_DELIVERY'
  | 'DELIVERY_REFUSED'
  | 'LOG_REFUSED'
  | 'OPERATOR_REFUSED'
  | 'UNKNOWN_PROPOSAL'
  | 'PROPOSAL_REFUSED'
  | 'SEARCH_CUT';

/** The message is one sentence that says what to do. */
export class StoreFailed extends Error {
  override readonly name = 'StoreFailed';
  readonly code: StoreFailure;
  constructor(code: StoreFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
