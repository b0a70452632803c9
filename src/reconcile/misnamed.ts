// Recognizes the notification of one operation under the reference of another, or of none: by all else that its body says.

import type { Untold } from '../checks/notifications/missing-and-reused.ts';
import type { Evidence } from '../domain/finding.ts';
import type { NotifiedOperation } from '../domain/notification.ts';

/** Note of the evidence that a notification under this reference is the one that is missing. */
export const MISNAMED = 'is named by the notification that fits';

/** Evidence by the operation whose notification it is. Where two operations fit, neither is recognized. */
export function findMisnamed(
  untold: readonly Untold[],
  carried: readonly NotifiedOperation[],
): ReadonlyMap<string, Evidence> {
  const alike = Map.groupBy(untold, likenessOf);
  const found = new Map<string, Evidence>();
  for (const one of carried) {
    const [only, ...others] = alike.get(likenessOf(one)) ?? [];
    if (only === undefined || others.length > 0) continue;
    found.set(only.reference, { what: 'operation', sequence: null, reference: one.reference, note: MISNAMED });
  }
  return found;
}

/** A body without the time of creation is like no operation. */
function likenessOf(one: Pick<NotifiedOperation, 'type' | 'status' | 'amount' | 'createdAt'>): string {
  return `${one.type} ${one.status} ${one.amount} ${one.createdAt}`;
}
