// What operators request across merchants: runs, findings, merchants, audits. Lists are answered
// page by page. Only decisions, and requests for audits, change anything. A requested audit is
// stored before its job is queued, so that it is still found and sent when the process dies in
// between.

import { randomUUID } from 'node:crypto';
import type { Writable } from 'node:stream';
import type { AuditReport } from '../../../core/domain/finding.ts';
import { formatInstant, type Instant } from '../../../core/domain/instant.ts';
import type { Operator } from '../../../core/domain/operators/role.ts';
import { boundsOf, formatPeriod, type Period } from '../../../core/domain/period.ts';
import type { Zone } from '../../../core/domain/zone.ts';
import { readBooks } from '../../../core/kernel/reconcile/books-text.ts';
import { finishReplay, plainHash } from '../../../core/kernel/replay/replay-entry.ts';
import { eachTally } from '../../../core/kernel/replay/tallies-seen.ts';
import { compareTallies, type Tally } from '../../../core/kernel/replay/tally.ts';
import { loadCheckpoint } from '../../../io/storage/conclusions/checkpoint.ts';
import type {
  AnnounceDecisions,
  FindingDecision,
} from '../../../io/storage/conclusions/findings.ts';
import { listHeldMonths } from '../../../io/storage/issued/reports.ts';
import {
  type AuditSourceName,
  addAudit,
  findAudit,
  listAudits,
  listUnfinishedAudits,
  loadAuditResult,
  type StoredAudit,
} from '../../../io/storage/operators/audits.ts';
import {
  type FindingQuery,
  findByFingerprint,
  type Histories,
  loadHistories,
} from '../../../io/storage/operators/find-findings.ts';
import {
  countFindings,
  findMerchantRecord,
  loadLastReport,
} from '../../../io/storage/operators/merchant-records.ts';
import {
  listRunChanges,
  listRunMembers,
  listRuns,
  loadRun,
  type RunRecord,
} from '../../../io/storage/operators/run-records.ts';
import type { Listed, Page } from '../../../io/storage/server/ask.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import type { Jobs } from '../jobs.ts';
import type { MerchantPlace } from '../month/open-month.ts';
import {
  type DatedFinding,
  type NewDecision as Decided,
  decideAbout,
  decideProposed,
  findOne,
  listFindings,
  withDueDay,
} from './decide-findings.ts';
import { decideTogether, type JointDecision, listDecidable } from './decide-together.ts';
import { type FollowTask, followOperation, listEntries } from './follow-operation.ts';
import { boundTo, decideMonths, type MonthDeskTask, monthDeskOf } from './month-desk.ts';
import {
  confirmProposal,
  findProposal,
  listProposals,
  type Performers,
  withdrawProposal,
} from './proposals.ts';
import { listMerchants } from './runs-and-merchants.ts';
import { searchBooks } from './search-books.ts';
import { loadTonight } from './tonight.ts';
import { listTrail } from './trail.ts';
import { weighFindings } from './weigh-findings.ts';
import { type LetterTask, writeLetter } from './write-letter.ts';

export {
  FINDING_ACTIONS,
  NOTES,
  STORED_ACTIONS,
  verbsFrom,
} from '../../../io/storage/conclusions/findings.ts';
export { AUDIT_SOURCES, AUDIT_STATES } from '../../../io/storage/operators/audits.ts';
export { PERMISSION_OF } from './decide-findings.ts';
export { MOST_TOGETHER } from './decide-together.ts';
export type { FollowedLine, FollowedOperation } from './follow-operation.ts';
export type { MonthRecord } from './month-desk.ts';
export { PERMISSION_OF_PROPOSAL, type Proposal } from './proposals.ts';
export type { DatedFinding, FindingDecision, FindingQuery, Listed, RunRecord, StoredAudit };

export type FindingPage = DatedFinding & Histories;

interface FindingKey {
  readonly fingerprint: string;
  readonly merchant?: string | undefined;
}

type NewDecision = FindingKey & Omit<Decided, 'at' | 'announce'>;

export type OperatorBackend = ReturnType<typeof operatorBackendOf>;
export type OperatorDesk = ReturnType<typeof operatorDeskOf>;

export interface OperatorDeskTask extends MonthDeskTask, LetterTask, FollowTask {
  /** The version of this program. A checkpoint of another version is not read. */
  readonly engine: string;
  readonly announce: AnnounceDecisions;
  /**
   * Returns the operator of that name with the roles of today; `null` when there is none any more.
   */
  readonly operatorNamed: (name: string) => Promise<Operator | null>;
}

export interface OperatorBackendTask extends OperatorDeskTask, AuditRequestTask {
  /** Writes the report of a DONE audit as a PDF. Resolves when `out` has taken all of it. */
  readonly writeReport: (result: string, out: Writable) => Promise<void>;
}

/** Most holds, and most findings, on the page of a merchant; the lists show all. */
const MOST_SHOWN = 100;

