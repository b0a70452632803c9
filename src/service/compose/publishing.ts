// Joins what months are stated with, as the configuration says for each merchant, and what issuing
// them as reports needs besides: the mirror, and the registered formats that can be read back.

import { randomUUID } from 'node:crypto';
import type { Instant } from '../../core/domain/instant.ts';
import { boundsOf, type Period } from '../../core/domain/period.ts';
import type { Note } from '../../core/domain/snapshot.ts';
import type { PhoneNumbers } from '../../core/statements/mask-phone-numbers.ts';
import type { FormatOptions } from '../../io/formats/port/format.ts';
import { FORMATS } from '../../io/formats/register.ts';
import { storeOfMerchant } from '../../io/storage/server/merchant-store.ts';
import { type Store, StoreFailed } from '../../io/storage/server/store.ts';
import type { Configuration } from '../config/check-configuration.ts';
import { journalFor, partiesFor, zoneFor } from '../config/for-merchant.ts';
import { ENGINE } from '../engine.ts';
import { loadTemplate } from '../templates/load-template.ts';
import type { Published } from '../workflows/audit/compare-published.ts';
import { PutBack } from '../workflows/jobs.ts';
import { type MonthReread, rereadMonth } from '../workflows/mirror/reread-month.ts';
import type { MonthTask } from '../workflows/month/open-month.ts';
import {
  compareIssued,
  type PublishTask,
  publishStatement,
} from '../workflows/month/publish-statement.ts';
import type { ReportRecord } from '../workflows/month/read-reports.ts';
import { askServiceMonthAt, nothingPublished } from '../workflows/month/service-month.ts';
import { type BookRepository, repositoryOfMirror } from '../workflows/month/write-statements.ts';
import type { CompareIssued } from '../workflows/nightly/watch-months.ts';
import { judgingOf, type Runtime } from './open-configured.ts';
import { sealingOf } from './sealing.ts';

interface StatedAs {
  readonly now: Instant;
  /** Where the payment service's own reports are; `null`: nowhere. The caller must close it. */
  readonly published: Published | null;
  readonly isStateless: (merchant: string) => boolean;
  readonly language: FormatOptions['language'];
  readonly phoneNumbers: PhoneNumbers;
  readonly template: NonNullable<FormatOptions['template']>;
}

/** How the months of merchants are stated, judged and worded. */
export function statingOf(
  configuration: Configuration,
  { now, published, isStateless, language, phoneNumbers, template }: StatedAs,
): Omit<MonthTask, 'repository' | 'period' | 'onMerchant'> & { readonly options: FormatOptions } {
  return {
    options: {
      language,
      verifyAt: configuration.reports.verifyAt ?? null,
      template,
      sealFor: sealingOf(configuration),
    },
    phoneNumbers,
    zoneFor: (merchant) => zoneFor(configuration, merchant),
    journalFor: (merchant) => journalFor(configuration, merchant),
    partiesFor: (merchant) => partiesFor(configuration, merchant),
    auditFor: (merchant) =>
      judgingOf(configuration, merchant, { asOf: now, stateless: isStateless(merchant) }),
    serviceMonthOf: published === null ? nothingPublished : askServiceMonthAt(published),
    engine: ENGINE,
    now,
  };
}

/**
 * Returns the function that fetches a month's lines again just before the month is stated. It
 * resolves to a note about lines that could not be fetched, or to `null` where there are none or
 * `history.beforeStatement` is off. It throws `PutBack` while other work holds the merchant.
 */
export function rereadingOf(
  configuration: Configuration,
  { store, source, clock }: Pick<MonthReread, 'store' | 'source'> & Pick<Runtime, 'clock'>,
): (merchant: string, period: Period) => Promise<Note | null> {
  return async (merchant, period) => {
    if (!configuration.history.beforeStatement) return null;
    const bounds = boundsOf(period, zoneFor(configuration, { reference: merchant, country: null }));
    return rereadMonth({ store, source, now: clock(), bounds }, merchant);
  };
}

/** Returns the mirror as a repository that fetches each merchant's month again as it is opened. */
export function repositoryReread(
  store: Store,
  reread: (merchant: string) => Promise<Note | null>,
): BookRepository {
  const open = async (merchant: string) =>
    repositoryOfMirror(store, await reread(merchant).catch(refuseBusy)).open(merchant);
  return { ...repositoryOfMirror(store), open };
}

function refuseBusy(failure: unknown): never {
  if (!(failure instanceof PutBack)) throw failure;
  throw new StoreFailed(
    'MERCHANT_BUSY',
    `The month was not read again, for ${failure.message}: issue it once that is over.`,
  );
}

const BY_SERVER: Note = { what: 'history', code: 'MONTH_NOT_READ_AGAIN' };

/** Issues one month for a caller who may see no other merchant. */
export function issuingOf(
  ...[configuration, store, runtime]: Parameters<typeof publishingOf>
): (
  wish: { merchant: string; period: Period },
  onPending: PublishTask['onPending'],
) => Promise<ReportRecord> {
  const taskFor = publishingOf(configuration, store, runtime);
  return async ({ merchant, period }, onPending) => {
    const shown = storeOfMerchant(store, merchant);
    const unread = configuration.history.beforeStatement ? BY_SERVER : null;
    const task = {
      ...taskFor(period),
      store: shown,
      repository: repositoryOfMirror(shown, unread),
      onPending,
    };
    return (await publishStatement(task, merchant)).report;
  };
}

/**
 * Returns the function that states a month as it would be issued now and compares it with the
 * issued one.
 */
export function comparingOf(
  ...[configuration, store, runtime]: Parameters<typeof publishingOf>
): CompareIssued {
  const taskFor = publishingOf(configuration, store, runtime);
  return (merchant, period) => compareIssued(taskFor(period), merchant);
}

/** Returns, for a month, the task that issues it as of now. Failures are logged. */
export function publishingOf(
  configuration: Configuration,
  store: Store,
  runtime: Pick<Runtime, 'clock' | 'log' | 'tracing'> &
    Pick<PublishTask, 'announcements' | 'onIssued'> &
    Pick<StatedAs, 'published'>,
): (period: Period) => PublishTask {
  const { language, phoneNumbers } = configuration.reports;
  const { published, announcements, onIssued, tracing } = runtime;
  const template = loadTemplate(configuration.reports.template);
  const stated = { published, isStateless: () => false, language, phoneNumbers, template };
  return (period) => ({
    ...statingOf(configuration, { ...stated, now: runtime.clock() }),
    store,
    repository: repositoryOfMirror(store),
    period,
    formats: FORMATS,
    newId: randomUUID,
    ...(announcements === undefined ? {} : { announcements }),
    ...(onIssued === undefined ? {} : { onIssued }),
    ...(tracing === undefined ? {} : { tracing }),
    onMerchant: () => () => {},
    onPending: () => {},
    onFailure: (merchant, failure) => runtime.log({ event: 'report failed', merchant, failure }),
  });
}
