// Writes the findings of a run that are new or changed, and moves findings whose state has changed,
// with a row of history each. Deletes none: a finding that is gone is resolved, one that was put
// right is settled, and one that comes back is reopened. A person's decision that is newer than the
// decisions by which the report was judged is never undone: the next run judges by it.

import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type pg from 'pg';
import {
  type AuditReport,
  type Finding,
  type FindingState,
  standingOf,
} from '../../../core/domain/finding.ts';
import { parseInstant } from '../../../core/domain/instant.ts';
import type { StandingDecision } from '../../../core/domain/settlement.ts';
import { addDeliveries } from '../deliveries/outbox.ts';
import type { Lease } from '../merchants/merchant-lock.ts';
import {
  addingTo,
  anyOf,
  ask,
  build,
  by,
  inPieces,
  prepare,
  type Slots,
  unnest,
} from '../server/ask.ts';
import { storableJson } from '../server/storable-text.ts';
import { handOn, successorsOf } from './changed-kinds.ts';
import {
  becomingReason,
  type Decided,
  lastSightOf,
  type Move,
  moveFindings,
  reopeningReason,
  settlingReason,
} from './findings.ts';
import { loadDecidedSince } from './standing-decisions.ts';

/** Fingerprints whose state this conclusion changed, sorted. */
export interface FindingChanges {
  readonly added: readonly string[];
  readonly resolved: readonly string[];
  readonly settled: readonly string[];
  readonly reopened: readonly string[];
  /**
   * Findings that succeed one of another kind or at another line. They are in none of the other
   * lists, because they are neither new nor resolved.
   */
  readonly changed: readonly string[];
}

/** The engine's name in the history of decisions. */
const ENGINE = 'pointage';

export interface ConcludedFindings {
  readonly lease: Lease;
  readonly runId: number;
  /** The instant at which the run started: the engine's decisions bear it. */
  readonly at: number;
  readonly report: AuditReport;
  /**
   * For each kind that the run looked for only in part, the fingerprints that it did look for.
   * Other findings of that kind keep their state.
   */
  readonly judgedFingerprints?: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  /**
   * The decisions by which the report was judged; absent when it was judged by all that there are.
   */
  readonly decisions?: readonly StandingDecision[] | undefined;
  /**
   * Returns the deliveries that announce the moves of findings; absent when nothing is announced.
   */
  readonly announceDecisions?: Move['announce'];
}

export interface SavedFindings {
  readonly changes: FindingChanges;
  /** Fingerprints of the confirmed roots that were none before, sorted. */
  readonly news: readonly string[];
}

/**
 * Saves findings and returns the changes in the order of `concluded`. The caller must hold the
 * locks of the merchants' heads, so that no finding changes meanwhile: a person's decision locks
 * the head too.
 */
export async function saveFindings(
  client: pg.ClientBase,
  concluded: readonly ConcludedFindings[],
): Promise<readonly SavedFindings[]> {
  const merchantIds = concluded.map(({ lease }) => lease.merchantId);
  const fingerprints = concluded.flatMap(({ report }) => report.findings.map(fingerprintOf));
  const known = await ask(client, knownFindings({ merchantIds, fingerprints }));
  const newer = await ask(
    client,
    newerRuns({
      merchantIds,
      runId: concluded.reduce(
        (least, { runId }) => Math.min(least, runId),
        Number.MAX_SAFE_INTEGER,
      ),
    }),
  );
  const knownOf = Map.groupBy(known.rows, ({ merchantId }) => merchantId);
  const saved: SavedFindings[] = [];
  for (const one of concluded) {
    const isOvertaken = newer.rows.some(
      (run) => run.merchantId === one.lease.merchantId && run.runId > one.runId,
    );
    const states = new Map(
      knownOf.get(one.lease.merchantId)?.map((finding) => [finding.fingerprint, finding]),
    );
    saved.push(await saveOf(client, { ...one, seenBy: isOvertaken ? one.runId : null }, states));
  }
  return saved;
}

