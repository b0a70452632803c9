// The sandbox's choices where the dashboard document is silent: names of query parameters, bounds, and the others in words. Each is lawful
// under the document; none is claimed to be the service's own.

import {
  BANK_FIXED,
  LEAST_LINK_AMOUNT,
  LEAST_PAYOUT,
  LINK_FEE_RATE,
  MOBILE_MONEY_RATE,
} from '../../dashboard/state.ts';
import { choicesOf } from '../direct/choices.ts';

/** Names of the query filters; the document names only their meaning, and `merchant_reference` by its convention. */
export const QUERY = {
  merchant: 'merchant_reference',
  payment: 'payment_reference',
  from: 'startDate',
  until: 'endDate',
  text: 'search',
  status: 'status',
  operator: 'operator',
  country: 'country',
} as const;

/** The one algorithm that tokens are signed with and accepted in. */
export const TOKEN_ALGORITHM = 'HS256';

/** "Message says the connection is impossible, check access or contact the administrator." */
export const LOGIN_FAILED = 'Connexion impossible, vérifiez vos accès ou contactez l’administrateur';

export const LONGEST_ORDER_ID = 120;
/** Characters of its JSON. */
export const LARGEST_METADATA = 4_096;

/** "8 MB maximum each", in bytes. */
export const LARGEST_DOCUMENT = 8 * 1_024 * 1_024;
/** Characters of a name, an address and the like. */
export const LONGEST_TEXT = 200;

export const LONGEST_REFERENCE = 64;

/** Deliveries that a list has, unless `limit` says otherwise, and at most. */
export const USUAL_DELIVERIES = 50;
export const MOST_DELIVERIES = 500;

export const BANKS = [
  { code: 'FIC01', name: 'Banque Fictive de la Lagune' },
  { code: 'FIC02', name: 'Crédit Imaginaire' },
  { code: 'FIC03', name: 'Caisse de Nulle Part' },
] as const;

export const DASHBOARD_CHOICES = choicesOf({
  'names of query parameters': {
    chosen: Object.values(QUERY).join(', '),
    source: 'Detailed endpoints, payments/search; "the name of this query parameter: not shown"',
  },
  'POST create-web-payment-link': {
    chosen: `amount at least ${LEAST_LINK_AMOUNT}; country optional, else the account’s; qrCode is the address of an image; another field: 400`,
    source: 'Endpoints listed without detail',
  },
  'who pays a link': {
    chosen: 'number and operator are drawn with the link, and served from then on',
    source: 'Payment',
  },
  'fees of a payment': {
    chosen: `${LINK_FEE_RATE} % of the amount, to the hundredth; in its notification alone`,
    source: 'Events, fees',
  },
  balance: {
    chosen: 'successful payments less fees, less successful and pending payouts with fees; {"balance": "125000.00"}',
    source: 'Endpoints listed without detail, get-balance',
  },
  'POST request-disbursement': {
    chosen: `amount at least ${LEAST_PAYOUT}; to the primary account unless payoutAccountId names another; beyond the balance 400; beyond the monthly ceiling taken, and FAILED at once; ends within twelve hours`,
    source: 'Endpoints listed without detail',
  },
  'payout accounts': {
    chosen:
      'MOBILE_MONEY, or BANK with a bankCode of GET /banks/active; the first is primary, and once it is removed none is; 409 to remove it in T0 and T1',
    source: 'Endpoints listed without detail',
  },
  'fees of a payout': {
    chosen: `on top of the amount: ${MOBILE_MONEY_RATE} % to mobile money, rounded up; ${BANK_FIXED} to a bank`,
    source: 'Settlement settings, fees',
  },
  'what is used of the monthly ceiling': {
    chosen: 'amounts without fees, requested in the calendar month (UTC), not failed',
    source: 'Compliance file, limits',
  },
  'counters of disbursements': { chosen: 'of all time', source: 'Disbursement counters' },
  settlement: {
    chosen:
      'at the next such time of day, then daily in T0 and every two days in T1; all of the balance within the ceiling, from the least payout on; control alone changes the mode',
    source: 'Settlement settings; "the endpoint that changes the settlement mode: not shown"',
  },
  statistics: {
    chosen: 'by createdAt, months and days of UTC, ascending; amounts, and all of the daily flow, are of successes',
    source: 'Endpoints listed without detail',
  },
  lists: {
    chosen: 'bare arrays, newest first, whole; GET payments alone has pages (offset; limit 1 to 200, by default 50)',
    source: 'Limits: "page size: not shown"',
  },
  'an end of a search that is a date': {
    chosen: 'includes that day, UTC',
    source: 'Detailed endpoints, payments/search: "inclusive"',
  },
  'GET payments/export': {
    chosen: 'text/csv with a line of names; filters of the search',
    source: 'Endpoints listed without detail',
  },
  'a report of a month before the account': {
    chosen: '400, which says so',
    source: 'Detailed endpoints, reports/generate',
  },
  'where results of payments go': {
    chosen: 'to the URL of set-webhook-url or of the option `notifyPayments`, not to that of the direct API',
    source: 'Events, URL constraints',
  },
  HTTPS: {
    chosen: 'required, with the exceptions of the direct API',
    source: 'Events, URL constraints',
  },
  deliveries: {
    chosen: `limit 1 to ${MOST_DELIVERIES}, by default ${USUAL_DELIVERIES}; status filters; a replay answers after its receiver`,
    source: 'Detailed endpoints, webhooks',
  },
  'POST web-merchant': {
    chosen:
      'activity and webhookUrl are optional; the phone number is one of the country, for one account or several; 409 for a reference or a name that is taken, in any casing; PENDING until control activates it; both APIs open it; calls alone make something happen in it; control shows the SMS',
    source: 'Detailed endpoints, web-merchant: "names not shown"',
  },
  'GET get-merchant-by-id': {
    chosen: 'by the merchant’s reference, and by id where the query has one',
    source: 'Endpoints listed without detail',
  },
  'allowed addresses': {
    chosen:
      'one list for both APIs, an empty one allows any; enforced for keys, not for tokens; a removal names the merchant in the query',
    source: 'Endpoints listed without detail',
  },
  'POST compliance': {
    chosen: `legalName, activity, rccmNumber, address and managerName are mandatory at first; 8 MB are ${LARGEST_DOCUMENT} bytes; first bytes show the kind of a file; 409 while PENDING or APPROVED; after a rejection, absent texts and documents stay`,
    source: 'Detailed endpoints, compliance: "which text fields are mandatory: not shown"',
  },
  'an account that is not ACTIVE': {
    chosen: 'logs in, reads and configures; 403 for links and payouts, and none is drawn',
    source: '"A merchant account must be activated before it can collect"',
  },
  'order of refusals': {
    chosen: 'credentials 401, address 403, haste 429, merchant 404, state 403, form 400, absence 404, conflict 409',
    source: 'Errors',
  },
});
