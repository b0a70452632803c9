// Faults in the statistics of payments by link. The payments themselves stay as they are.

import { DAY } from '../../../core/domain/instant.ts';
import { answerOf, makeWrong } from '../../dashboard/answers.ts';
import type { DashboardLife } from '../../dashboard/state.ts';
import { writeInstant } from '../../simulation/instant-text.ts';
import { pick } from '../find-cases.ts';
import type { DashboardFault } from './dashboard-fault.ts';

/** More than all payments that may have been paid meanwhile. */
const MANY = 1_000;

export const COUNT_FAULTS: readonly DashboardFault[] = [
  {
    name: 'PAYMENT_COUNT_MISMATCH',
    says: 'the statistics count far more payments than there are',
    shows: 'AT_ONCE',
    plantIn: (life) => {
      const isMade = makeWrong(life, 'merchants-transactions-count', ({ total, success, ...answer }) => ({
        total: total + MANY,
        success: success + MANY,
        ...answer,
      }));
      return isMade ? 'statistics of all' : null;
    },
  },
  {
    name: 'PAYMENT_COUNT_MISMATCH/month',
    says: 'the statistics of a month count far more payments than there are',
    shows: 'AT_ONCE',
    plantIn: (life) => {
      const [wrong] = answerOf(life, 'merchants-monthly-transactions-count').slice(-1);
      if (wrong === undefined) return null;
      const { month } = wrong;
      const isMade = makeWrong(life, 'merchants-monthly-transactions-count', (months) =>
        months.map((one) =>
          one.month === month ? { ...one, total: one.total + MANY, success: one.success + MANY } : one,
        ),
      );
      return isMade ? `statistics of ${month}` : null;
    },
  },
  {
    name: 'PAYMENT_COUNT_MISMATCH/day',
    says: 'the statistics of a day state one unit less than was paid',
    shows: 'AT_ONCE',
    plantIn: (life, random) => {
      const wrong = pick(random, settledDays(life));
      if (wrong === null) return null;
      const isMade = makeWrong(life, 'merchants-transactions-flow', (days) =>
        days.map((one) => (one.date === wrong ? { ...one, amount: one.amount - 1 } : one)),
      );
      return isMade ? `statistics of ${wrong}` : null;
    },
  },
];

/** Days that have payments, all of which ended some time ago. */
function settledDays({ payments, now }: DashboardLife): readonly string[] {
  const until = writeInstant(now - 3 * DAY).slice(0, 10);
  const paid = payments.filter(({ outcome }) => outcome === 'SUCCESS');
  return [...new Set(paid.map(({ served }) => served.createdAt.slice(0, 10)))].filter((day) => day < until);
}
