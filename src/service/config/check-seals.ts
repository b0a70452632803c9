// Checks the certificates that seal documents: each must open, and be valid now. A seal that fails
// would otherwise be noticed at the month's end.

import { formatInstant, type Instant } from '../../core/domain/instant.ts';
import { openSeal, SealInvalid } from '../../io/seals/open-seal.ts';
import type { Configuration } from './check-configuration.ts';
import { ConfigurationInvalid } from './configuration-invalid.ts';

/** Throws `ConfigurationInvalid`. */
export async function checkSeals(
  { issuers }: Pick<Configuration, 'issuers'>,
  now: Instant,
): Promise<void> {
  for (const [i, { seal: file }] of issuers.entries()) {
    if (file === undefined) continue;
    const seal = await openSeal(file).catch((cause: unknown) => {
      if (!(cause instanceof SealInvalid)) throw cause;
      throw new ConfigurationInvalid(`issuers.${i}.seal: ${cause.message}.`);
    });
    const { validFrom, validUntil } = seal;
    if (now >= validFrom && now <= validUntil) continue;
    const when =
      now < validFrom
        ? `is valid only from ${formatInstant(validFrom)} on`
        : `was valid until ${formatInstant(validUntil)}`;
    throw new ConfigurationInvalid(
      `issuers.${i}.seal: the certificate ${file.certificate} ${when}: give another, or leave seal out.`,
    );
  }
}
