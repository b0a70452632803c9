// Asks an API until it answers: repeats what may be repeated, waits as it is asked to, and gives up by name. The caller
// sends only what is safe to repeat.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Instant } from '../../../core/domain/instant.ts';
import { NO_TRACING } from '../../../core/domain/measures.ts';
import { PlaceUnreachable, SourceFailed } from '../source.ts';
import { type Attempt, type Outcome, readDate, sendAttempt } from './attempt.ts';
import type { WebSettings } from './web-settings.ts';

export interface WebQuestion<Value> extends Omit<Attempt<Value>, 'url' | 'place' | 'deadline' | 'maxResponseBytes'> {
  readonly merchant: string;
  /** Under the base address, with a leading `/`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string | number>>;
}

export type Answer<Value> = Exclude<Outcome<Value>, { readonly kind: 'failed' }>;

/** Throws `SourceFailed` when every attempt failed, or the first one did in a way that no repetition mends. */
export async function askWeb<Value>(settings: WebSettings, question: WebQuestion<Value>): Promise<Answer<Value>> {
  const { request, stop } = question;
  const { tracing = NO_TRACING, place } = settings;
  const attempt: Attempt<Value> = {
    ...question,
    url: urlOf(settings.baseUrl, question),
    place: settings.baseUrl.replace(/\/+$/, ''),
    deadline: settings.deadline,
    maxResponseBytes: settings.maxResponseBytes,
  };
  const begunAt = performance.now();
  for (let attempts = 1; ; attempts += 1) {
    await place?.enter(stop);
    const outcome = await tracing.span('call', { request, merchant: question.merchant, attempts }, async (note) => {
      const answer = await sendAttempt(attempt);
      note({ outcome: answer.kind === 'failed' ? answer.failure.code : answer.kind });
      return answer;
    });
    if (isAnswer(outcome)) place?.answered();
    if (outcome.kind !== 'failed') return outcome;
    const { failure } = outcome;
    if (!outcome.mayRetry) throw failure;
    if (failure instanceof PlaceUnreachable) place?.unreached(question.merchant, failure);
    const wait = waitBefore(settings, { attempts, retryAfter: outcome.retryAfter, date: outcome.date });
    const { within = Number.POSITIVE_INFINITY } = settings.retries;
    const isLast = attempts >= settings.retries.attempts || performance.now() - begunAt + wait > within;
    if (isLast) {
      const isWaitedFor = place?.gaveUp(question.merchant, downBy(failure, attempt)) ?? false;
      if (isWaitedFor) continue;
      throw exhausted(failure, attempts);
    }
    settings.log({ what: 'retry', merchant: question.merchant, request, why: failure.message, wait });
    await pause(wait, { request, stop });
  }
}

/** Something at the place still answers: whatever it says, it is not down. */
function isAnswer<Value>(outcome: Outcome<Value>): boolean {
  if (outcome.kind !== 'failed') return true;
  return outcome.failure.code === 'RATE_LIMITED' || (!outcome.mayRetry && outcome.failure.code !== 'CLOSED');
}

function urlOf<Value>(baseUrl: string, question: WebQuestion<Value>): string {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}${question.path}`);
  for (const [name, value] of Object.entries(question.query)) url.searchParams.set(name, String(value));
  return url.href;
}

/** Full jitter: anything up to the doubled delay, so that many readers do not come back together. */
function waitBefore(
  settings: WebSettings,
  failed: { readonly attempts: number; readonly retryAfter: string | null; readonly date: Instant | null },
): number {
  const { firstDelay, longestDelay, longestRetryAfter } = settings.retries;
  const jittered = Math.floor(settings.random() * Math.min(longestDelay, firstDelay * 2 ** (failed.attempts - 1)));
  const advised = readRetryAfter(failed.retryAfter, failed.date ?? settings.clock());
  return advised === null ? jittered : Math.min(advised, longestRetryAfter) + jittered;
}

/** Milliseconds from `now`, the service's own clock where it is known: seconds, or an HTTP-date. */
function readRetryAfter(text: string | null, now: Instant): number | null {
  if (text === null) return null;
  if (/^\s*\d{1,9}\s*$/.test(text)) return Number(text) * 1_000;
  const instant = readDate(text);
  return instant === null ? null : Math.max(0, instant - now);
}

async function pause(wait: number, waiting: { readonly request: string; readonly stop: AbortSignal }): Promise<void> {
  try {
    await sleep(wait, undefined, { signal: waiting.stop });
  } catch {
    throw new SourceFailed('CLOSED', `${waiting.request} was given up because its reading was closed.`);
  }
}

/** What its other merchants hear of the place when this failure was not the only one. */
function downBy<Value>(failure: SourceFailed, { place, dialect }: Attempt<Value>): PlaceUnreachable {
  return failure instanceof PlaceUnreachable
    ? failure
    : new PlaceUnreachable({ place, why: failure.code }, dialect.address, failure);
}

function exhausted(failure: SourceFailed, attempts: number): SourceFailed {
  if (failure instanceof PlaceUnreachable) return failure;
  const times = attempts === 1 ? 'once' : `${attempts} times`;
  return new SourceFailed(failure.code, `${failure.message.replace(/\.$/, '')} (asked ${times}).`, failure.cause);
}
