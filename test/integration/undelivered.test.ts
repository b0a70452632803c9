// Why a notification is missing, night by night over HTTP. The simulated service notifies a real
// receiver that refuses some notifications. A night asks the service for its list of failed
// deliveries only where a notification is missing.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY, MINUTE } from '../../src/core/domain/instant.ts';
import { HTTP_DEFAULTS, type HttpPaths } from '../../src/io/sources/http/http-settings.ts';
import { openHttpSource } from '../../src/io/sources/http/http-source.ts';
import type { Source } from '../../src/io/sources/port/source.ts';
import { saveNotification } from '../../src/io/storage/notifications/notifications.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/service/start-sandbox.ts';
import { diagnose } from '../../src/service/compose/doctor/diagnose.ts';
import { checkConfiguration } from '../../src/service/config/check-configuration.ts';
import { runMerchants } from '../../src/service/workflows/nightly/run-merchants.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { openSource } from '../support/http-reader.ts';
import { type HttpService, type Misbehaviour, startHttpService } from '../support/http-service.ts';
import { partnerOf } from '../support/sandbox-caller.ts';
import { startReceiver, type WebhookReceiverServer } from '../support/webhook-receiver.ts';

const START = Date.UTC(2026, 7, 31, 12);
const traffic = {
  ...ORDINARY_TRAFFIC,
  operationsPerDay: 12,
  adjustmentsPerMonth: 0,
  reversalRate: 0,
};

