// Faults in the wallet that the service states, the ledger being sound (but for the reserved amount carried in).

import type { Amount } from '../../../core/domain/amount.ts';
import { type Books, totalsOfOperation, type WalletTotals } from '../../books.ts';
import { TOTALS } from '../../policy.ts';
import { drawInteger, type Random } from '../../random.ts';
import { movementsOf, shiftWallet, withMovements } from '../edit-books.ts';
import { defineFault, type Fault } from '../fault.ts';
import { slackOf } from '../find-cases.ts';

export const WALLET_FAULTS: readonly Fault[] = [
  defineFault({
    name: 'WALLET_IDENTITY_BROKEN',
    says: 'the wallet’s available amount is not its balance less what is reserved',
    change: (books, random) => atWallet(shiftWallet(books, { available: drawOffset(random) })),
  }),
  defineFault({
    name: 'WALLET_BALANCE_MISMATCH',
    says: 'the wallet’s balance is not the ledger’s',
    change: (books, random) => {
      const offset = drawOffset(random);
      return atWallet(shiftWallet(books, { balance: offset, available: offset }));
    },
  }),
  defineFault({
    name: 'WALLET_RESERVED_MISMATCH',
    says: 'the wallet’s reserved amount is not the ledger’s',
    change: (books, random) => {
      const offset = drawOffset(random);
      return atWallet(shiftWallet(books, { reserved: offset, available: -offset }));
    },
  }),
  defineFault({
    name: 'OPEN_HOLDS_MISMATCH',
    says: 'an amount that no hold explains was reserved before the first line and ever since',
    change: (books, random) => {
      const [first, ...later] = movementsOf(books);
      if (first === undefined) return null;
      const room = slackOf(books)[0]!;
      if (room < 1) return null;
      const reserved = first.reserved + drawInteger(random, { from: 1, to: Math.min(40, room) });
      return atWallet(withMovements(books, [{ ...first, reserved }, ...later]));
    },
  }),
  defineFault({
    name: 'TOTAL_COLLECTED_MISMATCH',
    says: 'the wallet’s total collected fits no way of counting',
    change: (books, random) => shiftTotal(books, random, 'totalCollected'),
  }),
  defineFault({
    name: 'TOTAL_DISBURSED_MISMATCH',
    says: 'the wallet’s total disbursed fits no way of counting',
    change: (books, random) => shiftTotal(books, random, 'totalDisbursed'),
  }),
  defineFault({
    name: 'TOTAL_FEES_MISMATCH',
    says: 'the wallet’s total of fees fits no way of counting',
    change: (books, random) => shiftTotal(books, random, 'totalFees'),
  }),
];

/** No line and no operation to name: the place is the wallet. */
function atWallet(books: Books) {
  return { books, sequence: null, operationReference: null };
}

function shiftTotal(books: Books, random: Random, total: keyof WalletTotals) {
  const lawful = TOTALS.map((totals) =>
    books.operations.reduce(
      (sum, operation) => sum + totalsOfOperation(operation, { ...books.policy, totals })[total],
      0,
    ),
  );
  let offset = drawOffset(random);
  while (lawful.includes(books.wallet[total] + offset)) offset = drawOffset(random);
  return atWallet(shiftWallet(books, { [total]: offset }));
}

function drawOffset(random: Random): Amount {
  return drawInteger(random, { from: 11, to: 997 });
}
