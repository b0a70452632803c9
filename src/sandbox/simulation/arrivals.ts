// New operations: what a partner requests, whether the service takes the request, and the course
// that is drawn for it. A cash-out beyond the available balance (402) or the daily ceiling is
// refused, and a refused request leaves no trace. Courses follow the state machine of the document.
// The moves that the document does not show are limited to CREATED → PENDING → AWAITING_PAYER and
// CREATED → CANCELLED.

import type { Amount } from '../../core/domain/amount.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../core/domain/instant.ts';
import { hasLapsed, lifetimeOf, type OperationType } from '../../core/domain/operation.ts';
import {
  drawCounterpartyName,
  drawDescription,
  drawExternalReference,
  drawMetadata,
  drawPhoneNumber,
  operatorsOf,
} from '../model/operators.ts';
import {
  boundsOf,
  feesOutsideHold,
  type Money,
  moneyOf,
  newOperation,
  postsFor,
  termsOf,
} from '../model/postings.ts';
import {
  chance,
  drawFrom,
  drawInteger,
  drawLetters,
  drawUnit,
  drawWait,
  type Random,
} from '../model/random.ts';
import type { ServedOperation } from '../model/served.ts';
import { addEvent } from '../model/time.ts';
import {
  addFunds,
  type Funds,
  fundsOf,
  type Life,
  operates,
  postLines,
  type Step,
  spendable,
  type WalletLife,
  type World,
} from './state.ts';

/** Plans the next request and takes the present one, unless a rule refuses it. */
export function arrive(simulation: WalletLife): void {
  addEvent(simulation.queue, {
    at: simulation.now + drawPause(simulation),
    event: { what: 'ARRIVAL' },
  });
  simulation.requested += 1;
  const { drawn, plan } = simulation;
  const isPlanned = drawn.account === 'ACTIVE' && drawn.wallet === 'ACTIVE';
  if (!isPlanned && !operates(simulation)) return;
  const random = isPlanned ? simulation.random : simulation.callRandom;
  const type = chance(random, plan.traffic.cashoutShare) ? 'CASHOUT' : 'CASHIN';
  const amount = drawAmount(random, type, simulation);
  const money = moneyOf({ type, amount }, termsOf(simulation.merchant, plan.policy));
  if (!canFund(simulation, isPlanned ? drawn : simulation, money)) return;
  const operation = drawOperation(simulation, random, money);
  const isFree =
    simulation.called === 0 || holderOf(simulation, operation.externalReference) === undefined;
  const isTaken = isFree && operates(simulation) && canFund(simulation, simulation, money);
  create(simulation, operation, { world: isPlanned ? (isTaken ? 'BOTH' : 'DRAWN') : 'CALLED' });
}

/**
 * Returns the operation that has the partner's reference. A lapsed operation has given its
 * reference back.
 */
export function holderOf(
  { lives }: WalletLife,
  externalReference: string | null,
): Life | undefined {
  if (externalReference === null) return undefined;
  return lives.find(
    ({ operation }) =>
      operation.externalReference === externalReference && !hasLapsed(operation.status),
  );
}

/**
 * Adds a new operation with the steps given or drawn for it, and posts its hold if it needs one.
 */
export function create(
  simulation: WalletLife,
  operation: ServedOperation,
  how: { readonly world: World; readonly callbackUrl?: string; readonly steps?: readonly Step[] },
): Life {
  const { plan, now } = simulation;
  const { world, callbackUrl } = how;
  const random = world === 'CALLED' ? simulation.callRandom : simulation.random;
  const steps = how.steps ?? drawSteps(random, operation, simulation);
  const life: Life = {
    operation: { ...operation },
    steps,
    world,
    ...(callbackUrl !== undefined && { callbackUrl }),
  };
  if (world !== 'DRAWN') simulation.lives.push(life);
  addFunds(simulation, world, { promisedFees: feesOutsideHold(operation, plan.policy) });
  if (operation.type === 'CASHOUT') {
    const cashout = { at: now, netAmount: operation.netAmount };
    for (const funds of fundsOf(simulation, world)) funds.recentCashouts.push(cashout);
  }
  postLines(simulation, { posts: postsFor('REQUEST', operation, plan.policy), operation, world });
  addEvent(simulation.queue, { at: steps[0]!.at, event: { what: 'STEP', life } });
  return life;
}

function drawOperation(simulation: WalletLife, random: Random, money: Money): ServedOperation {
  const { now, requested } = simulation;
  const country = drawFrom(random, simulation.merchant.allowedCountries);
  const operator = drawFrom(random, operatorsOf(country));
  const number = requested.toString(36).toUpperCase().padStart(5, '0');
  const code = `${drawLetters(random, 6)}${number}`;
  const retried =
    money.type === 'CASHIN' && chance(random, 0.5) ? simulation.retries.pop() : undefined;
  return newOperation({
    ...money,
    code,
    currency: simulation.currency,
    country,
    operator,
    counterparty: {
      phoneNumber: drawPhoneNumber(random, country),
      name: drawCounterpartyName(random),
    },
    externalReference: retried ?? drawExternalReference(random, requested),
    description: drawDescription(random),
    metadata: drawMetadata(random, requested),
    createdAt: now,
  });
}

