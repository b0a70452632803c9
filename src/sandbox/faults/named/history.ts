// Faults that a single reading cannot show, because the service answers differently than before.
// They must be planted in a running service, after an earlier reading. They fall on the newest rows
// that a daily look has seen, because the next look reads only few older ones again.

import { formatInstant, SECOND } from '../../../core/domain/instant.ts';
import { isFinal } from '../../../core/domain/operation.ts';
import { operatorsOf } from '../../model/operators.ts';
import type { Books } from '../../model/plan.ts';
import { credit } from '../../model/postings.ts';
import { drawUuid, type Random } from '../../model/random.ts';
import type { Operator, ServedOperation } from '../../model/served.ts';
import {
  alterLine,
  alterOperation,
  atLine,
  atOperation,
  atSequence,
  type Change,
  insertBefore,
  movementsOf,
  shiftFrom,
  unpost,
} from '../port/edit-books.ts';
import { casesOf, drawFew, inner, newestSeen, roomy, spared } from '../port/find-cases.ts';
import { defineFaults } from '../port/planting.ts';

export const HISTORY_FAULTS = defineFaults({
  ENTRY_REWRITTEN: atNewest(inner('CASHIN_CREDIT', 'CASHOUT_DEBIT'), (books, index) =>
    atLine(alterLine(books, index, { description: 'Libellé corrigé après coup' }), index),
  ),
  'ENTRY_REWRITTEN/carried': atNewest(
    roomy('ADJUSTMENT_CREDIT', 'ADJUSTMENT_DEBIT'),
    (books, index, random) => {
      const extra = drawFew(random);
      const balance = movementsOf(books)[index]!.balance < 0 ? -extra : extra;
      const { amount } = books.entries[index]!;
      return atLine(
        shiftFrom(alterLine(books, index, { amount: amount + extra }), index, { balance }),
        index,
      );
    },
  ),
  ENTRY_DELETED: atNewest(
    (books) =>
      spared(
        books,
        inner('ADJUSTMENT_CREDIT', 'ADJUSTMENT_DEBIT')(books),
        ({ amount }) => amount + 1,
      ),
    (books, index) => ({ ...atLine(books, index), books: unpost(books, index) }),
  ),
  ENTRY_INSERTED_LATE: atNewest(
    inner('CASHIN_CREDIT', 'CASHIN_FEE', 'CASHOUT_DEBIT'),
    (books, index, random) => {
      const changes = { operationReference: null, description: 'Bonus après coup' };
      return insertBefore(
        books,
        random,
        index,
        [credit('ADJUSTMENT_CREDIT', drawFew(random))],
        changes,
      );
    },
  ),
  SEQUENCE_RESET: atNewest(inner('CASHIN_CREDIT'), (books, index, random) => {
    const later = (at: string): string => formatInstant(Date.parse(at) + SECOND);
    const entries = books.entries.map((entry, i) =>
      i < index ? entry : { ...entry, id: drawUuid(random), createdAt: later(entry.createdAt) },
    );
    return atSequence({ ...books, entries }, index);
  }),
  OPERATION_FIELD_CHANGED: (books) => {
    const others = casesOf(books, 'CASHIN').flatMap(({ operation }) => {
      const operators: readonly Operator[] = operatorsOf(operation.country);
      const operator = operators.find((candidate) => candidate !== operation.operator);
      return operator === undefined ? [] : [{ ...operation, operator }];
    });
    const one = newestSeen(books, others, ({ updatedAt }) => updatedAt);
    return one === null ? null : tamper(books, one.reference, { operator: one.operator });
  },
  OPERATION_VANISHED: (books) => without(books, newestFailed(books)),
  'OPERATION_OVERDUE/vanished': (books) => {
    const isOpen = ({ type, status }: ServedOperation) => type === 'CASHIN' && !isFinal(status);
    return without(books, books.operations.findLast(isOpen) ?? null);
  },
  STATUS_REGRESSION: (books) => {
    const one = newestFailed(books);
    if (one === null) return null;
    const updatedAt = formatInstant(books.asOf);
    const expired = {
      status: 'EXPIRED',
      failure: null,
      updatedAt,
      completedAt: one.expiresAt,
    } as const;
    return tamper(books, one.reference, expired);
  },
});

/** Changes a line found by `find`: the newest one that a daily look has seen. */
function atNewest(
  find: (books: Books) => readonly number[],
  change: (books: Books, index: number, random: Random) => Change,
) {
  return (books: Books, random: Random): Change | null => {
    const index = newestSeen(books, find(books), (line) => books.entries[line]!.createdAt);
    return index === null ? null : change(books, index, random);
  };
}

function without(books: Books, one: ServedOperation | null): Change | null {
  if (one === null) return null;
  const operations = books.operations.filter((operation) => operation !== one);
  return atOperation({ ...books, operations }, one.reference);
}

function newestFailed(books: Books): ServedOperation | null {
  const failed = casesOf(books, 'CASHIN', ['FAILED']).map(({ operation }) => operation);
  return newestSeen(books, failed, ({ updatedAt }) => updatedAt);
}

/** Changes an operation. Its notifications stay, because the service cannot take them back. */
function tamper(books: Books, reference: string, changes: Partial<ServedOperation>): Change {
  const { notifications } = books;
  return atOperation({ ...alterOperation(books, reference, changes), notifications }, reference);
}
