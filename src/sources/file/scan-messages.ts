// What the thread that reads and the thread that scans tell each other beside the rows.

import type { OperationIndex } from './operation-index.ts';

export type ScannedPart = 'ledger' | 'operations';

/** Scan the file from its first line; the descriptor stays open until the thread is put away. */
export interface ScanTask {
  readonly part: ScannedPart;
  readonly name: string;
  readonly descriptor: number;
  readonly size: number;
}

/** A line that is too long was stepped over. */
export interface Overlong {
  readonly beginning: Uint8Array;
}

export interface Scanned {
  /** Operations were out of order, or one came twice: what was scanned does not count. */
  readonly isDoubtful: boolean;
  /** The index of the operations, when the part is `operations`. */
  readonly index: OperationIndex | null;
}
