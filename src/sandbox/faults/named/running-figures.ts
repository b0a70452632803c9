// Faults in balanceAfter and reservedAfter: figures that do not follow from the line before them.

import { drawInteger } from '../../random.ts';
import { BALANCE_DRIFTS_ON, drawOffset } from '../demo-faults.ts';
import { alterLine, movementsOf, withMovements } from '../edit-books.ts';
import { atLine, defineFault, type Fault } from '../fault.ts';
import { innerLines, pick, pickRoomyLine } from '../find-cases.ts';

export const RUNNING_FIGURE_FAULTS: readonly Fault[] = [
  defineFault({
    name: 'BALANCE_DRIFT',
    says: 'the balance after one line is off; the next line is right again',
    change: (books, random) => {
      const index = pickRoomyLine(books, random);
      if (index === null) return null;
      const { balanceAfter } = books.entries[index]!;
      return atLine(alterLine(books, index, { balanceAfter: balanceAfter + drawOffset(random) }), index);
    },
  }),
  defineFault({
    name: 'BALANCE_DRIFT/amount',
    says: 'the amount of one credit is altered; the running figures are as they were',
    change: (books, random) => {
      const index = pick(random, innerLines(books, ['CASHIN_CREDIT']));
      if (index === null) return null;
      const { amount } = books.entries[index]!;
      return atLine(alterLine(books, index, { amount: amount + drawInteger(random, { from: 1, to: 99 }) }), index);
    },
  }),
  BALANCE_DRIFTS_ON,
  defineFault({
    name: 'RESERVED_DRIFT',
    says: 'the reserved amount after one collection line is off; the next line is right again',
    change: (books, random) => {
      const index = pickRoomyLine(books, random);
      if (index === null) return null;
      const reservedAfter = books.entries[index]!.reservedAfter + drawInteger(random, { from: 1, to: 99 });
      return atLine(alterLine(books, index, { reservedAfter }), index);
    },
  }),
  defineFault({
    name: 'RESERVED_DRIFT/persistent',
    says: 'from one collection line on every reserved amount is too high, and so is the wallet',
    change: (books, random) => {
      const index = pickRoomyLine(books, random);
      if (index === null) return null;
      const movements = movementsOf(books);
      const reserved = movements[index]!.reserved + drawInteger(random, { from: 1, to: 99 });
      return atLine(withMovements(books, movements.with(index, { ...movements[index]!, reserved })), index);
    },
  }),
  defineFault({
    name: 'OPENING_BALANCE_UNEXPLAINED',
    says: 'the ledger starts from a balance that nothing explains',
    change: (books, random) => {
      const [first, ...later] = movementsOf(books);
      if (first === undefined) return null;
      const balance = first.balance + drawInteger(random, { from: 1_000, to: 90_000 });
      return { ...atLine(withMovements(books, [{ ...first, balance }, ...later]), 0), operationReference: null };
    },
  }),
];
