// Faults in which a line stands under another number than it was posted with. Its content is as it was.

import type { Books } from '../../books.ts';
import type { Random } from '../../random.ts';
import type { ServedEntry } from '../../served.ts';
import { atLine, defineFault, type Fault } from '../fault.ts';
import { innerLines, pick } from '../find-cases.ts';

export const MISPLACED_LINE_FAULTS: readonly Fault[] = [
  defineFault({
    name: 'LINES_MISSING/moved',
    says: 'one credit stands behind all other lines, under a number of its own; the one that it had is missing',
    change: (books, random) => {
      const last = books.entries.at(-1);
      return last === undefined ? null : renumber(books, random, () => last.sequence + 1);
    },
  }),
  defineFault({
    name: 'LINES_MISSING/taken',
    says: 'one credit bears the number of a later line; the one that it had is missing',
    change: (books, random) =>
      renumber(books, random, (index) => pick(random, books.entries.slice(index + 3, -1))?.sequence ?? null),
  }),
  defineFault({
    name: 'BALANCE_DRIFT/exchanged',
    says: 'two credits with other lines between them bear each other’s numbers',
    change: (books, random) => {
      const credits = creditsInRow(books);
      const one = pick(random, credits);
      const other = pick(
        random,
        credits.filter((index) => one !== null && Math.abs(index - one) > 2),
      );
      if (one === null || other === null) return null;
      const { entries } = books;
      const exchanged = entries
        .with(one, { ...entries[other]!, sequence: entries[one]!.sequence })
        .with(other, { ...entries[one]!, sequence: entries[other]!.sequence });
      return atLine({ ...books, entries: exchanged }, Math.min(one, other));
    },
  }),
];

/** Gives one credit another number; the place of the fault is the line behind the hole. */
function renumber(books: Books, random: Random, numberFor: (index: number) => number | null) {
  const index = pick(random, creditsInRow(books));
  const sequence = index === null ? null : numberFor(index);
  if (index === null || sequence === null) return null;
  const moved: ServedEntry = { ...books.entries[index]!, sequence };
  const rest = books.entries.toSpliced(index, 1);
  const behind = rest.findIndex((entry) => entry.sequence > sequence);
  const entries = rest.toSpliced(behind < 0 ? rest.length : behind, 0, moved);
  return { ...atLine({ ...books, entries }, index), operationReference: null };
}

/** Credits next to whose numbers none is skipped. */
function creditsInRow({ entries, ...books }: Books): readonly number[] {
  const follows = (index: number): boolean => entries[index]?.sequence === (entries[index - 1]?.sequence ?? 0) + 1;
  return innerLines({ ...books, entries }, ['CASHIN_CREDIT']).filter((index) => follows(index) && follows(index + 1));
}
