// Stored findings: their states, and the decisions by which the engine and people move them.
// Refuses a person's decision without a reason or a name, and one that changes nothing.

import { expressionBuilder, sql } from 'kysely';
import type pg from 'pg';
import type { Database } from '../../../../sql/tables.d.ts';
import type { NewDelivery } from '../../../core/domain/delivery/delivery.ts';
import {
  type Finding,
  type FindingState,
  OPEN_STATES,
  type Severity,
} from '../../../core/domain/finding.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import { amountOf, changedSince, groundsOf } from '../../../core/domain/operators/grounds.ts';
import {
  type DecisionTerms,
  namedLines,
  type StandingDecision,
} from '../../../core/domain/settlement.ts';
import { addDeliveries } from '../deliveries/outbox.ts';
import { lockHeadsOf } from '../merchants/merchant-lock.ts';
import { merchantIdOf } from '../merchants/merchants.ts';
import { anyOf, ask, build, by } from '../server/ask.ts';
import { inTransaction } from '../server/connections.ts';
import { storableJson, storableText } from '../server/storable-text.ts';
import { type Store, StoreFailed } from '../server/store.ts';

/** The decisions of people: each moves a finding to another state. */
export const VERBS = ['acknowledge', 'settle', 'accept', 'reopen'] as const;
/** The notes of people: a note leaves the finding's state as it is. */
export const NOTES = ['comment', 'assign', 'label', 'due'] as const;
export const FINDING_ACTIONS = [...VERBS, ...NOTES] as const;
export type FindingAction = (typeof FINDING_ACTIONS)[number];
export type Note = (typeof NOTES)[number];

/** The text of an `assign` or `due` note that removes the owner or the due day. */
export const NONE = '-';

/**
 * All actions in a finding's history. `resolve` and `become` are the engine's: the finding is no
 * longer found, or it goes on as another finding. In earlier versions people could resolve too.
 */
export const STORED_ACTIONS = [...FINDING_ACTIONS, 'resolve', 'become'] as const;
export type StoredAction = (typeof STORED_ACTIONS)[number];

export interface FindingDecision {
  readonly action: StoredAction;
  readonly stateBefore: FindingState;
  readonly stateAfter: FindingState;
  readonly reason: string;
  readonly by: string;
  readonly at: Instant;
  /**
   * The figures and lines on which a person's decision rests. `null` for a decision that holds for
   * good, and for a decision of the engine.
   */
  readonly terms: DecisionTerms | null;
  /** The run in which the engine decided; null when a person did. */
  readonly runId: number | null;
}

/** States of a root that the findings which follow from it take over. */
export const HANDED_ON: readonly FindingState[] = ['acknowledged', 'settled', 'accepted'];

/** Selects the root of the query's finding `f`, if the root is in one of `states`. */
export function rootIn(states: readonly FindingState[]) {
  return build
    .selectFrom('findings as root')
    .select('root.state')
    .where('root.merchant_id', '=', sql.ref<number>('f.merchant_id'))
    .where('root.fingerprint', '=', sql.ref<string>('f.caused_by'))
    .where('root.state', 'in', states);
}

/**
 * The state of the query's finding `f` as people see it: the state of its root where `f` is not
 * resolved and the root is in one of HANDED_ON, else the state of `f` itself.
 */
export const STATE = expressionBuilder<Database & { readonly f: Database['findings'] }, 'f'>()
  .case()
  .when('f.state', '=', sql.lit('resolved'))
  .then(sql.ref<FindingState>('f.state'))
  .else(build.fn.coalesce(rootIn(HANDED_ON), sql.ref<FindingState>('f.state')))
  .end();

/**
 * A condition that STATE is one of `states`. It is faster than comparing STATE itself, because it
 * finds the few roots that were decided about instead of looking up every finding's root.
 */
export function isIn(...states: readonly FindingState[]) {
  const { exists, not, and, or, eb } = expressionBuilder<
    Database & { readonly f: Database['findings'] },
    'f'
  >();
  const isResolved = eb('f.state', '=', sql.lit('resolved'));
  const own = and([eb('f.state', 'in', states), or([isResolved, not(exists(rootIn(HANDED_ON)))])]);
  const handed = states.filter((state) => HANDED_ON.includes(state));
  return handed.length === 0 ? own : or([own, and([not(isResolved), exists(rootIn(handed))])]);
}

/**
 * Loads the fingerprints of the merchant's findings that a run has confirmed and that are not
 * resolved.
 */
