// Reads the CSV of the ledger back, as RFC 4180 has it. It has no summary: the figures are what its lines make.

import { LABELS } from '../../../core/words/tree.ts';
import { textOf } from './decode-text.ts';
import { beginLedger, finishLedger, takeShownLine } from './ledger-figures.ts';
import type { ReadBack } from './read-back.ts';

export const readCsv: ReadBack = async (file, { statement, language }) => {
  const said = LABELS[language].ledgerCsv;
  const titles = [said.sequence, said.debit, said.credit, said.balance, said.reservedMove, said.reserved];
  const ledger = beginLedger(statement.summary);
  let places: readonly number[] | null = null;
  for await (const cells of rowsOf(textOf(file), ';')) {
    if (places === null) {
      places = placesOf(cells, titles);
      continue;
    }
    const [sequence, debit, credit, balance, reservedMove, reserved] = places.map((place) => wholeNumber(cells[place]));
    takeShownLine(ledger, {
      sequence: sequence!,
      debit: debit!,
      credit: credit!,
      balance: balance!,
      reservedMove: reservedMove!,
      reserved: reserved!,
    });
  }
  if (places === null) throw new Error('This is not a ledger in CSV: it has no header line.');
  return finishLedger(ledger, statement.summary);
};

/** Of the titles among the cells of a header line; throws where one is missing. */
export function placesOf(header: readonly string[], titles: readonly string[]): readonly number[] {
  const cells = header.map((cell, i) => (i === 0 ? cell.replace(/^\uFEFF/, '') : cell));
  const missing = titles.filter((title) => !cells.includes(title));
  if (missing.length > 0) throw new Error(`This CSV is not what it should be: it has no column ${missing.join(', ')}.`);
  return titles.map((title) => cells.indexOf(title));
}

/** An empty cell is nothing, 0; anything but a whole number is NaN. */
export function wholeNumber(cell: string | undefined): number {
  if (cell === '') return 0;
  return cell !== undefined && /^-?\d+$/.test(cell) ? Number(cell) : Number.NaN;
}

/** Rows of cells, the separator between them; a quoted cell may hold anything, a quote doubled. */
export async function* rowsOf(texts: AsyncIterable<string>, separator: ';' | ','): AsyncGenerator<readonly string[]> {
  let cells: string[] = [];
  let cell = '';
  let state: 'plain' | 'quoted' | 'quote' = 'plain';
  for await (const text of texts) {
    for (const sign of text) {
      if (state === 'quoted') {
        if (sign === '"') state = 'quote';
        else cell += sign;
        continue;
      }
      if (sign === '"') {
        if (state === 'quote') cell += '"';
        state = 'quoted';
        continue;
      }
      state = 'plain';
      if (sign === separator || sign === '\n') {
        cells.push(sign === '\n' && cell.endsWith('\r') ? cell.slice(0, -1) : cell);
        cell = '';
      } else cell += sign;
      if (sign === '\n') {
        yield cells;
        cells = [];
      }
    }
  }
  if (cell !== '' || cells.length > 0) yield [...cells, cell];
}