/** Returns the desk together with audits on request, which need a queue. */
export function operatorBackendOf(task: OperatorBackendTask) {
  const { writeReport } = task;
  return { ...operatorDeskOf(task), writeReport, ...boundTo(task, { requestAudit }) };
}

export function operatorDeskOf(task: OperatorDeskTask) {
  const { store, clock, announce, limits, dueRules, operatorNamed } = task;
  const findFinding = async (wanted: FindingKey): Promise<FindingPage | null> => {
    const [found] = await findByFingerprint(store.pool, wanted);
    if (found === undefined) return null;
    const { merchant } = found;
    const histories = await loadHistories(store, { merchant, fingerprint: wanted.fingerprint });
    return { ...withDueDay(found, dueRules), ...histories };
  };
  return {
    clock,
    ...boundTo(store, {
      listRuns,
      findRun: loadRun,
      listMembers: listRunMembers,
      listHeldMonths,
      listMerchants,
    }),
    ...boundTo(store, {
      listProposals,
      findProposal,
      listTrail,
      listAudits,
      findAudit,
      loadResult: loadAuditResult,
    }),
    ...boundTo(task, {
      findMerchant,
      followOperation,
      listEntries,
      search: searchBooks,
      writeLetter,
    }),
    ...monthDeskOf(task),
    listChanges: async (runId: number, page: Page) => {
      const run = await loadRun(store, runId);
      if (run === null) return null;
      const { added, resolved, reopened } = run.findings;
      return {
        total: added + resolved + reopened,
        items: await listRunChanges(store, runId, page),
      };
    },
    /** Throws `StoreFailed` (UNKNOWN_MERCHANT). */
    listFindings: (query: FindingQuery) => listFindings(store, query, dueRules),
    listDecidable: (query: FindingQuery) => listDecidable(store, query, dueRules),
    /**
     * Takes one decision about many findings. Throws `StoreFailed` (DECISION_REFUSED,
     * UNKNOWN_MERCHANT).
     */
    decideTogether: (wish: Omit<JointDecision, 'at' | 'announce'>) =>
      decideTogether(store, limits, { ...wish, at: clock(), announce }),
    findFinding,
    /**
     * Returns a finding by the beginning of its fingerprint, with the proposals that wait for a
     * second person. Throws like `findOne`.
     */
    findBeginning: async (fingerprint: string) =>
      withDueDay(await findOne(store, fingerprint), dueRules),
    /**
     * Returns what is at stake now, for one merchant or for all. Throws `StoreFailed`
     * (UNKNOWN_MERCHANT).
     */
    loadExposure: (merchant?: string) => weighFindings(store, { merchant, at: clock() }),
    /**
     * Decides about a finding and returns it. Returns `null` when there is no such finding, and
     * `proposed` when a second person must confirm. Throws `StoreFailed` (DECISION_REFUSED).
     */
    decide: async (decision: NewDecision) => {
      const found = await findFinding(decision);
      if (found === null) return null;
      const decided = await decideAbout(store, limits, {
        found,
        wish: { ...decision, at: clock(), announce },
      });
      return 'proposed' in decided ? decided : findFinding(decision);
    },
    loadTonight: () => loadTonight(store, clock()),
    confirmProposal: (id: string, operator: Operator) =>
      confirmProposal(store, PERFORMERS, { id, operator, at: clock(), announce, operatorNamed }),
    withdrawProposal: (id: string, operator: Operator) =>
      withdrawProposal(store, { id, operator, at: clock() }),
  };
}

/** The functions that carry out confirmed proposals. */
const PERFORMERS: Performers = {
  settle: decideProposed,
  accept: decideProposed,
  release: decideMonths,
  close: decideMonths,
};

async function findMerchant(
  { store, engine, dueRules }: Pick<OperatorBackendTask, 'store' | 'engine' | 'dueRules'>,
  reference: string,
) {
  const record = await findMerchantRecord(store, reference);
  if (record === null) return null;
  const report = await loadLastReport(store, reference);
  const open = {
    merchant: reference,
    state: 'open',
    rootsOnly: true,
    limit: MOST_SHOWN,
    offset: 0,
  } as const;
  const worst = await listFindings(store, open, dueRules);
  return {
    ...record,
    books: report === null ? null : booksOf(report),
    /** `null` when no valid checkpoint is stored; the next run stores one. */
    holds: await loadOpenHolds(store, { merchant: reference, engine, limit: MOST_SHOWN }),
    /** The number of findings that are not resolved, including those that follow from others. */
    unresolved: await countFindings(store, reference),
    worst: worst.items,
  };
}

function booksOf(report: AuditReport) {
  const { currency, entries, operations, recorded, recomputed, unexplained, due, notChecked } =
    report;
  return { currency, entries, operations, recorded, recomputed, unexplained, due, notChecked };
}

/**
 * Returns the open holds from the last checkpoint. `null` when this version of the program has left
 * no valid one, or when there was too much to keep in one.
 */
