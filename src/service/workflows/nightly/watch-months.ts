// States issued months again when lines or operations came that lie in them, and keeps those that
// come out otherwise: the replay makes findings of them. Refuses to issue anything.

import { type Period, parsePeriod } from '../../../core/domain/period.ts';
import type { ChangedMonth } from '../../../core/domain/snapshot.ts';
import type { Lease } from '../../../io/storage/merchants/merchant-lock.ts';
import { keepChangedMonths, listTouchedMonths } from '../../../io/storage/mirror/changed-months.ts';
import type { Store } from '../../../io/storage/server/store.ts';

/** The revision in force against what would be stated now. */
export type CompareIssued = (
  merchant: string,
  period: Period,
) => Promise<{ readonly revision: number; readonly changes: ChangedMonth['figures'] }>;

/** Figures kept of a month. */
const MOST_KEPT = 20;

/**
 * What came with pages after `after`; `isWhole`: as if everything had. What it finds, the next
 * reading of the mirror gives.
 */
export async function watchMonths(
  store: Store,
  lease: Lease,
  {
    compare,
    ...news
  }: { readonly compare: CompareIssued; readonly after: number; readonly isWhole: boolean },
): Promise<void> {
  const touched = await listTouchedMonths(store, lease.merchantId, news);
  if (touched.length === 0) return;
  const changed: ChangedMonth[] = [];
  for (const period of touched) {
    const { revision, changes } = await compare(lease.merchant, parsePeriod(period)!);
    const figures = figuresOf(changes);
    if (figures.length > 0)
      changed.push({
        period,
        revision,
        count: figures.length,
        figures: figures.slice(0, MOST_KEPT),
      });
  }
  await keepChangedMonths(store, lease, { compared: touched, changed });
}

/**
 * Figures of the month before those of its days and operators. What findings count, they say
 * themselves.
 */
function figuresOf(changes: ChangedMonth['figures']): ChangedMonth['figures'] {
  const figures = changes.filter(({ figure, after }) => {
    if (figure.startsWith('paymentsByLink.')) return after !== null; // Null: they could not be read.
    return !figure.startsWith('findings.') && !figure.startsWith('verdict.');
  });
  const isOfPart = ({ figure }: ChangedMonth['figures'][number]): boolean => figure.includes('.');
  return [...figures.filter((one) => !isOfPart(one)), ...figures.filter(isOfPart)];
}
