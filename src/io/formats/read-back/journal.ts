// Reads the plain-text journal back: the postings of every entry that bears a number. What is posted before the first one, the
// opening, is no entry of the month.

import { linesOf } from './decode-text.ts';
import { beginEntries, finishEntries, takeShownRow } from './entry-figures.ts';
import type { ReadBack } from './read-back.ts';

const NUMBER = /^ {4}; number:([^,]*),/;
/** Account, whose number is its first word; amount. */
const POSTING = /^ {4}(\S+) .*? {2}(-?\d+) /;

export const readJournal: ReadBack = async (file, { statement }) => {
  const shown = beginEntries();
  let number: string | null = null;
  for await (const line of linesOf(file)) {
    number = NUMBER.exec(line)?.[1] ?? (line === '' ? null : number);
    const [, account, amount] = POSTING.exec(line) ?? [];
    if (number === null || account === undefined) continue;
    const value = Number(amount);
    takeShownRow(shown, { number, account, debit: Math.max(value, 0), credit: Math.max(-value, 0) });
  }
  return finishEntries(shown, statement, (account) => /^[^\s;:"|(){}[\]@=*!~<>%]*/.exec(account)![0]);
};
