// Faults that one reading cannot show: the service answers otherwise than before. Plant them in a running service, after an earlier
// reading. They fall on the newest rows that a daily look has seen, for the next look reads again only a little of what it knows.

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
  ENTRY_REWRITTEN: {
    says: 'the description of a posted line is changed',
    change: atNewest(inner('CASHIN_CREDIT', 'CASHOUT_DEBIT'), (books, index) =>
      atLine(alterLine(books, index, { description: 'Libellé corrigé après coup' }), index),
    ),
  },
  'ENTRY_REWRITTEN/carried': {
    says: 'the amount of a posted adjustment is changed and all later figures follow',
    change: atNewest(roomy('ADJUSTMENT_CREDIT', 'ADJUSTMENT_DEBIT'), (books, index, random) => {
      const extra = drawFew(random);
      const balance = movementsOf(books)[index]!.balance < 0 ? -extra : extra;
      const { amount } = books.entries[index]!;
      return atLine(shiftFrom(alterLine(books, index, { amount: amount + extra }), index, { balance }), index);
    }),
  },
  ENTRY_DELETED: {
    says: 'a posted adjustment is taken out, and all later lines move up with their figures',
    change: atNewest(
      (books) => spared(books, inner('ADJUSTMENT_CREDIT', 'ADJUSTMENT_DEBIT')(books), ({ amount }) => amount + 1),
      (books, index) => ({ ...atLine(books, index), books: unpost(books, index) }),
    ),
  },
  ENTRY_INSERTED_LATE: {
    says: 'an adjustment is put in between posted lines, and all later lines move down with their figures',
    change: atNewest(inner('CASHIN_CREDIT', 'CASHIN_FEE', 'CASHOUT_DEBIT'), (books, index, random) => {
      const changes = { operationReference: null, description: 'Bonus après coup' };
      return insertBefore(books, random, index, [credit('ADJUSTMENT_CREDIT', drawFew(random))], changes);
    }),
  },
  SEQUENCE_RESET: {
    says: 'the ledger is set back to an earlier line, as from a backup, and what followed is posted a second time',
    change: atNewest(inner('CASHIN_CREDIT'), (books, index, random) => {
      const later = (at: string): string => formatInstant(Date.parse(at) + SECOND);
      const entries = books.entries.map((entry, i) =>
        i < index ? entry : { ...entry, id: drawUuid(random), createdAt: later(entry.createdAt) },
      );
      return atSequence({ ...books, entries }, index);
    }),
  },
  OPERATION_FIELD_CHANGED: {
    says: 'an operation that succeeded is now stated with another operator',
    change: (books) => {
      const others = casesOf(books, 'CASHIN').flatMap(({ operation }) => {
        const operators: readonly Operator[] = operatorsOf(operation.country);
        const operator = operators.find((candidate) => candidate !== operation.operator);
        return operator === undefined ? [] : [{ ...operation, operator }];
      });
      const one = newestSeen(books, others, ({ updatedAt }) => updatedAt);
      return one === null ? null : tamper(books, one.reference, { operator: one.operator });
    },
  },
  OPERATION_VANISHED: {
    says: 'a failed collection, which has no lines, is no longer served',
    change: (books) => without(books, newestFailed(books)),
  },
  'OPERATION_OVERDUE/vanished': {
    says: 'an open collection is no longer served, and its end stays unknown',
    change: (books) => {
      const isOpen = ({ type, status }: ServedOperation) => type === 'CASHIN' && !isFinal(status);
      return without(books, books.operations.findLast(isOpen) ?? null);
    },
  },
  STATUS_REGRESSION: {
    says: 'a collection that had failed is now stated as expired',
    change: (books) => {
      const one = newestFailed(books);
      if (one === null) return null;
      const updatedAt = formatInstant(books.asOf);
      const expired = { status: 'EXPIRED', failure: null, updatedAt, completedAt: one.expiresAt } as const;
      return tamper(books, one.reference, expired);
    },
  },
});

/** Changes the newest of the lines that `find` finds and a daily look has seen. */
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

/** Notifications stay: the service cannot take them back. */
function tamper(books: Books, reference: string, changes: Partial<ServedOperation>): Change {
  const { notifications } = books;
  return atOperation({ ...alterOperation(books, reference, changes), notifications }, reference);
}
