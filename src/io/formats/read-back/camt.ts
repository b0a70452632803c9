// Reads camt.053 back: each balance and each entry stands on a line of its own.

import { beginBank, finishBank, takeShownEntry } from './bank-figures.ts';
import { linesOf } from './decode-text.ts';
import type { ReadBack } from './read-back.ts';

const AMOUNT = /<Amt Ccy="[^"]*">(\d+)<\/Amt><CdtDbtInd>(CRDT|DBIT)<\/CdtDbtInd>/;

export const readCamt: ReadBack = async (file, { statement }) => {
  const shown = beginBank();
  const balances = new Map<string, number>();
  let last = '';
  for await (const line of linesOf(file)) {
    last = line;
    if (line.startsWith('<Bal>')) balances.set(inside(line, 'Cd'), amountIn(line));
    else if (line.startsWith('<Ntry>')) takeShownEntry(shown, dayIn(line), amountIn(line));
    else if (line.startsWith('<TxsSummry>')) shown.statedCount = Number(inside(line, 'NbOfNtries'));
  }
  if (last !== '</Document>') throw new Error('This is not a whole camt.053 document.');
  shown.opening = balances.get('OPBD') ?? null;
  shown.closing = balances.get('CLBD') ?? null;
  shown.available = balances.get('CLAV') ?? null;
  return finishBank(shown, statement);
};

function amountIn(line: string): number {
  const [, amount, side] = AMOUNT.exec(line) ?? [];
  return amount === undefined ? Number.NaN : side === 'DBIT' ? 0 - Number(amount) : Number(amount);
}

function dayIn(line: string): string {
  return inside(line.slice(line.indexOf('<BookgDt>')), 'Dt');
}

function inside(line: string, name: string): string {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(line)?.[1] ?? '';
}
