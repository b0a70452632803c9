// What a rehearsal is asked for, and what comes of it.

import type { AuditReport } from '../../../core/domain/finding.ts';
import type { Expected } from '../../../sandbox/faults/fault.ts';
import type { AnyFault } from '../../../sandbox/faults/register.ts';
import type { Partner } from '../../../sandbox/partners/open-partner.ts';
import type { RehearsalPlan } from '../../../sandbox/rehearsal-plans.ts';
import type { RunRecord } from '../../workflows/operators/read-runs.ts';

export interface Wish {
  readonly seed: string;
  /** Merchants in which nothing is planted. */
  readonly sound: number;
  /** One more merchant for each. */
  readonly faults: readonly AnyFault[];
  /** Simulated hours in which partners call. */
  readonly hours: number;
  /** Of each partner, in an hour. */
  readonly calls: number;
  /** The service behaves badly, in every way that its documents allow. */
  readonly isUnruly: boolean;
}

export interface Rehearsed {
  readonly night: RunRecord;
  readonly merchants: readonly {
    readonly plan: RehearsalPlan;
    readonly expected: readonly Expected[];
    readonly report: AuditReport | null;
    /** Why its fault found no place; null: it did, or there is none. */
    readonly unplanted: string | null;
  }[];
  readonly partners: readonly Partner[];
}
