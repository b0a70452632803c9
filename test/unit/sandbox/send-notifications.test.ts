// The simulated service's way of sending notifications, against a receiver of plain HTTP: signed anew each time, tried again
// where the document says so and nowhere else.

import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Sendable, sendNotifications } from '../../support/send-notifications.ts';
import { signatureOf } from '../../support/signed-notification.ts';

const SECRET = 'whsec_sandbox';
const START = Date.UTC(2026, 10, 2);
const received: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
let statuses: (number | 'drop')[] = [];
let receiver: Server;
let url: string;

beforeEach(async () => {
  received.length = 0;
  receiver = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) });
    const status = statuses.shift() ?? 200;
    if (status === 'drop') request.socket.destroy();
    else response.writeHead(status).end('{}');
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/notifications`;
});
afterEach(() => {
  receiver.closeAllConnections();
  receiver.close();
});

function send(...notifications: readonly Sendable[]) {
  let now = START;
  return sendNotifications(notifications, { url, secret: SECRET }, { clock: () => (now += 1_000), waits: [1, 1, 1] });
}

test('each is signed over the bytes that are sent, at the time of the attempt', async () => {
  statuses = [503, 200, 204];
  const first = { id: 'evt_1', type: 'cashin.succeeded', data: { operation: { description: 'é €' } } };
  const deliveries = await send(first, { id: 'evt_2', type: 'ping' });
  expect(deliveries).toEqual([
    { id: 'evt_1', state: 'SUCCESS', attempts: 2, status: 200 },
    { id: 'evt_2', state: 'SUCCESS', attempts: 1, status: 204 },
  ]);
  expect(received.map(({ body }) => body)).toEqual([
    JSON.stringify(first),
    JSON.stringify(first),
    '{"id":"evt_2","type":"ping"}',
  ]);
  for (const [index, { headers, body }] of received.entries()) {
    expect(headers['service-signature']).toBe(signatureOf(body, START + (index + 1) * 1_000, SECRET));
  }
  expect(received.map(({ headers }) => headers['service-event'])).toEqual([
    'cashin.succeeded',
    'cashin.succeeded',
    'ping',
  ]);
});

test.each([400, 401, 404, 410, 422])('%i is given up at once', async (status) => {
  statuses = [status];
  expect(await send({ id: 'evt_1', type: 'ping' })).toEqual([{ id: 'evt_1', state: 'ABANDONED', attempts: 1, status }]);
});

test.each([403, 500, 503, 'drop'] as const)('%s is tried three times more', async (status) => {
  statuses = Array.from({ length: 4 }, () => status);
  const [delivery] = await send({ id: 'evt_1', type: 'ping' });
  expect(delivery).toEqual({
    id: 'evt_1',
    state: 'FAILED',
    attempts: 4,
    status: status === 'drop' ? null : status,
  });
  expect(received).toHaveLength(4);
});
