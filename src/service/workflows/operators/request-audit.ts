// Asks for an audit: writes it down first and queues its job after, so that one whose process dies in between is still found
// and sent. Refuses what could not be done: an unknown merchant, a month that has not ended, an instant to come.

import { randomUUID } from 'node:crypto';
import { formatInstant, type Instant } from '../../../core/domain/instant.ts';
import { boundsOf, formatPeriod, type Period } from '../../../core/domain/period.ts';
import type { Zone } from '../../../core/domain/zone.ts';
import {
  type AuditSourceName,
  addAudit,
  listUnfinishedAudits,
  type StoredAudit,
} from '../../../io/storage/operators/audits.ts';
import { findMerchantRecord } from '../../../io/storage/operators/merchant-records.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import type { Jobs } from '../jobs.ts';

export interface AuditRequest {
  readonly merchant: string;
  readonly source: AuditSourceName;
  /** Null: as of now. A month means as of its end: the first instant after it. */
  readonly asOf: Instant | Period | null;
  /** The operator's name. */
  readonly by: string;
}

export interface AuditRequestTask {
  readonly store: Store;
  readonly jobs: Jobs;
  readonly clock: () => Instant;
  readonly zoneFor: (merchant: { readonly reference: string; readonly country: string | null }) => Zone;
  /** Whether the merchant's books can be asked for where they are kept. */
  readonly isServed: (merchant: string) => boolean;
  readonly log: (event: object) => void;
}

export type Requested =
  | { readonly kind: 'queued'; readonly audit: StoredAudit }
  | { readonly kind: 'unknown merchant' }
  /** One sentence about the request. */
  | { readonly kind: 'refused'; readonly field: 'asOf' | 'period' | 'source'; readonly why: string }
  | { readonly kind: 'too many' };

/** Audits that may wait or be at work at the same time. */
const MOST_UNFINISHED = 100;

export async function requestAudit(task: AuditRequestTask, request: AuditRequest): Promise<Requested> {
  const { store, jobs, clock, log } = task;
  const { merchant, source } = request;
  const now = clock();
  const record = await findMerchantRecord(store, merchant);
  if (record === null && (source === 'mirror' || !task.isServed(merchant))) return { kind: 'unknown merchant' };
  if (source === 'service' && !task.isServed(merchant)) {
    const why = 'no source is configured for this merchant; its books can be audited from the mirror';
    return { kind: 'refused', field: 'source', why };
  }
  const zone = task.zoneFor({ reference: merchant, country: record?.country ?? null });
  const asked = instantOf(request.asOf, { now, zone });
  if (asked.asOf > now)
    return { kind: 'refused', field: asked.period === null ? 'asOf' : 'period', why: toCome(asked) };
  if ((await listUnfinishedAudits(store, MOST_UNFINISHED)).length >= MOST_UNFINISHED) return { kind: 'too many' };
  const wish = { merchant, source, ...asked, requestedBy: request.by, requestedAt: now };
  const audit = await addAudit(store, { ...wish, id: randomUUID() });
  await jobs.send([{ kind: 'audit', data: { auditId: audit.id } }]).catch((failure: unknown) => {
    // It is written down: the next sweep sends it.
    log({
      event: 'audit not queued yet',
      auditId: audit.id,
      failure: failure instanceof Error ? failure.stack : failure,
    });
  });
  return { kind: 'queued', audit };
}

interface AskedInstant {
  readonly asOf: Instant;
  readonly period: string | null;
}

function instantOf(asked: AuditRequest['asOf'], { now, zone }: { now: Instant; zone: Zone }): AskedInstant {
  if (asked === null) return { asOf: now, period: null };
  if (typeof asked === 'number') return { asOf: asked, period: null };
  return { asOf: boundsOf(asked, zone).end, period: formatPeriod(asked) };
}

function toCome({ asOf, period }: AskedInstant): string {
  return period === null
    ? `${formatInstant(asOf)} is to come`
    : `${period} has not ended: it ends at ${formatInstant(asOf)}`;
}
