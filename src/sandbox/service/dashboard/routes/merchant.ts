// The account itself: opening one, and what it is.

import { z } from 'zod';
import { refusalOfUrl } from '../../../courier/receiving-url.ts';
import { LINK_COUNTRIES } from '../../../dashboard/served-dashboard.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../../plan.ts';
import { e164Of } from '../../../simulation/operators.ts';
import { readForm } from '../../read-body.ts';
import { enrol, notifyPayments, type Service } from '../../service.ts';
import { CONFLICT, LONGEST_REFERENCE, LONGEST_TEXT } from '../choices.ts';
import { badRequest, merchantNotFound, Refusal } from '../refusal.ts';
import type { DashboardRoute, OpenRoute } from '../route.ts';

export const merchantById: DashboardRoute = {
  method: 'GET',
  path: '/web-merchant/get-merchant-by-id',
  auth: 'Token',
  merchantIn: 'query',
  answer: ({ account, query }) => {
    const { merchant, merchantId } = account.simulation;
    if (query.id !== undefined && query.id !== merchantId) throw merchantNotFound();
    const { reference, name, legalName, email, phoneNumber, country, status, createdAt } = merchant;
    const { paymentsUrl: webhookUrl } = account;
    return { id: merchantId, reference, name, legalName, email, phoneNumber, country, status, webhookUrl, createdAt };
  },
};

/** "API key, secret, reference and dashboard identifier and password are sent by SMS." */
export const accountOpening: OpenRoute = {
  method: 'POST',
  path: '/web-merchant',
  answer: (service, body) => {
    const { webhookUrl, ...form } = readForm(body, accountForm);
    const phoneNumber = e164Of(form.phoneNumber, form.country);
    if (phoneNumber === null) throw badRequest(`phoneNumber must be a number of ${form.country}`);
    const refusal = webhookUrl === undefined ? null : refusalOfUrl(webhookUrl, service.courier.settings);
    if (refusal !== null) throw badRequest(`webhookUrl ${refusal}`);
    requireFree(service, form);
    const account = enrol(service, planOf(service, { ...form, phoneNumber }));
    if (webhookUrl !== undefined) notifyPayments(service, account, webhookUrl);
    return { name: form.name };
  },
};

const error = `must be a text of 1 to ${LONGEST_TEXT} characters`;
const text = z.string({ error }).trim().min(1, { error }).max(LONGEST_TEXT, { error });

export const accountForm = z.strictObject({
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

function requireFree({ accounts }: Service, { reference, name }: AccountForm): void {
  const isTaken = (field: 'reference' | 'name', value: string): boolean =>
    accounts.some(({ plan }) => plan[field].toLowerCase() === value.toLowerCase());
  if (isTaken('reference', reference)) throw new Refusal(CONFLICT, 'This reference is taken');
  if (isTaken('name', name)) throw new Refusal(CONFLICT, 'This name is taken');
}

/** Nothing happens in it but what is asked for, and nothing is collected before it is activated. */
function planOf({ now }: Service, { reference, name, country, email, phoneNumber }: AccountForm) {
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
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 0, adjustmentsPerMonth: 0, paymentsPerDay: 0 },
  });
}
