// Faults in single lines: which lines the ledger holds and under which numbers, running figures that do not follow from the line
// before, and fields of a line.

import { formatInstant, HOUR, SECOND } from '../../../core/domain/instant.ts';
import { atLine, type Books, type Change, defineFault, type Fault } from '../../model/plan.ts';
import { credit } from '../../model/postings.ts';
import { drawInteger, drawUuid, type Random } from '../../model/random.ts';
import type { ServedEntry } from '../../model/served.ts';
import { alterLine, insertLines, movementsOf, withMovements } from '../port/edit-books.ts';
import { innerLines, pick, pickRoomyLine } from '../port/find-cases.ts';
import { BALANCE_DRIFTS_ON, drawOffset, RUN_OF_LINES_MISSING } from './demo-faults.ts';

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

const WITH_OPERATION = ['CASHIN_CREDIT', 'CASHIN_FEE', 'CASHOUT_DEBIT', 'CASHOUT_FEE', 'CASHOUT_HOLD'];
const FIVE_YEARS = 5 * 365 * 24 * HOUR;

/** Changes one line of these kinds, its running figures left as they were. */
function alterLineOf(kinds: readonly string[], changes: (line: ServedEntry, books: Books) => Partial<ServedEntry>) {
  return (books: Books, random: Random): Change | null => {
    const index = pick(random, innerLines(books, kinds));
    return index === null ? null : atLine(alterLine(books, index, changes(books.entries[index]!, books)), index);
  };
}

export const LINE_FIELD_FAULTS: readonly Fault[] = [
  defineFault({
    name: 'AMOUNT_NOT_POSITIVE',
    says: 'the amount of one line is zero; the running figures still move by the true amount',
    change: alterLineOf(['CASHIN_CREDIT'], () => ({ amount: 0 })),
  }),
  defineFault({
    name: 'AMOUNT_NOT_POSITIVE/negative',
    says: 'the amount of one debit is written with a minus sign',
    change: alterLineOf(['CASHOUT_DEBIT'], ({ amount }) => ({ amount: -amount })),
  }),
  defineFault({
    name: 'AMOUNT_NOT_POSITIVE/inserted',
    says: 'an adjustment of zero is posted',
    change: (books, random) => {
      const index = pick(random, innerLines(books, ['CASHIN_CREDIT']));
      if (index === null) return null;
      const like = { ...books.entries[index]!, operationReference: null, description: 'Régularisation nulle' };
      return atLine(insertLines(books, random, { index, posts: [credit('ADJUSTMENT_CREDIT', 0)], like }), index);
    },
  }),
  defineFault({
    name: 'KIND_DIRECTION_MISMATCH',
    says: 'a debit is marked as a credit; the running figures show that it was a debit',
    change: alterLineOf(['CASHOUT_DEBIT', 'CASHIN_FEE'], () => ({ direction: 'CREDIT' })),
  }),
  defineFault({
    name: 'UNKNOWN_KIND',
    says: 'a credit of a kind that the document does not have, tied to no operation',
    change: (books, random) => {
      const index = pick(random, innerLines(books, ['CASHIN_CREDIT']));
      if (index === null) return null;
      const posts = [credit('ADJUSTMENT_CREDIT', drawInteger(random, { from: 100, to: 900 }))];
      const like = { ...books.entries[index]!, operationReference: null, description: 'Bonus' };
      const longer = insertLines(books, random, { index, posts, like });
      return atLine(alterLine(longer, index, { kind: 'PROMOTION_CREDIT' }), index);
    },
  }),
  defineFault({
    name: 'UNKNOWN_KIND/direction',
    says: 'the direction of one hold is a word that the document does not have',
    change: alterLineOf(['CASHOUT_HOLD'], () => ({ direction: 'BLOCK' })),
  }),
  defineFault({
    name: 'CURRENCY_MISMATCH',
    says: 'one line is in another currency than the wallet',
    change: alterLineOf(WITH_OPERATION, ({ currency }) => ({ currency: currency === 'XOF' ? 'XAF' : 'XOF' })),
  }),
  defineFault({
    name: 'ENTRY_TIME_IMPOSSIBLE',
    says: 'one line is dated years after the reading',
    change: alterLineOf(WITH_OPERATION, (_, { asOf }) => ({ createdAt: formatInstant(asOf + FIVE_YEARS) })),
  }),
  defineFault({
    name: 'ENTRY_TIME_IMPOSSIBLE/early',
    says: 'one line is dated before the merchant existed',
    change: alterLineOf(WITH_OPERATION, (_, { merchant }) => ({
      createdAt: formatInstant(Date.parse(merchant.createdAt) - FIVE_YEARS),
    })),
  }),
  defineFault({
    name: 'REFERENCE_MISSING',
    says: 'one line of an operation does not name it',
    change: alterLineOf(['CASHIN_CREDIT', 'CASHOUT_DEBIT'], () => ({ operationReference: null })),
  }),
  defineFault({
    name: 'ADJUSTMENT_UNEXPLAINED',
    says: 'an adjustment bears no description',
    change: (books, random) => {
      const index = pick(random, innerLines(books, ['CASHIN_CREDIT']));
      if (index === null) return null;
      const posts = [credit('ADJUSTMENT_CREDIT', drawInteger(random, { from: 100, to: 9_000 }))];
      const like = { ...books.entries[index]!, operationReference: null, description: null };
      return atLine(insertLines(books, random, { index, posts, like }), index);
    },
  }),
  defineFault({
    name: 'ENTRY_BEFORE_OPERATION',
    says: 'a line is dated an hour before its operation was created',
    change: (books, random) => {
      const index = pick(random, innerLines(books, WITH_OPERATION));
      if (index === null) return null;
      const { operationReference } = books.entries[index]!;
      const operation = books.operations.find(({ reference }) => reference === operationReference);
      if (operation === undefined) return null;
      const createdAt = formatInstant(Date.parse(operation.createdAt) - HOUR);
      return atLine(alterLine(books, index, { createdAt }), index);
    },
  }),
];
