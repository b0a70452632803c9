// Books of the sandbox in the domain's types, read by the real decoders, and the settings that an
// audit judges them by. Refuses books that the decoders refuse, because a planted fault must be a
// finding, not a row that cannot be read.

import { MINUTE } from '../../src/core/domain/instant.ts';
import type { LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import type { Merchant, Wallet } from '../../src/core/domain/merchant.ts';
import type { NotificationContent } from '../../src/core/domain/notification.ts';
import type { Operation } from '../../src/core/domain/operation.ts';
import type { Payment } from '../../src/core/domain/payment.ts';
import type { Decoded } from '../../src/core/domain/rows/decode-object.ts';
import { decodeEntry } from '../../src/core/domain/rows/entry-fields.ts';
import { decodeEvent } from '../../src/core/domain/rows/event-fields.ts';
import { decodeMerchant } from '../../src/core/domain/rows/merchant-fields.ts';
import { decodeOperation, decodeWallet } from '../../src/core/domain/rows/operation-fields.ts';
import type { ServiceReport } from '../../src/core/domain/service-report.ts';
import type { ReconcileSettings } from '../../src/core/kernel/reconcile/books.ts';
import { reconcileInMemory } from '../../src/core/kernel/reconcile-in-memory.ts';
import { adjustmentsIn } from '../../src/core/samples/read-sample.ts';
import { ENGLISH_WORDING } from '../../src/core/words/names.ts';
import { decodePayment } from '../../src/io/sources/decode/decode-payment.ts';
import { decodeServiceReport } from '../../src/io/sources/decode/decode-service-report.ts';
import { contentOf } from '../../src/io/sources/decode/notifications.ts';
import type { Books } from '../../src/sandbox/model/plan.ts';
import { notificationFrom } from './notification-from.ts';

export interface DecodedBooks {
  readonly asOf: number;
  readonly profile: Merchant;
  readonly wallet: Wallet;
  /** The lines in the order of the books. */
  readonly entries: readonly LedgerEntry[];
  readonly operations: readonly Operation[];
  readonly payments: readonly Payment[];
  readonly reports: readonly ServiceReport[];
  readonly notifications: readonly NotificationContent[];
}

/**
 * Returns `decode` with a memory, because a fault leaves most rows as they were, and each needs to
 * be decoded once.
 */
function once<Row extends object, Value>(decode: (row: Row) => Value): (row: Row) => Value {
  const known = new WeakMap<Row, Value>();
  return (row) => {
    const value = known.get(row) ?? decode(row);
    known.set(row, value);
    return value;
  };
}

const entryOf = once((row: Books['entries'][number]) => whole(decodeEntry(row)));
const operationOf = once((row: Books['operations'][number]) => whole(decodeOperation(row)));
const paymentOf = once((row: Books['payments'][number]) => whole(decodePayment(row)));
const notificationOf = once((body: Books['notifications'][number]): NotificationContent => {
  return { notification: notificationFrom(whole(decodeEvent(body))), content: contentOf(body) };
});

export function decodeBooks(books: Books): DecodedBooks {
  return {
    asOf: books.asOf,
    profile: whole(decodeMerchant(books.merchant)),
    wallet: whole(decodeWallet(books.wallet)),
    entries: books.entries.map(entryOf),
    operations: books.operations.map(operationOf),
    payments: books.payments.map(paymentOf),
    reports: books.reports.map((report) => whole(decodeServiceReport(report))),
    notifications: books.notifications.map(notificationOf),
  };
}

function whole<T>(decoded: Decoded<T>): T {
  if (!decoded.ok)
    throw new Error(`the sandbox served a row that cannot be read: ${decoded.reason}`);
  return decoded.value;
}

/**
 * Returns the settings with which an audit of files judges: without grace, as of the instant of the
 * books.
 */
export function settingsOf(books: DecodedBooks): ReconcileSettings {
  return {
    merchant: books.profile.reference,
    wording: ENGLISH_WORDING,
    currency: books.wallet.currency,
    profiles: [books.profile],
    adjustedAt: adjustmentsIn(books.notifications),
    opening: null,
    watermark: books.asOf,
    grace: 0,
    clockTolerance: 5 * MINUTE,
    pinned: {},
    keepsAll: false,
    present: { ledger: true, operations: true },
  };
}

export function reportOnBooks(books: Books) {
  const decoded = decodeBooks(books);
  const { entries, operations, wallet, payments, reports, notifications } = decoded;
  const published = { payments, reports, payouts: null };
  return reconcileInMemory(
    { entries, operations, wallet, rejected: [], absent: [], notifications, published },
    settingsOf(decoded),
  );
}

/**
 * Returns the figures recorded after the last line, by sequence, of the lines that lie before
 * `end`. A line lies at the date that it has in the books without the fault. A line that is not in
 * these, or whose id two lines have, lies at its own date.
 */
export function recordedAt(
  books: DecodedBooks,
  sound: DecodedBooks,
  end: number,
): { readonly balance: number; readonly reserved: number } {
  const dates = new Map(sound.entries.map(({ id, createdAt }) => [id, createdAt]));
  for (const [id, { length }] of Map.groupBy(books.entries, (entry) => entry.id))
    if (length > 1) dates.delete(id);
  const last = books.entries
    .toSorted((a, b) => a.sequence - b.sequence)
    .findLast(({ id, createdAt }) => (dates.get(id) ?? createdAt) < end);
  return { balance: last?.balanceAfter ?? 0, reserved: last?.reservedAfter ?? 0 };
}