async function saveOf(
  client: pg.ClientBase,
  concluded: ConcludedFindings & Scope,
  states: ReadonlyMap<string, KnownFinding>,
): Promise<SavedFindings> {
  const { report } = concluded;
  const since = await decidedSince(client, concluded, states);
  const reported = new Map(report.findings.map((finding) => [finding.fingerprint, finding]));
  const moves = compare(concluded, { states, reported, since });
  const { added, gone, reopened, resolved, settled, successors, joined, standing } = moves;
  const firstSeen = new Map(
    [...successors].map(
      ([from, { fingerprint }]) => [fingerprint, states.get(from)!.firstSeenRun] as const,
    ),
  );
  const written = standing.filter(
    (finding) => !isSame(finding, states.get(finding.fingerprint), concluded),
  );
  await writeFindings(client, concluded, { findings: written, firstSeen });
  const { merchantId } = concluded.lease;
  for (const [from, { fingerprint }] of successors)
    await handOn(client, merchantId, { from, to: fingerprint });
  const seen = new Set([
    ...standing.map(fingerprintOf),
    ...resolved,
    ...successors.keys(),
    ...joined.keys(),
  ]);
  const isUnseen = (one: KnownFinding) => one.lastSeenRun === null && !seen.has(one.fingerprint);
  await endSight(client, concluded, fingerprintsIn(states, isUnseen));
  const wordOf = new Map(
    concluded.decisions?.filter(({ over }) => over === null).map((one) => [one.fingerprint, one]),
  );
  const back = new Set(gone);
  await moveAll(client, concluded, [
    ...inGroups('reopen', [...gone, ...reopened], (one) =>
      back.has(one) ? 'Found again.' : reopeningReason(reported.get(one)!, wordOf.get(one)),
    ),
    ...inGroups('become', [...successors.keys()], (one) => becomingReason(successors.get(one)!)),
    ...inGroups('become', [...joined.keys()], (one) => becomingReason(joined.get(one)!)),
    { action: 'resolve', reason: 'No longer found.', fingerprints: resolved },
    ...inGroups('settle', settled, (one) => settlingReason(reported.get(one)!)),
  ]);
  const changes = {
    added: added.sort(),
    resolved,
    settled: settled.sort(),
    reopened: [...gone, ...reopened].sort(),
    changed: [...firstSeen.keys()].sort(),
  };
  return { changes, news: newsIn(report, states).filter((fingerprint) => !since.has(fingerprint)) };
}

interface Compared {
  readonly states: ReadonlyMap<string, KnownFinding>;
  readonly reported: ReadonlyMap<string, Finding>;
  /**
   * Fingerprints of findings about which a person has decided since the report was judged. Their
   * states stay.
   */
  readonly since: ReadonlySet<string>;
}

/**
 * Compares the report with the stored findings and returns what changes. `added` are new, `gone`
 * were resolved and are found again, `reopened` were settled or accepted and are no longer,
 * `resolved` are no longer found, `settled` were put right. `successors` and `joined` map a finding
 * that has ended to the one it has become. `standing` are the findings of the report that are
 * certain enough to be written.
 */
function compare(
  { report, judgedFingerprints }: ConcludedFindings,
  { states, reported, since }: Compared,
) {
  // When the source's clock is behind, the run did not look for newer findings. When the clock is
  // behind or unknown, confirmed findings stay confirmed.
  const codes = new Set(report.notChecked.map(({ code }) => code));
  const isBehind = codes.has('CLOCK_BEHIND');
  const isUnsure = isBehind || codes.has('CLOCK_UNKNOWN');
  const wasSought = ({ kind, fingerprint }: KnownFinding): boolean =>
    judgedFingerprints?.get(kind)?.has(fingerprint) ?? true;
  const standOf = ({ fingerprint }: KnownFinding) => {
    const found = since.has(fingerprint) ? undefined : reported.get(fingerprint);
    return found === undefined ? null : standingOf(found);
  };
  const ended = fingerprintsIn(
    states,
    (one) =>
      !isBehind && one.state !== 'resolved' && !reported.has(one.fingerprint) && wasSought(one),
  );
  const joined = joinedIn(
    ended.map((one) => states.get(one)!.content),
    report.findings.filter(
      ({ fingerprint }) => states.get(fingerprint)?.content.figures.gathered === undefined,
    ),
  );
  const unknown = [...reported.keys()].filter((fingerprint) => !states.has(fingerprint));
  const found = fingerprintsIn(
    states,
    (one) => one.state === 'resolved' && standOf(one) === 'open',
  );
  const successors = successorsOf(
    ended.filter((one) => !joined.has(one)).map((one) => states.get(one)!.content),
    [...unknown, ...found].map((one) => reported.get(one)!),
  );
  const changed = new Set([...successors.values()].map(fingerprintOf));
  return {
    successors,
    joined,
    added: unknown.filter((one) => !changed.has(one)),
    gone: found.filter((one) => !changed.has(one)),
    reopened: fingerprintsIn(states, (one) => REST.has(one.state) && standOf(one) === 'open'),
    resolved: ended.filter((one) => !successors.has(one) && !joined.has(one)),
    settled: [...reported.values()]
      .filter(
        (finding) =>
          standingOf(finding) === 'settled' && states.get(finding.fingerprint)?.state !== 'settled',
      )
      .map(fingerprintOf)
      .filter((one) => !since.has(one)),
    standing: [...reported.values()].filter(
      ({ status, fingerprint }) => !isUnsure || status === 'confirmed' || !states.has(fingerprint),
    ),
  };
}

