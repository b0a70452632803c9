// Faults in operations: what an operation states about its own course, the ties between lines,
// operations, countries and partner references, and the bounds and state of the account.

import { COUNTRIES, currencyOf } from '../../../core/domain/amount.ts';
import { DAY, formatInstant, HOUR, type Instant, MINUTE } from '../../../core/domain/instant.ts';
import type { OperationStatus } from '../../../core/domain/operation.ts';
import type { Books } from '../../model/plan.ts';
import { credit, moneyOf, termsOf } from '../../model/postings.ts';
import { drawFrom, drawInteger, drawLetters, type Random } from '../../model/random.ts';
import type { ServedOperation } from '../../model/served.ts';
import {
  alterOperation,
  atLine,
  atOperation,
  atWallet,
  insertBefore,
  restate,
} from '../port/edit-books.ts';
import { type Case, casesOf, inner, pick } from '../port/find-cases.ts';
import { atOne, defineFaults } from '../port/planting.ts';

const COLLECTED = atRest('SUCCEEDED');

export const OPERATION_FAULTS = defineFaults({
  OPERATION_UNKNOWN: atOne(
    (books) => collections(books).filter(({ lines }) => lines.length > 0),
    (books, { operation, lines }) => {
      const operations = books.operations.filter((one) => one !== operation);
      return atLine({ ...books, operations }, lines[0]!);
    },
  ),
  'OPERATION_UNKNOWN/phantom': atOne(inner('CASHIN_CREDIT'), (books, index, random) => {
    const operationReference = `GUI-CI-${drawLetters(random, 11)}`;
    const posts = [credit('CASHIN_CREDIT', drawInteger(random, { from: 500, to: 9_000 }))];
    return insertBefore(books, random, index, posts, { operationReference });
  }),
  REFERENCE_TYPE_MISMATCH: atOne(collections, (books, { operation: { reference } }) => {
    const other = reference.replace('GUI-CI-', 'GUI-CO-');
    const entries = books.entries.map((entry) =>
      entry.operationReference === reference ? { ...entry, operationReference: other } : entry,
    );
    return atOperation(
      { ...alterOperation(books, reference, { reference: other }), entries },
      other,
    );
  }),
  COUNTRY_CURRENCY_MISMATCH: restateOne(collections, ({ currency }) => ({
    currency: currency === 'XOF' ? 'XAF' : 'XOF',
  })),
  EXTERNAL_REFERENCE_DUPLICATED: (books, random) => {
    const named = collections(books).filter(
      ({ operation }) => operation.externalReference !== null,
    );
    if (named.length < 2) return null;
    const later = drawInteger(random, { from: 1, to: named.length - 1 });
    const earlier = drawInteger(random, { from: 0, to: later - 1 });
    const { externalReference } = named[earlier]!.operation;
    return restate(books, named[later]!.operation, { externalReference });
  },
  COUNTRY_NOT_ALLOWED: (books, random) => {
    const others = COUNTRIES.filter(
      (country) =>
        currencyOf(country) === books.wallet.currency &&
        !books.merchant.allowedCountries.includes(country),
    );
    const one = pick(random, collections(books));
    if (one === null || others.length === 0) return null;
    return restate(books, one.operation, { country: drawFrom(random, others) });
  },
  'COUNTRY_NOT_ALLOWED/document': restateOne(collections, () => ({
    country: 'ZZ' as ServedOperation['country'],
  })),
  OPERATION_OVERDUE: restateOne(atRest('EXPIRED'), ({ createdAt }) => ({
    status: 'PENDING',
    updatedAt: createdAt,
    completedAt: null,
  })),
  EXPIRY_WINDOW_WRONG: restateOne(COLLECTED, ({ expiresAt }) => ({
    expiresAt: formatInstant(Date.parse(expiresAt!) + 10 * MINUTE),
  })),
  COMPLETION_TIME_INCONSISTENT: restateOne(COLLECTED, () => ({ completedAt: null })),
  'COMPLETION_TIME_INCONSISTENT/expired': restateOne(atRest('EXPIRED'), ({ expiresAt }) =>
    completedAt(Date.parse(expiresAt!) - 10 * MINUTE),
  ),
  'COMPLETION_TIME_INCONSISTENT/late': restateOne(COLLECTED, ({ expiresAt }) =>
    completedAt(Date.parse(expiresAt!) + 2 * HOUR),
  ),
  FAILURE_DETAIL_INCONSISTENT: restateOne(atRest('FAILED'), () => ({ failure: null })),
  'FAILURE_DETAIL_INCONSISTENT/success': restateOne(COLLECTED, () => ({
    failure: { code: 'OPERATOR_TIMEOUT', message: 'Délai dépassé' },
  })),
  'FAILURE_DETAIL_INCONSISTENT/code': restateOne(atRest('FAILED'), () => ({
    failure: { code: 'OPERATOR_ON_STRIKE', message: 'Opérateur en grève' },
  })),
  PAYER_ACTION_INCONSISTENT: restateOne(atRest('SUCCEEDED', 'CASHOUT'), ({ reference }) => ({
    payerActionUrl: pageOf(reference),
  })),
  'PAYER_ACTION_INCONSISTENT/url': restateOne(COLLECTED, () => ({
    payerActionUrl: null,
    requiresPayerAction: true,
  })),
  'PAYER_ACTION_INCONSISTENT/over': restateOne(COLLECTED, ({ reference }) => ({
    payerActionUrl: pageOf(reference),
    requiresPayerAction: true,
  })),
  OPERATED_WHILE_BLOCKED: (books) => {
    const [first] = books.operations;
    if (first === undefined || books.merchant.status === 'PENDING') return null;
    return atOperation(
      { ...books, merchant: { ...books.merchant, status: 'PENDING' } },
      first.reference,
    );
  },
  AMOUNT_OUT_OF_BOUNDS: restateOne(
    (books) => casesOf(books, 'CASHIN', ['FAILED']),
    (_, books, random) => {
      const amount =
        books.merchant.limits.maxCashinAmount + drawInteger(random, { from: 1, to: 9_999 });
      return moneyOf({ type: 'CASHIN', amount }, termsOf(books.merchant, books.policy));
    },
  ),
  DAILY_CASHOUT_LIMIT_EXCEEDED: (books) => {
    const counts = [countDays(books, 'createdAt'), countDays(books, 'completedAt')];
    const busiest = counts.map((days) => Math.max(0, ...days.map(({ sum }) => sum)));
    const dailyCashoutLimit = Math.min(...busiest) - 1;
    if (dailyCashoutLimit <= 0) return null;
    const limits = { ...books.merchant.limits, dailyCashoutLimit };
    const strict = { ...books, merchant: { ...books.merchant, limits } };
    const [first, other] = counts.map(
      (days) => days.find(({ sum }) => sum > dailyCashoutLimit)!.reference,
    );
    return first === other ? atOperation(strict, first!) : atWallet(strict);
  },
});

