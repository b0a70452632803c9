// Connections that are used for long: by readings, and by locks. They are not of the pool, so that one that is in use can
// never starve it, and are kept a while for the next who needs one: a new one costs the server a new process. Refuses to
// lend a connection that was lost. Its SQL is text: it ends transactions.

import pg from 'pg';

export interface LastingConnections {
  /** One that nobody else has; never waits for another to be given back. */
  borrow(): Promise<pg.Client>;
  /** Whatever transaction is open is rolled back; what was set or locked for the session stays the caller's to undo. */
  giveBack(client: pg.Client): void;
  /** Ends those that nobody has, and from now on those that are given back. */
  close(): Promise<void>;
}

/** How long an idle connection is kept. */
const IDLE = 10_000;

export function openLastingConnections(config: pg.ClientConfig): LastingConnections {
  const idle = new Map<pg.Client, NodeJS.Timeout>();
  const lost = new WeakSet<pg.Client>();
  let isClosed = false;

  const end = async (client: pg.Client): Promise<void> => {
    clearTimeout(idle.get(client));
    idle.delete(client);
    await client.end().catch(() => {});
  };
  const lose = (client: pg.Client): void => {
    lost.add(client);
    if (idle.has(client)) void end(client);
  };
  const keep = (client: pg.Client): void => {
    if (isClosed || lost.has(client)) {
      void end(client);
      return;
    }
    const timer = setTimeout(() => end(client), IDLE);
    timer.unref();
    idle.set(client, timer);
  };
  return {
    async borrow() {
      const kept = [...idle.keys()].at(-1);
      if (kept !== undefined) {
        clearTimeout(idle.get(kept));
        idle.delete(kept);
        return kept;
      }
      const client = new pg.Client(config);
      // A lost connection is reported by whatever is asked of it; without a listener it would end the process.
      client.on('error', () => lose(client));
      client.on('end', () => lose(client));
      await client.connect();
      return client;
    },
    giveBack(client) {
      // 'I': no transaction is open. A stream that was left has broken its connection, which the rollback finds out.
      if (client.getTransactionStatus() === 'I') keep(client);
      else
        client.query('rollback').then(
          () => keep(client),
          () => end(client),
        );
    },
    async close() {
      isClosed = true;
      await Promise.all([...idle.keys()].map(end));
    },
  };
}
