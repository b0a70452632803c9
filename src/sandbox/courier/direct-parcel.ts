// A notification of the direct API as a parcel: its body as JSON, signed anew for each attempt with the secret that is in
// force then (direct API, "Headers and signature", "Delivery rules").

import { createHmac } from 'node:crypto';
import { type Instant, parseInstant, SECOND } from '../../core/domain/instant.ts';
import { uuidOf } from '../random.ts';
import type { ServedNotification } from '../served.ts';
import type { Parcel } from './delivery.ts';

/** "400, 401, 404, 410, 422: immediate abandon, no replay." */
const FINAL_STATUSES = [400, 401, 404, 410, 422];

export interface Sending {
  readonly url: string;
  /** `whsec_…`, asked for at each attempt. */
  readonly secret: () => string;
  /** When it is sent off; null: at its own createdAt. */
  readonly at: Instant | null;
}

export function directParcel(notification: ServedNotification, { url, secret, at }: Sending): Parcel {
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

/** `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<raw body>`, keyed with the whole secret. */
function signatureOf(body: Buffer, sign: { readonly secret: string; readonly signedAt: Instant }): string {
  const seconds = Math.floor(sign.signedAt / SECOND);
  return `t=${seconds},v1=${createHmac('sha256', sign.secret).update(`${seconds}.`).update(body).digest('hex')}`;
}
