// What the notifications of one merchant have shown so far. Plain data that a checkpoint carries;
// it grows with the faults and not with the number of notifications.

import { reportFigures } from '../../../domain/figures.ts';
import type { FindingDraft } from '../../../domain/finding.ts';
import type { Instant } from '../../../domain/instant.ts';
import type { NotifiedOperation } from '../../../domain/notification.ts';
import type { RejectedRow } from '../../../domain/snapshot.ts';
import {
  compareUnnotified,
  type SharedId,
  type Unnotified,
} from '../../checks/notifications/missing-and-reused.ts';

export interface Notified {
  /** All notifications that had been received by this instant have been judged. */
  judgedUntil: Instant;
  /** Faults that single notifications show, by the reference that they name. */
  readonly faults: Map<string, readonly Fault[]>;
  /** Operations in a final state that no notification names, due or not yet. */
  readonly unnotified: Map<string, Unnotified>;
  /** More operations are unnotified than are kept; those kept are the earliest. */
  hasMoreUnnotified: boolean;
  /** Ids under which two contents have been seen. */
  readonly shared: Map<string, SharedId>;
  /**
   * Notifications that could not be read, unless the reading itself lists them among its refused
   * rows.
   */
  readonly rejected: Map<string, RejectedRow>;
  rejectedCount: number;
  /** Types that the document does not know; a few are kept. */
  readonly strangeTypes: Set<string>;
  /** How many notifications are newer than the watermark; they are judged next time. */
  tooNew: number;
  /** True when some notification is about an operation. */
  namesOperations: boolean;
  /** The newest updatedAt among all operations: the books are known to be at least as new. */
  newestOperation: Instant;
}

/**
 * A fault that a notification shows: the draft, the operation in its body, and when it was
 * received.
 */
export interface Fault {
  readonly at: Instant;
  readonly carried: NotifiedOperation;
  readonly draft: FindingDraft;
}

export function beginNotified(): Notified {
  return {
    judgedUntil: Number.MIN_SAFE_INTEGER,
    faults: new Map(),
    unnotified: new Map(),
    hasMoreUnnotified: false,
    shared: new Map(),
    rejected: new Map(),
    rejectedCount: 0,
    strangeTypes: new Set(),
    tooNew: 0,
    namesOperations: false,
    newestOperation: Number.MIN_SAFE_INTEGER,
  };
}

const MOST_FAULTS = 5;
export const MOST_UNNOTIFIED = 10_000;

/**
 * Keeps a fault. Of many faults of one kind for one operation, the oldest are kept, whatever the
 * order in which they came.
 */
export function noteFault({ faults }: Notified, fault: Fault): void {
  const { draft } = fault;
  const reference = draft.operationReference!;
  const known = faults.get(reference) ?? [];
  if (known.some((one) => one.draft.kind === draft.kind && contentOf(one) === contentOf(fault)))
    return;
  const alike = [...known.filter((one) => one.draft.kind === draft.kind), fault];
  alike.sort((a, b) => a.at - b.at || (contentOf(a) < contentOf(b) ? -1 : 1));
  const others = known.filter((one) => one.draft.kind !== draft.kind);
  faults.set(reference, [...others, ...alike.slice(0, MOST_FAULTS)]);
}

/** Returns equal texts for two notifications that show the same fault. */
function contentOf({ draft }: Fault): string {
  return JSON.stringify(reportFigures(draft.figures));
}

export function noteUnnotified(notified: Notified, unnotified: Unnotified): void {
  notified.unnotified.set(unnotified.reference, unnotified);
  if (notified.unnotified.size >= 2 * MOST_UNNOTIFIED) trimUnnotified(notified);
}

export function trimUnnotified(notified: Notified): void {
  const { unnotified } = notified;
  if (unnotified.size <= MOST_UNNOTIFIED) return;
  notified.hasMoreUnnotified = true;
  for (const one of [...unnotified.values()].sort(compareUnnotified).slice(MOST_UNNOTIFIED))
    unnotified.delete(one.reference);
}
