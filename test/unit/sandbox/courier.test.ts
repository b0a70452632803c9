// The courier against a receiver of plain HTTP: the order of simulated time, the ladder, what is
// final, replays, and trouble by name.

import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DAY, HOUR, type Instant, MINUTE, SECOND } from '../../../src/core/domain/instant.ts';
import {
  type Courier,
  type CourierSettings,
  closeCourier,
  deliveriesOf,
  dispatch,
  dispatchAtOnce,
  openCourier,
  type Parcel,
  replay,
} from '../../../src/sandbox/courier/courier.ts';
import { directParcel, refusalOfUrl } from '../../../src/sandbox/courier/parcels.ts';
import { passTime, type Time } from '../../../src/sandbox/courier/pass-time.ts';
import { signatureOf } from '../../support/signed-notification.ts';

const START = Date.UTC(2026, 10, 2);
const MACHINE = Date.UTC(2030, 0, 1);

interface Received {
  readonly at: Instant;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const received: Received[] = [];
const couriers: Courier[] = [];
let answers: (number | 'drop' | 'silence')[] = [];
let otherwise: number | 'drop' = 200;
let time: Time;
let receiver: Server;
let url: string;

beforeEach(async () => {
  received.length = 0;
  answers = [];
  otherwise = 200;
  receiver = createServer(async (request, response) => {
    received.push({ at: time.now, headers: request.headers, body: await text(request) });
    const answer = answers.shift() ?? otherwise;
    if (answer === 'drop') request.socket.destroy();
    else if (answer !== 'silence') response.writeHead(answer).end('{}');
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/notifications`;
});
afterEach(async () => {
  await Promise.all(couriers.splice(0).map(closeCourier));
  receiver.closeAllConnections();
  receiver.close();
});

function open(settings: Partial<CourierSettings> = {}): Courier {
  const courier = openCourier(settings, () => MACHINE);
  couriers.push(courier);
  time = { now: START, courier, listening: new Set() };
  return courier;
}

function parcel(
  id: string,
  parts: Partial<Parcel> & { readonly secret?: () => string } = {},
): Parcel {
  const body = { id: `evt_${id}`, type: 'cashin.succeeded', merchantReference: 'M001' };
  const createdAt = new Date(parts.createdAt ?? START).toISOString();
  const secret = parts.secret ?? (() => 'whsec_one');
  return {
    ...directParcel({ ...body, createdAt, data: {} }, { url, secret, at: null }),
    ...parts,
    id,
  };
}

const seconds = () => received.map(({ at }) => (at - START) / SECOND);
const names = () => received.map(({ body }) => JSON.parse(body).id.slice(4));

test('is tried eight times, each after its own wait, over about 31 hours, and then abandoned', async () => {
  const courier = open();
  otherwise = 503;
  const delivery = dispatch(courier, parcel('a'))!;
  await passTime(time, START + 5 * DAY);
  expect(seconds()).toEqual([2, 6, 14, 314, 1_214, 4_814, 26_414, 112_814]);
  expect(delivery).toMatchObject({
    state: 'ABANDONED',
    attempts: 8,
    lastStatus: 503,
    nextRetryAt: null,
  });
  expect(112_814 / 3_600).toBeCloseTo(31.3, 1);
});

test('tells at any moment when it will be tried again', async () => {
  const courier = open();
  otherwise = 'drop';
  const delivery = dispatch(courier, parcel('a'))!;
  expect(delivery).toMatchObject({
    state: 'PENDING',
    attempts: 0,
    nextRetryAt: START + 2 * SECOND,
  });
  await passTime(time, START + 2 * SECOND - 1);
  expect(received).toEqual([]);
  await passTime(time, START + MINUTE);
  expect(delivery).toMatchObject({
    state: 'FAILED',
    attempts: 3,
    lastStatus: null,
    nextRetryAt: START + 314 * SECOND,
  });
  otherwise = 204;
  await passTime(time, START + HOUR);
  expect(delivery).toMatchObject({
    state: 'SUCCESS',
    attempts: 4,
    lastStatus: 204,
    nextRetryAt: null,
  });
  expect(time.now).toBe(START + HOUR);
});

test.each([400, 401, 404, 410, 422])(
  '%i abandons a direct notification at once',
  async (status) => {
    const courier = open();
    otherwise = status;
    const delivery = dispatch(courier, parcel('a'))!;
    await passTime(time, START + DAY);
    expect(delivery).toMatchObject({ state: 'ABANDONED', attempts: 1, lastStatus: status });
    expect(received).toHaveLength(1);
  },
);

test('the parcel decides which answers are final', async () => {
  const courier = open();
  otherwise = 410;
  const delivery = dispatch(courier, parcel('a', { finalStatuses: [400, 401, 404, 422] }))!;
  await passTime(time, START + MINUTE);
  expect(delivery).toMatchObject({ state: 'FAILED', attempts: 3 });
});

test.each([403, 302, 429, 500, 503, 'drop'] as const)('%s is tried again', async (answer) => {
  const courier = open();
  answers = [answer];
  const delivery = dispatch(courier, parcel('a'))!;
  await passTime(time, START + MINUTE);
  expect(delivery).toMatchObject({ state: 'SUCCESS', attempts: 2, lastStatus: 200 });
});

test('a receiver that does not answer in time is tried again', async () => {
  const courier = open({ answerWithin: 50 });
  answers = ['silence'];
  const delivery = dispatch(courier, parcel('a'))!;
  await passTime(time, START + MINUTE);
  expect(delivery).toMatchObject({ state: 'SUCCESS', attempts: 2 });
  expect(open().settings.answerWithin).toBe(15 * SECOND);
});

test('each attempt is signed anew over the same bytes, at the machine’s time or at the simulated one', async () => {
  for (const signatureTime of ['machine', 'simulated'] as const) {
    received.length = 0;
    answers = [503];
    let secret = 'whsec_one';
    dispatch(open({ signatureTime }), parcel('a', { secret: () => secret }));
    await passTime(time, START + 3 * SECOND);
    secret = 'whsec_two';
    await passTime(time, START + MINUTE);
    const [first, second] = received;
    const [at, later] =
      signatureTime === 'machine' ? [MACHINE, MACHINE] : [START + 2_000, START + 6_000];
    expect(second!.body).toBe(first!.body);
    expect(first!.headers['service-signature']).toBe(signatureOf(first!.body, at, 'whsec_one'));
    expect(second!.headers['service-signature']).toBe(
      signatureOf(second!.body, later, 'whsec_two'),
    );
    expect(first!.headers['service-event']).toBe('cashin.succeeded');
    expect(first!.headers['content-type']).toBe('application/json');
  }
});

test('attempts follow simulated time, those tried again among them', async () => {
  const courier = open();
  answers = [503, 503];
  for (const [id, at] of [
    ['late', 20],
    ['first', 0],
    ['second', 3],
  ] as const) {
    dispatch(courier, parcel(id, { createdAt: START + at * SECOND }));
  }
  await passTime(time, START + MINUTE);
  expect(names()).toEqual(['first', 'second', 'first', 'second', 'late']);
  expect(seconds()).toEqual([2, 5, 6, 9, 22]);
});

test('many wait for slow receivers at once, but never more than allowed, nor two of one subject', async () => {
  let [now, most] = [0, 0];
  const subjects = new Set<string>();
  const slow = createServer(async (request, response) => {
    const subject = JSON.parse(await text(request)).id.slice(4, 5);
    expect(subjects.has(subject)).toBe(false);
    subjects.add(subject);
    most = Math.max(most, ++now);
    setTimeout(() => {
      now -= 1;
      subjects.delete(subject);
      response.end();
    }, 40);
  });
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
  const courier = open({ atOnce: 4, patience: 0 });
  const to = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
  for (let i = 0; i < 16; i += 1) {
    const id = `${'abcdefgh'[i % 8]}${i}`;
    dispatch(courier, parcel(id, { url: to, createdAt: START + i, subject: id.slice(0, 1) }));
  }
  await passTime(time, START + MINUTE);
  expect(
    deliveriesOf(courier, { account: 'M001', channel: 'direct', states: ['SUCCESS'] }),
  ).toHaveLength(16);
  expect(most).toBe(4);
  slow.close();
});

test('a replay begins anew and at once, with the same bytes; what was planned before is void', async () => {
  const courier = open();
  otherwise = 503;
  const delivery = dispatch(courier, parcel('a'))!;
  await passTime(time, START + HOUR);
  expect(delivery).toMatchObject({ state: 'FAILED', attempts: 5 });
  await replay(courier, delivery, { now: time.now, url });
  expect(delivery).toMatchObject({
    state: 'FAILED',
    attempts: 1,
    nextRetryAt: START + HOUR + 4 * SECOND,
  });
  received.length = 0;
  await passTime(time, START + 5 * DAY);
  expect(received).toHaveLength(7);
  expect(delivery).toMatchObject({ state: 'ABANDONED', attempts: 8 });
  otherwise = 200;
  await replay(courier, delivery, { now: time.now, url });
  expect(delivery).toMatchObject({ state: 'SUCCESS', attempts: 1 });
  expect(new Set(received.map(({ body }) => body)).size).toBe(1);
});

test('an awaited parcel is sent at once, and tried again like the others', async () => {
  const courier = open();
  answers = [503];
  const delivery = await dispatchAtOnce(courier, parcel('a'), START);
  expect(delivery).toMatchObject({ state: 'FAILED', attempts: 1, nextRetryAt: START + 4 * SECOND });
  await passTime(time, START + MINUTE);
  expect(delivery.state).toBe('SUCCESS');
});

test('failed and abandoned deliveries can be listed, newest first, each account’s and each API’s by themselves', async () => {
  const courier = open();
  answers = [404, 503, 200];
  for (const [i, id] of ['a', 'b', 'c'].entries())
    dispatch(courier, parcel(id, { createdAt: START + i }));
  dispatch(courier, parcel('d', { account: 'M002', createdAt: START + 10 }));
  dispatch(courier, parcel('e', { channel: 'dashboard', createdAt: START + 20 }));
  await passTime(time, START + 3 * SECOND);
  const listed = (states?: ('FAILED' | 'ABANDONED')[]) =>
    deliveriesOf(courier, { account: 'M001', channel: 'direct', ...(states && { states }) }).map(
      ({ id }) => id,
    );
  expect(listed()).toEqual(['c', 'b', 'a']);
  expect(listed(['FAILED', 'ABANDONED'])).toEqual(['b', 'a']);
});

test('trouble by name falls on its share, the same for the same deliveries', async () => {
  const ids = Array.from({ length: 40 }, (_, i) => `n${i}`);
  const seen = async (misdelivery: CourierSettings['misdelivery']) => {
    received.length = 0;
    const courier = open({ misdelivery });
    for (const [i, id] of ids.entries())
      dispatch(courier, parcel(id, { createdAt: START + i * MINUTE }));
    await passTime(time, START + 3 * DAY);
    return names();
  };
  const counted = (list: readonly string[]) =>
    ids.map((id) => list.filter((name) => name === id).length);
  expect(await seen({})).toEqual(ids);
  for (const name of ['DELIVERED_TWICE', 'ANSWER_LOST'] as const) {
    expect(new Set(counted(await seen({ [name]: 1 })))).toEqual(new Set([2]));
    const some = await seen({ [name]: 0.5 });
    expect(new Set(counted(some))).toEqual(new Set([1, 2]));
    expect(await seen({ [name]: 0.5 })).toEqual(some);
  }
  const mixed = await seen({ OUT_OF_ORDER: 0.5 });
  expect(mixed).not.toEqual(ids);
  expect(mixed.toSorted()).toEqual(ids.toSorted());
  expect((await seen({ LATE: 1 })).toSorted()).toEqual(ids.toSorted());
  expect(Math.min(...received.map(({ at }) => at))).toBeGreaterThan(START + HOUR);
  expect(await seen({ NEVER_SENT: 1 })).toEqual([]);
});

test('HTTPS is required, but to this machine, and with a setting to private networks', () => {
  const refused = (text: string, privateHttp = false) =>
    refusalOfUrl(text, { privateHttp }) !== null;
  for (const fine of [
    'https://shop.test/hook',
    'http://127.0.0.1:80/x',
    'http://localhost/x',
    'http://[::1]:9/x',
  ]) {
    expect(refused(fine), fine).toBe(false);
  }
  for (const inside of [
    'http://pointage:8080/x',
    'http://10.1.2.3/x',
    'http://172.20.0.3/x',
    'http://192.168.0.9/x',
  ]) {
    expect([refused(inside), refused(inside, true)], inside).toEqual([true, false]);
  }
  for (const wrong of [
    'http://shop.test/x',
    'ftp://127.0.0.1/x',
    'shop',
    '',
    'https://a:b@shop.test/',
    'http://8.8.8.8/',
  ]) {
    expect(refused(wrong, true), wrong).toBe(true);
  }
  expect(refused(`https://shop.test/${'x'.repeat(2_048)}`)).toBe(true);
});
