// What operators ask across merchants: runs, findings, merchants, audits. Everything is a page at a time; only decisions and
// requests for audits change anything.

import type { Writable } from 'node:stream';
import type { AuditReport, Figures, Severity } from '../../../core/domain/finding.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import type { FindingAction, FindingDecision } from '../../../io/storage/conclusions/findings.ts';
import { requireMerchant } from '../../../io/storage/merchants/merchants.ts';
import { findAudit, listAudits, loadAuditResult, type StoredAudit } from '../../../io/storage/operators/audits.ts';
import {
  type FindingQuery,
  type FoundFinding,
  findByFingerprint,
  findFindings,
  loadDecisions,
} from '../../../io/storage/operators/find-findings.ts';
import {
  countFindings,
  findMerchantRecord,
  listMerchantRecords,
  loadLastReport,
  type MerchantRecord,
} from '../../../io/storage/operators/merchant-records.ts';
import {
  type ChangedFinding,
  countRunMembers,
  countRuns,
  listRunChanges,
  listRunMembers,
  listRuns,
  loadRun,
  type MemberPage,
  type MemberRecord,
  type RunRecord,
} from '../../../io/storage/operators/run-records.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import { StoreFailed } from '../../../io/storage/server/store-failed.ts';
import { decideAbout } from './decide-findings.ts';
import { loadOpenHolds, type OpenHolds } from './open-holds.ts';
import { type AuditRequest, type AuditRequestTask, type Requested, requestAudit } from './request-audit.ts';

export { FINDING_ACTIONS, FINDING_STATES } from '../../../io/storage/conclusions/findings.ts';
export { AUDIT_SOURCES, AUDIT_STATES } from '../../../io/storage/operators/audits.ts';
export type {
  AuditRequest,
  FindingAction,
  FindingDecision,
  FindingQuery,
  FoundFinding,
  MemberRecord,
  MerchantRecord,
  OpenHolds,
  Requested,
  RunRecord,
  StoredAudit,
};

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

export type MemberQuery = Page & Pick<MemberPage, 'state' | 'verdict'>;

export interface Listed<Item> {
  readonly total: number;
  readonly items: readonly Item[];
}

export interface FindingPage extends FoundFinding {
  /** Oldest first. */
  readonly decisions: readonly FindingDecision[];
}

export interface MerchantPage extends MerchantRecord {
  /** What the last run said; null before the first. */
  readonly books:
    | (Pick<AuditReport, 'currency' | 'entries' | 'operations' | 'unexplained' | 'due' | 'notChecked'> & {
        readonly recorded: Figures;
        readonly recomputed: Figures;
      })
    | null;
  /** Null when the last run has left none that holds good: the next one does. */
  readonly holds: OpenHolds | null;
  /** Findings that are not resolved, roots and others. */
  readonly unresolved: readonly { readonly severity: Severity; readonly state: string; readonly count: number }[];
  /** The worst open roots. */
  readonly worst: readonly FoundFinding[];
}

export interface NewDecision {
  readonly fingerprint: string;
  readonly merchant?: string | undefined;
  readonly action: FindingAction;
  readonly reason?: string | undefined;
  readonly by: string;
  /** As in `DecisionWish`. */
  readonly lines?: readonly string[] | undefined;
  readonly limit?: string | undefined;
  readonly until?: Instant | undefined;
}

export interface OperatorBackend {
  listRuns(page: Page): Promise<Listed<RunRecord>>;
  findRun(id: number): Promise<RunRecord | null>;
  listMembers(runId: number, query: MemberQuery): Promise<Listed<MemberRecord>>;
  /** Null when there is no such run. */
  listChanges(runId: number, page: Page): Promise<Listed<ChangedFinding> | null>;
  /** Throws `StoreFailed` (UNKNOWN_MERCHANT). */
  listFindings(query: FindingQuery): Promise<Listed<FoundFinding>>;
  findFinding(wanted: { fingerprint: string; merchant?: string | undefined }): Promise<FindingPage | null>;
  /** Null when there is no such finding; `refused` when the decision would change nothing. */
  decide(decision: NewDecision): Promise<FindingPage | { readonly refused: string } | null>;
  listMerchants(page: Page): Promise<Listed<MerchantRecord>>;
  findMerchant(reference: string): Promise<MerchantPage | null>;
  requestAudit(request: AuditRequest): Promise<Requested>;
  listAudits(page: Page): Promise<Listed<StoredAudit>>;
  findAudit(id: string): Promise<StoredAudit | null>;
  /** JSON text; null unless DONE. */
  loadResult(id: string): Promise<string | null>;
  /** The report of a DONE audit, as a PDF; resolves when `out` has taken it all. */
  writeReport(result: string, out: Writable): Promise<void>;
}

