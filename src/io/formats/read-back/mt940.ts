// Reads MT940 back: the fields of balances and entries by their tags.

import { beginBank, finishBank, takeShownEntry } from './bank-figures.ts';
import { linesOf } from './decode-text.ts';
import type { ReadBack } from './read-back.ts';

/** Side, date, currency, amount. */
const BALANCE = /^([CD])\d{6}[A-Z]{3}(\d+),$/;
/** Date, day of booking, mark (RC takes a credit back, RD a debit), amount. */
const ENTRY = /^(\d\d)(\d\d)(\d\d)\d{4}(R?)([CD])(\d+),N/;

export const readMt940: ReadBack = async (file, { statement }) => {
  const shown = beginBank();
  let last = '';
  for await (const ended of linesOf(file, 'ascii')) {
    last = ended.replace(/\r$/, '');
    const [, tag, value = ''] = /^:(\d\d[A-Z]?):(.*)$/.exec(last) ?? [];
    if (tag === '60F') shown.opening = balanceIn(value);
    else if (tag === '62F') shown.closing = balanceIn(value);
    else if (tag === '64') shown.available = balanceIn(value);
    else if (tag === '61') {
      const [, year, month, day, reversed, side, amount] = ENTRY.exec(value) ?? [];
      const isCredit = (side === 'C') === (reversed === '');
      takeShownEntry(shown, `20${year}-${month}-${day}`, isCredit ? Number(amount) : 0 - Number(amount));
    }
  }
  if (last !== '-') throw new Error('This is not a whole MT940 message.');
  return finishBank(shown, statement);
};

function balanceIn(value: string): number {
  const [, side, amount] = BALANCE.exec(value) ?? [];
  return side === 'D' ? 0 - Number(amount) : Number(amount);
}
