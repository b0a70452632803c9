// POST /cashin and POST /cashout: one operation for one intention. Refusals are checked in this
// order: credentials, address, account, header, form, idempotency, the account's bounds and
// countries, wallet, ceiling, balance. A refused call leaves no trace. Each Idempotency-Key has one
// answer, kept for 24 hours of simulated time. Refusals are not kept, so the same key may be used
// again (direct API, "Idempotency rules").

import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { COUNTRIES } from '../../../core/domain/amount.ts';
import { DAY, type Instant, SECOND } from '../../../core/domain/instant.ts';
import {
  hasLapsed,
  lifetimeOf,
  OPERATORS,
  type OperationType,
} from '../../../core/domain/operation.ts';
import { refusalOfUrl } from '../../courier/parcels.ts';
import { e164Of, operatorsOf } from '../../model/operators.ts';
import { boundsOf, type Money, moneyOf, newOperation, termsOf } from '../../model/postings.ts';
import { chance, drawInteger, drawLetters } from '../../model/random.ts';
import type { ServedOperation } from '../../model/served.ts';
import { create, holderOf } from '../../simulation/arrivals.ts';
import type { Simulation } from '../../simulation/simulate.ts';
import { type Step, spendable } from '../../simulation/state.ts';
import {
  bringUp,
  type Call,
  defineRoutes,
  type KeptAnswer,
  requireState,
  type Service,
} from '../account/account.ts';
import { ApiError, freeObject, invalidRequest, oneOf, readBody } from '../account/calls.ts';

const LARGEST_METADATA = 4_096;

/** Reads a text. An absent text counts as `null`. */
const text = (longest: number) => {
  const error = `must be a text of 1 to ${longest} characters, or null`;
  return z.string({ error }).min(1, { error }).max(longest, { error }).nullish().transform(orNull);
};

function orNull<Value>(value: Value | null | undefined): Value | null {
  return value ?? null;
}

function creationForm(allowance: { readonly privateHttp: boolean }) {
  return z.strictObject({
    amount: z
      .int({ error: 'must be an integer, without decimals' })
      .positive({ error: 'must be above 0' }),
    country: oneOf(COUNTRIES),
    operator: oneOf(OPERATORS),
    phoneNumber: z
      .string({ error: 'must be a text' })
      .max(32, { error: 'must have at most 32 characters' }),
    name: text(120),
    externalReference: text(120),
    description: text(500),
    metadata: freeObject(LARGEST_METADATA, 'must be an object, or null')
      .nullish()
      .transform(orNull),
    callbackUrl: z
      .string({ error: 'must be a URL' })
      .superRefine((value, context) => {
        const refusal = refusalOfUrl(value, allowance);
        if (refusal !== null) context.addIssue({ code: 'custom', message: refusal });
      })
      .nullish()
      .transform(orNull),
  });
}

type CreationForm = z.output<ReturnType<typeof creationForm>>;

const body = creationForm({ privateHttp: false });

/**
 * The status of these calls is "not shown" in the document; here they answer 201, as calls that
 * create something.
 */
export const CREATION_ROUTES = defineRoutes({
  createCashin: { body, answer: (call) => answerCreation(call, 'CASHIN') },
  createCashout: { body, answer: (call) => answerCreation(call, 'CASHOUT') },
});

async function answerCreation(call: Call, type: OperationType): Promise<string> {
  const { account, service } = call;
  const key = readKey(call.headers['idempotency-key']);
  const form = readBody(call.body, creationForm(service.courier.settings));
  const request = [type, form];
  const kept = claimKey(account.keys, { key, request, now: service.now });
  if (kept !== null) return kept;
  let answered: string;
  try {
    await beProcessed(call.service);
    bringUp(account, service.now);
    // The account may have been suspended while the request was processed.
    requireState(account, 'OPERATE');
    answered = JSON.stringify({ operation: createOperation(call, form, type) });
  } catch (error) {
    account.keys.delete(key);
    throw error;
  }
  // Move the key to the end: keys must stay in the order of their instants, and slower calls may
  // have come before.
  account.keys.delete(key);
  account.keys.set(key, { request, keptAt: service.now, body: answered });
  if (chance(service.creations, service.settings.misbehaviour.unavailableAfterRecording))
    throw unavailable();
  return answered;
}

/** Waits, and fails before anything was recorded, where the settings want it. */
async function beProcessed({ settings, creations }: Service): Promise<void> {
  const { creationTakes, unavailableBeforeRecording } = settings.misbehaviour;
  if (creationTakes !== null) await setTimeout(drawInteger(creations, creationTakes));
  if (chance(creations, unavailableBeforeRecording)) throw unavailable();
}

/**
 * Returns 503. The document shows neither its status nor its code, only that "the call is retried
 * with the same key".
 */
function unavailable(): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', 'The service is temporarily unavailable.', null, 1);
}

function createOperation(call: Call, form: CreationForm, type: OperationType): ServedOperation {
  const { account, service, settings } = call;
  const { simulation } = account;
  const money = moneyOf(
    { type, amount: form.amount },
    termsOf(simulation.merchant, account.plan.policy),
  );
  const phoneNumber = judgeCreation(simulation, form, money);
  simulation.called += 1;
  const number = simulation.called.toString(36).toUpperCase().padStart(4, '0');
  const { country, operator, name, externalReference, description, metadata } = form;
  const operation = newOperation({
    ...money,
    code: `${drawLetters(simulation.callRandom, 6)}Z${number}`,
    currency: simulation.currency,
    country,
    operator,
    counterparty: { phoneNumber, name },
    externalReference,
    description,
    metadata,
    createdAt: simulation.now,
  });
  if (form.callbackUrl !== null) service.listening.add(account.steps);
  const steps =
    settings.fates === 'decided' ? { steps: waitingSteps(operation, simulation.now) } : {};
  const callback = form.callbackUrl === null ? {} : { callbackUrl: form.callbackUrl };
  return create(simulation, operation, { world: 'CALLED', ...callback, ...steps }).operation;
}

