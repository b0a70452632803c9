// Cases that cannot be told: a file is missing, or a cell cannot be read exactly. Nothing is wrong
// in what is left, and abstaining is right; neither "clean" nor a finding is.

import type { Books } from '../../src/sandbox/model/plan.ts';
import { drawInteger, type Random } from '../../src/sandbox/model/random.ts';
import { type BookFiles, readCsv, writeBooks, writeCsv } from './csv.ts';

export interface Unresolvable {
  readonly name: string;
  /** Returns the files of such a case; `null`: these books offer no place. */
  readonly hide: (books: Books, random: Random) => BookFiles | null;
}

export const UNRESOLVABLE: readonly Unresolvable[] = [
  { name: 'no file of operations', hide: (books) => ({ ...writeBooks(books), operations: null }) },
  { name: 'no file of the wallet', hide: (books) => ({ ...writeBooks(books), wallet: null }) },
  {
    name: 'ledger alone',
    hide: (books) => ({ ...writeBooks(books), operations: null, wallet: null }),
  },
  { name: 'an amount of a line is 12.5', hide: spoil('ledger', 'amount', () => '12.5') },
  { name: 'an amount of a line is empty', hide: spoil('ledger', 'amount', () => '') },
  {
    name: 'an amount of a line is grouped',
    hide: spoil('ledger', 'amount', (cell) => `1 ${cell}`),
  },
  { name: 'an amount of a line is 1e3', hide: spoil('ledger', 'amount', () => '1e3') },
  {
    name: 'an amount of a line passes exact numbers',
    hide: spoil('ledger', 'amount', () => '9007199254740993'),
  },
  { name: 'a balance is no number', hide: spoil('ledger', 'balanceAfter', () => 'n/a') },
  {
    name: 'a number of a line cannot be read',
    hide: spoil('ledger', 'sequence', (cell) => `#${cell}`),
  },
  {
    name: 'a date of a line cannot be read',
    hide: spoil('ledger', 'createdAt', () => 'yesterday'),
  },
  {
    name: 'a state of an operation is unknown',
    hide: spoil('operations', 'status', () => 'PAUSED'),
  },
  { name: 'a type of an operation is unknown', hide: spoil('operations', 'type', () => 'LOAN') },
  { name: 'fees of an operation cannot be read', hide: spoil('operations', 'fees', () => '1,5') },
  { name: 'an operation without a creation', hide: spoil('operations', 'createdAt', () => '') },
];

/** Returns what spoils one cell of one row. */
function spoil(file: 'ledger' | 'operations', column: string, spoiled: (cell: string) => string) {
  return (books: Books, random: Random): BookFiles | null => {
    const files = writeBooks(books);
    const rows = readCsv(files[file]!);
    if (rows.length === 0) return null;
    const at = drawInteger(random, { from: 0, to: rows.length - 1 });
    const row = rows[at]!;
    const changed = rows.with(at, { ...row, [column]: spoiled(row[column]!) });
    return { ...files, [file]: writeCsv(Object.keys(row), changed) };
  };
}
