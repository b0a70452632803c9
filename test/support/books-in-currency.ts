// The same books of another wallet: every line, operation and the wallet in another currency, of a
// merchant of another country.

import type { DecodedBooks } from './sandbox-books.ts';

const COUNTRIES = { GNF: 'GN', XAF: 'CM', XOF: 'CI' } as const;

export function inCurrency(
  { entries, operations, wallet, profile, ...rest }: DecodedBooks,
  currency: keyof typeof COUNTRIES,
): DecodedBooks {
  const country = COUNTRIES[currency];
  return {
    ...rest,
    profile: { ...profile, country, allowedCountries: [country] },
    wallet: { ...wallet, currency },
    entries: entries.map((entry) => ({ ...entry, currency })),
    operations: operations.map((operation) => ({ ...operation, currency, country })),
  };
}
