// Faults in which lines the ledger holds, and under which numbers.

import { formatInstant, SECOND } from '../../../core/domain/instant.ts';
import { drawInteger, drawUuid } from '../../random.ts';
import { RUN_OF_LINES_MISSING } from '../demo-faults.ts';
import { movementsOf, withMovements } from '../edit-books.ts';
import { atLine, defineFault, type Fault } from '../fault.ts';
import { innerLines, pick } from '../find-cases.ts';

export const SEQUENCE_FAULTS: readonly Fault[] = [
  defineFault({
    name: 'LINES_MISSING',
    says: 'one credit is left out of the delivered ledger; its number and its money are missing',
    change: (books, random) => {
      const index = pick(random, innerLines(books, ['CASHIN_CREDIT']));
      if (index === null) return null;
      const shorter = { ...books, entries: books.entries.toSpliced(index, 1) };
      return { ...atLine(shorter, index), operationReference: null };
    },
  }),
  RUN_OF_LINES_MISSING,
  defineFault({
    name: 'SEQUENCE_GAP',
    says: 'numbers were rolled back: the sequence jumps, the figures continue',
    change: (books, random) => {
      const movements = movementsOf(books);
      const index = pick(random, [...movements.keys()].slice(1));
      if (index === null) return null;
      const step = movements[index]!.step + drawInteger(random, { from: 1, to: 5 });
      const jumped = withMovements(books, movements.with(index, { ...movements[index]!, step }));
      return { ...atLine(jumped, index), operationReference: null };
    },
  }),
  defineFault({
    name: 'SEQUENCE_DUPLICATE',
    says: 'a number is given out twice: a second line with another id, time and description and the same figures',
    change: (books, random) => {
      const index = pick(random, innerLines(books, ['CASHIN_CREDIT', 'CASHIN_FEE']));
      if (index === null) return null;
      const line = books.entries[index]!;
      const createdAt = formatInstant(Date.parse(line.createdAt) + SECOND);
      const copy = { ...line, id: drawUuid(random), description: 'Reprise', createdAt };
      return atLine({ ...books, entries: books.entries.toSpliced(index + 1, 0, copy) }, index + 1);
    },
  }),
  defineFault({
    name: 'SEQUENCE_DUPLICATE/renumbered',
    says: 'two successive lines share one number; later numbers and all figures continue',
    change: (books, random) => {
      const movements = movementsOf(books);
      const index = pick(
        random,
        innerLines(books, ['CASHIN_CREDIT', 'CASHIN_FEE']).filter((i) => movements[i]!.step === 1),
      );
      if (index === null) return null;
      const shared = withMovements(books, movements.with(index, { ...movements[index]!, step: 0 }));
      const { operationReference } = books.entries[index]!;
      const concernsOne = books.entries[index - 1]!.operationReference === operationReference;
      return { ...atLine(shared, index), operationReference: concernsOne ? operationReference : null };
    },
  }),
  defineFault({
    name: 'ENTRY_ID_REUSED',
    says: 'a line bears the id of an earlier one',
    change: (books, random) => {
      const index = pick(random, innerLines(books, ['CASHIN_CREDIT', 'CASHIN_FEE', 'CASHOUT_DEBIT']));
      if (index === null) return null;
      const { id } = books.entries[drawInteger(random, { from: 0, to: index - 1 })]!;
      return atLine({ ...books, entries: books.entries.with(index, { ...books.entries[index]!, id }) }, index);
    },
  }),
];
