// POST /cashin and POST /cashout: one operation for one intention. The order of refusals is one: credentials, address, account,
// header, form, idempotency, what the account allows, wallet, ceiling, balance.

import { setTimeout } from 'node:timers/promises';
import { SECOND } from '../../../core/domain/instant.ts';
import { lifetimeOf, type OperationType } from '../../../core/domain/operation.ts';
import { feeOf, netAmountOf } from '../../fee.ts';
import { chance, drawInteger, drawLetters } from '../../random.ts';
import type { ServedOperation } from '../../served.ts';
import { create } from '../../simulation/arrivals.ts';
import type { Step } from '../../simulation/fates.ts';
import { writeInstant } from '../../simulation/instant-text.ts';
import { needsRedirect } from '../../simulation/operators.ts';
import { bringUp, listenTo } from '../account.ts';
import { ApiError } from '../api-error.ts';
import { claimKey, fingerprintOf, keepAnswer, readKey } from '../idempotency.ts';
import { readBody } from '../read-body.ts';
import { type Answer, type Call, type Route, requireState } from '../route.ts';
import type { Service } from '../service.ts';
import { type CreationForm, creationForm } from './form.ts';
import { judgeCreation } from './judge.ts';

/** "not shown"; a call that created something. */
const CREATED = 201;

const CREATION = {
  method: 'POST',
  deed: 'OPERATE',
  parameters: ['key'],
  body: creationForm({ privateHttp: false }),
  status: CREATED,
  form: 'OperationAnswer',
} as const;

export const CREATION_ROUTES: readonly Route[] = [
  {
    ...CREATION,
    path: '/cashin',
    operationId: 'createCashin',
    summary: 'Collects from a payer',
    refusals: [400, 409, 422, 503],
    answer: (call) => answerCreation(call, 'CASHIN'),
  },
  {
    ...CREATION,
    path: '/cashout',
    operationId: 'createCashout',
    summary: 'Transfers to a beneficiary',
    refusals: [400, 402, 409, 422, 503],
    answer: (call) => answerCreation(call, 'CASHOUT'),
  },
];

async function answerCreation(call: Call, type: OperationType): Promise<Answer> {
  const { account, service } = call;
  const key = readKey(call.headers['idempotency-key']);
  const form = readBody(call.body, creationForm(service.courier.settings));
  const fingerprint = fingerprintOf(type, form);
  const kept = claimKey(account.keys, { key, fingerprint, now: service.now });
  if (kept !== null) return { status: CREATED, body: kept };
  try {
    await beProcessed(call.service);
    bringUp(account, service.now);
    // It may have been suspended meanwhile.
    requireState(account, 'OPERATE');
    const body = JSON.stringify({ operation: createOperation(call, form, type) });
    keepAnswer(account.keys, key, { fingerprint, keptAt: service.now, body });
  } catch (error) {
    account.keys.delete(key);
    throw error;
  }
  if (chance(service.creations, service.settings.misbehaviour.unavailableAfterRecording)) throw unavailable();
  return { status: CREATED, body: account.keys.get(key)!.body };
}

/** Takes its time, and fails before anything was recorded, where that is asked for. */
async function beProcessed({ settings, creations }: Service): Promise<void> {
  const { creationTakes, unavailableBeforeRecording } = settings.misbehaviour;
  if (creationTakes !== null) await setTimeout(drawInteger(creations, creationTakes));
  if (chance(creations, unavailableBeforeRecording)) throw unavailable();
}

/** Neither its status nor its code is shown; "the call is retried with the same key". */
function unavailable(): ApiError {
  const message = 'The service is temporarily unavailable.';
  return new ApiError({ status: 503, code: 'SERVICE_UNAVAILABLE', message, headers: { 'retry-after': '1' } });
}

function createOperation(call: Call, form: CreationForm, type: OperationType): ServedOperation {
  const { account, service, settings } = call;
  const { simulation } = account;
  const { amount } = form;
  const { policy } = simulation.plan;
  const fees = feeOf({ type, amount }, { pricing: simulation.merchant.pricing, rounding: policy.feeRounding });
  const money = { type, amount, fees, netAmount: netAmountOf({ type, amount, fees }) };
  const phoneNumber = judgeCreation(simulation, form, money);
  simulation.called += 1;
  const number = simulation.called.toString(36).toUpperCase().padStart(4, '0');
  const reference = `GUI-${type === 'CASHIN' ? 'CI' : 'CO'}-${drawLetters(simulation.callRandom, 6)}Z${number}`;
  const now = writeInstant(simulation.now);
  const { country, operator } = form;
  const operation: ServedOperation = {
    reference,
    type,
    status: 'CREATED',
    amount,
    fees,
    netAmount: money.netAmount,
    currency: simulation.currency,
    country,
    operator,
    counterparty: { phoneNumber, name: form.name },
    externalReference: form.externalReference,
    description: form.description,
    payerActionUrl: type === 'CASHIN' && needsRedirect(operator) ? `https://pay.example/${reference}` : null,
    requiresPayerAction: false,
    failure: null,
    metadata: form.metadata,
    createdAt: now,
    updatedAt: now,
    completedAt: null,
    expiresAt: writeInstant(simulation.now + lifetimeOf(type)),
  };
  if (form.callbackUrl !== null) listenTo(service, account);
  const steps = settings.fates === 'decided' ? { steps: waitingSteps(operation, simulation.now) } : {};
  const callback = form.callbackUrl === null ? {} : { callbackUrl: form.callbackUrl };
  return create(simulation, operation, { world: 'CALLED', ...callback, ...steps }).operation;
}

/** Until somebody decides, it waits; nobody decides by `expiresAt`: it expires. */
function waitingSteps({ payerActionUrl, type }: ServedOperation, now: number): readonly Step[] {
  const step = (at: number, to: Step['to']): Step => ({ at, to, failureCode: null });
  return [
    step(now + SECOND, 'PENDING'),
    ...(payerActionUrl === null ? [] : [step(now + 2 * SECOND, 'AWAITING_PAYER')]),
    step(now + lifetimeOf(type), 'EXPIRED'),
  ];
}
