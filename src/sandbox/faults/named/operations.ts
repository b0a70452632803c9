// Faults in operations: what one says about its own course, what ties lines, operations, countries and partner references together,
// and the bounds and the state of the account.

import { COUNTRIES, currencyOf } from '../../../core/domain/amount.ts';
import { DAY, formatInstant, HOUR, type Instant, MINUTE } from '../../../core/domain/instant.ts';
import type { OperationStatus, OperationType } from '../../../core/domain/operation.ts';
import { atLine, atOperation, type Books, type Change, defineFault, type Fault } from '../../model/plan.ts';
import { credit, feeOf, netAmountOf } from '../../model/postings.ts';
import { drawFrom, drawInteger, drawLetters, type Random } from '../../model/random.ts';
import type { ServedOperation } from '../../model/served.ts';
import { alterOperation, insertLines } from '../port/edit-books.ts';
import { casesOf, innerLines, pick } from '../port/find-cases.ts';

/** Changes fields of one operation of this type and state that has been at rest for a day. */
function alterOperationOf(
  wish: { readonly type: OperationType; readonly status: OperationStatus },
  changes: (operation: ServedOperation) => Partial<ServedOperation>,
) {
  return (books: Books, random: Random): Change | null => {
    const cases = casesOf(books, { type: wish.type, statuses: [wish.status] });
    const old = cases.filter(({ operation }) => Date.parse(operation.updatedAt) < books.asOf - DAY);
    const one = pick(
      random,
      old.filter(({ operation }) => !isRetried(books, operation)),
    );
    if (one === null) return null;
    const { reference } = one.operation;
    return atOperation(alterOperation(books, reference, changes(one.operation)), reference);
  };
}

/** Brought back to life, an operation that was asked for again would share its external reference with another. */
function isRetried(books: Books, { reference, externalReference }: ServedOperation): boolean {
  return books.operations.some(
    (other) =>
      externalReference !== null && other.externalReference === externalReference && other.reference !== reference,
  );
}

const COLLECTED = { type: 'CASHIN', status: 'SUCCEEDED' } as const;
const TRANSFERRED = { type: 'CASHOUT', status: 'SUCCEEDED' } as const;

export const STATE_FAULTS: readonly Fault[] = [
  defineFault({
    name: 'OPERATION_OVERDUE',
    says: 'a collection that should have expired is still pending',
    change: alterOperationOf({ type: 'CASHIN', status: 'EXPIRED' }, ({ createdAt }) => ({
      status: 'PENDING',
      updatedAt: createdAt,
      completedAt: null,
    })),
  }),
  defineFault({
    name: 'EXPIRY_WINDOW_WRONG',
    says: 'a collection expires ten minutes later than it should',
    change: alterOperationOf(COLLECTED, ({ expiresAt }) => ({
      expiresAt: formatInstant(Date.parse(expiresAt!) + 10 * MINUTE),
    })),
  }),
  defineFault({
    name: 'COMPLETION_TIME_INCONSISTENT',
    says: 'a collection that succeeded has no completion time',
    change: alterOperationOf(COLLECTED, () => ({ completedAt: null })),
  }),
  defineFault({
    name: 'COMPLETION_TIME_INCONSISTENT/expired',
    says: 'a collection expired ten minutes before it should have',
    change: alterOperationOf({ type: 'CASHIN', status: 'EXPIRED' }, ({ expiresAt }) =>
      completedAt(Date.parse(expiresAt!) - 10 * MINUTE),
    ),
  }),
  defineFault({
    name: 'COMPLETION_TIME_INCONSISTENT/late',
    says: 'a collection succeeded two hours after it should have expired',
    change: alterOperationOf(COLLECTED, ({ expiresAt }) => completedAt(Date.parse(expiresAt!) + 2 * HOUR)),
  }),
  defineFault({
    name: 'FAILURE_DETAIL_INCONSISTENT',
    says: 'a failed collection does not say why',
    change: alterOperationOf({ type: 'CASHIN', status: 'FAILED' }, () => ({ failure: null })),
  }),
  defineFault({
    name: 'FAILURE_DETAIL_INCONSISTENT/success',
    says: 'a collection that succeeded states a failure',
    change: alterOperationOf(COLLECTED, () => ({ failure: { code: 'OPERATOR_TIMEOUT', message: 'Délai dépassé' } })),
  }),
  defineFault({
    name: 'FAILURE_DETAIL_INCONSISTENT/code',
    says: 'a failed collection states a code that the document does not have',
    change: alterOperationOf({ type: 'CASHIN', status: 'FAILED' }, () => ({
      failure: { code: 'OPERATOR_ON_STRIKE', message: 'Opérateur en grève' },
    })),
  }),
  defineFault({
    name: 'PAYER_ACTION_INCONSISTENT',
    says: 'a transfer bears an address to send the payer to',
    change: alterOperationOf(TRANSFERRED, ({ reference }) => ({ payerActionUrl: `https://pay.example/${reference}` })),
  }),
  defineFault({
    name: 'PAYER_ACTION_INCONSISTENT/url',
    says: 'a collection requires the payer to act and gives no address',
    change: alterOperationOf(COLLECTED, () => ({ payerActionUrl: null, requiresPayerAction: true })),
  }),
  defineFault({
    name: 'PAYER_ACTION_INCONSISTENT/over',
    says: 'a collection that succeeded still requires its payer to act',
    change: alterOperationOf(COLLECTED, ({ reference }) => ({
      payerActionUrl: `https://pay.example/${reference}`,
      requiresPayerAction: true,
    })),
  }),
];

