// Faults in the fields of single lines: amount, direction, kind, currency, time, reference, description.

import { formatInstant, HOUR } from '../../../core/domain/instant.ts';
import type { Books } from '../../books.ts';
import { credit } from '../../postings.ts';
import { drawInteger, type Random } from '../../random.ts';
import type { ServedEntry } from '../../served.ts';
import { alterLine, insertLines } from '../edit-books.ts';
import { atLine, type Change, defineFault, type Fault } from '../fault.ts';
import { innerLines, pick } from '../find-cases.ts';

const WITH_OPERATION = ['CASHIN_CREDIT', 'CASHIN_FEE', 'CASHOUT_DEBIT', 'CASHOUT_FEE', 'CASHOUT_HOLD'];
const FIVE_YEARS = 5 * 365 * 24 * HOUR;

/** Changes one line of these kinds, its running figures left as they were. */
function alterOne(kinds: readonly string[], changes: (line: ServedEntry, books: Books) => Partial<ServedEntry>) {
  return (books: Books, random: Random): Change | null => {
    const index = pick(random, innerLines(books, kinds));
    return index === null ? null : atLine(alterLine(books, index, changes(books.entries[index]!, books)), index);
  };
}

export const LINE_FIELD_FAULTS: readonly Fault[] = [
  defineFault({
    name: 'AMOUNT_NOT_POSITIVE',
    says: 'the amount of one line is zero; the running figures still move by the true amount',
    change: alterOne(['CASHIN_CREDIT'], () => ({ amount: 0 })),
  }),
  defineFault({
    name: 'AMOUNT_NOT_POSITIVE/negative',
    says: 'the amount of one debit is written with a minus sign',
    change: alterOne(['CASHOUT_DEBIT'], ({ amount }) => ({ amount: -amount })),
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
    change: alterOne(['CASHOUT_DEBIT', 'CASHIN_FEE'], () => ({ direction: 'CREDIT' })),
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
    change: alterOne(['CASHOUT_HOLD'], () => ({ direction: 'BLOCK' })),
  }),
  defineFault({
    name: 'CURRENCY_MISMATCH',
    says: 'one line is in another currency than the wallet',
    change: alterOne(WITH_OPERATION, ({ currency }) => ({ currency: currency === 'XOF' ? 'XAF' : 'XOF' })),
  }),
  defineFault({
    name: 'ENTRY_TIME_IMPOSSIBLE',
    says: 'one line is dated years after the reading',
    change: alterOne(WITH_OPERATION, (_, { asOf }) => ({ createdAt: formatInstant(asOf + FIVE_YEARS) })),
  }),
  defineFault({
    name: 'ENTRY_TIME_IMPOSSIBLE/early',
    says: 'one line is dated before the merchant existed',
    change: alterOne(WITH_OPERATION, (_, { merchant }) => ({
      createdAt: formatInstant(Date.parse(merchant.createdAt) - FIVE_YEARS),
    })),
  }),
  defineFault({
    name: 'REFERENCE_MISSING',
    says: 'one line of an operation does not name it',
    change: alterOne(['CASHIN_CREDIT', 'CASHOUT_DEBIT'], () => ({ operationReference: null })),
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
