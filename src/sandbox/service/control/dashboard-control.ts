// Control over what a merchant's dashboard would otherwise leave to chance and to people: how payments by link and payouts end, what becomes
// of a compliance file, and when payouts happen by themselves.

import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { SETTLEMENT_MODES } from '../../../core/domain/published/payout.ts';
import { openZone } from '../../../core/domain/zone.ts';
import { review } from '../../dashboard/compliance-file.ts';
import { decideLink } from '../../dashboard/links.ts';
import { servedAt } from '../../dashboard/payments.ts';
import { primaryOf } from '../../dashboard/payout-accounts.ts';
import { endPayout, payoutLimits } from '../../dashboard/payouts.ts';
import { changeSettlement, settlementOf } from '../../dashboard/settlement.ts';
import { dashboardOf } from '../../simulation/state.ts';
import { ApiError, notFound } from '../api-error.ts';
import { readBody } from '../read-body.ts';
import type { Service } from '../service.ts';
import { bodyOf } from './body-of.ts';
import { accountNamed } from './merchant-control.ts';

interface Named {
  readonly Params: { readonly reference: string; readonly id: string };
}

const outcome = z.enum(['SUCCESS', 'FAILED'], { error: 'must be SUCCESS or FAILED' });
const fateForm = z.strictObject({ to: outcome });
const payoutForm = z
  .strictObject({ to: outcome, reason: z.string({ error: 'must be a text' }).min(1).max(200).optional() })
  .refine(({ to, reason }) => (to === 'FAILED') === (reason !== undefined), {
    path: ['reason'],
    error: 'must be given when to is FAILED, and only then',
  });

const reviewForm = z
  .strictObject({
    to: z.enum(['APPROVED', 'REJECTED'], { error: 'must be APPROVED or REJECTED' }),
    reason: z.string({ error: 'must be a text' }).min(1).max(200).optional(),
  })
  .refine(({ to, reason }) => (to === 'REJECTED') === (reason !== undefined), {
    path: ['reason'],
    error: 'must be given when to is REJECTED, and only then',
  });

const settlementForm = z
  .strictObject({
    mode: z.enum(SETTLEMENT_MODES, { error: `must be one of ${SETTLEMENT_MODES.join(', ')}` }),
    time: z
      .string()
      .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a time like 06:30' })
      .nullable()
      .default(null),
    timezone: z
      .string()
      .refine((name) => openZone(name) !== null, { error: 'must be the name of a zone' })
      .default('UTC'),
  })
  .refine(({ mode, time }) => (mode === 'MANUAL') === (time === null), {
    path: ['time'],
    error: 'must be given unless mode is MANUAL, and only then',
  });

export function addDashboardControl(control: FastifyInstance, service: Service): void {
  const of = ({ params }: { readonly params: Named['Params'] }) =>
    dashboardOf(accountNamed(service, params.reference).simulation);
  control.post<Named>('/merchants/:reference/payments/:id/fate', (request) => {
    const life = of(request);
    const payment = life.payments.find(({ served }) => served.reference === request.params.id);
    if (payment === undefined) throw notFound(`payment ${request.params.id}`);
    const { to } = readBody(bodyOf(request), fateForm);
    if (payment.settledAt <= life.now) throw refused(`The payment is ${payment.outcome} already.`);
    decideLink(life, payment, to);
    return { payment: servedAt(payment, life.now) };
  });
  control.post<Named>('/merchants/:reference/disbursements/:id/fate', (request) => {
    const life = of(request);
    const payout = life.payouts.find(({ id }) => id === request.params.id);
    if (payout === undefined) throw notFound(`disbursement ${request.params.id}`);
    const { reason = null } = readBody(bodyOf(request), payoutForm);
    if (payout.status !== 'PENDING') throw refused(`The disbursement is ${payout.status} already.`);
    endPayout(life, payout, reason);
    return { disbursement: payout };
  });
  control.post<Named>('/merchants/:reference/compliance', (request) => {
    const life = of(request);
    const { to, reason = null } = readBody(bodyOf(request), reviewForm);
    if (life.compliance?.status !== 'PENDING') {
      throw refused(`The compliance file is ${life.compliance?.status ?? 'not deposited'}.`);
    }
    review(life, { to, reason });
    return { compliance: life.compliance, limits: payoutLimits(life) };
  });
  control.post<Named>('/merchants/:reference/settlement', (request) => {
    const life = of(request);
    const terms = readBody(bodyOf(request), settlementForm);
    if (terms.mode !== 'MANUAL' && primaryOf(life) === null) throw refused('There is no primary payout account.');
    changeSettlement(life, terms);
    return { settlement: settlementOf(life) };
  });
}

function refused(message: string): ApiError {
  return new ApiError({ status: 409, code: 'FATE_REFUSED', message });
}
