// The simulated time over HTTP: GET /sandbox/now tells it, POST /sandbox/advance moves it, `{"to": "2026-11-01T00:00:00Z"}`
// or `{"by": milliseconds}`. Not part of the service that is simulated; open only where it was asked for.

import type { FastifyInstance } from 'fastify';
import { formatInstant, type Instant, parseInstant } from '../../domain/instant.ts';
import { invalidRequest } from './api-error.ts';

interface Clock {
  readonly now: () => Instant;
  readonly advanceTo: (instant: Instant) => Promise<void>;
}

export function addControl(app: FastifyInstance, clock: Clock): void {
  app.get('/sandbox/now', () => ({ now: formatInstant(clock.now()) }));
  app.post('/sandbox/advance', async (request) => {
    await clock.advanceTo(readTarget(request.body, clock.now()));
    return { now: formatInstant(clock.now()) };
  });
}

function readTarget(body: unknown, now: Instant): Instant {
  const { to, by } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const target =
    typeof to === 'string' && by === undefined
      ? parseInstant(to)
      : typeof by === 'number' && Number.isSafeInteger(by) && to === undefined
        ? now + by
        : null;
  if (target === null || target < now) {
    throw invalidRequest(['to must be a date-time, or by a number of milliseconds, and not in the past']);
  }
  return target;
}
