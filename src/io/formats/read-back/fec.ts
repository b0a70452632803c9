// Reads the FEC form back: tab-separated columns by their names, amounts with a decimal comma.

import { linesOf } from './decode-text.ts';
import { beginEntries, finishEntries, takeShownRow } from './entry-figures.ts';
import type { ReadBack } from './read-back.ts';

const TITLES = ['EcritureNum', 'CompteNum', 'Debit', 'Credit'] as const;

export const readFec: ReadBack = async (file, { statement }) => {
  const shown = beginEntries();
  let places: readonly number[] | null = null;
  for await (const line of linesOf(file, 'iso-8859-15')) {
    const cells = line.replace(/\r$/, '').split('\t');
    if (places === null) {
      places = TITLES.map((title) => cells.indexOf(title));
      continue;
    }
    const [number = '', account = '', debit = '', credit = ''] = places.map((place) => cells[place] ?? '');
    takeShownRow(shown, { number, account, debit: amountOf(debit), credit: amountOf(credit) });
  }
  if (places === null || places.includes(-1)) throw new Error(`This is no FEC: it lacks ${TITLES.join(', or ')}.`);
  return finishEntries(shown, statement);
};

function amountOf(text: string): number {
  const [, whole] = /^(\d+),00$/.exec(text) ?? [];
  return whole === undefined ? Number.NaN : Number(whole);
}
