// The operator's own database as a source: its tables or views, mapped by the settings, read in read-only transactions.

import type { Operation } from '../../../core/domain/operation.ts';
import { type Source, SourceFailed } from '../port/source.ts';
import { recallOperationsTail } from './book-queries.ts';
import { type BooksTables, describeBooks } from './books-tables.ts';
import { openTogether } from './open-together.ts';
import { failureOf } from './postgres-failure.ts';
import { checkPostgresSettings, invalidSettings, type PostgresSettings } from './postgres-settings.ts';
import { openPostgresSnapshot, type PostgresOpening } from './postgres-snapshot.ts';
import { nameOf, openSessionPool, type Session, withSession } from './session.ts';
import { streamTable } from './stream-rows.ts';

/** Throws `SourceFailed` INVALID_SETTINGS; connects when a merchant is opened or merchants are listed. */
export function openPostgresSource(settings: PostgresSettings): Source {
  checkPostgresSettings(settings);
  const name = nameIn(settings);
  const pool = openSessionPool(settings);
  let described: Promise<BooksTables> | null = null;
  const open = new Set<() => Promise<void>>();
  const tablesFor = (session: Session): Promise<BooksTables> => {
    described ??= describeBooks(session.client, settings).catch((error: unknown) => {
      described = null;
      throw error;
    });
    return described;
  };
  const openAlone = (asked: Omit<PostgresOpening, 'pool' | 'tablesFor'>) =>
    openPostgresSnapshot({ ...asked, pool, tablesFor });
  const together = { pool, tablesFor, openAlone };
  return {
    name,
    isStateless: () => false,
    merchants: () => withSession(pool, async (session) => listMerchants(session, await tablesFor(session))),
    async open(merchant, since, detail = 'judged') {
      const snapshot = await openAlone({ merchant, since, detail });
      const close = async (): Promise<void> => {
        open.delete(close);
        await snapshot.close();
      };
      open.add(close);
      return { ...snapshot, close };
    },
    openTogether: (merchant, since) => openTogether(together, { merchant, since }),
    askOperation: (merchant, reference) =>
      withSession(pool, async (session) =>
        findOperation(session, { tables: await tablesFor(session), merchant, reference }),
      ),
    async close() {
      await Promise.all([...open].map((close) => close()));
      await pool.close();
    },
  };
}

/** References without repetition, sorted by code point, from the table that has fewest rows. */
async function listMerchants(session: Session, tables: BooksTables): Promise<readonly string[]> {
  const { table } = tables.merchants ?? tables.wallets ?? tables.entries;
  const merchant = `${table.merchant}::text`;
  try {
    const answer = await session.client.query<{ merchant: string }>(
      `select distinct ${merchant} as merchant from ${table.from} where ${table.merchant} is not null`,
    );
    return answer.rows.map((row) => row.merchant).sort();
  } catch (error) {
    throw failureOf(error, 'listing the merchants');
  }
}

async function findOperation(
  session: Session,
  asked: { readonly tables: BooksTables; readonly merchant: string; readonly reference: string },
): Promise<Operation | null> {
  const { table, decode } = asked.tables.operations.described;
  const tail = recallOperationsTail(table, {
    merchant: asked.merchant,
    references: [asked.reference],
    externalReferences: [],
  });
  let newest: Operation | null = null;
  for await (const { rows, rejected } of streamTable({ session, table, decode, tail })) {
    if (rejected[0] !== undefined) {
      throw new SourceFailed('UNREADABLE_OPERATION', `${rejected[0].place} cannot be read (${rejected[0].reason}).`);
    }
    for (const operation of rows) {
      if (newest === null || operation.updatedAt >= newest.updatedAt) newest = operation;
    }
  }
  return newest;
}

function nameIn({ connectionString }: PostgresSettings): string {
  try {
    return nameOf(connectionString);
  } catch {
    throw invalidSettings('connectionString is no postgres:// address');
  }
}
