// Builds the tables by kind and by day, and of what was open at the cut-off, out of the month's
// figures.

import { directionOf, ENTRY_KINDS, isEntryKind } from '../../domain/ledger-entry.ts';
import { plus, sumOf } from '../exact.ts';
import type { DayRow, MonthRow, MovementRow } from '../section-movements.ts';
import type {
  CorrectionSection,
  CrossingSection,
  OpenHold,
  OpenHoldSection,
} from '../section-reconciliation.ts';
import type { Collections } from '../summary.ts';
import { crossingsOf } from './cut-off.ts';
import { addColumns, emptyColumns, sumCollections } from './money-columns.ts';
import { type MonthFigures, NO_LINES } from './month-figures.ts';

const ROWS_KEPT = 1_000;

export function movementRows({ byKind }: MonthFigures): readonly MovementRow[] {
  const strangers = [...byKind.keys()].filter((kind) => !isEntryKind(kind)).sort();
  return [...ENTRY_KINDS, ...strangers].map((kind) => {
    return {
      kind,
      direction: isEntryKind(kind) ? directionOf(kind) : null,
      ...(byKind.get(kind) ?? NO_LINES),
    };
  });
}

export function dayRows({ finder, byDay, before }: MonthFigures): readonly DayRow[] {
  let opening = before.balance;
  let reserved = before.reserved;
  return finder.days.map(({ day }, i) => {
    const { entryCount, columns, reserved: moved } = byDay[i]!;
    const closing = plus(opening, columns.net);
    reserved = plus(reserved, moved);
    const row: DayRow = {
      day,
      entryCount,
      opening,
      closing,
      closingReserved: reserved,
      ...columns,
    };
    opening = closing;
    return row;
  });
}

/** Returns the months of a year, as sums of its days. */
export function monthRows(
  days: readonly DayRow[],
  byDay: readonly ({ readonly day: string } & Collections)[],
): readonly MonthRow[] {
  const collected = Map.groupBy(byDay, ({ day }) => day.slice(0, 7));
  return [...Map.groupBy(days, ({ day }) => day.slice(0, 7))].map(([month, own]): MonthRow => {
    const columns = emptyColumns();
    for (const row of own) addColumns(columns, row);
    return {
      month,
      entryCount: sumOf(own, (row) => row.entryCount),
      opening: own[0]!.opening,
      closing: own.at(-1)!.closing,
      closingReserved: own.at(-1)!.closingReserved,
      ...columns,
      collections: sumCollections(collected.get(month) ?? []),
    };
  });
}

/** Returns the references of the holds that the section shows. */
export function shownHolds({ holds }: MonthFigures): readonly (string | null)[] {
  const bySequence = [...holds].sort(([, a], [, b]) => a.sequence - b.sequence);
  return bySequence.slice(0, ROWS_KEPT).map(([reference]) => reference);
}

export function openHoldSection(figures: MonthFigures): OpenHoldSection {
  const { holds, operations } = figures;
  const rows = shownHolds(figures).map((operationReference): OpenHold => {
    const note = operationReference === null ? undefined : operations.notes.get(operationReference);
    const { operator = null, country = null } = note?.group ?? {};
    return { operationReference, ...holds.get(operationReference)!, operator, country };
  });
  return { rows, count: holds.size, total: sumOf(holds.values(), (hold) => hold.held) };
}

export function correctionSection({ corrections }: MonthFigures): CorrectionSection {
  return {
    rows: corrections.rows.toSorted((a, b) => a.sequence - b.sequence),
    count: corrections.count,
  };
}

export function crossingSection({ crossings }: MonthFigures): CrossingSection {
  const found = crossings.map(crossingsOf);
  const rows = found
    .flatMap((one) => one.rows)
    .sort((a, b) => a.sequence - b.sequence || (a.bound < b.bound ? 1 : -1));
  return { rows: rows.slice(0, ROWS_KEPT), count: found.reduce((sum, one) => sum + one.count, 0) };
}
