// All that can be planted: in books, in what was served before, and in payments by link and payouts.

import type { DashboardFault } from './dashboard/dashboard-fault.ts';
import { DASHBOARD_FAULTS } from './dashboard/register.ts';
import type { Fault } from './fault.ts';
import { FAULTS, TAMPERINGS } from './named/register.ts';

export type AnyFault = Fault | DashboardFault;

export const ALL_FAULTS: readonly AnyFault[] = [...FAULTS, ...TAMPERINGS, ...DASHBOARD_FAULTS];

/** Those that show to somebody who begins to read after they were planted. */
export const FAULTS_FROM_THE_START: readonly AnyFault[] = [
  ...FAULTS,
  ...DASHBOARD_FAULTS.filter(({ shows }) => shows !== 'AFTER_A_LOOK' && shows !== 'WHEN_NOTIFIED'),
];
