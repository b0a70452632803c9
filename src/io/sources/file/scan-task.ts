// The request to the thread that reads large files, and its answer beside the rows.

import type { HashKey } from '../../../core/domain/rows/hash-bytes.ts';
import type { BookFile } from './book-file.ts';
import type { OperationIndex } from './operation-index.ts';

/** Read the file from its first line; the descriptor stays open until the thread is released. */
export interface ScanTask extends Pick<BookFile, 'name' | 'size' | 'cutOff'> {
  readonly part: 'ledger' | 'operations' | 'events';
  /** Of operations: with their texts. */
  readonly described: boolean;
  readonly descriptor: number;
  readonly key: HashKey;
  /** The only merchant whose events count; null: any. */
  readonly merchant: string | null;
}

export interface Scanned {
  /** Rows were out of order, or an operation came twice: the rows so far do not count. */
  readonly isDoubtful: boolean;
  /** The index of the operations, when the part is `operations`. */
  readonly index: OperationIndex | null;
}
