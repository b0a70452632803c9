// The register of endpoints of the dashboard API. A new endpoint is a file in routes/ and a line here.

import type { DashboardRoute, OpenRoute } from '../route.ts';
import { addressPermission, addressWithdrawal, allowedAddresses, secretRegeneration } from './access.ts';
import { activeBanks } from './banks.ts';
import { complianceDeposit, complianceFile } from './compliance.ts';
import { linkCreation } from './create-link.ts';
import { accountOpening, merchantById } from './merchant.ts';
import { paymentExport, paymentList, paymentSearch, paymentStatus } from './payments.ts';
import { payoutAccountAddition, payoutAccountList, payoutAccountRemoval, primaryChange } from './payout-accounts.ts';
import { balance, disbursementCount, disbursementList, disbursementRequest } from './payouts.ts';
import { reportDownload, reportGeneration, reportList } from './reports.ts';
import { settlementSettings } from './settlement.ts';
import { dailyFlow, monthlyCounts, paymentCounts } from './statistics.ts';
import { failedDeliveries, paymentReplay, paymentsUrlChange } from './webhooks.ts';

export const OPEN_ROUTES: readonly OpenRoute[] = [accountOpening, activeBanks];

export const DASHBOARD_ROUTES: readonly DashboardRoute[] = [
  linkCreation,
  paymentStatus,
  paymentList,
  paymentSearch,
  paymentExport,
  balance,
  disbursementRequest,
  disbursementList,
  disbursementCount,
  payoutAccountList,
  payoutAccountAddition,
  primaryChange,
  payoutAccountRemoval,
  settlementSettings,
  paymentCounts,
  monthlyCounts,
  dailyFlow,
  reportList,
  reportDownload,
  reportGeneration,
  merchantById,
  secretRegeneration,
  allowedAddresses,
  addressPermission,
  addressWithdrawal,
  complianceFile,
  complianceDeposit,
  paymentsUrlChange,
  failedDeliveries,
  paymentReplay,
];
