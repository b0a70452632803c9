// The registers of all faults: in books, in changed answers, and in payments by link and payouts;
// and those in books by name. A new fault in one of these lists needs no line here; a new list
// needs one.

import type { Fault } from '../model/plan.ts';
import { LINK_AND_PAYOUT_FAULTS } from './named/dashboard.ts';
import { HISTORY_FAULTS } from './named/history.ts';
import { HOLD_FAULTS, NEGATIVE_FIGURE_FAULTS } from './named/holds.ts';
import { LINE_FAULTS } from './named/lines.ts';
import { CREDIT_AND_FEE_FAULTS, DEBIT_AND_REVERSAL_FAULTS } from './named/money.ts';
import { NOTIFICATION_FAULTS } from './named/notifications.ts';
import { OPERATION_FAULTS } from './named/operations.ts';
import { REPORT_FAULTS, WALLET_FAULTS } from './named/published.ts';
import type { AnyFault, DashboardFault } from './port/planting.ts';

/**
 * Faults in books that one reading can show: every kind of the catalogue's sections A to D and F.
 */
export const FAULTS: readonly Fault[] = [
  ...LINE_FAULTS,
  ...NEGATIVE_FIGURE_FAULTS,
  ...CREDIT_AND_FEE_FAULTS,
  ...HOLD_FAULTS,
  ...DEBIT_AND_REVERSAL_FAULTS,
  ...OPERATION_FAULTS,
  ...WALLET_FAULTS,
  ...REPORT_FAULTS,
  ...NOTIFICATION_FAULTS,
];

/** Faults that show only to a reader who has read before (section E). */
export const TAMPERINGS: readonly Fault[] = HISTORY_FAULTS;

/** Faults in payments by link and payouts: every kind of the catalogue's sections I and J. */
export const DASHBOARD_FAULTS: readonly DashboardFault[] = LINK_AND_PAYOUT_FAULTS;

export const ALL_FAULTS: readonly AnyFault[] = [...FAULTS, ...TAMPERINGS, ...DASHBOARD_FAULTS];

/** Faults that show to a reader who begins after they were planted. */
export const FAULTS_FROM_THE_START: readonly AnyFault[] = [
  ...FAULTS,
  ...DASHBOARD_FAULTS.filter(({ shows }) => shows !== 'AFTER_A_LOOK' && shows !== 'WHEN_NOTIFIED'),
];

/**
 * Returns the fault in books, or in changed answers, of that name. Throws RangeError for any other
 * name.
 */
export function faultNamed(name: string): Fault {
  const fault = [...FAULTS, ...TAMPERINGS].find((candidate) => candidate.name === name);
  if (fault === undefined) throw new RangeError(`no fault is named '${name}'`);
  return fault;
}
