// The OpenAPI document of the simulated dashboard API. It names every call, and what is answered
// over HTTP has the form that it states, refusals and notifications included.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY, MINUTE } from '../../src/core/domain/instant.ts';
import {
  ORDINARY_DASHBOARD,
  ORDINARY_TRAFFIC,
  planMerchant,
} from '../../src/sandbox/model/plan.ts';
import { DOCUMENT_KEYS } from '../../src/sandbox/model/served-dashboard.ts';
import { OPEN_ROUTES } from '../../src/sandbox/service/dashboard/account-routes.ts';
import {
  DASHBOARD_ROUTES,
  type Sandbox,
  startSandbox,
} from '../../src/sandbox/service/start-sandbox.ts';
import { anybodyOf, serverOf, userOf } from '../support/dashboard-caller.ts';
import {
  badNamesOf,
  callsOf,
  faultOf,
  looseEndsOf,
  type OpenApi,
  openApiAt,
  schemaOf,
} from '../support/open-api.ts';
import type { Answer } from '../support/sandbox-caller.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

const START = Date.UTC(2026, 8, 10, 12);
const traffic = { ...ORDINARY_TRAFFIC, paymentsPerDay: 20 };
const plans = [
  planMerchant({ reference: 'SHOP', traffic }),
  planMerchant({
    reference: 'BARE',
    traffic,
    dashboard: { ...ORDINARY_DASHBOARD, compliance: null },
  }),
];

let sandbox: Sandbox;
let document: OpenApi;
beforeAll(async () => {
  sandbox = await startSandbox({
    seed: 'described',
    merchants: plans,
    start: START,
    port: 0,
    control: true,
  });
  document = await openApiAt(`${sandbox.origin}/openapi-dashboard.json`);
});
afterAll(() => sandbox.close());

const seen = new Set<string>();

/** Checks an answer against what the document says of that call and status, and returns it. */
function hold(name: string, answer: Answer): Answer {
  const stated = callsOf(document).find((one) => one.name === name)!.call.responses[answer.status];
  expect(stated, `${name} ${answer.status}`).toBeDefined();
  const [type] = Object.keys(stated!.content) as [string];
  if (type === 'application/json') {
    expect(
      faultOf(document, schemaOf(stated!), answer.body),
      `${name} ${answer.status}`,
    ).toBeNull();
  } else expect(answer.headers.get('content-type'), name).toContain(type);
  seen.add(`${name} ${answer.status}`);
  return answer;
}

/** Calls as a merchant who has logged in. `at` is the path, where it has parts that vary. */
async function call(name: string, at?: string, body?: unknown, of = 'SHOP'): Promise<Answer> {
  const [method, path] = name.split(' /dashboard/web-merchant') as [string, string];
  return hold(
    name,
    await userOf(sandbox, of)(method, at ?? path, body === undefined ? {} : { body }),
  );
}

const WEB = '/dashboard/web-merchant';

