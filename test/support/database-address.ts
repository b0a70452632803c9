// Addresses of databases on one server, and a connection of its own to one of them.

import pg from 'pg';

/** Runs `work` on a connection of its own to the database at `server`. */
export async function onServer(
  server: string,
  work: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Returns the address of the database `name` on the same server. */
export function databaseAt(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
