// Lines that stand before an opening, as the replay took them when it passed them: recorded lines that were looked up again, and
// in place of the odd ones among them what the opening has kept.

import { directionOf, type EntryKind, type LedgerEntry } from '../../domain/ledger-entry.ts';
import { statedAt } from '../../domain/period.ts';
import type { MonthSettings } from '../month-settings.ts';
import type { EarlierLine, Opening } from './opening.ts';

/** `lines`: by sequence, each below the opening's position; of a shared sequence, any of them. */
export function earlierLines(
  { odd }: Opening,
  lines: readonly LedgerEntry[],
  dating: Pick<MonthSettings, 'closed' | 'moved'>,
): readonly EarlierLine[] {
  const kept = Map.groupBy(odd ?? [], ({ entry }) => entry.sequence);
  return lines.flatMap((entry, i): readonly EarlierLine[] => {
    const known = kept.get(entry.sequence);
    if (known === undefined)
      return [
        { entry: { ...entry, createdAt: statedAt(entry, dating) }, effect: effectOf(entry), move: moveOf(entry) },
      ];
    return lines[i - 1]?.sequence === entry.sequence ? [] : known;
  });
}

/** True: only the lines before it say how much of its hold it takes (`replay/move-of.ts`). */
export function takesFromHold({ kind }: Pick<LedgerEntry, 'kind'>): boolean {
  return kind === 'CASHOUT_DEBIT' || kind === 'CASHOUT_FEE';
}

/** True: its kind and its direction agree, and say what it moved. */
export function isPlain({ kind, direction }: LedgerEntry): boolean {
  return directionOf(kind as EntryKind) === direction;
}

function effectOf({ direction, amount }: LedgerEntry): number {
  return direction === 'CREDIT' ? amount : direction === 'DEBIT' ? -amount : 0;
}

/** Of a line that takes from no hold. */
function moveOf({ direction, amount }: LedgerEntry): number {
  return direction === 'HOLD' ? amount : direction === 'RELEASE' ? -amount : 0;
}
