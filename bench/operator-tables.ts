// An operator's own database to pull from: the tables that the Postgres source expects by default,
// with the keys and indexes that an operator would have, filled from books of the benchmark.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from } from 'pg-copy-streams';
import type {
  ServedEntry,
  ServedMerchant,
  ServedOperation,
  ServedWallet,
} from '../src/sandbox/model/served.ts';
import { MERCHANT, type MeasuredBooks, type News, rowsOf } from './books.ts';
import { type BenchServer, withClient } from './databases.ts';

/** SQL of the tables without keys or indexes, which are faster to make once the rows are there. */
export const OPERATOR_TABLES = `
create table merchants (
  reference text primary key, name text not null, country text not null, status text not null,
  allowed_countries text[] not null, cashin_fee_bps integer not null, cashin_fee_flat bigint not null,
  cashout_fee_bps integer not null, cashout_fee_flat bigint not null, min_cashin_amount bigint not null,
  max_cashin_amount bigint not null, min_cashout_amount bigint not null, max_cashout_amount bigint not null,
  daily_cashout_limit bigint not null, created_at timestamptz not null);
create table wallets (
  merchant_reference text primary key, wallet_id uuid not null, merchant_id uuid not null, currency char(3) not null,
  balance bigint not null, reserved bigint not null, available bigint not null, status text not null,
  total_collected bigint not null, total_disbursed bigint not null, total_fees bigint not null,
  updated_at timestamptz not null);
create table ledger_entries (
  merchant_reference text not null, id uuid not null, sequence bigint not null, direction text not null,
  kind text not null, amount bigint not null, currency char(3) not null, balance_after bigint not null,
  reserved_after bigint not null, operation_reference text, description text, created_at timestamptz not null);
create table operations (
  merchant_reference text not null, reference text not null, type text not null, status text not null,
  amount bigint not null, fees bigint not null, net_amount bigint not null, currency char(3) not null,
  country char(2) not null, operator text not null, external_reference text, payer_action_url text,
  requires_payer_action boolean not null, failure_code text, created_at timestamptz not null,
  updated_at timestamptz not null, completed_at timestamptz, expires_at timestamptz)`;

export const OPERATOR_INDEXES = `
alter table ledger_entries add primary key (merchant_reference, sequence);
create index on ledger_entries (merchant_reference, operation_reference);
create unique index on ledger_entries (id);
alter table operations add primary key (reference);
create index on operations (merchant_reference, created_at);
create index on operations (merchant_reference, updated_at)`;

const ROWS_A_CHUNK = 1_000;

/** Returns the name of a database with the operator's tables for `books`. */
export async function operatorOf(server: BenchServer, books: MeasuredBooks): Promise<string> {
  const name = `operator_${books.form}_${books.lines}`;
  if (await server.has(name)) return name;
  const unfinished = `${name}_part`;
  await server.drop(unfinished);
  await server.create(unfinished);
  await withClient(server.urlOf(unfinished), async (client) => {
    await client.query(OPERATOR_TABLES);
    await fill(client, books);
    await client.query(OPERATOR_INDEXES);
    await client.query('vacuum (analyze)');
  });
  await server.rename(unfinished, name);
  return name;
}

async function fill(client: pg.Client, { folder }: MeasuredBooks): Promise<void> {
  const one = <T>(file: string): T => JSON.parse(readFileSync(join(folder, file), 'utf8')) as T;
  await copyBooks(client, {
    entries: owned(rowsOf<ServedEntry>(join(folder, 'ledger.jsonl'))),
    operations: owned(rowsOf<ServedOperation>(join(folder, 'operations.jsonl'))),
    merchants: [one<ServedMerchant>('merchant.json')],
    wallets: [[MERCHANT, one<ServedWallet>('wallet.json')]],
  });
}

/** A row and the reference of the merchant that it belongs to. */
export type Owned<Row> = readonly [merchant: string, row: Row];

type Rows<Row> = AsyncIterable<Row> | Iterable<Row>;

export interface OwnedBooks {
  readonly entries: Rows<Owned<ServedEntry>>;
  readonly operations: Rows<Owned<ServedOperation>>;
  readonly merchants: Rows<ServedMerchant>;
  readonly wallets: Rows<Owned<ServedWallet>>;
}

/** Adds rows of any number of merchants. */
export async function copyBooks(client: pg.Client, books: OwnedBooks): Promise<void> {
  await copyRows(client, 'ledger_entries', books.entries, entryRow);
  await copyRows(client, 'operations', books.operations, operationRow);
  await copyRows(client, 'merchants', books.merchants, merchantRow);
  await copyRows(client, 'wallets', books.wallets, walletRow);
}

