// Books with sound operations put between their lines. The lines around them are renumbered and
// nothing else changes. Each inserted operation is a cash-out that failed, with a hold and its
// release, so that no balance, total or opening moves by it.

import { HOUR, type Instant } from '../../src/core/domain/instant.ts';
import type { Books } from '../../src/sandbox/model/plan.ts';
import type { ServedEntry, ServedOperation } from '../../src/sandbox/model/served.ts';

export interface Stretch {
  /**
   * Indexes of lines before each of which operations are put. Nothing is put between lines of one
   * sequence, or between these and the next line.
   */
  readonly places: readonly number[];
  /** How many operations are put at each place. */
  readonly count: number;
}

export interface StretchedBooks {
  readonly books: Books;
  /** The sequence that each line had before, by the sequence that it has now. */
  readonly was: ReadonlyMap<number, number>;
}

/** An amount so large that its fee is the same by every rounding. */
const AMOUNT = 10_000;

export function stretchBooks(books: Books, { places, count }: Stretch): StretchedBooks {
  const entries: ServedEntry[] = [];
  const operations = [...books.operations];
  const was = new Map<number, number>();
  let shift = 0;
  let at: Instant = Date.parse(books.merchant.createdAt);
  books.entries.forEach((entry, i) => {
    const before = books.entries[i - 1];
    const since = before === undefined ? at : Date.parse(before.createdAt);
    if (since > at && since < books.asOf - HOUR) at = since;
    // The line after two lines of one number shows which of the two belongs to the chain, so that
    // it must stay next to them.
    const isAfterShared =
      before !== undefined && books.entries[i - 2]?.sequence === before.sequence;
    if (
      places.includes(i) &&
      before !== undefined &&
      before.sequence < entry.sequence &&
      !isAfterShared
    ) {
      for (let number = 0; number < count; number += 1) {
        const inserted = insertAfter(before, shift, {
          books,
          reference: `GUI-CO-X${i}X${number}`,
          at,
        });
        operations.push(inserted.operation);
        entries.push(...inserted.lines);
        shift += inserted.lines.length;
      }
    }
    was.set(entry.sequence + shift, entry.sequence);
    entries.push({ ...entry, sequence: entry.sequence + shift });
  });
  operations.sort((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0));
  return { books: { ...books, entries, operations }, was };
}

interface Insertion {
  readonly books: Books;
  readonly reference: string;
  readonly at: Instant;
}

/**
 * Inserts an operation. It has no lines where too little is available to hold, because a cash-out
 * may be cancelled before anything is held for it.
 */
function insertAfter(
  before: ServedEntry,
  shift: number,
  { books, reference, at }: Insertion,
): { readonly operation: ServedOperation; readonly lines: readonly ServedEntry[] } {
  const { merchant, policy } = books;
  const { cashoutFeeBps, cashoutFeeFlat } = merchant.pricing;
  const fees = (AMOUNT * cashoutFeeBps) / 10_000 + cashoutFeeFlat;
  const isHeld =
    before.reservedAfter >= 0 && before.balanceAfter - before.reservedAfter >= AMOUNT + fees;
  const createdAt = new Date(at).toISOString();
  const operation: ServedOperation = {
    ...{ reference, type: 'CASHOUT', status: isHeld ? 'FAILED' : 'CANCELLED' },
    ...{ amount: AMOUNT, fees, netAmount: AMOUNT + fees, currency: books.wallet.currency },
    ...{
      country: merchant.country,
      operator: 'WAVE',
      counterparty: { phoneNumber: '+2250700000000', name: null },
    },
    ...{
      externalReference: null,
      description: null,
      payerActionUrl: null,
      requiresPayerAction: false,
    },
    failure: isHeld ? { code: 'OPERATOR_REFUSED', message: 'refused' } : null,
    metadata: null,
    ...{ createdAt, updatedAt: createdAt, completedAt: createdAt },
    expiresAt: new Date(at + 6 * HOUR).toISOString(),
  };
  if (!isHeld) return { operation, lines: [] };
  const amount = policy.holdAmount === 'NET' ? AMOUNT + fees : AMOUNT;
  const { balanceAfter, reservedAfter } = before;
  const hold: ServedEntry = {
    ...{
      id: `hold of ${reference}`,
      sequence: before.sequence + shift + 1,
      direction: 'HOLD',
      kind: 'CASHOUT_HOLD',
    },
    ...{
      amount,
      currency: books.wallet.currency,
      balanceAfter,
      reservedAfter: reservedAfter + amount,
    },
    ...{ operationReference: reference, description: null, createdAt },
  };
  const release = {
    direction: 'RELEASE',
    kind: 'CASHOUT_RELEASE',
    sequence: hold.sequence + 1,
    reservedAfter,
  };
  return { operation, lines: [hold, { ...hold, ...release, id: `release of ${reference}` }] };
}
