// Moves operations from state to state: drawn steps, decisions that replace them, and adjustments,
// with the lines that they post. A slip is a mistake that the running service makes while it posts.
// It changes the lines of one posting and never an earlier line, so the ledger stays append-only
// and its running figures stay exact.

import { formatInstant } from '../../core/domain/instant.ts';
import { hasLapsed, isFinal, type OperationStatus } from '../../core/domain/operation.ts';
import { notificationAbout, notificationOf } from '../model/notifications.ts';
import { FREE_TEXTS } from '../model/operators.ts';
import { addTotals, type SlipKind, totalsOfOperation } from '../model/plan.ts';
import {
  credit,
  debit,
  feesOutsideHold,
  type Phase,
  type Post,
  postsFor,
} from '../model/postings.ts';
import { chance, drawFrom, drawInteger } from '../model/random.ts';
import type { ServedOperation } from '../model/served.ts';
import { addEvent, dropEvents } from '../model/time.ts';
import {
  addFunds,
  type Funds,
  type Life,
  notifyOf,
  operates,
  postLines,
  type Step,
  scheduleAdjustment,
  spendable,
  type WalletLife,
  type World,
} from './state.ts';

/** Takes the next step of an operation, at the present instant. */
export function takeStep(simulation: WalletLife, life: Life): void {
  const [step, ...later] = life.steps;
  life.steps = later;
  if (step!.to === 'REVERSED' && !mayReverse(simulation, life, step!)) return;
  const { operation, world } = life;
  const phase = phaseOf(step!.to);
  const before = totalsOfOperation(operation, simulation.plan.policy);
  if (phase !== null && phase !== 'REVERSAL') {
    addFunds(simulation, world, {
      promisedFees: -feesOutsideHold(operation, simulation.plan.policy),
    });
  }
  moveTo(life, step!);
  if (world !== 'DRAWN') {
    const notification = notificationOf(simulation.plan.reference, operation);
    if (notification !== null) notifyOf(simulation, notification, life.callbackUrl);
    const more = addTotals(totalsOfOperation(operation, simulation.plan.policy), before, -1);
    simulation.totals = addTotals(simulation.totals, more);
  }
  if (phase !== null) post(simulation, life, phase);
  if (phase === 'LAPSE' && world !== 'CALLED') remember(simulation, operation);
  const next = life.steps[0];
  if (next !== undefined)
    addEvent(simulation.queue, { at: next.at, event: { what: 'STEP', life } });
}

/**
 * Tells whether the operation may be reversed: a collection only while the wallet can give the
 * money back. If only one of the two worlds can, the operation is split, and the world without
 * calls goes on by itself.
 */
function mayReverse(simulation: WalletLife, life: Life, step: Step): boolean {
  const isDrawn = life.world !== 'CALLED' && canReverse(simulation.drawn, life.operation);
  const isReal = life.world !== 'DRAWN' && canReverse(simulation, life.operation);
  if (isDrawn === isReal || life.world !== 'BOTH') return isDrawn || isReal;
  if (isReal) life.world = 'CALLED';
  else
    takeStep(simulation, {
      operation: { ...life.operation },
      steps: [step, ...life.steps],
      world: 'DRAWN',
    });
  return isReal;
}

/**
 * Splits an operation before a call decides about it: the world without calls keeps the steps that
 * were drawn, and in the books they are dropped.
 */
function partLife(simulation: WalletLife, life: Life): void {
  dropEvents(simulation.queue, (event) => event.what === 'STEP' && event.life === life);
  if (life.world === 'BOTH' && life.steps.length > 0) {
    const drawn: Life = { operation: { ...life.operation }, steps: life.steps, world: 'DRAWN' };
    addEvent(simulation.queue, { at: life.steps[0]!.at, event: { what: 'STEP', life: drawn } });
  }
  life.world = 'CALLED';
  life.steps = [];
}

function moveTo({ operation }: Life, step: Step): void {
  operation.status = step.to;
  operation.updatedAt = formatInstant(step.at);
  operation.requiresPayerAction = step.to === 'AWAITING_PAYER';
  const { failureCode: code } = step;
  if (code !== undefined) {
    operation.failure = {
      code,
      message: `Opération refusée : ${code.toLowerCase().replaceAll('_', ' ')}`,
    };
  }
  if (isFinal(step.to) && operation.completedAt === null)
    operation.completedAt = operation.updatedAt;
}

/**
 * Posts the lines of a phase, or what a slip makes of them. After a slip the operation takes no
 * further step.
 */
function post(simulation: WalletLife, life: Life, phase: Phase): void {
  const { operation } = life;
  const posts = postsFor(phase, operation, simulation.plan.policy);
  const canSlip = simulation.slips.length > 0 && life.world === 'BOTH';
  const slip = canSlip ? takeSlip(simulation, { phase, operation, posts }) : null;
  const first = simulation.entries.length;
  postLines(simulation, { posts: slip?.posts ?? posts, operation, world: life.world });
  if (slip === null) return;
  life.steps = [];
  const sequence =
    slip.offending === null ? null : simulation.entries[first + slip.offending]!.sequence;
  simulation.slipped.push({
    kind: slip.kind,
    at: simulation.now,
    sequence,
    operationReference: operation.reference,
  });
}

/** Returns the phase whose lines a move to that status posts; `null` when it posts none. */
function phaseOf(status: OperationStatus): Phase | null {
  if (hasLapsed(status)) return 'LAPSE';
  return status === 'SUCCEEDED' ? 'SUCCESS' : status === 'REVERSED' ? 'REVERSAL' : null;
}

/**
 * Tells whether a wallet with these funds can give a collection back; a cash-out can always be
 * reversed.
 */
