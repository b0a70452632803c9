// Reads the CSV for Odoo back, as Odoo does: columns by the names of their fields, and a row without cells of its entry belongs
// to the entry above it.

import { rowsOf } from './csv.ts';
import { textOf } from './decode-text.ts';
import { beginEntries, finishEntries, takeShownRow } from './entry-figures.ts';
import type { ReadBack } from './read-back.ts';

const FIELDS = ['id', 'line_ids/account_id', 'line_ids/debit', 'line_ids/credit'] as const;

export const readOdoo: ReadBack = async (file, { statement }) => {
  const shown = beginEntries();
  let places: readonly number[] | null = null;
  let entry = '';
  for await (const cells of rowsOf(textOf(file), ',')) {
    if (places === null) {
      places = FIELDS.map((field) => cells.indexOf(field));
      continue;
    }
    const [id = '', account = '', debit = '', credit = ''] = places.map((place) => cells[place] ?? '');
    if (id !== '') entry = id;
    takeShownRow(shown, { number: entry, account, debit: amountOf(debit), credit: amountOf(credit) });
  }
  if (places === null || places.includes(-1))
    throw new Error(`This is no CSV for Odoo: it lacks ${FIELDS.join(', or ')}.`);
  return finishEntries(shown, statement);
};

function amountOf(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}