test('names every call once, with what opens it, and refers to all that it has', () => {
  expect(document.openapi).toBe('3.1.0');
  const registered = [...OPEN_ROUTES, ...DASHBOARD_ROUTES];
  expect(
    callsOf(document)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(
    registered
      .map(({ method, path }) => `${method} /dashboard${path.replace(/:(\w+)/g, '{$1}')}`)
      .toSorted(),
  );
  expect(badNamesOf(document)).toEqual([]);
  expect(looseEndsOf(document)).toEqual([]);
  const byKey = callsOf(document).filter(({ call: { security } }) =>
    JSON.stringify(security).includes('apiKey'),
  );
  expect(byKey.map(({ name }) => name)).toEqual([`POST ${WEB}/create-web-payment-link`]);
});

test('what is read has the form that is stated', async () => {
  const { numero, password } = sandbox.merchants[0]!.dashboard!;
  const body = { numero, password };
  const login = 'POST /dashboard/user/login-merchant';
  hold(login, await anybodyOf(sandbox)('POST', '/user/login-merchant', { body }));
  hold(
    login,
    await anybodyOf(sandbox)('POST', '/user/login-merchant', { body: { ...body, password: 'x' } }),
  );
  hold('GET /dashboard/banks/active', await anybodyOf(sandbox)('GET', '/banks/active'));
  const varying = [`GET ${WEB}/payment/status`, `GET ${WEB}/reports/{id}/download`];
  for (const { name } of callsOf(document)) {
    if (name.startsWith(`GET ${WEB}/`) && !varying.includes(name)) await call(name);
  }
  const { body: payments } = await call(`GET ${WEB}/payments`, '/payments?limit=200');
  await call(
    `GET ${WEB}/payment/status`,
    `/payment/status?payment_reference=${payments[0].reference}`,
  );
  await call(`GET ${WEB}/payment/status`, '/payment/status?payment_reference=PAY0');
  await call(`GET ${WEB}/payment/status`);
  const { body: reports } = await call(`GET ${WEB}/reports`);
  await call(`GET ${WEB}/reports/{id}/download`, `/reports/${reports[0].id}/download`);
});

test('what is created, asked for and set has the form that is stated', async () => {
  const merchant_reference = 'SHOP';
  const link = { amount: 500, order_id: 'CMD', metadata: { a: 1 } };
  const name = `POST ${WEB}/create-web-payment-link`;
  hold(name, await serverOf(sandbox, 'SHOP')('POST', '/create-web-payment-link', { body: link }));
  hold(
    name,
    await serverOf(sandbox, 'SHOP')('POST', '/create-web-payment-link', {
      body: { ...link, amount: 1 },
    }),
  );
  await call(`POST ${WEB}/request-disbursement`, undefined, { merchant_reference, amount: 500 });
  await call(`POST ${WEB}/request-disbursement`, undefined, { merchant_reference, amount: 0.5 });
  const accounts = '/payout-accounts';
  const added = await call(`POST ${WEB}${accounts}`, undefined, {
    type: 'MOBILE_MONEY',
    number: '+2250000000001',
  });
  await call(
    `PATCH ${WEB}${accounts}/{id}/set-primary`,
    `${accounts}/${added.body.id}/set-primary`,
  );
  await call(`DELETE ${WEB}${accounts}/{id}`, `${accounts}/${added.body.id}`);
  await call(`DELETE ${WEB}${accounts}/{id}`, `${accounts}/${added.body.id}`);
  await call(`POST ${WEB}/reports/generate`, undefined, { merchant_reference, period: '2026-08' });
  await call(`POST ${WEB}/reports/generate`, undefined, { merchant_reference, period: '2026-09' });
  const file = new FormData();
  const texts = { legalName: 'L', activity: 'A', rccmNumber: 'R', address: 'D', managerName: 'M' };
  for (const [key, text] of Object.entries({ ...texts, merchant_reference: 'BARE' }))
    file.append(key, text);
  for (const key of DOCUMENT_KEYS) file.append(key, new File(['%PDF-1.7'], `${key}.pdf`));
  await call(`POST ${WEB}/compliance`, undefined, file, 'BARE');
  await call(`GET ${WEB}/compliance`, undefined, undefined, 'BARE');
});

test('what is notified has the form that is stated, and so have the deliveries that did not arrive', async () => {
  const receiver = await startReceiver(null);
  const webhookUrl = `http://127.0.0.1:${receiver.port}/`;
  const path = `PATCH ${WEB}/set-webhook-url`;
  await call(path, undefined, { reference: 'SHOP', webhookUrl });
  await call(path, undefined, { reference: 'SHOP', webhookUrl: 'http://shop.test/' });
  await sandbox.advanceTo(START + DAY);
  receiver.answer = (response) => void response.writeHead(503).end();
  await sandbox.advanceTo(START + 2 * DAY);
  const { body } = await call(`GET ${WEB}/webhooks/failed`);
  expect(body.length).toBeGreaterThan(0);
  receiver.answer = (response) => void response.writeHead(204).end();
  const replay = `POST ${WEB}/webhooks/{id}/replay`;
  await call(replay, `/webhooks/${body[0].id}/replay`);
  await call(replay, `/webhooks/${body[0].id}/replay`);
  const schema = schemaOf(document.webhooks.payment!.post.requestBody!);
  expect(receiver.calls.length).toBeGreaterThan(10);
  for (const { body: sent } of receiver.calls)
    expect(faultOf(document, schema, JSON.parse(sent)), sent).toBeNull();
  await sandbox.advanceTo(START + 2 * DAY + MINUTE);
  await receiver.close();
});

test('who may call, and with what, has the form that is stated', async () => {
  const opened = {
    name: 'Neuve',
    reference: 'NEUVE',
    email: 'a@neuve.example',
    phoneNumber: '+2250000000009',
  };
  const open = (body: object) => anybodyOf(sandbox)('POST', '/web-merchant', { body });
  hold(`POST ${WEB}`, await open({ ...opened, country: 'CI' }));
  hold(`POST ${WEB}`, await open({ ...opened, country: 'FR' }));
  const added = await call(`POST ${WEB}/allowed-ips`, undefined, { address: '127.0.0.1' });
  await call(`GET ${WEB}/allowed-ips`);
  for (let times = 0; times < 2; times += 1)
    await call(`DELETE ${WEB}/allowed-ips/{id}`, `/allowed-ips/${added.body.id}`);
  await call(`POST ${WEB}/regenerate-api-key`);
});

test('every call that needs a token or a key is refused without, in the form that is stated', async () => {
  for (const { name, call: described } of callsOf(document)) {
    if (described.security?.length === 0) continue;
    const [method, path] = name.split(' /dashboard') as [string, string];
    const answer = await anybodyOf(sandbox)(method, path.replace(/\{\w+\}/g, 'x'));
    expect(hold(name, answer).status, name).toBe(401);
  }
});

test('the answer of every call was seen', () => {
  const unseen = callsOf(document).filter(
    ({ name }) => ![200, 201].some((status) => seen.has(`${name} ${status}`)),
  );
  expect(unseen.map(({ name }) => name)).toEqual([]);
});
