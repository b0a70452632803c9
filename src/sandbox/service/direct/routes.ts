// The endpoints of the direct API that read and configure an account. For most of them the document
// shows the resources but not the paths: "Paths for … allowed IP addresses … and API-key
// management: not shown". A new endpoint is a line of `ACCOUNT_ROUTES`.

import { z } from 'zod';
import { formatInstant } from '../../../core/domain/instant.ts';
import { OPERATION_STATUSES } from '../../../core/domain/operation.ts';
import {
  type Delivery,
  deliveriesOf,
  deliveryNamed,
  dispatchAtOnce,
  replay,
} from '../../courier/courier.ts';
import { directParcel, refusalOfUrl, showDelivery } from '../../courier/parcels.ts';
import { notificationAbout } from '../../model/notifications.ts';
import type { ServedNotification, ServedOperation } from '../../model/served.ts';
import { lifeNamed, walletOf } from '../../simulation/state.ts';
import {
  type Account,
  type Call,
  defineRoutes,
  notifyAccount,
  regenerateSecret,
  rotateSigningSecret,
} from '../account/account.ts';
import {
  ApiError,
  allowAddress,
  forbidAddress,
  invalidRequest,
  notFound,
  oneOf,
  type Page,
  readBody,
  readForm,
  readPage,
} from '../account/calls.ts';

const addressForm = z.strictObject({ address: z.string({ error: 'must be an IP address' }) });
const operationsQuery = z.object({ status: oneOf(OPERATION_STATUSES).optional() });
const changeForm = z.strictObject({
  webhookUrl: z.string({ error: 'must be a URL, or null' }).nullable(),
});

export const ACCOUNT_ROUTES = defineRoutes({
  listOperations,
  readOperation: ({ account, params }) => {
    const life = lifeNamed(account.simulation, params.reference);
    if (life === undefined) throw notFound(`operation ${params.reference}`);
    return { operation: life.operation };
  },
  readWallet: ({ account }) => walletOf(account.simulation),
  listEntries: ({ account, settings, query }) =>
    takePage(account.simulation.entries, readPage(query), settings.ledgerOrder === 'descending'),
  readMerchant: ({ account }) => account.simulation.merchant,
  changeMerchant: {
    body: changeForm,
    answer: ({ account, service, body }) => {
      const { webhookUrl } = readBody(body, changeForm);
      const refusal =
        webhookUrl === null ? null : refusalOfUrl(webhookUrl, service.courier.settings);
      if (refusal !== null) throw invalidRequest([`webhookUrl ${refusal}`]);
      notifyAccount(service, account, webhookUrl);
      return account.simulation.merchant;
    },
  },
  testWebhook,
  listDeliveries,
  replayDelivery,
  rotateSecret: ({ account }) => {
    rotateSigningSecret(account);
    const { webhookSecretHint } = account.simulation.merchant;
    return { webhookSecret: account.signingSecret, webhookSecretHint };
  },
  listAddresses: ({ account }) => account.addresses,
  allowAddress: {
    body: addressForm,
    answer: ({ account, body }) => allowAddress(account, readBody(body, addressForm).address),
  },
  forbidAddress: ({ account, params: { id } }) => {
    if (!forbidAddress(account, id!)) throw notFound(`address ${id}`);
    return { id, deleted: true };
  },
  regenerateSecret: ({ account, service }) => regenerateSecret(account, service.now),
});

function listOperations({ account, settings, query }: Call): readonly ServedOperation[] {
  const page = readPage(query);
  const { status } = readForm(query, operationsQuery);
  const { lives } = account.simulation;
  const wanted =
    status === undefined ? lives : lives.filter(({ operation }) => operation.status === status);
  return takePage(wanted, page, settings.operationOrder === 'newest-first').map(
    ({ operation }) => operation,
  );
}

/**
 * Sends a ping at once and answers when the receiver has answered. If it must be sent again, it
 * follows the ladder of waits.
 */
async function testWebhook({ account, service }: Call) {
  const url = account.notifyUrl;
  if (url === null) throw invalidRequest(['webhookUrl must be set before it can be tested']);
  account.pings += 1;
  const createdAt = formatInstant(service.now);
  const ping = notificationAbout(account.plan.reference, {
    type: 'ping',
    about: `ping/${account.pings}`,
    createdAt,
  });
  const parcel = directParcel(ping, { url, secret: () => account.signingSecret, at: service.now });
  return { delivery: showDelivery(await dispatchAtOnce(service.courier, parcel, service.now)) };
}

/** The states that are listed: "Failed or abandoned". */
const UNDELIVERED = ['FAILED', 'ABANDONED'] as const;
const deliveriesQuery = z.object({ status: oneOf(UNDELIVERED).optional() });

function listDeliveries({ account, service, query }: Call) {
  const page = readPage(query);
  const { status } = readForm(query, deliveriesQuery);
  const states = status === undefined ? UNDELIVERED : [status];
  const of = { account: account.plan.reference, channel: 'direct', states } as const;
  return takePage(deliveriesOf(service.courier, of), page, false).map(showDelivery);
}

async function replayDelivery({ account, service, params }: Call) {
  const of = { account: account.plan.reference, channel: 'direct', id: params.id! } as const;
  const delivery = deliveryNamed(service.courier, of);
  if (delivery === null) throw notFound(`delivery ${params.id}`);
  if (delivery.state === 'SUCCESS') {
    throw new ApiError('WEBHOOK_ALREADY_DELIVERED', 'The notification was delivered already.');
  }
  await replay(service.courier, delivery, { now: service.now, url: urlNow(account, delivery) });
  return { delivery: showDelivery(delivery) };
}

/**
 * Returns the URL of the delivery's operation, otherwise the account's present URL, so that a
 * replay goes to a URL that was corrected.
 */
function urlNow({ simulation, notifyUrl }: Account, delivery: Delivery): string {
  const { data } = JSON.parse(delivery.body.toString()) as ServedNotification;
  return lifeNamed(simulation, data.operation?.reference)?.callbackUrl ?? notifyUrl ?? delivery.url;
}

/** Returns one page of `rows`. With `newestFirst`, rows are counted from the end. */
function takePage<Row>(
  rows: readonly Row[],
  { limit, offset }: Page,
  newestFirst: boolean,
): readonly Row[] {
  if (!newestFirst) return rows.slice(offset, offset + limit);
  const end = Math.max(0, rows.length - offset);
  return rows.slice(Math.max(0, end - limit), end).reverse();
}
