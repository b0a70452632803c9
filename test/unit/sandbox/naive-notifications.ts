// A naive look at notifications, independent of the engine: each body against the operation that it
// names, as served.

import type { Books } from '../../../src/sandbox/model/plan.ts';
import type { Seen } from './naive-lines.ts';

const WINDOW = 31.5 * 3_600_000;
const TOLD = ['SUCCEEDED', 'FAILED', 'EXPIRED', 'REVERSED'];

export function lookAtNotifications({ notifications, operations, entries, asOf }: Books): Seen[] {
  const known = new Map(operations.map((operation) => [operation.reference, operation]));
  const seen: Seen[] = [];
  const say = (kind: string, operationReference: string | null) =>
    seen.push({ kind, sequence: null, operationReference });
  const notified = new Set<string>();
  const first = new Map<string, (typeof notifications)[number]>();
  for (const one of notifications.toSorted(
    (a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt),
  )) {
    const earlier = first.get(one.id);
    if (earlier === undefined) first.set(one.id, one);
    else if (JSON.stringify(earlier) !== JSON.stringify(one)) {
      say('EVENT_ID_REUSED', earlier.data.operation?.reference ?? null);
    }
    const carried = one.data.operation;
    if (carried === undefined) continue;
    const [side, outcome] = one.type.split('.') as [string, string];
    notified.add(`${carried.reference} ${carried.status}`);
    notified.add(`${carried.reference} ${outcome.toUpperCase()}`);
    const operation = known.get(carried.reference);
    if (operation === undefined) {
      say('EVENT_UNKNOWN_OPERATION', carried.reference);
      continue;
    }
    if (
      (side !== 'operation' && side !== carried.type.toLowerCase()) ||
      outcome !== carried.status.toLowerCase()
    ) {
      say('EVENT_TYPE_MISMATCH', carried.reference);
    }
    const isOther = (
      ['amount', 'fees', 'netAmount', 'currency', 'externalReference'] as const
    ).some((field) => carried[field] !== operation[field]);
    const isOtherFailure =
      carried.status === 'FAILED' && carried.failure?.code !== operation.failure?.code;
    if (isOther || isOtherFailure || !leadsTo(carried.status, operation.status)) {
      say('EVENT_CONTRADICTS_OPERATION', carried.reference);
    }
  }
  for (const { reference, status, updatedAt, completedAt } of operations) {
    const since = Date.parse((status === 'REVERSED' ? updatedAt : completedAt) ?? updatedAt);
    const isDue = TOLD.includes(status) && since < asOf - WINDOW;
    if (isDue && !notified.has(`${reference} ${status}`)) say('EVENT_MISSING', reference);
  }
  const adjusted = notifications
    .filter(({ type }) => type === 'wallet.adjusted')
    .map((one) => Date.parse(one.createdAt));
  for (const { kind, createdAt, sequence, operationReference } of entries) {
    const at = Date.parse(createdAt);
    const isAwaited =
      kind.startsWith('ADJUSTMENT_') &&
      at < asOf - WINDOW &&
      at > Math.min(...adjusted) + 3_600_000;
    if (isAwaited && !adjusted.some((one) => Math.abs(one - at) <= 3_600_000)) {
      seen.push({ kind: 'EVENT_MISSING', sequence, operationReference });
    }
  }
  return seen;
}

function leadsTo(from: string, to: string): boolean {
  return from === to || from === 'AWAITING_PAYER' || (from === 'SUCCEEDED' && to === 'REVERSED');
}
