// Faults in what the service states beside books that are sound (but for the reserved amount carried in): the wallet, the summary of a
// monthly report, which is not that of its month's payments by link, and notifications.

import { DAY, HOUR } from '../../../core/domain/instant.ts';
import type { OperationStatus } from '../../../core/domain/operation.ts';
import { type Books, totalsOf, type WalletTotals } from '../../model/plan.ts';
import { TOTALS } from '../../model/policy.ts';
import { credit } from '../../model/postings.ts';
import { drawFrom, drawInteger, drawLetters, type Random } from '../../model/random.ts';
import type { ServedNotification, ServedOperation } from '../../model/served.ts';
import type { ServedReport, ServedSummary } from '../../model/served-dashboard.ts';
import {
  atLine,
  atOperation,
  atWallet,
  type Change,
  inOrder,
  insertBefore,
  shiftFrom,
  shiftWallet,
} from '../port/edit-books.ts';
import { casesOf, drawFew, slackOf } from '../port/find-cases.ts';
import { atOne, defineFaults } from '../port/planting.ts';

export const WALLET_FAULTS = defineFaults({
  WALLET_IDENTITY_BROKEN: (books, random) => atWallet(shiftWallet(books, { available: drawOffset(random) })),
  WALLET_BALANCE_MISMATCH: (books, random) => {
    const offset = drawOffset(random);
    return atWallet(shiftWallet(books, { balance: offset, available: offset }));
  },
  WALLET_RESERVED_MISMATCH: (books, random) => {
    const offset = drawOffset(random);
    return atWallet(shiftWallet(books, { reserved: offset, available: -offset }));
  },
  OPEN_HOLDS_MISMATCH: (books, random) => {
    const room = slackOf(books)[0] ?? 0;
    if (room < 1) return null;
    return atWallet(shiftFrom(books, 0, { reserved: drawInteger(random, { from: 1, to: Math.min(40, room) }) }));
  },
  TOTAL_COLLECTED_MISMATCH: shiftTotal('totalCollected'),
  TOTAL_DISBURSED_MISMATCH: shiftTotal('totalDisbursed'),
  TOTAL_FEES_MISMATCH: shiftTotal('totalFees'),
});

function shiftTotal(total: keyof WalletTotals) {
  return (books: Books, random: Random): Change => {
    const lawful = TOTALS.map((totals) => totalsOf(books.operations, { ...books.policy, totals })[total]);
    let offset = drawOffset(random);
    while (lawful.includes(books.wallet[total] + offset)) offset = drawOffset(random);
    return atWallet(shiftWallet(books, { [total]: offset }));
  };
}

function drawOffset(random: Random): number {
  return drawInteger(random, { from: 11, to: 997 });
}

export const REPORT_FAULTS = defineFaults({
  // More than all payments that may have settled after the report was made could explain.
  REPORT_SUMMARY_MISMATCH: alterSummary((summary, random) => ({
    ...summary,
    totalAmount: summary.totalAmount - drawInteger(random, { from: 1, to: 9_999 }),
  })),
  'REPORT_SUMMARY_MISMATCH/count': alterSummary((summary) => ({
    ...summary,
    paymentCount: summary.paymentCount + 100,
  })),
  'REPORT_SUMMARY_MISMATCH/operator': alterSummary((summary, random) => {
    const gone = drawFrom(random, summary.byOperator);
    return { ...summary, byOperator: summary.byOperator.filter((one) => one !== gone) };
  }),
  'REPORT_SUMMARY_MISMATCH/exchanged': alterSummary((summary) => {
    const [first, second, ...others] = summary.byOperator;
    if (first === undefined || second === undefined) return null;
    const exchanged = [
      { ...first, operator: second.operator },
      { ...second, operator: first.operator },
    ];
    return { ...summary, byOperator: [...exchanged, ...others] };
  }),
});

/** Changes the summary of one READY report that counts enough payments for a change to show. */
function alterSummary(change: (summary: ServedSummary, random: Random) => ServedSummary | null) {
  return atOne<ServedReport>(
    ({ reports }) => reports.filter(({ summary }) => summary !== null && summary.paymentCount >= 20),
    (books, chosen, random) => {
      const summary = change(chosen.summary!, random);
      if (summary === null) return null;
      const reports = books.reports.map((report) => (report === chosen ? { ...chosen, summary } : report));
      return atWallet({ ...books, reports });
    },
  );
}