function canReverse(funds: Funds, operation: ServedOperation): boolean {
  return operation.type === 'CASHOUT' || spendable(funds) >= operation.amount;
}

/**
 * Lets the partner repeat one lapsed collection in four later under the same external reference,
 * which is lawful.
 */
function remember(simulation: WalletLife, operation: ServedOperation): void {
  if (operation.type !== 'CASHIN' || operation.externalReference === null) return;
  if (chance(simulation.random, 0.25)) simulation.retries.push(operation.externalReference);
}

/** Posts an adjustment, unless account or wallet is not ACTIVE, and plans the next. */
export function adjust(simulation: WalletLife): void {
  scheduleAdjustment(simulation, simulation.now);
  const { random, drawn } = simulation;
  if (drawn.account !== 'ACTIVE' || drawn.wallet !== 'ACTIVE') return;
  const amount = drawInteger(random, {
    from: 50,
    to: Math.round(simulation.plan.traffic.typicalAmount / 2) + 50,
  });
  const raises = chance(random, 0.5) || spendable(drawn) < amount;
  const world =
    operates(simulation) && (raises || spendable(simulation) >= amount) ? 'BOTH' : 'DRAWN';
  const post = raises ? credit('ADJUSTMENT_CREDIT', amount) : debit('ADJUSTMENT_DEBIT', amount);
  postAdjustment(simulation, {
    post,
    description: drawFrom(random, FREE_TEXTS.adjustmentReasons),
    world,
  });
}

/** Posts an adjustment as the service's back office does: a line that names no operation. */
export function postAdjustment(
  simulation: WalletLife,
  {
    post,
    description,
    world,
  }: { readonly post: Post; readonly description: string; readonly world: World },
): void {
  postLines(simulation, { posts: [post], description, world });
  if (world === 'DRAWN') return;
  const [about, createdAt] = [`adjusted/${simulation.sequence}`, formatInstant(simulation.now)];
  notifyOf(
    simulation,
    notificationAbout(simulation.plan.reference, { type: 'wallet.adjusted', about, createdAt }),
  );
}

export const DECISIONS = ['SUCCEEDED', 'FAILED', 'EXPIRED', 'CANCELLED', 'REVERSED'] as const;

/**
 * Carries out a decision about an operation. Returns `null` when it was done, otherwise the
 * sentence that refuses it. `failureCode` is for FAILED alone.
 */
export function decide(
  simulation: WalletLife,
  life: Life,
  { to, failureCode }: Omit<Step, 'at'>,
): string | null {
  const { operation } = life;
  if (to === 'REVERSED') {
    if (operation.status !== 'SUCCEEDED')
      return `is ${operation.status}: only what has SUCCEEDED is reversed`;
    if (!canReverse(simulation, operation))
      return 'cannot be reversed: the wallet has not enough available';
  } else if (isFinal(operation.status)) return `is ${operation.status} already`;
  partLife(simulation, life);
  life.steps = [{ at: simulation.now, to, failureCode }];
  takeStep(simulation, life);
  return null;
}

interface Group {
  readonly phase: Phase;
  readonly operation: ServedOperation;
  readonly posts: readonly Post[];
}

/**
 * The lines that a slip posts. `offending` is the index of the wrong line among them; `null` when a
 * line is missing.
 */
interface SlippedGroup {
  readonly kind: SlipKind;
  readonly posts: readonly Post[];
  readonly offending: number | null;
}

/**
 * Takes the first slip that is due and fits this posting, and removes it from the list; `null` when
 * none does.
 */
function takeSlip(simulation: WalletLife, group: Group): SlippedGroup | null {
  for (const slip of simulation.slips) {
    if (slip.from > simulation.now) return null;
    const slipped = slipGroup(slip.kind, group, simulation);
    if (slipped !== null) {
      simulation.slips = simulation.slips.filter((other) => other !== slip);
      return slipped;
    }
  }
  return null;
}

function slipGroup(kind: SlipKind, group: Group, simulation: WalletLife): SlippedGroup | null {
  const { phase, operation, posts } = group;
  if (phase === 'LAPSE' && operation.type === 'CASHOUT' && kind === 'HOLD_NOT_RELEASED') {
    return { kind, posts: [], offending: null };
  }
  if (phase !== 'SUCCESS') return null;
  const [principal] = posts;
  if (operation.type === 'CASHIN' && principal !== undefined) {
    if (kind === 'CREDIT_MISSING' && spare(simulation) > operation.fees) {
      return { kind, posts: posts.slice(1), offending: null };
    }
    if (kind === 'CREDIT_DUPLICATED')
      return { kind, posts: [...posts, principal], offending: posts.length };
    const fee = posts.findIndex((post) => post.kind === 'CASHIN_FEE' && post.amount > 1);
    if (kind === 'FEE_AMOUNT_MISMATCH' && fee >= 0)
      return { kind, posts: halveFee(posts, fee), offending: fee };
  }
  const debited = posts.find((post) => post.kind === 'CASHOUT_DEBIT');
  if (
    kind === 'DEBIT_DUPLICATED' &&
    debited !== undefined &&
    spare(simulation) >= operation.netAmount
  ) {
    return { kind, posts: [...posts, { ...debited, reserved: 0 }], offending: posts.length };
  }
  return null;
}

/**
 * Returns the amount that is spendable in both worlds, because a slip must happen in both or in
 * neither.
 */
function spare(simulation: WalletLife): number {
  return Math.min(spendable(simulation), spendable(simulation.drawn));
}

function halveFee(posts: readonly Post[], at: number): readonly Post[] {
  const amount = Math.floor(posts[at]!.amount / 2);
  return posts.with(at, { ...posts[at]!, amount, balance: -amount });
}
