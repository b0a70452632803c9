// How each kind of job is queued: how often it is tried, how soon again, for how long, and when it is taken over.

import { JOB_KINDS, type JobKind } from '../workflows/jobs.ts';

export interface QueueSettings {
  /** Attempts of a job whose worker dies or whose handler throws. */
  readonly attempts: number;
  /** Seconds without a sign of life after which a job is taken from its worker; at least 10. */
  readonly takeOverSeconds: number;
  /** The longest that one merchant is read. */
  readonly longestMinutes: number;
}

export interface JobPolicy {
  readonly policy: 'exclusive';
  readonly notify: true;
  readonly heartbeatSeconds: number;
  readonly retryLimit: number;
  readonly retryDelay: number;
  readonly retryBackoff: true;
  readonly retryDelayMax: number;
  readonly expireInSeconds: number;
  readonly deleteAfterSeconds: number;
  readonly retentionSeconds: number;
  readonly deadLetter?: string;
}

/** Where given-up merchants go. */
export const DEAD_MERCHANTS = 'merchant-dead';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function policyOf(kind: JobKind, { attempts, takeOverSeconds, longestMinutes }: QueueSettings): JobPolicy {
  const common: JobPolicy = {
    policy: 'exclusive',
    notify: true,
    heartbeatSeconds: takeOverSeconds,
    retryLimit: attempts - 1,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: MINUTE,
    // A handler that hangs while its process lives is given up only then.
    expireInSeconds: 6 * HOUR,
    deleteAfterSeconds: 2 * DAY,
    retentionSeconds: 14 * DAY,
  };
  switch (kind) {
    case 'merchant':
      // Reading is cut off by the handler itself; replaying what was read may take longer.
      return {
        ...common,
        expireInSeconds: Math.min(DAY, Math.ceil(3 * longestMinutes * MINUTE) + HOUR),
        deadLetter: DEAD_MERCHANTS,
      };
    // Taken up again it hands out single merchants alone, and must not be given up before it could.
    case 'merchants':
      return { ...common, retryLimit: 30, retryDelayMax: 5 * MINUTE, expireInSeconds: DAY };
    // A source that is away for an hour delays the night, and does not cancel it.
    case 'night':
      return { ...common, retryLimit: 30, retryDelay: 5, retryDelayMax: 5 * MINUTE };
    // They come again by themselves.
    case 'overdue':
    case 'watchdog':
      return { ...common, retryLimit: 0, retentionSeconds: HOUR };
    default:
      return common;
  }
}

/** Every queue by name with its policy, those first that others name. */
export function policiesOf(settings: QueueSettings): ReadonlyMap<string, JobPolicy> {
  const { deadLetter: _, ...dead } = policyOf('merchant', settings);
  return new Map([
    [DEAD_MERCHANTS, { ...dead, retryLimit: 30, retryDelayMax: 5 * MINUTE }],
    ...JOB_KINDS.map((kind) => [kind, policyOf(kind, settings)] as const),
  ]);
}
