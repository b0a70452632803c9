// What a merchant's cash-outs still hold, as the last run left it. Reads the run's checkpoint, and nobody's books: refuses to
// guess when there is none.

import type { Amount } from '../../../core/domain/amount.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import { readBooks } from '../../../core/reconcile/books-text.ts';
import { finishReplay, plainHash } from '../../../core/replay/replay-entry.ts';
import { eachTally } from '../../../core/replay/tallies-seen.ts';
import { compareTallies, type Tally } from '../../../core/replay/tally.ts';
import { loadCheckpoint } from '../../../io/storage/conclusions/checkpoint.ts';
import type { Store } from '../../../io/storage/server/store.ts';

export interface OpenHold {
  readonly operationReference: string;
  readonly amount: Amount;
  /** The first line that holds. */
  readonly sequence: number | null;
  readonly heldAt: Instant | null;
  /** Of the operation as it was last read; null when it was never seen. */
  readonly status: string | null;
  readonly expiresAt: Instant | null;
}

export interface OpenHolds {
  readonly total: number;
  /** Of all of them; recomputed, as the last run's report has it. */
  readonly amount: Amount;
  /** In the order of their lines; the first ones. */
  readonly items: readonly OpenHold[];
}

/** Null when no run of this engine has left a checkpoint that still holds good, or there was too much to keep in one. */
export async function loadOpenHolds(
  store: Store,
  wanted: { readonly merchant: string; readonly engine: string; readonly limit: number },
): Promise<OpenHolds | null> {
  const checkpoint = await loadCheckpoint(store, wanted.merchant);
  if (checkpoint === null || checkpoint.engine !== wanted.engine) return null;
  const books = readBooks(checkpoint.state, plainHash);
  if (books === null) return null;
  const { replay, standing } = books;
  finishReplay(replay, { standing, settings: ANY_LINE, onAnomaly: () => {}, applied: () => {}, hashOf: plainHash });
  const holding = eachTally(replay.tallies)
    .filter(({ held }) => held !== 0)
    .toArray()
    .sort(compareTallies);
  return {
    total: holding.length,
    amount: holding.reduce((sum, { held }) => sum + held, 0),
    items: holding.slice(0, wanted.limit).map(holdOf),
  };
}

/** A checkpoint is taken before its last line is finished; finishing it judges nothing here. */
const ANY_LINE = { currency: null, opening: null };

function holdOf({ reference, held, lines, operation }: Tally): OpenHold {
  const first = lines.find(({ heldMove }) => heldMove > 0)?.entry ?? null;
  return {
    operationReference: reference,
    amount: held,
    sequence: first?.sequence ?? null,
    heldAt: first?.createdAt ?? null,
    status: operation?.status ?? null,
    expiresAt: operation?.expiresAt ?? null,
  };
}
