// Faults in what a collection puts into the wallet.

import type { Books } from '../books.ts';
import { credit, postsFor } from '../postings.ts';
import { drawInteger, type Random } from '../random.ts';
import { alterOperation, insertLines, repost, unpost } from './edit-books.ts';
import { postAt } from './fabricate.ts';
import { atLine, atOperation, defineFault, type Fault } from './fault.ts';
import { casesOf, LAPSED, lineOf, pick, slackOf } from './find-cases.ts';

export const CREDIT_FAULTS: readonly Fault[] = [
  defineFault({
    name: 'CREDIT_MISSING',
    says: 'the credit of a successful collection was never posted; later balances and the wallet lack it',
    change: (books, random) => {
      const slack = slackOf(books);
      const index = pick(
        random,
        creditsOf(books).filter((line) => slack[line]! >= books.entries[line]!.amount),
      );
      if (index === null) return null;
      return atOperation(unpost(books, [index]), books.entries[index]!.operationReference!);
    },
  }),
  defineFault({
    name: 'CREDIT_WITHOUT_SUCCESS',
    says: 'a collection that lapsed was credited all the same',
    change: (books, random) => {
      const lapsed = pick(random, casesOf(books, { type: 'CASHIN', statuses: LAPSED }));
      if (lapsed === null) return null;
      const { operation } = lapsed;
      const posts = postsFor('SUCCESS', operation, books.policy).slice(0, 1);
      const posted = postAt(books, random, { at: Date.parse(operation.updatedAt), posts, operation });
      return atLine(posted.books, posted.index);
    },
  }),
  defineFault({
    name: 'CREDIT_WITHOUT_SUCCESS/status',
    says: 'a collection that was credited is stated as failed',
    change: (books, random) => {
      const index = pick(random, creditsOf(books));
      if (index === null) return null;
      const failure = { code: 'OPERATOR_TIMEOUT', message: 'Opération refusée : operator timeout' };
      const reference = books.entries[index]!.operationReference!;
      return atLine(alterOperation(books, reference, { status: 'FAILED', failure }), index);
    },
  }),
  defineFault({
    name: 'CREDIT_DUPLICATED',
    says: 'a collection was credited twice',
    change: (books, random) => duplicateCredit(books, random, 1),
  }),
  defineFault({
    name: 'CREDIT_DUPLICATED/thrice',
    says: 'a collection was credited three times',
    change: (books, random) => duplicateCredit(books, random, 2),
  }),
  defineFault({
    name: 'CREDIT_DUPLICATED/unbalanced',
    says: 'a second credit was posted for a collection, and the balance did not move',
    change: (books, random) => {
      const index = pick(random, creditsOf(books));
      if (index === null) return null;
      const like = books.entries[index]!;
      const posts = [{ ...credit('CASHIN_CREDIT', like.amount), balance: 0 }];
      return atLine(insertLines(books, random, { index: index + 1, posts, like }), index + 1);
    },
  }),
  defineFault({
    name: 'CREDIT_WITHOUT_SUCCESS/unbalanced',
    says: 'a credit was posted for a collection that lapsed, and the balance did not move',
    change: (books, random) => {
      const lapsed = pick(random, casesOf(books, { type: 'CASHIN', statuses: LAPSED }));
      if (lapsed === null) return null;
      const { operation } = lapsed;
      const posts = postsFor('SUCCESS', operation, books.policy).slice(0, 1);
      const unmoved = posts.map((post) => ({ ...post, balance: 0 }));
      const posted = postAt(books, random, { at: Date.parse(operation.updatedAt), posts: unmoved, operation });
      return atLine(posted.books, posted.index);
    },
  }),
  defineFault({
    name: 'CREDIT_AMOUNT_MISMATCH',
    says: 'a collection was credited with a little more than its amount',
    change: (books, random) => {
      const index = pick(random, creditsOf(books));
      if (index === null) return null;
      const amount = books.entries[index]!.amount + drawInteger(random, { from: 1, to: 99 });
      return atLine(repost(books, index, credit('CASHIN_CREDIT', amount)), index);
    },
  }),
];

/** Indexes of the credits of collections that succeeded and were not reversed. */
function creditsOf(books: Books): readonly number[] {
  return casesOf(books, { type: 'CASHIN', statuses: ['SUCCEEDED'] })
    .map((one) => lineOf(one, books, 'CASHIN_CREDIT'))
    .filter((index) => index >= 0);
}

/** Posts the credit again, after the lines that were posted with it. */
function duplicateCredit(books: Books, random: Random, times: number) {
  const index = pick(random, creditsOf(books));
  if (index === null) return null;
  const line = books.entries[index]!;
  const follows = books.entries[index + 1]?.operationReference === line.operationReference;
  const place = index + (follows ? 2 : 1);
  const posts = Array.from({ length: times }, () => credit('CASHIN_CREDIT', line.amount));
  return atLine(insertLines(books, random, { index: place, posts, like: books.entries[place - 1]! }), place);
}
