// Faults in the statistics of payments by link. The payments themselves stay as they are.

import { DAY } from '../../../domain/instant.ts';
import { makeWrong } from '../../dashboard/answers.ts';
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
    shows: 'WITH_ALL_PAYMENTS',
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
    says: 'the statistics of a month that is over count one success too many',
    shows: 'WITH_ALL_PAYMENTS',
    plantIn: (life, random) => {
      const wrong = pick(random, periodsOf(life, 7));
      if (wrong === null) return null;
      const isMade = makeWrong(life, 'merchants-monthly-transactions-count', (months) =>
        months.map((one) => (one.month === wrong ? { ...one, total: one.total + 1, success: one.success + 1 } : one)),
      );
      return isMade ? `statistics of ${wrong}` : null;
    },
  },
  {
    name: 'PAYMENT_COUNT_MISMATCH/day',
    says: 'the statistics of a day state one unit less than was paid',
    shows: 'WITH_ALL_PAYMENTS',
    plantIn: (life, random) => {
      const wrong = pick(random, periodsOf(life, 10));
      if (wrong === null) return null;
      const isMade = makeWrong(life, 'merchants-transactions-flow', (days) =>
        days.map((one) => (one.date === wrong ? { ...one, amount: one.amount - 1 } : one)),
      );
      return isMade ? `statistics of ${wrong}` : null;
    },
  },
];

/** Months (7 letters) or days (10) that have payments, all of which ended some time ago. */
function periodsOf({ payments, now }: DashboardLife, letters: 7 | 10): readonly string[] {
  const settled = writeInstant(now - 3 * DAY).slice(0, letters);
  const paid = payments.filter(({ outcome }) => outcome === 'SUCCESS');
  const periods = new Set(paid.map(({ served }) => served.createdAt.slice(0, letters)));
  return [...periods].filter((period) => period < settled);
}
