// Openings of months, kept beside the mirror: what the lines below a position add to a statement.
// Refuses to keep one once a line has arrived that it may lack, and makes those void that a late
// line concerns.

import type pg from 'pg';
import type { Instant } from '../../../core/domain/instant.ts';
import { ask, build } from '../server/ask.ts';
import { inTransaction } from '../server/connections.ts';
import type { DatabaseSnapshot } from '../server/database-snapshot.ts';
import { digestOf } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';
import type { PageHead } from './rejected-rows.ts';

export interface KeptOpening {
  /** Each of its lines is dated before. */
  readonly startsAt: Instant;
  /** It has every line of a lower sequence, and no other. */
  readonly position: number;
  readonly engine: string;
  /** What it rests on besides its lines; for the caller to compare. */
  readonly terms: string;
  /** JSON, opaque to the store. */
  readonly state: string;
}

export interface Openings {
  /** Of no month that begins after this instant, the newest first. */
  list(until: Instant): Promise<readonly Omit<KeptOpening, 'state'>[]>;
  /** Of one that was listed; null: it is not as it was kept. */
  stateAt(startsAt: Instant): Promise<string | null>;
  keep(opening: KeptOpening): Promise<void>;
}

/** As of the snapshot. `intake`: the newest page that it sees. */
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
 * Not kept when a late line has arrived since the snapshot: the head is locked, so none arrives
 * meanwhile.
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

/** One that is not void, and not as it was kept. */
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
 * Makes those void that a late line concerns; nothing rests on empty terms. The head is locked by
 * the page that brings it.
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
