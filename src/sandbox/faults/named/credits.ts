// Faults in what a collection puts into the wallet, and in commissions: the lines, the price, and the figures that an operation states
// about itself.

import { DAY } from '../../../core/domain/instant.ts';
import type { Books } from '../../model/plan.ts';
import { credit, debit, netAmountOf, type Post, postsFor } from '../../model/postings.ts';
import { drawInteger, type Random } from '../../model/random.ts';
import {
  alterOperation,
  atLine,
  atOperation,
  type Change,
  indexAt,
  insertAfter,
  insertBefore,
  postAt,
  repost,
  restate,
  unpostOne,
} from '../port/edit-books.ts';
import { casesOf, creditsOf, drawFew, feeLinesOf, LAPSED, pick, slackOf, spared } from '../port/find-cases.ts';
import { atOne, defineFault, defineFaults } from '../port/planting.ts';

export const CREDIT_AND_FEE_FAULTS = defineFaults({
  CREDIT_MISSING: atOne((books) => spared(books, creditsOf(books)), unpostOne),
  CREDIT_WITHOUT_SUCCESS: creditLapsed((post) => post),
  'CREDIT_WITHOUT_SUCCESS/status': atOne(creditsOf, (books, index) => {
    const failure = { code: 'OPERATOR_TIMEOUT', message: 'Opération refusée : operator timeout' };
    const reference = books.entries[index]!.operationReference!;
    return atLine(alterOperation(books, reference, { status: 'FAILED', failure }), index);
  }),
  CREDIT_DUPLICATED: atOne(creditsOf, (books, index, random) => creditAgain(books, random, index)),
  'CREDIT_DUPLICATED/thrice': atOne(creditsOf, (books, index, random) => creditAgain(books, random, index, 2)),
  'CREDIT_DUPLICATED/unbalanced': atOne(creditsOf, (books, index, random) => {
    const { amount } = books.entries[index]!;
    return insertAfter(books, random, index, [{ ...credit('CASHIN_CREDIT', amount), balance: 0 }]);
  }),
  'CREDIT_WITHOUT_SUCCESS/unbalanced': creditLapsed((post) => ({ ...post, balance: 0 })),
  CREDIT_AMOUNT_MISMATCH: atOne(creditsOf, (books, index, random) => {
    const amount = books.entries[index]!.amount + drawFew(random);
    return atLine(repost(books, index, credit('CASHIN_CREDIT', amount)), index);
  }),
  FEE_MISSING: atOne(feeLinesOf, unpostOne),
  FEE_AMOUNT_MISMATCH: atOne(
    (books) => feeLinesOf(books).filter((line) => books.entries[line]!.amount > 2),
    (books, index, random) => {
      const { kind, amount } = books.entries[index]!;
      const charged = drawInteger(random, { from: 1, to: amount - 1 });
      const post = debit(kind === 'CASHIN_FEE' ? 'CASHIN_FEE' : 'CASHOUT_FEE', charged);
      const consumes = kind === 'CASHOUT_FEE' && books.policy.holdSettlement === 'DEBIT_AND_FEE';
      return atLine(repost(books, index, consumes ? { ...post, reserved: -charged } : post), index);
    },
  ),
  FEE_WITHOUT_SUCCESS: atOne(
    (books) => {
      const slack = slackOf(books);
      return casesOf(books, 'CASHIN', LAPSED).filter(({ operation }) => {
        const before = indexAt(books, Date.parse(operation.updatedAt)) - 1;
        return operation.fees > 0 && before >= 0 && slack[before]! >= operation.fees;
      });
    },
    (books, { operation }, random) => {
      const posts = [debit('CASHIN_FEE', operation.fees)];
      return postAt(books, random, { at: Date.parse(operation.updatedAt), posts, operation });
    },
  ),
  FEE_NOT_AS_PRICED: (books, random) => {
    const extra = drawInteger(random, { from: 7, to: 60 });
    const slack = slackOf(books);
    const one = pick(
      random,
      casesOf(books, 'CASHIN').filter(
        ({ operation, lines }) => operation.netAmount > extra && slack[lines[0]!]! > extra,
      ),
    );
    if (one === null) return null;
    const fees = one.operation.fees + extra;
    const netAmount = netAmountOf({ ...one.operation, fees });
    const posts = postsFor('SUCCESS', { ...one.operation, fees, netAmount }, books.policy);
    if (posts.length !== one.lines.length) return null;
    const reposted = one.lines.reduce((changed, line, i) => repost(changed, line, posts[i]!), books);
    return restate(reposted, one.operation, { fees, netAmount });
  },
  PRICING_CHANGED: (books) => {
    const { merchant } = books;
    const first = books.operations.find(({ type }) => type === 'CASHIN');
    if (first === undefined) return null;
    const pricing = { ...merchant.pricing, cashinFeeBps: merchant.pricing.cashinFeeBps + 45 };
    return atOperation({ ...books, merchant: { ...merchant, pricing } }, first.reference);
  },
  NET_AMOUNT_INCONSISTENT: atOne(
    (books) => casesOf(books, 'CASHIN'),
    (books, { operation }, random) => {
      const netAmount = operation.netAmount + drawFew(random);
      const changed = restate(books, operation, { netAmount });
      return { ...changed, books: { ...changed.books, wallet: books.wallet } };
    },
  ),
});

function creditLapsed(alter: (post: Post) => Post) {
  return atOne(
    (books) => casesOf(books, 'CASHIN', LAPSED),
    (books, { operation }, random) => {
      const posts = postsFor('SUCCESS', operation, books.policy).slice(0, 1).map(alter);
      return postAt(books, random, { at: Date.parse(operation.updatedAt), posts, operation });
    },
  );
}

/** Posts the credit again, after the lines that were posted with it. */
function creditAgain(books: Books, random: Random, index: number, times = 1): Change {
  const line = books.entries[index]!;
  const isFollowed = books.entries[index + 1]?.operationReference === line.operationReference;
  const posts = Array.from({ length: times }, () => credit('CASHIN_CREDIT', line.amount));
  return insertAfter(books, random, isFollowed ? index + 1 : index, posts);
}

/** Days before the books' instant within which the second credit lies. */
const RECENT = 20;

/** Not among the faults: it is put right, and an audit finds the books clean. */
export const CREDIT_TAKEN_BACK = defineFault('CREDIT_DUPLICATED/corrected', {
  says: 'a collection was credited twice, and a correction that names it took the second credit back two days later',
  change: atOne(
    (books) =>
      creditsOf(books).filter((index) => {
        const age = books.asOf - Date.parse(books.entries[index]!.createdAt);
        return age <= RECENT * DAY && age > 4 * DAY;
      }),
    (books, index, random) => {
      const { amount, operationReference, createdAt } = books.entries[index]!;
      const twice = creditAgain(books, random, index);
      const until = Date.parse(createdAt) + 2 * DAY;
      const place = twice.books.entries.findIndex((line) => Date.parse(line.createdAt) >= until);
      const description = `Reprise du second crédit de ${operationReference}`;
      const changes = { operationReference: null, description };
      const posts = [debit('ADJUSTMENT_DEBIT', amount)];
      return { ...twice, books: insertBefore(twice.books, random, place, posts, changes).books };
    },
  ),
});
