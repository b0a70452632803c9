// Saves one page of a source into the mirror: lines, operations, profile, wallet and refused rows,
// in one transaction. Refuses to change stored rows: other content under a known key is stored
// beside it, and equal content adds nothing. Lines that a later reading serves otherwise are stored
// apart from the judged lines.

import type pg from 'pg';
import { type Lease, requireLease } from '../../merchants/merchant-lock.ts';
import { ask, build, prepare, type Slots } from '../../server/ask.ts';
import { inTransaction } from '../../server/connections.ts';
import { BY_INDEX } from '../../server/database-snapshot.ts';
import type { Store } from '../../server/store.ts';
import { chainOfPage, type PageChain, writeBlocks } from '../entry-chain.ts';
import { voidOpenings } from '../openings.ts';
import { saveRejected, saveReread } from '../rejected-rows.ts';
import { changeState, digestRows } from '../row-digests.ts';
import { type FoundNew, findInPages, findNew, type Page } from './find-new.ts';
import { writeAlterations } from './save-alterations.ts';
import { writeEntries } from './save-entries.ts';
import { writeOperations } from './save-operations.ts';
import { writeProfile, writeWallet } from './save-surroundings.ts';

export interface SavedPage {
  readonly entriesAdded: number;
  readonly operationsChanged: number;
  /**
   * The number of new lines at or below the last line that was stored before. If there is one, no
   * checkpoint taken so far is valid any more.
   */
  readonly lateEntries: number;
}

export const NOTHING_SAVED: SavedPage = { entriesAdded: 0, operationsChanged: 0, lateEntries: 0 };

export function sumOfSaved(a: SavedPage, b: SavedPage): SavedPage {
  return {
    entriesAdded: a.entriesAdded + b.entriesAdded,
    operationsChanged: a.operationsChanged + b.operationsChanged,
    lateEntries: a.lateEntries + b.lateEntries,
  };
}

/**
 * Saves a page, all or nothing. Its lines may come in any order. A page that would add nothing
 * takes no number and writes nothing. Throws `LeaseLost`.
 */
export async function savePage(store: Store, lease: Lease, page: Page): Promise<SavedPage> {
  for (;;) {
    const found = await findNew(store, { lease, page });
    if (found.isNothing) return NOTHING_SAVED;
    const write = (client: pg.ClientBase) =>
      changeState(client, lease.merchantId, () => writePage(client, lease, found));
    const saved = await inTransaction(store, write, BY_INDEX);
    if (saved !== null) return saved;
  }
}

/** Saves a page in the caller's transaction, which must have locked the merchant's head. */
export async function addPage(client: pg.ClientBase, lease: Lease, page: Page): Promise<void> {
  const [found] = await findInPages(client, [{ lease, page }]);
  if (found instanceof Error) throw found;
  await changeState(client, lease.merchantId, () => writePage(client, lease, found!));
}

/**
 * Writes a page. Returns `null`, and writes nothing, when another page of this lease was saved
 * since `found` was found: the caller must look again for what is new.
 */
async function writePage(
  client: pg.ClientBase,
  lease: Lease,
  found: FoundNew,
): Promise<SavedPage | null> {
  const { head, entries, operations, profile, wallet, rejected, reread } = found;
  const chained = await chainOfPage(client, lease, found);
  if (!(await claimPage(client, lease, { ...found, chain: chained?.chain ?? null }))) return null;
  if (entries.lowestLate !== null) await voidOpenings(client, head, entries.lowestLate);
  await writeEntries(client, head, entries);
  await writeBlocks(client, head, chained?.blocks ?? []);
  await writeAlterations(client, head, entries.alterations);
  await writeOperations(client, head, operations);
  if (profile !== null) await writeProfile(client, head, profile);
  if (wallet !== null) await writeWallet(client, head, wallet);
  await saveRejected(client, head, rejected);
  if (reread !== null) await saveReread(client, head, reread);
  await digestRows(client, {
    merchantId: head.merchantId,
    page: head.intake,
    parts: partsOf(found),
  });
  return {
    entriesAdded: entries.rows.length,
    operationsChanged: operations.changed,
    lateEntries: entries.late,
  };
}

/**
 * Returns the tables to which the page brought rows. Lines are not among them, because they have
 * their chain.
 */
function partsOf({ entries, operations, profile, wallet, rejected, reread }: FoundNew) {
  return [
    ...(entries.alterations.length > 0 ? (['entry_alterations'] as const) : []),
    ...(operations.rows.length > 0 ? (['operation_versions'] as const) : []),
    ...(operations.moved.length > 0 ? (['moved_operation_versions'] as const) : []),
    ...(operations.departed.length > 0 ? (['departed_operation_versions'] as const) : []),
    ...(profile !== null ? (['profile_versions'] as const) : []),
    ...(wallet !== null ? (['wallet_readings'] as const) : []),
    ...(rejected.length > 0 ? (['rejected_rows'] as const) : []),
    ...(rejected.length > 0 || reread !== null ? (['rejected_row_changes'] as const) : []),
  ];
}

/**
 * Takes the page's number. The merchant's head stays locked, so that the merchant's pages are saved
 * one after the other. The rows that were read before stay valid, because a process that has
 * written since has a newer fence or took the number. Returns false when another page took the
 * number. Throws `LeaseLost`.
 */
async function claimPage(client: pg.ClientBase, lease: Lease, claimed: Claimed): Promise<boolean> {
  if ((await ask(client, claimNumber(claimedBy(lease, claimed)))).count === 1) return true;
  await requireLease(client, lease);
  return false;
}

/** `chain` is the new state of the chain; `null` when it stays as it is. */
type Claimed = FoundNew & { readonly chain: PageChain['chain'] | null };

function claimedBy(lease: Lease, { head, entries, operations, isOutOfTurn, chain }: Claimed) {
  return {
    merchantId: lease.merchantId,
    fence: lease.fence,
    intakeBefore: head.intake - 1,
    intake: head.intake,
    lastSequence: entries.lastSequence,
    entries: entries.rows.length,
    alterations: entries.alterations.length,
    variants: entries.variants,
    lateIntake: entries.late > 0 ? head.intake : null,
    chain,
    operations: operations.added,
    moved: operations.moved.length,
    newestCreatedAt: isOutOfTurn ? null : operations.newestCreatedAt,
    newestUpdatedAt: isOutOfTurn ? null : operations.newestUpdatedAt,
  };
}

const claimNumber = prepare('claim page', (at: Slots<ReturnType<typeof claimedBy>>) =>
  build
    .updateTable('merchant_heads')
    .set(({ eb, fn, val }) => ({
      intake: at('intake'),
      last_sequence: fn('greatest', ['last_sequence', val(at('lastSequence'))]),
      entry_count: eb('entry_count', '+', at('entries')),
      variant_count: eb('variant_count', '+', at('variants')),
      alteration_count: eb('alteration_count', '+', at('alterations')),
      late_intake: fn.coalesce(val(at('lateIntake')), 'late_intake'),
      chain: fn.coalesce(val(at('chain')), 'chain'),
      operation_count: eb('operation_count', '+', at('operations')),
      moved_operation_count: eb('moved_operation_count', '+', at('moved')),
      newest_operation_created_at: fn('greatest', [
        'newest_operation_created_at',
        val(at('newestCreatedAt')),
      ]),
      newest_operation_updated_at: fn('greatest', [
        'newest_operation_updated_at',
        val(at('newestUpdatedAt')),
      ]),
    }))
    .where(({ and }) =>
      and({ merchant_id: at('merchantId'), fence: at('fence'), intake: at('intakeBefore') }),
    ),
);
