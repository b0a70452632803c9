// Edits to the operations of complete books: the wallet's totals follow, and what is notified; the ledger does not.

import { type Books, totalsOfOperation, type WalletTotals } from '../../books.ts';
import { notificationOf } from '../../notify.ts';
import type { ServedOperation } from '../../served.ts';
import { shiftWallet } from '../edit-books.ts';
import { followOperation } from './follow-operation.ts';

/**
 * Changes fields of one operation; the wallet's totals follow, and what is notified of it, as if it had always been so.
 * The ledger does not.
 */
export function alterOperation(books: Books, reference: string, changes: Partial<ServedOperation>): Books {
  const known = books.operations.find((operation) => operation.reference === reference)!;
  const altered = { ...known, ...changes };
  const operations = books.operations.map((operation) => (operation === known ? altered : operation));
  return withOperations({ ...books, notifications: followOperation(books, known, altered) }, operations);
}

/**
 * Books with these operations, in ascending createdAt; the wallet's totals move by as much as theirs, and what a new
 * operation has come to is notified.
 */
export function withOperations(books: Books, operations: readonly ServedOperation[]): Books {
  const ordered = operations.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0));
  const [before, after] = [sumTotals(books.operations, books), sumTotals(operations, books)];
  const known = new Set(books.operations.map(({ reference }) => reference));
  const added = ordered.filter(({ reference }) => !known.has(reference));
  const sent = added.flatMap((operation) => notificationOf(books.merchant.reference, operation) ?? []);
  return shiftWallet(
    { ...books, operations: ordered, notifications: [...books.notifications, ...sent] },
    {
      totalCollected: after.totalCollected - before.totalCollected,
      totalDisbursed: after.totalDisbursed - before.totalDisbursed,
      totalFees: after.totalFees - before.totalFees,
    },
  );
}

function sumTotals(operations: readonly ServedOperation[], { policy }: Books): WalletTotals {
  return operations.reduce(
    (sum, operation) => {
      const part = totalsOfOperation(operation, policy);
      return {
        totalCollected: sum.totalCollected + part.totalCollected,
        totalDisbursed: sum.totalDisbursed + part.totalDisbursed,
        totalFees: sum.totalFees + part.totalFees,
      };
    },
    { totalCollected: 0, totalDisbursed: 0, totalFees: 0 },
  );
}
