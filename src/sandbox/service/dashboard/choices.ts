// What the dashboard document does not show and the sandbox had to choose, in one place: names of query parameters, messages of
// refusals, bounds; and in words, what else was chosen. Each is lawful under the document; none is claimed to be the service's own.

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

/** Banks that nobody has an account with. */
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
    chosen: `amount (at least ${LEAST_LINK_AMOUNT}), order_id, and optionally country (the account’s) and metadata; answers reference, url, qrCode (the address of an image), status, createdAt, expiresAt; a field that is not one of them is refused with 400`,
    source: 'Endpoints listed without detail',
  },
  'who pays a link': {
    chosen: 'the payer’s number and operator are drawn when the link is made, and served from then on',
    source: 'Payment',
  },
  'fees of a payment': {
    chosen: `${LINK_FEE_RATE} % of the amount, to the hundredth; told in its notification alone`,
    source: 'Events, fees',
  },
  balance: {
    chosen:
      'payments that succeeded, less their fees, less payouts that succeeded or are pending with theirs; {"balance": "125000.00"}',
    source: 'Endpoints listed without detail, get-balance',
  },
  'POST request-disbursement': {
    chosen: `amount (at least ${LEAST_PAYOUT}), and optionally payoutAccountId (else the primary account); beyond the balance 400; beyond the monthly ceiling it is taken and FAILED at once; ends within twelve hours`,
    source: 'Endpoints listed without detail',
  },
  'payout accounts': {
    chosen:
      'type (MOBILE_MONEY, BANK), number, and optionally label; bankCode (of GET /banks/active: code, name) for a BANK; served with id, isPrimary, createdAt, too; the first one is primary, and when it is removed, none is; in T0 and T1 it cannot be removed (409); a removal answers {"id", "deleted"}',
    source: 'Endpoints listed without detail',
  },
  'fees of a payout': {
    chosen: `on top of the amount: ${MOBILE_MONEY_RATE} % to mobile money, rounded up; ${BANK_FIXED} to a bank`,
    source: 'Settlement settings, fees',
  },
  'what is used of the monthly ceiling': {
    chosen: 'amounts, without fees, requested in the calendar month of UTC that have not failed',
    source: 'Compliance file, limits',
  },
  'counters of disbursements': { chosen: 'of all time', source: 'Disbursement counters' },
  settlement: {
    chosen:
      'T0 at the next such time of day, then every day; T1 at the next, then every two; all of the balance that the ceiling has room for; nothing where that is less than a payout may be; the mode is changed by control alone',
    source: 'Settlement settings; "the endpoint that changes the settlement mode: not shown"',
  },
  statistics: {
    chosen:
      'total, success, pending, failed; by month of UTC the same with month and the amount of those that succeeded; by day of UTC date, count and amount of those that succeeded; by createdAt, ascending',
    source: 'Endpoints listed without detail',
  },
  lists: {
    chosen:
      'bare arrays, newest first; GET payments has pages (limit 1 to 200, by default 50, and offset), the others are whole',
    source: 'Limits: "page size: not shown"',
  },
  'an end of a search that is a date': {
    chosen: 'includes that day, UTC',
    source: 'Detailed endpoints, payments/search: "inclusive"',
  },
  'GET payments/export': {
    chosen: 'text/csv with a line of names, by the filters of the search',
    source: 'Endpoints listed without detail',
  },
  'a report of a month before the account': {
    chosen: '400, which says so',
    source: 'Detailed endpoints, reports/generate',
  },
  'where results of payments go': {
    chosen:
      'to a URL of their own, that of set-webhook-url or of the option `notifyPayments`; not to the URL of the direct API',
    source: 'Events, URL constraints',
  },
  HTTPS: {
    chosen:
      'required, as for the direct API, with the same exceptions; set-webhook-url answers {"reference", "webhookUrl"}',
    source: 'Events, URL constraints',
  },
  deliveries: {
    chosen: `id, status, reference, url, attempts, lastStatusCode, nextRetryAt, payload, createdAt, updatedAt; limit 1 to ${MOST_DELIVERIES}, by default ${USUAL_DELIVERIES}; status filters; a replay answers the delivery once the receiver has`,
    source: 'Detailed endpoints, webhooks',
  },
  'POST web-merchant': {
    chosen:
      'the optional fields are activity and webhookUrl; the phone number is one of the country, and may be that of several accounts; a reference or a name that is taken, in any casing, is refused with 409; the account is PENDING until control activates it, is opened over both APIs, and nothing happens in it but what is asked for; control shows the SMS',
    source: 'Detailed endpoints, web-merchant: "names not shown"',
  },
  'GET get-merchant-by-id': {
    chosen:
      'by the merchant’s reference, and by id where that is given; answers id, reference, name, legalName, email, phoneNumber, country, status, webhookUrl, createdAt',
    source: 'Endpoints listed without detail',
  },
  'allowed addresses': {
    chosen:
      'id and address; one list for both APIs, an empty one allows any; enforced where a key opens, not where a token does; a removal names the merchant in the query',
    source: 'Endpoints listed without detail',
  },
  'POST compliance': {
    chosen: `legalName, activity, rccmNumber, address and managerName are mandatory at first, dfeNumber and managerIdNumber may be sent too; 8 MB are ${LARGEST_DOCUMENT} bytes; the kind of a file is told by its first bytes; a file that is PENDING or APPROVED is not deposited again (409); after a rejection, texts and documents that are not sent stay as they were`,
    source: 'Detailed endpoints, compliance: "which text fields are mandatory: not shown"',
  },
  'an account that is not ACTIVE': {
    chosen: 'logs in, reads and configures; links and payouts are refused with 403, and none is drawn',
    source: '"A merchant account must be activated before it can collect"',
  },
  'order of refusals': {
    chosen:
      'credentials 401, address 403, haste 429, merchant 404, state 403, form 400, what is not there 404, conflict 409',
    source: 'Errors',
  },
});
