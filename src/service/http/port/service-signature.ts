// Whether a notification was signed by the service: `Service-Signature: t=<unix seconds>,v1=<hex>` over the bytes as they
// came (direct API, "Headers and signature"). Refuses to look into the body, and tells nothing by the time it takes.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Instant, MINUTE, SECOND } from '../../../core/domain/instant.ts';
import type { SigningSecrets } from '../../workflows/notifications/receive-notification.ts';

/** For the log; the sender sees no difference. */
export type SignatureFault = 'no signature' | 'not a signature' | 'signed at another time' | 'signed otherwise';

export type SignatureVerdict =
  | { readonly ok: true; readonly secret: 'current' | 'previous' }
  | { readonly ok: false; readonly fault: SignatureFault };

const TOLERANCE = 5 * MINUTE;
const LONGEST_HEADER = 4_096;
/** Several `v1` may stand side by side while a secret is being changed. */
const MOST_SIGNATURES = 8;

export interface SignatureHeader {
  /** As it is written: it is part of what was signed. */
  readonly seconds: string;
  readonly signatures: readonly Buffer[];
}

/** Null for what is not of the document's form. Parts of other names are passed over. */
export function readSignatureHeader(text: string): SignatureHeader | null {
  if (text.length > LONGEST_HEADER) return null;
  const parts = text.split(',').map((part) => /^\s*(\w+)=(\S*)\s*$/.exec(part));
  const named = (name: string) => parts.filter((part) => part?.[1] === name).map((part) => part![2]!);
  const [seconds, another] = named('t');
  if (seconds === undefined || another !== undefined || !/^\d{1,12}$/.test(seconds)) return null;
  const signatures = named('v1').filter((hex) => /^[0-9a-f]{64}$/i.test(hex));
  if (signatures.length === 0 || signatures.length > MOST_SIGNATURES) return null;
  return { seconds, signatures: signatures.map((hex) => Buffer.from(hex, 'hex')) };
}

export interface SignedCall {
  /** The header `service-signature`. */
  readonly header: string | undefined;
  /** As received. */
  readonly body: Uint8Array;
  readonly secrets: SigningSecrets;
  readonly now: Instant;
}

export function verifySignature({ header, body, secrets, now }: SignedCall): SignatureVerdict {
  if (header === undefined) return { ok: false, fault: 'no signature' };
  const signed = readSignatureHeader(header);
  if (signed === null) return { ok: false, fault: 'not a signature' };
  if (Math.abs(now - Number(signed.seconds) * SECOND) > TOLERANCE)
    return { ok: false, fault: 'signed at another time' };
  // Every secret is tried with every signature, whatever fitted before.
  const isCurrent = isSignedWith(secrets.current, signed, body);
  const isPrevious = secrets.previous !== undefined && isSignedWith(secrets.previous, signed, body);
  if (!isCurrent && !isPrevious) return { ok: false, fault: 'signed otherwise' };
  return { ok: true, secret: isCurrent ? 'current' : 'previous' };
}

/** Keyed with the whole secret, its prefix `whsec_` included. */
function isSignedWith(secret: string, { seconds, signatures }: SignatureHeader, body: Uint8Array): boolean {
  const due = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest();
  return signatures.filter((signature) => timingSafeEqual(signature, due)).length > 0;
}
