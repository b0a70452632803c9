// Faults in what a collection puts into the wallet.

import { credit, postsFor } from '../../postings.ts';
import { drawInteger } from '../../random.ts';
import { CREDIT_DUPLICATED, duplicateCredit } from '../demo-faults.ts';
import { insertLines, repost, unpost } from '../edit-books.ts';
import { atLine, atOperation, defineFault, type Fault } from '../fault.ts';
import { casesOf, creditsOf, LAPSED, pick, slackOf } from '../find-cases.ts';
import { alterOperation } from './edit-operations.ts';
import { postAt } from './fabricate.ts';

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
  CREDIT_DUPLICATED,
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
