// The endpoints of the direct API that read and configure an account. The document shows the resources of most and not their
// paths: "Paths for … allowed IP addresses … and API-key management: not shown". A new endpoint is a line of `ACCOUNT_ROUTES`.

import { z } from 'zod';
import { type Delivery, deliveriesOf, dispatchAtOnce, replay } from '../../courier/courier.ts';
import { directParcel, refusalOfUrl, showDelivery } from '../../courier/parcels.ts';
import { pingNotified } from '../../model/notifications.ts';
import type { ServedNotification } from '../../model/served.ts';
import { walletOf } from '../../simulation/state.ts';
import {
  type Account,
  type Answer,
  type Call,
  notifyAccount,
  type Route,
  regenerateSecret,
  rotateSigningSecret,
} from '../account/account.ts';
import {
  ApiError,
  allowAddress,
  forbidAddress,
  invalidRequest,
  notFound,
  type Page,
  type Query,
  readBody,
  readPage,
  readStatus,
} from '../account/calls.ts';
import type { ListEnvelope } from '../account/settings.ts';

const READ = { method: 'GET', deed: 'READ' } as const;
const CONFIGURE = { method: 'POST', deed: 'CONFIGURE' } as const;

const addressForm = z.strictObject({ address: z.string({ error: 'must be an IP address' }) });
const changeForm = z.strictObject({ webhookUrl: z.string({ error: 'must be a URL, or null' }).nullable() });

export const ACCOUNT_ROUTES: readonly Route[] = [
  {
    ...READ,
    path: '/operations',
    operationId: 'listOperations',
    summary: 'Operations, all or those of one status',
    parameters: ['operationStatus', 'limit', 'offset'],
    form: 'Operation',
    list: true,
    refusals: [400],
    answer: listOperations,
  },
  {
    ...READ,
    path: '/operations/:reference',
    operationId: 'readOperation',
    summary: 'One operation',
    form: 'OperationAnswer',
    refusals: [404],
    answer: ({ account, params }) => {
      const life = account.simulation.lives.find((candidate) => candidate.operation.reference === params.reference);
      if (life === undefined) throw notFound(`operation ${params.reference}`);
      return ok({ operation: life.operation });
    },
  },
  {
    ...READ,
    path: '/wallet',
    operationId: 'readWallet',
    summary: 'The wallet',
    form: 'Wallet',
    answer: ({ account }) => ok(walletOf(account.simulation)),
  },
  {
    ...READ,
    path: '/ledger',
    operationId: 'listEntries',
    summary: 'Lines of the ledger',
    parameters: ['limit', 'offset'],
    form: 'LedgerEntry',
    list: true,
    refusals: [400],
    answer: ({ account, settings, query }) =>
      answerList(account.simulation.entries, {
        show: (entry) => entry,
        page: readPage(query),
        newestFirst: settings.ledgerOrder === 'descending',
        envelope: settings.listEnvelope,
      }),
  },
  {
    ...READ,
    path: '/merchants/me',
    operationId: 'readMerchant',
    summary: 'The account',
    form: 'Merchant',
    answer: ({ account }) => ok(account.simulation.merchant),
  },
  {
    ...CONFIGURE,
    method: 'PATCH',
    path: '/merchants/me',
    operationId: 'changeMerchant',
    summary: 'Says where notifications go: HTTPS is required',
    body: changeForm,
    form: 'Merchant',
    refusals: [400],
    answer: ({ account, service, body }) => {
      const { webhookUrl } = readBody(body, changeForm);
      const refusal = webhookUrl === null ? null : refusalOfUrl(webhookUrl, service.courier.settings);
      if (refusal !== null) throw invalidRequest([`webhookUrl ${refusal}`]);
      notifyAccount(service, account, webhookUrl);
      return ok(account.simulation.merchant);
    },
  },
  {
    ...CONFIGURE,
    path: '/merchants/me/webhooks/test',
    operationId: 'testWebhook',
    summary: 'Sends a ping to the URL of the account',
    form: 'DeliveryAnswer',
    refusals: [400],
    answer: testWebhook,
  },
  {
    ...READ,
    path: '/merchants/me/webhooks',
    operationId: 'listDeliveries',
    summary: 'Notifications that failed or were abandoned, newest first',
    parameters: ['deliveryStatus', 'limit', 'offset'],
    form: 'Delivery',
    list: true,
    refusals: [400],
    answer: listDeliveries,
  },
  {
    ...CONFIGURE,
    path: '/merchants/me/webhooks/:id/replay',
    operationId: 'replayDelivery',
    summary: 'Sends a notification once more, the same bytes with a fresh signature',
    form: 'DeliveryAnswer',
    refusals: [404, 409],
    answer: replayDelivery,
  },
  {
    ...CONFIGURE,
    path: '/merchants/me/webhook-secret/rotate',
    operationId: 'rotateSecret',
    summary: 'Another signing secret, from now on',
    form: 'SigningSecret',
    answer: ({ account }) => {
      rotateSigningSecret(account);
      const { webhookSecretHint } = account.simulation.merchant;
      return ok({ webhookSecret: account.signingSecret, webhookSecretHint });
    },
  },
  {
    ...READ,
    path: '/merchants/me/allowed-ips',
    operationId: 'listAddresses',
    summary: 'Addresses that may call; none: any may',
    form: 'AllowedAddress',
    list: true,
    answer: ({ account, settings: { listEnvelope } }) =>
      ok(listEnvelope === 'array' ? account.addresses : { [listEnvelope]: account.addresses }),
  },
  {
    ...CONFIGURE,
    path: '/merchants/me/allowed-ips',
    operationId: 'allowAddress',
    summary: 'Lets an address call',
    body: addressForm,
    status: 201,
    form: 'AllowedAddress',
    refusals: [400],
    answer: ({ account, body }) => {
      const added = allowAddress(account, readBody(body, addressForm).address);
      if (added === null) throw invalidRequest(['address must be an IP address']);
      return { status: 201, body: added };
    },
  },
  {
    ...CONFIGURE,
    method: 'DELETE',
    path: '/merchants/me/allowed-ips/:id',
    operationId: 'forbidAddress',
    summary: 'Lets an address call no more',
    form: 'RemovedAddress',
    refusals: [404],
    answer: ({ account, params: { id } }) => {
      if (!forbidAddress(account, id!)) throw notFound(`address ${id}`);
      return ok({ id, deleted: true });
    },
  },
  {
    ...CONFIGURE,
    path: '/merchants/me/api-key/regenerate',
    operationId: 'regenerateSecret',
    summary: 'Another API secret; the old one opens nothing from then on',
    form: 'ApiSecret',
    answer: ({ account, service }) => {
      regenerateSecret(account, service.now);
      return ok({ apiKey: account.apiKey, apiSecret: account.apiSecret });
    },
  },
];