describe('a night over the simulated service', () => {
  let sandbox: Sandbox;
  let receiver: WebhookReceiverServer;
  let opened: TestStore;
  /**
   * The status that the receiver answers to the notification of each operation, which says whether
   * it keeps it.
   */
  let fates: Map<string, number>;
  let wanted: number[];
  let paths: HttpPaths = HTTP_DEFAULTS.paths;

  beforeEach(async () => {
    const merchants = [planMerchant({ reference: 'SHOP', traffic })];
    [receiver, opened, sandbox] = await Promise.all([
      startReceiver(null),
      openTestStore(),
      startSandbox({ seed: 'undelivered', merchants, start: START, port: 0 }),
    ]);
    [fates, wanted, paths] = [new Map(), [], HTTP_DEFAULTS.paths];
    receiver.answer = (response, { body }) => {
      const { type, data } = JSON.parse(body);
      const { reference } = data.operation ?? {};
      const isNext = receiver.calls.length > 10 && type === 'cashin.succeeded' && wanted.length > 0;
      if (isNext && !fates.has(reference)) fates.set(reference, wanted.shift()!);
      response.writeHead(fates.get(reference) ?? 200).end();
    };
    const webhookUrl = `http://127.0.0.1:${receiver.port}/hook`;
    await partnerOf(sandbox, 'SHOP')('PATCH', '/merchants/me', { body: { webhookUrl } });
  });
  afterEach(() => Promise.all([sandbox.close(), receiver.close(), opened.close()]));

  /** Keeps the notifications that were neither refused nor lost. */
  async function keepReceived(): Promise<void> {
    for (const { body } of receiver.calls) {
      const { id, type, createdAt, data } = JSON.parse(body);
      const reference = data.operation?.reference ?? null;
      if (fates.has(reference) && type === 'cashin.succeeded') continue;
      const at = Date.parse(createdAt);
      const notified = {
        eventId: id,
        type,
        operationReference: reference,
        createdAt: at,
        receivedAt: at,
        fault: null,
      };
      await saveNotification(opened.store, {
        ...{ merchant: 'SHOP', channel: 'direct', ...notified, body: Buffer.from(body) },
      });
    }
  }

  /**
   * Returns the findings and notes of a night as of `now`, and how often the list was asked for.
   */
  async function night(now: number) {
    const [{ apiKey, apiSecret }] = sandbox.merchants as [Sandbox['merchants'][number]];
    const clock = () => now;
    const own = openHttpSource({
      ...{
        ...HTTP_DEFAULTS,
        baseUrl: sandbox.url,
        merchants: { SHOP: { apiKey, apiSecret } },
        paths,
      },
      ...{ clock, random: () => 0.5, log: () => {} },
    });
    let asked = 0;
    const askDeliveries: Source['askDeliveries'] = (merchant) => {
      asked += 1;
      return own.askDeliveries!(merchant);
    };
    const { merchants } = await runMerchants({
      ...{
        store: opened.store,
        source: { ...own, askDeliveries },
        engine: 'test',
        clock,
        merchants: [],
      },
      optionsFor: (_, asOf) => ({
        asOf,
        grace: 0,
        clockTolerance: 5 * MINUTE,
        pinned: {},
        opening: null,
      }),
      onMerchant: () => () => {},
    });
    await own.close();
    const { findings, notChecked } = merchants[0]!.report;
    return {
      findings,
      notes: notChecked.filter(({ what }) => what === 'failed deliveries'),
      asked,
    };
  }

  test('says of each that is missing what the service lists: given up at once, tried to the end, or not listed', async () => {
    wanted = [404, 503, 299];
    await sandbox.advanceTo(START + 5 * DAY);
    const [refused, failing, lost] = [...fates.keys()] as [string, string, string];
    await keepReceived();
    const { findings, notes, asked } = await night(START + 5 * DAY);
    expect(findings.map(({ kind }) => kind)).toEqual([
      'EVENT_MISSING',
      'EVENT_MISSING',
      'EVENT_MISSING',
    ]);
    const saidOf = (reference: string) =>
      findings.find((one) => one.operationReference === reference)!;
    const told = 'is SUCCEEDED, which it has been since';
    const tried = receiver.calls.filter(
      ({ body }) => body.includes(failing) && body.includes('cashin.succeeded'),
    ).length;
    expect(tried).toBeGreaterThan(5);
    expect(saidOf(refused).message).toMatch(
      new RegExp(
        `${told} .*Z; the service lists its delivery as ABANDONED, attempts: 1, last answer: 404\\.$`,
      ),
    );
    expect(saidOf(failing).message).toMatch(
      new RegExp(`as ABANDONED, attempts: ${tried}, last answer: 503\\.$`),
    );
    expect(saidOf(lost).message).toMatch(/Z; the service lists no failed delivery of it\.$/);
    const { data } = (await partnerOf(sandbox, 'SHOP')('GET', '/merchants/me/webhooks')).body;
    const ids = new Map(
      data.map((one: { id: string; payload: { data: { operation: { reference: string } } } }) => [
        one.payload.data.operation.reference,
        one.id,
      ]),
    );
    expect(saidOf(refused).evidence.map(({ reference }) => reference)).toEqual([
      refused,
      ids.get(refused),
    ]);
    expect(notes).toEqual([]);
    expect(asked).toBe(1);
  });

  test('`pointage doctor` counts what was given up lately, and nothing else', async () => {
    const [{ apiKey, apiSecret, signingSecret }] = sandbox.merchants as [
      Sandbox['merchants'][number],
    ];
    const merchants = { SHOP: { apiKey, apiSecret, notifications: { current: signingSecret } } };
    const doctor = async (days: number, change: object = {}) => {
      const configuration = checkConfiguration(
        { source: sandbox.url, merchants, ...change },
        'test',
      );
      const runtime = { clock: () => START + days * DAY, random: () => 0, log: () => {} };
      const seen = await diagnose({
        configuration,
        runtime,
        conceal: (text) => text,
        patience: 8_000,
      });
      const { condition, says } = seen.find(({ what }) => what === 'failed deliveries')!;
      return [condition, says];
    };
    const counted = (abandoned: number, failed: number) =>
      `of the last 7 days ${abandoned} abandoned and ${failed} to be tried again, for 1 merchant(s)`;
    expect(await doctor(1)).toEqual(['good', counted(0, 0)]);
    wanted = [404, 503];
    while (wanted.length > 0) await sandbox.advanceTo(sandbox.now() + 10 * MINUTE);
    expect(await doctor(2)).toEqual(['warning', counted(1, 1)]);
    expect(await doctor(12)).toEqual(['good', counted(0, 0)]);
    expect((await doctor(2, { http: { paths: { deliveries: '/nowhere' } } }))[0]).toBe('idle');
    expect((await doctor(2, { merchants: { SHOP: { apiKey, apiSecret } } }))[0]).toBe('idle');
  });

  test('asks for nothing where every notification has come', async () => {
    await sandbox.advanceTo(START + 5 * DAY);
    await keepReceived();
    expect(await night(START + 5 * DAY)).toEqual({ findings: [], notes: [], asked: 0 });
  });

  test('says that the list could not be had, and misses nothing for it', async () => {
    wanted = [404];
    paths = { ...HTTP_DEFAULTS.paths, deliveries: '/nowhere' };
    await sandbox.advanceTo(START + 5 * DAY);
    await keepReceived();
    const { findings, notes } = await night(START + 5 * DAY);
    expect(findings.map(({ kind }) => kind)).toEqual(['EVENT_MISSING']);
    expect(findings[0]!.message).toMatch(/Z\.$/);
    expect(notes).toMatchObject([{ incomplete: false, code: 'DELIVERIES_NOT_ANSWERED' }]);
    expect(notes[0]!.why).toMatch(/^NOT_FOUND: /);
  });
});

