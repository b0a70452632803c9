// The dashboard API as a place to read from: what the service publishes of a merchant beside the ledger. Logs in, reads,
// and asks for nothing to be made or changed.

import type { Dashboard, DashboardSnapshot } from '../../../core/domain/published/dashboard-snapshot.ts';
import { decodeServiceReport } from '../decode/decode-service-report.ts';
import { SourceFailed } from '../port/source.ts';
import { addressOf } from '../web/transport.ts';
import { openPlace } from '../web/web-settings.ts';
import { askFile, askRows } from './ask-rows.ts';
import { checkDashboardSettings, type DashboardSettings } from './dashboard-settings.ts';
import { payoutPlace } from './payout-place.ts';
import type { Owners, Session } from './session.ts';
import { walkPayments } from './walk-payments.ts';

const REPORTS = '/web-merchant/reports';

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
