// Sections F, I and J of the catalogue: reports and notifications, payments by link, payouts. Payments by link and payouts are not
// in the ledger, and explain no finding there.

import type { LinkFigures, PayoutFigures, PublishedFigures } from '../../domain/finding-kind.ts';
import { about, beside, type KindDeclaration } from './declaration.ts';

export const PUBLISHED_KINDS: Readonly<Record<keyof PublishedFigures, KindDeclaration>> = {
  REPORT_SUMMARY_MISMATCH: about('report', 'error', 'none', { counts: true }),
  // The missing notification may be the one that states something else.
  EVENT_MISSING: about('notification', 'warning', 'lack', {
    follows: ['EVENT_CONTRADICTS_OPERATION', 'EVENT_ID_REUSED', 'EVENT_UNKNOWN_OPERATION', 'EVENT_TYPE_MISMATCH'],
    sharedWhen: ['of'],
  }),
  EVENT_CONTRADICTS_OPERATION: about('notification', 'error'),
  EVENT_ID_REUSED: about('notification', 'error'),
  EVENT_UNKNOWN_OPERATION: about('notification', 'error'),
  EVENT_TYPE_MISMATCH: about('notification', 'error'),
};

export const LINK_KINDS: Readonly<Record<keyof LinkFigures, KindDeclaration>> = {
  PAYMENT_OVERDUE: beside('report', 'warning'),
  PAYMENT_OUTCOME_CHANGED: beside('report', 'error'),
  PAYMENT_FIELD_CHANGED: beside('report', 'error'),
  ORDER_PAID_TWICE: beside('report', 'warning'),
  PAYMENT_EVENT_CONTRADICTS: beside('notification', 'warning'),
  PAYMENT_EVENT_MISSING: beside('notification', 'warning', { concerns: ['amount'] }),
  PAYMENT_EVENT_UNKNOWN: beside('notification', 'warning'),
};

const WRONG_COUNT: KindDeclaration = beside('report', 'error', { counts: true });

export const PAYOUT_KINDS: Readonly<Record<keyof PayoutFigures, KindDeclaration>> = {
  PAYOUT_LIMITS_INCONSISTENT: beside('report', 'error'),
  PAYOUT_CEILING_UNEXPECTED: beside('report', 'info'),
  PAYOUT_UNRECORDED: WRONG_COUNT,
  PAYOUT_COUNTERS_MISMATCH: WRONG_COUNT,
  PAYOUT_OUTCOME_CHANGED: beside('report', 'error', { concerns: ['amount'] }),
  LINK_BALANCE_MISMATCH: beside('report', 'critical', { concerns: ['difference'] }),
  SETTLEMENT_MISSED: beside('report', 'warning', { ofActiveAccount: true }),
  PAYMENT_COUNT_MISMATCH: WRONG_COUNT,
};
