// Joins what issuing reports needs: the mirror, the registered formats that can be read back, and the configuration.

import { randomUUID } from 'node:crypto';
import type { Tracing } from '../../core/domain/measures.ts';
import type { Period } from '../../core/domain/period.ts';
import { FORMATS } from '../../io/formats/register.ts';
import type { Store } from '../../io/storage/server/store.ts';
import type { Clock } from '../clock.ts';
import type { Configuration } from '../config/check-configuration.ts';
import { journalFor, partiesFor, zoneFor } from '../config/for-merchant.ts';
import { ENGINE } from '../engine.ts';
import { DEFAULT_TEMPLATE_FOLDER, loadTemplate } from '../templates/load-template.ts';
import type { Announcements } from '../workflows/announcements.ts';
import type { Published } from '../workflows/audit/compare-published.ts';
import type { PublishTask } from '../workflows/month/publish-statement.ts';
import { askServiceMonthAt, nothingPublished } from '../workflows/month/service-month.ts';
import { repositoryOfMirror } from '../workflows/month/write-statements.ts';
import { judgingOf } from './open-configured.ts';

/** For one month, as of now. What fails is logged whole. */
export function publishingOf(
  configuration: Configuration,
  store: Store,
  runtime: {
    readonly clock: Clock;
    readonly log: (event: object) => void;
    /** Where the service's own reports are; stays the caller's to close. */
    readonly published: Published | null;
    /** What is announced of a report that is READY; absent: nothing. */
    readonly announcements?: Announcements;
    /** Absent: nobody follows the work. */
    readonly tracing?: Tracing;
  },
): (period: Period) => PublishTask {
  const { language, phoneNumbers, verifyAt = null } = configuration.reports;
  const template = loadTemplate(configuration.reports.template ?? DEFAULT_TEMPLATE_FOLDER);
  const { published, announcements, tracing } = runtime;
  const serviceMonthOf = published === null ? nothingPublished : askServiceMonthAt(published);
  return (period) => {
    const now = runtime.clock();
    return {
      store,
      repository: repositoryOfMirror(store),
      period,
      formats: FORMATS,
      options: { language, verifyAt, template },
      phoneNumbers,
      zoneFor: (merchant) => zoneFor(configuration, merchant),
      journalFor: (merchant) => journalFor(configuration, merchant),
      partiesFor: (merchant) => partiesFor(configuration, merchant),
      auditFor: (merchant) => judgingOf(configuration, merchant, { asOf: now, stateless: false }),
      serviceMonthOf,
      engine: ENGINE,
      now,
      newId: randomUUID,
      ...(announcements === undefined ? {} : { announcements }),
      ...(tracing === undefined ? {} : { tracing }),
      onMerchant: () => () => {},
      onPending: () => {},
      onFailure: (merchant, failure) =>
        runtime.log({
          event: 'report failed',
          merchant,
          failure: failure instanceof Error ? failure.stack : failure,
        }),
    };
  };
}
