// States issued months again when new lines or operations lie in them. Months whose figures come
// out differently are stored, and the next replay makes findings of them. Refuses to issue
// anything.

import { type Period, parsePeriod } from '../../../core/domain/period.ts';
import type { ChangedMonth } from '../../../core/domain/snapshot.ts';
import type { Lease } from '../../../io/storage/merchants/merchant-lock.ts';
import { keepChangedMonths, listTouchedMonths } from '../../../io/storage/mirror/changed-months.ts';
import type { Store } from '../../../io/storage/server/store.ts';

/**
 * Compares the issued revision in force with the statement that would be made now. `revision` is 0
 * and `changes` is empty when no revision is in force.
 */
export type CompareIssued = (
  merchant: string,
  period: Period,
) => Promise<{ readonly revision: number; readonly changes: ChangedMonth['figures'] }>;

/** The number of changed figures that are stored for one month. */
const MOST_KEPT = 20;

/**
 * Compares the issued months that pages after number `after` have touched; with `isWhole`, all
 * issued months that are not closed. The changed months are stored and take effect at the next
 * reading of the mirror.
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
 * Returns the changed figures that matter, those of the whole month before those of its days and
 * operators. Figures that count findings are left out, because the findings report themselves.
 */
function figuresOf(changes: ChangedMonth['figures']): ChangedMonth['figures'] {
  const figures = changes.filter(({ figure, after }) => {
    if (figure.startsWith('paymentsByLink.')) return after !== null; // `null` when unreadable
    return !figure.startsWith('findings.') && !figure.startsWith('verdict.');
  });
  const isOfPart = ({ figure }: ChangedMonth['figures'][number]): boolean => figure.includes('.');
  return [...figures.filter((one) => !isOfPart(one)), ...figures.filter(isOfPart)];
}
