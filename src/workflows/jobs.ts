// The kinds of work that are queued, and what each carries. The port that the queue implements: workflows and entrances
// ask for work through it and know no queue.

import type { Instant } from '../domain/instant.ts';

/** What a job carries: references only, so that a job done late works on what is true by then. */
export interface JobData {
  /** Begins a run over every merchant. */
  readonly night: Record<never, never>;
  /** Runs one merchant, for whatever run expects it. One at a time a merchant. */
  readonly merchant: { readonly merchant: string };
  /** States the ended month of every merchant of a zone whose books are known up to its end. */
  readonly 'month-start': { readonly zone: string };
  /** Issues one month of one merchant; `period` is `YYYY-MM`. One at a time a merchant and month. */
  readonly statement: { readonly merchant: string; readonly period: string };
  /** An audit that was asked for over HTTP. */
  readonly audit: { readonly auditId: string };
  /** Asks the service for one operation that a notification named. One at a time an operation. */
  readonly look: { readonly merchant: string; readonly reference: string };
  /** Sees to it that nights happen, end and cover everyone. */
  readonly watchdog: Record<never, never>;
}

export type JobKind = keyof JobData;

export interface JobRequest<Kind extends JobKind = JobKind> {
  readonly kind: Kind;
  readonly data: JobData[Kind];
  /** Not before this instant; absent: at once. */
  readonly notBefore?: Instant;
}

export interface Jobs {
  /** Queues what is not queued already, all or nothing. */
  send<Kind extends JobKind>(requests: readonly JobRequest<Kind>[]): Promise<void>;
}

/** Jobs of one kind with the same key are one job while it is queued or at work; null: every job is its own. */
export function keyOf({ kind, data }: JobRequest): string | null {
  switch (kind) {
    case 'merchant':
      return (data as JobData['merchant']).merchant;
    case 'statement': {
      const { merchant, period } = data as JobData['statement'];
      return `${period}/${merchant}`;
    }
    case 'look': {
      const { merchant, reference } = data as JobData['look'];
      return `${merchant}/${reference}`;
    }
    case 'audit':
      return (data as JobData['audit']).auditId;
    case 'month-start':
      return (data as JobData['month-start']).zone;
    case 'night':
    case 'watchdog':
      return kind;
  }
}
