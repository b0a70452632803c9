// Joins what audits on demand need: the mirror or the configured books, how they are judged, and
// the report as a document.

import { createHash } from 'node:crypto';
import type { Writable } from 'node:stream';
import { formatInstant, type Instant } from '../../core/domain/instant.ts';
import { loadWatermark } from '../../io/storage/mirror/stored-extent.ts';
import { storeOfOperators } from '../../io/storage/server/merchant-store.ts';
import type { Store } from '../../io/storage/server/store.ts';
import type { Configuration } from '../config/check-configuration.ts';
import { ENGINE } from '../engine.ts';
import { loadTemplate } from '../templates/load-template.ts';
import { auditMirror } from '../workflows/audit/audit-mirror.ts';
import { auditSource } from '../workflows/audit/audit-source.ts';
import type { Handler, Jobs } from '../workflows/jobs.ts';
import { compareMirrored } from '../workflows/mirror/compare-mirrored.ts';
import {
  type OperatorBackend,
  operatorBackendOf,
  type StoredAudit,
} from '../workflows/operators/operator-backend.ts';
import {
  type AuditJobTask,
  AuditRefused,
  type Performed,
  runAudit,
} from '../workflows/operators/run-audit.ts';
import { announcementsOf } from './delivering.ts';
import {
  judgingOf,
  openConfiguredDashboard,
  openConfiguredSource,
  type Runtime,
} from './open-configured.ts';
import { operatorDeskTaskOf } from './operating.ts';
import type { Service } from './service.ts';

/** Returns the task of the job `audit`: the store, the clock, and how an audit is performed. */
export function auditJobOf(
  configuration: Configuration,
  store: Store,
  runtime: Runtime,
): AuditJobTask {
  return {
    store,
    engine: ENGINE,
    clock: runtime.clock,
    log: runtime.log,
    announcements: announcementsOf(configuration),
    perform: (audit, onProgress) =>
      performAudit({ configuration, store, runtime, audit, onProgress }),
  };
}

export function auditHandler({ configuration, store, runtime }: Service): Handler<'audit'> {
  const task = auditJobOf(configuration, store, runtime);
  return ({ data }) => runAudit(task, data.auditId);
}

/** Returns the backend from which the routes of operators are answered. */
export function operatorBackendFor(
  configuration: Configuration,
  store: Store,
  given: Pick<Runtime, 'clock' | 'log'> & { readonly jobs: Jobs },
): OperatorBackend {
  return operatorBackendOf({
    ...operatorDeskTaskOf(configuration, storeOfOperators(store), given),
    jobs: given.jobs,
    isServed: (merchant) => addressOf(configuration, merchant) !== undefined,
    writeReport: reportWriterOf(configuration),
  });
}

/** Writes the JSON text of an audit as a PDF; ends `out`. */
export function reportWriterOf(
  configuration: Configuration,
): (text: string, out: Writable) => Promise<void> {
  const { language } = configuration.reports;
  const template = loadTemplate(configuration.reports.template);
  return async (text, out) => {
    const { writeAuditReport } = await import('../../io/formats/pdf/audit/audit-report.ts');
    const hash = createHash('sha256').update(text).digest('hex');
    return writeAuditReport(JSON.parse(text), { language, template, hash }, out);
  };
}

interface Task extends Pick<Service, 'configuration' | 'store' | 'runtime'> {
  readonly audit: StoredAudit;
  readonly onProgress: (entries: number) => void;
}

async function performAudit({
  configuration,
  store,
  runtime,
  audit,
  onProgress,
}: Task): Promise<Performed> {
  const { merchant, asOf, requestedAt } = audit;
  const isMirror = audit.source === 'mirror';
  const uri = isMirror ? undefined : addressOf(configuration, merchant);
  if (isMirror) await requireRead(store, audit);
  else if (uri === undefined) throw new AuditRefused(`No source is configured for ${merchant}.`);
  await using source =
    uri === undefined ? null : await openConfiguredSource(configuration, uri, runtime);
  await using published = await openConfiguredDashboard(configuration, uri, runtime);
  const options = { merchants: [merchant], published, onMerchant: () => onProgress };
  const judging = (at: Instant, stateless: boolean) =>
    judgingOf(configuration, merchant, { asOf: at, stateless });
  if (source === null) {
    const optionsFor = () => judging(asOf, false);
    return {
      source: store.mirrorName,
      reports: await auditMirror(store, { ...options, optionsFor }),
    };
  }
  // The books are read now, and judged as they stood at the instant that was asked for.
  const cut = asOf < requestedAt ? { end: asOf, closed: [], withWallet: true } : null;
  const optionsFor = () => ({ ...judging(requestedAt, source.isStateless(merchant)), cut });
  const compared = compareMirrored.bind(null, store);
  return {
    source: source.name,
    reports: await auditSource(source, { ...options, optionsFor, compared }),
  };
}

async function requireRead(store: Store, { merchant, asOf, period }: StoredAudit): Promise<void> {
  const readUntil = await loadWatermark(store, merchant);
  if (period === null || readUntil === null || readUntil >= asOf) return;
  const [known, ended] = [formatInstant(readUntil), formatInstant(asOf)];
  throw new AuditRefused(
    `The mirror knows the books of ${merchant} up to ${known}, and ${period} ended at ${ended}: it can be audited after the next run.`,
  );
}

function addressOf(configuration: Configuration, merchant: string): string | undefined {
  const own = Object.hasOwn(configuration.merchants, merchant)
    ? configuration.merchants[merchant]?.source
    : undefined;
  return own ?? configuration.source;
}
