// Faults in what an executed transfer takes out of the wallet.

import type { Amount } from '../../../core/domain/amount.ts';
import { MINUTE } from '../../../core/domain/instant.ts';
import type { Books } from '../../books.ts';
import { debit, release } from '../../postings.ts';
import { drawInteger, type Random } from '../../random.ts';
import { insertLines, movementsOf, repost, unpost } from '../edit-books.ts';
import { atLine, atOperation, type Change, defineFault, type Fault } from '../fault.ts';
import { casesOf, LAPSED, lineOf, pick, slackOf } from '../find-cases.ts';
import { alterOperation } from './edit-operations.ts';
import { addOperation, fabricateOperation, postAt } from './fabricate.ts';

export const DEBIT_FAULTS: readonly Fault[] = [
  defineFault({
    name: 'DEBIT_WITHOUT_HOLD',
    says: 'a cash-out that was only just recorded, and held nothing, was debited',
    change: (books, random) => {
      const createdAt = books.asOf - 50 * MINUTE;
      const amount = books.merchant.limits.minCashoutAmount;
      const wish = { type: 'CASHOUT', status: 'CREATED', amount, createdAt, movedAt: createdAt } as const;
      const operation = fabricateOperation(books, random, wish);
      if ((slackOf(books).at(-1) ?? 0) < 3 * amount) return null;
      const posts = [debit('CASHOUT_DEBIT', amount)];
      const at = createdAt + 10 * MINUTE;
      const posted = postAt(addOperation(books, operation), random, { at, posts, operation });
      return atLine(posted.books, posted.index);
    },
  }),
  defineFault({
    name: 'DEBIT_MISSING',
    says: 'an executed transfer was never debited; a hold that only the debit consumes stays open',
    change: (books, random) => {
      const index = pick(random, debitsOf(books));
      return index === null ? null : atOperation(unpost(books, [index]), books.entries[index]!.operationReference!);
    },
  }),
  defineFault({
    name: 'DEBIT_DUPLICATED',
    says: 'an executed transfer was debited twice; the hold was consumed once',
    change: (books, random) => debitAgain(books, random, () => 0),
  }),
  defineFault({
    name: 'DEBIT_DUPLICATED/consumed',
    says: 'an executed transfer was debited twice, and the second debit lowered the reserved amount as well',
    change: (books, random) => debitAgain(books, random, (amount) => -amount),
  }),
  defineFault({
    name: 'DEBIT_AMOUNT_MISMATCH',
    says: 'an executed transfer was debited with a little less than its amount',
    change: (books, random) => {
      const index = pick(random, debitsOf(books));
      if (index === null) return null;
      const line = books.entries[index]!;
      const amount = line.amount - drawInteger(random, { from: 1, to: Math.min(99, line.amount - 1) });
      const { reserved } = movementsOf(books)[index]!;
      const consumed = reserved === -line.amount ? -amount : reserved;
      return atLine(repost(books, index, { ...debit('CASHOUT_DEBIT', amount), reserved: consumed }), index);
    },
  }),
  defineFault({
    name: 'DEBIT_WITHOUT_SUCCESS/consumed',
    says: 'a cash-out that lapsed was debited before its hold was released, and the debit lowered the reserved amount',
    change: (books, random) => {
      const slack = slackOf(books);
      const releases = casesOf(books, { type: 'CASHOUT', statuses: LAPSED }).flatMap((one) => {
        const [index, { amount }] = [lineOf(one, books, 'CASHOUT_RELEASE'), one.operation];
        return index >= 0 && slack[index]! >= amount ? [{ index, amount }] : [];
      });
      const one = pick(random, releases);
      if (one === null) return null;
      const posts = [{ ...debit('CASHOUT_DEBIT', one.amount), reserved: -one.amount }];
      const like = books.entries[one.index]!;
      return atLine(insertLines(books, random, { index: one.index, posts, like }), one.index);
    },
  }),
  defineFault({
    name: 'DEBIT_WITHOUT_SUCCESS',
    says: 'a transfer that was debited is stated as failed; its fee was not taken and the rest of its hold was lifted',
    change: (books, random) => {
      const index = pick(random, debitsOf(books));
      if (index === null) return null;
      const reference = books.entries[index]!.operationReference!;
      const failure = { code: 'OPERATOR_TIMEOUT', message: 'Opération refusée : operator timeout' };
      const stated = alterOperation(books, reference, { status: 'FAILED', failure });
      const fee = stated.entries.findIndex(
        (line) => line.operationReference === reference && line.kind === 'CASHOUT_FEE',
      );
      if (fee < 0) return atLine(stated, index);
      const restIsHeld = books.policy.holdSettlement === 'DEBIT_AND_FEE';
      return atLine(
        restIsHeld ? repost(stated, fee, release(stated.entries[fee]!.amount)) : unpost(stated, [fee]),
        index,
      );
    },
  }),
];

/** A second debit behind the lines of the settlement; `reserved`: the signed change of the reserved amount, by its amount. */
function debitAgain(books: Books, random: Random, reserved: (amount: Amount) => Amount): Change | null {
  const slack = slackOf(books);
  const roomy = debitsOf(books).filter((line) => slack[line]! >= books.entries[line]!.amount);
  const index = pick(random, roomy);
  if (index === null) return null;
  const { amount, operationReference } = books.entries[index]!;
  const rest = books.entries
    .slice(index, index + 3)
    .findLastIndex((line) => line.operationReference === operationReference);
  const place = index + rest + 1;
  const posts = [{ ...debit('CASHOUT_DEBIT', amount), reserved: reserved(amount) }];
  return atLine(insertLines(books, random, { index: place, posts, like: books.entries[place - 1]! }), place);
}

/** Indexes of the debits of transfers that were executed and not reversed. */
function debitsOf(books: Books): readonly number[] {
  return casesOf(books, { type: 'CASHOUT', statuses: ['SUCCEEDED'] })
    .map((one) => lineOf(one, books, 'CASHOUT_DEBIT'))
    .filter((index) => index >= 0);
}
