// A FEC by a merchant's own chart: salaries, transfers to its own bank, a sub-account by operator
// and auxiliary accounts come from the configuration. The name of its file follows the rule.

import { describe, expect, test } from 'vitest';
import { describedOf } from '../../../src/core/domain/operation.ts';
import { fecFormat, nameFec } from '../../../src/io/formats/bookkeeping/entry-layouts.ts';
import { checkConfiguration } from '../../../src/service/config/check-configuration.ts';
import {
  journalFor,
  journalInCommon,
  partiesFor,
} from '../../../src/service/config/for-merchant.ts';
import { readFecRows, sumsByAccount } from '../../support/bookkeeping-readers.ts';
import { handBooks } from '../../support/hand-books.ts';
import { documentOf, stateBooks } from '../../support/month-of-books.ts';
import { bytesOf } from '../../support/written-document.ts';

const configuration = checkConfiguration(
  {
    journal: {
      rules: [
        { role: 'wallet', when: { operator: 'WAVE' }, account: { number: '5522', label: 'Wave' } },
        {
          role: 'suppliers',
          when: { externalReference: 'PAIE-*' },
          account: { number: '422', label: 'Personnel' },
        },
        {
          role: 'suppliers',
          when: { beneficiary: ['*banque*', '*Tresor*'], country: 'CI' },
          account: { number: '585', label: 'Virements de fonds' },
        },
        {
          role: 'suppliers',
          when: { kind: 'CASHOUT_*', reference: 'GUI-CO-4' },
          account: { number: '521', label: 'Banque' },
        },
        { role: 'suppliers', auxiliary: 'externalReference' },
        { role: 'customers', auxiliary: 'externalReference' },
      ],
    },
    merchants: { A_LA_MAIN: { holder: { taxLabel: 'NCC', taxNumber: '2600002 B' } } },
  },
  'test',
);

const cashout = (n: number, amount: number): string => `
  10-0${n + 2}T08:00 CASHOUT_HOLD ${amount} GUI-CO-${n}
  10-0${n + 2}T08:01 CASHOUT_DEBIT ${amount} GUI-CO-${n}
  op GUI-CO-${n} SUCCEEDED ${amount} created=10-0${n + 2}T08:00 completed=10-0${n + 2}T08:01`;
const BOOKS = `
  10-02T08:00 CASHIN_CREDIT 90000 GUI-CI-1
  op GUI-CI-1 SUCCEEDED 90000 created=10-02T07:59 completed=10-02T08:00${cashout(2, 10_000)}${cashout(3, 20_000)}${cashout(4, 5_000)}${cashout(5, 700)}`;
const TOLD: Readonly<Record<string, { counterpartyName?: string; externalReference: string }>> = {
  'GUI-CI-1': { externalReference: 'CLIENT-7' },
  'GUI-CO-2': { externalReference: 'paie-2026-10' },
  'GUI-CO-3': { externalReference: 'V-1', counterpartyName: 'La Banque Inventée' },
  'GUI-CO-4': { externalReference: 'V-2' },
  'GUI-CO-5': { externalReference: 'FOURN-3' },
};

async function stated(
  parties = partiesFor(configuration, { reference: 'A_LA_MAIN', country: 'CI' }),
) {
  const books = handBooks(BOOKS);
  const operations = books.operations.map((operation) => ({
    ...describedOf(operation),
    ...TOLD[operation.reference],
  }));
  const month = { journal: journalFor(configuration, 'A_LA_MAIN'), parties };
  return stateBooks({ ...books, operations }, { period: '2026-10', month });
}

