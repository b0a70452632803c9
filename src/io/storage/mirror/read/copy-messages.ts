// What a reading asks of the thread that reads the mirror for it.

import type pg from 'pg';
import type { HashKey } from '../../../../core/rows/hash-bytes.ts';

export interface CopyTask {
  readonly part: 'entries' | 'operations';
  readonly address: pg.ClientConfig;
  /** Begins the transaction that the rows are read in. */
  readonly begin: string;
  /** Gives the columns of `ENTRY_TABLE` or `VERSION_TABLE`, in the order of the stream. */
  readonly query: string;
  readonly key: HashKey;
}
