// The figures of a bank statement, read back: balances at its ends, what each day moved, and how many entries there are.

import type { Statement } from '../../../core/statements/statement.ts';
import type { FigureDifference } from './read-back.ts';

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

export function beginBank(): ShownBank {
  return { closing: null, available: null, count: 0, byDay: new Map() };
}

export function takeShownEntry(shown: ShownBank, day: string, effect: number): void {
  shown.count += 1;
  shown.byDay.set(day, (shown.byDay.get(day) ?? 0) + effect);
}

/** The opening is compared where it is shown, and else by what the entries leave of the closing. */
export function finishBank(shown: ShownBank, { summary, journal, days }: Statement): readonly FigureDifference[] {
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