function completedAt(instant: Instant): Partial<ServedOperation> {
  return { updatedAt: formatInstant(instant), completedAt: formatInstant(instant) };
}

export const REFERENCE_FAULTS: readonly Fault[] = [
  defineFault({
    name: 'OPERATION_UNKNOWN',
    says: 'an operation that has lines is not served',
    change: (books, random) => {
      const one = pick(
        random,
        settledCollections(books).filter(({ lines }) => lines.length > 0),
      );
      if (one === null) return null;
      const operations = books.operations.filter((operation) => operation !== one.operation);
      return atLine({ ...books, operations }, one.lines[0]!);
    },
  }),
  defineFault({
    name: 'OPERATION_UNKNOWN/phantom',
    says: 'a credit names an operation that never was',
    change: (books, random) => {
      const index = pick(random, innerLines(books, ['CASHIN_CREDIT']));
      if (index === null) return null;
      const like = { ...books.entries[index]!, operationReference: `GUI-CI-${drawLetters(random, 11)}` };
      const posts = [credit('CASHIN_CREDIT', drawInteger(random, { from: 500, to: 9_000 }))];
      return atLine(insertLines(books, random, { index, posts, like }), index);
    },
  }),
  defineFault({
    name: 'REFERENCE_TYPE_MISMATCH',
    says: 'a collection bears the reference of a transfer, and so do its lines and its notifications',
    change: (books, random) => {
      const one = pick(random, settledCollections(books));
      if (one === null) return null;
      const { reference } = one.operation;
      const other = reference.replace('GUI-CI-', 'GUI-CO-');
      const renamed = alterOperation(books, reference, { reference: other });
      const entries = books.entries.map((entry) =>
        entry.operationReference === reference ? { ...entry, operationReference: other } : entry,
      );
      return atOperation({ ...renamed, entries }, other);
    },
  }),
  defineFault({
    name: 'COUNTRY_CURRENCY_MISMATCH',
    says: 'an operation states a currency that is neither its country’s nor the wallet’s',
    change: (books, random) => {
      const one = pick(random, settledCollections(books));
      if (one === null) return null;
      const { reference, currency } = one.operation;
      return atOperation(alterOperation(books, reference, { currency: currency === 'XOF' ? 'XAF' : 'XOF' }), reference);
    },
  }),
  defineFault({
    name: 'EXTERNAL_REFERENCE_DUPLICATED',
    says: 'two collections that succeeded bear one external reference',
    change: (books, random) => {
      const named = settledCollections(books).filter(({ operation }) => operation.externalReference !== null);
      if (named.length < 2) return null;
      const later = drawInteger(random, { from: 1, to: named.length - 1 });
      const earlier = drawInteger(random, { from: 0, to: later - 1 });
      const { reference } = named[later]!.operation;
      const { externalReference } = named[earlier]!.operation;
      return atOperation(alterOperation(books, reference, { externalReference }), reference);
    },
  }),
  defineFault({
    name: 'COUNTRY_NOT_ALLOWED',
    says: 'an operation took place in a country that the account has not opened',
    change: (books, random) => {
      const { allowedCountries } = books.merchant;
      const others = COUNTRIES.filter(
        (country) => currencyOf(country) === books.wallet.currency && !allowedCountries.includes(country),
      );
      const one = pick(random, settledCollections(books));
      if (one === null || others.length === 0) return null;
      const { reference } = one.operation;
      return atOperation(alterOperation(books, reference, { country: drawFrom(random, others) }), reference);
    },
  }),
  defineFault({
    name: 'COUNTRY_NOT_ALLOWED/document',
    says: 'an operation took place in a country that the service does not serve',
    change: (books, random) => {
      const one = pick(random, settledCollections(books));
      if (one === null) return null;
      const { reference } = one.operation;
      return atOperation(alterOperation(books, reference, { country: 'ZZ' as ServedOperation['country'] }), reference);
    },
  }),
];

