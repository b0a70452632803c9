// Where the results of payments go, those that did not arrive, and sending one again.

import { z } from 'zod';
import { formatInstant } from '../../../../core/domain/instant.ts';
import { deliveriesOf, replay } from '../../../courier/courier.ts';
import { DELIVERY_STATES, type Delivery, type DeliveryState } from '../../../courier/delivery.ts';
import { refusalOfUrl } from '../../../courier/receiving-url.ts';
import { readForm } from '../../read-body.ts';
import type { Query } from '../../read-query.ts';
import { notifyPayments } from '../../service.ts';
import { DELIVERY_NOT_FOUND, MOST_DELIVERIES, QUERY, USUAL_DELIVERIES } from '../choices.ts';
import { badRequest, merchantNotFound, Refusal } from '../refusal.ts';
import type { DashboardCall, DashboardRoute } from '../route.ts';
import { readText } from './search-payments.ts';

export const paymentsUrlForm = z.strictObject({
  reference: z.unknown(),
  webhookUrl: z.string({ error: 'must be a URL' }),
});

/** Here the merchant's reference is called `reference`. */
export const paymentsUrlChange: DashboardRoute = {
  method: 'PATCH',
  path: '/web-merchant/set-webhook-url',
  auth: 'Token',
  merchantIn: 'nowhere',
  answer: ({ account, service, body }) => {
    const { reference, webhookUrl } = readForm(body, paymentsUrlForm);
    if (reference !== account.plan.reference) throw merchantNotFound();
    const refusal = refusalOfUrl(webhookUrl, service.courier.settings);
    if (refusal !== null) throw badRequest(`webhookUrl ${refusal}`);
    notifyPayments(service, account, webhookUrl);
    return { reference, webhookUrl };
  },
};

/** "Default lists FAILED and ABANDONED deliveries"; newest first. */
const UNDELIVERED: readonly DeliveryState[] = ['FAILED', 'ABANDONED'];

export const failedDeliveries: DashboardRoute = {
  method: 'GET',
  path: '/web-merchant/webhooks/failed',
  auth: 'Token',
  merchantIn: 'nowhere',
  answer: ({ account, service, query }) => {
    const of = { account: account.plan.reference, channel: 'dashboard', states: readStates(query) } as const;
    return deliveriesOf(service.courier, of).slice(0, readLimit(query)).map(showDelivery);
  },
};

export const paymentReplay: DashboardRoute = {
  method: 'POST',
  path: '/web-merchant/webhooks/:id/replay',
  auth: 'Token',
  merchantIn: 'nowhere',
  answer: async ({ account, service, params }: DashboardCall) => {
    const delivery = service.courier.deliveries.get(params.id!);
    if (delivery?.account !== account.plan.reference || delivery.channel !== 'dashboard') {
      throw new Refusal(404, DELIVERY_NOT_FOUND);
    }
    if (delivery.state === 'SUCCESS') throw badRequest('The notification was delivered already');
    await replay(service.courier, delivery, { now: service.now, url: account.paymentsUrl ?? delivery.url });
    return showDelivery(delivery);
  },
};

function readLimit(query: Query): number {
  const text = readText(query, 'limit') ?? String(USUAL_DELIVERIES);
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MOST_DELIVERIES) throw badRequest(`limit must be an integer from 1 to ${MOST_DELIVERIES}`);
  return limit;
}

function readStates(query: Query): readonly DeliveryState[] {
  const text = readText(query, QUERY.status);
  if (text === null) return UNDELIVERED;
  const state = DELIVERY_STATES.find((known) => known === text);
  if (state === undefined) throw badRequest(`${QUERY.status} must be one of ${DELIVERY_STATES.join(', ')}`);
  return [state];
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
