// Faults against the bounds of the account profile.

import { DAY } from '../../../core/domain/instant.ts';
import type { Books } from '../../books.ts';
import { feeOf, netAmountOf } from '../../fee.ts';
import { drawInteger } from '../../random.ts';
import { atOperation, defineFault, type Fault } from '../fault.ts';
import { casesOf, pick } from '../find-cases.ts';
import { alterOperation } from './edit-operations.ts';

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
      const counts = [countDays(books, 'createdAt'), countDays(books, 'completedAt')];
      const busiest = counts.map((days) => Math.max(0, ...days.map(({ sum }) => sum)));
      const dailyCashoutLimit = Math.min(...busiest) - 1;
      if (dailyCashoutLimit <= 0) return null;
      const limits = { ...books.merchant.limits, dailyCashoutLimit };
      const strict = { ...books, merchant: { ...books.merchant, limits } };
      const [first, other] = counts.map((days) => days.find(({ sum }) => sum > dailyCashoutLimit)!.reference);
      return { books: strict, sequence: null, operationReference: first === other ? first! : null };
    },
  }),
];

/** For each executed transfer that was not reversed: the 24 hours that end with it, summed without commissions. */
function countDays(books: Books, clock: 'createdAt' | 'completedAt') {
  const transfers = books.operations
    .filter(({ type, status }) => type === 'CASHOUT' && status === 'SUCCEEDED')
    .map((operation) => ({ ...operation, at: Date.parse(operation[clock]!) }))
    .sort((a, b) => a.at - b.at);
  let [first, sum] = [0, 0];
  return transfers.map((transfer) => {
    sum += transfer.amount;
    while (transfers[first]!.at <= transfer.at - DAY) {
      sum -= transfers[first]!.amount;
      first += 1;
    }
    return { reference: transfer.reference, sum };
  });
}
