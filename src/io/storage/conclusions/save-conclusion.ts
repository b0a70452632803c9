// Saves the conclusion of a run about a merchant: report, findings, checkpoint, its settlement in
// the run, and the deliveries that announce it, all in one transaction. Refuses to save a part, and
// anything under a lease that was lost.

import { hash } from 'node:crypto';
import type pg from 'pg';
import type { NewDelivery } from '../../../core/domain/delivery/delivery.ts';
import type { AuditReport } from '../../../core/domain/finding.ts';
import { headOf } from '../../evidence/chain.ts';
import { askTogether } from '../../together/ask-together.ts';
import { addDeliveries } from '../deliveries/outbox.ts';
import { type Lease, type LockedHead, leaseLost, lockHeads } from '../merchants/merchant-lock.ts';
import { addingTo, anyOf, ask, build, prepare, type Slots } from '../server/ask.ts';
import { inTransaction } from '../server/connections.ts';
import { storableJson } from '../server/storable-text.ts';
import { type Store, StoreFailed } from '../server/store.ts';
import { type Checkpoint, sealOf, withSeal } from './checkpoint.ts';
import { keepTotals, type SettledMember, type Settlement, settleMembers } from './run-members.ts';
import {
  type ConcludedFindings,
  type FindingChanges,
  type SavedFindings,
  saveFindings,
} from './save-findings.ts';

export interface Conclusion
  extends Pick<ConcludedFindings, 'judgedFingerprints' | 'decisions' | 'announceDecisions'> {
  readonly runId: number;
  readonly report: AuditReport;
  /** `null` when the stored checkpoint stays as it is. */
  readonly checkpoint: Checkpoint | null;
  /** How the merchant is settled in the run; absent when the run does not count its merchants. */
  readonly settlement?: Omit<Settlement, 'state' | 'verdict' | 'reason' | 'findings'>;
  /**
   * Returns the deliveries that announce roots. `news` holds the fingerprints of roots that are
   * confirmed now and were not before: new roots, and those that came back.
   */
  readonly announce?: (news: readonly string[]) => readonly NewDelivery[];
}

interface Concluded {
  readonly lease: Lease;
  readonly conclusion: Conclusion;
}

/**
 * Saves a conclusion. Saving the same conclusion again changes nothing more. Conclusions of several
 * merchants that are saved at about the same time share one transaction. Throws `LeaseLost`, or
 * `StoreFailed` (UNKNOWN_RUN).
 */
export function saveConclusion(
  store: Store,
  lease: Lease,
  conclusion: Conclusion,
): Promise<FindingChanges> {
  return save(store, { lease, conclusion });
}

const save = askTogether<Concluded, FindingChanges, Store>(
  (store, concluded) => inTransaction(store, (client) => saveTogether(client, concluded)),
  // The transaction waits for late merchants, because replays that begin together do not end
  // together.
  { isAwaited: true },
);

async function saveTogether(
  client: pg.ClientBase,
  concluded: readonly Concluded[],
): Promise<readonly (FindingChanges | Error)[]> {
  const leases = await lockHeads(
    client,
    concluded.map(({ lease }) => lease),
  );
  const standing = concluded.flatMap((one) => {
    const head = leases.get(one.lease);
    return head === undefined ? [] : [{ ...one, head }];
  });
  const runs = await loadRuns(client, standing);
  const found = await saveFindings(
    client,
    standing.map(({ lease, conclusion }) => ({
      ...conclusion,
      lease,
      at: runs.get(conclusion.runId)!.started_at,
    })),
  );
  await writeReports(client, standing);
  await writeCheckpoints(client, standing);
  const saved = standing.map((one, i) => ({ ...one, ...found[i]! }));
  await settle(client, saved);
  for (const [runId, { closed }] of runs) if (closed !== null) await keepTotals(client, runId);
  const changes = new Map(saved.map((one) => [one.lease, one.changes]));
  return concluded.map(({ lease }) => changes.get(lease) ?? leaseLost(lease));
}

type Saved = Concluded & SavedFindings;

/** Settles the merchants in their runs, and adds the deliveries that announce their news. */
async function settle(client: pg.ClientBase, saved: readonly Saved[]): Promise<void> {
  const settled = saved.filter(({ conclusion }) => conclusion.settlement !== undefined);
  for (const [runId, some] of Map.groupBy(settled, ({ conclusion }) => conclusion.runId))
    await settleMembers(client, runId, some.map(memberOf));
  for (const { conclusion, news } of saved) {
    const { settlement, announce } = conclusion;
    if (settlement === undefined || announce === undefined || news.length === 0) continue;
    await addDeliveries(client, announce(news), settlement.finishedAt);
  }
}