/**
 * Returns, by fingerprint of an ended finding, the gathered finding that includes it now, with all
 * others of its kind. `findings` must hold only findings that were not gathered before.
 */
function joinedIn(
  ended: readonly Finding[],
  findings: readonly Finding[],
): ReadonlyMap<string, Finding> {
  const gathered = findings.filter(({ figures }) => figures.gathered !== undefined);
  return new Map(
    ended.flatMap(({ fingerprint, kind, causedBy }) => {
      const now = gathered.find(
        (one) => one.kind === kind && (one.causedBy === null) === (causedBy === null),
      );
      return now === undefined ? [] : [[fingerprint, now] as const];
    }),
  );
}

/** Groups the fingerprints into one move for each reason. */
function inGroups<Action extends Move['action']>(
  action: Action,
  fingerprints: readonly string[],
  reasonOf: (fingerprint: string) => string,
) {
  return [...Map.groupBy(fingerprints, reasonOf)].map(([reason, some]) => ({
    action,
    reason,
    fingerprints: some,
  }));
}

/**
 * Returns the findings about which people have decided since the report was judged. They are looked
 * up only when the report would change the state of a finding.
 */
async function decidedSince(
  client: pg.ClientBase,
  { lease, report, decisions }: ConcludedFindings,
  states: ReadonlyMap<string, KnownFinding>,
): Promise<ReadonlySet<string>> {
  const isMoved = report.findings.some((finding) => {
    const [known, now] = [states.get(finding.fingerprint)?.state, standingOf(finding)];
    return known !== undefined && known !== now && (REST.has(known) || now === 'settled');
  });
  return isMoved && decisions !== undefined
    ? loadDecidedSince(client, lease.merchant, decisions)
    : new Set();
}

/**
 * Makes the moves and announces their decisions together, because there may be one move for each
 * finding.
 */
async function moveAll(
  client: pg.ClientBase,
  { lease: { merchantId }, runId, at, announceDecisions }: ConcludedFindings,
  moves: readonly Pick<Move, 'action' | 'reason' | 'fingerprints'>[],
): Promise<void> {
  const decided: (readonly Decided[])[] = [];
  const collect = (some: readonly Decided[]) => {
    decided.push(some);
    return [];
  };
  const announce = announceDecisions && collect;
  for (const move of moves)
    await moveFindings(client, {
      ...move,
      merchantId,
      by: ENGINE,
      at,
      runId,
      terms: null,
      announce,
    });
  if (announceDecisions !== undefined)
    await addDeliveries(client, announceDecisions(decided.flat()), at);
}

const fingerprintOf = ({ fingerprint }: Finding): string => fingerprint;

function isSame(finding: Finding, known: KnownFinding | undefined, { seenBy }: Scope): boolean {
  return (
    known?.lastSeenRun === seenBy &&
    isDeepStrictEqual(known.content, JSON.parse(storableJson(finding)))
  );
}

/**
 * Returns the fingerprints, sorted, of confirmed and open roots that were not so before. A
 * provisional finding becomes news once it is confirmed, and a finding that followed from a root
 * once that root is gone.
 */
function newsIn(report: AuditReport, states: ReadonlyMap<string, KnownFinding>): readonly string[] {
  return report.findings
    .filter(
      (finding) =>
        finding.status === 'confirmed' &&
        finding.causedBy === null &&
        standingOf(finding) === 'open',
    )
    .map(({ fingerprint }) => fingerprint)
    .filter((fingerprint) => {
      const known = states.get(fingerprint);
      if (known === undefined || known.state === 'resolved' || REST.has(known.state)) return true;
      return !known.is_root || !known.is_confirmed;
    })
    .sort();
}

