// Gives the roles of owner, worker and server the least rights, as often as it is called: all of
// them or none. Its SQL is text, in sql/roles.sql and about the catalogue, which Kysely's types do
// not know.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inTransaction } from './connections.ts';
import { commandsIn } from './migrate.ts';
import { type Store, StoreFailed } from './store.ts';

const FILE = join(import.meta.dirname, '../../../../sql/roles.sql');

export interface RoleRights {
  readonly role: string;
  readonly owns: readonly string[];
  readonly reads: readonly string[];
  readonly adds: readonly string[];
  /** Tables with a column that it may change. */
  readonly changes: readonly string[];
  /** Tables of which it may remove rows. */
  readonly removes: readonly string[];
}

/**
 * Runs sql/roles.sql in one transaction and returns the rights of the roles. The queue's tables
 * must exist. Throws `StoreFailed` (ROLES_REFUSED) and leaves everything as it was.
 */
export async function grantRoles(store: Store): Promise<readonly RoleRights[]> {
  const commands = commandsIn(await readFile(FILE, 'utf8'));
  try {
    await inTransaction(store, async (client) => {
      for (const command of commands) await client.query(command);
    });
  } catch (cause) {
    // The code is that of insufficient_privilege.
    if ((cause as { readonly code?: unknown }).code !== '42501') throw cause;
    throw new StoreFailed(
      'ROLES_REFUSED',
      `The roles could not be made: ${(cause as Error).message}. Run this as the owner of the database with the right to make roles (createrole), or let an administrator run first: create role pointage_owner; create role pointage_worker; create role pointage_server; grant pointage_owner to the owner of the database.`,
      cause,
    );
  }
  return loadRights(store);
}

export interface RolesSeen {
  readonly areMade: boolean;
  /** True when this login may do all that the owner of the tables may. */
  readonly isOwner: boolean;
  /** Rights that a role has and must not have, for example `pointage_server adds to entries`. */
  readonly excess: readonly string[];
}

/** Tables that the server may only read, and the worker may only add to. */
const OF_NIGHTS = [
  'entries',
  'entry_blocks',
  'operation_versions',
  'wallet_readings',
  'log_leaves',
];

/** Examines the rights of the roles. The store's tables must exist. */
export async function examineRoles(store: Store): Promise<RolesSeen> {
  const { rows } = await store.pool.query<{
    readonly isOwner: boolean;
    readonly members: readonly string[];
  }>(`
    select pg_has_role(c.relowner, 'usage') as "isOwner",
      array(
        select r.rolname::text
        from pg_roles r
        where r.rolname in ('pointage_worker', 'pointage_server') and pg_has_role(r.oid, c.relowner, 'member')
      ) as members
    from pg_class c
    where c.oid = 'public.entries'::regclass
  `);
  const { isOwner, members } = rows[0]!;
  const rights = await loadRights(store);
  const excess = rights.flatMap(({ role, adds, changes, removes }) => {
    if (role === 'pointage_owner') return [];
    const isServer = role === 'pointage_server';
    const added = adds.filter((table) => isServer && OF_NIGHTS.includes(table));
    const changed = changes.filter((table) => [...OF_NIGHTS, 'closed_months'].includes(table));
    return [
      ...(members.includes(role) ? [`${role} is the owner`] : []),
      ...added.map((table) => `${role} adds to ${table}`),
      ...changed.map((table) => `${role} changes ${table}`),
      ...removes.map((table) => `${role} removes from ${table}`),
    ];
  });
  return { areMade: rights.length > 1, isOwner, excess };
}

async function loadRights({ pool }: Store): Promise<readonly RoleRights[]> {
  const tables = (condition: string) =>
    `coalesce(array_agg(c.relname::text order by c.relname) filter (where ${condition}), '{}')`;
  const { rows } = await pool.query<RoleRights>(`
    select r.rolname as role,
      ${tables('c.relowner = r.oid')} as owns,
      ${tables("has_table_privilege(r.oid, c.oid, 'select')")} as reads,
      ${tables("has_table_privilege(r.oid, c.oid, 'insert')")} as adds,
      ${tables("has_any_column_privilege(r.oid, c.oid, 'update')")} as changes,
      ${tables("has_table_privilege(r.oid, c.oid, 'delete, truncate')")} as removes
    from pg_roles r
    cross join pg_class c
    where r.rolname in ('pointage_owner', 'pointage_worker', 'pointage_server')
      and c.relnamespace = 'public'::regnamespace
      and c.relkind = 'r'
      and pg_get_userbyid(c.relowner) = 'pointage_owner'
    group by r.rolname
    order by r.rolname
  `);
  return rows;
}