test('salaries, transfers and suppliers stand on accounts of their own, with their auxiliary accounts', async () => {
  const month = await stated();
  const rows = readFecRows(await bytesOf(fecFormat, documentOf(month)));
  expect(Object.fromEntries(sumsByAccount(rows))).toEqual({
    '5522': [90_000, 35_700],
    '411': [0, 90_000],
    '422': [10_000, 0],
    '585': [20_000, 0],
    '521': [5_000, 0],
    '401': [700, 0],
  });
  const auxiliaries = rows
    .filter(({ auxiliary }) => auxiliary !== '')
    .map(({ account, auxiliary }) => [account, auxiliary]);
  expect(auxiliaries).toEqual([
    ['411', 'CLIENT-7'],
    ['401', 'FOURN-3'],
  ]);
});

test('the file is named by the holder’s tax number and the last day, a revision by its number as well', async () => {
  const { statement } = await stated();
  expect(nameFec(statement)).toBe('2600002BFEC20261031.txt');
  const revision = { ...statement.revision, number: 3 };
  expect(nameFec({ ...statement, revision })).toBe('2600002BFEC20261031_r3.txt');
  const unnamed = await stated({ issuer: null, holder: null });
  expect(nameFec(unnamed.statement)).toBe('ALAMAIN3QY0AC9KSUFEC20261031.txt');
  const plain = {
    ...unnamed.statement,
    merchant: { ...unnamed.statement.merchant, reference: 'M001' },
  };
  expect(nameFec(plain)).toBe('M001FEC20261031.txt');
});

describe('two merchants of one company', () => {
  const company = (own: object, books: object = {}) =>
    checkConfiguration(
      {
        merchants: {
          ONE: { holder: { taxNumber: '2600002 B' } },
          TWO: { holder: { taxNumber: '2600002-b' }, journal: own },
          OTHER: { holder: { taxNumber: '2600003 C' } },
          UNKNOWN: {},
        },
        journal: books,
      },
      'test',
    );

  test('have FEC files of two names, whatever their codes; a merchant alone has that of the rule', async () => {
    const names = Object.keys(company({}).merchants).map(async (reference) => {
      const parties = partiesFor(company({}), { reference, country: 'CI' });
      const { statement } = await stated(parties);
      return nameFec({
        ...statement,
        merchant: { ...statement.merchant, reference, holder: parties.holder },
      });
    });
    expect(await Promise.all(names)).toEqual([
      '2600002BFEC20261031_ONE.txt',
      '2600002bFEC20261031_TWO.txt',
      '2600003CFEC20261031.txt',
      'UNKNOWNFEC20261031.txt',
    ]);
  });

  test('with codes of their own share no number of an entry, not even that of the year’s opening', async () => {
    const numbers = ['ONE', 'TWO'].map(async (reference) => {
      const journal = journalFor(company({ code: 'MM2', links: { code: 'PL2' } }), reference);
      const { statement } = await stateBooks(
        handBooks(BOOKS.replaceAll('10-0', '2025-10-0'), '2027-02-01T00:00'),
        {
          period: '2026',
          month: { journal },
        },
      );
      expect(statement.journal.carried).toBeDefined();
      return [statement.journal.carried!.entry.number, statement.journal.code];
    });
    expect(await Promise.all(numbers)).toEqual([
      ['AN-2026-MM', 'MM'],
      ['AN-2026-MM2', 'MM2'],
    ]);
    expect(journalFor(company({}), 'OTHER').isShared).toBeUndefined();
  });

  test.each([
    [{}, {}, 'MM'],
    [{ code: 'mm' }, {}, 'mm'],
    // Sage has three characters of the code.
    [{ code: 'MOMO2' }, { code: 'MOMO' }, 'MOMO2'],
    [{ code: 'MM2' }, {}, null],
  ])('with %j beside %j: the code in common is %s', (own, books, code) => {
    const common = journalInCommon(company(own, books));
    if (code === null) return expect(common).toBeNull();
    expect(common).toEqual([
      `ONE and TWO are of one company (2600002B), and the journals of both are ${code}: entries have the same numbers`,
      'give merchants.TWO.journal a code and a links.code of its own, before its first month is issued',
    ]);
  });
});
