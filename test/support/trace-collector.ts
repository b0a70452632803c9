// A collector of traces on a free port. It takes OTLP over HTTP as JSON, and tells which spans it
// was sent.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
  readonly status: { readonly code?: number; readonly message?: string };
}

export interface TraceCollector {
  /** The address for `telemetry.tracesUrl`. */
  readonly url: string;
  /** The texts that were sent. */
  readonly bodies: readonly string[];
  spans(): readonly SentSpan[];
  close(): void;
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += String(part);
    bodies.push(body);
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    bodies,
    spans: () => bodies.flatMap(spansIn),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function spansIn(body: string): readonly SentSpan[] {
  const { resourceSpans } = JSON.parse(body) as {
    resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[];
  };
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}
