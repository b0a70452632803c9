// Openings of months: the state of a statement after all lines below a position, kept beside the
// mirror so that a statement need not read those lines again. Refuses to keep an opening once a
// line has arrived that may be missing in it, and voids the openings that a late line belongs to.

import type pg from 'pg';
import type { Instant } from '../../../core/domain/instant.ts';
import { ask, build } from '../server/ask.ts';
import { inTransaction } from '../server/connections.ts';
import type { DatabaseSnapshot } from '../server/database-snapshot.ts';
import { digestOf } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';
import type { PageHead } from './rejected-rows.ts';

export interface KeptOpening {
  /** The start of the month. Every line in the opening is dated before it. */
  readonly startsAt: Instant;
  /** The opening includes every line with a lower sequence than this, and no other line. */
  readonly position: number;
  readonly engine: string;
  /** Everything but lines on which the state depends. The caller must compare it with its own. */
  readonly terms: string;
  /** JSON, opaque to the store. */
  readonly state: string;
}

export interface Openings {
  /** Lists the openings of months that begin at `until` or earlier, the newest first. */
  list(until: Instant): Promise<readonly Omit<KeptOpening, 'state'>[]>;
  /**
   * Loads the state of an opening that was listed; `null` when its row was changed after it was
   * kept.
   */
  stateAt(startsAt: Instant): Promise<string | null>;
  keep(opening: KeptOpening): Promise<void>;
}

/**
 * Gives access to a merchant's openings as the snapshot sees them. `intake` must be the newest page
 * that the snapshot sees.
 */
export function openingsOf(
  store: Store,
  { client }: Pick<DatabaseSnapshot, 'client'>,
  { merchantId, intake }: { readonly merchantId: number; readonly intake: number },
): Openings {
  const all = build.selectFrom('month_openings').where('merchant_id', '=', merchantId);
  return {
    async list(until) {
      const query = all
        .select(['starts_at as startsAt', 'position', 'engine', 'terms'])
        .where('starts_at', '<=', until)
        .orderBy('starts_at', 'desc');
      return (await ask(client, query)).rows;
    },
    async stateAt(startsAt) {
      const load = all
        .select(['position', 'engine', 'terms', 'state', 'digest'])
        .where('starts_at', '=', startsAt);
      const { digest, ...kept } = (await ask(client, load)).rows[0]!;
      return digest === sealOf(merchantId, { startsAt, ...kept }) ? kept.state : null;
    },
    keep: (opening) => keepOpening(store, { merchantId, intake }, opening),
  };
}

/**
 * Keeps an opening, unless a late line has arrived since the snapshot. The head is locked, so that
 * no late line arrives meanwhile.
 */
async function keepOpening(
  store: Store,
  { merchantId, intake }: { readonly merchantId: number; readonly intake: number },
  kept: KeptOpening,
): Promise<void> {
  const { startsAt, ...content } = kept;
  const opening = { ...content, digest: sealOf(merchantId, kept) };
  await inTransaction(store, async (client) => {
    const head = build
      .selectFrom('merchant_heads')
      .select('merchant_id')
      .where('merchant_id', '=', merchantId)
      .where('late_intake', '<=', intake)
      .forShare();
    if ((await ask(client, head)).count === 0) return;
    const keep = build
      .insertInto('month_openings')
      .values({ merchant_id: merchantId, starts_at: startsAt, ...opening })
      .onConflict((conflict) =>
        conflict.columns(['merchant_id', 'starts_at']).doUpdateSet(opening),
      );
    await ask(client, keep);
  });
}

function sealOf(
  merchantId: number,
  { startsAt, position, engine, terms, state }: KeptOpening,
): string {
  return digestOf([merchantId, startsAt, position, engine, terms, state]);
}

/** Returns whether an opening that is not void was changed after it was kept. */
export async function hasAlteredOpening(
  client: pg.ClientBase,
  merchantId: number,
): Promise<boolean> {
  const all = build
    .selectFrom('month_openings')
    .select(['starts_at as startsAt', 'position', 'engine', 'terms', 'state', 'digest'])
    .where('merchant_id', '=', merchantId)
    .where('digest', 'is not', null);
  const { rows } = await ask(client, all);
  return rows.some(
    ({ digest, ...kept }) => kept.terms !== '' && digest !== sealOf(merchantId, kept),
  );
}

/**
 * Voids the openings that should include a late line. A void opening has empty terms, which no
 * caller's terms equal. The head must be locked by the page that brings the line.
 */
export async function voidOpenings(
  client: pg.ClientBase,
  { merchantId }: Pick<PageHead, 'merchantId'>,
  lowestLate: number,
): Promise<void> {
  const late = build
    .updateTable('month_openings')
    .set({ terms: '', state: '' })
    .where('merchant_id', '=', merchantId)
    .where('position', '>=', lowestLate);
  await ask(client, late);
}
