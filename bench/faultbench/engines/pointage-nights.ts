// The adapter of pointage for several readings of one merchant: each is a night over the same
// mirror, which reads the books whole.

import { migrate } from '../../../src/io/storage/server/migrate.ts';
import { openStore } from '../../../src/io/storage/server/open-store.ts';
import type { Store } from '../../../src/io/storage/server/store.ts';
import { arraySource } from '../../../test/support/array-source.ts';
import { runNight } from '../../../test/support/nightly.ts';
import type { Case, Claim } from '../case.ts';
import { booksIn, claimsOf } from './pointage.ts';

export interface NightAuditor {
  audit(one: Case): Promise<readonly Claim[]>;
  close(): Promise<void>;
}

/** Opens an auditor on a database of its own. Merchants of earlier cases stay in it. */
export async function openNightAuditor(databaseUrl: string): Promise<NightAuditor> {
  const store = await openStore({ databaseUrl, dataDirectory: '' });
  await migrate(store);
  return { audit: (one) => auditNights(store, one), close: () => store.close() };
}

/** Returns what the last night claims. */
async function auditNights(
  store: Store,
  { name: merchant, nights }: Case,
): Promise<readonly Claim[]> {
  let claims: readonly Claim[] = [];
  for (const files of nights) {
    const { profile, wallet, ...rows } = booksIn(files);
    const books = { ...rows, profile: { ...profile, reference: merchant }, wallet: wallet! };
    const source = arraySource({ ...books, payments: [], reports: [], notifications: [] });
    source.onlyNew = false;
    const night = {
      store,
      source,
      merchant,
      now: books.asOf,
      pageRows: 1_000,
      diesBeforeSaving: false,
    };
    claims = claimsOf((await runNight(night)).report);
  }
  return claims;
}