function listOperations({ account, settings, query }: Call): Answer {
  const page = readPage(query);
  const status = readStatus(query);
  const { lives } = account.simulation;
  return answerList(status === null ? lives : lives.filter(({ operation }) => operation.status === status), {
    show: ({ operation }) => operation,
    page,
    newestFirst: settings.operationOrder === 'newest-first',
    envelope: settings.listEnvelope,
  });
}

/** Answers once the receiver has: the ping is sent at once, and on the ladder if it must be tried again. */
async function testWebhook({ account, service }: Call): Promise<Answer> {
  const url = account.notifyUrl;
  if (url === null) throw invalidRequest(['webhookUrl must be set before it can be tested']);
  account.pings += 1;
  const ping = pingNotified(account.plan.reference, { number: account.pings, now: service.now });
  const parcel = directParcel(ping, { url, secret: () => account.signingSecret, at: service.now });
  return ok({ delivery: showDelivery(await dispatchAtOnce(service.courier, parcel, service.now)) });
}

/** What "failed or abandoned" are; the others are not listed here. */
const UNDELIVERED = ['FAILED', 'ABANDONED'] as const;

function listDeliveries({ account, service, settings, query }: Call): Answer {
  const page = readPage(query);
  const of = { account: account.plan.reference, channel: 'direct', states: readStates(query) } as const;
  const { listEnvelope: envelope } = settings;
  return answerList(deliveriesOf(service.courier, of), { show: showDelivery, page, newestFirst: false, envelope });
}

function readStates({ status }: Query): readonly (typeof UNDELIVERED)[number][] {
  if (status === undefined) return UNDELIVERED;
  const state = UNDELIVERED.find((known) => known === status);
  if (state === undefined) throw invalidRequest([`status must be one of ${UNDELIVERED.join(', ')}`]);
  return [state];
}

async function replayDelivery({ account, service, params }: Call): Promise<Answer> {
  const delivery = service.courier.deliveries.get(params.id!);
  if (delivery?.account !== account.plan.reference || delivery.channel !== 'direct') {
    throw notFound(`delivery ${params.id}`);
  }
  if (delivery.state === 'SUCCESS') {
    const message = 'The notification was delivered already.';
    throw new ApiError({ status: 409, code: 'WEBHOOK_ALREADY_DELIVERED', message });
  }
  await replay(service.courier, delivery, { now: service.now, url: urlNow(account, delivery) });
  return ok({ delivery: showDelivery(delivery) });
}

/** That of its operation, or the account's as it is now: a replay follows a URL that was put right. */
function urlNow({ simulation, notifyUrl }: Account, delivery: Delivery): string {
  const { data } = JSON.parse(delivery.body.toString()) as ServedNotification;
  const life = simulation.lives.find(({ operation }) => operation.reference === data.operation?.reference);
  return life?.callbackUrl ?? notifyUrl ?? delivery.url;
}

function ok(body: unknown): Answer {
  return { status: 200, body };
}

/** One page of rows in the chosen envelope. `newestFirst` rows are counted from the end of `rows`. */
function answerList<Row>(
  rows: readonly Row[],
  list: {
    readonly show: (row: Row) => unknown;
    readonly page: Page;
    readonly newestFirst: boolean;
    readonly envelope: ListEnvelope;
  },
): Answer {
  const { limit, offset } = list.page;
  const page = list.newestFirst
    ? rows.slice(Math.max(0, rows.length - offset - limit), Math.max(0, rows.length - offset)).reverse()
    : rows.slice(offset, offset + limit);
  const shown = page.map(list.show);
  return ok(list.envelope === 'array' ? shown : { [list.envelope]: shown });
}
