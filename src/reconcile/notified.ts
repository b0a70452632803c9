// What the notifications of one merchant have shown so far, as plain data that a checkpoint carries, and what is said of
// it: it grows with what is wrong and not with what was notified.

import {
  compareUntold,
  describeMissing,
  describeReused,
  type SharedId,
  type Untold,
} from '../checks/notifications/missing-and-reused.ts';
import { reportFigures } from '../domain/figures.ts';
import type { FindingDraft } from '../domain/finding.ts';
import type { Instant } from '../domain/instant.ts';
import { isUnnotified, type Merchant } from '../domain/merchant.ts';
import { DELIVERY_WINDOW, type NotifiedOperation } from '../domain/notification.ts';
import type { NotChecked, RejectedRow } from '../domain/snapshot.ts';
import { findMisnamed } from './misnamed.ts';

export interface Notified {
  /** What had been received by then has been judged. */
  judgedUntil: Instant;
  /** What single notifications show, by the operation that they name. */
  readonly faults: Map<string, readonly Fault[]>;
  /** Operations in a final state that no notification tells, due or not yet. */
  readonly untold: Map<string, Untold>;
  /** There are more untold operations than are kept; those kept are the first. */
  hasMoreUntold: boolean;
  /** Ids of which two contents have been seen. */
  readonly shared: Map<string, SharedId>;
  /** Notifications that could not be read, where they do not come with the reading itself. */
  readonly rejected: Map<string, RejectedRow>;
  rejectedCount: number;
  /** Types that the document does not know; a few are kept. */
  readonly strangeTypes: Set<string>;
  /** Notifications newer than the watermark, left for the next time. */
  tooNew: number;
  /** Some notification is of an operation. */
  tellsOperations: boolean;
  /** The newest updatedAt among all operations: the books are known to be at least as new. */
  newestOperation: Instant;
}

/** What a notification shows, and when it did. */
export interface Fault {
  readonly at: Instant;
  readonly carried: NotifiedOperation;
  readonly draft: FindingDraft;
}

export function beginNotified(): Notified {
  return {
    judgedUntil: Number.MIN_SAFE_INTEGER,
    faults: new Map(),
    untold: new Map(),
    hasMoreUntold: false,
    shared: new Map(),
    rejected: new Map(),
    rejectedCount: 0,
    strangeTypes: new Set(),
    tooNew: 0,
    tellsOperations: false,
    newestOperation: Number.MIN_SAFE_INTEGER,
  };
}

const MOST_FAULTS = 5;
const MOST_UNTOLD = 10_000;

/** Of many notifications that show the same of one operation, the oldest are kept, whatever the order they came in. */
export function noteFault({ faults }: Notified, fault: Fault): void {
  const { draft } = fault;
  const reference = draft.operationReference!;
  const known = faults.get(reference) ?? [];
  if (known.some((one) => one.draft.kind === draft.kind && contentOf(one) === contentOf(fault))) return;
  const alike = [...known.filter((one) => one.draft.kind === draft.kind), fault].sort(compareFaults);
  const others = known.filter((one) => one.draft.kind !== draft.kind);
  faults.set(reference, [...others, ...alike.slice(0, MOST_FAULTS)]);
}

function compareFaults(a: Fault, b: Fault): number {
  return a.at - b.at || (contentOf(a) < contentOf(b) ? -1 : 1);
}

/** Equal for two notifications of which the same is said. */
function contentOf({ draft }: Fault): string {
  return JSON.stringify(reportFigures(draft.figures));
}

export function noteUntold(notified: Notified, untold: Untold): void {
  notified.untold.set(untold.reference, untold);
  if (notified.untold.size >= 2 * MOST_UNTOLD) trimUntold(notified);
}

export function trimUntold(notified: Notified): void {
  const { untold } = notified;
  if (untold.size <= MOST_UNTOLD) return;
  notified.hasMoreUntold = true;
  for (const one of [...untold.values()].sort(compareUntold).slice(MOST_UNTOLD)) untold.delete(one.reference);
}

