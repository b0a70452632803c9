// Writes a letter to the payment service about a finding, with its lines as the mirror holds them.
// Refuses a letter that would be untrue: about a finding that is no longer open, one that follows
// from another, or one about our own store.

import { isOpen } from '../../../core/domain/finding.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import type { LegalIdentity } from '../../../core/domain/merchant.ts';
import { documentName } from '../../../core/domain/naming/names.ts';
import { declared, isKind } from '../../../core/kernel/checks/port/kinds.ts';
import type { Language } from '../../../core/statements/statement.ts';
import { letterOf } from '../../../io/formats/text/letter.ts';
import { refused } from '../../../io/storage/conclusions/findings.ts';
import type { FoundFinding } from '../../../io/storage/operators/find-findings.ts';
import { loadLines, loadMirrored } from '../../../io/storage/operators/operation-history.ts';
import type { MerchantPlace } from '../month/open-month.ts';
import type { FollowTask } from './follow-operation.ts';

export interface LetterTask extends Pick<FollowTask, 'store' | 'zoneFor'> {
  readonly clock: () => Instant;
  /**
   * Returns the identity of the service that keeps the merchant's books; `null` when it is not
   * configured.
   */
  readonly issuerFor: (merchant: MerchantPlace) => LegalIdentity | null;
}

/**
 * Returns the text of the letter and a file name for it. Throws `StoreFailed` (DECISION_REFUSED).
 */
export async function writeLetter(
  { store, zoneFor, issuerFor, clock }: LetterTask,
  { merchant, finding, state, currency }: FoundFinding,
  language: Language,
) {
  const kind = isKind(finding.kind) ? declared(finding) : null;
  if (finding.causedBy !== null)
    throw refused(`It follows from ${finding.causedBy}: write about that one.`);
  if (kind?.ofStore === true)
    throw refused('It is about what we store: the service has nothing to answer.');
  if (!isOpen({ state })) throw refused(`It is ${state}: there is nothing left to ask.`);
  const of = await loadMirrored(store, merchant);
  const named = [{ what: 'line', sequence: finding.sequence }, ...finding.evidence];
  const sequences = named.flatMap(({ what, sequence }) =>
    what === 'line' && sequence ? [Number(sequence)] : [],
  );
  const profile = of?.profiles.at(-1);
  const place = { reference: merchant, country: profile?.country ?? null };
  const text = letterOf({
    merchant,
    name: profile?.name ?? null,
    currency,
    claims: [
      {
        ...finding,
        counts: kind?.counts === true,
        lines: of === null ? [] : await loadLines(store, of, sequences),
      },
    ],
    addressee: issuerFor(place),
    zone: zoneFor(place).name,
    at: clock(),
    language,
  });
  return { fileName: `${documentName('LETTER', merchant, finding.fingerprint)}.txt`, text };
}
