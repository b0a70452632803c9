// Who issues a document and whose wallet it is of, as one line of text: names and numbers as they were configured.

import type { LegalIdentity } from '../../../core/domain/merchant.ts';
import type { Statement } from '../../../core/statements/statement.ts';
import { fill } from '../../../core/words/message.ts';
import type { Labels } from '../../../core/words/tree.ts';

/** Issuer and holder, each with its name; nothing where nothing is known. */
export function partyLines(about: {
  readonly statement: Pick<Statement, 'issuer' | 'merchant'>;
  readonly labels: Pick<Labels, 'parties'>;
}): readonly (readonly [name: string, line: string])[] {
  const {
    statement,
    labels: { parties },
  } = about;
  const lines = [
    [parties.issuer, identityLine(statement.issuer, parties)],
    [parties.holder, identityLine(statement.merchant.holder, parties)],
  ] as const;
  return lines.flatMap(([name, line]) => (line === null ? [] : [[name, line] as const]));
}

/** `Kora SARL · RCCM CI-ABJ-… · NCC 2600001 A · Boulevard Inventé 1, Abidjan`; null where nothing is known. */
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