/** Two judged at different times must be told by the same words: nothing here depends on the order of judging. */
export function draftsOf(
  notified: Notified,
  judged: {
    readonly watermark: Instant;
    readonly grace: number;
    readonly unread: readonly RejectedRow[];
    readonly profiles: readonly Merchant[];
  },
): readonly FindingDraft[] {
  const faults = [...notified.faults.keys()].sort().flatMap((reference) => faultDrafts(notified, reference));
  const shared = [...notified.shared.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return [...missingDrafts(notified, judged), ...faults, ...describeReused(shared)];
}

/** What one notification shows for certain stands, though others that show it are newer than all the books. */
function faultDrafts({ faults, newestOperation }: Notified, reference: string): readonly FindingDraft[] {
  const byKind = Map.groupBy(faults.get(reference)!, ({ draft }) => draft.kind);
  return [...byKind.entries()].sort().map(([, some]) => {
    const isOpen = ({ at, draft }: Fault): boolean => draft.againstOlder && at > newestOperation;
    const { draft } = some.find((one) => !isOpen(one)) ?? some[0]!;
    const notifications = some.flatMap((one) => one.draft.evidence.filter(({ what }) => what === 'notification'));
    const evidence = [...notifications, ...draft.evidence.filter(({ what }) => what !== 'notification')];
    return { ...draft, evidence, againstOlder: some.every(isOpen) };
  });
}

type Judged = Parameters<typeof draftsOf>[1];

/** Untold for longer than a delivery can take. What could not be read may be the very notification that lacks. */
function missingDrafts(notified: Notified, { watermark, grace, unread, profiles }: Judged): readonly FindingDraft[] {
  if (isToldNothing(notified, profiles)) return [];
  const due = [...notified.untold.values()].filter(({ since }) => since < watermark - DELIVERY_WINDOW - grace);
  const sure = due.filter(({ reference }) => !unread.some(({ raw }) => raw.includes(reference)));
  const drafts = describeMissing(sure.sort(compareUntold), notified.hasMoreUntold && due.length >= MOST_UNTOLD);
  if (drafts.length < sure.length) return drafts;
  const faults = [...notified.faults.keys()].sort().flatMap((reference) => notified.faults.get(reference)!);
  const misnamed = findMisnamed(
    sure,
    faults.map(({ carried }) => carried),
  );
  return drafts.map((draft) => {
    const fits = misnamed.get(draft.operationReference!);
    return fits === undefined ? draft : { ...draft, evidence: [...draft.evidence, fits] };
  });
}

/** No URL is set, and none was given for single operations either. */
function isToldNothing({ tellsOperations }: Notified, profiles: readonly Merchant[]): boolean {
  return isUnnotified(profiles) && !tellsOperations;
}

export function notesOn(notified: Notified, profiles: readonly Merchant[]): readonly NotChecked[] {
  const { tooNew, strangeTypes, rejected, rejectedCount } = notified;
  const notes: NotChecked[] = [];
  if (isToldNothing(notified, profiles)) {
    const why = 'the profile has no webhookUrl, and no operation is notified';
    notes.push({ what: 'missing notifications', why, incomplete: false });
  }
  if (tooNew > 0) {
    const why = `${tooNew} are newer than the watermark and are judged next time`;
    notes.push({ what: 'recent notifications', why, incomplete: false });
  }
  if (strangeTypes.size > 0) {
    const shown = [...strangeTypes].sort().map((type) => (/^\S+$/.test(type) ? type : JSON.stringify(type)));
    const why = `the document does not know ${shown.join(', ')}`;
    notes.push({ what: 'notifications of other types', why, incomplete: false });
  }
  if (rejectedCount > 0) {
    const kept = rejectedCount > rejected.size ? `; the first ${rejected.size} are listed` : '';
    const why = `${rejectedCount} could not be read exactly${kept}`;
    notes.push({ what: 'refused notifications', why, incomplete: true });
  }
  return notes;
}
