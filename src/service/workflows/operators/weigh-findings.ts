// What findings are worth and how old they are: what is at stake over all of them, and the columns
// of the lists for programs.

import { DAY, formatKnown, type Instant } from '../../../core/domain/instant.ts';
import type { Exposure } from '../../../core/domain/measures.ts';
import { type Column, columnsOf, figureOf } from '../../../core/statements/tables/table.ts';
import { loadExposure } from '../../../io/storage/conclusions/exposure.ts';
import { requireMerchant } from '../../../io/storage/merchants/merchants.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import type { DatedFinding } from './decide-findings.ts';

/**
 * Returns what is at stake for one merchant, or for all. Throws `StoreFailed` (UNKNOWN_MERCHANT).
 */
export async function weighFindings(
  store: Store,
  wanted: { readonly merchant?: string | undefined; readonly at: Instant },
): Promise<readonly Exposure[]> {
  if (wanted.merchant !== undefined) await requireMerchant(store, wanted.merchant);
  return loadExposure(store.pool, wanted);
}

export interface AgedFinding extends DatedFinding {
  /** Whole days since a run first saw the finding; `null` when none has. */
  readonly ageDays: number | null;
}

export function ageAt(found: DatedFinding, now: Instant): AgedFinding {
  const { firstSeenAt } = found;
  return {
    ...found,
    ageDays: firstSeenAt === null ? null : Math.max(0, Math.floor((now - firstSeenAt) / DAY)),
  };
}

/** Keys are a contract with programs: they are added, never renamed. */
export const FINDING_COLUMNS: readonly Column<AgedFinding>[] = [
  { key: 'fingerprint', form: 'text', pick: ({ finding }) => finding.fingerprint },
  { key: 'merchant', form: 'text', pick: ({ merchant }) => merchant },
  { key: 'kind', form: 'text', pick: ({ finding }) => finding.kind },
  { key: 'severity', form: 'text', pick: ({ finding }) => finding.severity },
  { key: 'status', form: 'text', pick: ({ finding }) => finding.status },
  { key: 'state', form: 'text', pick: ({ state }) => state },
  { key: 'balance', form: 'amount', pick: ({ finding }) => figureOf(finding.item?.balance) },
  { key: 'reserved', form: 'amount', pick: ({ finding }) => figureOf(finding.item?.reserved) },
  ...columnsOf<AgedFinding>(['currency', 'ageDays', 'firstSeenAt', 'lastSeenAt']),
  { key: 'line', form: 'serial', pick: ({ finding }) => figureOf(finding.sequence) },
  { key: 'operation', form: 'text', pick: ({ finding }) => finding.operationReference },
  { key: 'causedBy', form: 'text', pick: ({ finding }) => finding.causedBy },
  { key: 'decision', form: 'text', pick: ({ lastDecision }) => lastDecision?.action ?? null },
  { key: 'decidedBy', form: 'text', pick: ({ lastDecision }) => lastDecision?.by ?? null },
  {
    key: 'decidedAt',
    form: 'text',
    pick: ({ lastDecision }) => formatKnown(lastDecision?.at ?? null),
  },
  { key: 'reason', form: 'text', pick: ({ lastDecision }) => lastDecision?.reason ?? null },
  { key: 'owner', form: 'text', pick: ({ owner }) => owner },
  { key: 'labels', form: 'text', pick: ({ labels }) => labels.join(' ') },
  { key: 'dueDay', form: 'text', pick: ({ dueDay }) => dueDay },
  { key: 'comment', form: 'text', pick: ({ lastComment }) => lastComment?.reason ?? null },
  { key: 'message', form: 'text', pick: ({ finding }) => finding.message },
  { key: 'concerned', form: 'amount', pick: ({ finding }) => figureOf(finding.concerned) },
  { key: 'itemAt', form: 'text', pick: ({ finding }) => finding.itemAt },
];

export type Correction = ReturnType<typeof correctionsOf>[number];

/** Returns one row for each entry that is proposed to correct a finding. */
export function correctionsOf(found: readonly DatedFinding[]) {
  return found.flatMap((one) =>
    (one.finding.proposal ?? []).map((entry) => ({ ...one, ageDays: null, entry })),
  );
}

const ofFinding = (...keys: readonly string[]) =>
  FINDING_COLUMNS.filter(({ key }) => keys.includes(key));

/**
 * The columns of the entries that the service should post, with the finding that each corrects.
 * Keys are a contract with programs: they are added, never renamed.
 */
export const CORRECTION_COLUMNS: readonly Column<Correction>[] = [
  ...ofFinding('merchant', 'currency'),
  { key: 'entry', form: 'text', pick: ({ entry }) => entry.kind },
  { key: 'direction', form: 'text', pick: ({ entry }) => entry.direction },
  { key: 'amount', form: 'amount', pick: ({ entry }) => figureOf(entry.amount) },
  { key: 'operation', form: 'text', pick: ({ entry }) => entry.operationReference },
  { key: 'description', form: 'text', pick: ({ entry }) => entry.description },
  ...ofFinding('fingerprint', 'kind', 'state', 'firstSeenAt', 'message'),
];
