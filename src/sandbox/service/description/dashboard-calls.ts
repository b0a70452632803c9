// What the endpoints of the simulated dashboard API say of themselves, by method and path: summaries, forms of bodies and answers.

import { z } from 'zod';
import { DOCUMENT_KEYS } from '../../dashboard/compliance-file.ts';
import { QUERY } from '../dashboard/choices.ts';
import { addressForm } from '../dashboard/routes/access.ts';
import { firstForm } from '../dashboard/routes/compliance.ts';
import { linkForm } from '../dashboard/routes/create-link.ts';
import { accountForm } from '../dashboard/routes/merchant.ts';
import { payoutAccountForm } from '../dashboard/routes/payout-accounts.ts';
import { disbursementForm } from '../dashboard/routes/payouts.ts';
import { paymentsUrlForm } from '../dashboard/routes/webhooks.ts';
import type { DashboardAnswer } from './dashboard-forms.ts';

export interface DescribedCall {
  /** Verb and noun; unique. */
  readonly operationId: string;
  readonly summary: string;
  /** `file`: its media type. */
  readonly answer: { readonly form: DashboardAnswer; readonly list?: true } | { readonly file: string };
  /** Names of query parameters beside the merchant's reference. */
  readonly query?: readonly string[];
  readonly body?: z.ZodType;
  /** The body is a multipart form with these files. */
  readonly files?: readonly string[];
}

const list = (form: DashboardAnswer) => ({ form, list: true }) as const;
const filters = [QUERY.from, QUERY.until, QUERY.text, QUERY.status, QUERY.operator, QUERY.country];
const merchant = { [QUERY.merchant]: z.string() };

export const LOGIN = 'POST /user/login-merchant';