function settledCollections(books: Books) {
  return casesOf(books, { type: 'CASHIN', statuses: ['SUCCEEDED'] });
}

export const LIMIT_FAULTS: readonly Fault[] = [
  defineFault({
    name: 'AMOUNT_OUT_OF_BOUNDS',
    says: 'a collection that failed was for more than the largest amount allowed',
    change: (books, random) => {
      const one = pick(random, casesOf(books, { type: 'CASHIN', statuses: ['FAILED'] }));
      if (one === null) return null;
      const { merchant, policy } = books;
      const amount = merchant.limits.maxCashinAmount + drawInteger(random, { from: 1, to: 9_999 });
      const terms = { pricing: merchant.pricing, rounding: policy.feeRounding };
      const fees = feeOf({ type: 'CASHIN', amount }, terms);
      const netAmount = netAmountOf({ type: 'CASHIN', amount, fees });
      const { reference } = one.operation;
      return atOperation(alterOperation(books, reference, { amount, fees, netAmount }), reference);
    },
  }),
  defineFault({
    name: 'DAILY_CASHOUT_LIMIT_EXCEEDED',
    says: 'the busiest 24 hours of transfers exceed the ceiling, however they are counted',
    change: (books) => {
      const counts = [countDays(books, 'createdAt'), countDays(books, 'completedAt')];
      const busiest = counts.map((days) => Math.max(0, ...days.map(({ sum }) => sum)));
      const dailyCashoutLimit = Math.min(...busiest) - 1;
      if (dailyCashoutLimit <= 0) return null;
      const limits = { ...books.merchant.limits, dailyCashoutLimit };
      const strict = { ...books, merchant: { ...books.merchant, limits } };
      const [first, other] = counts.map((days) => days.find(({ sum }) => sum > dailyCashoutLimit)!.reference);
      return { books: strict, sequence: null, operationReference: first === other ? first! : null };
    },
  }),
];

/** For each executed transfer that was not reversed: the 24 hours that end with it, summed without commissions. */
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

export const OPERATED_WHILE_BLOCKED = defineFault({
  name: 'OPERATED_WHILE_BLOCKED',
  says: 'the account is PENDING, and its operations were taken all the same',
  change: (books) => {
    const [first] = books.operations;
    if (first === undefined || books.merchant.status === 'PENDING') return null;
    return atOperation({ ...books, merchant: { ...books.merchant, status: 'PENDING' } }, first.reference);
  },
});
