// Examines the certificates that seal documents.

import { DAY, formatInstant, type Instant } from '../../../core/domain/instant.ts';
import { openSeal } from '../../../io/seals/open-seal.ts';
import type { Configuration } from '../../config/check-configuration.ts';
import { broken, type Examination, good, idle, row, warning } from './examination.ts';

/** Days before a certificate's end from which `doctor` warns. */
const WARNED_DAYS = 30;

/** Examines whether each certificate opens, and for how long it is still valid. */
export function examineSeals({ issuers }: Configuration, now: Instant): Examination {
  const todo = 'have it renewed, and give the new file in issuers.seal';
  return row('seals', todo, async () => {
    const files = issuers.flatMap(({ seal }) => seal ?? []);
    if (files.length === 0) return idle('not configured: no document is sealed');
    const seals = await Promise.all(files.map(openSeal));
    const first = seals.toSorted((one, other) => one.validUntil - other.validUntil)[0]!;
    const says = `${first.name}: valid until ${formatInstant(first.validUntil)}`;
    if (first.validUntil < now) return broken(says, todo);
    return first.validUntil - now < WARNED_DAYS * DAY ? warning(says, todo) : good(says);
  });
}
