// Reads OFX back: transactions and balances by the names of their elements, whose values end where the next one begins.

import { beginBank, finishBank, takeShownEntry } from './bank-figures.ts';
import { linesOf } from './decode-text.ts';
import type { ReadBack } from './read-back.ts';

export const readOfx: ReadBack = async (file, { statement }) => {
  const shown = beginBank();
  let last = '';
  for await (const ended of linesOf(file, 'ascii')) {
    last = ended.trim();
    if (last.startsWith('<LEDGERBAL>')) shown.closing = numberOf(last, 'BALAMT');
    else if (last.startsWith('<AVAILBAL>')) shown.available = numberOf(last, 'BALAMT');
    else if (last.startsWith('<STMTTRN>')) {
      const day = textIn(last, 'DTPOSTED').replace(/^(\d{4})(\d\d)(\d\d)120000$/, '$1-$2-$3');
      takeShownEntry(shown, day, numberOf(last, 'TRNAMT'));
    }
  }
  if (last !== '</OFX>') throw new Error('This is not a whole OFX document.');
  return finishBank(shown, statement);
};

function numberOf(line: string, name: string): number {
  const value = textIn(line, name);
  return /^-?\d+$/.test(value) ? Number(value) : Number.NaN;
}

function textIn(line: string, name: string): string {
  return new RegExp(`<${name}>([^<]*)`).exec(line)?.[1] ?? '';
}