function memberOf({ lease, conclusion: { report, settlement }, changes }: Saved): SettledMember {
  const { added, resolved, settled, reopened } = changes;
  const findings = {
    added: added.length,
    resolved: resolved.length + settled.length,
    reopened: reopened.length,
  };
  const { merchantId } = lease;
  return {
    merchantId,
    ...settlement!,
    state: 'done',
    verdict: report.verdict,
    reason: null,
    findings,
  };
}

/**
 * Loads the runs, by number. `started_at` becomes the instant of the engine's decisions. `closed`
 * is set for a run that was closed early; its totals must be counted again.
 */
async function loadRuns(
  client: pg.ClientBase,
  concluded: readonly Concluded[],
): Promise<ReadonlyMap<number, { readonly started_at: number; readonly closed: string | null }>> {
  const runIds = [...new Set(concluded.map(({ conclusion }) => conclusion.runId))];
  const { rows } = await ask(client, runsNamed({ runIds }));
  const runs = new Map(rows.map((row) => [row.run_id, row]));
  const unknown = runIds.find((runId) => !runs.has(runId));
  if (unknown !== undefined) throw new StoreFailed('UNKNOWN_RUN', `There is no run ${unknown}.`);
  return runs;
}

const runsNamed = prepare('runs concluded', (at: Slots<{ readonly runIds: readonly number[] }>) =>
  build
    .selectFrom('runs')
    .select(['run_id', 'started_at', 'closed'])
    .where('run_id', '=', anyOf('bigint', at('runIds'))),
);

/** Writes each report, with the length and the head of the merchant's chain when it was made. */
async function writeReports(
  client: pg.ClientBase,
  concluded: readonly (Concluded & { readonly head: LockedHead })[],
): Promise<void> {
  const rows = concluded.map(
    ({ lease, head: { chain, entryCount }, conclusion: { runId, report } }) => ({
      merchant_id: lease.merchantId,
      run_id: runId,
      verdict: report.verdict,
      entries: report.entries,
      operations: report.operations,
      findings: report.findings.length,
      roots: report.findings.filter(({ causedBy }) => causedBy === null).length,
      report: storableJson(
        report.findings.length > MOST_REPEATED ? { ...report, findings: [] } : report,
      ),
      chain_lines: chain === null ? null : entryCount,
      chain_head: chain === null ? null : headOf({ bytes: chain }).toString('hex'),
    }),
  );
  await ask(client, writtenReports(rows));
}

/**
 * The most findings that a stored report contains. A report with more is stored without any,
 * because they are also in the table `findings`, once.
 */
const MOST_REPEATED = 1_000;

const writtenReports = addingTo(
  'run_merchants',
  {
    bigint: ['merchant_id', 'run_id', 'entries', 'operations', 'findings', 'roots', 'chain_lines'],
    text: ['verdict', 'chain_head'],
    jsonb: ['report'],
  },
  { name: 'write reports', key: ['merchant_id', 'run_id'], taken: { replaceAllBut: [] } },
);

async function writeCheckpoints(
  client: pg.ClientBase,
  concluded: readonly Concluded[],
): Promise<void> {
  const rows = concluded.flatMap(({ lease, conclusion: { checkpoint } }) => {
    if (checkpoint === null) return [];
    const { merchantId: merchant_id } = lease;
    const { lastSequence: last_sequence, lastIntake: last_intake, engine, state } = checkpoint;
    const seals = {
      digest: sealOf(merchant_id, checkpoint),
      quiet: withSeal(merchant_id, checkpoint, hash('sha256', state)),
    };
    return [{ merchant_id, last_sequence, last_intake, engine, state, ...seals }];
  });
  if (rows.length > 0) await ask(client, writtenCheckpoints(rows));
}

const writtenCheckpoints = addingTo(
  'checkpoints',
  {
    bigint: ['merchant_id', 'last_sequence', 'last_intake'],
    text: ['engine', 'state', 'digest', 'quiet'],
  },
  { name: 'write checkpoints', key: ['merchant_id'], taken: { replaceAllBut: [] } },
);
