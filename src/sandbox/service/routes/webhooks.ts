// Looking after notifications (direct API, "Endpoint list", "Delivery rules"): a test, those that did not arrive, sending one
// again, another secret. The forms of the answers are not shown.

import { deliveriesOf, dispatchAtOnce, replay } from '../../courier/courier.ts';
import type { Delivery } from '../../courier/delivery.ts';
import { directParcel } from '../../courier/direct-parcel.ts';
import { pingNotified } from '../../notify.ts';
import type { ServedNotification } from '../../served.ts';
import { type Account, rotateSigningSecret } from '../account.ts';
import { ApiError, invalidRequest, notFound } from '../api-error.ts';
import { type Query, readPage } from '../read-query.ts';
import { answerList, ok, type Route } from '../route.ts';
import { showDelivery } from '../show-delivery.ts';

/** Answers once the receiver has: the ping is sent at once, and on the ladder if it must be tried again. */
export const webhookTest: Route = {
  method: 'POST',
  path: '/merchants/me/webhooks/test',
  deed: 'CONFIGURE',
  described: {
    operationId: 'testWebhook',
    summary: 'Sends a ping to the URL of the account',
    answer: { status: 200, form: 'DeliveryAnswer' },
    refusals: [400],
  },
  answer: async ({ account, service }) => {
    const url = account.notifyUrl;
    if (url === null) throw invalidRequest(['webhookUrl must be set before it can be tested']);
    account.pings += 1;
    const ping = pingNotified(account.plan.reference, { number: account.pings, now: service.now });
    const parcel = directParcel(ping, { url, secret: () => account.signingSecret, at: service.now });
    return ok({ delivery: showDelivery(await dispatchAtOnce(service.courier, parcel, service.now)) });
  },
};

/** What "failed or abandoned" are; the others are not listed here. */
const UNDELIVERED = ['FAILED', 'ABANDONED'] as const;

export const webhookList: Route = {
  method: 'GET',
  path: '/merchants/me/webhooks',
  deed: 'READ',
  described: {
    operationId: 'listDeliveries',
    summary: 'Notifications that failed or were abandoned, newest first',
    query: ['deliveryStatus', 'limit', 'offset'],
    answer: { status: 200, form: 'Delivery', list: true },
    refusals: [400],
  },
  answer: ({ account, service, settings, query }) => {
    const page = readPage(query);
    const states = readStates(query);
    const of = { account: account.plan.reference, channel: 'direct', states } as const;
    const show = (delivery: Delivery) => showDelivery(delivery);
    const { listEnvelope: envelope } = settings;
    return answerList(deliveriesOf(service.courier, of), { show, page, newestFirst: false, envelope });
  },
};

export const webhookReplay: Route = {
  method: 'POST',
  path: '/merchants/me/webhooks/:id/replay',
  deed: 'CONFIGURE',
  described: {
    operationId: 'replayDelivery',
    summary: 'Sends a notification once more, the same bytes with a fresh signature',
    answer: { status: 200, form: 'DeliveryAnswer' },
    refusals: [404, 409],
  },
  answer: async ({ account, service, params }) => {
    const delivery = ownDelivery(account, service.courier.deliveries.get(params.id!));
    if (delivery === null) throw notFound(`delivery ${params.id}`);
    if (delivery.state === 'SUCCESS') {
      const message = 'The notification was delivered already.';
      throw new ApiError({ status: 409, code: 'WEBHOOK_ALREADY_DELIVERED', message });
    }
    await replay(service.courier, delivery, { now: service.now, url: urlNow(account, delivery) });
    return ok({ delivery: showDelivery(delivery) });
  },
};

export const secretRotation: Route = {
  method: 'POST',
  path: '/merchants/me/webhook-secret/rotate',
  deed: 'CONFIGURE',
  described: {
    operationId: 'rotateSecret',
    summary: 'Another signing secret, from now on',
    answer: { status: 200, form: 'SigningSecret' },
  },
  answer: ({ account }) => {
    rotateSigningSecret(account);
    const { webhookSecretHint } = account.simulation.merchant;
    return ok({ webhookSecret: account.signingSecret, webhookSecretHint });
  },
};

/** That of its operation, or the account's as it is now: a replay follows a URL that was put right. */
function urlNow({ simulation, notifyUrl }: Account, delivery: Delivery): string {
  const { data } = JSON.parse(delivery.body.toString()) as ServedNotification;
  const life = simulation.lives.find(({ operation }) => operation.reference === data.operation?.reference);
  return life?.callbackUrl ?? notifyUrl ?? delivery.url;
}

function ownDelivery({ plan }: Account, delivery: Delivery | undefined): Delivery | null {
  return delivery?.account === plan.reference && delivery.channel === 'direct' ? delivery : null;
}

function readStates({ status }: Query): readonly (typeof UNDELIVERED)[number][] {
  if (status === undefined) return UNDELIVERED;
  const state = UNDELIVERED.find((known) => known === status);
  if (state === undefined) throw invalidRequest([`status must be one of ${UNDELIVERED.join(', ')}`]);
  return [state];
}
