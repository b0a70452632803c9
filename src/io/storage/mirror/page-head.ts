// A merchant's head while one page of its books is being saved.

/** The merchant's head while its page is being saved. */
export interface PageHead {
  readonly merchantId: number;
  /** The number that this page takes; the merchant's pages count up from 1. */
  readonly intake: number;
  readonly lastSequence: number | null;
  readonly operationCount: number;
}
