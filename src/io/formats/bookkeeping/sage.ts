// The journal as Sage 100 imports it ("format Sage", PNM): every column at its place, one row a line of 138 characters, in
// Windows-1252. The first line names whose books they are. Amounts are whole units: the currencies here have no smaller ones.

import type { JournalEntry, JournalRow } from '../../../core/statements/journal.ts';
import type { Language } from '../../../core/statements/statement.ts';
import type { StatementDocument, StatementFormat } from '../port/format.ts';
import { westernLine } from '../port/latin9.ts';
import { writeBytes } from '../port/write-text.ts';
import { entriesOf, entryNamer, type StreamedEntry } from './stream-entries.ts';

export const sageFormat: StatementFormat = {
  name: 'sage',
  extension: 'pnm',
  mediaType: 'text/x-sage-pnm; charset=windows-1252',
  write: (document, { language }, out) => writeBytes(writeSage(document, entriesOf(document), language), out),
};

const LONGEST = { name: 30, account: 13, piece: 13, entry: 7 } as const;
/** "Opérations diverses": neither an invoice nor the payment of one. */
const MISCELLANEOUS = 'OD';
/** An entry that counts, as against one that is simulated. */
const ORDINARY = 'N';
const WIDTH = 138;

/** The entries given, in their order. */
export async function* writeSage(
  { statement }: StatementDocument,
  entries: AsyncIterable<readonly StreamedEntry[]>,
  language: Language,
): AsyncGenerator<Uint8Array> {
  const { merchant, journal } = statement;
  const nameOf = entryNamer(statement, language);
  yield bytesOf(`${shown(merchant.name ?? merchant.reference).slice(0, LONGEST.name)}\r\n`);
  for await (const batch of entries) {
    let text = '';
    for (const streamed of batch) {
      const { entry } = streamed;
      const form = { journal: journal.code, name: nameOf(streamed) };
      for (const row of entry?.rows ?? []) text += rowOf(entry!, row, form);
    }
    yield bytesOf(text);
  }
}

interface RowForm {
  readonly journal: string;
  readonly name: string;
}

function rowOf({ date, piece, sequence }: JournalEntry, row: JournalRow, { journal, name }: RowForm): string {
  const { account, auxiliary, debit, credit } = row;
  const number = sequence === null ? '' : String(sequence).slice(-LONGEST.entry).padStart(LONGEST.entry, '0');
  const columns = [
    padded(journal, 3),
    dateOf(date),
    MISCELLANEOUS,
    padded(account, LONGEST.account),
    auxiliary === null ? ' ' : 'X',
    padded(auxiliary?.number ?? '', LONGEST.account),
    padded(pieceOf(piece), LONGEST.piece),
    padded(name, 25),
    // How and until when it is to be paid: nothing.
    padded('', 1 + 6),
    debit > 0 ? 'D' : 'C',
    String(debit > 0 ? debit : credit).padStart(20),
    ORDINARY,
    padded(number, LONGEST.entry),
  ];
  return `${columns.join('').padEnd(WIDTH)}\r\n`;
}

/** At most 13 characters that still tell one operation from another: without the service's prefix and hyphens, and its end. */
function pieceOf(piece: string): string {
  return shown(piece).length <= LONGEST.piece
    ? piece
    : shown(piece).replace(/^GUI-/, '').replaceAll('-', '').slice(-13);
}

/** `011026`. */
function dateOf(day: string): string {
  const [year, month, date] = day.split('-');
  return `${date}${month}${year!.slice(2)}`;
}

function padded(text: string, width: number): string {
  return shown(text).slice(0, width).padEnd(width);
}

function shown(text: string): string {
  return westernLine(text, '?');
}

/** One byte a character: only such are shown. */
function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}
