// The register of faults in payments by link and payouts: every kind of the catalogue's sections I and J.

import { COUNT_FAULTS } from './counts.ts';
import type { DashboardFault } from './dashboard-fault.ts';
import { PAYMENT_FAULTS } from './payments.ts';
import { PAYOUT_FAULTS } from './payouts.ts';

export const DASHBOARD_FAULTS: readonly DashboardFault[] = [...PAYMENT_FAULTS, ...PAYOUT_FAULTS, ...COUNT_FAULTS];
