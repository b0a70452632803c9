// Books and findings as CSV: a comma, quotes where they are needed, a line feed after every row, an
// empty cell for null.

import type { Books } from '../../src/sandbox/model/plan.ts';

/** The four files of one reading; null: the file is missing. */
export interface BookFiles {
  readonly ledger: string;
  readonly operations: string | null;
  readonly wallet: string | null;
  readonly profile: string;
}

export type Row = Readonly<Record<string, string>>;

const LEDGER_COLUMNS = [
  'id',
  'sequence',
  'direction',
  'kind',
  'amount',
  'currency',
  'balanceAfter',
  'reservedAfter',
  'operationReference',
  'description',
  'createdAt',
] as const;

const OPERATION_COLUMNS = [
  'reference',
  'type',
  'status',
  'amount',
  'fees',
  'netAmount',
  'currency',
  'country',
  'operator',
  'externalReference',
  'payerActionUrl',
  'requiresPayerAction',
  'failureCode',
  'createdAt',
  'updatedAt',
  'completedAt',
  'expiresAt',
] as const;

const WALLET_COLUMNS = [
  'walletId',
  'merchantId',
  'currency',
  'balance',
  'reserved',
  'available',
  'status',
  'totalCollected',
  'totalDisbursed',
  'totalFees',
  'updatedAt',
] as const;

/** The profile with its prices and limits side by side; `readAt` is when the books were read. */
const PROFILE_COLUMNS = [
  'reference',
  'name',
  'country',
  'status',
  'allowedCountries',
  'cashinFeeBps',
  'cashinFeeFlat',
  'cashoutFeeBps',
  'cashoutFeeFlat',
  'minCashinAmount',
  'maxCashinAmount',
  'minCashoutAmount',
  'maxCashoutAmount',
  'dailyCashoutLimit',
  'createdAt',
  'readAt',
] as const;

export function writeBooks(books: Books): BookFiles {
  const { merchant, wallet, entries, operations, asOf } = books;
  const profile = {
    ...merchant,
    ...merchant.pricing,
    ...merchant.limits,
    allowedCountries: merchant.allowedCountries.join(' '),
    readAt: new Date(asOf).toISOString(),
  };
  const stated = operations.map((operation) => ({
    ...operation,
    failureCode: operation.failure?.code ?? null,
  }));
  return {
    ledger: writeCsv(LEDGER_COLUMNS, entries),
    operations: writeCsv(OPERATION_COLUMNS, stated),
    wallet: writeCsv(WALLET_COLUMNS, [wallet]),
    profile: writeCsv(PROFILE_COLUMNS, [profile]),
  };
}

export function writeCsv<Column extends string>(
  columns: readonly Column[],
  rows: readonly Readonly<Record<Column, unknown>>[],
): string {
  const lines = rows.map((row) => columns.map((column) => cellOf(row[column])).join(','));
  return `${[columns.join(','), ...lines].join('\n')}\n`;
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Returns the rows by the names of the first line. Quotes, and line feeds inside quotes, are read.
 */
export function readCsv(text: string): readonly Row[] {
  const table = text.includes('"')
    ? quotedCells(text)
    : text.split('\n').map((line) => line.split(','));
  if (table.at(-1)!.join('') === '') table.pop();
  const [names, ...rows] = table as [string[], ...string[][]];
  return rows.map((cells) => Object.fromEntries(names.map((name, i) => [name, cells[i] ?? ''])));
}

function quotedCells(text: string): string[][] {
  const table: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g,
  )) {
    table.at(-1)!.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'));
    if (end === '') break;
    if (end !== ',') table.push([]);
  }
  return table;
}
