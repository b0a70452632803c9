// Saves one page of a source into the mirror: lines, operations, profile, wallet and refused rows, in one transaction.
// Refuses to change what is stored: other content under a known key is kept beside it, equal content adds nothing.

import type pg from 'pg';
import type { Instant } from '../../../domain/instant.ts';
import type { LedgerEntry } from '../../../domain/ledger-entry.ts';
import type { Merchant } from '../../../domain/merchant.ts';
import type { Operation, OperationTexts } from '../../../domain/operation.ts';
import type { RejectedRow } from '../../../domain/snapshot.ts';
import type { Wallet } from '../../../domain/wallet.ts';
import { type Lease, leaseLost, requireLease, requireLock } from '../../merchants/merchant-lock.ts';
import { BY_INDEX } from '../../server/database-snapshot.ts';
import type { Store } from '../../server/store.ts';
import { inTransaction } from '../../server/transaction.ts';
import { voidOpenings } from '../openings.ts';
import type { PageHead } from '../page-head.ts';
import { hasRejected, type Reread, saveRejected, saveReread } from '../rejected-rows.ts';
import { findNewEntries, type NewEntries, writeEntries } from './save-entries.ts';
import { findNewOperations, type NewOperations, writeOperations } from './save-operations.ts';
import { findNewProfile, findNewWallet, writeProfile, writeWallet } from './save-surroundings.ts';

export interface Page {
  readonly profile?: Merchant | undefined;
  readonly wallet?: { readonly wallet: Wallet; readonly readAt: Instant } | undefined;
  readonly entries?: readonly LedgerEntry[] | undefined;
  /** Texts that are not there are taken to be null. */
  readonly operations?: readonly (Operation & Partial<OperationTexts>)[] | undefined;
  /**
   * The operations were asked for by name, between two readings: they say nothing of what else there is, and the marks
   * from which the next reading looks for new operations stay where they are.
   */
  readonly outOfTurn?: boolean;
  readonly rejected?: readonly RejectedRow[] | undefined;
  /** With the last page of a reading that went to its end. */
  readonly reread?: Reread | undefined;
}

export interface SavedPage {
  readonly entriesAdded: number;
  readonly operationsChanged: number;
  /** New lines at or below the head that was stored before: no checkpoint taken so far is good any more. */
  readonly lateEntries: number;
}

const NOTHING_SAVED: SavedPage = { entriesAdded: 0, operationsChanged: 0, lateEntries: 0 };

/**
 * All of the page or nothing of it. Lines may come in any order. A page that would add nothing takes no number and writes
 * nothing. Throws `LeaseLost`.
 */
export async function savePage(store: Store, lease: Lease, page: Page): Promise<SavedPage> {
  for (;;) {
    const saved = await inTransaction(store, (client) => tryPage(client, lease, page), BY_INDEX);
    if (saved !== null) return saved;
  }
}

/** Null when another page of this lease came in between: what is new has to be found again. */
async function tryPage(client: pg.ClientBase, lease: Lease, page: Page): Promise<SavedPage | null> {
  const head = await loadHead(client, lease);
  const entries = await findNewEntries(client, head, page.entries ?? []);
  const operations = await findNewOperations(client, head, page.operations ?? []);
  const profile = page.profile === undefined ? null : await findNewProfile(client, head, page.profile);
  const wallet = page.wallet === undefined ? null : await findNewWallet(client, head, page.wallet);
  const rejected = page.rejected ?? [];
  const isReread = page.reread !== undefined && (rejected.length > 0 || (await hasRejected(client, head)));
  const isNew = entries.rows.length + operations.rows.length + rejected.length > 0;
  if (!isNew && profile === null && wallet === null && !isReread) return NOTHING_SAVED;
  const isOutOfTurn = page.outOfTurn === true;
  if (!(await claimPage(client, lease, { head, entries, operations, isOutOfTurn }))) return null;
  if (entries.lowestLate !== null) await voidOpenings(client, head, entries.lowestLate);
  await writeEntries(client, head, entries);
  await writeOperations(client, head, operations);
  if (profile !== null) await writeProfile(client, head, profile);
  if (wallet !== null) await writeWallet(client, head, wallet);
  await saveRejected(client, head, rejected);
  if (isReread) await saveReread(client, head, page.reread!);
  return { entriesAdded: entries.rows.length, operationsChanged: operations.changed, lateEntries: entries.late };
}

async function loadHead(client: pg.ClientBase, lease: Lease): Promise<PageHead> {
  requireLock(lease);
  const answer = await client.query<{ intake: number; last_sequence: number | null; operation_count: number }>({
    name: 'load head for page',
    text: `select intake, last_sequence, operation_count
    from merchant_heads
    where merchant_id = $1 and fence = $2`,
    values: [lease.merchantId, lease.fence],
  });
  const row = answer.rows[0];
  if (row === undefined) throw leaseLost(lease);
  return {
    merchantId: lease.merchantId,
    intake: row.intake + 1,
    lastSequence: row.last_sequence,
    operationCount: row.operation_count,
  };
}

/**
 * Takes the page's number; the row stays locked, so the merchant's pages are saved one after the other. What was read of
 * the merchant before holds good: a process that wrote since has a newer fence, or took a number. False when one was taken.
 */
async function claimPage(
  client: pg.ClientBase,
  lease: Lease,
  page: {
    readonly head: PageHead;
    readonly entries: NewEntries;
    readonly operations: NewOperations;
    readonly isOutOfTurn: boolean;
  },
): Promise<boolean> {
  const { head, entries, operations, isOutOfTurn } = page;
  const claimed = await client.query({
    name: 'claim page',
    text: `update merchant_heads
    set intake = $3,
      last_sequence = greatest(last_sequence, $4),
      entry_count = entry_count + $5,
      variant_count = variant_count + $6,
      late_intake = case when $7 then $3 else late_intake end,
      operation_count = operation_count + $8,
      moved_operation_count = moved_operation_count + $9,
      newest_operation_created_at = greatest(newest_operation_created_at, $10),
      newest_operation_updated_at = greatest(newest_operation_updated_at, $11)
    where merchant_id = $1 and fence = $2 and intake = $3 - 1`,
    values: [
      lease.merchantId,
      lease.fence,
      head.intake,
      entries.lastSequence,
      entries.rows.length,
      entries.variants,
      entries.late > 0,
      operations.added,
      operations.moved.length,
      isOutOfTurn ? null : operations.newestCreatedAt,
      isOutOfTurn ? null : operations.newestUpdatedAt,
    ],
  });
  if (claimed.rowCount === 1) return true;
  await requireLease(client, lease);
  return false;
}
