// The store failed: our own database could not be started, reached or used. Refuses to stand for a fault of a ledger.

/** `code` is stable, for logs and exit messages; the message is one sentence that says what to do about it. */
export type StoreFailure =
  | 'UNSUPPORTED_PLATFORM'
  | 'EMBEDDED_SERVER'
  | 'UNREACHABLE'
  | 'SERVER_TOO_OLD'
  | 'MIGRATION'
  | 'UNKNOWN_FINDING'
  | 'AMBIGUOUS_FINGERPRINT'
  | 'DECISION_REFUSED'
  | 'UNKNOWN_RUN'
  | 'UNKNOWN_MERCHANT'
  | 'UNKNOWN_REPORT'
  | 'REPORT_TAKEN_OVER'
  | 'FILE_ALTERED'
  | 'NOT_CLOSABLE'
  | 'UNKNOWN_DELIVERY'
  | 'AMBIGUOUS_DELIVERY'
  | 'DELIVERY_REFUSED';

export class StoreFailed extends Error {
  override readonly name = 'StoreFailed';
  readonly code: StoreFailure;
  constructor(code: StoreFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
