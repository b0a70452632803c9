// The life of one simulated merchant as events in time. Advancing in one step or in many gives the same books.

import { formatInstant, type Instant } from '../../core/domain/instant.ts';
import { assertNever } from '../../core/domain/invariant.ts';
import { isFinal, type OperationStatus } from '../../core/domain/operation.ts';
import { type Books, totalsOfOperation, type WalletTotals } from '../books.ts';
import { addEvent, dropEvents, nextInstant, takeEvent } from '../event-queue.ts';
import { adjustmentNotified, notificationOf } from '../notify.ts';
import type { MerchantPlan } from '../plan.ts';
import { credit, debit, feesOutsideHold, type Phase, postsFor } from '../postings.ts';
import { chance, drawInteger } from '../random.ts';
import type { ServedEntry, ServedNotification, ServedOperation } from '../served.ts';
import { arrive } from './arrivals.ts';
import type { Step } from './fates.ts';
import { writeInstant } from './instant-text.ts';
import { postLines } from './ledger.ts';
import { takeSlip } from './slips.ts';
import {
  addFunds,
  booksOf,
  type Funds,
  type Life,
  moveStates,
  notifyOf,
  openSimulation,
  operates,
  type Simulation,
  scheduleAdjustment,
  spendable,
} from './state.ts';
import { drawAdjustmentReason } from './texts.ts';

/** Lets everything happen that is due up to and including `until`. Throws RangeError when that is in the past. */
export function advance(simulation: Simulation, until: Instant): void {
  if (until < simulation.now) {
    throw new RangeError(`time runs forward: ${formatInstant(until)} is before ${formatInstant(simulation.now)}`);
  }
  for (let at = nextInstant(simulation.queue); at !== null && at <= until; at = nextInstant(simulation.queue)) {
    const event = takeEvent(simulation.queue);
    simulation.now = at;
    switch (event.what) {
      case 'ARRIVAL':
        arrive(simulation);
        break;
      case 'STEP':
        takeStep(simulation, event.life);
        break;
      case 'ADJUSTMENT':
        adjust(simulation);
        break;
      case 'PRICE_CHANGE':
        simulation.merchant = { ...simulation.merchant, pricing: simulation.plan.priceChange!.pricing };
        break;
      case 'MOVE':
        moveStates(simulation, event.move);
        simulation.drawn.account = event.move.account ?? simulation.drawn.account;
        simulation.drawn.wallet = event.move.wallet ?? simulation.drawn.wallet;
        break;
      default:
        assertNever(event);
    }
  }
  simulation.now = until;
}

/** The books of a merchant at `until`, simulated from its opening. No faults are planted: only the plan's slips. */
export function simulateBooks(plan: MerchantPlan, run: { readonly seed: string; readonly until: Instant }): Books {
  const simulation = openSimulation(plan, run.seed);
  advance(simulation, run.until);
  return booksOf(simulation);
}

/**
 * Takes away what can no longer change: lines in ascending sequence, operations in ascending createdAt up to the first
 * that may still move. `all` takes the rest too, at the end. Keeps memory flat in long simulations.
 */
export function takeSettled(
  simulation: Simulation,
  what: 'settled' | 'all',
): {
  readonly entries: readonly ServedEntry[];
  readonly operations: readonly ServedOperation[];
  readonly notifications: readonly ServedNotification[];
} {
  const { entries, lives, notifications } = simulation;
  const moving = what === 'all' ? -1 : lives.findIndex((life) => life.steps.length > 0);
  const operations = lives.slice(0, moving < 0 ? lives.length : moving).map((life) => life.operation);
  simulation.entries = [];
  simulation.notifications = [];
  simulation.lives = moving < 0 ? [] : lives.slice(moving);
  return { entries, operations, notifications };
}

/** The next step of a life, at the present instant. */
export function takeStep(simulation: Simulation, life: Life): void {
  const [step, ...later] = life.steps;
  life.steps = later;
  if (step!.to === 'REVERSED' && !mayReverse(simulation, life, step!)) return;
  const { operation, world } = life;
  const phase = phaseOf(step!.to);
  const before = totalsOfOperation(operation, simulation.plan.policy);
  if (phase !== null && phase !== 'REVERSAL') {
    addFunds(simulation, world, { promisedFees: -feesOutsideHold(operation, simulation.plan.policy) });
  }
  moveTo(life, step!);
  if (world !== 'DRAWN') {
    const notification = notificationOf(simulation.plan.reference, operation);
    if (notification !== null) notifyOf(simulation, notification, life.callbackUrl);
    addTotals(simulation, before, totalsOfOperation(operation, simulation.plan.policy));
  }
  if (phase !== null) post(simulation, life, phase);
  if (phase === 'LAPSE' && world !== 'CALLED') remember(simulation, operation);
  const next = life.steps[0];
  if (next !== undefined) addEvent(simulation.queue, { at: next.at, event: { what: 'STEP', life } });
}

