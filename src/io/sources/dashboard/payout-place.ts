// Payouts as the dashboard API answers them: each question by itself, so that one which a service does not answer, or answers in
// a form that is not known, leaves the others to be used.

import type { Answered, PayoutPlace } from '../../../core/domain/published/payout-place.ts';
import type { RejectedRow } from '../../../core/domain/snapshot.ts';
import { askPayouts } from '../decode/decode-payouts.ts';
import { SourceFailed } from '../port/source.ts';
import { askRows, askSingle } from './ask-rows.ts';
import type { Session } from './session.ts';

const BASE = '/web-merchant';

/** Codes of a question that is refused by itself: the place may answer the others. */
const REFUSED_ALONE: ReadonlySet<string> = new Set([
  'NOT_FOUND',
  'VALIDATION_ERROR',
  'FORBIDDEN',
  'UNREADABLE_ANSWER',
  'ANSWER_TOO_LARGE',
  'REFUSED',
]);

export function payoutPlace(session: Session): PayoutPlace {
  return askPayouts({
    one: (name, decode) =>
      answered(name, async () => {
        const { value, rejected } = await askSingle(session, { path: `${BASE}/${name}`, decode });
        return { value, rejected: rejected === null ? [] : [rejected] };
      }),
    many: (name, decode, query = {}) =>
      answered(name, async () => {
        const path = `${BASE}/${name}`;
        const place = `GET ${path}`;
        const { rows, rejected } = await askRows(session, { path, query, part: 'payouts', place, decode });
        // Compare no figures with a list that lacks a row.
        return { value: rejected.length > 0 ? null : rows, rejected };
      }),
  });
}

async function answered<Value>(
  name: string,
  ask: () => Promise<{ readonly value: Value | null; readonly rejected: readonly RejectedRow[] }>,
): Promise<Answered<Value>> {
  try {
    return { ...(await ask()), absent: null };
  } catch (failure) {
    if (!(failure instanceof SourceFailed) || !REFUSED_ALONE.has(failure.code)) throw failure;
    const reason = `${failure.code}: ${failure.message}`;
    const code = 'PAYOUTS_NOT_ANSWERED';
    const absent = { what: `payouts ${name}`, why: reason, incomplete: false, code, figures: { reason } } as const;
    return { value: null, rejected: [], absent };
  }
}
