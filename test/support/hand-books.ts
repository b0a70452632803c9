// Books written by hand, a line of text each: for tests that need one thing at one instant.
//
//   09-30T23:59 CASHIN_CREDIT 1000 GUI-CI-1          a line; balances follow by themselves
//   op GUI-CI-1 SUCCEEDED 1000 fees=20 created=09-30T23:50 completed=09-30T23:59
//
// Instants are in 2026 unless they name their year, UTC. Sequences count from 1 in the order of the text.

import { directionOf, isEntryKind, type LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import type { Operation, OperationStatus } from '../../src/core/domain/operation.ts';
import { line, operation, profile, wallet } from './database-books.ts';
import type { DecodedBooks } from './sandbox-books.ts';

const PROFILE = profile({
  reference: 'A_LA_MAIN',
  name: 'Boutique à la main',
  allowedCountries: ['CI'],
  pricing: { cashin: { bps: 200, flat: 0 }, cashout: { bps: 100, flat: 0 } },
  limits: {
    minCashinAmount: 1,
    maxCashinAmount: 1e9,
    minCashoutAmount: 1,
    maxCashoutAmount: 1e9,
    dailyCashoutLimit: 0,
  },
  createdAt: Date.UTC(2026, 0, 1),
});

/** Reads books from a text. `opening` is the balance before the first line. */
export function handBooks(text: string, asOf = '12-01T00:00', opening = 0): DecodedBooks {
  const rows = text
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/ +/));
  const entries: LedgerEntry[] = [];
  const operations: Operation[] = [];
  for (const row of rows) {
    if (row[0] === 'op') operations.push(operationOf(row));
    else if (row[0] !== '') entries.push(entryOf(row, entries, opening));
  }
  const head = entries.at(-1);
  const [balance, reserved] = [head?.balanceAfter ?? opening, head?.reservedAfter ?? 0];
  const figures = {
    balance,
    reserved,
    available: balance - reserved,
    totalCollected: 0,
    totalDisbursed: 0,
  };
  return {
    asOf: instant(asOf),
    profile: PROFILE,
    wallet: wallet({ walletId: 'w', merchantId: 'm', ...figures, updatedAt: instant(asOf) }),
    entries,
    operations,
    payments: [],
    reports: [],
    notifications: [],
  };
}

/** Reads books as `handBooks`, for a merchant who is charged nothing. */
export function freeBooks(text: string, asOf?: string): DecodedBooks {
  const books = handBooks(text, asOf);
  const free = { bps: 0, flat: 0 };
  return { ...books, profile: { ...books.profile, pricing: { cashin: free, cashout: free } } };
}

export function instant(text: string): number {
  const whole = /^\d{4}-/.test(text) ? text : `2026-${text}`;
  return Date.parse(`${whole}${whole.length === 16 ? ':00' : ''}Z`);
}

function entryOf(
  row: readonly string[],
  before: readonly LedgerEntry[],
  opening: number,
): LedgerEntry {
  const [at, kind, amountText, reference, ...rest] = row as [
    string,
    string,
    string,
    string,
    ...string[],
  ];
  const options = optionsOf(rest);
  const amount = Number(amountText);
  const direction = options.direction ?? (isEntryKind(kind) ? directionOf(kind) : 'CREDIT');
  const last = before.at(-1);
  const rise = direction === 'CREDIT' ? amount : direction === 'DEBIT' ? -amount : 0;
  const move =
    direction === 'HOLD'
      ? amount
      : direction === 'RELEASE'
        ? -amount
        : kind.startsWith('CASHOUT_')
          ? -amount
          : 0;
  const sequence = before.length + 1;
  return line(sequence, {
    id: `line-${sequence}`,
    direction,
    kind,
    amount,
    balanceAfter: (last?.balanceAfter ?? opening) + rise + Number(options.drift ?? 0),
    reservedAfter: (last?.reservedAfter ?? 0) + move,
    operationReference: reference === undefined || reference === '-' ? null : reference,
    description: options.says?.replaceAll('_', ' ') ?? null,
    createdAt: instant(at),
  });
}

function operationOf(row: readonly string[]): Operation {
  const [, reference, status, amountText, ...rest] = row as [
    string,
    string,
    OperationStatus,
    string,
    ...string[],
  ];
  const options = optionsOf(rest);
  const amount = Number(amountText);
  const fees = Number(options.fees ?? 0);
  const isCashin = reference.startsWith('GUI-CI-');
  const createdAt = instant(options.created!);
  const completedAt = options.completed === undefined ? null : instant(options.completed);
  return operation(0, {
    reference,
    type: isCashin ? 'CASHIN' : 'CASHOUT',
    status,
    amount,
    fees,
    netAmount: isCashin ? amount - fees : amount + fees,
    operator: options.operator ?? 'WAVE',
    externalReference: options.external ?? null,
    createdAt,
    updatedAt:
      options.updated === undefined ? (completedAt ?? createdAt) : instant(options.updated),
    completedAt,
    expiresAt: createdAt + (isCashin ? 1_800_000 : 21_600_000),
  });
}

function optionsOf(words: readonly string[]): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    words.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
  );
}
