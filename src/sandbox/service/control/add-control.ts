// The sandbox's own calls, below /sandbox. They read and move time, list choices, set misbehaviour,
// and decide what is otherwise left to chance or people: states, ends of operations and payments,
// reviews, payouts, faults. They also show the SMS with the keys. They are no part of the simulated
// service, and exist only when requested.

import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { DAY, formatInstant, type Instant, parseInstant } from '../../../core/domain/instant.ts';
import { DIRECTIONS } from '../../../core/domain/ledger-entry.ts';
import { MERCHANT_STATUSES, WALLET_STATUSES } from '../../../core/domain/merchant.ts';
import { FAILURE_CODES } from '../../../core/domain/operation.ts';
import { SETTLEMENT_MODES } from '../../../core/domain/published/payout.ts';
import { openZone } from '../../../core/domain/zone.ts';
import { showDelivery } from '../../courier/parcels.ts';
import { settlementOf } from '../../dashboard/answers.ts';
import { changeSettlement, decideLink, endPayout } from '../../dashboard/life.ts';
import { payoutLimits, primaryOf, servedAt } from '../../dashboard/state.ts';
import { isLoss } from '../../faults/losses.ts';
import { ALL_FAULTS } from '../../faults/register.ts';
import { credit, debit } from '../../model/postings.ts';
import { dashboardOf, moveStates, plantAny } from '../../simulation/simulate.ts';
import { lifeNamed, operates } from '../../simulation/state.ts';
import { DECISIONS, decide, postAdjustment } from '../../simulation/steps.ts';
import {
  type Account,
  accountNamed,
  bringUp,
  expectedOf,
  type Service,
} from '../account/account.ts';
import {
  ApiError,
  invalidRequest,
  notFound,
  oneOf,
  onlyWhen,
  readBody,
  textOf,
} from '../account/calls.ts';
import { FATES, type Misbehaviour, misbehaviourForm } from '../account/settings.ts';
import { CHOICES, DASHBOARD_CHOICES } from './choices.ts';

export function addControl(
  control: FastifyInstance,
  service: Service,
  advanceTo: (instant: Instant) => Promise<void>,
): void {
  const now = () => ({ now: formatInstant(service.now) });
  control.get('/now', now);
  control.post('/advance', async (request) => {
    await advanceTo(readTarget(textOf(request), service.now));
    return now();
  });
  control.get('/choices', () => ({ choices: CHOICES, dashboard: DASHBOARD_CHOICES }));
  control.get('/faults', () => ({ faults: ALL_FAULTS.map(({ name, says }) => ({ name, says })) }));
  control.get('/misbehaviour', () => misbehaviourOf(service));
  control.post('/misbehaviour', (request) => {
    const { misdelivery, ...misbehaviour } = readBody(textOf(request), misbehaviourForm.partial());
    Object.assign(service.settings.misbehaviour, misbehaviour);
    const { courier } = service;
    if (misdelivery !== undefined) courier.settings = { ...courier.settings, misdelivery };
    return misbehaviourOf(service);
  });
  control.get('/fates', () => ({ fates: service.settings.fates }));
  control.post('/fates', (request) => {
    Object.assign(service.settings, readBody(textOf(request), fatesForm));
    return { fates: service.settings.fates };
  });
  addMerchantControl(control, service);
  addDashboardControl(control, service);
}

/** The longest advance by one call, because everything that happens meanwhile is simulated. */
const LONGEST_ADVANCE = 400 * DAY;

const advanceForm = z.strictObject({ to: z.string().optional(), by: z.int().optional() });

function readTarget(text: string, now: number): number {
  const { to, by } = readBody(text, advanceForm);
  const target =
    to === undefined
      ? by === undefined
        ? null
        : now + by
      : by === undefined
        ? parseInstant(to)
        : null;
  if (target === null || target < now) {
    throw invalidRequest([
      'to must be a date-time, or by a number of milliseconds, and not in the past',
    ]);
  }
  if (target - now > LONGEST_ADVANCE)
    throw invalidRequest(['time is advanced by at most 400 days at once']);
  return target;
}

