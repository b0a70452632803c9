// An operator's database of its own for a test: tables in the usual form, filled with rows in the
// documents' form. Column types may be changed, so that columns hold what they ought not to.

import pg from 'pg';
import { columnOf } from '../../src/core/domain/rows/field.ts';
import {
  PART_FIELDS,
  type PartField,
  POSTGRES_DEFAULTS,
  type PostgresSettings,
  type TablePart,
} from '../../src/io/sources/postgres/postgres-settings.ts';
import type { RawBooks } from '../contract/source-contract.ts';
import type { Raw } from '../contract/source-rows.ts';
import { withEmptyDatabase } from './database-store.ts';

export interface PostgresBooks {
  readonly settings: PostgresSettings;
  readonly client: pg.Client;
  close(): Promise<void>;
}

/** Types by `table.column`, where the usual one is not wanted. */
export type ColumnTypes = Readonly<Record<string, string>>;

const TABLES: Readonly<Record<string, TablePart>> = {
  merchants: 'merchants',
  wallets: 'wallets',
  ledger_entries: 'entries',
  operations: 'operations',
};

const TYPE_OF: Readonly<Record<PartField['form'], string>> = {
  id: 'text',
  text: 'text',
  word: 'text',
  'one-of': 'text',
  texts: 'text[]',
  integer: 'bigint',
  instant: 'timestamptz',
  remark: 'text',
  flag: 'boolean',
};

/**
 * Types that an operator's own tables may have instead: of a fixed length, narrower and wider
 * numbers.
 */
const UNLIKE: ColumnTypes = {
  'merchants.cashin_fee_bps': 'integer',
  'merchants.cashout_fee_bps': 'integer',
  'wallets.wallet_id': 'uuid',
  'wallets.merchant_id': 'uuid',
  'wallets.currency': 'char(3)',
  'wallets.total_fees': 'numeric(20, 0)',
  'ledger_entries.direction': 'varchar(20)',
  'ledger_entries.kind': 'varchar(40)',
  'ledger_entries.currency': 'char(3)',
  'operations.fees': 'integer',
};

const OWNER = 'merchant_reference';

export async function openPostgresBooks(
  types: ColumnTypes = {},
  encoding = 'UTF8',
): Promise<PostgresBooks> {
  const { url, drop } = await openEmptyDatabase(encoding);
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  for (const table of Object.keys(TABLES)) await createBookTable(client, table, types);
  return {
    settings: { connectionString: url, ...POSTGRES_DEFAULTS },
    client,
    close: async () => {
      await client.end();
      await drop();
    },
  };
}

export async function createBookTable(
  client: pg.Client,
  table: string,
  types: ColumnTypes = {},
): Promise<void> {
  const part = TABLES[table]!;
  const columns = PART_FIELDS[part].map(({ name, form }) => {
    const key = `${table}.${columnOf(name)}`;
    return `${columnOf(name)} ${types[key] ?? UNLIKE[key] ?? TYPE_OF[form]}`;
  });
  const owner = part === 'merchants' ? [] : [`${OWNER} text`];
  await client.query(`create table ${table} (${[...owner, ...columns].join(', ')})`);
}

export async function insertBooks(client: pg.Client, books: RawBooks): Promise<void> {
  const merchant = String(books.merchant.reference);
  await insertRows(client, 'merchants', [books.merchant]);
  const owned = (rows: readonly Raw[]): readonly Raw[] =>
    rows.map((row) => ({ ...row, merchantReference: merchant }));
  await insertRows(client, 'wallets', owned(books.wallet === null ? [] : [books.wallet]));
  await insertRows(client, 'ledger_entries', owned(books.entries));
  await insertRows(client, 'operations', owned(books.operations));
}

/** Inserts rows in the documents' form. Fields for which the table has no column are left out. */
export async function insertRows(
  client: pg.Client,
  table: string,
  rows: readonly Raw[],
): Promise<void> {
  const part = TABLES[table]!;
  const paths = [
    ...(part === 'merchants' ? [] : [['merchantReference']]),
    ...PART_FIELDS[part].map(({ path }) => path),
  ];
  const columns = [
    ...(part === 'merchants' ? [] : [OWNER]),
    ...PART_FIELDS[part].map(({ name }) => columnOf(name)),
  ];
  const places = columns.map((_, index) => `$${index + 1}`).join(', ');
  for (const row of rows) {
    await client.query(
      `insert into ${table} (${columns.join(', ')}) values (${places})`,
      paths.map((path) => valueAt(row, path)),
    );
  }
}

function valueAt(row: Raw, path: readonly string[]): unknown {
  return (
    path.reduce<unknown>((value, key) => (value as Raw | null | undefined)?.[key], row) ?? null
  );
}

/** Opens an empty database, which stays until `drop` is called. */
async function openEmptyDatabase(
  encoding: string,
): Promise<{ readonly url: string; readonly drop: () => Promise<void> }> {
  return new Promise((resolve, reject) => {
    const held = withEmptyDatabase(
      (url) =>
        new Promise<void>((release) => {
          resolve({
            url,
            drop: async () => {
              release();
              await held;
            },
          });
        }),
      encoding,
    );
    held.catch(reject);
  });
}
