// What a comparison of the service's report with our figures comes to, whichever population it counts.

import type { Instant } from '../../domain/instant.ts';
import type { Reason } from '../../domain/snapshot.ts';
import type { Measure } from '../../domain/summary-keys.ts';

export interface ServiceComparison {
  /** Why nothing was compared; null: it was. */
  readonly notCompared: string | null;
  /** The same, for other languages; absent where it is somebody else's words. */
  readonly reason?: Pick<Reason, 'code' | 'figures'>;
  /** Figures that both state. What only one of them states is neither counted nor a difference. */
  readonly compared: number;
  /** In the service's order. */
  readonly differences: readonly ServiceDifference[];
  /** Figures that lawfully differ; absent: none does. */
  readonly allowed?: readonly AllowedDifference[];
  /** When the service made its report; absent where nothing else was needed to understand a difference. */
  readonly madeAt?: Instant | null;
}

export interface ServiceDifference {
  /** Path in the service's summary. */
  readonly key: string;
  /** Null: this member of a breakdown that both give is not listed, and counts as nothing. */
  readonly service: string | null;
  readonly ours: string | null;
}

export interface AllowedDifference extends ServiceDifference {
  /**
   * pending: payments that were still pending when the report was made · population: the report counts payments that did not
   * succeed as well · days: it begins its days at other midnights.
   */
  readonly why: 'pending' | 'population' | 'days';
  /** Of a figure of the whole, what it counts. */
  readonly total?: Measure;
}

export function notCompared({ why, ...reason }: Reason): ServiceComparison {
  return { notCompared: why, reason, compared: 0, differences: [] };
}

/** Longest key or figure that is shown of a report: it is the service's text. */
const LONGEST_SHOWN = 80;

export function cut(text: string): string {
  return text.slice(0, LONGEST_SHOWN);
}