export async function loadConfirmedFingerprints(
  store: Store,
  merchantId: number,
): Promise<ReadonlySet<string>> {
  const query = build
    .selectFrom('findings')
    .select('fingerprint')
    .where('merchant_id', '=', merchantId)
    .where('state', '<>', 'resolved')
    .where('is_confirmed', '=', sql.lit(true));
  const { rows } = await ask(store.pool, query);
  return new Set(rows.map((row) => row.fingerprint));
}

/**
 * Loads the merchant's findings that are not resolved, as a run last reported them, by fingerprint.
 */
export async function loadOpenContents(
  store: Store,
  merchant: string,
): Promise<readonly Finding[]> {
  const load = build
    .selectFrom('findings')
    .select(({ ref }) => ref('content').$castTo<Finding>().as('finding'))
    .where('merchant_id', '=', merchantIdOf(merchant))
    .where('state', '<>', 'resolved')
    .$call(by('fingerprint'));
  return (await ask(store.pool, load)).rows.map(({ finding }) => finding);
}

export function settlingReason({ settledBy }: Finding): string {
  return `Corrected by ${namedLines(settledBy!.lines)}.`;
}

/** The engine's reason in the history of a finding that goes on as `finding`. */
export function becomingReason({ kind, fingerprint }: Finding): string {
  return `It is ${kind} ${fingerprint} now.`;
}

/**
 * Returns the reason with which the engine reopens a finding. `decision` is the person's decision
 * that settled or accepted the finding; `undefined` when lines that name the fault had settled it.
 */
export function reopeningReason(finding: Finding, decision: StandingDecision | undefined): string {
  if (decision === undefined) return 'The lines that settled it do so no more.';
  const { action, terms } = decision;
  const is = amountOf(groundsOf(finding));
  const was = amountOf(terms);
  const past = action === 'settle' ? 'settled' : 'accepted';
  switch (changedSince(finding, decision)) {
    case 'limit':
      return `It was accepted up to ${terms.limit}, and is ${is} now.`;
    case 'lines':
      return `What it was settled by, ${linesOf(terms)}, is not in the ledger as it was.`;
    case 'amount':
      return is === was
        ? `It was ${past} with other figures.`
        : `It was ${past} at ${was}, and is ${is} now.`;
    case 'evidence':
      return `It was ${past} when it named other lines or operations.`;
    case null:
      return terms.until === null
        ? `${linesOf(terms)} counts for another finding.`
        : `It was accepted until ${terms.until}.`;
  }
}

function linesOf({ lines }: DecisionTerms): string {
  return namedLines(lines.map(({ sequence }) => sequence));
}

/**
 * Returns the deliveries that announce decisions. It is called in the transaction that saves them.
 * `undefined` announces nothing.
 */
export type AnnounceDecisions =
  | ((decisions: readonly Decided[]) => readonly NewDelivery[])
  | undefined;

interface Decision extends Pick<FindingDecision, 'reason' | 'by' | 'at'>, Pick<Move, 'announce'> {
  readonly action: FindingAction;
  /** The whole fingerprint. */
  readonly fingerprint: string;
  /** The figures and lines on which it rests; absent or `null` when it holds for good. */
  readonly terms?: DecisionTerms | null;
  /**
   * Called while the merchant's head is locked, so that no other decision about the merchant can
   * come in between. Must throw when this decision can no longer be taken.
   */
  readonly check?: (client: pg.ClientBase) => Promise<void>;
  /**
   * For `reopen`: the person takes back a settlement. Then the finding may be open already, because
   * a run may have ended the settlement.
   */
  readonly takesBack?: boolean;
}

type Verb = Exclude<StoredAction, Note>;

/**
 * For each verb, the states in which it is allowed, and the state to which it moves the finding.
 */
const MOVES: Readonly<
  Record<Verb, { readonly from: readonly FindingState[]; readonly to: FindingState }>
> = {
  acknowledge: { from: ['open'], to: 'acknowledged' },
  resolve: { from: OPEN_STATES, to: 'resolved' },
  become: { from: ['open', 'acknowledged', 'settled', 'accepted'], to: 'resolved' },
  settle: { from: [...OPEN_STATES, 'accepted'], to: 'settled' },
  accept: { from: [...OPEN_STATES, 'accepted'], to: 'accepted' },
  reopen: { from: ['acknowledged', 'settled', 'accepted', 'resolved'], to: 'open' },
};

/** Returns the decisions that a person may take about a finding in this state. */
export function verbsFrom(state: FindingState): readonly (typeof VERBS)[number][] {
  return VERBS.filter((verb) => MOVES[verb].from.includes(state));
}

