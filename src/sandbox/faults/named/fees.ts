// Faults in commissions: the lines, the price, and the figures that an operation states about itself.

import type { Books } from '../../books.ts';
import { netAmountOf } from '../../fee.ts';
import { debit, type Post, postsFor } from '../../postings.ts';
import { drawInteger } from '../../random.ts';
import { FEE_AMOUNT_MISMATCH } from '../demo-faults.ts';
import { repost, unpost } from '../edit-books.ts';
import { atLine, atOperation, defineFault, type Fault } from '../fault.ts';
import { casesOf, feeLinesOf, LAPSED, pick, slackOf } from '../find-cases.ts';
import { alterOperation } from './edit-operations.ts';
import { indexAt, postAt } from './fabricate.ts';

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
