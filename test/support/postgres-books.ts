// An operator's database of its own for a test: tables in the usual form, filled with rows in the documents' form. Column
// types may be changed, to hold what they ought not to.

import pg from 'pg';
import { POSTGRES_DEFAULTS, type PostgresSettings } from '../../src/sources/postgres/postgres-settings.ts';
import type { RawBooks } from '../contract/source-contract.ts';
import type { Raw } from '../contract/source-rows.ts';
import { withEmptyDatabase } from './database-store.ts';

export interface PostgresBooks {
  readonly settings: PostgresSettings;
  readonly client: pg.Client;
  close(): Promise<void>;
}

/** `table.column` → type, where the usual one is not wanted. */
export type ColumnTypes = Readonly<Record<string, string>>;

const TABLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  merchants: {
    reference: 'text',
    name: 'text',
    country: 'text',
    status: 'text',
    allowed_countries: 'text[]',
    cashin_fee_bps: 'integer',
    cashin_fee_flat: 'bigint',
    cashout_fee_bps: 'integer',
    cashout_fee_flat: 'bigint',
    min_cashin_amount: 'bigint',
    max_cashin_amount: 'bigint',
    min_cashout_amount: 'bigint',
    max_cashout_amount: 'bigint',
    daily_cashout_limit: 'bigint',
    created_at: 'timestamptz',
  },
  wallets: {
    merchant_reference: 'text',
    wallet_id: 'uuid',
    merchant_id: 'uuid',
    currency: 'char(3)',
    balance: 'bigint',
    reserved: 'bigint',
    available: 'bigint',
    status: 'text',
    total_collected: 'bigint',
    total_disbursed: 'bigint',
    total_fees: 'numeric(20, 0)',
    updated_at: 'timestamptz',
  },
  ledger_entries: {
    merchant_reference: 'text',
    id: 'text',
    sequence: 'bigint',
    direction: 'varchar(20)',
    kind: 'varchar(40)',
    amount: 'bigint',
    currency: 'char(3)',
    balance_after: 'bigint',
    reserved_after: 'bigint',
    operation_reference: 'text',
    description: 'text',
    created_at: 'timestamptz',
  },
  operations: {
    merchant_reference: 'text',
    reference: 'text',
    type: 'text',
    status: 'text',
    amount: 'bigint',
    fees: 'integer',
    net_amount: 'bigint',
    currency: 'text',
    country: 'text',
    operator: 'text',
    external_reference: 'text',
    payer_action_url: 'text',
    requires_payer_action: 'boolean',
    failure_code: 'text',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
    completed_at: 'timestamptz',
    expires_at: 'timestamptz',
  },
};

export async function openPostgresBooks(types: ColumnTypes = {}): Promise<PostgresBooks> {
  const { url, drop } = await openEmptyDatabase();
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  for (const [table, columns] of Object.entries(TABLES)) {
    const list = Object.entries(columns).map(([name, type]) => `${name} ${types[`${table}.${name}`] ?? type}`);
    await client.query(`create table ${table} (${list.join(', ')})`);
  }
  return {
    settings: { connectionString: url, ...POSTGRES_DEFAULTS },
    client,
    close: async () => {
      await client.end();
      await drop();
    },
  };
}

export async function insertBooks(client: pg.Client, books: RawBooks): Promise<void> {
  const merchant = String(books.merchant.reference);
  const { pricing, limits, ...profile } = books.merchant;
  await insertRows(client, 'merchants', [{ ...profile, ...(pricing as Raw), ...(limits as Raw) }]);
  const owned = (rows: readonly Raw[]): readonly Raw[] => rows.map((row) => ({ ...row, merchantReference: merchant }));
  await insertRows(client, 'wallets', owned(books.wallet === null ? [] : [books.wallet]));
  await insertRows(client, 'ledger_entries', owned(books.entries));
  const failureCode = ({ failure }: Raw): unknown => (failure as { code?: unknown } | null)?.code ?? null;
  await insertRows(
    client,
    'operations',
    owned(books.operations.map((row) => ({ ...row, failureCode: failureCode(row) }))),
  );
}

/** Rows in the documents' words; fields that the table has no column for are left out. */
export async function insertRows(client: pg.Client, table: string, rows: readonly Raw[]): Promise<void> {
  const columns = Object.keys(TABLES[table]!);
  const places = columns.map((_, index) => `$${index + 1}`).join(', ');
  for (const row of rows) {
    const values = Object.fromEntries(Object.entries(row).map(([field, value]) => [snakeCase(field), value]));
    await client.query(
      `insert into ${table} (${columns.join(', ')}) values (${places})`,
      columns.map((column) => values[column] ?? null),
    );
  }
}

function snakeCase(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The database stays until `drop` is called. */
async function openEmptyDatabase(): Promise<{ readonly url: string; readonly drop: () => Promise<void> }> {
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
    );
    held.catch(reject);
  });
}
