// The endpoints of the dashboard API about the account: opening one and logging in, who may call and with which secret, where
// results of payments go and which did not arrive, the monthly reports.

import { z } from 'zod';
import { formatInstant, type Instant } from '../../../core/domain/instant.ts';
import { type Delivery, deliveriesOf, replay } from '../../courier/courier.ts';
import { refusalOfUrl } from '../../courier/parcels.ts';
import { endedMonths, reportPdf, reportsOf } from '../../dashboard/answers.ts';
import { linkCountriesOf } from '../../dashboard/state.ts';
import { e164Of } from '../../model/operators.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../model/plan.ts';
import { drawLetters, drawUuid, seedRandom } from '../../model/random.ts';
import { DELIVERY_STATES, type DeliveryState } from '../../model/served.ts';
import { LINK_COUNTRIES, type ServedReport } from '../../model/served-dashboard.ts';
import { writeInstant } from '../../model/time.ts';
import {
  type DashboardCall,
  type DashboardRoute,
  enrol,
  notifyPayments,
  type OpenCall,
  type OpenRoute,
  regenerateSecret,
  type Service,
} from '../account/account.ts';
import { allowAddress, forbidAddress, type Query, readForm, sameSecret } from '../account/calls.ts';
import { badRequest, type FileAnswer, merchantNotFound, Refusal, readOneOf, readText } from './calls.ts';
import {
  ADDRESS_NOT_FOUND,
  BANKS,
  CONFLICT,
  DELIVERY_NOT_FOUND,
  LOGIN_FAILED,
  LONGEST_REFERENCE,
  LONGEST_TEXT,
  MOST_DELIVERIES,
  QUERY,
  REPORT_NOT_FOUND,
  USUAL_DELIVERIES,
} from './choices.ts';

const OPEN = { auth: 'open', merchantIn: 'nowhere' } as const;
const READ = { method: 'GET', auth: 'Token', merchantIn: 'query' } as const;
const CHANGE = { method: 'POST', auth: 'Token', merchantIn: 'query' } as const;

const error = `must be a text of 1 to ${LONGEST_TEXT} characters`;
const text = z.string({ error }).trim().min(1, { error }).max(LONGEST_TEXT, { error });

const accountForm = z.strictObject({
  name: text,
  reference: z
    .string({ error: 'must be a word of letters, digits and _' })
    .regex(/^[A-Za-z0-9_]+$/, { error: 'must be a word of letters, digits and _' })
    .max(LONGEST_REFERENCE, { error: `must have at most ${LONGEST_REFERENCE} characters` }),
  email: z.email({ error: 'must be an e-mail address' }),
  phoneNumber: z.string({ error: 'must be a text' }).max(32, { error: 'must have at most 32 characters' }),
  country: z.enum(LINK_COUNTRIES, { error: `must be one of ${LINK_COUNTRIES.join(', ')}` }),
  activity: text.optional(),
  webhookUrl: z.string({ error: 'must be a URL' }).optional(),
});
type AccountForm = z.output<typeof accountForm>;

export const OPEN_ROUTES: readonly OpenRoute[] = [
  {
    ...OPEN,
    method: 'POST',
    path: '/user/login-merchant',
    operationId: 'logIn',
    summary: 'Opens a dashboard by what came by SMS',
    body: z.object({ numero: z.string(), password: z.string() }),
    answers: { form: 'LoginResult' },
    answer: logIn,
  },
  {
    ...OPEN,
    method: 'POST',
    path: '/web-merchant',
    operationId: 'openAccount',
    summary: 'Opens an account, which collects nothing before it is activated',
    body: accountForm,
    answers: { form: 'OpenedAccount' },
    answer: openOne,
  },
  {
    ...OPEN,
    method: 'GET',
    path: '/banks/active',
    operationId: 'listBanks',
    summary: 'Banks that payouts can go to',
    answers: { form: 'Bank', list: true },
    answer: () => BANKS,
  },
];

const paymentsUrlForm = z.strictObject({
  reference: z.unknown(),
  webhookUrl: z.string({ error: 'must be a URL' }),
});

const addressForm = z.strictObject({
  [QUERY.merchant]: z.unknown().optional(),
  address: z.string({ error: 'must be an IP address' }),
});

