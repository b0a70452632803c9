// Changes rows as the owner of the database may who switches triggers off, on a cluster on its
// nodes too.

import type pg from 'pg';

/** Runs all of `change` in one transaction, on a connection of its own. */
export async function withoutTriggers<T>(
  pool: pg.Pool,
  change: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let isDone = false;
  try {
    await client.query('begin');
    // A server without Citus does not know this setting, and keeps it as a setting of ours.
    await client.query(`set local citus.propagate_set_commands = 'local'`);
    await client.query('set local session_replication_role = replica');
    const changed = await change(client);
    await client.query('commit');
    isDone = true;
    return changed;
  } finally {
    client.release(!isDone);
  }
}