/**
 * Returns the steps of an operation that waits for a decision until `expiresAt`, and then expires.
 */
function waitingSteps({ payerActionUrl, type }: ServedOperation, now: number): readonly Step[] {
  return [
    { at: now + SECOND, to: 'PENDING' },
    ...(payerActionUrl === null ? [] : [{ at: now + 2 * SECOND, to: 'AWAITING_PAYER' } as const]),
    { at: now + lifetimeOf(type), to: 'EXPIRED' },
  ];
}

/**
 * Returns the payer's or beneficiary's number in E.164. Throws the first refusal that applies, in
 * the order of the checks.
 */
function judgeCreation(simulation: Simulation, form: CreationForm, money: Money): string {
  const { type, amount, netAmount: required } = money;
  const { merchant, walletStatus, currency } = simulation;
  const { country, operator, phoneNumber: written, externalReference } = form;
  const [minimum, maximum] = boundsOf(merchant.limits, type);
  if (amount < minimum || amount > maximum) {
    const message = `The amount must be from ${minimum} to ${maximum}.`;
    throw new ApiError('AMOUNT_OUT_OF_BOUNDS', message, { amount, minimum, maximum });
  }
  if (!merchant.allowedCountries.includes(country) || !operatorsOf(country).includes(operator)) {
    const message = `${operator} is not available in ${country} on this account.`;
    throw new ApiError('OPERATOR_UNAVAILABLE', message, { country, operator });
  }
  const phoneNumber = e164Of(written, country);
  if (phoneNumber === null) {
    const message = `The phone number is not one of ${country}.`;
    throw new ApiError('INVALID_PHONE_NUMBER', message, { phoneNumber: written, country });
  }
  const reference = holderOf(simulation, externalReference)?.operation.reference;
  if (reference !== undefined) {
    const message = 'The external reference is already taken.';
    throw new ApiError('DUPLICATE_EXTERNAL_REFERENCE', message, { externalReference, reference });
  }
  if (walletStatus !== 'ACTIVE')
    throw new ApiError('WALLET_FROZEN', `The wallet is ${walletStatus.toLowerCase()}.`);
  if (type === 'CASHIN') return phoneNumber;
  requireCeiling(simulation, money);
  // "When `available` is below the amount plus fees": fees that open cash-outs will still take
  // count as not available.
  const available = spendable(simulation);
  if (available < required) {
    const message = 'The available balance is too low.';
    throw new ApiError('INSUFFICIENT_BALANCE', message, { available, required, currency });
  }
  return phoneNumber;
}

/**
 * Throws when the daily ceiling would be exceeded. The amounts of cash-outs created in the 24 hours
 * up to now count, unless they have lapsed.
 */
function requireCeiling({ merchant, lives, now }: Simulation, { amount }: Money): void {
  const limit = merchant.limits.dailyCashoutLimit;
  if (limit === 0) return;
  let used = 0;
  for (const { operation } of lives.toReversed()) {
    if (Date.parse(operation.createdAt) <= now - DAY) break;
    if (operation.type === 'CASHOUT' && !hasLapsed(operation.status)) used += operation.amount;
  }
  if (used + amount <= limit) return;
  const message = 'The daily ceiling on cash-outs would be exceeded.';
  throw new ApiError('DAILY_CASHOUT_LIMIT_EXCEEDED', message, { limit, used, amount });
}

const LONGEST_KEY = 120;

/**
 * Reads the header. Throws 400 IDEMPOTENCY_KEY_REQUIRED when it is missing or empty, and
 * VALIDATION_ERROR when it is too long.
 */
function readKey(header: string | readonly string[] | undefined): string {
  const key = typeof header === 'string' ? header.trim() : '';
  if (key === '') {
    throw new ApiError('IDEMPOTENCY_KEY_REQUIRED', 'The header Idempotency-Key is missing.');
  }
  if (key.length > LONGEST_KEY)
    throw invalidRequest([`Idempotency-Key must have at most ${LONGEST_KEY} characters`]);
  return key;
}

/**
 * Returns the answer that is kept under the key; `null` for the first call, whose key is then in
 * flight until it has an answer. Two bodies are the same whatever the order of their fields and the
 * space between them. Throws 409 IDEMPOTENCY_KEY_REUSED and IDEMPOTENT_REQUEST_IN_FLIGHT.
 */
function claimKey(
  keys: Map<string, KeptAnswer>,
  { key, request, now }: { readonly key: string; readonly request: unknown; readonly now: Instant },
): string | null {
  // Keys are in the order of their instants.
  for (const [old, { keptAt, body }] of keys) {
    if (keptAt > now - DAY) break;
    if (body !== null) keys.delete(old);
  }
  const kept = keys.get(key);
  if (kept === undefined) {
    keys.set(key, { request, keptAt: now, body: null });
    return null;
  }
  if (!isDeepStrictEqual(kept.request, request)) {
    throw new ApiError(
      'IDEMPOTENCY_KEY_REUSED',
      'The idempotency key was used with another request.',
    );
  }
  if (kept.body === null)
    throw new ApiError(
      'IDEMPOTENT_REQUEST_IN_FLIGHT',
      'The same request is still being processed.',
    );
  return kept.body;
}