export const ACCOUNT_ROUTES: readonly DashboardRoute[] = [
  {
    ...READ,
    path: '/web-merchant/get-merchant-by-id',
    operationId: 'readMerchant',
    summary: 'The account',
    query: ['id'],
    answers: { form: 'Merchant' },
    answer: readMerchant,
  },
  {
    ...CHANGE,
    path: '/web-merchant/regenerate-api-key',
    operationId: 'regenerateSecret',
    summary: 'Another API secret; the old one opens nothing from then on',
    answers: { form: 'ApiSecret' },
    /** "The old secret is invalidated at once; the new secret is also sent by SMS." */
    answer: ({ account, service }) => {
      regenerateSecret(account, service.now);
      return { apiKey: account.apiKey, apiSecret: account.apiSecret };
    },
  },
  {
    ...READ,
    path: '/web-merchant/allowed-ips',
    operationId: 'listAddresses',
    summary: 'Addresses that may call; none: any may',
    answers: { form: 'AllowedAddress', list: true },
    answer: ({ account }) => account.addresses,
  },
  {
    ...CHANGE,
    merchantIn: 'either',
    path: '/web-merchant/allowed-ips',
    operationId: 'allowAddress',
    summary: 'Lets an address call',
    body: addressForm,
    answers: { form: 'AllowedAddress' },
    answer: ({ account, body }) => {
      const added = allowAddress(account, readForm(body, addressForm).address);
      if (added === null) throw badRequest('address must be an IP address');
      return added;
    },
  },
  {
    ...CHANGE,
    method: 'DELETE',
    path: '/web-merchant/allowed-ips/:id',
    operationId: 'forbidAddress',
    summary: 'Lets an address call no more',
    answers: { form: 'Removed' },
    /** "Object with `id` and `deleted` (boolean `true`); unknown merchant: 404." */
    answer: ({ account, params: { id } }) => {
      if (!forbidAddress(account, id!)) throw new Refusal(404, ADDRESS_NOT_FOUND);
      return { id, deleted: true };
    },
  },
  {
    ...CHANGE,
    method: 'PATCH',
    merchantIn: 'nowhere',
    path: '/web-merchant/set-webhook-url',
    operationId: 'changePaymentsUrl',
    summary: 'Says where the results of payments go: HTTPS is required',
    body: paymentsUrlForm,
    answers: { form: 'PaymentsUrl' },
    answer: changePaymentsUrl,
  },
  {
    ...READ,
    merchantIn: 'nowhere',
    path: '/web-merchant/webhooks/failed',
    operationId: 'listDeliveries',
    summary: 'Notifications that failed or were abandoned, newest first',
    query: ['limit', QUERY.status],
    answers: { form: 'Delivery', list: true },
    answer: ({ account, service, query }) => {
      const of = { account: account.plan.reference, channel: 'dashboard', states: readStates(query) } as const;
      return deliveriesOf(service.courier, of).slice(0, readLimit(query)).map(showDelivery);
    },
  },
  {
    ...CHANGE,
    merchantIn: 'nowhere',
    path: '/web-merchant/webhooks/:id/replay',
    operationId: 'replayDelivery',
    summary: 'Sends one once more',
    answers: { form: 'Delivery' },
    answer: replayDelivery,
  },
  {
    ...READ,
    path: '/web-merchant/reports',
    operationId: 'listReports',
    summary: 'Monthly reports, newest first',
    answers: { form: 'Report', list: true },
    answer: ({ life }) => reportsOf(life),
  },
  {
    ...READ,
    merchantIn: 'nowhere',
    path: '/web-merchant/reports/:id/download',
    operationId: 'downloadReport',
    summary: 'The file of one',
    answers: { file: 'application/pdf' },
    answer: downloadReport,
  },
  {
    ...CHANGE,
    merchantIn: 'body',
    path: '/web-merchant/reports/generate',
    operationId: 'generateReport',
    summary: 'Makes a past month, or makes it anew',
    body: z.object({ [QUERY.merchant]: z.string(), period: z.string().describe('YYYY-MM') }),
    answers: { form: 'Report' },
    answer: generateReport,
  },
];

/** By the phone number and the password that came by SMS. Throws 404. A phone number may be that of several accounts. */
async function logIn({ service, body, issueToken, misbehave }: OpenCall) {
  const { numero, password } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const known = service.accounts.filter(
    (one) => one.dashboard.numero === numero && linkCountriesOf(one.plan).length > 0,
  );
  const account = known.find(({ dashboard }) => sameSecret(password, dashboard.password));
  if (known.length === 0) sameSecret(password, null);
  if (account === undefined) throw new Refusal(404, LOGIN_FAILED);
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

/** "API key, secret, reference and dashboard identifier and password are sent by SMS." */
function openOne({ service, body }: OpenCall) {
  const { webhookUrl, ...form } = readForm(body, accountForm);
  const phoneNumber = e164Of(form.phoneNumber, form.country);
  if (phoneNumber === null) throw badRequest(`phoneNumber must be a number of ${form.country}`);
  const refusal = webhookUrl === undefined ? null : refusalOfUrl(webhookUrl, service.courier.settings);
  if (refusal !== null) throw badRequest(`webhookUrl ${refusal}`);
  requireFree(service, form);
  const account = enrol(service, planOf(service.now, { ...form, phoneNumber }));
  if (webhookUrl !== undefined) notifyPayments(service, account, webhookUrl);
  return { name: form.name };
}

function requireFree({ accounts }: Service, { reference, name }: AccountForm): void {
  const isTaken = (field: 'reference' | 'name', value: string): boolean =>
    accounts.some(({ plan }) => plan[field].toLowerCase() === value.toLowerCase());
  if (isTaken('reference', reference)) throw new Refusal(CONFLICT, 'This reference is taken');
  if (isTaken('name', name)) throw new Refusal(CONFLICT, 'This name is taken');
}

/** Nothing happens in it but what is asked for, and nothing is collected before it is activated. */
function planOf(now: Instant, { reference, name, country, email, phoneNumber }: AccountForm) {
  return planMerchant({
    reference,
    name,
    country,
    status: 'PENDING',
    createdAt: now,
    opensAt: now,
    contact: { email, phoneNumber },
    dashboard: { compliance: null, payoutAccounts: [], settlement: { mode: 'MANUAL', time: null, timezone: 'UTC' } },
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 0, adjustmentsPerMonth: 0, paymentsPerDay: 0 },
  });
}

