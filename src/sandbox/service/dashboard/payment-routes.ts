// The endpoints of the dashboard API about payments by link: making a link, reading what became of
// payments, and their statistics.

import { z } from 'zod';
import {
  DAY,
  formatInstant,
  type Instant,
  parseDay,
  parseInstant,
} from '../../../core/domain/instant.ts';
import { LINK_LIFETIME, LINK_OPERATORS, PAYMENT_STATUSES } from '../../../core/domain/payment.ts';
import { paymentsNow } from '../../dashboard/answers.ts';
import { makeLink } from '../../dashboard/life.ts';
import { LEAST_LINK_AMOUNT, linkCountriesOf, servedAt } from '../../dashboard/state.ts';
import {
  LINK_COUNTRIES,
  PAYMENT_FIELDS,
  type ServedPayment,
} from '../../model/served-dashboard.ts';
import { type DashboardCall, defineDashboardRoutes } from '../account/account.ts';
import { freeObject, oneOf, type Query, readForm, readPage } from '../account/calls.ts';
import { absent, badRequest, published, readOneOf, readText } from './calls.ts';
import { LARGEST_METADATA, LONGEST_ORDER_ID, QUERY } from './choices.ts';

const orderId = `must be a text of 1 to ${LONGEST_ORDER_ID} characters`;

const linkForm = z.strictObject({
  [QUERY.merchant]: z.unknown().optional(),
  amount: z
    .int({ error: 'must be an integer, without decimals' })
    .min(LEAST_LINK_AMOUNT, { error: `must be at least ${LEAST_LINK_AMOUNT}` }),
  order_id: z
    .string({ error: orderId })
    .min(1, { error: orderId })
    .max(LONGEST_ORDER_ID, { error: orderId }),
  country: oneOf(LINK_COUNTRIES).optional(),
  metadata: freeObject(LARGEST_METADATA, 'must be an object').optional(),
});

const FILTERS = [QUERY.from, QUERY.until, QUERY.text, QUERY.status, QUERY.operator, QUERY.country];

export const PAYMENT_ROUTES = defineDashboardRoutes({
  createLink: {
    body: linkForm,
    answer: createLink,
  },
  readPayment: {
    query: [QUERY.payment],
    answer: readPayment,
  },
  listPayments: ({ life, query }) => {
    const { limit, offset } = readPage(query);
    return paymentsNow(life)
      .toReversed()
      .slice(offset, offset + limit);
  },
  searchPayments: {
    query: FILTERS,
    answer: ({ life, service, query }) =>
      searchPayments(paymentsNow(life), { query, cap: service.settings.dashboard.paymentCap }),
  },
  exportPayments: {
    query: FILTERS,
    answer: ({ account, life, query }) => ({
      type: 'text/csv; charset=utf-8',
      name: `paiements-${account.plan.reference}.csv`,
      bytes: Buffer.from(csvOfPayments(searchPayments(paymentsNow(life), { query, cap: null }))),
    }),
  },
  countPayments: published('merchants-transactions-count'),
  countMonths: published('merchants-monthly-transactions-count'),
  readFlow: published('merchants-transactions-flow'),
});

/** Makes a link. It is PENDING until a customer pays, and for 24 hours at most. */
function createLink({ account: { plan }, life, service, body }: DashboardCall) {
  const { amount, order_id, metadata = {}, ...rest } = readForm(body, linkForm);
  const countries = linkCountriesOf(plan);
  const country = rest.country ?? countries.find((one) => one === plan.country) ?? countries[0];
  if (country === undefined || !countries.includes(country)) {
    throw badRequest(`country must be one of ${countries.join(', ')}`);
  }
  const isDrawn = service.settings.fates === 'drawn';
  const payment = makeLink(life, { amount, country, orderId: order_id, metadata }, isDrawn);
  const { reference, status, createdAt } = servedAt(payment, life.now);
  const url = `https://pay.example/${reference}`;
  const expiresAt = formatInstant(payment.createdAt + LINK_LIFETIME);
  return { reference, url, qrCode: `${url}/qr.png`, status, createdAt, expiresAt };
}

/**
 * Reads one payment: "The merchant confirms the status with GET /web-merchant/payment/status before
 * any irreversible action."
 */
function readPayment({ life, query }: DashboardCall): ServedPayment {
  const reference = readText(query, QUERY.payment);
  if (reference === null) throw badRequest(`${QUERY.payment} must be given`);
  const payment = paymentsNow(life).find((one) => one.reference === reference);
  if (payment === undefined) throw absent('Payment');
  return payment;
}

/**
 * Returns the payments that fit, newest first; `payments` must be ascending in createdAt. With a
 * `cap`, only that many of the newest are returned, without a sign that others exist.
 */
function searchPayments(
  payments: readonly ServedPayment[],
  search: { readonly query: Query; readonly cap: number | null },
): readonly ServedPayment[] {
  const { query, cap } = search;
  const from = readInstant(query, QUERY.from, 0);
  const until = readInstant(query, QUERY.until, DAY - 1);
  const text = readText(query, QUERY.text);
  const status = readOneOf(query, QUERY.status, PAYMENT_STATUSES);
  const operator = readOneOf(query, QUERY.operator, LINK_OPERATORS);
  const country = readOneOf(query, QUERY.country, LINK_COUNTRIES);
  const found = payments.filter((payment) => {
    const createdAt = Date.parse(payment.createdAt);
    return (
      (from === null || createdAt >= from) &&
      (until === null || createdAt <= until) &&
      (text === null || payment.reference.includes(text) || payment.order_id.includes(text)) &&
      (status === null || payment.status === status) &&
      (operator === null || payment.senderOperateur.toLowerCase() === operator) &&
      (country === null || payment.country === country)
    );
  });
  return found.toReversed().slice(0, cap ?? found.length);
}

/**
 * Reads an instant. For a date it is `within` milliseconds after midnight UTC, so that the end of a
 * range includes its whole day.
 */
function readInstant(query: Query, name: string, within: number): Instant | null {
  const text = readText(query, name);
  if (text === null) return null;
  const day = parseDay(text);
  const instant = day === null ? parseInstant(text) : day + within;
  if (instant === null) throw badRequest(`${name} must be an ISO 8601 date`);
  return instant;
}

/** Returns CSV by RFC 4180: a line of names, then one line for each payment. */
function csvOfPayments(payments: readonly ServedPayment[]): string {
  const lines = payments.map((payment) => PAYMENT_FIELDS.map((name) => cellOf(payment[name])));
  return [PAYMENT_FIELDS, ...lines].map((cells) => `${cells.join(',')}\r\n`).join('');
}

function cellOf(value: ServedPayment[keyof ServedPayment]): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
