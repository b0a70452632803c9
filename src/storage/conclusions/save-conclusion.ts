// Saves what a run concluded of one merchant: report, findings, checkpoint, its part of the run and what is to be announced of
// it, in one transaction. Refuses to forget: a finding that is gone is resolved, one that was put right is settled, one that
// comes back is reopened, and each leaves a line of history.

import type pg from 'pg';
import type { NewDelivery } from '../../domain/delivery/delivery.ts';
import type { AuditReport, Finding } from '../../domain/finding.ts';
import { addDeliveries } from '../deliveries/outbox.ts';
import { type Lease, requireLease } from '../merchants/merchant-lock.ts';
import { storableJson } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';
import { StoreFailed } from '../server/store-failed.ts';
import { inTransaction } from '../server/transaction.ts';
import type { Checkpoint } from './checkpoint.ts';
import { type FindingState, saidSettled, stateIn } from './findings.ts';
import { type Settlement, settleMember } from './run-members.ts';

export interface Conclusion {
  readonly runId: number;
  readonly report: AuditReport;
  /** Null: as it is stored already. */
  readonly checkpoint: Checkpoint | null;
  /** A kind that was looked for only in part: those outside `judged` (fingerprints) are not gone, they were not sought. */
  readonly soughtInPart?: { readonly kind: string; readonly judged: ReadonlySet<string> };
  /** How the run's part for this merchant ends; absent: the run keeps no account of it. */
  readonly settlement?: Omit<Settlement, 'state' | 'verdict' | 'reason' | 'findings'>;
  /** What is to be announced of roots that are confirmed now and were not before: new ones, and those that are back. */
  readonly announce?: (news: readonly string[]) => readonly NewDelivery[];
}

/** Fingerprints whose state this conclusion changed, sorted. */
export interface FindingChanges {
  readonly added: readonly string[];
  readonly resolved: readonly string[];
  readonly settled: readonly string[];
  readonly reopened: readonly string[];
}

/** The engine's name in the history of decisions. */
const ENGINE = 'pointage';
const ROWS_PER_STATEMENT = 5_000;

/** Saving the same conclusion again changes nothing more. Throws `LeaseLost`, or `StoreFailed` (UNKNOWN_RUN). */
export async function saveConclusion(store: Store, lease: Lease, conclusion: Conclusion): Promise<FindingChanges> {
  return inTransaction(store, async (client) => {
    await requireLease(client, lease);
    const startedAt = await loadRunStart(client, conclusion.runId);
    const reported = new Map(conclusion.report.findings.map((finding) => [finding.fingerprint, finding]));
    const states = await lockFindings(client, lease, [...reported.keys()]);
    const added = [...reported.keys()].filter((fingerprint) => !states.has(fingerprint)).sort();
    const { soughtInPart } = conclusion;
    const wasSought = ({ kind, fingerprint }: KnownFinding): boolean =>
      soughtInPart?.kind !== kind || soughtInPart.judged.has(fingerprint);
    const standOf = ({ fingerprint }: KnownFinding) => stateIn(reported.get(fingerprint));
    const gone = fingerprintsIn(states, (one) => one.state === 'resolved' && standOf(one) === 'open');
    const reopened = fingerprintsIn(states, (one) => REST.has(one.state) && standOf(one) === 'open');
    const resolved = fingerprintsIn(
      states,
      (one) => one.state !== 'resolved' && !reported.has(one.fingerprint) && wasSought(one),
    );
    const scope = { lease, runId: conclusion.runId, at: startedAt };
    await writeFindings(client, scope, [...reported.values()]);
    const settled = [...reported.values()].filter(
      (finding) => stateIn(finding) === 'settled' && states.get(finding.fingerprint)?.state !== 'settled',
    );
    await moveFindings(client, scope, { fingerprints: gone, action: 'reopen', reason: 'Found again.' });
    await moveFindings(client, scope, { fingerprints: reopened, action: 'reopen', reason: NO_LONGER });
    await moveFindings(client, scope, { fingerprints: resolved, action: 'resolve', reason: 'No longer found.' });
    for (const [reason, some] of Map.groupBy(settled, saidSettled)) {
      const fingerprints = some.map(({ fingerprint }) => fingerprint);
      await moveFindings(client, scope, { fingerprints, action: 'settle', reason });
    }
    await writeReport(client, scope, conclusion.report);
    if (conclusion.checkpoint !== null) await writeCheckpoint(client, lease, conclusion.checkpoint);
    const changes = {
      added,
      resolved,
      settled: settled.map(({ fingerprint }) => fingerprint).sort(),
      reopened: [...gone, ...reopened].sort(),
    };
    await settle(client, lease, { conclusion, changes, news: newsIn(conclusion.report, states) });
    return changes;
  });
}

