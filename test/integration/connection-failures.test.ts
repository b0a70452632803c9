// A database that takes no connection for a moment is no outcome: the failures that PostgreSQL and
// the network really give for it are told from those that stay.

import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, test } from 'vitest';
import { isConnectionFailure } from '../../src/io/storage/server/store.ts';
import { withTestStore } from '../support/database-store.ts';
import { freePort } from '../support/free-port.ts';
import { notOnCitus } from '../support/not-on-citus.ts';

async function failureOf(config: pg.ClientConfig, sql = 'select 1'): Promise<unknown> {
  const client = new pg.Client(config);
  try {
    await client.connect();
    await client.query(sql);
  } catch (failure) {
    return failure;
  } finally {
    await client.end().catch(() => {});
  }
  throw new Error('the connection did not fail');
}

test('too many clients, a session that was ended and a server that is away may pass', () =>
  withTestStore(async ({ pool }) => {
    notOnCitus('limits the connections of a role of its own');
    const { connectionString } = pool.options;
    const role = `few_${randomUUID().slice(0, 8)}`;
    await pool.query(`create role ${role} login password 'x' connection limit 0`);
    try {
      const address = new URL(connectionString!);
      Object.assign(address, { username: role, password: 'x' });
      const refused = await failureOf({ connectionString: address.href });
      expect([(refused as pg.DatabaseError).code, isConnectionFailure(refused)]).toEqual([
        '53300',
        true,
      ]);
    } finally {
      await pool.query(`drop role ${role}`);
    }
    const ended = await failureOf(
      { connectionString },
      'select pg_terminate_backend(pg_backend_pid())',
    );
    expect(isConnectionFailure(ended)).toBe(true);
    expect(
      isConnectionFailure(await failureOf({ host: '127.0.0.1', port: await freePort() })),
    ).toBe(true);
    expect(
      isConnectionFailure(await failureOf({ connectionString }, 'select no_such_column')),
    ).toBe(false);
  }));
