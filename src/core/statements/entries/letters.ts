// Letters the rows of an account that clear each other, by the piece that they have in common: a collection and its reversal, a
// fault and the line that puts it right. What has no letter is an open item, so the open items sum to the account's balance.

import type { Amount } from '../../domain/amount.ts';
import { valueIn } from '../../domain/value-in.ts';
import { plus } from '../exact.ts';
import type { JournalEntry, JournalRow, Letter } from '../journal.ts';

/** Piece → account and auxiliary account → what its rows come to. */
export type OpenPieces = Map<string, Map<string, Clearing>>;

interface Clearing {
  sum: Amount;
  /** Of its first line; null: none of its rows is of a line. */
  sequence: number | null;
  /** Of its last row, `YYYY-MM-DD`. */
  date: string;
}

/** Call for entries of pieces that may come to 0 in several rows: others are not kept. */
export function followPiece(pieces: OpenPieces, { piece, date, sequence, rows }: JournalEntry): void {
  for (const row of rows) {
    if (!isLettered(row)) continue;
    const ofPiece = valueIn(pieces, piece, () => new Map<string, Clearing>());
    const clearing = valueIn(ofPiece, keyOf(row), () => ({ sum: 0, sequence, date }));
    clearing.sum = plus(clearing.sum, row.debit - row.credit);
    clearing.sequence = Math.min(clearing.sequence ?? Number.POSITIVE_INFINITY, sequence ?? Number.POSITIVE_INFINITY);
    if (date > clearing.date) clearing.date = date;
  }
}

/** What an account of suspense has under one piece, or any account under one auxiliary account, and since when. */
export interface OpenBalance extends Pick<JournalRow, 'account' | 'auxiliary'> {
  /** Null: it is no account of suspense. */
  readonly piece: string | null;
  date: string;
  balance: Amount;
}

export type OpenBalances = Map<string, OpenBalance>;

export function addOpen(open: OpenBalances, one: OpenBalance): void {
  const { account, auxiliary, piece, date, balance } = one;
  const known = valueIn(open, JSON.stringify([account, auxiliary?.number, piece]), () => ({ ...one, balance: 0 }));
  known.balance = plus(known.balance, balance);
  if (date < known.date) known.date = date;
}

/** An entry that was followed, with its letters. Call when all of the period have been. */
export function lettered(pieces: OpenPieces, entry: JournalEntry): JournalEntry {
  const ofPiece = pieces.get(entry.piece);
  if (ofPiece === undefined) return entry;
  const rows = entry.rows.map((row): JournalRow => {
    const clearing = isLettered(row) ? ofPiece.get(keyOf(row)) : undefined;
    if (clearing?.sum !== 0 || clearing.sequence === null || clearing.sequence === Number.POSITIVE_INFINITY) return row;
    return { ...row, letter: letterOf(clearing.sequence, clearing.date) };
  });
  return { ...entry, rows };
}

/** `AAA` for 0, `AAB` for 1 …: of the first line that it clears, so that it is another for each, and stays. */
export function letterOf(sequence: number, date: string): Letter {
  let code = '';
  for (let rest = sequence; rest > 0; rest = Math.floor(rest / 26)) code = String.fromCharCode(65 + (rest % 26)) + code;
  return { code: code.padStart(3, 'A'), date };
}

function isLettered({ role, letter }: JournalRow): boolean {
  return (
    letter === undefined &&
    (role === 'customers' || role === 'suppliers' || role === 'suspenseDebit' || role === 'suspenseCredit')
  );
}

function keyOf({ account, auxiliary }: JournalRow): string {
  return JSON.stringify([account, auxiliary?.number]);
}