describe('the list', () => {
  let service: HttpService;
  let rows: unknown[];
  beforeEach(async () => {
    service = await startHttpService({});
    service.books.M001 = { ...({} as HttpService['books'][string]) };
    rows = [];
    service.before = ({ path, query }): Misbehaviour | null => {
      if (path !== '/merchants/me/webhooks') return null;
      const [offset, limit] = ['offset', 'limit'].map((name) => Number(query.get(name)));
      return { do: 'answer', status: 200, body: JSON.stringify(serve(offset!, limit!)) };
    };
  });
  afterEach(() => service.close());

  const page = (offset: number, limit: number): readonly unknown[] =>
    rows.slice(offset, offset + limit);
  let serve = (offset: number, limit: number): unknown => ({ data: page(offset, limit) });
  const row = (number: number, change: object = {}) => ({
    ...{ id: `d-${number}`, state: 'FAILED', attempts: 2, nextRetryAt: '2026-10-02T00:00:00.000Z' },
    payload: {
      id: `evt_${number}`,
      data: { operation: { reference: `GUI-CI-${number}`, status: 'SUCCEEDED' } },
    },
    ...change,
  });
  const read = async () => (await openSource(service).askDeliveries!('M001'))!;

  test('has states, attempts and the reference that its payload names; what it lacks is null', async () => {
    rows = [
      row(1),
      { id: 'd-2', status: 'PENDING', payload: JSON.stringify({ id: 'evt_2', type: 'ping' }) },
    ];
    const nothing = {
      outcome: null,
      amount: null,
      attempts: null,
      lastStatus: null,
      nextRetryAt: null,
      createdAt: null,
    };
    expect(await read()).toEqual({
      deliveries: [
        {
          ...{
            ...nothing,
            id: 'd-1',
            status: 'FAILED',
            reference: 'GUI-CI-1',
            outcome: 'SUCCEEDED',
            attempts: 2,
          },
          nextRetryAt: Date.UTC(2026, 9, 2),
        },
        { ...nothing, id: 'd-2', status: 'PENDING', reference: null },
      ],
      rejected: [],
      isWhole: true,
      absent: null,
    });
    expect(service.asked).toHaveLength(1);
  });

  test('names a row with a state that is none of the four, and is not whole then', async () => {
    rows = [row(1), row(2, { state: 'LOST' })];
    const { deliveries, rejected, isWhole } = await read();
    expect([deliveries.map(({ id }) => id), isWhole]).toEqual([['d-1'], false]);
    expect(rejected.map(({ place, reason }) => [place, reason])).toEqual([
      ['GET /merchants/me/webhooks offset 1', expect.stringContaining('state is "LOST"')],
    ]);
  });

  type Serve = typeof serve;
  test.each<
    readonly [
      string,
      { rows: number; serve: Serve },
      { count: number; isWhole: boolean; calls: number },
    ]
  >([
    [
      'page by page',
      { rows: 430, serve: (at, limit) => page(at, limit) },
      { count: 430, isWhole: true, calls: 3 },
    ],
    [
      'bare, fifty at once',
      { rows: 120, serve: (at) => page(at, 50) },
      { count: 120, isWhole: true, calls: 3 },
    ],
    // The list is whole each time, but nobody can know that it is.
    [
      'whole each time',
      { rows: 120, serve: () => ({ webhooks: rows }) },
      { count: 120, isWhole: false, calls: 2 },
    ],
    [
      'cut short',
      { rows: 60, serve: () => ({ deliveries: page(0, 50) }) },
      { count: 50, isWhole: false, calls: 2 },
    ],
    [
      'too long',
      { rows: 5_000, serve: (at, limit) => page(at, limit) },
      { count: 2_000, isWhole: false, calls: 11 },
    ],
  ])('is read where it is served %s', async (_, given, { count, isWhole, calls }) => {
    rows = Array.from({ length: given.rows }, (__, i) => row(i));
    serve = given.serve;
    const list = await read();
    expect([new Set(list.deliveries.map(({ id }) => id)).size, list.isWhole]).toEqual([
      count,
      isWhole,
    ]);
    expect(service.asked).toHaveLength(calls);
  });

  test('that moves while it is read is not whole', async () => {
    rows = Array.from({ length: 300 }, (_, i) => row(i));
    serve = (at, limit) => {
      const served = page(at, limit);
      rows = rows.slice(20);
      return served;
    };
    expect((await read()).isWhole).toBe(false);
  });
});