const fatesForm = z.strictObject({ fates: oneOf(FATES) });

function misbehaviourOf({
  settings,
  courier,
}: Service): Misbehaviour & { readonly misdelivery: object } {
  return { ...settings.misbehaviour, misdelivery: courier.settings.misdelivery };
}

type Named = {
  readonly Params: { readonly reference: string; readonly operation: string; readonly id: string };
};

function addMerchantControl(control: FastifyInstance, service: Service): void {
  const of = ({ params }: { readonly params: Named['Params'] }) =>
    requireAccount(service, params.reference);
  control.get('/merchants', () => ({
    merchants: service.accounts.map((account) => show(service, account)),
  }));
  control.get<Named>('/merchants/:reference', (request) => show(service, of(request)));
  control.post<Named>('/merchants/:reference/states', (request) => {
    const account = of(request);
    moveStates(account.simulation, readBody(textOf(request), statesForm));
    return show(service, account);
  });
  control.post<Named>('/merchants/:reference/operations/:operation/fate', (request) => {
    return decideFate(of(request), request.params.operation, textOf(request));
  });
  control.post<Named>('/merchants/:reference/faults', (request) =>
    plantNamed(of(request), textOf(request)),
  );
  control.post<Named>('/merchants/:reference/adjustments', (request) => {
    const { simulation } = of(request);
    const { direction, amount, description } = readBody(textOf(request), adjustmentForm);
    const post =
      direction === 'CREDIT'
        ? credit('ADJUSTMENT_CREDIT', amount)
        : debit('ADJUSTMENT_DEBIT', amount);
    postAdjustment(simulation, { post, description, world: 'CALLED' });
    return { entry: simulation.entries.at(-1) };
  });
  control.get<Named>('/merchants/:reference/expected', (request) => ({
    expected: expectedOf(of(request)),
  }));
  control.get<Named>('/merchants/:reference/messages', (request) => {
    const messages = of(request).messages.map(({ at, ...message }) => ({
      at: formatInstant(at),
      ...message,
    }));
    return { messages };
  });
  control.get<Named>('/merchants/:reference/deliveries', (request) => {
    const { reference } = of(request).plan;
    const own = [...service.courier.deliveries.values()].filter(
      ({ account }) => account === reference,
    );
    return {
      deliveries: own.map((delivery) => ({ channel: delivery.channel, ...showDelivery(delivery) })),
    };
  });
}

/** Returns the account, advanced to the present. Throws 404. */
function requireAccount(service: Service, reference: string): Account {
  const account = accountNamed(service, reference);
  if (account === undefined) throw notFound(`merchant ${reference}`);
  return account;
}

function show(service: Service, account: Account) {
  bringUp(account, service.now);
  const { plan, simulation, notifyUrl, paymentsUrl } = account;
  return {
    reference: plan.reference,
    account: simulation.merchant.status,
    wallet: simulation.walletStatus,
    operates: operates(simulation),
    notifyUrl,
    paymentsUrl,
  };
}

const statesForm = z.strictObject({
  account: oneOf(MERCHANT_STATUSES).optional(),
  wallet: oneOf(WALLET_STATUSES).optional(),
});

const fateForm = onlyWhen(
  z.strictObject({ to: oneOf(DECISIONS), failureCode: oneOf(FAILURE_CODES).optional() }),
  'failureCode',
  [({ to }) => to === 'FAILED', 'when to is FAILED'],
);

function decideFate({ simulation }: Account, reference: string, body: string) {
  const decision = readBody(body, fateForm);
  const life = lifeNamed(simulation, reference);
  if (life === undefined) throw notFound(`operation ${reference}`);
  const refusal = decide(simulation, life, decision);
  if (refusal !== null) throw refused(`The operation ${refusal}.`);
  return { operation: life.operation };
}

const faultForm = z.strictObject({ name: z.string({ error: 'must be the name of a fault' }) });

