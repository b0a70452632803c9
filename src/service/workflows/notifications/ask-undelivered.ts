// Asks the service why a notification is missing: once in a run, and only where one is. It explains, and no more: a list that cannot
// be had fails nothing.

import type { DeliveryList } from '../../../core/domain/published/failed-delivery.ts';
import { type Source, SourceFailed } from '../../../io/sources/source.ts';

/** Null where the source has no such list. */
export function askUndelivered(source: Source, merchant: string): () => Promise<DeliveryList | null> {
  let asked: Promise<DeliveryList | null> | null = null;
  return () => {
    asked ??= ask(source, merchant);
    return asked;
  };
}

async function ask(source: Source, merchant: string): Promise<DeliveryList | null> {
  try {
    return (await source.askDeliveries?.(merchant)) ?? null;
  } catch (failure) {
    if (!(failure instanceof SourceFailed)) throw failure;
    const reason = `${failure.code}: ${failure.message}`;
    const about = { what: 'failed deliveries', why: reason, incomplete: false, figures: { reason } } as const;
    return { deliveries: [], rejected: [], isWhole: false, absent: { ...about, code: 'DELIVERIES_NOT_ANSWERED' } };
  }
}
