// Joins the issuers of the configuration with the certificates that seal their documents. A
// certificate is opened with the first document that it seals.

import { valueIn } from '../../core/domain/value-in.ts';
import type { FormatOptions } from '../../io/formats/port/format.ts';
import { openSeal, type SealFile } from '../../io/seals/open-seal.ts';
import type { Seal } from '../../io/seals/seal.ts';
import type { Configuration } from '../config/check-configuration.ts';
import { sealFileFor } from '../config/for-merchant.ts';

/** Certificates that were opened, by their settings. One that could not be is opened again. */
const opened = new WeakMap<SealFile, Promise<Seal>>();

/** Returns what seals each merchant's documents, or `null` where its issuer has no certificate. */
export function sealingOf(configuration: Configuration): NonNullable<FormatOptions['sealFor']> {
  return async (merchant) => {
    const file = sealFileFor(configuration, merchant);
    if (file === null) return null;
    const seal = valueIn(opened, file, openSeal);
    seal.catch(() => opened.delete(file));
    return seal;
  };
}
