// What people and programs ask of runs: the list, one of them, its merchants, what it changed.

import type { AuditReport } from '../../../core/domain/finding.ts';
import {
  type ChangedFinding,
  listRunChanges,
  listRunMembers,
  listRuns,
  loadRun,
  loadRunReports,
  type MemberPage,
  type MemberRecord,
  type RunRecord,
} from '../../../io/storage/operators/run-records.ts';
import type { Store } from '../../../io/storage/server/store.ts';

export type { ChangedFinding, MemberPage, MemberRecord, RunRecord };

export interface RunRepository {
  /** Newest first; `before`: only runs older than this one. */
  list(page: { readonly limit: number; readonly before?: number }): Promise<readonly RunRecord[]>;
  /** Null when there is no such run. */
  find(runId: number): Promise<RunRecord | null>;
  /** By merchant reference. */
  members(runId: number, page: MemberPage): Promise<readonly MemberRecord[]>;
  /** Added ones first, then by merchant and fingerprint. */
  changes(
    runId: number,
    page: { readonly limit: number; readonly offset?: number },
  ): Promise<readonly ChangedFinding[]>;
  /** Of the merchants that it judged, those not clean first. */
  reports(runId: number, page: { readonly limit: number }): Promise<readonly AuditReport[]>;
}

export function runRepositoryOf(store: Store): RunRepository {
  return {
    list: (page) => listRuns(store, page),
    find: (runId) => loadRun(store, runId),
    members: (runId, page) => listRunMembers(store, runId, page),
    changes: (runId, page) => listRunChanges(store, runId, page),
    reports: (runId, page) => loadRunReports(store, runId, page),
  };
}
