// Calls the kernel for rows in memory: for samples, explanations, tests, and programs that have
// their rows at hand. Large books are streamed by the audit workflow, through the same session.

import type { AuditReport } from '../domain/finding.ts';
import type { LedgerEntry } from '../domain/ledger-entry.ts';
import type { Wallet } from '../domain/merchant.ts';
import type { NotificationContent } from '../domain/notification.ts';
import type { Operation } from '../domain/operation.ts';
import type { Payment } from '../domain/payment.ts';
import {
  type KeptPayments,
  type KeptPayouts,
  NO_PAYMENTS_KEPT,
  type PayoutsRead,
} from '../domain/published/payout-place.ts';
import { sameEntry } from '../domain/rows/entry-fields.ts';
import { hashText } from '../domain/rows/hash-bytes.ts';
import type { HashOf } from '../domain/rows/name.ts';
import type { ServiceReport, Span } from '../domain/service-report.ts';
import {
  type Batch,
  type Note,
  type OperationVersion,
  type Recall,
  type Recalled,
  type RejectedRow,
  seenOf,
  viewOf,
} from '../domain/snapshot.ts';
import { chooseReports } from '../kernel/checks/reports/choose-reports.ts';
import type { ReconcileSettings } from '../kernel/reconcile/books.ts';
import { type Answers, driveSession } from '../kernel/reconcile/drive.ts';
import {
  beginJudging,
  hashedBy,
  judgeNotifications,
  runSteps,
  takeOperations,
} from '../kernel/reconcile/notifications/judge-notifications.ts';
import type { Notified } from '../kernel/reconcile/notifications/notified.ts';
import {
  beginPayments,
  beginTotalsOf,
  gatherPayments,
  judgeLook,
  judgePayments,
} from '../kernel/reconcile/published/judge-payments.ts';
import {
  beginComparison,
  concludeComparison,
  type JudgedPart,
  joinParts,
  takePayments,
} from '../kernel/reconcile/published/judged-part.ts';
import { type CutWish, type Reconciled, reconcile } from '../kernel/reconcile/session.ts';

export interface SmallBooks {
  /** In any order. */
  readonly entries: readonly LedgerEntry[];
  readonly operations: readonly Operation[];
  readonly wallet: Wallet | null;
  readonly rejected: readonly RejectedRow[];
  readonly absent: readonly Note[];
  /** Notifications, in any order; absent or `null` where there are none to judge. */
  readonly notifications?: readonly NotificationContent[] | null;
  /**
   * What the service published beside the ledger; absent or `null` where nothing is known of it.
   */
  readonly published?: Published | null;
}

export interface Published {
  readonly reports: readonly ServiceReport[];
  readonly payments: readonly Payment[];
  /** What earlier looks saw of the payments; absent: nothing. */
  readonly kept?: KeptPayments;
  /** `null` where nothing is known of payouts. */
  readonly payouts: PublishedPayouts | null;
}

export interface PublishedPayouts {
  readonly read: PayoutsRead;
  readonly kept: KeptPayouts;
  /** The fees in notifications, by the reference of their payment. */
  readonly fees: ReadonlyMap<string, string>;
}

/**
 * Returns the report of books whose rows are all in memory. `hashOf` may be left out for books of
 * trusted origin.
 */
export function reconcileInMemory(
  books: SmallBooks,
  settings: ReconcileSettings,
  hashOf?: HashOf,
): AuditReport {
  return judgeInMemory(books, settings, null, hashOf).report;
}

/** Judges books in memory, as of now or as they were at `cut`. */
export function judgeInMemory(
  books: SmallBooks,
  settings: ReconcileSettings,
  cut: CutWish | null,
  hashOf: HashOf = hashOpenly,
): Reconciled {
  const { rejected, absent } = books;
  const compared = comparePublished(books, settings);
  const task = { settings, rejected, absent, compared, cut, hashOf };
  return driveSession(
    reconcile({ ...task, keepsState: false }),
    answersOf(books, settings, hashOf),
  );
}

/** Hashes without a secret key. That is safe only for texts of our own, such as samples. */
const hashOpenly: HashOf = (text) => hashText({ first: 0, second: 0 }, text);

const ALL_TIME: Span = { from: 0, until: Date.UTC(2200, 0, 1) };

