// What earlier looks at a merchant's payments by link saw, and what was notified of them. A look adds the payments that it saw
// otherwise than the one before it, and nothing where all stand as they stood.

import type { Instant } from '../../../core/domain/instant.ts';
import type { Payment } from '../../../core/domain/payment.ts';
import type { Kept } from '../../../core/domain/published/payout-place.ts';
import { askTogether } from '../../together/ask-together.ts';
import type { Lease } from '../merchants/merchant-lock.ts';
import { addingTo, anyOf, ask, build, prepare, type Slots } from '../server/ask.ts';
import { storableJson } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';
import { seenAdder } from './add-seen.ts';

/** Payments created, and notifications received, from an instant on; seen or received up to and including `at`. */
export interface AskedPayments {
  readonly merchant: string;
  readonly from: Instant;
  readonly at: Instant;
}

/** A notification of a payment as it came; nobody has signed it. */
export interface StoredSignal {
  readonly body: Uint8Array;
  readonly receivedAt: Instant;
}

/** Versions by reference, oldest first. A merchant that was never looked at has none. */
export function loadPaymentVersions(
  store: Store,
  asked: AskedPayments,
): Promise<ReadonlyMap<string, readonly Kept<Payment>[]>> {
  return versions(store, asked);
}

const versions = askTogether<AskedPayments, ReadonlyMap<string, readonly Kept<Payment>[]>, Store>(
  async ({ pool }, asked) => {
    const { rows } = await ask(pool, versionsOf(slotsOf(asked)));
    const byMerchant = Map.groupBy(rows, ({ reference }) => reference);
    return asked.map(({ merchant, from, at }) => {
      const own = (byMerchant.get(merchant) ?? []).filter((row) => row.created_at >= from && row.seen_at <= at);
      return Map.groupBy(
        own.map((row) => ({ at: row.seen_at, value: row.content as unknown as Payment })),
        ({ value }) => value.reference,
      );
    });
  },
);

function slotsOf(asked: readonly AskedPayments[]) {
  return { references: asked.map(({ merchant }) => merchant), from: Math.min(...asked.map(({ from }) => from)) };
}

interface Asked {
  readonly references: readonly string[];
  readonly from: Instant;
}

const versionsOf = prepare('payment versions', (at: Slots<Asked>) =>
  build
    .selectFrom('payment_versions as v')
    .innerJoin('merchants as m', 'm.merchant_id', 'v.merchant_id')
    .select(['m.reference', 'v.seen_at', 'v.created_at', 'v.content'])
    .where('m.reference', '=', anyOf('text', at('references')))
    .where('v.created_at', '>=', at('from'))
    .orderBy('m.reference')
    .orderBy('v.reference')
    .orderBy('v.seen_at'),
);

/** In the order in which they came. */
export function loadPaymentSignals(store: Store, asked: AskedPayments): Promise<readonly StoredSignal[]> {
  return signals(store, asked);
}

const signals = askTogether<AskedPayments, readonly StoredSignal[], Store>(async ({ pool }, asked) => {
  const { rows } = await ask(pool, signalsOf(slotsOf(asked)));
  const byMerchant = Map.groupBy(rows, ({ reference }) => reference);
  return asked.map(({ merchant, from, at }) =>
    (byMerchant.get(merchant) ?? []).filter(({ receivedAt }) => receivedAt >= from && receivedAt <= at),
  );
});

const signalsOf = prepare('payment signals', (at: Slots<Asked>) =>
  build
    .selectFrom('notifications as n')
    .innerJoin('merchants as m', 'm.merchant_id', 'n.merchant_id')
    .select(['m.reference', 'n.received_at as receivedAt', 'n.body'])
    .where('m.reference', '=', anyOf('text', at('references')))
    .where('n.channel', '=', 'payments')
    .where('n.received_at', '>=', at('from'))
    .orderBy('m.reference')
    .orderBy('n.received_at')
    .orderBy('n.event_id')
    .orderBy('n.variant'),
);

/** What a look saw otherwise than the one before; asks the database nothing where that is nothing. Throws `LeaseLost`. */
export async function savePaymentVersions(
  store: Store,
  lease: Lease,
  look: {
    readonly kept: ReadonlyMap<string, readonly Kept<Payment>[]>;
    readonly payments: ReadonlyMap<string, Payment>;
    readonly at: Instant;
  },
): Promise<void> {
  const news = [...look.payments.values()].flatMap((payment): News[] => {
    const content = storableJson(payment);
    const last = look.kept.get(payment.reference)?.at(-1);
    if (last !== undefined && storableJson(last.value) === content) return [];
    return [{ reference: payment.reference, created_at: payment.createdAt, seen_at: look.at, content }];
  });
  for (let from = 0; from < news.length; from += ROWS_AT_ONCE) {
    await save(store, { lease, news: news.slice(from, from + ROWS_AT_ONCE) });
  }
}

const ROWS_AT_ONCE = 5_000;

const save = seenAdder<News>(
  addingTo(
    'payment_versions',
    { merchant_id: 'bigint', reference: 'text', seen_at: 'bigint', created_at: 'bigint', content: 'json' },
    { name: 'add payment versions', key: ['merchant_id', 'reference', 'seen_at'], taken: 'keep' },
  ),
);

interface News {
  readonly reference: string;
  readonly created_at: Instant;
  readonly seen_at: Instant;
  readonly content: string;
}