export function isNote(action: StoredAction): action is Note {
  return (NOTES as readonly string[]).includes(action);
}

/**
 * Returns the state to which the action leads. Throws `StoreFailed` (DECISION_REFUSED) when the
 * action is not allowed in `state`.
 */
export function requireMove(state: FindingState, action: FindingAction): FindingState {
  if (isNote(action)) return state;
  if (MOVES[action].from.includes(state)) return MOVES[action].to;
  throw refused(`The finding is ${state} already${USE_COMMENT[action] ?? ''}.`);
}

/**
 * Takes a person's decision or note and returns the new state. Throws `StoreFailed`
 * (UNKNOWN_FINDING, DECISION_REFUSED).
 */
export async function decideFinding(store: Store, decision: Decision): Promise<FindingState> {
  return inTransaction(store, async (client) => {
    const find = build
      .selectFrom('findings')
      .select(['merchant_id', 'state', 'labels'])
      .where('fingerprint', '=', decision.fingerprint);
    const found = (await ask(client, find)).rows[0];
    if (found === undefined)
      throw new StoreFailed('UNKNOWN_FINDING', `There is no finding ${decision.fingerprint}.`);
    // A run or another decision may have moved it before this one locked the head.
    await lockHeadsOf(client, [found.merchant_id]);
    const { state, labels } = (await ask(client, find.where('merchant_id', '=', found.merchant_id)))
      .rows[0]!;
    const next =
      decision.takesBack === true && state === 'open' ? state : requireMove(state, decision.action);
    await decision.check?.(client);
    await moveFindings(client, moveOf(decision, { merchantId: found.merchant_id, labels }));
    return next;
  });
}

/** The merchant of a finding, and the labels that the finding has before the decision. */
interface Place extends Pick<Move, 'merchantId'> {
  readonly labels: readonly string[];
}

/**
 * Takes several decisions, all or none. The caller must have checked that the findings' states
 * allow them. `check` is called while the merchants' heads are locked, so that nothing else can
 * move their findings; it must throw when the findings are no longer as the caller saw them.
 */
export async function decideFindings(
  store: Store,
  decisions: readonly (Decision & Place)[],
  check: (client: pg.ClientBase) => Promise<void>,
): Promise<void> {
  await inTransaction(store, async (client) => {
    await lockHeadsOf(client, [...new Set(decisions.map(({ merchantId }) => merchantId))]);
    await check(client);
    for (const decision of decisions) await moveFindings(client, moveOf(decision, decision));
  });
}

function moveOf(
  { fingerprint, action, reason, by, at, announce, terms = null }: Decision,
  { merchantId, labels }: Place,
): Move {
  if (reason.trim() === '') throw refused('A decision needs a reason.');
  if (by.trim() === '') throw refused('A decision needs the name of the person who takes it.');
  const words = {
    reason: storableText(reason.trim()),
    by: storableText(by.trim()),
    at,
    announce,
    terms,
    runId: null,
  };
  const after = action === 'label' ? labelsAfter(labels, reason) : [];
  return { merchantId, fingerprints: [fingerprint], action, ...words, labels: after };
}

const USE_COMMENT: Partial<Record<FindingAction, string>> = {
  acknowledge: '; to add to what was said, use comment',
};

export interface Move extends Omit<FindingDecision, 'stateBefore' | 'stateAfter'> {
  readonly merchantId: number;
  readonly fingerprints: readonly string[];
  /** For `label`: all labels of the finding from now on. */
  readonly labels?: readonly string[];
  readonly announce?: AnnounceDecisions;
}

/**
 * Changes the findings and adds one row of history for each. The caller must hold the lock of the
 * merchant's head.
 */