export const NOTIFICATION_FAULTS = defineFaults({
  EVENT_MISSING: replaceOne(['SUCCEEDED', 'FAILED', 'EXPIRED'], () => []),
  'EVENT_MISSING/reversal': replaceOne(['REVERSED'], () => []),
  'EVENT_MISSING/adjustment': (books, random) => {
    const old = books.entries.filter(({ createdAt }) => isOld(books, createdAt));
    if (old.length < 20) return null;
    const earlier = adjust(books, random, drawInteger(random, { from: 1, to: old.length >> 2 }));
    const index = drawInteger(random, { from: old.length >> 1, to: old.length - 2 });
    const at = Date.parse(earlier.entries[index]!.createdAt);
    const isNear = ({ type, createdAt }: ServedNotification) =>
      type === 'wallet.adjusted' && Math.abs(Date.parse(createdAt) - at) <= 2 * HOUR;
    if (books.notifications.some(isNear)) return null;
    return atLine({ ...adjust(earlier, random, index), notifications: earlier.notifications }, index);
  },
  EVENT_CONTRADICTS_OPERATION: misstate('SUCCEEDED', ({ amount }, random) => ({ amount: amount + drawFew(random) })),
  'EVENT_CONTRADICTS_OPERATION/fees': misstate('SUCCEEDED', ({ fees, netAmount }, random) => {
    const more = drawFew(random);
    return { fees: fees + more, netAmount: netAmount + more };
  }),
  'EVENT_CONTRADICTS_OPERATION/currency': misstate('SUCCEEDED', ({ currency }) => ({
    currency: currency === 'GNF' ? 'XOF' : 'GNF',
  })),
  'EVENT_CONTRADICTS_OPERATION/reference': misstate('SUCCEEDED', (_, random) => ({
    externalReference: `other-${drawLetters(random, 8)}`,
  })),
  'EVENT_CONTRADICTS_OPERATION/failure': misstate('FAILED', ({ failure }) => ({
    failure: { ...failure!, code: failure!.code === 'INTERNAL_ERROR' ? 'OPERATOR_REFUSED' : 'INTERNAL_ERROR' },
  })),
  'EVENT_CONTRADICTS_OPERATION/status': replaceOne(['EXPIRED'], (sent) => [
    withOperation({ ...sent, type: sent.type.replace('expired', 'succeeded') }, { status: 'SUCCEEDED' }),
  ]),
  'EVENT_CONTRADICTS_OPERATION/body': misstate('SUCCEEDED', () => ({ status: 'FAILED' })),
  EVENT_ID_REUSED: (books, random) => {
    const { notifications } = books;
    const own = notifications.filter(({ data, createdAt }) => data.operation !== undefined && isOld(books, createdAt));
    if (own.length < 2) return null;
    const later = drawInteger(random, { from: 1, to: own.length - 1 });
    const earlier = drawInteger(random, { from: 0, to: later - 1 });
    const bearing = { ...own[later]!, id: own[earlier]!.id };
    const changed = notifications.map((one) => (one === own[later] ? bearing : one));
    return atOperation({ ...books, notifications: changed }, own[earlier]!.data.operation!.reference);
  },
  'EVENT_ID_REUSED/content': replaceOne(['SUCCEEDED'], (sent) => [
    sent,
    withOperation(sent, { metadata: { redelivered: true } }),
  ]),
  EVENT_UNKNOWN_OPERATION: atOne(
    (books) => sentOf(books, ['SUCCEEDED']),
    (books, { sent }, random) => {
      const reference = `${sent.data.operation!.reference.slice(0, 7)}${drawLetters(random, 11)}`;
      const extra = { ...withOperation(sent, { reference }), id: `evt_${drawLetters(random, 20).toLowerCase()}` };
      return atOperation({ ...books, notifications: inOrder([...books.notifications, extra]) }, reference);
    },
  ),
  EVENT_TYPE_MISMATCH: replaceOne(['SUCCEEDED'], (sent) => {
    const [from, to] = sent.type.startsWith('cashin') ? ['cashin', 'cashout'] : ['cashout', 'cashin'];
    return [{ ...sent, type: sent.type.replace(from!, to!) }];
  }),
  'EVENT_TYPE_MISMATCH/status': replaceOne(['SUCCEEDED'], (sent) => [
    { ...sent, type: sent.type.replace('succeeded', 'failed') },
  ]),
});

/** Puts others in the place of one notification of an operation's present state. */
function replaceOne(
  statuses: readonly OperationStatus[],
  alter: (sent: ServedNotification, operation: ServedOperation, random: Random) => readonly ServedNotification[],
) {
  return atOne(
    (books) => sentOf(books, statuses),
    (books, { operation, sent }, random) => {
      const others = alter(sent, operation, random);
      const notifications = books.notifications.flatMap((one) => (one === sent ? others : [one]));
      return atOperation({ ...books, notifications }, operation.reference);
    },
  );
}

/** Lets one notification state other fields of its operation. */
function misstate(
  status: OperationStatus,
  changes: (operation: ServedOperation, random: Random) => Partial<ServedOperation>,
) {
  return replaceOne([status], (sent, operation, random) => [withOperation(sent, changes(operation, random))]);
}

function withOperation(sent: ServedNotification, changes: Partial<ServedOperation>): ServedNotification {
  return { ...sent, data: { operation: { ...sent.data.operation!, ...changes } } };
}

/** A small credit before the line at `index`, and of its time, which is notified. */
function adjust(books: Books, random: Random, index: number): Books {
  const posts = [credit('ADJUSTMENT_CREDIT', drawInteger(random, { from: 50, to: 500 }))];
  const changes = { operationReference: null, description: 'Geste commercial' };
  return insertBefore(books, random, index, posts, changes).books;
}

/** Long enough ago that no delivery is still on its way. */
function isOld({ asOf }: Books, instant: string): boolean {
  return Date.parse(instant) < asOf - 2 * DAY;
}

/** Old operations in these states with the notification of that state: collections first. */
function sentOf(books: Books, statuses: readonly OperationStatus[]) {
  const cases = (['CASHIN', 'CASHOUT'] as const).flatMap((type) => casesOf(books, type, statuses));
  return cases.flatMap(({ operation }) => {
    const { reference, status, updatedAt } = operation;
    const sent = books.notifications.find(
      ({ data }) => data.operation?.reference === reference && data.operation.status === status,
    );
    return sent === undefined || !isOld(books, updatedAt) ? [] : [{ operation, sent }];
  });
}
