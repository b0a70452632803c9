// The kinds of work that are queued, what each carries, and how work is taken on. The port that the
// queue implements: workflows and entrances ask for work through it and know no queue.

import type { Instant } from '../../core/domain/instant.ts';
import type { QueueDepth } from '../../core/domain/measures.ts';
import { digestOf } from '../../io/storage/server/storable-text.ts';

/** What a job carries: references only, so that a job done late works on what is true by then. */
export interface JobData {
  /** Begins a run over every merchant. */
  readonly night: Record<never, never>;
  /**
   * Runs several merchants at the same time, for whatever run expects them; who cannot be run so
   * gets a job of its own.
   */
  readonly merchants: SentBy & { readonly merchants: readonly string[] };
  /** Runs one merchant, for whatever run expects it. */
  readonly merchant: SentBy & { readonly merchant: string };
  /** States the ended month of every merchant of a zone whose books are known up to its end. */
  readonly 'month-start': { readonly zone: string };
  /**
   * Issues one month of one merchant; `period` is `YYYY-MM`. One at a time a merchant and month.
   */
  readonly statement: { readonly merchant: string; readonly period: string };
  /** An audit that was asked for over HTTP. */
  readonly audit: { readonly auditId: string };
  /** Asks the service for one operation that a notification named. One at a time an operation. */
  readonly refresh: { readonly merchant: string; readonly reference: string };
  /** Asks for refreshes of operations that are past their expiry and not final. */
  readonly overdue: Record<never, never>;
  /** Sees to it that nights happen, end and cover everyone. */
  readonly watchdog: Record<never, never>;
}

export type JobKind = keyof JobData;

/**
 * What a worker may be for: `months` makes statements, which keep a processor busy, `nights` is all
 * else.
 */
export const PURPOSES = ['nights', 'months'] as const;
export type Purpose = (typeof PURPOSES)[number];

export function purposeOf(kind: JobKind): Purpose {
  return kind === 'month-start' || kind === 'statement' ? 'months' : 'nights';
}

/**
 * The run that a merchant's job was sent for, and in which of its rounds: they tell it from one of
 * an earlier night, or of the first round, which may be at work still.
 */
export interface SentBy {
  readonly runId: number;
  readonly round: 1 | 2;
}

export interface JobRequest<Kind extends JobKind = JobKind> {
  readonly kind: Kind;
  readonly data: JobData[Kind];
  /** Not earlier than so many seconds from now; absent: at once. */
  readonly inSeconds?: number;
}

export interface Jobs {
  /** Queues what is not queued already, all or nothing. */
  send<Kind extends JobKind>(requests: readonly JobRequest<Kind>[]): Promise<void>;
}

export interface Job<Kind extends JobKind = JobKind> {
  /** UUID; the same for every attempt. */
  readonly id: string;
  readonly data: JobData[Kind];
  /** Counts from 1. */
  readonly attempt: number;
  /**
   * Aborted when the process is to stop, and when another worker has taken the job over: time to
   * leave.
   */
  readonly signal: AbortSignal;
}

/** What a handler throws makes another attempt, until there have been enough. */
export type Handler<Kind extends JobKind> = (job: Job<Kind>) => Promise<void>;

/** A kind that has no handler is left to other workers. */
export type Handlers = { readonly [Kind in JobKind]?: Handler<Kind> };

/**
 * Thrown by a handler whose work cannot be done now, without a fault: the job goes back, and no
 * attempt is counted.
 */
export class PutBack extends Error {
  override readonly name = 'PutBack';
  readonly seconds: number;
  constructor(why: string, seconds: number) {
    super(why);
    this.seconds = seconds;
  }
}

/** A job whose attempts are used up. */
export interface DeadJob<Kind extends JobKind = JobKind> {
  readonly data: JobData[Kind];
  readonly attempts: number;
  /** What the last attempt said, in one line; null when its worker was not heard of again. */
  readonly reason: string | null;
}

export interface WorkOptions<Kind extends JobKind> {
  /** Jobs of this kind worked on at the same time by this process. */
  readonly atOnce: number;
  /** Takes what is given up, where the kind has a place for it (`merchant`). */
  readonly onDead?: (job: DeadJob<Kind>) => Promise<void>;
}

/** Five fields of cron on the clock of a zone; what was due while no worker ran is done once. */
export interface Plan<Kind extends JobKind = JobKind> {
  readonly kind: Kind;
  readonly data: JobData[Kind];
  readonly cron: string;
  readonly zone: string;
}

export interface WorkQueue extends Jobs {
  work<Kind extends JobKind>(
    kind: Kind,
    handler: Handler<Kind>,
    options: WorkOptions<Kind>,
  ): Promise<void>;
  /** These and no others: a plan that is not among them any more is withdrawn. */
  plan(plans: readonly Plan[]): Promise<void>;
  /** Since when it is planned so; null when it is not planned. */
  plannedSince(plan: Plan): Promise<Instant | null>;
  depths(): Promise<readonly QueueDepth<JobKind>[]>;
  /**
   * Asks handlers to leave, and waits for them as long as is granted; what is still at work then is
   * taken over.
   */
  stop(graceSeconds: number): Promise<void>;
}

const KEYS: { readonly [Kind in JobKind]: (data: JobData[Kind]) => string } = {
  night: () => 'night',
  merchants: ({ runId, round, merchants }) => `${runId}/${round}/${digestOf(merchants)}`,
  merchant: ({ runId, round, merchant }) => `${runId}/${round}/${merchant}`,
  'month-start': ({ zone }) => zone,
  statement: ({ merchant, period }) => `${period}/${merchant}`,
  audit: ({ auditId }) => auditId,
  refresh: ({ merchant, reference }) => `${merchant}/${reference}`,
  overdue: () => 'overdue',
  watchdog: () => 'watchdog',
};

export const JOB_KINDS = Object.keys(KEYS) as readonly JobKind[];

/** Jobs of one kind with the same key are one job while it is queued or at work. */
export function keyOf<Kind extends JobKind>({
  kind,
  data,
}: Pick<JobRequest<Kind>, 'kind' | 'data'>): string {
  return KEYS[kind](data);
}
