// Complete books as they were seen earlier: the lines up to one of them, and the operations as they
// may have stood then. Nothing that was served on the way may matter to the final findings, so the
// way may be stranger than any service's.

import type { Instant } from '../../src/core/domain/instant.ts';
import { isFinal, type Operation } from '../../src/core/domain/operation.ts';
import type { DecodedBooks } from './sandbox-books.ts';

/**
 * `orderly`: each operation as it stood at the instant. `unruly`: ahead, behind or not there yet,
 * by chance. `revised`: some with an amount, a partner's reference and a creation that are stated
 * otherwise later.
 */
export type Manner = 'orderly' | 'unruly' | 'revised';

export interface Moment {
  /** How many lines there are. With all of them, the books are the complete books. */
  readonly lines: number;
  readonly manner: Manner;
}

export function booksAt(final: DecodedBooks, moment: Moment): DecodedBooks {
  if (moment.lines >= final.entries.length) return final;
  const entries = final.entries.slice(0, Math.max(0, moment.lines));
  const head = entries.at(-1);
  const asOf = entries
    .map((entry) => entry.createdAt)
    .filter((at) => at <= final.asOf)
    .reduce((latest, at) => Math.max(latest, at), final.profile.createdAt);
  const balance = head?.balanceAfter ?? 0;
  const reserved = head?.reservedAfter ?? 0;
  return {
    asOf,
    profile: final.profile,
    wallet: { ...final.wallet, balance, reserved, available: balance - reserved, updatedAt: asOf },
    entries,
    operations: final.operations.flatMap((operation, i) => {
      const stood =
        moment.manner === 'unruly' ? byChance(operation, asOf, i) : asItStood(operation, asOf);
      const seen =
        moment.manner === 'revised' && stood !== null && i % 9 === 0 ? revised(stood) : stood;
      return seen === null ? [] : [seen];
    }),
    payments: final.payments.filter((payment) => payment.createdAt <= asOf),
    reports: final.reports.filter((report) => (report.generatedAt ?? 0) <= asOf),
    notifications: final.notifications.filter(({ notification }) => notification.createdAt <= asOf),
  };
}

function asItStood(operation: Operation, at: Instant): Operation | null {
  if (operation.createdAt > at) return null;
  if (operation.updatedAt <= at) return operation;
  const { completedAt } = operation;
  const wasDone = operation.status === 'REVERSED' && completedAt !== null && completedAt <= at;
  return wasDone
    ? { ...operation, status: 'SUCCEEDED', updatedAt: completedAt }
    : pending(operation);
}

function pending(operation: Operation): Operation {
  if (!isFinal(operation.status)) return { ...operation, updatedAt: operation.createdAt };
  return {
    ...operation,
    status: 'PENDING',
    updatedAt: operation.createdAt,
    completedAt: null,
    failureCode: null,
  };
}

function revised(operation: Operation): Operation {
  const amount = operation.amount + 100;
  const createdAt = operation.createdAt + 1_000;
  return {
    ...operation,
    amount,
    netAmount: operation.netAmount + 100,
    createdAt,
    externalReference: 'revised later',
  };
}

/**
 * Returns one operation in three as it stood; the others are missing, still open, as they end, or
 * as if not reversed.
 */
function byChance(operation: Operation, at: Instant, number: number): Operation | null {
  switch ((Math.imul(number + 1, 0x9e3779b1) >>> 7) % 6) {
    case 0:
      return null;
    case 1:
      return pending(operation);
    case 2:
      return operation.createdAt > at ? null : operation;
    case 3:
      return operation.status === 'REVERSED' ? { ...operation, status: 'SUCCEEDED' } : operation;
    default:
      return asItStood(operation, at);
  }
}