function collections(books: Books): readonly Case[] {
  return casesOf(books, 'CASHIN');
}

/** Changes fields of one operation, but not the ledger. */
function restateOne(
  find: (books: Books) => readonly Case[],
  changes: (operation: ServedOperation, books: Books, random: Random) => Partial<ServedOperation>,
) {
  return atOne(find, (books, { operation }, random) =>
    restate(books, operation, changes(operation, books, random)),
  );
}

/**
 * Finds operations that have been final for a day and were not requested again under the same
 * external reference.
 */
function atRest(status: OperationStatus, type: 'CASHIN' | 'CASHOUT' = 'CASHIN') {
  return (books: Books): readonly Case[] => {
    const uses = Map.groupBy(books.operations, ({ externalReference }) => externalReference);
    return casesOf(books, type, [status]).filter(
      ({ operation: { updatedAt, externalReference } }) =>
        Date.parse(updatedAt) < books.asOf - DAY &&
        (externalReference === null || uses.get(externalReference)!.length === 1),
    );
  };
}

function completedAt(instant: Instant): Partial<ServedOperation> {
  return { updatedAt: formatInstant(instant), completedAt: formatInstant(instant) };
}

function pageOf(reference: string): string {
  return `https://pay.example/${reference}`;
}

/**
 * Returns, for each executed transfer that was not reversed, the amounts of the 24 hours that end
 * with it, without commissions.
 */
function countDays(books: Books, clock: 'createdAt' | 'completedAt') {
  const transfers = books.operations
    .filter(({ type, status }) => type === 'CASHOUT' && status === 'SUCCEEDED')
    .map((operation) => ({ ...operation, at: Date.parse(operation[clock]!) }))
    .sort((a, b) => a.at - b.at);
  let [first, sum] = [0, 0];
  return transfers.map((transfer) => {
    sum += transfer.amount;
    while (transfers[first]!.at <= transfer.at - DAY) {
      sum -= transfers[first]!.amount;
      first += 1;
    }
    return { reference: transfer.reference, sum };
  });
}
