// The endpoints of the dashboard API about the account: opening one and logging in, who may call
// and with which secret, the URL for results of payments and the deliveries that failed, the
// monthly reports.

import { z } from 'zod';
import { formatInstant, type Instant } from '../../../core/domain/instant.ts';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../../core/domain/notification.ts';
import { type Delivery, deliveriesOf, deliveryNamed, replay } from '../../courier/courier.ts';
import { refusalOfUrl, showDelivery } from '../../courier/parcels.ts';
import { endedMonths, reportPdf, reportsOf } from '../../dashboard/answers.ts';
import { linkCountriesOf } from '../../dashboard/state.ts';
import { e164Of } from '../../model/operators.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../model/plan.ts';
import { drawLetters, drawUuid, seedRandom } from '../../model/random.ts';
import { LINK_COUNTRIES, type ServedReport } from '../../model/served-dashboard.ts';
import {
  addAccount,
  type DashboardCall,
  defineDashboardRoutes,
  defineOpenRoutes,
  notifyPayments,
  type OpenCall,
  regenerateSecret,
  type Service,
} from '../account/account.ts';
import {
  ApiError,
  allowAddress,
  forbidAddress,
  oneOf,
  type Query,
  readForm,
  sameSecret,
} from '../account/calls.ts';
import { absent, badRequest, conflict, type FileAnswer, readOneOf, readText } from './calls.ts';
import {
  BANKS,
  LOGIN_FAILED,
  LONGEST_REFERENCE,
  LONGEST_TEXT,
  MOST_DELIVERIES,
  QUERY,
  USUAL_DELIVERIES,
} from './choices.ts';

const error = `must be a text of 1 to ${LONGEST_TEXT} characters`;
const text = z.string({ error }).trim().min(1, { error }).max(LONGEST_TEXT, { error });

const accountForm = z.strictObject({
  name: text,
  reference: z
    .string({ error: 'must be a word of letters, digits and _' })
    .regex(/^[A-Za-z0-9_]+$/, { error: 'must be a word of letters, digits and _' })
    .max(LONGEST_REFERENCE, { error: `must have at most ${LONGEST_REFERENCE} characters` }),
  email: z.email({ error: 'must be an e-mail address' }),
  phoneNumber: z
    .string({ error: 'must be a text' })
    .max(32, { error: 'must have at most 32 characters' }),
  country: oneOf(LINK_COUNTRIES),
  activity: text.optional(),
  webhookUrl: z.string({ error: 'must be a URL' }).optional(),
});
type AccountForm = z.output<typeof accountForm>;

export const OPEN_ROUTES = defineOpenRoutes({
  logIn: {
    body: z.object({ numero: z.string(), password: z.string() }),
    answer: logIn,
  },
  openAccount: {
    body: accountForm,
    answer: openOne,
  },
  listBanks: () => BANKS,
});

const paymentsUrlForm = z.strictObject({
  reference: z.unknown(),
  webhookUrl: z.string({ error: 'must be a URL' }),
});

const addressForm = z.strictObject({
  [QUERY.merchant]: z.unknown().optional(),
  address: z.string({ error: 'must be an IP address' }),
});

export const ACCOUNT_ROUTES = defineDashboardRoutes({
  readMerchant,
  /** "The old secret is invalidated at once; the new secret is also sent by SMS." */
  regenerateSecret: ({ account, service }) => regenerateSecret(account, service.now),
  listAddresses: ({ account }) => account.addresses,
  allowAddress: {
    body: addressForm,
    answer: ({ account, body }) => allowAddress(account, readForm(body, addressForm).address),
  },
  /** "Object with `id` and `deleted` (boolean `true`); unknown merchant: 404." */
  forbidAddress: ({ account, params: { id } }) => {
    if (!forbidAddress(account, id!)) throw absent('Address');
    return { id, deleted: true };
  },
  changePaymentsUrl: {
    body: paymentsUrlForm,
    answer: changePaymentsUrl,
  },
  listDeliveries: {
    query: ['limit', QUERY.status],
    answer: ({ account, service, query }) => {
      const of = {
        account: account.plan.reference,
        channel: 'dashboard',
        states: readStates(query),
      } as const;
      return deliveriesOf(service.courier, of).slice(0, readLimit(query)).map(showPaymentDelivery);
    },
  },
  replayDelivery,
  listReports: ({ life }) => reportsOf(life),
  downloadReport,
  generateReport: {
    body: z.object({ [QUERY.merchant]: z.string(), period: z.string().describe('YYYY-MM') }),
    answer: generateReport,
  },
});

