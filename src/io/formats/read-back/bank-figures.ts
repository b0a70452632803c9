// Bank statements, read back: balances at their ends, what each day moved, and how many entries there are; and the readers of
// camt.053, MT940 and OFX, in each of which a balance or an entry has a line of its own.

import type { Statement } from '../../../core/statements/statement.ts';
import { type FigureDifference, linesOf, type ReadBack } from './read-back.ts';

/** As the document shows them. What is not a whole number there is NaN here; null: not there. */
export interface ShownBank {
  /** Absent where the form has no place for it. */
  opening?: number | null;
  closing: number | null;
  available: number | null;
  /** What the document says of itself; absent where the form has no place for it. */
  statedCount?: number | null;
  count: number;
  /** `YYYY-MM-DD` → signed sum of its entries. */
  readonly byDay: Map<string, number>;
}

function beginBank(): ShownBank {
  return { closing: null, available: null, count: 0, byDay: new Map() };
}

function takeShownEntry(shown: ShownBank, day: string, effect: number): void {
  shown.count += 1;
  shown.byDay.set(day, (shown.byDay.get(day) ?? 0) + effect);
}

/** The opening is compared where it is shown, and else by what the entries leave of the closing. */
function finishBank(shown: ShownBank, { summary, journal, days }: Statement): readonly FigureDifference[] {
  const moved = [...shown.byDay.values()].reduce((sum, effect) => sum + effect, 0);
  const { opening = shown.closing === null ? null : shown.closing - moved } = shown;
  const stated = new Map(days.map(({ day, net }) => [day, net]));
  for (const { date, source, rows } of journal.others) {
    const own = source === 'day' ? [] : rows.filter(({ role }) => role === 'wallet');
    for (const { debit, credit } of own) stated.set(date, (stated.get(date) ?? 0) + debit - credit);
  }
  const dayFigures = [...new Set([...stated.keys(), ...shown.byDay.keys()])].map(
    (day): Compared => [`day ${day}`, stated.get(day) ?? null, shown.byDay.get(day) ?? (stated.has(day) ? 0 : null)],
  );
  const compared: readonly Compared[] = [
    ['openingBalance', journal.wallet.opening, opening],
    ['closingBalance', journal.wallet.closing, shown.closing],
    ['recorded.available', summary.recorded.available, shown.available],
    ['number of entries', shown.statedCount === undefined ? shown.count : shown.statedCount, shown.count],
    ...dayFigures,
  ];
  return differencesIn(compared);
}

/** Figure, stated, found. */
export type Compared = readonly [figure: string, stated: number | null, found: number | null];

export function differencesIn(compared: readonly Compared[]): readonly FigureDifference[] {
  return compared
    .filter(([, stated, found]) => stated !== found)
    .map(([figure, stated, found]) => ({ figure, stated: textOf(stated), found: textOf(found) }));
}

function textOf(figure: number | null): string | null {
  return figure === null ? null : Number.isNaN(figure) ? 'not a whole number' : String(figure);
}

const AMOUNT = /<Amt Ccy="[^"]*">(\d+)<\/Amt><CdtDbtInd>(CRDT|DBIT)<\/CdtDbtInd>/;

/** Reads camt.053 back: each balance and each entry stands on a line of its own. */
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

/** Side, date, currency, amount. */
const BALANCE = /^([CD])\d{6}[A-Z]{3}(\d+),$/;
/** Date, day of booking, mark (RC takes a credit back, RD a debit), amount. */
const ENTRY = /^(\d\d)(\d\d)(\d\d)\d{4}(R?)([CD])(\d+),N/;

/** Reads MT940 back: the fields of balances and entries by their tags. */
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

/**
 * Reads OFX back: transactions and balances by the names of their elements, whose values end where the next one begins.
 */
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
