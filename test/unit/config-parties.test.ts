// Who is named on a merchant's documents, by the configuration: issuers by country and by payment
// service, and the holder.

import { expect, test } from 'vitest';
import { checkConfiguration } from '../../src/service/config/check-configuration.ts';
import { partiesFor } from '../../src/service/config/for-merchant.ts';
import { handBooks } from '../support/hand-books.ts';
import { stateBooks } from '../support/month-of-books.ts';

const configuration = checkConfiguration(
  {
    source: 'https://one.example/v1',
    issuers: [
      { legalName: 'Une SA', countries: ['CI'], taxLabel: 'NCC', taxNumber: '1' },
      {
        legalName: 'Autre SA',
        sources: ['https://two.example/v1'],
        registration: 'SN-DKR-1',
        address: ['Rue 1', 'Dakar'],
      },
    ],
    merchants: {
      ELSEWHERE: { source: 'https://two.example/v1' },
      NAMED: { holder: { legalName: 'Nommée SARL', taxNumber: '2' } },
      NUMBERED: { holder: { taxNumber: '3' } },
    },
  },
  'test',
);
const issuerOf = (reference: string, country: string | null) =>
  partiesFor(configuration, { reference, country }).issuer?.legalName ?? null;

test('the first issuer that fits country and service applies, and none where none fits', () => {
  expect(issuerOf('ANY', 'CI')).toBe('Une SA');
  expect(issuerOf('ANY', 'SN')).toBeNull();
  expect(issuerOf('ANY', null)).toBeNull();
  expect(issuerOf('ELSEWHERE', 'SN')).toBe('Autre SA');
  expect(issuerOf('ELSEWHERE', 'CI')).toBe('Une SA');
  expect(partiesFor(configuration, { reference: 'ELSEWHERE', country: 'SN' }).issuer).toEqual({
    legalName: 'Autre SA',
    registration: 'SN-DKR-1',
    taxNumber: null,
    address: ['Rue 1', 'Dakar'],
  });
});

test('a holder has the name of the configuration, else that of the profile, and none of its own is invented', async () => {
  const books = handBooks('10-02T08:00 CASHIN_CREDIT 50000 GUI-CI-1');
  const holderOf = async (reference: string, legalName: string | null) => {
    const profile = { ...books.profile, legalName };
    const parties = partiesFor(configuration, { reference, country: 'CI' });
    const { statement } = await stateBooks(
      { ...books, profile },
      { period: '2026-10', month: { parties } },
    );
    return [
      statement.merchant.holder,
      statement.issuer?.legalName,
      statement.integrity.contentHash,
    ] as const;
  };
  const [named, issuer, hash] = await holderOf('NAMED', 'De la fiche SA');
  expect(named).toEqual({
    legalName: 'Nommée SARL',
    registration: null,
    taxNumber: { label: 'NIF', number: '2' },
    address: [],
  });
  expect(issuer).toBe('Une SA');
  const [numbered] = await holderOf('NUMBERED', 'De la fiche SA');
  expect(numbered).toMatchObject({ legalName: 'De la fiche SA', taxNumber: { number: '3' } });
  const [unnamed] = await holderOf('ANY', 'De la fiche SA');
  expect(unnamed).toEqual({
    legalName: 'De la fiche SA',
    registration: null,
    taxNumber: null,
    address: [],
  });
  const [none, , sameHash] = await holderOf('ANY', null);
  expect(none).toBeNull();
  // Names are not figures: a month is not revised because somebody moved.
  expect(sameHash).toBe(hash);
});

test('a line that is none, and a country that is no code, are refused by their key', () => {
  const mistake = (value: object) => {
    try {
      checkConfiguration(value, 'test');
    } catch (failure) {
      return (failure as Error).message;
    }
    throw new Error('the configuration was accepted');
  };
  expect(mistake({ issuers: [{ legalName: 'a\nb' }] })).toContain(
    'issuers.0.legalName: must be one line',
  );
  expect(mistake({ issuers: [{ registration: 'x' }] })).toContain('issuers.0.legalName');
  expect(mistake({ issuers: [{ legalName: 'A', countries: ['Togo'] }] })).toContain(
    'issuers.0.countries.0',
  );
  expect(mistake({ merchants: { M: { holder: { name: 'A' } } } })).toContain('merchants.M.holder');
});