/** States that end by themselves once the correction or the decision no longer holds. */
const REST: ReadonlySet<FindingState> = new Set(['settled', 'accepted']);

/**
 * `content` is the finding as it was last reported. `lastSeenRun` is `null` when the newest run of
 * its merchant saw it.
 */
type KnownFinding = ReturnType<typeof knownFindings>['row'] & object;

interface Scope extends Pick<ConcludedFindings, 'lease' | 'runId' | 'at'> {
  /**
   * The value for `last_seen_run` of the findings that the run saw: `null`, which means the
   * merchant's newest run, or the run itself when a newer run has concluded before it.
   */
  readonly seenBy: number | null;
}

const newerRuns = prepare(
  'newer runs',
  (at: Slots<{ readonly merchantIds: readonly number[]; readonly runId: number }>) =>
    build
      .selectFrom('run_merchants')
      .select(['merchant_id as merchantId', 'run_id as runId'])
      .where('merchant_id', '=', anyOf('bigint', at('merchantIds')))
      .where('run_id', '>', at('runId')),
);

/**
 * Selects findings that are not resolved and findings with one of the reported fingerprints. It
 * uses `in`, which looks a fingerprint up, because `any` would compare each row with every reported
 * fingerprint.
 */
const knownFindings = prepare(
  'known findings',
  (
    at: Slots<{
      readonly merchantIds: readonly number[];
      readonly fingerprints: readonly string[];
    }>,
  ) =>
    build
      .selectFrom('findings')
      .select([
        'merchant_id as merchantId',
        'fingerprint',
        'kind',
        'state',
        'is_root',
        'is_confirmed',
      ])
      .select(['first_seen_run as firstSeenRun', 'last_seen_run as lastSeenRun'])
      .select(({ ref }) => ref('content').$castTo<Finding>().as('content'))
      .where('merchant_id', '=', anyOf('bigint', at('merchantIds')))
      .where(({ eb, or, selectFrom }) => {
        const given = selectFrom(unnest('given', { fingerprint: ['text', at('fingerprints')] }));
        return or([
          eb('state', '<>', sql.lit('resolved')),
          eb('fingerprint', 'in', given.select('given.fingerprint')),
        ]);
      })
      .$call(by('merchant_id', 'fingerprint')),
);

function fingerprintsIn(
  states: ReadonlyMap<string, KnownFinding>,
  matches: (known: KnownFinding) => boolean,
): readonly string[] {
  return [...states.values()].filter(matches).map(({ fingerprint }) => fingerprint);
}

async function writeFindings(
  client: pg.ClientBase,
  { lease: { merchantId }, runId, seenBy }: Scope,
  {
    findings,
    firstSeen,
  }: { readonly findings: readonly Finding[]; readonly firstSeen: ReadonlyMap<string, number> },
): Promise<void> {
  const rows = findings.map((finding) => ({
    merchant_id: merchantId,
    fingerprint: finding.fingerprint,
    kind: finding.kind,
    severity: finding.severity,
    state: 'open' as const,
    first_seen_run: firstSeen.get(finding.fingerprint) ?? runId,
    last_seen_run: seenBy,
    content: finding,
    currency: finding.currency,
    item_at: finding.itemAt === null ? null : parseInstant(finding.itemAt),
  }));
  for (const part of inPieces(rows))
    await ask(
      client,
      writtenFindings(part.map((row) => ({ ...row, content: storableJson(row.content) }))),
    );
}

/**
 * Stores the run that last saw these findings, for findings that this run neither saw nor resolved.
 */
async function endSight(
  client: pg.ClientBase,
  { lease: { merchantId }, runId }: Scope,
  fingerprints: readonly string[],
): Promise<void> {
  if (fingerprints.length === 0) return;
  const end = build
    .updateTable('findings as f')
    .set({ last_seen_run: lastSightOf({ merchantId, runId }) })
    .where(({ and }) => and({ merchant_id: merchantId, fingerprint: anyOf('text', fingerprints) }));
  await ask(client, end);
}

const writtenFindings = addingTo(
  'findings',
  {
    bigint: ['merchant_id', 'first_seen_run', 'last_seen_run', 'item_at'],
    text: ['fingerprint', 'kind', 'severity', 'state', 'currency'],
    jsonb: ['content'],
  },
  {
    name: null,
    key: ['merchant_id', 'fingerprint'],
    taken: { replaceAllBut: ['state', 'first_seen_run'] },
  },
);
