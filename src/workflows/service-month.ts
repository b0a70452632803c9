// What the service itself published of a merchant's month, as far as a statement needs it: its bounds, and a comparison
// of its key figures with ours. Who asks for it, and where, is not known here.

import type { Bounds, Period } from '../domain/period.ts';
import type { StatementSummary } from '../statements/summary.ts';

export interface ServiceMonth {
  /** As the service states them; null when it states none. */
  readonly bounds: Bounds | null;
  /** Key by key, where both have the key and mean the same by it; empty when they agree. */
  compare(summary: StatementSummary): readonly ServiceDifference[];
}

export interface ServiceDifference {
  /** Path in the service's summary. */
  readonly key: string;
  readonly service: string;
  readonly ours: string;
}

/** Null: the service published nothing of that month, or it was not asked. */
export type AskServiceMonth = (merchant: string, period: Period) => Promise<ServiceMonth | null>;
