// Faults in what a collection puts into the wallet, and in commissions: the lines, the price, and the figures that an operation states
// about itself.

import { atLine, atOperation, type Books, defineFault, type Fault } from '../../model/plan.ts';
import { credit, debit, netAmountOf, type Post, postsFor } from '../../model/postings.ts';
import { drawInteger } from '../../model/random.ts';
import { alterOperation, indexAt, insertLines, postAt, repost, unpost } from '../port/edit-books.ts';
import { casesOf, creditsOf, feeLinesOf, LAPSED, pick, slackOf } from '../port/find-cases.ts';
import { CREDIT_DUPLICATED, duplicateCredit, FEE_AMOUNT_MISMATCH } from './demo-faults.ts';

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

export const FEE_FAULTS: readonly Fault[] = [
  defineFault({
    name: 'FEE_MISSING',
    says: 'the commission of a successful operation was never posted',
    change: (books, random) => {
      const index = pick(random, feeLinesOf(books));
      if (index === null) return null;
      return atOperation(unpost(books, [index]), books.entries[index]!.operationReference!);
    },
  }),
  FEE_AMOUNT_MISMATCH,
  defineFault({
    name: 'FEE_WITHOUT_SUCCESS',
    says: 'commission was taken for a collection that lapsed',
    change: (books, random) => {
      const slack = slackOf(books);
      const borne = casesOf(books, { type: 'CASHIN', statuses: LAPSED }).filter(({ operation }) => {
        const before = indexAt(books, Date.parse(operation.updatedAt)) - 1;
        return operation.fees > 0 && before >= 0 && slack[before]! >= operation.fees;
      });
      const one = pick(random, borne);
      if (one === null) return null;
      const { operation } = one;
      const posts = [debit('CASHIN_FEE', operation.fees)];
      const posted = postAt(books, random, { at: Date.parse(operation.updatedAt), posts, operation });
      return atLine(posted.books, posted.index);
    },
  }),
  defineFault({
    name: 'FEE_NOT_AS_PRICED',
    says: 'an operation was charged a commission that no price gives; its lines agree with it',
    change: (books, random) => {
      const extra = drawInteger(random, { from: 7, to: 60 });
      const slack = slackOf(books);
      const settled = casesOf(books, { type: 'CASHIN', statuses: ['SUCCEEDED'] });
      const one = pick(
        random,
        settled.filter(({ operation, lines }) => operation.netAmount > extra && slack[lines[0]!]! > extra),
      );
      if (one === null) return null;
      const fees = one.operation.fees + extra;
      const dearer = { ...one.operation, fees, netAmount: netAmountOf({ ...one.operation, fees }) };
      const posts = postsFor('SUCCESS', dearer, books.policy);
      if (posts.length !== one.lines.length) return null;
      const { netAmount, reference } = dearer;
      return atOperation(alterOperation(repostAll(books, one.lines, posts), reference, { fees, netAmount }), reference);
    },
  }),
  defineFault({
    name: 'PRICING_CHANGED',
    says: 'the profile states a new price for collections; every operation so far fits the old one',
    change: (books) => {
      const { pricing } = books.merchant;
      const first = books.operations.find(({ type }) => type === 'CASHIN');
      if (first === undefined) return null;
      const dearer = { ...pricing, cashinFeeBps: pricing.cashinFeeBps + 45 };
      return atOperation({ ...books, merchant: { ...books.merchant, pricing: dearer } }, first.reference);
    },
  }),
  defineFault({
    name: 'NET_AMOUNT_INCONSISTENT',
    says: 'the netAmount of an operation is not what its amount and fees give',
    change: (books, random) => {
      const one = pick(random, casesOf(books, { type: 'CASHIN', statuses: ['SUCCEEDED'] }));
      if (one === null) return null;
      const { reference, netAmount } = one.operation;
      const changed = alterOperation(books, reference, {
        netAmount: netAmount + drawInteger(random, { from: 1, to: 99 }),
      });
      return atOperation({ ...changed, wallet: books.wallet }, reference);
    },
  }),
];

function repostAll(books: Books, lines: readonly number[], posts: readonly Post[]): Books {
  return lines.reduce((changed, line, i) => repost(changed, line, posts[i]!), books);
}