function plantNamed(account: Account, body: string) {
  const { name } = readBody(body, faultForm);
  const fault = ALL_FAULTS.find((one) => one.name === name);
  if (fault === undefined)
    throw invalidRequest(['name must be one of those that GET /sandbox/faults lists']);
  // A notification that was sent cannot be lost later. If a URL is set, the fault waits for the
  // next notification, and its place is not known until then.
  if (isLoss(name) && account.notifyUrl !== null) {
    account.losing.add(name);
    return { expected: null };
  }
  const before = account.planted;
  try {
    plantAny(account, fault);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ApiError('FAULT_REFUSED', `${error.message}.`);
  }
  return { expected: account.planted === before ? null : account.planted.at(-1) };
}

const adjustmentForm = z.strictObject({
  direction: oneOf(DIRECTIONS),
  amount: z
    .int({ error: 'must be an integer, without decimals' })
    .positive({ error: 'must be above 0' }),
  description: z.string({ error: 'must be a text' }).min(1).max(200),
});

const linkFateForm = z.strictObject({ to: outcome('SUCCESS', 'FAILED') });
const payoutForm = withReason('SUCCESS', 'FAILED');
const reviewForm = withReason('APPROVED', 'REJECTED');

function outcome<const Good extends string, const Bad extends string>(good: Good, bad: Bad) {
  return z.enum([good, bad], { error: `must be ${good} or ${bad}` });
}

function withReason<const Good extends string, const Bad extends string>(good: Good, bad: Bad) {
  const reason = z.string({ error: 'must be a text' }).min(1).max(200).optional();
  const form = z.strictObject({ to: outcome(good, bad), reason });
  return onlyWhen(form, 'reason', [({ to }) => to === bad, `when to is ${bad}`]);
}

const settlementForm = onlyWhen(
  z.strictObject({
    mode: oneOf(SETTLEMENT_MODES),
    time: z
      .string()
      .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a time like 06:30' })
      .nullable()
      .default(null),
    timezone: z
      .string()
      .refine((name) => openZone(name) !== null, { error: 'must be the name of a zone' })
      .default('UTC'),
  }),
  'time',
  [({ mode }) => mode !== 'MANUAL', 'unless mode is MANUAL'],
);

function addDashboardControl(control: FastifyInstance, service: Service): void {
  const of = ({ params }: { readonly params: Named['Params'] }) =>
    dashboardOf(requireAccount(service, params.reference).simulation);
  control.post<Named>('/merchants/:reference/payments/:id/fate', (request) => {
    const life = of(request);
    const payment = life.payments.find(({ served }) => served.reference === request.params.id);
    if (payment === undefined) throw notFound(`payment ${request.params.id}`);
    const { to } = readBody(textOf(request), linkFateForm);
    if (payment.settledAt <= life.now) throw refused(`The payment is ${payment.outcome} already.`);
    decideLink(life, payment, to);
    return { payment: servedAt(payment, life.now) };
  });
  control.post<Named>('/merchants/:reference/disbursements/:id/fate', (request) => {
    const life = of(request);
    const payout = life.payouts.find(({ id }) => id === request.params.id);
    if (payout === undefined) throw notFound(`disbursement ${request.params.id}`);
    const { reason = null } = readBody(textOf(request), payoutForm);
    if (payout.status !== 'PENDING') throw refused(`The disbursement is ${payout.status} already.`);
    endPayout(life, payout, reason);
    return { disbursement: payout };
  });
  control.post<Named>('/merchants/:reference/compliance', (request) => {
    const life = of(request);
    const { compliance: file } = life;
    const { to: status, reason: rejectionReason = null } = readBody(textOf(request), reviewForm);
    if (file?.status !== 'PENDING')
      throw refused(`The compliance file is ${file?.status ?? 'not deposited'}.`);
    life.compliance = { ...file, status, rejectionReason };
    return { compliance: life.compliance, limits: payoutLimits(life) };
  });
  control.post<Named>('/merchants/:reference/settlement', (request) => {
    const life = of(request);
    const terms = readBody(textOf(request), settlementForm);
    if (terms.mode !== 'MANUAL' && primaryOf(life) === null)
      throw refused('There is no primary payout account.');
    changeSettlement(life, terms);
    return { settlement: settlementOf(life) };
  });
}

function refused(message: string): ApiError {
  return new ApiError('FATE_REFUSED', message);
}
