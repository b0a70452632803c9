// All payments created in one window of time. The document shows no page size, so a list may be cut short in silence: the
// search repeats each end until it shows nothing new. Refuses an answer that does not keep to the window.

import { DAY, formatInstant, type Instant } from '../../../core/domain/instant.ts';
import type { Payment } from '../../../core/domain/payment.ts';
import type { Batch, RejectedRow } from '../../../core/domain/snapshot.ts';
import { decodePayment } from '../decode/decode-payment.ts';
import { SourceFailed } from '../port/source.ts';
import { askRows } from './ask-rows.ts';
import type { Session } from './session.ts';

/** Both ends belong to it, as the document has them. */
export interface Window {
  readonly first: Instant;
  readonly last: Instant;
}

export type SearchedWindow =
  | ({ readonly kind: 'read' } & Batch<Payment>)
  | { readonly kind: 'too-large'; readonly failure: SourceFailed };

const PATH = '/web-merchant/payments/search';

/** More in one window than any service answers: such a service invents them. */
const MOST_IN_WINDOW = 250_000;

/** Ascending in createdAt, each reference once, as it was served last. */
export async function searchWindow(session: Session, window: Window): Promise<SearchedWindow> {
  const payments = new Map<string, Payment>();
  const rejected = new Map<string, RejectedRow>();
  /** How many payments and refused rows had not been seen before. */
  const take = async (part: Window): Promise<number | SourceFailed> => {
    const before = payments.size + rejected.size;
    const answer = await search(session, part);
    if (answer.kind === 'too-large') return answer.failure;
    for (const payment of answer.rows) {
      if (isWithin(payment, window)) payments.set(payment.reference, payment);
    }
    for (const row of answer.rejected) if (!rejected.has(row.raw)) rejected.set(row.raw, row);
    if (payments.size + rejected.size > MOST_IN_WINDOW) throw endless(session, window);
    return payments.size + rejected.size - before;
  };
  const asked = await take(window);
  if (asked instanceof SourceFailed) return { kind: 'too-large', failure: asked };
  for (const rest of [olderThan, newerThan]) {
    for (;;) {
      const part = rest(window, [...payments.values()]);
      const fresh = part === null ? 0 : await take(part);
      if (fresh instanceof SourceFailed) return { kind: 'too-large', failure: fresh };
      if (fresh === 0) break;
    }
  }
  const rows = [...payments.values()].sort(inTime);
  return { kind: 'read', rows, rejected: [...rejected.values()] };
}

async function search(session: Session, window: Window): Promise<SearchedWindow> {
  const { from, until } = session.settings.parameters;
  const begin = formatInstant(window.first);
  const answer = await askRows(session, {
    path: PATH,
    query: { [from]: begin, [until]: formatInstant(window.last) },
    part: 'payments',
    place: `GET ${PATH} from ${begin}`,
    decode: decodePayment,
  });
  if (answer.kind === 'too-large') return answer;
  // A service may read a date-time as its whole day; what lies further off was not asked for at all.
  const stray = answer.rows.find(({ createdAt }) => createdAt < window.first - DAY || createdAt > window.last + DAY);
  if (stray === undefined) return answer;
  throw new SourceFailed(
    'UNREADABLE_ANSWER',
    `GET ${PATH} of ${session.merchant} was asked for ${begin} to ${formatInstant(window.last)} and answered with a payment of ${formatInstant(stray.createdAt)}: check dashboard.parameters.`,
  );
}

/** From the beginning of the window to the oldest payment known, which is served again; null while none is known. */
function olderThan(window: Window, known: readonly Payment[]): Window | null {
  const oldest = known.reduce((least, { createdAt }) => Math.min(least, createdAt), Number.POSITIVE_INFINITY);
  return oldest <= window.last ? { first: window.first, last: oldest } : null;
}

function newerThan(window: Window, known: readonly Payment[]): Window | null {
  const newest = known.reduce((most, { createdAt }) => Math.max(most, createdAt), Number.NEGATIVE_INFINITY);
  return newest >= window.first ? { first: newest, last: window.last } : null;
}

function isWithin({ createdAt }: Payment, { first, last }: Window): boolean {
  return createdAt >= first && createdAt <= last;
}

function inTime(a: Payment, b: Payment): number {
  return a.createdAt - b.createdAt || (a.reference < b.reference ? -1 : 1);
}

function endless({ merchant }: Session, window: Window): SourceFailed {
  return new SourceFailed(
    'UNREADABLE_ANSWER',
    `GET ${PATH} of ${merchant} serves more than ${MOST_IN_WINDOW} payments from ${formatInstant(window.first)} to ${formatInstant(window.last)} and finds new ones each time.`,
  );
}