async function loadOpenHolds(
  store: Store,
  wanted: { readonly merchant: string; readonly engine: string; readonly limit: number },
) {
  const checkpoint = await loadCheckpoint(store, wanted.merchant);
  if (checkpoint === null || checkpoint.engine !== wanted.engine) return null;
  const books = readBooks(checkpoint.state, plainHash);
  if (books === null) return null;
  const { replay, standing } = books;
  finishReplay(replay, {
    standing,
    settings: ANY_LINE,
    onAnomaly: () => {},
    applied: () => {},
    hashOf: plainHash,
  });
  const holding = eachTally(replay.tallies)
    .filter(({ held }) => held !== 0)
    .toArray()
    .sort(compareTallies);
  return {
    total: holding.length,
    /** The sum over all holds, recomputed, as in the last run's report. */
    amount: holding.reduce((sum, { held }) => sum + held, 0),
    /** The first holds, in the order of their lines. */
    items: holding.slice(0, wanted.limit).map(holdOf),
  };
}

/**
 * A checkpoint is taken before its last line is finished. Finishing it here needs no settings,
 * because nothing is judged.
 */
const ANY_LINE = { currency: null, opening: null };

function holdOf({ reference, held, lines, operation }: Tally) {
  const first = lines.find(({ heldMove }) => heldMove > 0)?.entry ?? null;
  return {
    operationReference: reference,
    amount: held,
    sequence: first?.sequence ?? null,
    heldAt: first?.createdAt ?? null,
    /**
     * The status of the operation when it was last read; `null` when the operation was never read.
     */
    status: operation?.status ?? null,
    expiresAt: operation?.expiresAt ?? null,
  };
}

interface AuditRequest {
  readonly merchant: string;
  readonly source: AuditSourceName;
  /**
   * The instant of the audit; `null` for now. A month means its end, the first instant after it.
   */
  readonly asOf: Instant | Period | null;
  readonly by: string;
}

interface AuditRequestTask {
  readonly store: Store;
  readonly jobs: Jobs;
  readonly clock: () => Instant;
  readonly zoneFor: (merchant: MerchantPlace) => Zone;
  /** Tells whether the merchant's books can be read from the source that keeps them. */
  readonly isServed: (merchant: string) => boolean;
  readonly log: (event: object) => void;
}

export type Requested =
  | { readonly kind: 'queued'; readonly audit: StoredAudit }
  | { readonly kind: 'unknown merchant' }
  /** `why` is one sentence about the request. */
  | { readonly kind: 'refused'; readonly field: 'asOf' | 'period' | 'source'; readonly why: string }
  | { readonly kind: 'too many' };

/** Most audits that may wait or be at work at the same time. */
const MOST_UNFINISHED = 100;

async function requestAudit(task: AuditRequestTask, request: AuditRequest): Promise<Requested> {
  const { store, jobs, clock, log } = task;
  const { merchant, source } = request;
  const now = clock();
  const record = await findMerchantRecord(store, merchant);
  if (record === null && (source === 'mirror' || !task.isServed(merchant)))
    return { kind: 'unknown merchant' };
  if (source === 'service' && !task.isServed(merchant)) {
    const why =
      'no source is configured for this merchant; its books can be audited from the mirror';
    return { kind: 'refused', field: 'source', why };
  }
  const zone = task.zoneFor({ reference: merchant, country: record?.country ?? null });
  const asked = instantOf(request.asOf, { now, zone });
  if (asked.asOf > now)
    return {
      kind: 'refused',
      field: asked.period === null ? 'asOf' : 'period',
      why: toCome(asked),
    };
  if ((await listUnfinishedAudits(store, MOST_UNFINISHED)).length >= MOST_UNFINISHED)
    return { kind: 'too many' };
  const wish = { merchant, source, ...asked, requestedBy: request.by, requestedAt: now };
  const audit = await addAudit(store, { ...wish, id: randomUUID() });
  await jobs.send([{ kind: 'audit', data: { auditId: audit.id } }]).catch((failure: unknown) => {
    // The audit is stored, so the next sweep queues its job.
    log({ event: 'audit not queued yet', auditId: audit.id, failure });
  });
  return { kind: 'queued', audit };
}

type AskedInstant = Pick<StoredAudit, 'asOf' | 'period'>;

function instantOf(
  asked: AuditRequest['asOf'],
  { now, zone }: { now: Instant; zone: Zone },
): AskedInstant {
  if (asked === null) return { asOf: now, period: null };
  if (typeof asked === 'number') return { asOf: asked, period: null };
  return { asOf: boundsOf(asked, zone).end, period: formatPeriod(asked) };
}

function toCome({ asOf, period }: AskedInstant): string {
  return period === null
    ? `${formatInstant(asOf)} is to come`
    : `${period} has not ended: it ends at ${formatInstant(asOf)}`;
}
