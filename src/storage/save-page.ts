// Saves one page of a source into the mirror: lines, operations, profile, wallet and refused rows, in one transaction.
// Refuses to change what is stored: other content under a known key is kept beside it, equal content adds nothing.

import type pg from 'pg';
import type { Instant } from '../domain/instant.ts';
import type { LedgerEntry } from '../domain/ledger-entry.ts';
import type { Merchant } from '../domain/merchant.ts';
import type { Operation } from '../domain/operation.ts';
import type { RejectedRow } from '../domain/reading.ts';
import type { Wallet } from '../domain/wallet.ts';
import { type Lease, leaseLost } from './merchant-lock.ts';
import type { Store } from './open-store.ts';
import { type LookedAgain, saveLookedAgain, saveRejected } from './rejected-rows.ts';
import { saveEntries } from './save-entries.ts';
import { saveOperations } from './save-operations.ts';
import { saveProfile, saveWallet } from './save-surroundings.ts';
import { BY_INDEX } from './snapshot.ts';
import { inTransaction } from './transaction.ts';

export interface Page {
  readonly profile?: Merchant | undefined;
  readonly wallet?: { readonly wallet: Wallet; readonly readAt: Instant } | undefined;
  readonly entries?: readonly LedgerEntry[] | undefined;
  readonly operations?: readonly Operation[] | undefined;
  /**
   * The operations were asked for by name, between two readings: they say nothing of what else there is, and the marks
   * from which the next reading looks for new operations stay where they are.
   */
  readonly outOfTurn?: boolean;
  readonly rejected?: readonly RejectedRow[] | undefined;
  /** With the last page of a reading that went to its end. */
  readonly lookedAgain?: LookedAgain | undefined;
}

export interface SavedPage {
  readonly entriesAdded: number;
  readonly operationsChanged: number;
  /** New lines at or below the head that was stored before: no checkpoint taken so far is good any more. */
  readonly lateEntries: number;
}

/** The merchant's head as it stands while its page is being saved. */
export interface PageHead {
  readonly merchantId: number;
  /** The number of this page; the merchant's pages count up from 1. */
  readonly intake: number;
  readonly lastSequence: number | null;
  readonly operationCount: number;
}

/** All of the page or nothing of it. Lines may come in any order. Throws `LeaseLost`. */
export async function savePage(store: Store, lease: Lease, page: Page): Promise<SavedPage> {
  return inTransaction(store, async (client) => {
    const head = await claimPage(client, lease);
    const entries = await saveEntries(client, head, page.entries ?? []);
    const operations = await saveOperations(client, head, page.operations ?? []);
    if (page.profile !== undefined) await saveProfile(client, head, page.profile);
    if (page.wallet !== undefined) await saveWallet(client, head, page.wallet);
    if (page.rejected !== undefined) await saveRejected(client, head, page.rejected);
    if (page.lookedAgain !== undefined) await saveLookedAgain(client, head, page.lookedAgain);
    await client.query(
      `update merchant_heads
      set last_sequence = greatest(last_sequence, $2),
        entry_count = entry_count + $3,
        variant_count = variant_count + $4,
        late_intake = case when $5 then intake else late_intake end,
        operation_count = operation_count + $6,
        moved_operation_count = moved_operation_count + $7,
        newest_operation_created_at = greatest(newest_operation_created_at, $8),
        newest_operation_updated_at = greatest(newest_operation_updated_at, $9)
      where merchant_id = $1`,
      [
        lease.merchantId,
        entries.lastSequence,
        entries.added,
        entries.variants,
        entries.late > 0,
        operations.added,
        operations.moved,
        page.outOfTurn === true ? null : operations.newestCreatedAt,
        page.outOfTurn === true ? null : operations.newestUpdatedAt,
      ],
    );
    return { entriesAdded: entries.added, operationsChanged: operations.changed, lateEntries: entries.late };
  });
}

/** Takes the next page number; the row stays locked, so the merchant's pages are saved one after the other. */
async function claimPage(client: pg.ClientBase, lease: Lease): Promise<PageHead> {
  // A page costs what it holds, whatever the history.
  await client.query(BY_INDEX);
  const claimed = await client.query<{ intake: number; last_sequence: number | null; operation_count: number }>(
    `update merchant_heads
    set intake = intake + 1
    where merchant_id = $1 and fence = $2
    returning intake, last_sequence, operation_count`,
    [lease.merchantId, lease.fence],
  );
  const row = claimed.rows[0];
  if (row === undefined) throw leaseLost(lease);
  return {
    merchantId: lease.merchantId,
    intake: row.intake,
    lastSequence: row.last_sequence,
    operationCount: row.operation_count,
  };
}