export interface OperatorBackendTask extends AuditRequestTask {
  /** Checkpoints of another engine are not read. */
  readonly engine: string;
  readonly writeReport: OperatorBackend['writeReport'];
}

/** Holds and findings shown on the page of a merchant; the lists have the rest. */
const MOST_SHOWN = 100;

export function operatorBackendOf(task: OperatorBackendTask): OperatorBackend {
  const { store, clock } = task;
  const findFinding = async (wanted: { fingerprint: string; merchant?: string | undefined }) => {
    const [found] = await findByFingerprint(store, wanted);
    if (found === undefined) return null;
    const { merchant, finding } = found;
    return { ...found, decisions: await loadDecisions(store, { merchant, fingerprint: finding.fingerprint }) };
  };
  return {
    listRuns: async (page) => ({ total: await countRuns(store), items: await listRuns(store, page) }),
    findRun: (id) => loadRun(store, id),
    listMembers: async (runId, query) => ({
      total: await countRunMembers(store, runId, query),
      items: await listRunMembers(store, runId, query),
    }),
    listChanges: async (runId, page) => {
      const run = await loadRun(store, runId);
      if (run === null) return null;
      const { added, resolved, reopened } = run.findings;
      return { total: added + resolved + reopened, items: await listRunChanges(store, runId, page) };
    },
    listFindings: async (query) => {
      if (query.merchant !== undefined) await requireMerchant(store, query.merchant);
      return findFindings(store, query);
    },
    findFinding,
    decide: async (decision) => {
      const found = await findFinding(decision);
      if (found === null) return null;
      const refused = await decideOnce(store, found, { ...decision, reason: decision.reason, at: clock() });
      return refused ?? findFinding(decision);
    },
    listMerchants: (page) => listMerchantRecords(store, page),
    findMerchant: (reference) => findMerchant(task, reference),
    requestAudit: (request) => requestAudit(task, request),
    listAudits: (page) => listAudits(store, page),
    findAudit: (id) => findAudit(store, id),
    loadResult: (id) => loadAuditResult(store, id),
    writeReport: task.writeReport,
  };
}

async function decideOnce(
  store: Store,
  found: FoundFinding,
  wish: Parameters<typeof decideAbout>[2],
): Promise<{ readonly refused: string } | null> {
  try {
    await decideAbout(store, found, wish);
    return null;
  } catch (failure) {
    if (failure instanceof StoreFailed && failure.code === 'DECISION_REFUSED') return { refused: failure.message };
    throw failure;
  }
}

async function findMerchant(
  { store, engine }: Pick<OperatorBackendTask, 'store' | 'engine'>,
  reference: string,
): Promise<MerchantPage | null> {
  const record = await findMerchantRecord(store, reference);
  if (record === null) return null;
  const report = await loadLastReport(store, reference);
  const worst = await findFindings(store, {
    merchant: reference,
    state: 'open',
    rootsOnly: true,
    limit: MOST_SHOWN,
    offset: 0,
  });
  return {
    ...record,
    books: report === null ? null : booksOf(report),
    holds: await loadOpenHolds(store, { merchant: reference, engine, limit: MOST_SHOWN }),
    unresolved: await countFindings(store, reference),
    worst: worst.items,
  };
}

function booksOf(report: AuditReport): NonNullable<MerchantPage['books']> {
  // What an earlier version of the engine has stored does not say what is due.
  const { currency, entries, operations, recorded, recomputed, unexplained, due = null, notChecked } = report;
  return { currency, entries, operations, recorded, recomputed, unexplained, due, notChecked };
}
