// Begins to read altered lines anew, when a person decides so: from the first altered line on, the
// books are judged by what the service serves now. Refuses to remove anything: every content that
// was read stays beside the new ones.

import type pg from 'pg';
import { ENTRY_TABLE } from '../../../../core/domain/rows/entry-fields.ts';
import type { FindingDecision } from '../../conclusions/findings.ts';
import { isJudged, type RereadState } from '../../merchants/judged-lines.ts';
import { type Lease, requireLease } from '../../merchants/merchant-lock.ts';
import { ask, build, by, columnsOf } from '../../server/ask.ts';
import { inTransaction } from '../../server/connections.ts';
import type { Store } from '../../server/store.ts';
import { entryOf } from '../copy/rows.ts';
import { voidOpenings } from '../openings.ts';
import { loadAlterations } from '../read/load-alterations.ts';
import { changeState, digestRows } from '../row-digests.ts';
import { addAlteration } from './save-alterations.ts';
import { addPage } from './save-page.ts';

export type RereadDecision = Pick<FindingDecision, 'at' | 'by' | 'reason'>;

/**
 * Begins the ledger of a new wallet: it is read from its first line on, and judged instead of the
 * ledger before, which stays stored. Throws `LeaseLost`.
 */
export async function beginLedger(
  store: Store,
  lease: Lease,
  decision: RereadDecision,
): Promise<void> {
  await inTransaction(store, async (client) => {
    await requireLease(client, lease);
    await rereadFrom(client, lease, { decision, from: 0, fallen: 0 });
  });
}

/**
 * Makes the next reading begin at the first altered line that is still served, and voids every
 * checkpoint. Returns the sequence from which lines are read anew. Returns `null`, and changes
 * nothing, when no line is altered. Throws `LeaseLost`.
 */
export async function beginReread(
  store: Store,
  lease: Lease,
  decision: RereadDecision,
): Promise<number | null> {
  return inTransaction(store, async (client) => {
    await requireLease(client, lease);
    const { merchantId } = lease;
    const altered = (await loadAlterations(client, [merchantId])).get(merchantId) ?? [];
    const fallen = altered.find(({ change }) => change === 'fallen');
    const oldest = fallen?.now?.sequence ?? Number.NEGATIVE_INFINITY;
    const sequences = altered.flatMap((one) =>
      one.fillsGap || one === fallen || one.lastSequence < oldest
        ? []
        : [Math.max(one.sequence, oldest)],
    );
    if (sequences.length === 0) return null;
    const kept = fallen === undefined ? [] : await loadFallen(client, lease, oldest);
    const from = await rereadFrom(client, lease, {
      decision,
      from: Math.min(...sequences),
      fallen: fallen?.lines ?? 0,
    });
    if (kept.length > 0) {
      await addPage(client, lease, { entries: kept });
      await addAlteration(client, lease, fallen!);
    }
    return from;
  });
}

/**
 * Loads lines that were read anew before and are no longer served because the oldest lines fell
 * away. No reading can serve them again, so they go on being judged as they are known.
 */
async function loadFallen(client: pg.ClientBase, { merchantId }: Lease, oldest: number) {
  const heads = build.selectFrom('merchant_heads').select(['reread', 'reread_from as rereadFrom']);
  const state = (await ask(client, heads.where('merchant_id', '=', merchantId))).rows[0]!;
  if (state.rereadFrom === null) return [];
  const load = build
    .selectFrom('entries as e')
    .select(columnsOf(ENTRY_TABLE, 'e'))
    .where('e.merchant_id', '=', merchantId)
    .where('e.sequence', '>=', state.rereadFrom)
    .where('e.sequence', '<', oldest)
    .where(isJudged(state, 'e'))
    .$call(by('e.sequence', 'e.variant'));
  return (await ask(client, load)).rows.map((row) => entryOf(row));
}

/**
 * Records the reading anew and resets the merchant's head. Returns the sequence from which lines
 * are read anew: `from`, or the start of an earlier reading anew if that is lower. `fallen` is the
 * number of lines below `from` that are no longer served.
 */
async function rereadFrom(
  client: pg.ClientBase,
  { merchantId }: Lease,
  place: Readonly<Record<'from' | 'fallen', number>> & { readonly decision: RereadDecision },
): Promise<number> {
  const load = build
    .selectFrom('merchant_heads')
    .select(['intake', 'entry_count', 'reread', 'reread_from'])
    .where('merchant_id', '=', merchantId);
  const head = (await ask(client, load)).rows[0]!;
  const from = Math.min(place.from, head.reread_from ?? Number.POSITIVE_INFINITY);
  const kept = await judgedBelow(client, {
    merchantId,
    from,
    reread: head.reread,
    rereadFrom: head.reread_from,
  });
  const intake = head.intake + 1;
  const { at, by, reason } = place.decision;
  const row = { merchant_id: merchantId, reread: head.reread + 1, from_sequence: from, intake };
  await ask(
    client,
    build.insertInto('ledger_rereads').values({ ...row, decided_at: at, decided_by: by, reason }),
  );
  const set = {
    intake,
    late_intake: intake,
    reread: head.reread + 1,
    reread_from: from,
    last_sequence: kept.last,
    variant_count: head.entry_count - kept.lines,
  };
  const watch = { compared_intake: intake, position_shift: place.fallen, head_sequence: null };
  await changeState(client, merchantId, async () => {
    await ask(
      client,
      build.updateTable('merchant_heads').set(set).where('merchant_id', '=', merchantId),
    );
    await ask(
      client,
      build.updateTable('line_watches').set(watch).where('merchant_id', '=', merchantId),
    );
  });
  await digestRows(client, { merchantId, page: intake, parts: ['ledger_rereads'] });
  await voidOpenings(client, { merchantId }, from);
  return from;
}

interface JudgedPart extends RereadState {
  readonly merchantId: number;
  readonly from: number;
}

/**
 * Counts the judged lines below `from`. `last` is the highest sequence among them; `null` when
 * there are none.
 */
async function judgedBelow(client: pg.ClientBase, { merchantId, from, ...state }: JudgedPart) {
  const load = build
    .selectFrom('entries')
    .select(({ fn }) => [
      fn.count<number>('sequence').distinct().as('lines'),
      fn.max('sequence').as('last'),
    ])
    .where('merchant_id', '=', merchantId)
    .where('sequence', '<', from)
    .where(isJudged(state));
  const { lines, last } = (await ask(client, load)).rows[0]!;
  return { lines, last: last as number | null };
}
