// Faults that one reading cannot show: what was served before is served differently now. They make sense only in a
// service that lives on, planted after an earlier reading. They fall on the newest rows that somebody who looks once a day
// has seen: whoever reads on from where a look ended begins a little before, and need not meet older ones again.

import { formatInstant } from '../../../core/domain/instant.ts';
import { isFinal } from '../../../core/domain/operation.ts';
import { operatorsOf } from '../../model/operators.ts';
import { atLine, atOperation, type Books, defineFault, type Fault } from '../../model/plan.ts';
import { drawInteger } from '../../model/random.ts';
import type { Operator, ServedOperation } from '../../model/served.ts';
import { alterOperation, movementsOf, withMovements } from '../port/edit-books.ts';
import { casesOf, innerLines, newestSeen, slackOf } from '../port/find-cases.ts';
import { LINE_REWRITTEN } from './demo-faults.ts';

export const HISTORY_FAULTS: readonly Fault[] = [
  LINE_REWRITTEN,
  defineFault({
    name: 'SEQUENCE_DUPLICATE/carried',
    says: 'the amount of a posted adjustment is changed and all later figures follow',
    change: (books, random) => {
      const slack = slackOf(books);
      const roomy = innerLines(books, ['ADJUSTMENT_CREDIT', 'ADJUSTMENT_DEBIT']).filter((line) => slack[line]! > 200);
      const index = newestSeen(books, roomy, (line) => books.entries[line]!.createdAt);
      if (index === null) return null;
      const movements = movementsOf(books);
      const { entry, balance, step, reserved } = movements[index]!;
      const extra = drawInteger(random, { from: 1, to: 99 });
      const larger = { ...entry, amount: entry.amount + extra };
      const moved = { entry: larger, step, reserved, balance: balance < 0 ? balance - extra : balance + extra };
      return atLine(withMovements(books, movements.with(index, moved)), index);
    },
  }),
  defineFault({
    name: 'OPERATION_FIELD_CHANGED',
    says: 'an operation that succeeded is now stated with another operator',
    change: (books) => {
      const others = casesOf(books, { type: 'CASHIN', statuses: ['SUCCEEDED'] }).flatMap(({ operation }) => {
        const operators: readonly Operator[] = operatorsOf(operation.country);
        const operator = operators.find((candidate) => candidate !== operation.operator);
        return operator === undefined ? [] : [{ ...operation, operator }];
      });
      const one = newestSeen(books, others, ({ updatedAt }) => updatedAt);
      if (one === null) return null;
      return atOperation(tamper(books, one.reference, { operator: one.operator }), one.reference);
    },
  }),
  defineFault({
    name: 'OPERATION_VANISHED',
    says: 'a failed collection, which has no lines, is no longer served',
    change: (books) => {
      const one = newestFailed(books);
      return one === null ? null : atOperation(without(books, one), one.reference);
    },
  }),
  defineFault({
    name: 'OPERATION_OVERDUE/vanished',
    says: 'a collection that was still open is no longer served, and nobody learns how it ended',
    change: (books) => {
      const isOpen = ({ type, status }: ServedOperation) => type === 'CASHIN' && !isFinal(status);
      const one = books.operations.findLast(isOpen);
      return one === undefined ? null : atOperation(without(books, one), one.reference);
    },
  }),
  defineFault({
    name: 'STATUS_REGRESSION',
    says: 'a collection that had failed is now stated as expired',
    change: (books) => {
      const one = newestFailed(books);
      if (one === null) return null;
      const { reference, expiresAt } = one;
      const updatedAt = formatInstant(books.asOf);
      const expired = { status: 'EXPIRED', failure: null, updatedAt, completedAt: expiresAt } as const;
      return atOperation(tamper(books, reference, expired), reference);
    },
  }),
];

function without(books: Books, one: ServedOperation): Books {
  return { ...books, operations: books.operations.filter((operation) => operation !== one) };
}

function newestFailed(books: Books): ServedOperation | null {
  const failed = casesOf(books, { type: 'CASHIN', statuses: ['FAILED'] }).map(({ operation }) => operation);
  return newestSeen(books, failed, ({ updatedAt }) => updatedAt);
}

/** What was notified before cannot be taken back. */
function tamper(books: Books, reference: string, changes: Partial<ServedOperation>): Books {
  return { ...alterOperation(books, reference, changes), notifications: books.notifications };
}
