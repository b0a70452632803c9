// Leaves an entry of the trail for every call of an operator, over HTTP and in the console: what was asked, about which merchant, and
// how it was answered. Takes no query and no body into it, but for the merchant and the decision that they name.

import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import type { Deed, Trail } from '../../workflows/operators/trail.ts';
import type { Server } from './api.ts';
import { askedOf } from './operators.ts';

/** What reads is noted when it was answered, the rest is written before. */
export function leaveTrail(server: Server, trail: Trail): void {
  server.addHook('onSend', async (request, { statusCode }) => {
    const deeds = request.method === 'GET' ? [] : deedsOf(request, statusCode);
    if (deeds.length > 0) await trail.write(deeds);
  });
  server.addHook('onResponse', async (request, { statusCode }) => {
    const deeds = request.method === 'GET' ? deedsOf(request, statusCode) : [];
    for (const deed of deeds) trail.note(deed);
  });
}

const LONGEST = 300;

/** None for calls that are no operator's, and for those of a program that reads the metrics; one for each subject of a call. */
function deedsOf(request: FastifyRequest, status: number): readonly Deed[] {
  const { method, routeOptions } = request;
  const asked = askedOf(request);
  const { needs, merchantIn = 'merchant' } = routeOptions.config as FastifyContextConfig;
  if (asked === null || needs === 'metrics') return [];
  const params = textsIn(request.params);
  const given = { ...textsIn(request.body), ...textsIn(request.query), ...params };
  const { [merchantIn]: _, ...others } = params;
  const named = [...Object.values(others), ...(method === 'GET' ? [] : [given.action ?? ''])];
  const short = (text: string): string | null => text.trim().slice(0, LONGEST) || null;
  const subjects: NonNullable<typeof asked.subjects> = asked.subjects ?? [{ merchant: given[merchantIn] ?? '' }];
  return subjects.map(({ merchant, fingerprint, file }) => ({
    operator: asked.operator.name,
    via: asked.via,
    action: `${method} ${routeOptions.url ?? ''}`,
    merchant: short(merchant),
    subject: short(file ?? [fingerprint ?? '', ...named].join(' ')),
    status,
  }));
}

function textsIn(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([, one]) => typeof one === 'string'));
}