export async function moveFindings(client: pg.ClientBase, move: Move): Promise<void> {
  const { merchantId, fingerprints, action, reason, by, at, runId, terms, announce } = move;
  if (fingerprints.length === 0) return;
  if (announce !== undefined)
    await addDeliveries(client, announce(await loadDecided(client, move)), at);
  const change = build
    .with('moved', (from) =>
      from
        .selectFrom('findings as f')
        .leftJoin('finding_decisions as d', (join) =>
          join
            .onRef('d.merchant_id', '=', 'f.merchant_id')
            .onRef('d.fingerprint', '=', 'f.fingerprint'),
        )
        .select(({ fn, lit }) => [
          'f.merchant_id',
          'f.fingerprint',
          'f.state',
          fn.coalesce(fn.max('d.decision_number'), lit(0)).as('last_number'),
        ])
        .where(({ and }) =>
          and({ 'f.merchant_id': merchantId, 'f.fingerprint': anyOf('text', fingerprints) }),
        )
        .groupBy(['f.merchant_id', 'f.fingerprint']),
    )
    .with('changed', (from) =>
      from
        .updateTable('findings as f')
        .from('moved as m')
        .set(changeBy(move))
        // The merchant is named here because Citus refuses a subquery under `coalesce` in an update
        // of several merchants' rows.
        .where('f.merchant_id', '=', merchantId)
        .whereRef('f.fingerprint', '=', 'm.fingerprint'),
    )
    .insertInto('finding_decisions')
    .columns(DECISION)
    .expression((from) =>
      from
        .selectFrom('moved')
        .select(({ eb, val }) => [
          'merchant_id',
          'fingerprint',
          eb('last_number', '+', 1).as('decision_number'),
          val(action).as('action'),
          'state as state_before',
          isNote(action) ? 'state as state_after' : val<string>(MOVES[action].to).as('state_after'),
          val(reason).as('reason'),
          val(by).as('decided_by'),
          val(at).as('decided_at'),
          val(runId).as('run_id'),
          val(terms === null ? null : storableJson(terms)).as('terms'),
        ]),
    );
  await ask(client, change);
}

/**
 * Loads the findings of a move as they are before it, with the number that the new decision will
 * have.
 */
async function loadDecided(client: pg.ClientBase, move: Move) {
  const { merchantId, fingerprints, action, reason, by, runId } = move;
  const load = build
    .selectFrom('findings as f')
    .innerJoin('merchants as m', 'm.merchant_id', 'f.merchant_id')
    .select(({ ref, selectFrom }) => [
      ...(['m.reference as merchant', 'f.fingerprint', 'f.kind', 'f.owner', 'f.state'] as const),
      ref('f.severity').$castTo<Severity>().as('severity'),
      // True for a confirmed root, unless this run was the first to find it.
      sql<boolean>`f.is_root and f.is_confirmed and f.first_seen_run is distinct from ${runId}`.as(
        'isRoot',
      ),
      selectFrom('finding_decisions as d')
        .select(sql<number>`count(*) + 1`.as('next'))
        .whereRef('d.merchant_id', '=', 'f.merchant_id')
        .whereRef('d.fingerprint', '=', 'f.fingerprint')
        .$asScalar()
        .$notNull()
        .as('number'),
    ])
    .where(({ and }) =>
      and({ 'f.merchant_id': merchantId, 'f.fingerprint': anyOf('text', fingerprints) }),
    );
  return (await ask(client, load)).rows.map((row) => ({ ...row, action, reason, by, runId }));
}

export type Decided = Awaited<ReturnType<typeof loadDecided>>[number];

function changeBy(move: Move) {
  const { action, reason, labels = [] } = move;
  const value = reason === NONE ? null : reason;
  if (action === 'comment') return { state: sql<FindingState>`f.state` };
  if (action === 'assign') return { owner: value };
  if (action === 'due') return { due_on: value };
  if (action === 'label') return { labels };
  return {
    state: MOVES[action].to,
    ...(MOVES[action].to === 'resolved' ? { last_seen_run: lastSightOf(move) } : {}),
  };
}

/**
 * Returns the run that last saw the finding `f`, for a finding that the run of the move does not
 * see. A stored `null` means the merchant's newest run, so it becomes the newest run but for this
 * one.
 */
export function lastSightOf({ merchantId, runId }: Pick<Move, 'merchantId' | 'runId'>) {
  const newest = build
    .selectFrom('run_merchants')
    .select(({ fn }) => fn.max('run_id').as('run'))
    .where('merchant_id', '=', merchantId)
    .where('run_id', '<>', runId);
  return build.fn.coalesce(
    sql.ref<number>('f.last_seen_run'),
    newest,
    sql.ref<number>('f.first_seen_run'),
  );
}

function labelsAfter(labels: readonly string[], changes: string): readonly string[] {
  const signed = (sign: string) =>
    changes.split(/\s+/).flatMap((one) => (one.startsWith(sign) ? [one.slice(1)] : []));
  return [...new Set([...labels, ...signed('+')]).difference(new Set(signed('-')))].sort();
}

const DECISION = [
  'merchant_id',
  'fingerprint',
  'decision_number',
  'action',
  'state_before',
  'state_after',
  'reason',
  'decided_by',
  'decided_at',
  'run_id',
  'terms',
] as const;

export function refused(message: string): StoreFailed {
  return new StoreFailed('DECISION_REFUSED', message);
}
