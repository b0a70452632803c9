// Reconciles small books that are already in memory: for samples, explanations and tests. Large ones are streamed by the
// audit workflow, through the same steps.

import { chooseReports } from '../checks/reports/choose-reports.ts';
import { EVERY_READING, type Standing, sameStanding } from '../domain/assumptions.ts';
import type { MerchantReport } from '../domain/finding.ts';
import { invariant } from '../domain/invariant.ts';
import type { LedgerEntry } from '../domain/ledger-entry.ts';
import type { NotificationContent } from '../domain/notification.ts';
import type { Operation } from '../domain/operation.ts';
import type { Payment } from '../domain/payment.ts';
import type { ServiceReport } from '../domain/service-report.ts';
import type { NotChecked, Recall, Recalled, RejectedRow } from '../domain/snapshot.ts';
import type { Wallet } from '../domain/wallet.ts';
import { sameEntry } from '../rows/entry-fields.ts';
import { beginBooks, beginIdentityLists, type ReconcileSettings } from './books.ts';
import { bringBack, wantedBack } from './bring-back.ts';
import { beginComparison, concludeComparison, takePayments } from './compare-reports.ts';
import { type Conclusion, conclude, finishLines, settledCurrency } from './conclude.ts';
import {
  type Desk,
  openDesk,
  putAway,
  suspectRepeated,
  takeEntries,
  takeNotChecked,
  takeOperations,
  takeRejected,
} from './desk.ts';
import {
  finishNotifications,
  isSuspected,
  openNotificationDesk,
  takeContents,
  takeFinalOperations,
  takeNotifications,
} from './judge-notifications.ts';
import type { Notified } from './notified.ts';
import { reportOf } from './report.ts';

export interface SmallBooks {
  /** In any order. */
  readonly entries: readonly LedgerEntry[];
  readonly operations: readonly Operation[];
  readonly wallet: Wallet | null;
  readonly rejected: readonly RejectedRow[];
  readonly absent: readonly NotChecked[];
  /** In any order; absent or null: there are none to judge. */
  readonly notifications?: readonly NotificationContent[] | null;
  /** What the service published beside the ledger; absent or null: nothing is known of it. */
  readonly published?: { readonly reports: readonly ServiceReport[]; readonly payments: readonly Payment[] } | null;
}

/** Judges twice at most: once under every reading, to hear the votes, and once under those that stand. */
export function reconcileInMemory(books: SmallBooks, settings: ReconcileSettings): MerchantReport {
  let standing: Standing = { ...EVERY_READING, ...settings.pinned };
  let held = settings;
  for (let pass = 0; pass < 3; pass++) {
    const { desk, conclusion } = judgeOnce(books, held, standing);
    if (sameStanding(conclusion.standing, standing) && settledCurrency(desk) === held.currency)
      return reportOf(desk, conclusion);
    standing = conclusion.standing;
    held = { ...settings, currency: settledCurrency(desk) };
  }
  invariant(false, 'votes do not depend on the readings that a pass judges by');
}

function judgeOnce(
  books: SmallBooks,
  settings: ReconcileSettings,
  standing: Standing,
): { desk: Desk; conclusion: Conclusion } {
  const desk = openDesk(beginBooks(standing), beginIdentityLists(false), settings);
  const entries = [...books.entries].sort((a, b) => a.sequence - b.sequence);
  takeEntries(desk, entries);
  takeOperations(
    desk,
    [...books.operations].sort((a, b) => a.createdAt - b.createdAt).map((operation) => ({ operation, previous: null })),
  );
  takeRejected(desk, books.rejected);
  takeNotChecked(desk, books.absent);
  comparePublished(desk, books);
  desk.books.notified = judgeNotifications(books, settings);
  finishLines(desk);
  putAway(desk);
  const suspicion = suspectRepeated(desk);
  if (suspicion !== null) {
    entries.forEach(suspicion.entry);
    books.operations.forEach(suspicion.operation);
  }
  const recalled = recallFrom(books, entries, wantedBack(desk));
  bringBack(desk, recalled);
  return { desk, conclusion: conclude(desk, { wallet: books.wallet, laterEntries: [], rejected: [] }, recalled) };
}

function judgeNotifications({ notifications, operations }: SmallBooks, settings: ReconcileSettings): Notified | null {
  if (notifications === undefined || notifications === null) return null;
  const { watermark, clockTolerance, holds } = settings;
  const toldFrom = Number.NEGATIVE_INFINITY;
  const desk = openNotificationDesk({ watermark, clockTolerance, toldFrom, holdsOperations: holds.operations });
  const named = new Map(operations.map((operation) => [operation.reference, operation]));
  takeNotifications(
    desk,
    notifications.map(({ notification }) => notification),
    named,
  );
  takeFinalOperations(desk, operations);
  takeContents(
    desk,
    notifications.filter(({ notification }) => isSuspected(desk, notification.id)),
  );
  return finishNotifications(desk);
}

function comparePublished(desk: Desk, { published }: SmallBooks): void {
  if (published === undefined || published === null) return;
  const chosen = chooseReports(published.reports, { asOf: desk.settings.watermark, most: null });
  const comparison = beginComparison(chosen, []);
  takePayments(comparison, { rows: published.payments, rejected: [] });
  desk.compared = concludeComparison(comparison);
}

function recallFrom(books: SmallBooks, entries: readonly LedgerEntry[], recall: Recall): Recalled {
  const distinct = entries.filter((entry, i) => i === 0 || !sameEntry(entries[i - 1]!, entry));
  return {
    entries: distinct.flatMap((entry, i) => {
      const wanted = recall.references.has(entry.operationReference ?? '') || recall.entryIds.has(entry.id);
      const last = distinct[i - 1];
      const before =
        last === undefined
          ? null
          : { sequence: last.sequence, balance: last.balanceAfter, reserved: last.reservedAfter };
      return wanted ? [{ entry, before }] : [];
    }),
    operations: books.operations
      .filter(
        (one) => recall.references.has(one.reference) || recall.externalReferences.has(one.externalReference ?? ''),
      )
      .map((operation) => ({ operation, previous: null })),
  };
}
