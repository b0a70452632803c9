// Letters the rows of an account that clear each other, by the piece that they have in common: a
// collection and its reversal, a fault and the line that puts it right. What has no letter is an
// open item, so the open items sum to the account's balance.

import type { Amount } from '../../domain/amount.ts';
import { valueIn } from '../../domain/value-in.ts';
import { plus } from '../exact.ts';
import { isOpenItem, type JournalEntry, type JournalRow } from '../journal.ts';

/** By piece, account and auxiliary account. */
export type OpenPieces = Map<string, Clearing>;

interface Clearing {
  sum: Amount;
  /** In the currency of the books, where that is another. */
  booked: Amount;
  /** Of its first line; infinite: none of its rows is of a line. */
  sequence: number;
  /** Of its last row, `YYYY-MM-DD`. */
  date: string;
}

/** Call for entries of pieces that may come to 0 in several rows: others are not kept. */
export function followPiece(
  pieces: OpenPieces,
  { piece, date, sequence, rows }: JournalEntry,
): void {
  for (const row of rows.filter(isCleared)) {
    const clearing = valueIn(pieces, keyOf(piece, row), () => ({ ...UNCLEARED, date }));
    clearing.sum = plus(clearing.sum, row.debit - row.credit);
    clearing.booked += row.booked ?? 0;
    clearing.sequence = Math.min(clearing.sequence, sequence ?? Number.POSITIVE_INFINITY);
    if (date > clearing.date) clearing.date = date;
  }
}

/**
 * What an account has under one auxiliary account, and one of suspense under one piece; and since
 * when.
 */
export interface OpenBalance
  extends Pick<JournalRow, 'role' | 'account' | 'accountLabel' | 'auxiliary'> {
  /** Null: it is no account of suspense. */
  readonly piece: string | null;
  date: string;
  balance: Amount;
  /** In the currency of the books, where that is another. */
  booked: Amount;
}

export type OpenBalances = Map<string, OpenBalance>;

export function addOpen(open: OpenBalances, one: OpenBalance): void {
  const { account, auxiliary, piece, date, balance, booked } = one;
  const known = valueIn(open, JSON.stringify([account, auxiliary?.number, piece]), () => ({
    ...one,
    balance: 0,
    booked: 0,
  }));
  known.balance = plus(known.balance, balance);
  known.booked += booked;
  if (date < known.date) known.date = date;
}

/** An entry that was followed, with its letters. Call when all of the period have been. */
export function lettered(pieces: OpenPieces, entry: JournalEntry): JournalEntry {
  const rows = entry.rows.map((row): JournalRow => {
    const { sum, booked, sequence, date } =
      (isCleared(row) && pieces.get(keyOf(entry.piece, row))) || UNCLEARED;
    return sum === 0 && booked === 0 && Number.isFinite(sequence)
      ? { ...row, letter: { code: codeOf(sequence), date } }
      : row;
  });
  return { ...entry, rows };
}

const UNCLEARED: Clearing = { sum: 0, booked: 0, sequence: Number.POSITIVE_INFINITY, date: '' };

/**
 * `AAA` for 0, `AAB` for 1 …: of the first line that it clears, so that it is another for each, and
 * stays.
 */
export function codeOf(sequence: number): string {
  let code = '';
  for (let rest = sequence; rest > 0; rest = Math.floor(rest / 26))
    code = String.fromCharCode(65 + (rest % 26)) + code;
  return code.padStart(3, 'A');
}

function isCleared({ role, letter }: JournalRow): boolean {
  return letter === undefined && isOpenItem(role);
}

function keyOf(piece: string, { account, auxiliary }: JournalRow): string {
  return JSON.stringify([piece, account, auxiliary?.number]);
}
