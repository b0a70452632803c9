// The sandbox's own calls, below /sandbox: what time it is and moving it, what it has chosen, and how it misbehaves. Not part
// of the service that is simulated; open only where it was asked for.

import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { DAY, formatInstant, parseInstant } from '../../../core/domain/instant.ts';
import { MISDELIVERIES, type MisdeliveryName } from '../../courier/misdelivery.ts';
import { ALL_FAULTS } from '../../faults/register.ts';
import { invalidRequest } from '../api-error.ts';
import { CHOICES } from '../choices.ts';
import { DASHBOARD_CHOICES } from '../dashboard/choices.ts';
import { readBody } from '../read-body.ts';
import { advanceService, type Service } from '../service.ts';
import { FATES, type Misbehaviour } from '../settings.ts';
import { bodyOf } from './body-of.ts';
import { addDashboardControl } from './dashboard-control.ts';
import { addMerchantControl } from './merchant-control.ts';

export function addControl(control: FastifyInstance, service: Service): void {
  control.removeAllContentTypeParsers();
  control.addContentTypeParser('*', { parseAs: 'string' }, (_, body, done) => done(null, body));
  const now = () => ({ now: formatInstant(service.now) });
  control.get('/now', now);
  control.post('/advance', async (request) => {
    await advanceService(service, readTarget(bodyOf(request), service.now));
    return now();
  });
  control.get('/choices', () => ({ choices: CHOICES, dashboard: DASHBOARD_CHOICES }));
  control.get('/faults', () => ({ faults: ALL_FAULTS.map(({ name, says }) => ({ name, says })) }));
  control.get('/misbehaviour', () => misbehaviourOf(service));
  control.post('/misbehaviour', (request) => {
    const { misdelivery, ...misbehaviour } = readBody(bodyOf(request), misbehaviourForm);
    Object.assign(service.settings.misbehaviour, misbehaviour);
    const { courier } = service;
    if (misdelivery !== undefined) courier.settings = { ...courier.settings, misdelivery };
    return misbehaviourOf(service);
  });
  control.get('/fates', () => ({ fates: service.settings.fates }));
  control.post('/fates', (request) => {
    Object.assign(service.settings, readBody(bodyOf(request), fatesForm));
    return { fates: service.settings.fates };
  });
  addMerchantControl(control, service);
  addDashboardControl(control, service);
}

/** All that happens meanwhile is lived through. */
const LONGEST_ADVANCE = 400 * DAY;

const advanceForm = z.strictObject({ to: z.string().optional(), by: z.int().optional() });

function readTarget(text: string, now: number): number {
  const { to, by } = readBody(text, advanceForm);
  const target = to === undefined ? (by === undefined ? null : now + by) : by === undefined ? parseInstant(to) : null;
  if (target === null || target < now) {
    throw invalidRequest(['to must be a date-time, or by a number of milliseconds, and not in the past']);
  }
  if (target - now > LONGEST_ADVANCE) throw invalidRequest(['time is advanced by at most 400 days at once']);
  return target;
}

const share = z.number({ error: 'must be a share from 0 to 1' }).min(0).max(1);
const pause = z
  .strictObject({ from: z.int().min(0), to: z.int().max(60_000) })
  .refine(({ from, to }) => from <= to, { error: 'must go from less to more' })
  .nullable();

const misbehaviourForm = z
  .strictObject({
    failureRate: share,
    rateLimit: z
      .strictObject({ calls: z.int().min(1), refusals: z.int().min(1), retryAfterSeconds: z.int().min(0) })
      .nullable(),
    latency: pause,
    creationTakes: pause,
    unavailableBeforeRecording: share,
    unavailableAfterRecording: share,
    misdelivery: z.partialRecord(z.enum(Object.keys(MISDELIVERIES) as MisdeliveryName[]), share),
  })
  .partial();

const fatesForm = z.strictObject({ fates: z.enum(FATES, { error: `must be one of ${FATES.join(', ')}` }) });

function misbehaviourOf({ settings, courier }: Service): Misbehaviour & { readonly misdelivery: object } {
  return { ...settings.misbehaviour, misdelivery: courier.settings.misdelivery };
}