/**
 * Logs in by the phone number and the password that was sent by SMS. Several accounts may have the
 * same phone number. Throws 404.
 */
async function logIn({ service, body, issueToken, misbehave }: OpenCall) {
  const { numero, password } = (typeof body === 'object' && body !== null ? body : {}) as Record<
    string,
    unknown
  >;
  const known = service.accounts.filter(
    (one) => one.dashboard.numero === numero && linkCountriesOf(one.plan).length > 0,
  );
  const account = known.find(({ dashboard }) => sameSecret(password, dashboard.password));
  if (known.length === 0) sameSecret(password, null);
  if (account === undefined) throw new ApiError('RESOURCE_NOT_FOUND', LOGIN_FAILED);
  await misbehave(account);
  const { merchant, merchantId } = account.simulation;
  const random = seedRandom(`${service.seed}/${merchant.reference}/user`);
  return {
    access_token: await issueToken(merchant.reference),
    refresh_token: drawLetters(random, 40),
    user: {
      id: drawUuid(random),
      numero: account.dashboard.numero,
      fullname: merchant.name,
      email: merchant.email,
      merchant_id: merchantId,
      userType: 'MERCHANT',
    },
  };
}

/**
 * Opens an account: "API key, secret, reference and dashboard identifier and password are sent by
 * SMS."
 */
function openOne({ service, body }: OpenCall) {
  const { webhookUrl, ...form } = readForm(body, accountForm);
  const phoneNumber = e164Of(form.phoneNumber, form.country);
  if (phoneNumber === null) throw badRequest(`phoneNumber must be a number of ${form.country}`);
  const refusal =
    webhookUrl === undefined ? null : refusalOfUrl(webhookUrl, service.courier.settings);
  if (refusal !== null) throw badRequest(`webhookUrl ${refusal}`);
  requireFree(service, form);
  const account = addAccount(service, planOf(service.now, { ...form, phoneNumber }));
  if (webhookUrl !== undefined) notifyPayments(service, account, webhookUrl);
  return { name: form.name };
}

function requireFree({ accounts }: Service, { reference, name }: AccountForm): void {
  const isTaken = (field: 'reference' | 'name', value: string): boolean =>
    accounts.some(({ plan }) => plan[field].toLowerCase() === value.toLowerCase());
  if (isTaken('reference', reference)) throw conflict('This reference is taken');
  if (isTaken('name', name)) throw conflict('This name is taken');
}

/**
 * Returns the plan of an account that was just opened. Nothing happens in it except by calls, and
 * it collects nothing before it is activated.
 */
function planOf(now: Instant, { reference, name, country, email, phoneNumber }: AccountForm) {
  return planMerchant({
    reference,
    name,
    country,
    status: 'PENDING',
    createdAt: now,
    opensAt: now,
    contact: { email, phoneNumber },
    dashboard: {
      compliance: null,
      payoutAccounts: [],
      settlement: { mode: 'MANUAL', time: null, timezone: 'UTC' },
    },
    traffic: {
      ...ORDINARY_TRAFFIC,
      operationsPerDay: 0,
      adjustmentsPerMonth: 0,
      paymentsPerDay: 0,
    },
  });
}

