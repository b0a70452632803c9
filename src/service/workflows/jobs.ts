// The kinds of jobs, the data each carries, and how jobs are worked on. This is the port that the
// queue implements: workflows and entrances send jobs through it and know no queue.

import type { Instant } from '../../core/domain/instant.ts';
import type { QueueDepth } from '../../core/domain/measures.ts';
import { digestOf } from '../../io/storage/server/storable-text.ts';

/**
 * The data of each kind of job. It holds references only, so that a job that runs late works on
 * what is true by then.
 */
export interface JobData {
  /** Begins a run over every merchant. */
  readonly night: Record<never, never>;
  /**
   * Runs several merchants at the same time, for whatever run expects them. A merchant that cannot
   * be run together with others gets a job of its own.
   */
  readonly merchants: SentBy & { readonly merchants: readonly string[] };
  /** Runs one merchant, for whatever run expects it. */
  readonly merchant: SentBy & { readonly merchant: string };
  /**
   * Queues the statement of the ended month for every merchant of a zone whose books are known past
   * the month's end.
   */
  readonly 'month-start': { readonly zone: string };
  /**
   * Issues one month of one merchant; `period` is `YYYY-MM`. At most one job per merchant and month
   * exists at a time.
   */
  readonly statement: { readonly merchant: string; readonly period: string };
  /** Runs an audit that was requested over HTTP. */
  readonly audit: { readonly auditId: string };
  /**
   * Asks the service for one operation, or one payment by link, because a notification named it or
   * it is overdue. At most one job per reference exists at a time.
   */
  readonly refresh: { readonly merchant: string; readonly reference: string };
  /** Sends `refresh` jobs for operations that are past their expiry and not final. */
  readonly overdue: Record<never, never>;
  /** Checks that nights begin, end and cover every merchant. */
  readonly watchdog: Record<never, never>;
}

export type JobKind = keyof JobData;

/**
 * What a worker may be for: `months` makes statements, which keep a processor busy; `nights` does
 * all other work.
 */
export const PURPOSES = ['nights', 'months'] as const;
export type Purpose = (typeof PURPOSES)[number];

export function purposeOf(kind: JobKind): Purpose {
  return kind === 'month-start' || kind === 'statement' ? 'months' : 'nights';
}

/**
 * The run, and the round of that run, for which a merchant's job was sent. They keep the job apart
 * from one of an earlier night, or of the first round, which may still be at work.
 */
export interface SentBy {
  readonly runId: number;
  readonly round: 1 | 2;
}

export interface JobRequest<Kind extends JobKind = JobKind> {
  readonly kind: Kind;
  readonly data: JobData[Kind];
  /** The job starts no earlier than this many seconds from now; absent for at once. */
  readonly inSeconds?: number;
}

export interface Jobs {
  /** Queues the jobs that are not queued yet, all or none. */
  send<Kind extends JobKind>(requests: readonly JobRequest<Kind>[]): Promise<void>;
}

export interface Job<Kind extends JobKind = JobKind> {
  /** UUID; the same for every attempt. */
  readonly id: string;
  readonly data: JobData[Kind];
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  /**
   * Aborted when the process must stop, or when another worker has taken the job over: the handler
   * must then leave.
   */
  readonly signal: AbortSignal;
}

/**
 * Does the work of one job. When it throws, the job is tried again, until its attempts are used up.
 */
export type Handler<Kind extends JobKind> = (job: Job<Kind>) => Promise<void>;

/** The handlers of a worker. Jobs of a kind without a handler are left to other workers. */
export type Handlers = { readonly [Kind in JobKind]?: Handler<Kind> };

/**
 * Thrown by a handler whose work cannot be done now, though nothing is wrong: the job is requeued,
 * and no attempt is counted.
 */
export class PutBack extends Error {
  override readonly name = 'PutBack';
  /** Seconds until the job may be taken again. */
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
  /** The message of the last attempt, in one line; `null` when its worker disappeared. */
  readonly reason: string | null;
}

export interface WorkOptions<Kind extends JobKind> {
  /** How many jobs of this kind this process works on at the same time. */
  readonly atOnce: number;
  /** Called with jobs that are given up, for the one kind that keeps them (`merchant`). */
  readonly onDead?: (job: DeadJob<Kind>) => Promise<void>;
}

/**
 * A job that is sent on a schedule: five cron fields on the clock of a zone. Times that were missed
 * while no worker ran are made up for by one job.
 */
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
  /** Makes these the only plans: a plan that is no longer in the list is withdrawn. */
  plan(plans: readonly Plan[]): Promise<void>;
  /** Returns since when this plan has been in force; `null` when it is not in force. */
  plannedSince(plan: Plan): Promise<Instant | null>;
  depths(): Promise<readonly QueueDepth<JobKind>[]>;
  /**
   * Asks the handlers to leave and waits for them for at most `graceSeconds`. Other workers take
   * over jobs that are still at work then.
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

/**
 * Returns the key of a job. Jobs of one kind with the same key are one job while it is queued or at
 * work.
 */
export function keyOf<Kind extends JobKind>({
  kind,
  data,
}: Pick<JobRequest<Kind>, 'kind' | 'data'>): string {
  return KEYS[kind](data);
}
