// Generates reports, a few at a time. Callers that ask for a month that is being made share the
// generation under way. Refuses more calls than it can keep waiting.

import { setTimeout as sleep } from 'node:timers/promises';
import { formatPeriod, type Period } from '../../../core/domain/period.ts';
import type { ReportRecord } from '../../workflows/month/read-reports.ts';
import { ApiError } from './errors.ts';
import { openLimiter } from './limits.ts';

export interface GenerationWish {
  readonly merchant: string;
  readonly period: Period;
}

export type Generate = (
  wish: GenerationWish,
  onPending: (report: ReportRecord) => void,
) => Promise<ReportRecord>;

export interface Generation {
  readonly done: Promise<ReportRecord>;
  /**
   * Resolves when the report is PENDING. Never resolves when the month was issued before and has
   * not changed.
   */
  readonly begun: Promise<ReportRecord>;
}

export type GenerationQueue = ReturnType<typeof openGenerationQueue>;

const AT_ONCE = 2;
const MOST_WAITING = 50;

export function openGenerationQueue(generate: Generate) {
  const underWay = new Map<string, Generation>();
  const refusal = () => new ApiError(503, 'Too many reports are being generated; try again later');
  const limiter = openLimiter({ atOnce: AT_ONCE, mostWaiting: MOST_WAITING, refusal });
  return {
    /** Throws `ApiError` 503 when too many wait already. */
    ask(wish: GenerationWish): Generation {
      const key = JSON.stringify([wish.merchant, formatPeriod(wish.period)]);
      const known = underWay.get(key);
      if (known !== undefined) return known;
      const pending = Promise.withResolvers<ReportRecord>();
      const make = () => generate(wish, pending.resolve).finally(() => underWay.delete(key));
      const generation = { done: limiter(make), begun: pending.promise };
      underWay.set(key, generation);
      return generation;
    },
    /** Resolves when nothing is being made any more. */
    async settled(): Promise<void> {
      while (underWay.size > 0)
        await Promise.allSettled([...underWay.values()].map(({ done }) => done));
    },
  };
}

/**
 * Returns the report when it is made or, when that takes longer than `patience` milliseconds, as it
 * is while PENDING.
 */
export async function awaitReport(
  { done, begun }: Generation,
  patience: number,
): Promise<ReportRecord> {
  // A failure that comes later reaches no caller any more; the stored report says how it ended.
  done.catch(() => {});
  return Promise.race([done, sleep(patience, undefined, { ref: false }).then(() => begun)]);
}
