// Who issues a document and whose wallet it is about, as lines of text: names and numbers as they
// were configured.

import type { LegalIdentity } from '../../../core/domain/merchant.ts';
import type { Statement } from '../../../core/statements/statement.ts';
import { fill } from '../../../core/words/finding.ts';
import type { Labels } from '../../../core/words/tree.ts';

interface Document {
  readonly statement: Pick<Statement, 'issuer' | 'merchant'>;
  readonly labels: Labels;
}

type Pair = readonly [name: string, line: string];

/** Returns the issuer and the holder, each with its name; none of which nothing is known. */
export function partyLines({ statement, labels: { parties } }: Document): readonly Pair[] {
  const lines = [
    [parties.issuer, identityLine(statement.issuer, parties)],
    [parties.holder, identityLine(statement.merchant.holder, parties)],
  ] as const;
  return lines.flatMap(([name, line]) => (line === null ? [] : [[name, line] as const]));
}

/** Returns the merchant, by its reference alone where no name is known, and the parties. */
export function merchantPairs({ statement, labels }: Document): readonly Pair[] {
  const { name, reference, country } = statement.merchant;
  const { identity, countries } = labels;
  const place =
    country === null ? null : named(countries, country, (text, code) => `${text} (${code})`);
  const parts = [name, reference, place].filter((part) => part !== null);
  return [[identity.merchant, parts.join(' · ')], ...partyLines({ statement, labels })];
}

/** Returns the same with the wallet and its currency, for documents that go to an auditor. */
export function walletPairs({
  statement,
  labels,
}: Document & { readonly statement: Pick<Statement, 'walletId' | 'currency'> }): readonly Pair[] {
  const { walletId, currency } = statement;
  const { identity, currencies } = labels;
  return [
    ...merchantPairs({ statement, labels }),
    ...(walletId === null ? [] : [[identity.wallet, walletId] as const]),
    [identity.currency, named(currencies, currency, (text, code) => `${code} — ${text}`)],
  ];
}

/** Returns a code with its name, where the labels have one; else the code alone. */
function named(
  names: Readonly<Record<string, string>>,
  code: string,
  join: (name: string, code: string) => string,
): string {
  return Object.hasOwn(names, code) ? join(names[code]!, code) : code;
}

/**
 * Returns `Kora SARL · RCCM CI-ABJ-… · NCC 2600001 A · Boulevard Inventé 1, Abidjan`; `null` where
 * nothing is known.
 */
function identityLine(identity: LegalIdentity | null, words: Labels['parties']): string | null {
  if (identity === null) return null;
  const { legalName, registration, taxNumber, address } = identity;
  const parts = [
    legalName ?? '',
    registration === null ? '' : fill(words.registration, { number: registration }),
    taxNumber === null ? '' : fill(words.taxNumber, taxNumber),
    address.join(', '),
  ].filter((part) => part !== '');
  return parts.length === 0 ? null : parts.join(' · ');
}