function readMerchant({ account, query }: DashboardCall) {
  const { merchant, merchantId } = account.simulation;
  if (query.id !== undefined && query.id !== merchantId) throw merchantNotFound();
  const { reference, name, legalName, email, phoneNumber, country, status, createdAt } = merchant;
  const { paymentsUrl: webhookUrl } = account;
  return { id: merchantId, reference, name, legalName, email, phoneNumber, country, status, webhookUrl, createdAt };
}

/** Here the merchant's reference is called `reference`. */
function changePaymentsUrl({ account, service, body }: DashboardCall) {
  const { reference, webhookUrl } = readForm(body, paymentsUrlForm);
  if (reference !== account.plan.reference) throw merchantNotFound();
  const refusal = refusalOfUrl(webhookUrl, service.courier.settings);
  if (refusal !== null) throw badRequest(`webhookUrl ${refusal}`);
  notifyPayments(service, account, webhookUrl);
  return { reference, webhookUrl };
}

async function replayDelivery({ account, service, params }: DashboardCall) {
  const delivery = service.courier.deliveries.get(params.id!);
  if (delivery?.account !== account.plan.reference || delivery.channel !== 'dashboard') {
    throw new Refusal(404, DELIVERY_NOT_FOUND);
  }
  if (delivery.state === 'SUCCESS') throw badRequest('The notification was delivered already');
  await replay(service.courier, delivery, { now: service.now, url: account.paymentsUrl ?? delivery.url });
  return showDelivery(delivery);
}

function readLimit(query: Query): number {
  const given = readText(query, 'limit') ?? String(USUAL_DELIVERIES);
  const limit = /^\d{1,4}$/.test(given) ? Number(given) : 0;
  if (limit < 1 || limit > MOST_DELIVERIES) throw badRequest(`limit must be an integer from 1 to ${MOST_DELIVERIES}`);
  return limit;
}

/** "Default lists FAILED and ABANDONED deliveries"; newest first. */
function readStates(query: Query): readonly DeliveryState[] {
  const state = readOneOf(query, QUERY.status, DELIVERY_STATES);
  return state === null ? ['FAILED', 'ABANDONED'] : [state];
}

/** "Deliveries, including `nextRetryAt`; other fields: not shown." */
function showDelivery({ id, state, url, attempts, lastStatus, nextRetryAt, body, createdAt, updatedAt }: Delivery) {
  const payload = JSON.parse(body.toString()) as { readonly reference: string };
  return {
    id,
    status: state,
    reference: payload.reference,
    url,
    attempts,
    lastStatusCode: lastStatus,
    nextRetryAt: nextRetryAt === null ? null : formatInstant(nextRetryAt),
    payload,
    createdAt: formatInstant(createdAt),
    updatedAt: formatInstant(updatedAt),
  };
}

function downloadReport({ life, params }: DashboardCall): FileAnswer {
  const report = reportsOf(life).find(({ id, status }) => id === params.id && status === 'READY');
  if (report?.filename == null) throw new Refusal(404, REPORT_NOT_FOUND);
  return { type: 'application/pdf', name: report.filename, bytes: reportPdf(report) };
}

/** "Generates or regenerates a past month; the current month is refused with 400." */
function generateReport({ life, body }: DashboardCall): ServedReport {
  const { period } = body as { readonly period?: unknown };
  if (typeof period !== 'string' || !/^\d{4}-(0[1-9]|1[0-2])$/.test(period)) {
    throw badRequest('period must be a month like 2026-10');
  }
  if (!endedMonths(life.plan, life.now).includes(period)) {
    const isPast = period < writeInstant(life.now).slice(0, 7);
    throw badRequest(isPast ? `The account collected nothing yet in ${period}` : `The month ${period} has not ended`);
  }
  life.reports.askedAgain.set(period, life.now);
  return reportsOf(life).find((report) => report.period === period)!;
}
