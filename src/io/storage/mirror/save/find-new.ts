// Finds what a page would add to the mirror, without a lock, for the pages of several merchants at
// once. Refuses to write: the page takes its number later, unless another page took it meanwhile.

import type pg from 'pg';
import type { LedgerEntry } from '../../../../core/domain/ledger-entry.ts';
import type { Merchant } from '../../../../core/domain/merchant.ts';
import type { Operation, OperationTexts } from '../../../../core/domain/operation.ts';
import type { RejectedRow } from '../../../../core/domain/snapshot.ts';
import { askTogether } from '../../../together/ask-together.ts';
import { holdsLock, type Lease, leaseLost } from '../../merchants/merchant-lock.ts';
import { anyOf, ask, build, prepare, type Slots } from '../../server/ask.ts';
import { inTransaction } from '../../server/connections.ts';
import { BY_INDEX } from '../../server/database-snapshot.ts';
import type { Store } from '../../server/store.ts';
import type { WalletAsRead } from '../profile-rows.ts';
import { findRejected, type PageHead, type Reread } from '../rejected-rows.ts';
import { findNewEntries, type NewEntries, type ReadingStart } from './save-entries.ts';
import { findNewOperations, type NewOperations } from './save-operations.ts';
import { findNewProfiles, findNewWallets, type NewProfile } from './save-surroundings.ts';

export interface Page {
  readonly profile?: Merchant | undefined;
  readonly wallet?: WalletAsRead | undefined;
  readonly entries?: readonly LedgerEntry[] | undefined;
  /** Operations. A text that is absent is stored as `null`. */
  readonly operations?: readonly (Operation & Partial<OperationTexts>)[] | undefined;
  /**
   * True when the operations were fetched by reference, between two readings. They do not show what
   * other operations there are, so the marks from which the next reading looks for new operations
   * stay where they are.
   */
  readonly outOfTurn?: boolean;
  readonly rejected?: readonly RejectedRow[] | undefined;
  /**
   * How far the mirror reached when the reading of this page began; absent when the reading begins
   * with this page.
   */
  readonly began?: ReadingStart | undefined;
  /** Given with the last page of a reading that went to its end. */
  readonly reread?: Reread | undefined;
}

/** The content of a page that the mirror does not have yet. */
export interface FoundNew {
  readonly head: PageHead;
  readonly entries: NewEntries;
  readonly operations: NewOperations;
  readonly profile: NewProfile | null;
  readonly wallet: WalletAsRead | null;
  readonly rejected: readonly RejectedRow[];
  /** `null` when no refused row could have been repaired. */
  readonly reread: Reread | null;
  readonly isOutOfTurn: boolean;
  readonly isNothing: boolean;
}

interface LeasedPage {
  readonly lease: Lease;
  readonly page: Page;
}

/** Finds what a page would add to the mirror. Throws `LeaseLost`. */
export const findNew = askTogether<LeasedPage, FoundNew, Store>((store, asked) =>
  inTransaction(store, (client) => findInPages(client, asked), BY_INDEX),
);

/**
 * Finds how these lines differ from the stored ones, and saves nothing: for callers that only look.
 */
export async function findAltered(
  store: Store,
  merchantId: number,
  entries: readonly LedgerEntry[],
): Promise<NewEntries['alterations']> {
  return inTransaction(store, async (client) => {
    const [row] = (await ask(client, headsForPages({ merchantIds: [merchantId] }))).rows;
    if (row === undefined) return [];
    const [found] = await findNewEntries(client, [
      { head: { ...row, intake: row.intake + 1 }, entries },
    ]);
    return found!.alterations;
  });
}

export async function findInPages(
  client: pg.ClientBase,
  asked: readonly LeasedPage[],
): Promise<readonly (FoundNew | Error)[]> {
  const heads = await loadHeads(client, asked);
  const pages = asked.flatMap(({ lease, page }) => {
    const head = heads.get(lease);
    return head === undefined
      ? []
      : [
          {
            lease,
            page,
            head,
            ...page,
            entries: page.entries ?? [],
            operations: page.operations ?? [],
          },
        ];
  });
  const entries = await findNewEntries(client, pages);
  const operations = await findNewOperations(client, pages);
  const profiles = await findNewProfiles(client, pages);
  const wallets = await findNewWallets(client, pages);
  const reread = pages
    .filter(({ page }) => page.reread !== undefined)
    .map(({ head }) => head.merchantId);
  const everRejected = reread.length === 0 ? new Set() : await findRejected(client, reread);
  const found = new Map(
    pages.map(({ lease, page, head }, i) => {
      const parts = {
        entries: entries[i]!,
        operations: operations[i]!,
        profile: profiles[i]!,
        wallet: wallets[i]!,
      };
      return [
        lease,
        foundIn(page, { head, ...parts, wasRejected: everRejected.has(head.merchantId) }),
      ];
    }),
  );
  return asked.map(({ lease }) => found.get(lease) ?? leaseLost(lease));
}

function foundIn(
  page: Page,
  parts: Pick<FoundNew, 'head' | 'entries' | 'operations' | 'profile' | 'wallet'> & {
    readonly wasRejected: boolean;
  },
): FoundNew {
  const { wasRejected, ...found } = parts;
  const { rejected = [], outOfTurn: isOutOfTurn = false } = page;
  const reread =
    page.reread !== undefined && (rejected.length > 0 || wasRejected) ? page.reread : null;
  const rows = found.entries.rows.length + found.operations.rows.length + rejected.length;
  const isNothing =
    rows === 0 && found.profile === null && found.wallet === null && reread === null;
  return { ...found, rejected, reread, isOutOfTurn, isNothing };
}

/** Loads the heads, without those of leases that were lost. */
async function loadHeads(
  client: pg.ClientBase,
  asked: readonly LeasedPage[],
): Promise<ReadonlyMap<Lease, PageHead>> {
  const leases = asked.map(({ lease }) => lease).filter(holdsLock);
  const answer = await ask(
    client,
    headsForPages({ merchantIds: leases.map(({ merchantId }) => merchantId) }),
  );
  const rows = new Map(answer.rows.map((row) => [row.merchantId, row]));
  return new Map(
    leases.flatMap((lease) => {
      const row = rows.get(lease.merchantId);
      if (row === undefined || row.fence !== lease.fence) return [];
      const { fence: _, ...head } = row;
      return [[lease, { ...head, intake: row.intake + 1 }] as const];
    }),
  );
}

const headsForPages = prepare(
  'heads for pages',
  (at: Slots<{ readonly merchantIds: readonly number[] }>) =>
    build
      .selectFrom('merchant_heads')
      .select([
        'merchant_id as merchantId',
        'fence',
        'intake',
        'last_sequence as lastSequence',
        'entry_count as entryCount',
      ])
      .select(['operation_count as operationCount', 'chain', 'reread', 'reread_from as rereadFrom'])
      .where('merchant_id', '=', anyOf('bigint', at('merchantIds'))),
);
