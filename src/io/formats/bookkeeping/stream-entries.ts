// The month's entries in the order of a journal: those of lines by sequence, the others behind the lines of their day. Dates never
// go back, as programs that check balances want it.

import type { Amount } from '../../../core/domain/amount.ts';
import type { JournalEntry, JournalSection } from '../../../core/statements/journal.ts';
import type { LineStream, StatementLine } from '../../../core/statements/statement-line.ts';
import type { StatementDocument } from '../format.ts';

export interface StreamedEntry {
  /** Null: the line has none of its own, since it moves no balance or stands in the entry of its day. */
  readonly entry: JournalEntry | null;
  /** Null: the entry is of no line, or of several. */
  readonly line: StatementLine | null;
  /** `YYYY-MM-DD`: the entry's own date, or a later one where the ledger's dates go back. */
  readonly date: string;
  /** What the wallet's account holds after it, sub-accounts included. */
  readonly wallet: Amount;
}

interface Running {
  readonly others: JournalEntry[];
  date: string;
  wallet: Amount;
}

/** Of a whole document. */
export function entriesOf({ statement, lines }: StatementDocument): AsyncIterable<readonly StreamedEntry[]> {
  return streamEntries(statement.journal, lines);
}

/** In batches as the lines come; each call starts at the first line. */
export async function* streamEntries(
  { others, wallet }: Pick<JournalSection, 'others' | 'wallet'>,
  lines: LineStream,
): AsyncGenerator<readonly StreamedEntry[]> {
  const running: Running = { others: [...others].reverse(), date: '', wallet: wallet.opening };
  for await (const batch of lines()) {
    yield batch.flatMap((line) => {
      const day = line.localTime.slice(0, 10);
      const due = day > running.date ? othersBefore(running, day) : [];
      running.date = day > running.date ? day : running.date;
      return [...due, place(running, line.entry?.source === 'line' ? line.entry : null, line)];
    });
  }
  const left = othersBefore(running, null);
  if (left.length > 0) yield left;
}

/** Null: all that are left. */
function othersBefore(running: Running, day: string | null): readonly StreamedEntry[] {
  const due: StreamedEntry[] = [];
  for (;;) {
    const entry = running.others.at(-1);
    if (entry === undefined || (day !== null && entry.date >= day)) return due;
    running.others.pop();
    if (entry.date > running.date) running.date = entry.date;
    due.push(place(running, entry, null));
  }
}

function place(running: Running, entry: JournalEntry | null, line: StatementLine | null): StreamedEntry {
  for (const { role, debit, credit } of entry?.rows ?? []) {
    if (role === 'wallet') running.wallet += debit - credit;
  }
  return { entry, line, date: running.date, wallet: running.wallet };
}
