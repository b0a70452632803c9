// What the thread that reads and the thread that scans tell each other.

import type { SharedSlab } from '../../packed/slab.ts';
import type { OperationIndex } from './operation-index.ts';
import type { PassedOperations } from './operation-pass.ts';

export type ScannedPart = 'ledger' | 'operations';

export type ScanOrder =
  /** Scan the file from the line at `start`; the descriptor stays open until the scan is stopped. */
  | {
      readonly kind: 'begin';
      readonly scan: number;
      readonly part: ScannedPart;
      readonly name: string;
      readonly descriptor: number;
      readonly size: number;
      readonly start: number;
      /** Of the operations before that line; null: there is none. */
      readonly passed: PassedOperations | null;
      readonly slabs: readonly SharedSlab[];
    }
  /** The slab has been read and may be filled again. */
  | { readonly kind: 'free'; readonly scan: number; readonly slab: number }
  | { readonly kind: 'stop'; readonly scan: number };

export type ScanAnswer =
  | { readonly kind: 'rows'; readonly scan: number; readonly slab: number; readonly rows: number }
  | { readonly kind: 'overlong'; readonly scan: number; readonly beginning: Uint8Array }
  /** Operations were out of order, or one came twice: what was scanned so far does not count. */
  | { readonly kind: 'doubt'; readonly scan: number }
  /** The index of the operations, when the part is `operations`. */
  | { readonly kind: 'end'; readonly scan: number; readonly index: OperationIndex | null }
  | { readonly kind: 'failed'; readonly scan: number; readonly code: string | null; readonly message: string };
