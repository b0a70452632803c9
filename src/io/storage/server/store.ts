// The open store, and the error of its failures: our own database could not be started, reached or
// used, or refused a request. A failure of the store never means that a ledger is wrong.

import type pg from 'pg';

export interface Store {
  readonly pool: pg.Pool;
  /** Connections for work that takes long. */
  readonly lasting: LastingConnections;
  /** How to connect to the store from another thread, as plain data; it may hold a password. */
  readonly address: pg.ClientConfig;
  /** Tells people where the store is; holds no password. */
  readonly description: string;
  /**
   * The name of the store's mirror as a source of books, the same in every language; holds no
   * password.
   */
  readonly mirrorName: string;
  /**
   * Milliseconds for which joined queries wait for late merchants (`together`); absent when they do
   * not wait.
   */
  readonly patience?: number;
  /**
   * SQL that a connection of another thread must run to restrict the rows it sees, as
   * `merchant-store.ts` does; absent when it sees all rows that its login may see.
   */
  readonly statement?: string;
  close(): Promise<void>;
}

export interface LastingConnections {
  /** Lends a connection to this caller alone. It never waits until another is given back. */
  borrow(): Promise<pg.Client>;
  /**
   * Takes a connection back, and rolls an open transaction back. The caller must have undone
   * settings and locks of the session.
   */
  giveBack(client: pg.Client): void;
  /** Ends idle connections, and from now on ends each that is given back. */
  close(): Promise<void>;
}

/** The codes of failures. They are stable, because logs and exit messages show them. */
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

/** Thrown when the store fails. The message is one sentence that says what to do. */
export class StoreFailed extends Error {
  override readonly name = 'StoreFailed';
  readonly code: StoreFailure;
  constructor(code: StoreFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/**
 * Returns true when the database refused or lost the connection: it has too many clients, restarts,
 * or is out of reach. The same work may succeed a moment later, so it is tried again and is no
 * outcome of its own.
 */
export function isConnectionFailure(failure: unknown): boolean {
  const { code = '', message = '' } = failure as {
    readonly code?: string;
    readonly message?: string;
  };
  // SQLSTATE classes 08 and 53, and the states by which a server ends its sessions.
  if (/^(?:08\w{3}|53\w{3}|57P0[1-3])$/.test(code)) return true;
  if (/^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT)$/.test(code)) return true;
  return /^(?:Connection terminated|timeout exceeded when trying to connect)/.test(message);
}
