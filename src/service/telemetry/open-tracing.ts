// Sends spans to a collector by OTLP over HTTP, in batches, beside the work. Spans that cannot be
// sent are dropped. This file is not loaded when no collector is configured.

import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Context,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Note, SpanAttributes, Tracing } from '../../core/domain/measures.ts';

export interface OpenTracing extends Tracing {
  /** Sends the spans that are left, for `patience` at most. Never fails. */
  close(): Promise<void>;
}

export interface TracingOptions {
  /** `http://HOST:4318/v1/traces`. */
  readonly url: string;
  /** The role of the process: `worker`, `serve`, `run`. */
  readonly role: string;
  readonly version: string;
  readonly conceal: (text: string) => string;
  readonly log: (event: object) => void;
  readonly clock: () => number;
  /** Milliseconds to send one batch, and to send the last ones on `close`; 5,000 unless given. */
  readonly patience?: number;
}

const SILENCE_AFTER_COMPLAINT = 60_000;

export function openTracing(options: TracingOptions): OpenTracing {
  const { patience = 5_000 } = options;
  complainSeldom(options);
  const exporter = new OTLPTraceExporter({ url: options.url, timeoutMillis: patience });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': `pointage-${options.role}`,
      'service.version': options.version,
    }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter, maxQueueSize: 8_192, exportTimeoutMillis: patience }),
    ],
  });
  const tracer = provider.getTracer('pointage', options.version);
  const current = new AsyncLocalStorage<Context>();
  return {
    async span(name, attributes, work) {
      const parent = current.getStore() ?? ROOT_CONTEXT;
      const span = tracer.startSpan(
        name,
        { attributes: harmless(attributes, options.conceal) },
        parent,
      );
      try {
        const note: Note = (more) => void span.setAttributes(harmless(more, options.conceal));
        return await current.run(trace.setSpan(parent, span), () => work(note));
      } catch (failure) {
        markFailed(span, failure);
        throw failure;
      } finally {
        span.end();
      }
    },
    close: () =>
      Promise.race([
        provider.shutdown().catch(() => {}),
        sleep(patience, undefined, { ref: false }),
      ]),
  };
}

/** Marks a span as failed, with the error's code or name: its message may quote anything. */
function markFailed(span: Span, failure: unknown): void {
  const { code, name } =
    failure instanceof Error ? (failure as Error & { readonly code?: unknown }) : {};
  span.setStatus({
    code: SpanStatusCode.ERROR,
    message: typeof code === 'string' ? code : (name ?? 'Error'),
  });
}

/** Matches a phone number as the documents write it: a plus and eight digits or more. */
const PHONE_NUMBER = /\+\d{8,15}/g;

function harmless(attributes: SpanAttributes, conceal: TracingOptions['conceal']): SpanAttributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      typeof value === 'string' ? conceal(value).replace(PHONE_NUMBER, '[phone]') : value,
    ]),
  );
}

/**
 * Logs failures to send once a minute at most, because a collector that does not answer fails every
 * batch.
 */
function complainSeldom({ log, clock }: TracingOptions): void {
  let lastAt = Number.NEGATIVE_INFINITY;
  const complain = (why: string): void => {
    if (clock() - lastAt < SILENCE_AFTER_COMPLAINT) return;
    lastAt = clock();
    log({ level: 'warn', event: 'traces not sent', why });
  };
  const quiet = (): void => {};
  diag.setLogger(
    { error: complain, warn: complain, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
