// Faults in what ties lines, operations, countries and partner references together.

import { COUNTRIES, currencyOf } from '../../../core/domain/amount.ts';
import type { Books } from '../../books.ts';
import { credit } from '../../postings.ts';
import { drawFrom, drawInteger, drawLetters } from '../../random.ts';
import type { ServedOperation } from '../../served.ts';
import { insertLines } from '../edit-books.ts';
import { atLine, atOperation, defineFault, type Fault } from '../fault.ts';
import { casesOf, innerLines, pick } from '../find-cases.ts';
import { alterOperation } from './edit-operations.ts';

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