/**
 * Draws the pause until the next request. Requests come three times as often by day (07–21 h UTC)
 * as by night, and one in ten follows at once on another.
 */
function drawPause(simulation: WalletLife): number {
  const { random, now, plan } = simulation;
  if (chance(random, 0.1)) return drawInteger(random, { from: 1, to: 1_500 });
  const hour = Math.floor((now % DAY) / HOUR);
  const busy = hour >= 7 && hour < 21 ? 1.38 : 0.46;
  return drawWait(random, DAY / (plan.traffic.operationsPerDay * busy));
}

/** Draws an amount within the bounds of the profile, mostly a round one. */
function drawAmount(random: Random, type: OperationType, { merchant, plan }: WalletLife): Amount {
  const [least, most] = boundsOf(merchant.limits, type);
  const { typicalAmount } = plan.traffic;
  const raw = typicalAmount * 0.1 + drawWait(random, typicalAmount * 0.9);
  const grain = drawUnit(random) < 0.55 ? 100 : drawUnit(random) < 0.5 ? 25 : 1;
  return Math.min(most, Math.max(least, Math.round(raw / grain) * grain));
}

/**
 * Tells whether the funds allow a cash-out. The daily ceiling is kept under the strictest
 * interpretation: every cash-out requested in the last 30 hours counts with its commission, so
 * neither the time of creation nor that of completion (up to 6 h later) can break it.
 */
function canFund(simulation: WalletLife, funds: Funds, { type, netAmount }: Money): boolean {
  if (type === 'CASHIN') return true;
  if (spendable(funds) < netAmount) return false;
  const limit = simulation.merchant.limits.dailyCashoutLimit;
  const recent = funds.recentCashouts;
  while (recent.length > 0 && recent[0]!.at < simulation.now - 30 * HOUR) recent.shift();
  if (limit === 0) return true;
  return recent.reduce((sum, cashout) => sum + cashout.netAmount, netAmount) <= limit;
}

const CASHIN_FAILURES = [
  'OPERATOR_INSUFFICIENT_FUNDS',
  'PAYER_CANCELLED',
  'OPERATOR_TIMEOUT',
  'OPERATOR_REFUSED',
  'INTERNAL_ERROR',
] as const;

const CASHOUT_FAILURES = [
  'OPERATOR_ACCOUNT_UNKNOWN',
  'OPERATOR_ACCOUNT_LIMIT_REACHED',
  'OPERATOR_REFUSED',
  'UPSTREAM_UNAVAILABLE',
  'SETTLEMENT_ACCOUNT_UNAVAILABLE',
] as const;

/**
 * Draws the steps of an operation, ascending in time and all later than now. Every final state but
 * REVERSED falls at or before expiry.
 */
function drawSteps(
  random: Random,
  { type, payerActionUrl }: ServedOperation,
  { now, plan }: WalletLife,
): Step[] {
  const { traffic } = plan;
  if (chance(random, traffic.cancellationRate)) {
    return [
      { at: now + drawInteger(random, { from: 2 * SECOND, to: 50 * SECOND }), to: 'CANCELLED' },
    ];
  }
  const steps: Step[] = [{ at: now + drawInteger(random, { from: 100, to: 2500 }), to: 'PENDING' }];
  if (payerActionUrl !== null) {
    steps.push({
      at: steps[0]!.at + drawInteger(random, { from: 200, to: 1500 }),
      to: 'AWAITING_PAYER',
    });
  }
  const expiresAt = now + lifetimeOf(type);
  if (chance(random, traffic.expiryRate)) return [...steps, { at: expiresAt, to: 'EXPIRED' }];
  const outcomeAt = Math.min(steps.at(-1)!.at + drawLatency(random, type), expiresAt - SECOND);
  if (chance(random, traffic.failureRate)) {
    const failureCode = drawFrom(random, type === 'CASHIN' ? CASHIN_FAILURES : CASHOUT_FAILURES);
    return [...steps, { at: outcomeAt, to: 'FAILED', failureCode }];
  }
  steps.push({ at: outcomeAt, to: 'SUCCEEDED' });
  if (chance(random, traffic.reversalRate)) {
    const wait = Math.min(HOUR + drawWait(random, 30 * HOUR), 144 * HOUR);
    steps.push({ at: outcomeAt + wait, to: 'REVERSED' });
  }
  return steps;
}

/**
 * Draws the time until the outcome. Most come within minutes; one cash-out in twelve takes hours.
 */
function drawLatency(random: Random, type: OperationType): number {
  if (type === 'CASHIN') return SECOND + drawWait(random, 50 * SECOND);
  if (drawUnit(random) < 1 / 12) return drawInteger(random, { from: 10 * MINUTE, to: 5 * HOUR });
  return SECOND + drawWait(random, 90 * SECOND);
}
