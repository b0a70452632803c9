// Faults against the bounds of the account profile.

import { DAY } from '../../domain/instant.ts';
import type { Books } from '../books.ts';
import { feeOf, netAmountOf } from '../fee.ts';
import { drawInteger } from '../random.ts';
import { alterOperation } from './edit-books.ts';
import { atOperation, defineFault, type Fault } from './fault.ts';
import { casesOf, pick } from './find-cases.ts';

export const LIMIT_FAULTS: readonly Fault[] = [
  defineFault({
    name: 'AMOUNT_OUT_OF_BOUNDS',
    says: 'a collection that failed was for more than the largest amount allowed',
    change: (books, random) => {
      const one = pick(random, casesOf(books, { type: 'CASHIN', statuses: ['FAILED'] }));
      if (one === null) return null;
      const { merchant, policy } = books;
      const amount = merchant.limits.maxCashinAmount + drawInteger(random, { from: 1, to: 9_999 });
      const terms = { pricing: merchant.pricing, rounding: policy.feeRounding };
      const fees = feeOf({ type: 'CASHIN', amount }, terms);
      const netAmount = netAmountOf({ type: 'CASHIN', amount, fees });
      const { reference } = one.operation;
      return atOperation(alterOperation(books, reference, { amount, fees, netAmount }), reference);
    },
  }),
  defineFault({
    name: 'DAILY_CASHOUT_LIMIT_EXCEEDED',
    says: 'the busiest 24 hours of transfers exceed the ceiling, however they are counted',
    change: (books) => {
      const sums = [busiestDay(books, 'createdAt'), busiestDay(books, 'completedAt')];
      const dailyCashoutLimit = Math.min(...sums) - 1;
      if (dailyCashoutLimit <= 0) return null;
      const limits = { ...books.merchant.limits, dailyCashoutLimit };
      const strict = { ...books, merchant: { ...books.merchant, limits } };
      return { books: strict, sequence: null, operationReference: null };
    },
  }),
];

/** The largest sum of executed transfers, without commissions and without the reversed ones, in any 24 hours. */
function busiestDay(books: Books, clock: 'createdAt' | 'completedAt'): number {
  const transfers = books.operations
    .filter(({ type, status }) => type === 'CASHOUT' && status === 'SUCCEEDED')
    .map((operation) => ({ at: Date.parse(operation[clock]!), amount: operation.amount }))
    .sort((a, b) => a.at - b.at);
  let [first, sum, largest] = [0, 0, 0];
  for (const transfer of transfers) {
    sum += transfer.amount;
    while (transfers[first]!.at <= transfer.at - DAY) {
      sum -= transfers[first]!.amount;
      first += 1;
    }
    largest = Math.max(largest, sum);
  }
  return largest;
}
