// What a run concluded of findings: written, and where they changed state, moved with a line of history. Refuses to forget: a
// finding that is gone is resolved, one that was put right is settled, one that comes back is reopened.

import type pg from 'pg';
import type { AuditReport, Finding } from '../../domain/finding.ts';
import type { Lease } from '../merchants/merchant-lock.ts';
import { storableJson } from '../server/storable-text.ts';
import { type FindingState, saidSettled, stateIn } from './findings.ts';

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

/** What of a conclusion is about findings. */
export interface ConcludedFindings {
  readonly lease: Lease;
  readonly runId: number;
  /** The instant at which the run started: the engine's decisions bear it. */
  readonly at: number;
  readonly report: AuditReport;
  /** A kind that was looked for only in part: those outside `judged` (fingerprints) are not gone, they were not sought. */
  readonly soughtInPart?: { readonly kind: string; readonly judged: ReadonlySet<string> } | undefined;
}

export interface SavedFindings {
  readonly changes: FindingChanges;
  /** Fingerprints of the confirmed roots that were none before, sorted. */
  readonly news: readonly string[];
}

/** In the order of what was concluded; the merchants' heads are locked. */
export async function saveFindings(
  client: pg.ClientBase,
  concluded: readonly ConcludedFindings[],
): Promise<readonly SavedFindings[]> {
  const known = await lockFindings(client, concluded);
  const saved: SavedFindings[] = [];
  for (const one of concluded) saved.push(await saveOf(client, one, known.get(one.lease.merchantId) ?? new Map()));
  return saved;
}

async function saveOf(
  client: pg.ClientBase,
  concluded: ConcludedFindings,
  states: ReadonlyMap<string, KnownFinding>,
): Promise<SavedFindings> {
  const { report, soughtInPart, ...scope } = concluded;
  const reported = new Map(report.findings.map((finding) => [finding.fingerprint, finding]));
  const added = [...reported.keys()].filter((fingerprint) => !states.has(fingerprint)).sort();
  const wasSought = ({ kind, fingerprint }: KnownFinding): boolean =>
    soughtInPart?.kind !== kind || soughtInPart.judged.has(fingerprint);
  const standOf = ({ fingerprint }: KnownFinding) => stateIn(reported.get(fingerprint));
  const gone = fingerprintsIn(states, (one) => one.state === 'resolved' && standOf(one) === 'open');
  const reopened = fingerprintsIn(states, (one) => REST.has(one.state) && standOf(one) === 'open');
  const resolved = fingerprintsIn(
    states,
    (one) => one.state !== 'resolved' && !reported.has(one.fingerprint) && wasSought(one),
  );
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
  const changes = {
    added,
    resolved,
    settled: settled.map(({ fingerprint }) => fingerprint).sort(),
    reopened: [...gone, ...reopened].sort(),
  };
  return { changes, news: newsIn(report, states) };
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

type Scope = Pick<ConcludedFindings, 'lease' | 'runId' | 'at'>;

/**
 * By merchant and fingerprint. Locks what may change, merchants in the order of their numbers, findings in that of their
 * fingerprints: those in force and those reported now.
 */
async function lockFindings(
  client: pg.ClientBase,
  concluded: readonly ConcludedFindings[],
): Promise<ReadonlyMap<number, ReadonlyMap<string, KnownFinding>>> {
  const reported = concluded.flatMap(({ report }) => report.findings);
  const answer = await client.query<KnownFinding & { readonly merchantId: number }>({
    name: 'lock findings',
    text: `select merchant_id as "merchantId", fingerprint, kind, state,
      content ->> 'status' = 'confirmed' and content ->> 'causedBy' is null as "wasRoot"
    from findings
    where merchant_id = any ($1::bigint[]) and (state <> 'resolved' or fingerprint = any ($2::text[]))
    order by merchant_id, fingerprint
    for update`,
    values: [concluded.map(({ lease }) => lease.merchantId), reported.map(({ fingerprint }) => fingerprint)],
  });
  const byMerchant = Map.groupBy(answer.rows, ({ merchantId }) => merchantId);
  return new Map(
    [...byMerchant].map(([merchantId, rows]) => [merchantId, new Map(rows.map((row) => [row.fingerprint, row]))]),
  );
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
