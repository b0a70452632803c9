// The request to the thread that reads large files, and the result that it returns after the rows.

import type { HashKey } from '../../../core/domain/rows/hash-bytes.ts';
import type { BookFile } from './book-file.ts';
import type { OperationIndex } from './operation-index.ts';

/**
 * Asks to read a file from its first line. The descriptor must stay open until the thread is
 * released.
 */
export interface ScanTask extends Pick<BookFile, 'name' | 'size' | 'cutOff'> {
  readonly part: 'ledger' | 'operations' | 'events';
  /** True: read operations with their texts. */
  readonly described: boolean;
  readonly descriptor: number;
  readonly key: HashKey;
  /** The only merchant whose events are accepted; `null`: any merchant. */
  readonly merchant: string | null;
}

export interface Scanned {
  /**
   * True when rows were out of order, or an operation came twice: the rows delivered so far must be
   * dropped.
   */
  readonly isDoubtful: boolean;
  /** The index of the operations when the part is `operations`, else `null`. */
  readonly index: OperationIndex | null;
}
