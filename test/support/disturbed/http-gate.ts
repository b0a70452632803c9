// A proxy in front of the simulated service. It makes one request fail, also after the service has
// answered, winds back the clock for some merchants, and empties the lists of others.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface RequestFault {
  /** Number of the request, 1 for the first one after `arm`. */
  readonly number: number;
  readonly does: 'dropped' | 'refused' | 'cut';
}

export interface HttpGate {
  /** Base address of the direct API. */
  readonly url: string;
  /** Replaces the fault and begins to count anew; `null`: nothing fails from now on. */
  arm(fault: RequestFault | null): void;
  /** Returns the request that failed; `null`: none has. */
  readonly struck: () => string | null;
  readonly counted: () => number;
  /** How many further lists of the first merchant of `emptied` come empty. */
  empty: number;
  /** Milliseconds that the proxy waits before each answer. */
  pause: number;
  close(): Promise<void>;
}

export interface GateTask {
  readonly origin: string;
  /** The key whose lists come empty while `empty` is above zero. */
  readonly emptiedKey: string;
  /** The key whose answers have `date` as their header `Date`. */
  readonly dated: { readonly key: string; readonly date: string };
}

export async function startHttpGate({ origin, emptiedKey, dated }: GateTask): Promise<HttpGate> {
  let fault: RequestFault | null = null;
  let counted = 0;
  let struck: string | null = null;
  const server = createServer(async (request, response) => {
    counted += 1;
    const fails = fault !== null && counted === fault.number ? fault.does : null;
    if (fails !== null) struck = `${request.method} ${request.url}`;
    if (fails === 'dropped') return void request.socket.destroy();
    const key = request.headers['x-api-key'];
    const answer = await fetch(`${origin}${request.url}`, {
      headers: request.headers as Record<string, string>,
    });
    const isEmptied =
      request.url!.startsWith('/v1/operations?') && key === emptiedKey && gate.empty > 0;
    if (isEmptied) gate.empty -= 1;
    const date = key === dated.key ? dated.date : answer.headers.get('date')!;
    await sleep(gate.pause);
    const body = isEmptied ? '{"data":[]}' : await answer.text();
    const status = fails === 'refused' ? 503 : answer.status;
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      date,
    });
    if (fails !== 'cut') return void response.end(body);
    response.write(body.slice(0, body.length / 2), () => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const gate: HttpGate = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    arm: (next) => {
      [fault, counted, struck] = [next, 0, null];
    },
    struck: () => struck,
    counted: () => counted,
    empty: 0,
    pause: 15,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return gate;
}
