// The replay's checkpoint: the state after a known line, so that the next run reads only what is new. Refuses to give a
// checkpoint back once a line has arrived at or below the head it was taken at.

import type pg from 'pg';

export interface Checkpoint {
  /** The state includes every line up to this sequence … */
  readonly lastSequence: number;
  /** … and every page up to this one. */
  readonly lastIntake: number;
  /** JSON, opaque to the store. */
  readonly state: string;
  /** What computed the state; another engine's state is for the caller to refuse. */
  readonly engine: string;
}

/** Null when there is none, or when late lines have made it void: the replay must start at the first line. */
export async function loadCheckpoint(
  client: Pick<pg.ClientBase, 'query'>,
  merchant: string,
): Promise<Checkpoint | null> {
  const answer = await client.query<Checkpoint>({
    name: 'checkpoint',
    text: `select c.last_sequence as "lastSequence", c.last_intake as "lastIntake", c.state, c.engine
    from merchants m
    join checkpoints c on c.merchant_id = m.merchant_id
    join merchant_heads h on h.merchant_id = c.merchant_id
    where m.reference = $1 and h.late_intake <= c.last_intake`,
    values: [merchant],
  });
  return answer.rows[0] ?? null;
}
