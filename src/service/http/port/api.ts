// What every route is given, and how it knows whose call it answers.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { ReportRepository } from '../../workflows/month/read-reports.ts';
import { merchantNotFound } from './errors.ts';
import type { GenerationQueue } from './generation-queue.ts';

export interface Api {
  readonly repository: ReportRepository;
  readonly queue: GenerationQueue;
  readonly formats: readonly [string, ...string[]];
  /** Comes before the path of `fileUrl`; `null`: `fileUrl` is the path alone. */
  readonly publicUrl: string | null;
  /** Milliseconds after which a report that is still being made is answered as PENDING. */
  readonly answerWithin: number;
}

export type Server = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

const CALLERS = new WeakMap<IncomingMessage, string>();

export function noteCaller(request: FastifyRequest, merchant: string): void {
  CALLERS.set(request.raw, merchant);
}

/**
 * Returns the merchant whose token the call bears. Throws `ApiError` 404 when the call names
 * another merchant, or when the mirror does not know it.
 */
export async function merchantOf(
  api: Api,
  request: FastifyRequest,
  named: string | undefined,
): Promise<string> {
  const merchant = CALLERS.get(request.raw);
  if (merchant === undefined || (named !== undefined && named !== merchant))
    throw merchantNotFound();
  if (!(await api.repository.knows(merchant))) throw merchantNotFound();
  return merchant;
}