async function settle(
  client: pg.ClientBase,
  { merchant }: Lease,
  concluded: { readonly conclusion: Conclusion; readonly changes: FindingChanges; readonly news: readonly string[] },
): Promise<void> {
  const { runId, report, settlement, announce } = concluded.conclusion;
  if (settlement === undefined) return;
  const { added, resolved, settled, reopened } = concluded.changes;
  await settleMember(
    client,
    { runId, merchant },
    {
      ...settlement,
      state: 'done',
      verdict: report.verdict,
      reason: null,
      findings: {
        added: added.length,
        resolved: resolved.length + settled.length,
        reopened: reopened.length,
      },
    },
  );
  if (announce !== undefined && concluded.news.length > 0)
    await addDeliveries(client, announce(concluded.news), settlement.finishedAt);
}

/**
 * Fingerprints of the confirmed roots that were none before, sorted. What was provisional at first becomes news when it is
 * confirmed, and what followed from another root when that one is gone.
 */
function newsIn(report: AuditReport, states: ReadonlyMap<string, KnownFinding>): readonly string[] {
  return report.findings
    .filter((finding) => finding.status === 'confirmed' && finding.causedBy === null && stateIn(finding) === 'open')
    .map(({ fingerprint }) => fingerprint)
    .filter((fingerprint) => {
      const known = states.get(fingerprint);
      return known === undefined || known.state === 'resolved' || REST.has(known.state) || !known.wasRoot;
    })
    .sort();
}

/** States that end by themselves when what a person or a correction put right is so no more. */
const REST: ReadonlySet<FindingState> = new Set(['settled', 'accepted']);
const NO_LONGER = 'What it was settled or accepted by does not hold any more.';

interface KnownFinding {
  readonly fingerprint: string;
  readonly kind: string;
  readonly state: FindingState;
  /** As it was last reported, it was a confirmed root. */
  readonly wasRoot: boolean;
}

interface Scope {
  readonly lease: Lease;
  readonly runId: number;
  readonly at: number;
}

/** The engine's decisions bear the instant at which their run started. */
async function loadRunStart(client: pg.ClientBase, runId: number): Promise<number> {
  const answer = await client.query<{ started_at: number }>({
    name: 'start of run',
    text: 'select started_at from runs where run_id = $1',
    values: [runId],
  });
  if (answer.rows[0] === undefined) throw new StoreFailed('UNKNOWN_RUN', `There is no run ${runId}.`);
  return answer.rows[0].started_at;
}

/** Locks what may change, in the order of fingerprints: the findings in force and those reported now. */
async function lockFindings(
  client: pg.ClientBase,
  lease: Lease,
  reported: readonly string[],
): Promise<ReadonlyMap<string, KnownFinding>> {
  const answer = await client.query<KnownFinding>({
    name: 'lock findings',
    text: `select fingerprint, kind, state,
      content ->> 'status' = 'confirmed' and content ->> 'causedBy' is null as "wasRoot"
    from findings
    where merchant_id = $1 and (state <> 'resolved' or fingerprint = any ($2::text[]))
    order by fingerprint
    for update`,
    values: [lease.merchantId, reported],
  });
  return new Map(answer.rows.map((row) => [row.fingerprint, row]));
}

function fingerprintsIn(
  states: ReadonlyMap<string, KnownFinding>,
  matches: (known: KnownFinding) => boolean,
): readonly string[] {
  return [...states.values()].filter(matches).map(({ fingerprint }) => fingerprint);
}

