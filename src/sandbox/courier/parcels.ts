// Notifications of both APIs as parcels. Those of the direct API are signed anew for each attempt
// with the secret in force then ("Headers and signature", "Delivery rules"); those of payments by
// link are unsigned ("Events"). They may go by HTTPS to any host, and by plain HTTP to this machine
// or, where the settings allow it, to private networks.

import { createHmac } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import {
  formatInstant,
  formatKnown,
  type Instant,
  parseInstant,
  SECOND,
} from '../../core/domain/instant.ts';
import { type LinkPayment, servedAt } from '../dashboard/state.ts';
import { uuidOf } from '../model/random.ts';
import type { ServedNotification } from '../model/served.ts';
import type { Delivery, Parcel } from './courier.ts';

/** "400, 401, 404, 410, 422: immediate abandon, no replay." */
const FINAL_STATUSES = [400, 401, 404, 410, 422];

export interface Sending {
  readonly url: string;
  /** Returns the secret, `whsec_…`. It is called at each attempt. */
  readonly secret: () => string;
  /** When the notification is sent; `null` for its own createdAt. */
  readonly at: Instant | null;
}

export function directParcel(
  notification: ServedNotification,
  { url, secret, at }: Sending,
): Parcel {
  const { id, type, createdAt, merchantReference, data } = notification;
  const body = Buffer.from(JSON.stringify(notification));
  return {
    id: uuidOf(`${merchantReference}/${id}/${body.toString('latin1')}/${at ?? ''}`),
    channel: 'direct',
    account: merchantReference,
    url,
    subject: `${merchantReference}/${data.operation?.reference ?? id}`,
    type,
    body,
    createdAt: at ?? parseInstant(createdAt)!,
    headers: (signedAt) => ({
      'content-type': 'application/json',
      'service-event': type,
      'service-signature': signatureOf(body, { secret: secret(), signedAt }),
    }),
    finalStatuses: FINAL_STATUSES,
  };
}

/**
 * Returns the header `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<raw body>`, keyed with the
 * whole secret.
 */
function signatureOf(
  body: Buffer,
  sign: { readonly secret: string; readonly signedAt: Instant },
): string {
  const seconds = Math.floor(sign.signedAt / SECOND);
  return `t=${seconds},v1=${createHmac('sha256', sign.secret).update(`${seconds}.`).update(body).digest('hex')}`;
}

/** "Responses 400, 401, 404 and 422 are final and not replayed." */
const FINAL_FOR_PAYMENTS = [400, 401, 404, 422];

const PAYMENT_RESULT = 'payment';

/**
 * Returns the parcel of a payment that has ended. `provider` is the operator in this body, and
 * `fees` is there only after a success.
 */
export function paymentParcel(
  payment: LinkPayment,
  { merchant, url }: { readonly merchant: string; readonly url: string },
): Parcel {
  const { status, amount, reference, senderOperateur, country, metadata, createdAt } = servedAt(
    payment,
    payment.settledAt,
  );
  const body = {
    status,
    amount,
    ...(status === 'SUCCESS' && { fees: payment.fees / 100 }),
    reference,
    provider: senderOperateur,
    country_code: country,
    metadata,
    created_date: createdAt,
  };
  return {
    id: uuidOf(`${merchant}/${reference}/${status}`),
    channel: 'dashboard',
    account: merchant,
    url,
    subject: `${merchant}/${reference}`,
    type: PAYMENT_RESULT,
    body: Buffer.from(JSON.stringify(body)),
    createdAt: payment.settledAt,
    headers: () => ({ 'content-type': 'application/json', 'user-agent': 'Service-Webhook/1.0' }),
    finalStatuses: FINAL_FOR_PAYMENTS,
  };
}

const LONGEST_URL = 2_048;

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

const PRIVATE = new BlockList();
PRIVATE.addSubnet('10.0.0.0', 8, 'ipv4');
PRIVATE.addSubnet('172.16.0.0', 12, 'ipv4');
PRIVATE.addSubnet('192.168.0.0', 16, 'ipv4');
PRIVATE.addSubnet('fc00::', 7, 'ipv6');

/**
 * Returns `null` when notifications may be sent to this URL, otherwise the sentence that refuses
 * it.
 */
export function refusalOfUrl(
  text: string,
  allowance: { readonly privateHttp: boolean },
): string | null {
  if (text.length > LONGEST_URL) return `must not be longer than ${LONGEST_URL} characters`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return 'must be a URL';
  if (url.username !== '' || url.password !== '') return 'must carry no user name and no password';
  if (url.protocol === 'https:') return null;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isLoopback = host === 'localhost' || isIn(LOOPBACK, host);
  const isAllowed = isLoopback || (allowance.privateHttp && isPrivate(host));
  return url.protocol === 'http:' && isAllowed ? null : 'must begin with https://';
}

/** A name without a dot belongs to this network itself, as that of a container does. */
function isPrivate(host: string): boolean {
  return isIn(PRIVATE, host) || (isIP(host) === 0 && !host.includes('.'));
}

function isIn(list: BlockList, host: string): boolean {
  const version = isIP(host);
  return version !== 0 && list.check(host, version === 4 ? 'ipv4' : 'ipv6');
}

/** Returns a delivery of the direct API as it is served. `payload` is the body as it was sent. */
export function showDelivery(delivery: Delivery) {
  const { id, type, url, state, attempts, lastStatus, nextRetryAt, createdAt, updatedAt, body } =
    delivery;
  return {
    id,
    type,
    url,
    state,
    attempts,
    lastStatus,
    nextRetryAt: formatKnown(nextRetryAt),
    createdAt: formatInstant(createdAt),
    updatedAt: formatInstant(updatedAt),
    payload: JSON.parse(body.toString()),
  };
}
