// What a select of the operator's gives, row by row as objects, in a read-only transaction and within a time.

import { failureOf } from './postgres-failure.ts';
import { openSessionPool } from './session.ts';

export interface Selection {
  readonly url: string;
  readonly select: string;
  /** Rows, less one. */
  readonly most: number;
  /** Milliseconds. */
  readonly deadline: number;
}

/** Throws `SourceFailed`. */
export async function readSelected({ url, select, most, deadline }: Selection): Promise<readonly unknown[]> {
  const pool = openSessionPool({ connectionString: url, connectTimeout: deadline });
  try {
    const session = await pool.open(null);
    try {
      await session.client.query(`set local statement_timeout = ${deadline}`);
      const { rows } = await session.client.query<{ row: unknown }>(
        `select to_json(listed) as row from (${select}\n) listed limit ${most + 1}`,
      );
      return rows.map(({ row }) => row);
    } catch (error) {
      throw failureOf(error, 'reading the list of merchants');
    } finally {
      session.destroy();
    }
  } finally {
    await pool.close();
  }
}
