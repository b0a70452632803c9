// Bank statements, read back: balances at their ends, the sum of each day, and the number of
// entries. In camt.053, MT940 and OFX each balance and each entry has a line of its own, which is
// known by its tag.

import type { Statement } from '../../../core/statements/statement.ts';
import {
  type Compared,
  differencesIn,
  type FigureDifference,
  linesOf,
  numberIn,
  type ReadBack,
} from './read-back.ts';

/** As the document shows them; NaN where it shows no whole number, null where it shows none. */
interface ShownBank {
  /** Absent where the form has no place for it. */
  opening?: number | null;
  closing: number | null;
  available: number | null;
  /** As the document states it; absent where the form has no place for it. */
  statedCount?: number | null;
  count: number;
  /** `YYYY-MM-DD` → signed sum of its entries. */
  readonly byDay: Map<string, number>;
}

interface BankForm {
  readonly name: string;
  readonly encoding: string;
  /** The last line of a whole document. */
  readonly end: string;
  /** Figures that only some forms have. */
  readonly shows: Pick<ShownBank, 'opening' | 'statedCount'>;
  readonly take: (shown: ShownBank, line: string) => void;
}

function bankReader({ name, encoding, end, shows, take }: BankForm): ReadBack {
  return async (file, { statement }) => {
    const shown: ShownBank = {
      ...shows,
      closing: null,
      available: null,
      count: 0,
      byDay: new Map(),
    };
    let last = '';
    for await (const line of linesOf(file, encoding)) {
      last = line.replace(/\r$/, '');
      take(shown, last);
    }
    if (last !== end) throw new Error(`This is not a whole ${name}.`);
    return compareBank(shown, statement);
  };
}

function takeEntry(shown: ShownBank, day: string, effect: number): void {
  shown.count += 1;
  shown.byDay.set(day, (shown.byDay.get(day) ?? 0) + effect);
}

/** The opening is compared where it is shown; elsewhere the closing less all entries is. */
function compareBank(
  shown: ShownBank,
  { summary, journal, days }: Statement,
): readonly FigureDifference[] {
  const moved = [...shown.byDay.values()].reduce((sum, effect) => sum + effect, 0);
  const { opening = shown.closing === null ? null : shown.closing - moved } = shown;
  const stated = new Map(days.map(({ day, net }) => [day, net]));
  for (const { date, source, rows } of journal.others) {
    const own = source === 'day' ? [] : rows.filter(({ role }) => role === 'wallet');
    for (const { debit, credit } of own) stated.set(date, (stated.get(date) ?? 0) + debit - credit);
  }
  const dayFigures = [...new Set([...stated.keys(), ...shown.byDay.keys()])].map(
    (day): Compared => [
      `day ${day}`,
      stated.get(day) ?? null,
      shown.byDay.get(day) ?? (stated.has(day) ? 0 : null),
    ],
  );
  return differencesIn([
    ['openingBalance', journal.wallet.opening, opening],
    ['closingBalance', journal.wallet.closing, shown.closing],
    ['recorded.available', summary.recorded.available, shown.available],
    [
      'number of entries',
      shown.statedCount === undefined ? shown.count : shown.statedCount,
      shown.count,
    ],
    ...dayFigures,
  ]);
}

const CAMT_BALANCES = { OPBD: 'opening', CLBD: 'closing', CLAV: 'available' } as const;
const CAMT_AMOUNT = /<Amt Ccy="[^"]*">(\d+)<\/Amt><CdtDbtInd>(CRDT|DBIT)<\/CdtDbtInd>/;

export const readCamt = bankReader({
  name: 'camt.053 document',
  encoding: 'utf-8',
  end: '</Document>',
  shows: { opening: null, statedCount: null },
  take: (shown, line) => {
    const within = (name: string, from = 0): string =>
      new RegExp(`<${name}>([^<]*)</${name}>`).exec(line.slice(from))?.[1] ?? '';
    if (line.startsWith('<Bal>')) {
      const balance = CAMT_BALANCES[within('Cd') as keyof typeof CAMT_BALANCES];
      if (balance !== undefined) shown[balance] = camtAmount(line);
    } else if (line.startsWith('<Ntry>'))
      takeEntry(shown, within('Dt', line.indexOf('<BookgDt>')), camtAmount(line));
    else if (line.startsWith('<TxsSummry>')) shown.statedCount = Number(within('NbOfNtries'));
  },
});

function camtAmount(line: string): number {
  const [, amount, side] = CAMT_AMOUNT.exec(line) ?? [];
  return signedBy(side === 'CRDT', amount);
}

const MT940_BALANCES = { '60F': 'opening', '62F': 'closing', '64': 'available' } as const;
/** Side, date, currency, amount. */
const MT940_BALANCE = /^([CD])\d{6}[A-Z]{3}(\d+),$/;
/** Date, day of booking, mark (RC takes a credit back, RD a debit), amount. */
const MT940_ENTRY = /^(\d\d)(\d\d)(\d\d)\d{4}(R?)([CD])(\d+),N/;

export const readMt940 = bankReader({
  name: 'MT940 message',
  encoding: 'ascii',
  end: '-',
  shows: { opening: null },
  take: (shown, line) => {
    const [, tag, value = ''] = /^:(\d\d[A-Z]?):(.*)$/.exec(line) ?? [];
    const balance = MT940_BALANCES[tag as keyof typeof MT940_BALANCES];
    if (balance !== undefined) {
      const [, side, amount] = MT940_BALANCE.exec(value) ?? [];
      shown[balance] = signedBy(side === 'C', amount);
    } else if (tag === '61') {
      const [, year, month, day, reversed, side, amount] = MT940_ENTRY.exec(value) ?? [];
      takeEntry(
        shown,
        `20${year}-${month}-${day}`,
        signedBy((side === 'C') === (reversed === ''), amount),
      );
    }
  },
});

function signedBy(isCredit: boolean, amount: string | undefined): number {
  return isCredit ? numberIn(amount) : 0 - numberIn(amount);
}

/** Values of elements end where the next element begins. */
export const readOfx = bankReader({
  name: 'OFX document',
  encoding: 'ascii',
  end: '</OFX>',
  shows: {},
  take: (shown, line) => {
    const within = (name: string): string => new RegExp(`<${name}>([^<]*)`).exec(line)?.[1] ?? '';
    if (line.startsWith('<LEDGERBAL>')) shown.closing = numberIn(within('BALAMT'));
    else if (line.startsWith('<AVAILBAL>')) shown.available = numberIn(within('BALAMT'));
    else if (line.startsWith('<STMTTRN>')) {
      const day = within('DTPOSTED').replace(/^(\d{4})(\d\d)(\d\d)120000$/, '$1-$2-$3');
      takeEntry(shown, day, numberIn(within('TRNAMT')));
    }
  },
});