/** Batches are small, so that small books are settled and recalled as large ones are. */
const BATCH_ROWS = 1_000;

function answersOf(books: SmallBooks, settings: ReconcileSettings, hashOf: HashOf): Answers {
  const entries = [...books.entries].sort((a, b) => a.sequence - b.sequence);
  const operations = [...books.operations].sort((a, b) => a.createdAt - b.createdAt).map(versionOf);
  let lines = batchesOf(entries);
  let versions = batchesOf(operations);
  return {
    rows: () => {
      lines = batchesOf(entries);
      versions = batchesOf(operations);
      return null;
    },
    entries: () => lines.next().value ?? null,
    operations: () => versions.next().value ?? null,
    notifications: () => ({ notified: judgeNotified(books, settings, hashOf), why: null }),
    recall: ({ request }) => recallFrom(books, entries, request),
    closing: () => ({ wallet: books.wallet, laterEntries: [], rejected: [] }),
    deliveries: () => null,
  };
}

function* batchesOf<Row>(rows: readonly Row[]): Generator<Batch<Row>, undefined> {
  for (let from = 0; from < rows.length; from += BATCH_ROWS) {
    yield { rows: rows.slice(from, from + BATCH_ROWS), rejected: [] };
  }
}

function judgeNotified(
  { notifications, operations }: SmallBooks,
  settings: ReconcileSettings,
  hashOf: HashOf,
): Notified | null {
  if (notifications === undefined || notifications === null) return null;
  const { watermark, clockTolerance, present } = settings;
  const notifiedFrom = Number.NEGATIVE_INFINITY;
  const judging = beginJudging(
    { watermark, clockTolerance, notifiedFrom, holdsOperations: present.operations },
    hashOf,
  );
  const all = { rows: operations.map(versionOf), rejected: [] };
  if (present.operations) takeOperations(judging, viewOf(all));
  const steps = judgeNotifications(judging, {
    stream: () => [seenOf(notifications.map((one) => hashedBy(hashOf, one)))],
    contents: (isWanted) => [notifications.filter(({ notification }) => isWanted(notification.id))],
    operations: () => operations,
    allOperations: () => [all],
  });
  return runSteps(steps);
}

function versionOf(operation: Operation): OperationVersion {
  return { operation, previous: null };
}

function comparePublished(
  { published }: SmallBooks,
  { watermark, wording }: ReconcileSettings,
): JudgedPart | null {
  if (published === undefined || published === null) return null;
  const comparison = beginComparison(
    chooseReports(published.reports, { asOf: watermark, most: null }),
    [],
  );
  takePayments(comparison, { rows: published.payments, rejected: [] });
  const links = beginPayments(ALL_TIME);
  gatherPayments(links, { rows: published.payments, rejected: [] });
  const { kept = NO_PAYMENTS_KEPT, payouts } = published;
  const judged = judgePayments(
    links,
    { kept, askedAt: watermark },
    { undelivered: new Map(), isFromFirst: true },
  );
  const part = joinParts([concludeComparison(comparison), judged]);
  if (payouts === null) return part;
  const passed = beginTotalsOf(
    null,
    watermark,
    ({ reference }) => payouts.fees.get(reference) ?? null,
  );
  passed.take({ rows: published.payments, rejected: [] });
  const look = { read: payouts.read, rejected: [], notes: [] };
  const beside = { kept: payouts.kept, payments: passed.totals(), wording };
  return joinParts([part, judgeLook(look, beside)]);
}

function recallFrom(books: SmallBooks, entries: readonly LedgerEntry[], recall: Recall): Recalled {
  const distinct = entries.filter((entry, i) => i === 0 || !sameEntry(entries[i - 1]!, entry));
  return {
    entries: distinct.flatMap((entry, i) => {
      const wanted =
        recall.references.has(entry.operationReference ?? '') || recall.entryIds.has(entry.id);
      const last = distinct[i - 1];
      const before =
        last === undefined
          ? null
          : { sequence: last.sequence, balance: last.balanceAfter, reserved: last.reservedAfter };
      return wanted ? [{ entry, before }] : [];
    }),
    operations: books.operations
      .filter(
        (one) =>
          recall.references.has(one.reference) ||
          recall.externalReferences.has(one.externalReference ?? ''),
      )
      .map(versionOf),
  };
}