export const DASHBOARD_CALLS: Readonly<Record<string, DescribedCall>> = {
  [LOGIN]: {
    operationId: 'logIn',
    summary: 'Opens a dashboard by what came by SMS',
    body: z.object({ numero: z.string(), password: z.string() }),
    answer: { form: 'LoginResult' },
  },
  'GET /banks/active': { operationId: 'listBanks', summary: 'Banks that payouts can go to', answer: list('Bank') },
  'POST /web-merchant': {
    operationId: 'openAccount',
    summary: 'Opens an account, which collects nothing before it is activated',
    body: accountForm,
    answer: { form: 'OpenedAccount' },
  },
  'POST /web-merchant/create-web-payment-link': {
    operationId: 'createLink',
    summary: 'A link that a customer pays by, for 24 hours',
    body: linkForm,
    answer: { form: 'Link' },
  },
  'GET /web-merchant/payment/status': {
    operationId: 'readPayment',
    summary: 'One payment, by its reference',
    query: [QUERY.payment],
    answer: { form: 'Payment' },
  },
  'GET /web-merchant/payments': {
    operationId: 'listPayments',
    summary: 'A page of payments, newest first',
    query: ['limit', 'offset'],
    answer: list('Payment'),
  },
  'GET /web-merchant/payments/search': {
    operationId: 'searchPayments',
    summary: 'Payments that filters find, newest first',
    query: filters,
    answer: list('Payment'),
  },
  'GET /web-merchant/payments/export': {
    operationId: 'exportPayments',
    summary: 'Payments that filters find, as CSV',
    query: filters,
    answer: { file: 'text/csv' },
  },
  'GET /web-merchant/get-balance': {
    operationId: 'readBalance',
    summary: 'What was collected and not paid out, as a decimal text',
    answer: { form: 'Balance' },
  },
  'POST /web-merchant/request-disbursement': {
    operationId: 'requestDisbursement',
    summary: 'Asks for a payout',
    body: disbursementForm,
    answer: { form: 'Disbursement' },
  },
  'GET /web-merchant/list-disbursements': {
    operationId: 'listDisbursements',
    summary: 'Payouts, newest first',
    answer: list('Disbursement'),
  },
  'GET /web-merchant/refunds-stats': {
    operationId: 'countDisbursements',
    summary: 'How many payouts there were',
    answer: { form: 'DisbursementCounters' },
  },
  'GET /web-merchant/payout-accounts': {
    operationId: 'listPayoutAccounts',
    summary: 'Accounts that payouts go to',
    answer: list('PayoutAccount'),
  },
  'POST /web-merchant/payout-accounts': {
    operationId: 'addPayoutAccount',
    summary: 'Adds one',
    body: payoutAccountForm,
    answer: { form: 'PayoutAccount' },
  },
  'PATCH /web-merchant/payout-accounts/:id/set-primary': {
    operationId: 'choosePrimary',
    summary: 'Makes one the primary',
    answer: { form: 'PayoutAccount' },
  },
  'DELETE /web-merchant/payout-accounts/:id': {
    operationId: 'removePayoutAccount',
    summary: 'Removes one',
    answer: { form: 'Removed' },
  },
  'GET /web-merchant/settlement-settings': {
    operationId: 'readSettlement',
    summary: 'How the merchant is paid out',
    answer: { form: 'SettlementSettings' },
  },
  'GET /web-merchant/merchants-transactions-count': {
    operationId: 'countPayments',
    summary: 'How many payments there were',
    answer: { form: 'Counts' },
  },
  'GET /web-merchant/merchants-monthly-transactions-count': {
    operationId: 'countMonths',
    summary: 'The same by month, UTC',
    answer: list('MonthlyCount'),
  },
  'GET /web-merchant/merchants-transactions-flow': {
    operationId: 'readFlow',
    summary: 'What was paid each day, UTC',
    answer: list('DailyFlow'),
  },
  'GET /web-merchant/reports': {
    operationId: 'listReports',
    summary: 'Monthly reports, newest first',
    answer: list('Report'),
  },
  'GET /web-merchant/reports/:id/download': {
    operationId: 'downloadReport',
    summary: 'The file of one',
    answer: { file: 'application/pdf' },
  },
  'POST /web-merchant/reports/generate': {
    operationId: 'generateReport',
    summary: 'Makes a past month, or makes it anew',
    body: z.object({ ...merchant, period: z.string().describe('YYYY-MM') }),
    answer: { form: 'Report' },
  },
  'GET /web-merchant/compliance': {
    operationId: 'readCompliance',
    summary: 'The compliance file, and what it must consist of',
    answer: { form: 'ComplianceState' },
  },
  'POST /web-merchant/compliance': {
    operationId: 'depositCompliance',
    summary: 'Deposits it; after a rejection, what was rejected',
    body: z.object({ ...merchant, ...firstForm.shape }),
    files: DOCUMENT_KEYS,
    answer: { form: 'DepositedFile' },
  },
  'PATCH /web-merchant/set-webhook-url': {
    operationId: 'changePaymentsUrl',
    summary: 'Says where the results of payments go: HTTPS is required',
    body: paymentsUrlForm,
    answer: { form: 'PaymentsUrl' },
  },
  'GET /web-merchant/webhooks/failed': {
    operationId: 'listDeliveries',
    summary: 'Notifications that failed or were abandoned, newest first',
    query: ['limit', QUERY.status],
    answer: list('Delivery'),
  },
  'POST /web-merchant/webhooks/:id/replay': {
    operationId: 'replayDelivery',
    summary: 'Sends one once more',
    answer: { form: 'Delivery' },
  },
  'POST /web-merchant/regenerate-api-key': {
    operationId: 'regenerateSecret',
    summary: 'Another API secret; the old one opens nothing from then on',
    answer: { form: 'ApiSecret' },
  },
  'GET /web-merchant/allowed-ips': {
    operationId: 'listAddresses',
    summary: 'Addresses that may call; none: any may',
    answer: list('AllowedAddress'),
  },
  'POST /web-merchant/allowed-ips': {
    operationId: 'allowAddress',
    summary: 'Lets an address call',
    body: addressForm,
    answer: { form: 'AllowedAddress' },
  },
  'DELETE /web-merchant/allowed-ips/:id': {
    operationId: 'forbidAddress',
    summary: 'Lets an address call no more',
    answer: { form: 'Removed' },
  },
  'GET /web-merchant/get-merchant-by-id': {
    operationId: 'readMerchant',
    summary: 'The account',
    query: ['id'],
    answer: { form: 'Merchant' },
  },
};
