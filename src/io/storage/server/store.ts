// The open store, as everything that reads and writes in it is given it.

import type pg from 'pg';
import type { LastingConnections } from './lasting-connections.ts';

export interface Store {
  readonly pool: pg.Pool;
  /** For work that holds a connection for long. */
  readonly lasting: LastingConnections;
  /** How to connect to it from elsewhere, as plain data; may hold a password. */
  readonly address: pg.ClientConfig;
  /** For people: where the store is; holds no password. */
  readonly description: string;
  /** What its mirror is called as a source of books, in no language; holds no password. */
  readonly mirrorName: string;
  /** Milliseconds that questions to which some merchants come late wait for them (`together`); absent: for nobody. */
  readonly patience?: number;
  close(): Promise<void>;
}
