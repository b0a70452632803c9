// The findings of notifications, and notes on what was not checked. They do not depend on the order
// in which notifications were judged.

import type { FindingDraft } from '../../../domain/finding.ts';
import type { Instant } from '../../../domain/instant.ts';
import { isUnnotified, type Merchant } from '../../../domain/merchant.ts';
import { DELIVERY_WINDOW, type NotifiedOperation } from '../../../domain/notification.ts';
import type { DeliveryList } from '../../../domain/published/failed-delivery.ts';
import type { CodedNote, RejectedRow } from '../../../domain/snapshot.ts';
import { strangeNote } from '../../checks/across/circumstances.ts';
import {
  compareUnnotified,
  describeMissing,
  describeReused,
  type Unnotified,
} from '../../checks/notifications/missing-and-reused.ts';
import { operationEvidence } from '../../checks/port/check.ts';
import { type Fault, MOST_UNNOTIFIED, type Notified } from './notified.ts';

/**
 * Returns the drafts of all notifications judged so far. They are the same whether these were
 * judged at once or at different times.
 */
export function draftsOf(
  notified: Notified,
  judged: {
    readonly watermark: Instant;
    readonly grace: number;
    readonly unread: readonly RejectedRow[];
    readonly profiles: readonly Merchant[];
    /** Deliveries that the service lists as failed; null: the list was not read. */
    readonly undelivered: DeliveryList | null;
  },
): readonly FindingDraft[] {
  const faults = [...notified.faults.keys()]
    .sort()
    .flatMap((reference) => faultDrafts(notified, reference));
  const shared = [...notified.shared.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return [...missingDrafts(notified, judged), ...faults, ...describeReused(shared)];
}

/**
 * Drafts the faults at one reference, one for each kind. A fault that one notification proves is
 * confirmed, even where others that show it are newer than all the books.
 */
function faultDrafts(
  { faults, newestOperation }: Notified,
  reference: string,
): readonly FindingDraft[] {
  const byKind = Map.groupBy(faults.get(reference)!, ({ draft }) => draft.kind);
  return [...byKind.entries()].sort().map(([, some]) => {
    const isOpen = ({ at, draft }: Fault): boolean => draft.againstOlder && at > newestOperation;
    const { draft } = some.find((one) => !isOpen(one)) ?? some[0]!;
    const notifications = some.flatMap((one) =>
      one.draft.evidence.filter(({ what }) => what === 'notification'),
    );
    const evidence = [
      ...notifications,
      ...draft.evidence.filter(({ what }) => what !== 'notification'),
    ];
    return { ...draft, evidence, againstOlder: some.every(isOpen) };
  });
}

type Judged = Parameters<typeof draftsOf>[1];

/** Whether some notification is surely missing, so that it is worth asking the service why. */
export function lacksNotification(
  notified: Notified,
  judged: Omit<Judged, 'undelivered'>,
): boolean {
  return missingIn(notified, judged).sure.length > 0;
}

/**
 * Returns the operations that are unnotified for longer than a delivery can take (`due`), and those
 * of them (`sure`) whose notification cannot be among the rows that could not be read.
 */
function missingIn(
  notified: Notified,
  { watermark, grace, unread, profiles }: Omit<Judged, 'undelivered'>,
) {
  if (isNeverNotified(notified, profiles)) return { due: [], sure: [] };
  const due = [...notified.unnotified.values()].filter(
    ({ since }) => since < watermark - DELIVERY_WINDOW - grace,
  );
  return {
    due,
    sure: due.filter(({ reference }) => !unread.some(({ raw }) => raw.includes(reference))),
  };
}

function missingDrafts(notified: Notified, judged: Judged): readonly FindingDraft[] {
  const { due, sure } = missingIn(notified, judged);
  const isMore = notified.hasMoreUnnotified && due.length >= MOST_UNNOTIFIED;
  const drafts = describeMissing(sure.sort(compareUnnotified), isMore, judged.undelivered);
  if (drafts.length < sure.length) return drafts;
  const faults = [...notified.faults.keys()]
    .sort()
    .flatMap((reference) => notified.faults.get(reference)!);
  const misnamed = findMisnamed(
    sure,
    faults.map(({ carried }) => carried),
  );
  return drafts.map((draft) => {
    const namedBy = misnamed.get(draft.operationReference!);
    if (namedBy === undefined) return draft;
    const evidence = operationEvidence(namedBy, 'is named by the notification that fits');
    return { ...draft, namedBy, evidence: [...draft.evidence, evidence] };
  });
}

/**
 * Whether notifications were never asked for: no URL is set, and none was given for single
 * operations.
 */
function isNeverNotified({ namesOperations }: Notified, profiles: readonly Merchant[]): boolean {
  return isUnnotified(profiles) && !namesOperations;
}

export function notesOn(notified: Notified, profiles: readonly Merchant[]): readonly CodedNote[] {
  const { tooNew, strangeTypes, rejected, rejectedCount } = notified;
  const notes: CodedNote[] = [];
  if (isNeverNotified(notified, profiles))
    notes.push({ what: 'missing notifications', code: 'EVENTS_NOT_ASKED' });
  if (tooNew > 0)
    notes.push({
      what: 'recent notifications',
      code: 'EVENTS_TOO_NEW',
      figures: { count: tooNew },
    });
  if (strangeTypes.size > 0) notes.push(strangeNote('notifications of other types', strangeTypes));
  if (rejectedCount > 0) {
    const figures = {
      count: rejectedCount,
      listed: rejectedCount > rejected.size ? rejected.size : null,
    };
    notes.push({
      what: 'refused notifications',
      incomplete: true,
      code: 'EVENTS_REFUSED',
      figures,
    });
  }
  return notes;
}

// Recognizes the notification of one operation under the reference of another operation, or of
// none, by the rest of its body.

/**
 * Returns, for each unnotified operation whose notification was found, the reference that it was
 * found under. Where two operations fit, neither is recognized.
 */
function findMisnamed(
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

/**
 * Returns equal texts for an operation and a body that may be about it. A body without `createdAt`
 * is like no operation.
 */
function likenessOf(
  one: Pick<NotifiedOperation, 'type' | 'status' | 'amount' | 'createdAt'>,
): string {
  return `${one.type} ${one.status} ${one.amount} ${one.createdAt}`;
}
