// Reads the Sage form back: columns by their places, as they are published. An entry goes on until it balances.

import { linesOf } from './decode-text.ts';
import { beginEntries, finishEntries, takeShownRow } from './entry-figures.ts';
import type { ReadBack } from './read-back.ts';

/** First and last character of account, side and amount, counted from 1. */
const PLACES = { account: [12, 24], side: [84, 84], amount: [85, 104] } as const;
const LONGEST_ACCOUNT = 13;

export const readSage: ReadBack = async (file, { statement }) => {
  const shown = beginEntries();
  let isFirst = true;
  let entries = 1;
  let open = 0;
  for await (const ended of linesOf(file, 'windows-1252')) {
    const line = ended.replace(/\r$/, '');
    const at = (column: keyof typeof PLACES): string => line.slice(PLACES[column][0] - 1, PLACES[column][1]).trim();
    if (!isFirst) {
      const amount = /^\d+$/.test(at('amount')) ? Number(at('amount')) : Number.NaN;
      const [debit, credit] = at('side') === 'D' ? [amount, 0] : [0, amount];
      takeShownRow(shown, { number: String(entries), account: at('account'), debit, credit });
      open += debit - credit;
      if (open === 0) entries += 1;
    }
    isFirst = false;
  }
  if (isFirst) throw new Error('This is not in the form of Sage: it names nobody.');
  return finishEntries(shown, statement, (account) => account.slice(0, LONGEST_ACCOUNT));
};
