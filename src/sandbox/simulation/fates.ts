// The fate of an operation, drawn when it is created: which states it passes through and when. Follows the state
// machine of the document; moves that the document does not show are limited to CREATED → PENDING → AWAITING_PAYER and
// CREATED → CANCELLED.

import { HOUR, type Instant, MINUTE, SECOND } from '../../core/domain/instant.ts';
import { lifetimeOf, type OperationStatus, type OperationType } from '../../core/domain/operation.ts';
import type { Traffic } from '../plan.ts';
import { chance, drawFrom, drawInteger, drawUnit, drawWait, type Random } from '../random.ts';

/** A move to another state at an instant; `failureCode` only on the move to FAILED. */
export interface Step {
  readonly at: Instant;
  readonly to: OperationStatus;
  readonly failureCode: string | null;
}

interface Birth {
  readonly type: OperationType;
  readonly redirect: boolean;
  readonly createdAt: Instant;
  readonly traffic: Traffic;
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

/** Steps in ascending time, all later than `createdAt`; every final state but REVERSED falls at or before expiry. */
export function drawSteps(random: Random, birth: Birth): Step[] {
  const { createdAt, traffic } = birth;
  if (chance(random, traffic.cancellationRate)) {
    return [step(createdAt + drawInteger(random, { from: 2 * SECOND, to: 50 * SECOND }), 'CANCELLED')];
  }
  const steps = [step(createdAt + drawInteger(random, { from: 100, to: 2500 }), 'PENDING')];
  if (birth.type === 'CASHIN' && birth.redirect) {
    steps.push(step(steps[0]!.at + drawInteger(random, { from: 200, to: 1500 }), 'AWAITING_PAYER'));
  }
  const expiresAt = createdAt + lifetimeOf(birth.type);
  if (chance(random, traffic.expiryRate)) return [...steps, step(expiresAt, 'EXPIRED')];
  const outcomeAt = Math.min(steps.at(-1)!.at + drawLatency(random, birth.type), expiresAt - SECOND);
  if (chance(random, traffic.failureRate)) {
    const code = drawFrom(random, birth.type === 'CASHIN' ? CASHIN_FAILURES : CASHOUT_FAILURES);
    return [...steps, { at: outcomeAt, to: 'FAILED', failureCode: code }];
  }
  steps.push(step(outcomeAt, 'SUCCEEDED'));
  if (chance(random, traffic.reversalRate)) {
    const wait = Math.min(HOUR + drawWait(random, 30 * HOUR), 144 * HOUR);
    steps.push(step(outcomeAt + wait, 'REVERSED'));
  }
  return steps;
}

/** Most outcomes come within minutes; one cash-out in twelve takes hours. */
function drawLatency(random: Random, type: OperationType): number {
  if (type === 'CASHIN') return SECOND + drawWait(random, 50 * SECOND);
  if (drawUnit(random) < 1 / 12) return drawInteger(random, { from: 10 * MINUTE, to: 5 * HOUR });
  return SECOND + drawWait(random, 90 * SECOND);
}

function step(at: Instant, to: OperationStatus): Step {
  return { at, to, failureCode: null };
}
