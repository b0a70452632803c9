// The dashboard API as a place to read from: what the service publishes of a merchant beside the ledger. Logs in, reads,
// and asks for nothing to be made or changed.

import type { Dashboard, DashboardSnapshot } from '../../../core/domain/published/dashboard-snapshot.ts';
import type { Answered, PayoutPlace } from '../../../core/domain/published/payout-place.ts';
import { askPayouts } from '../decode/decode-payouts.ts';
import { decodeServiceReport } from '../decode/decode-service-report.ts';
import { SourceFailed } from '../port/source.ts';
import { addressOf } from '../web/transport.ts';
import { openPlace } from '../web/web-settings.ts';
import { askFile, askRows, askSingle } from './ask-rows.ts';
import { checkDashboardSettings, type DashboardSettings } from './dashboard-settings.ts';
import type { Owners, Session } from './session.ts';
import { walkPayments } from './walk-payments.ts';

const BASE = '/web-merchant';
const REPORTS = `${BASE}/reports`;

/** Throws `SourceFailed` INVALID_SETTINGS; nothing is sent before the first question about a merchant. */
export function openDashboard(given: DashboardSettings): Dashboard {
  checkDashboardSettings(given);
  const settings = { ...given, place: openPlace(given.retries) };
  const open = new Set<() => Promise<void>>();
  const owners: Owners = new Map();
  return {
    name: addressOf(settings),
    merchants: async () => Object.keys(settings.merchants).sort(),
    open: async (merchant) => {
      if (!Object.hasOwn(settings.merchants, merchant)) {
        throw new SourceFailed(
          'UNKNOWN_MERCHANT',
          `No dashboard credentials are configured for the merchant ${merchant}.`,
        );
      }
      const control = new AbortController();
      const close = async (): Promise<void> => {
        open.delete(close);
        control.abort();
      };
      open.add(close);
      return snapshotOf({ settings, merchant, stop: control.signal, login: null, owners }, close);
    },
    close: async () => {
      await Promise.all([...open].map((close) => close()));
    },
  };
}

function snapshotOf(session: Session, close: () => Promise<void>): DashboardSnapshot {
  return {
    merchant: session.merchant,
    absent: [],
    reports: () => {
      const place = `GET ${REPORTS}`;
      return askRows(session, { path: REPORTS, query: {}, part: 'reports', place, decode: decodeServiceReport });
    },
    reportFile: (id) => askFile(session, `${REPORTS}/${encodeURIComponent(id)}/download`),
    payments: (span) => walkPayments(session, span),
    payouts: payoutPlace(session),
    isCopy: false,
    close,
  };
}

/** Codes of a question that is refused by itself: the place may answer the others. */
const REFUSED_ALONE: ReadonlySet<string> = new Set([
  'NOT_FOUND',
  'VALIDATION_ERROR',
  'FORBIDDEN',
  'UNREADABLE_ANSWER',
  'ANSWER_TOO_LARGE',
  'REFUSED',
]);

/** Each question by itself, so that one which a service does not answer, or answers in a form that is not known, leaves the others. */
function payoutPlace(session: Session): PayoutPlace {
  return askPayouts({
    one: (name, decode) => answered(name, () => askSingle(session, { path: `${BASE}/${name}`, decode })),
    many: (name, decode, query = {}) =>
      answered(name, async () => {
        const path = `${BASE}/${name}`;
        const list = { path, query, part: 'payouts', place: `GET ${path}`, decode } as const;
        const { rows, rejected } = await askRows(session, list);
        // Compare no figures with a list that lacks a row.
        return { value: rejected.length > 0 ? null : rows, rejected };
      }),
  });
}

async function answered<Value>(
  name: string,
  ask: () => Promise<Omit<Answered<Value>, 'absent'>>,
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
