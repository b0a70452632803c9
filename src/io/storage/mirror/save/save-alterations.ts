// Saves alterations: what a reading served otherwise than before. Refuses to save the same
// alteration twice since the lines were last read anew.

import type pg from 'pg';
import type { Alteration } from '../../../../core/domain/alteration.ts';
import { type Lease, requireLease } from '../../merchants/merchant-lock.ts';
import { ask, build } from '../../server/ask.ts';
import { inTransaction } from '../../server/connections.ts';
import type { Store } from '../../server/store.ts';
import { changeState, digestRows } from '../row-digests.ts';

/**
 * An alteration to save. `afterSequence` is the sequence of the known line before the first altered
 * one; `null` when there is none.
 */
export interface NewAlteration extends Alteration {
  readonly afterSequence: number | null;
}

/**
 * Saves the alteration of lines that a reading no longer serves: `deleted`, `reset` or `fallen`.
 * Lines with other content, or new ones between known lines, need no call: `savePage` finds them in
 * the pages and saves their alterations itself. Returns false when the same alteration is saved
 * already. Throws `LeaseLost`.
 */
export async function saveAlteration(
  store: Store,
  lease: Lease,
  found: Alteration,
): Promise<boolean> {
  return inTransaction(store, async (client) => {
    await requireLease(client, lease);
    const { merchantId } = lease;
    if (await isKnown(client, { merchantId, sequence: found.sequence }, found)) return false;
    await addAlteration(client, lease, found);
    return true;
  });
}

/**
 * Adds an alteration that is not saved yet, as a page of its own. Must run in a transaction that
 * holds the lease.
 */
export async function addAlteration(
  client: pg.ClientBase,
  { merchantId }: Lease,
  found: Alteration,
): Promise<void> {
  const claim = build
    .updateTable('merchant_heads')
    .set(({ eb }) => ({
      intake: eb('intake', '+', 1),
      alteration_count: eb('alteration_count', '+', 1),
    }))
    .where('merchant_id', '=', merchantId)
    .returning('intake');
  const { intake } = (await changeState(client, merchantId, () => ask(client, claim))).rows[0]!;
  const afterSequence = await lineBefore(client, { merchantId, sequence: found.sequence });
  await writeAlterations(client, { merchantId, intake }, [{ ...found, afterSequence }]);
  await digestRows(client, { merchantId, page: intake, parts: ['entry_alterations'] });
}

interface Place {
  readonly merchantId: number;
  readonly sequence: number;
}

async function isKnown(client: pg.ClientBase, { merchantId, sequence }: Place, found: Alteration) {
  const alike = build
    .selectFrom('entry_alterations as a')
    .innerJoin('merchant_heads as h', 'h.merchant_id', 'a.merchant_id')
    .leftJoin('ledger_rereads as r', (join) =>
      join.onRef('r.merchant_id', '=', 'h.merchant_id').onRef('r.reread', '=', 'h.reread'),
    )
    .select('a.intake')
    .where('a.merchant_id', '=', merchantId)
    .where('a.sequence', '=', sequence)
    .where(({ and }) => and({ 'a.last_sequence': found.lastSequence, 'a.change': found.change }))
    .where(({ eb, or }) =>
      or([eb('r.intake', 'is', null), eb('a.intake', '>', eb.ref('r.intake'))]),
    )
    .limit(1);
  return (await ask(client, alike)).count > 0;
}

/** Returns the sequence of the last known line before `sequence`; `null` when there is none. */
async function lineBefore(
  client: pg.ClientBase,
  { merchantId, sequence }: Place,
): Promise<number | null> {
  const before = build
    .selectFrom('entries')
    .select('sequence')
    .where('merchant_id', '=', merchantId)
    .where('sequence', '<', sequence)
    .orderBy('sequence', 'desc')
    .limit(1);
  return (await ask(client, before)).rows[0]?.sequence ?? null;
}

/** Writes alterations. The caller must count them in the merchant's head. */
export async function writeAlterations(
  client: pg.ClientBase,
  { merchantId, intake }: { readonly merchantId: number; readonly intake: number },
  alterations: readonly NewAlteration[],
): Promise<void> {
  if (alterations.length === 0) return;
  const rows = alterations.map(
    ({ lastSequence, afterSequence, fillsGap, before, now, off, ...one }) => ({
      ...one,
      merchant_id: merchantId,
      intake,
      last_sequence: lastSequence,
      after_sequence: afterSequence,
      balance_off: off.balance,
      reserved_off: off.reserved,
      fills_gap: fillsGap,
      before_row: before === null ? null : JSON.stringify(before),
      now_row: now === null ? null : JSON.stringify(now),
    }),
  );
  await ask(client, build.insertInto('entry_alterations').values(rows));
}
