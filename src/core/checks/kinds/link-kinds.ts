// The kinds of section I: payments by link against what earlier looks saw of them, against each other, and against what was notified.
// None of them is in the ledger, and none explains a finding there.

import type { LinkKind } from '../../domain/finding-kind.ts';
import type { KindDeclaration } from './declaration.ts';

export const LINK_KINDS: Readonly<Record<LinkKind, KindDeclaration>> = {
  PAYMENT_OVERDUE: { severity: 'warning', subject: 'report', effect: 'none', standsAlone: true },
  PAYMENT_OUTCOME_CHANGED: { severity: 'error', subject: 'report', effect: 'none', standsAlone: true },
  PAYMENT_FIELD_CHANGED: { severity: 'error', subject: 'report', effect: 'none', standsAlone: true },
  ORDER_PAID_TWICE: { severity: 'warning', subject: 'report', effect: 'none', standsAlone: true },
  PAYMENT_EVENT_CONTRADICTS: { severity: 'warning', subject: 'notification', effect: 'none', standsAlone: true },
  PAYMENT_EVENT_MISSING: { severity: 'warning', subject: 'notification', effect: 'none', standsAlone: true },
  PAYMENT_EVENT_UNKNOWN: { severity: 'warning', subject: 'notification', effect: 'none', standsAlone: true },
};