function addTotals(simulation: Simulation, before: WalletTotals, after: WalletTotals): void {
  const { totals } = simulation;
  simulation.totals = {
    totalCollected: totals.totalCollected + after.totalCollected - before.totalCollected,
    totalDisbursed: totals.totalDisbursed + after.totalDisbursed - before.totalDisbursed,
    totalFees: totals.totalFees + after.totalFees - before.totalFees,
  };
}

/**
 * A collection is reversed only while the wallet can give it back. Where only one of the worlds can, the life parts: what the
 * world without calls would have done goes on by itself.
 */
function mayReverse(simulation: Simulation, life: Life, step: Step): boolean {
  const isDrawn = life.world !== 'CALLED' && canReverse(simulation.drawn, life.operation);
  const isReal = life.world !== 'DRAWN' && canReverse(simulation, life.operation);
  if (isDrawn === isReal || life.world !== 'BOTH') return isDrawn || isReal;
  if (isReal) life.world = 'CALLED';
  else takeStep(simulation, { operation: { ...life.operation }, steps: [step, ...life.steps], world: 'DRAWN' });
  return isReal;
}

/**
 * Parts a life from what was drawn for it, before a call decides about it: the world without calls keeps its fate. What was
 * planned for the life is forgotten.
 */
export function partLife(simulation: Simulation, life: Life): void {
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
  operation.updatedAt = writeInstant(step.at);
  operation.requiresPayerAction = step.to === 'AWAITING_PAYER';
  if (step.failureCode !== null) operation.failure = { code: step.failureCode, message: messageOf(step.failureCode) };
  if (isFinal(step.to) && operation.completedAt === null) operation.completedAt = operation.updatedAt;
}

/** Posts the lines of a phase, or what a slip makes of them. An operation that met a slip is left alone from then on. */
function post(simulation: Simulation, life: Life, phase: Phase): void {
  const { operation } = life;
  const posts = postsFor(phase, operation, simulation.plan.policy);
  const canSlip = simulation.slips.length > 0 && life.world === 'BOTH';
  const slip = canSlip ? takeSlip(simulation, { phase, operation, posts }) : null;
  const { reference } = operation;
  const createdAt = Date.parse(operation.createdAt);
  const first = simulation.entries.length;
  const { world } = life;
  postLines(simulation, { posts: slip?.posts ?? posts, operation: { reference, createdAt }, description: null, world });
  if (slip === null) return;
  life.steps = [];
  const sequence = slip.offending === null ? null : simulation.entries[first + slip.offending]!.sequence;
  simulation.slipped.push({ kind: slip.kind, at: simulation.now, sequence, operationReference: reference });
}

function phaseOf(status: OperationStatus): Phase | null {
  switch (status) {
    case 'SUCCEEDED':
      return 'SUCCESS';
    case 'FAILED':
    case 'EXPIRED':
    case 'CANCELLED':
      return 'LAPSE';
    case 'REVERSED':
      return 'REVERSAL';
    case 'CREATED':
    case 'PENDING':
    case 'AWAITING_PAYER':
      return null;
    default:
      return assertNever(status);
  }
}

/** A collection is reversed only while the wallet can give it back. */
export function canReverse(funds: Funds, operation: ServedOperation): boolean {
  return operation.type === 'CASHOUT' || spendable(funds) >= operation.amount;
}

/** One lapsed collection in four is asked for again later under the same external reference, which is lawful. */
function remember(simulation: Simulation, operation: ServedOperation): void {
  if (operation.type !== 'CASHIN' || operation.externalReference === null) return;
  if (chance(simulation.random, 0.25)) simulation.retries.push(operation.externalReference);
}

/** None of an account that may not operate. */
function adjust(simulation: Simulation): void {
  scheduleAdjustment(simulation, simulation.now);
  const { random, drawn } = simulation;
  if (drawn.account !== 'ACTIVE' || drawn.wallet !== 'ACTIVE') return;
  const amount = drawInteger(random, { from: 50, to: Math.round(simulation.plan.traffic.typicalAmount / 2) + 50 });
  const raises = chance(random, 0.5) || spendable(drawn) < amount;
  const world = operates(simulation) && (raises || spendable(simulation) >= amount) ? 'BOTH' : 'DRAWN';
  const adjustment = raises ? credit('ADJUSTMENT_CREDIT', amount) : debit('ADJUSTMENT_DEBIT', amount);
  postLines(simulation, { posts: [adjustment], operation: null, description: drawAdjustmentReason(random), world });
  if (world === 'DRAWN') return;
  const [about, createdAt] = [String(simulation.sequence), writeInstant(simulation.now)];
  notifyOf(simulation, adjustmentNotified(simulation.plan.reference, { about, createdAt }));
}

function messageOf(failureCode: string): string {
  return `Opération refusée : ${failureCode.toLowerCase().replaceAll('_', ' ')}`;
}
