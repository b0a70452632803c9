// Control over one merchant: the states of account and wallet, what becomes of an operation, faults in its books, and what a
// partner would otherwise have to wait for: the SMS with its keys, and every delivery.

import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { formatInstant } from '../../../core/domain/instant.ts';
import { MERCHANT_STATUSES } from '../../../core/domain/merchant.ts';
import { FAILURE_CODES } from '../../../core/domain/operation.ts';
import { WALLET_STATUSES } from '../../../core/domain/wallet.ts';
import { ALL_FAULTS } from '../../faults/register.ts';
import { DECISIONS, decide } from '../../simulation/decide.ts';
import { moveStates, operates } from '../../simulation/state.ts';
import { type Account, bringUp, expectedOf } from '../account.ts';
import { ApiError, invalidRequest, notFound } from '../api-error.ts';
import { isLoss } from '../losses.ts';
import { plantAny } from '../plant.ts';
import { readBody } from '../read-body.ts';
import type { Service } from '../service.ts';
import { showDelivery } from '../show-delivery.ts';
import { bodyOf } from './body-of.ts';

export type Named = { readonly Params: { readonly reference: string; readonly operation: string } };

export function addMerchantControl(control: FastifyInstance, service: Service): void {
  const of = ({ params }: { readonly params: Named['Params'] }) => accountNamed(service, params.reference);
  control.get('/merchants', () => ({ merchants: service.accounts.map((account) => show(service, account)) }));
  control.get<Named>('/merchants/:reference', (request) => show(service, of(request)));
  control.post<Named>('/merchants/:reference/states', (request) => {
    const account = of(request);
    moveStates(account.simulation, readBody(bodyOf(request), statesForm));
    return show(service, account);
  });
  control.post<Named>('/merchants/:reference/operations/:operation/fate', (request) => {
    return decideFate(of(request), request.params.operation, bodyOf(request));
  });
  control.post<Named>('/merchants/:reference/faults', (request) => plantNamed(of(request), bodyOf(request)));
  control.get<Named>('/merchants/:reference/expected', (request) => ({ expected: expectedOf(of(request)) }));
  control.get<Named>('/merchants/:reference/messages', (request) => {
    const messages = of(request).messages.map(({ at, ...message }) => ({ at: formatInstant(at), ...message }));
    return { messages };
  });
  control.get<Named>('/merchants/:reference/deliveries', (request) => {
    const { reference } = of(request).plan;
    const own = [...service.courier.deliveries.values()].filter(({ account }) => account === reference);
    return { deliveries: own.map((delivery) => ({ channel: delivery.channel, ...showDelivery(delivery) })) };
  });
}

/** Up to date. Throws 404. */
export function accountNamed(service: Service, reference: string): Account {
  const account = service.accounts.find(({ plan }) => plan.reference === reference);
  if (account === undefined) throw notFound(`merchant ${reference}`);
  bringUp(account, service.now);
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

const statesForm = z
  .strictObject({
    account: z.enum(MERCHANT_STATUSES, { error: `must be one of ${MERCHANT_STATUSES.join(', ')}` }).optional(),
    wallet: z.enum(WALLET_STATUSES, { error: `must be one of ${WALLET_STATUSES.join(', ')}` }).optional(),
  })
  .transform(({ account, wallet }) => ({
    ...(account !== undefined && { account }),
    ...(wallet !== undefined && { wallet }),
  }));

const fateForm = z
  .strictObject({
    to: z.enum(DECISIONS, { error: `must be one of ${DECISIONS.join(', ')}` }),
    failureCode: z.enum(FAILURE_CODES, { error: `must be one of ${FAILURE_CODES.join(', ')}` }).optional(),
  })
  .refine(({ to, failureCode }) => (to === 'FAILED') === (failureCode !== undefined), {
    path: ['failureCode'],
    error: 'must be given when to is FAILED, and only then',
  });

function decideFate({ simulation }: Account, reference: string, body: string) {
  const { to, failureCode = null } = readBody(body, fateForm);
  const life = simulation.lives.find(({ operation }) => operation.reference === reference);
  if (life === undefined) throw notFound(`operation ${reference}`);
  const refusal = decide(simulation, life, { to, failureCode });
  if (refusal !== null) {
    throw new ApiError({ status: 409, code: 'FATE_REFUSED', message: `The operation ${refusal}.` });
  }
  return { operation: life.operation };
}

const faultForm = z.strictObject({ name: z.string({ error: 'must be the name of a fault' }) });

function plantNamed(account: Account, body: string) {
  const { name } = readBody(body, faultForm);
  const fault = ALL_FAULTS.find((one) => one.name === name);
  if (fault === undefined) throw invalidRequest(['name must be one of those that GET /sandbox/faults lists']);
  // Where somebody is notified, what is missing must be lost before it is sent: its place is known when it is.
  if (isLoss(name) && account.notifyUrl !== null) {
    account.losing.add(name);
    return { expected: null };
  }
  const before = account.planted;
  try {
    plantAny(account, fault);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ApiError({ status: 409, code: 'FAULT_REFUSED', message: `${error.message}.` });
  }
  return { expected: account.planted === before ? null : account.planted.at(-1) };
}
