// Walks the payments of a long stretch of time window by window: wider where there are few, narrower where an answer is
// larger than the cap, so that memory holds one window and not the month.

import { DAY, HOUR, type Instant, SECOND } from '../../../core/domain/instant.ts';
import type { Payment } from '../../../core/domain/payment.ts';
import type { Span } from '../../../core/domain/service-report.ts';
import type { Batch } from '../../../core/domain/snapshot.ts';
import { searchWindow } from './search-window.ts';
import type { Session } from './session.ts';

const NARROWEST = SECOND;
const WIDEST = 31 * DAY;
/** A longer stretch is first requested whole. */
const LONG = 400 * DAY;
/** A window with fewer payments is followed by one twice as wide. */
const FEW = 200;

/** Ascending in createdAt, each reference once. Throws ANSWER_TOO_LARGE when one second is larger than the cap. */
export async function* walkPayments(session: Session, span: Span): AsyncGenerator<Batch<Payment>> {
  const last = span.until - 1;
  let first = span.from;
  // Most merchants have little: a window costs three questions, however wide it is.
  let width = last - first > LONG ? last - first : WIDEST;
  /** Payments of the instant at which the last window ended: the next one begins there and serves them again. */
  let given: ReadonlySet<string> = new Set();
  while (first <= last) {
    const window = { first, last: Math.min(first + width, last) };
    const searched = await searchWindow(session, window);
    if (searched.kind === 'too-large') {
      if (width <= NARROWEST) throw searched.failure;
      width = Math.max(NARROWEST, Math.floor(width / 4));
      noteNarrower(session, width);
      continue;
    }
    const { rows, rejected } = searched;
    const fresh = rows.filter(({ reference }) => !given.has(reference));
    if (fresh.length > 0 || rejected.length > 0) yield { rows: fresh, rejected };
    if (window.last === last) return;
    given = referencesAt(rows, window.last);
    // Begins at the instant where the last one ended: a service may keep time finer than a millisecond.
    first = window.last;
    if (rows.length === 0) width *= 4;
    else if (rows.length < FEW) width = Math.max(width, Math.min(WIDEST, width * 2));
  }
}

function referencesAt(rows: readonly Payment[], instant: Instant): ReadonlySet<string> {
  return new Set(rows.filter(({ createdAt }) => createdAt === instant).map(({ reference }) => reference));
}

function noteNarrower({ settings, merchant }: Session, width: number): void {
  const hours = Math.round((width / HOUR) * 100) / 100;
  settings.log({
    what: 'smaller-pages',
    merchant,
    request: `GET /web-merchant/payments/search of ${merchant}`,
    why: `an answer was larger than ${settings.maxResponseBytes} bytes; asking for ${hours} h at a time`,
    wait: 0,
  });
}
