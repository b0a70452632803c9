// Countries and their currencies (direct API, "Enumerations"; the pairing is that of the two monetary unions and Guinea).

export const COUNTRIES = ['CI', 'BF', 'ML', 'SN', 'TG', 'BJ', 'NE', 'CM', 'GN'] as const;
export type Country = (typeof COUNTRIES)[number];

export const CURRENCIES = ['XOF', 'XAF', 'GNF'] as const;
export type Currency = (typeof CURRENCIES)[number];

/** The currency of a country: CM is XAF (BEAC), GN is GNF, the other seven are XOF (BCEAO). Null for another country. */
export function currencyOf(country: string): Currency | null {
  if (country === 'CM') return 'XAF';
  if (country === 'GN') return 'GNF';
  return (COUNTRIES as readonly string[]).includes(country) ? 'XOF' : null;
}