async function writeFindings(client: pg.ClientBase, scope: Scope, findings: readonly Finding[]): Promise<void> {
  for (let start = 0; start < findings.length; start += ROWS_PER_STATEMENT) {
    const part = findings.slice(start, start + ROWS_PER_STATEMENT);
    await client.query(
      `insert into findings
        (merchant_id, fingerprint, kind, severity, state, first_seen_run, last_seen_run, content)
      select $1, f.fingerprint, f.kind, f.severity, 'open', $2, $2, f.content
      from unnest($3::text[], $4::text[], $5::text[], $6::jsonb[]) as f (fingerprint, kind, severity, content)
      order by f.fingerprint
      on conflict (merchant_id, fingerprint) do update
      set kind = excluded.kind,
        severity = excluded.severity,
        last_seen_run = excluded.last_seen_run,
        content = excluded.content`,
      [
        scope.lease.merchantId,
        scope.runId,
        part.map((finding) => finding.fingerprint),
        part.map((finding) => finding.kind),
        part.map((finding) => finding.severity),
        part.map(storableJson),
      ],
    );
  }
}

const STATE_AFTER = { reopen: 'open', resolve: 'resolved', settle: 'settled' } as const;

/** Changes the state of the findings and leaves one decision each. The rows are locked. */
async function moveFindings(
  client: pg.ClientBase,
  scope: Scope,
  move: {
    readonly fingerprints: readonly string[];
    readonly action: keyof typeof STATE_AFTER;
    readonly reason: string;
  },
): Promise<void> {
  if (move.fingerprints.length === 0) return;
  await client.query(
    `with moved as (
      select f.merchant_id, f.fingerprint, f.state, coalesce(max(d.decision_number), 0) as last_number
      from findings f
      left join finding_decisions d on d.merchant_id = f.merchant_id and d.fingerprint = f.fingerprint
      where f.merchant_id = $1 and f.fingerprint = any ($2::text[])
      group by f.merchant_id, f.fingerprint
    ), changed as (
      update findings f
      set state = $4
      from moved m
      where f.merchant_id = m.merchant_id and f.fingerprint = m.fingerprint
    )
    insert into finding_decisions
      (merchant_id, fingerprint, decision_number, action, state_before, state_after, reason, decided_by, decided_at,
        run_id)
    select merchant_id, fingerprint, last_number + 1, $3, state, $4, $5, $6, $7, $8
    from moved`,
    [
      scope.lease.merchantId,
      move.fingerprints,
      move.action,
      STATE_AFTER[move.action],
      move.reason,
      ENGINE,
      scope.at,
      scope.runId,
    ],
  );
}

async function writeReport(client: pg.ClientBase, scope: Scope, report: AuditReport): Promise<void> {
  await client.query({
    name: 'write report',
    text: `insert into run_merchants (merchant_id, run_id, verdict, entries, operations, findings, roots, report)
    values ($1, $2, $3, $4, $5, $6, $7, $8)
    on conflict (merchant_id, run_id) do update
    set verdict = excluded.verdict,
      entries = excluded.entries,
      operations = excluded.operations,
      findings = excluded.findings,
      roots = excluded.roots,
      report = excluded.report`,
    values: [
      scope.lease.merchantId,
      scope.runId,
      report.verdict,
      report.entries,
      report.operations,
      report.findings.length,
      report.findings.filter((finding) => finding.causedBy === null).length,
      storableJson(report),
    ],
  });
}

async function writeCheckpoint(client: pg.ClientBase, lease: Lease, checkpoint: Checkpoint): Promise<void> {
  await client.query({
    name: 'write checkpoint',
    text: `insert into checkpoints (merchant_id, last_sequence, last_intake, engine, state)
    values ($1, $2, $3, $4, $5)
    on conflict (merchant_id) do update
    set last_sequence = excluded.last_sequence,
      last_intake = excluded.last_intake,
      engine = excluded.engine,
      state = excluded.state`,
    values: [lease.merchantId, checkpoint.lastSequence, checkpoint.lastIntake, checkpoint.engine, checkpoint.state],
  });
}
