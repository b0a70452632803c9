// Recognizes the notification of one operation under the reference of another, or of none: by all else that its body says.

import type { Unnotified } from '../../checks/notifications/missing-and-reused.ts';
import type { NotifiedOperation } from '../../domain/notification.ts';

/** By each operation whose notification it is, the reference that it is under. Where two operations fit, neither is recognized. */
export function findMisnamed(
  unnotified: readonly Unnotified[],
  carried: readonly NotifiedOperation[],
): ReadonlyMap<string, string> {
  const alike = Map.groupBy(unnotified, likenessOf);
  const found = new Map<string, string>();
  for (const one of carried) {
    const [only, ...others] = alike.get(likenessOf(one)) ?? [];
    if (only === undefined || others.length > 0) continue;
    found.set(only.reference, one.reference);
  }
  return found;
}

/** A body without the time of creation is like no operation. */
function likenessOf(one: Pick<NotifiedOperation, 'type' | 'status' | 'amount' | 'createdAt'>): string {
  return `${one.type} ${one.status} ${one.amount} ${one.createdAt}`;
}
