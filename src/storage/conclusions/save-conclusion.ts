// Saves what a run concluded of a merchant: report, findings, checkpoint, its part of the run and what is to be announced of
// it, in one transaction. Refuses to save a part of it, and anything under a lease that is no longer good.

import type pg from 'pg';
import type { NewDelivery } from '../../domain/delivery/delivery.ts';
import type { AuditReport } from '../../domain/finding.ts';
import { askTogether } from '../../together/ask-together.ts';
import { addDeliveries } from '../deliveries/outbox.ts';
import { type Lease, leaseLost, lockHeads } from '../merchants/merchant-lock.ts';
import { storableJson } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';
import { StoreFailed } from '../server/store-failed.ts';
import { inTransaction } from '../server/transaction.ts';
import type { Checkpoint } from './checkpoint.ts';
import { type Settlement, settleMembers } from './run-members.ts';
import { type ConcludedFindings, type FindingChanges, type SavedFindings, saveFindings } from './save-findings.ts';

export interface Conclusion {
  readonly runId: number;
  readonly report: AuditReport;
  /** Null: as it is stored already. */
  readonly checkpoint: Checkpoint | null;
  readonly soughtInPart?: ConcludedFindings['soughtInPart'];
  /** How the run's part for this merchant ends; absent: the run keeps no account of it. */
  readonly settlement?: Omit<Settlement, 'state' | 'verdict' | 'reason' | 'findings'>;
  /** What is to be announced of roots that are confirmed now and were not before: new ones, and those that are back. */
  readonly announce?: (news: readonly string[]) => readonly NewDelivery[];
}

interface Concluded {
  readonly lease: Lease;
  readonly conclusion: Conclusion;
}

/**
 * Saving the same conclusion again changes nothing more. What several merchants conclude at the same time is saved in one
 * transaction. Throws `LeaseLost`, or `StoreFailed` (UNKNOWN_RUN).
 */
export function saveConclusion(store: Store, lease: Lease, conclusion: Conclusion): Promise<FindingChanges> {
  return save(store, { lease, conclusion });
}

const save = askTogether<Concluded, FindingChanges, Store>(
  (store, concluded) => inTransaction(store, (client) => saveTogether(client, concluded)),
  // Replays that begin together do not end together.
  { wait: 10 },
);

async function saveTogether(
  client: pg.ClientBase,
  concluded: readonly Concluded[],
): Promise<readonly (FindingChanges | Error)[]> {
  const leases = await lockHeads(
    client,
    concluded.map(({ lease }) => lease),
  );
  const standing = concluded.filter(({ lease }) => leases.has(lease));
  const starts = await loadRunStarts(client, standing);
  const found = await saveFindings(
    client,
    standing.map(({ lease, conclusion }) => ({ ...conclusion, lease, at: starts.get(conclusion.runId)! })),
  );
  await writeReports(client, standing);
  await writeCheckpoints(client, standing);
  const saved = standing.map((one, i) => ({ ...one, ...found[i]! }));
  await settle(client, saved);
  const changes = new Map(saved.map((one) => [one.lease, one.changes]));
  return concluded.map(({ lease }) => changes.get(lease) ?? leaseLost(lease));
}

type Saved = Concluded & SavedFindings;

/** Ends the runs' parts for the merchants, and writes down what is to be announced of them. */
async function settle(client: pg.ClientBase, saved: readonly Saved[]): Promise<void> {
  const settled = saved.flatMap(({ lease, conclusion: { runId, report, settlement }, changes }) => {
    if (settlement === undefined) return [];
    const { added, resolved, settled: putRight, reopened } = changes;
    const findings = {
      added: added.length,
      resolved: resolved.length + putRight.length,
      reopened: reopened.length,
    };
    const { merchant } = lease;
    return [
      { runId, merchant, ...settlement, state: 'done', verdict: report.verdict, reason: null, findings } as const,
    ];
  });
  if (settled.length > 0) await settleMembers(client, settled);
  for (const { conclusion, news } of saved) {
    const { settlement, announce } = conclusion;
    if (settlement === undefined || announce === undefined || news.length === 0) continue;
    await addDeliveries(client, announce(news), settlement.finishedAt);
  }
}

/** The engine's decisions bear the instant at which their run started. */
async function loadRunStarts(
  client: pg.ClientBase,
  concluded: readonly Concluded[],
): Promise<ReadonlyMap<number, number>> {
  const runIds = [...new Set(concluded.map(({ conclusion }) => conclusion.runId))];
  const answer = await client.query<{ run_id: number; started_at: number }>({
    name: 'starts of runs',
    text: 'select run_id, started_at from runs where run_id = any ($1::bigint[])',
    values: [runIds],
  });
  const starts = new Map(answer.rows.map((row) => [row.run_id, row.started_at]));
  const unknown = runIds.find((runId) => !starts.has(runId));
  if (unknown !== undefined) throw new StoreFailed('UNKNOWN_RUN', `There is no run ${unknown}.`);
  return starts;
}

async function writeReports(client: pg.ClientBase, concluded: readonly Concluded[]): Promise<void> {
  const reports = concluded.map(({ conclusion }) => conclusion.report);
  await client.query({
    name: 'write reports',
    text: `insert into run_merchants (merchant_id, run_id, verdict, entries, operations, findings, roots, report)
    select c.merchant_id, c.run_id, c.verdict, c.entries, c.operations, c.findings, c.roots, c.report
    from unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
      $8::jsonb[]) as c (merchant_id, run_id, verdict, entries, operations, findings, roots, report)
    order by c.merchant_id
    on conflict (merchant_id, run_id) do update
    set verdict = excluded.verdict,
      entries = excluded.entries,
      operations = excluded.operations,
      findings = excluded.findings,
      roots = excluded.roots,
      report = excluded.report`,
    values: [
      concluded.map(({ lease }) => lease.merchantId),
      concluded.map(({ conclusion }) => conclusion.runId),
      reports.map(({ verdict }) => verdict),
      reports.map(({ entries }) => entries),
      reports.map(({ operations }) => operations),
      reports.map(({ findings }) => findings.length),
      reports.map(({ findings }) => findings.filter(({ causedBy }) => causedBy === null).length),
      reports.map(storableJson),
    ],
  });
}

async function writeCheckpoints(client: pg.ClientBase, concluded: readonly Concluded[]): Promise<void> {
  const changed = concluded.flatMap(({ lease: { merchantId }, conclusion: { checkpoint } }) =>
    checkpoint === null ? [] : [{ merchantId, ...checkpoint }],
  );
  if (changed.length === 0) return;
  await client.query({
    name: 'write checkpoints',
    text: `insert into checkpoints (merchant_id, last_sequence, last_intake, engine, state)
    select c.merchant_id, c.last_sequence, c.last_intake, c.engine, c.state
    from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[])
      as c (merchant_id, last_sequence, last_intake, engine, state)
    order by c.merchant_id
    on conflict (merchant_id) do update
    set last_sequence = excluded.last_sequence,
      last_intake = excluded.last_intake,
      engine = excluded.engine,
      state = excluded.state`,
    values: [
      changed.map(({ merchantId }) => merchantId),
      changed.map(({ lastSequence }) => lastSequence),
      changed.map(({ lastIntake }) => lastIntake),
      changed.map(({ engine }) => engine),
      changed.map(({ state }) => state),
    ],
  });
}