function readMerchant({ account, query }: DashboardCall) {
  const { merchant, merchantId } = account.simulation;
  if (query.id !== undefined && query.id !== merchantId) throw absent('Merchant');
  const { reference, name, legalName, email, phoneNumber, country, status, createdAt } = merchant;
  const { paymentsUrl: webhookUrl } = account;
  return {
    id: merchantId,
    reference,
    name,
    legalName,
    email,
    phoneNumber,
    country,
    status,
    webhookUrl,
    createdAt,
  };
}

/**
 * Sets the URL for results of payments. In this call the field `reference` is the merchant's
 * reference.
 */
function changePaymentsUrl({ account, service, body }: DashboardCall) {
  const { reference, webhookUrl } = readForm(body, paymentsUrlForm);
  if (reference !== account.plan.reference) throw absent('Merchant');
  const refusal = refusalOfUrl(webhookUrl, service.courier.settings);
  if (refusal !== null) throw badRequest(`webhookUrl ${refusal}`);
  notifyPayments(service, account, webhookUrl);
  return { reference, webhookUrl };
}

async function replayDelivery({ account, service, params }: DashboardCall) {
  const of = { account: account.plan.reference, channel: 'dashboard', id: params.id! } as const;
  const delivery = deliveryNamed(service.courier, of);
  if (delivery === null) throw absent('Delivery');
  if (delivery.state === 'SUCCESS') throw badRequest('The notification was delivered already');
  await replay(service.courier, delivery, {
    now: service.now,
    url: account.paymentsUrl ?? delivery.url,
  });
  return showPaymentDelivery(delivery);
}

function readLimit(query: Query): number {
  const given = readText(query, 'limit') ?? String(USUAL_DELIVERIES);
  const limit = /^\d{1,4}$/.test(given) ? Number(given) : 0;
  if (limit < 1 || limit > MOST_DELIVERIES)
    throw badRequest(`limit must be an integer from 1 to ${MOST_DELIVERIES}`);
  return limit;
}

/** Returns the wanted states: "Default lists FAILED and ABANDONED deliveries". */
function readStates(query: Query): readonly DeliveryStatus[] {
  const state = readOneOf(query, QUERY.status, DELIVERY_STATUSES);
  return state === null ? ['FAILED', 'ABANDONED'] : [state];
}

/**
 * Returns a delivery as it is served: "Deliveries, including `nextRetryAt`; other fields: not
 * shown."
 */
function showPaymentDelivery(delivery: Delivery) {
  const { id, url, state, attempts, lastStatus, nextRetryAt, payload, createdAt, updatedAt } =
    showDelivery(delivery);
  const { reference } = payload as { readonly reference: string };
  const outcome = {
    id,
    status: state,
    reference,
    url,
    attempts,
    lastStatusCode: lastStatus,
    nextRetryAt,
  };
  return { ...outcome, payload, createdAt, updatedAt };
}

function downloadReport({ life, params }: DashboardCall): FileAnswer {
  const report = reportsOf(life).find(({ id, status }) => id === params.id && status === 'READY');
  if (report?.filename == null) throw absent('Report');
  return { type: 'application/pdf', name: report.filename, bytes: reportPdf(report) };
}

/** "Generates or regenerates a past month; the current month is refused with 400." */
function generateReport({ life, body }: DashboardCall): ServedReport {
  const { period } = body as { readonly period?: unknown };
  if (typeof period !== 'string' || !/^\d{4}-(0[1-9]|1[0-2])$/.test(period)) {
    throw badRequest('period must be a month like 2026-10');
  }
  if (!endedMonths(life.plan, life.now).includes(period)) {
    const isPast = period < formatInstant(life.now).slice(0, 7);
    throw badRequest(
      isPast
        ? `The account collected nothing yet in ${period}`
        : `The month ${period} has not ended`,
    );
  }
  life.reports.askedAgain.set(period, life.now);
  return reportsOf(life).find((report) => report.period === period)!;
}
