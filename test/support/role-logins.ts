// Logins that are members of the roles of sql/roles.sql, as an operator makes them, on a database
// of a test.

import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { pointage } from './command.ts';

export interface RoleLogins {
  /** Returns the address of the database for a member of the role. */
  readonly as: (role: 'worker' | 'server') => string;
  /** What the command said that gave the rights. */
  readonly said: string;
  /** Drops the logins. Must be called after the database was dropped. */
  drop(): Promise<void>;
}

/** Gives the roles their rights by the command, as the owner of the database. */
export async function makeRoleLogins(databaseUrl: string): Promise<RoleLogins> {
  const { status, out, err } = await pointage([
    'migrate',
    '--roles',
    '--database-url',
    databaseUrl,
  ]);
  if (status !== 0) throw new Error(err);
  const suffix = randomBytes(4).toString('hex');
  const names = { worker: `worker_${suffix}`, server: `server_${suffix}` };
  const all = Object.entries(names);
  await asOwner(
    databaseUrl,
    all.map(([role, name]) => `create role ${name} login in role pointage_${role}`).join(';'),
  );
  const as = (role: keyof typeof names) => {
    const url = new URL(databaseUrl);
    url.username = names[role];
    return url.href;
  };
  const server = new URL(databaseUrl);
  server.pathname = '/postgres';
  const drop = () => asOwner(server.href, all.map(([, name]) => `drop role ${name}`).join(';'));
  return { as, said: out, drop };
}

async function asOwner(address: string, commands: string): Promise<void> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  await client.query(commands).finally(() => client.end());
}