/** Enters news into the tables, as the operator's service would have done. */
export async function enterNews(client: pg.Client, news: News): Promise<void> {
  const of = <Row>(rows: readonly Row[]): readonly Owned<Row>[] =>
    rows.map((row) => [MERCHANT, row]);
  await enterRows(client, {
    entries: of(news.entries),
    operations: of(news.operations),
    wallets: of([news.wallet]),
  });
}

/** Enters news as `enterNews` does, for any merchants, each with its wallet. */
export async function enterRows(
  client: pg.Client,
  news: {
    readonly entries: readonly Owned<ServedEntry>[];
    readonly operations: readonly Owned<ServedOperation>[];
    readonly wallets: readonly Owned<ServedWallet>[];
  },
): Promise<void> {
  await client.query('begin');
  await copyRows(client, 'ledger_entries', news.entries, entryRow);
  await client.query('create temporary table changed (like operations) on commit drop');
  await copyRows(client, 'changed', news.operations, operationRow);
  await client.query('delete from operations o using changed c where o.reference = c.reference');
  await client.query('insert into operations select * from changed');
  await client.query('delete from wallets where merchant_reference = any ($1)', [
    news.wallets.map(([name]) => name),
  ]);
  await copyRows(client, 'wallets', news.wallets, walletRow);
  await client.query('commit');
}

async function* owned<Row>(rows: AsyncIterable<Row>): AsyncGenerator<Owned<Row>> {
  for await (const row of rows) yield [MERCHANT, row];
}

async function copyRows<Row>(
  client: pg.Client,
  table: string,
  rows: Rows<Row>,
  fieldsOf: (row: Row) => readonly string[],
): Promise<void> {
  const chunks = async function* (): AsyncGenerator<Buffer> {
    let lines: string[] = [];
    for await (const row of rows) {
      lines.push(`${fieldsOf(row).join('\t')}\n`);
      if (lines.length < ROWS_A_CHUNK) continue;
      yield Buffer.from(lines.join(''));
      lines = [];
    }
    yield Buffer.from(lines.join(''));
  };
  await pipeline(
    Readable.from(chunks(), { objectMode: false }),
    client.query(from(`copy ${table} from stdin`)),
  );
}

function fields(values: readonly (string | number | boolean | null)[]): readonly string[] {
  return values.map((value) =>
    value === null ? '\\N' : String(value).replaceAll(/[\\\t\n\r]/g, (letter) => ESCAPED[letter]!),
  );
}

/** The characters that COPY must escape in its text format, with their escapes. */
const ESCAPED: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};

function entryRow([merchant, row]: Owned<ServedEntry>): readonly string[] {
  const { id, sequence, direction, kind, amount, currency, balanceAfter, reservedAfter } = row;
  const { operationReference, description, createdAt } = row;
  const figures = [amount, currency, balanceAfter, reservedAfter];
  return fields([
    merchant,
    id,
    sequence,
    direction,
    kind,
    ...figures,
    operationReference,
    description,
    createdAt,
  ]);
}

function operationRow([merchant, row]: Owned<ServedOperation>): readonly string[] {
  const { reference, type, status, amount, fees, netAmount, currency, country, operator } = row;
  const { externalReference, payerActionUrl, requiresPayerAction, failure } = row;
  const { createdAt, updatedAt, completedAt, expiresAt } = row;
  const what = [reference, type, status, amount, fees, netAmount, currency, country, operator];
  const partner = [externalReference, payerActionUrl, requiresPayerAction, failure?.code ?? null];
  return fields([merchant, ...what, ...partner, createdAt, updatedAt, completedAt, expiresAt]);
}

function merchantRow(row: ServedMerchant): readonly string[] {
  const { reference, name, country, status, allowedCountries, pricing, limits, createdAt } = row;
  const { cashinFeeBps, cashinFeeFlat, cashoutFeeBps, cashoutFeeFlat } = pricing;
  const {
    minCashinAmount,
    maxCashinAmount,
    minCashoutAmount,
    maxCashoutAmount,
    dailyCashoutLimit,
  } = limits;
  const prices = [cashinFeeBps, cashinFeeFlat, cashoutFeeBps, cashoutFeeFlat];
  const bounds = [
    minCashinAmount,
    maxCashinAmount,
    minCashoutAmount,
    maxCashoutAmount,
    dailyCashoutLimit,
  ];
  return fields([
    reference,
    name,
    country,
    status,
    `{${allowedCountries.join(',')}}`,
    ...prices,
    ...bounds,
    createdAt,
  ]);
}

function walletRow([merchant, row]: Owned<ServedWallet>): readonly string[] {
  const { walletId, merchantId, currency, balance, reserved, available, status } = row;
  const { totalCollected, totalDisbursed, totalFees, updatedAt } = row;
  const totals = [totalCollected, totalDisbursed, totalFees];
  return fields([
    merchant,
    walletId,
    merchantId,
    currency,
    balance,
    reserved,
    available,
    status,
    ...totals,
    updatedAt,
  ]);
}
