// The kinds of section J: payouts, what was collected by link and not paid out, and the counts of payments. Their order is that of
// the catalogue. None of them is in the ledger, and none explains a finding there.

import type { PayoutKind } from '../../domain/finding-kind.ts';
import type { KindDeclaration } from './declaration.ts';

export const PAYOUT_KINDS: Readonly<Record<PayoutKind, KindDeclaration>> = {
  PAYOUT_LIMITS_INCONSISTENT: { severity: 'error', subject: 'report', effect: 'none', standsAlone: true },
  PAYOUT_CEILING_UNEXPECTED: { severity: 'info', subject: 'report', effect: 'none', standsAlone: true },
  PAYOUT_UNRECORDED: { severity: 'error', subject: 'report', effect: 'none', standsAlone: true },
  PAYOUT_COUNTERS_MISMATCH: { severity: 'error', subject: 'report', effect: 'none', standsAlone: true },
  PAYOUT_OUTCOME_CHANGED: { severity: 'error', subject: 'report', effect: 'none', standsAlone: true },
  LINK_BALANCE_MISMATCH: { severity: 'critical', subject: 'report', effect: 'none', standsAlone: true },
  SETTLEMENT_MISSED: {
    severity: 'warning',
    subject: 'report',
    effect: 'none',
    standsAlone: true,
    ofActiveAccount: true,
  },
  PAYMENT_COUNT_MISMATCH: { severity: 'error', subject: 'report', effect: 'none', standsAlone: true },
};
