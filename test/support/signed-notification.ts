// Notifications as the payment service signs and sends them, made from the document's words alone:
// HMAC-SHA256, in hexadecimal, of `<t>.<raw body>`, keyed with the signing secret.

import { createHmac } from 'node:crypto';
import type { Instant } from '../../src/core/domain/instant.ts';

/** Returns `t=…,v1=…` for these bytes at that instant, with one `v1` for each secret. */
export function signatureOf(
  body: string | Uint8Array,
  at: Instant,
  ...secrets: readonly string[]
): string {
  const t = Math.floor(at / 1_000);
  const bytes = Buffer.concat([Buffer.from(`${t}.`), Buffer.from(body as string)]);
  return [
    `t=${t}`,
    ...secrets.map((key) => `v1=${createHmac('sha256', key).update(bytes).digest('hex')}`),
  ].join(',');
}

/** Returns the body of a notification, as text, with fields changed or taken out (undefined). */
export function notificationBody(changes: Readonly<Record<string, unknown>> = {}): string {
  const operation = {
    reference: 'GUI-CI-00000001',
    type: 'CASHIN',
    status: 'SUCCEEDED',
    amount: 1_000,
    fees: 0,
  };
  return JSON.stringify({
    id: 'evt_1',
    type: 'cashin.succeeded',
    createdAt: '2026-11-02T00:00:00.000Z',
    merchantReference: 'ALPHA',
    data: { operation },
    ...changes,
  });
}
