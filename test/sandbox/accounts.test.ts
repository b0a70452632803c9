// Accounts of the simulated service as merchants open and keep them over the dashboard API:
// creation, keys, addresses, and the compliance file. Compared with its document ("Detailed
// endpoints", "Compliance file", "Limits").

import { afterAll, describe, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import {
  type MerchantPlan,
  ORDINARY_DASHBOARD,
  ORDINARY_TRAFFIC,
  planMerchant,
} from '../../src/sandbox/model/plan.ts';
import {
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from '../../src/sandbox/service/start-sandbox.ts';
import { anybodyOf, merchantOf, serverOf, userOf } from '../support/dashboard-caller.ts';
import { type Answer, controlOf, partnerOf } from '../support/sandbox-caller.ts';

const START = Date.UTC(2026, 7, 31, 12);
const STILL = {
  ...ORDINARY_TRAFFIC,
  operationsPerDay: 0,
  paymentsPerDay: 0,
  adjustmentsPerMonth: 0,
};

const plans: readonly MerchantPlan[] = [
  planMerchant({ reference: 'SHOP', traffic: STILL }),
  planMerchant({
    reference: 'FRESH',
    traffic: STILL,
    dashboard: { ...ORDINARY_DASHBOARD, compliance: null },
  }),
  planMerchant({
    reference: 'TURNED',
    traffic: STILL,
    dashboard: { ...ORDINARY_DASHBOARD, compliance: 'REJECTED' },
  }),
];

const sandboxes: Sandbox[] = [];
afterAll(() => Promise.all(sandboxes.map((one) => one.close())));

async function start(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const basis = {
    seed: 'accounts',
    merchants: plans,
    start: START,
    port: 0,
    control: true,
  } as const;
  const started = await startSandbox({ ...basis, settings: { fates: 'decided' }, ...options });
  sandboxes.push(started);
  return started;
}

const refusalOf = ({ status, body }: Answer) => [status, body.message];
const FORM = {
  name: 'Épicerie Neuve',
  reference: 'EPICERIE_NEUVE',
  email: 'epicerie@neuve.example',
  phoneNumber: '07 00 00 00 09',
  country: 'CI',
};
const LINK = { amount: 5_000, order_id: 'CMD-1' };

describe('an account', () => {
  const open = (from: Sandbox, parts: object = {}) =>
    anybodyOf(from)('POST', '/web-merchant', { body: { ...FORM, ...parts } });
  const messages = async (from: Sandbox, of: string) =>
    (await controlOf(from)('GET', `/merchants/${of}/messages`)).body.messages;

  test('is opened by anybody, its credentials come by SMS, and it collects once it is activated', async () => {
    const one = await start();
    const made = await open(one, {
      activity: 'Alimentation',
      webhookUrl: 'https://neuve.example/hook',
    });
    expect([made.status, made.body]).toEqual([201, { name: 'Épicerie Neuve' }]);
    const [sms, ...others] = await messages(one, 'EPICERIE_NEUVE');
    expect(others).toEqual([]);
    expect(sms).toMatchObject({
      at: '2026-08-31T12:00:00.000Z',
      to: '+2250700000009',
      reference: 'EPICERIE_NEUVE',
      apiSecret: expect.stringMatching(/^.{64}$/),
      dashboard: { numero: '+2250700000009' },
    });
    const user = userOf(one, 'EPICERIE_NEUVE', sms.dashboard);
    const { status, body } = await user('GET', '/get-merchant-by-id');
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      reference: 'EPICERIE_NEUVE',
      name: 'Épicerie Neuve',
      legalName: null,
      email: 'epicerie@neuve.example',
      phoneNumber: '+2250700000009',
      country: 'CI',
      status: 'PENDING',
      webhookUrl: 'https://neuve.example/hook',
      createdAt: '2026-08-31T12:00:00.000Z',
    });
    expect((await user('GET', `/get-merchant-by-id?id=${body.id}`)).body).toEqual(body);
    expect(refusalOf(await user('GET', '/get-merchant-by-id?id=other'))).toEqual([
      404,
      'Merchant not found',
    ]);
    expect((await user('GET', '/compliance')).body).toMatchObject({
      compliance: null,
      limits: { plafond: 200_000 },
    });
    expect((await user('GET', '/payout-accounts')).body).toEqual([]);
    const headers = { 'x-api-key': sms.apiKey, 'x-api-secret': sms.apiSecret };
    const link = () =>
      anybodyOf(one)('POST', '/web-merchant/create-web-payment-link', { body: LINK, headers });
    expect(refusalOf(await link())).toEqual([403, 'Account is not active']);
    await controlOf(one)('POST', '/merchants/EPICERIE_NEUVE/states', {
      body: { account: 'ACTIVE' },
    });
    expect((await link()).status).toBe(201);
    await one.advanceTo(START + 40 * DAY);
    expect((await user('GET', '/payments')).body.length).toBe(1);
    expect(
      (await user('GET', '/reports')).body.map(({ period }: { period: string }) => period),
    ).toEqual(['2026-09', '2026-08']);
    expect(one.booksOf('EPICERIE_NEUVE').operations).toEqual([]);
  });

  test('has a reference and a name of its own, and everything that the document asks for', async () => {
    const one = await start();
    expect((await open(one)).status).toBe(201);
    for (const [wrong, reason] of [
      [{ name: 'Autre' }, 'This reference is taken'],
      [{ name: 'Autre', reference: 'epicerie_neuve' }, 'This reference is taken'],
      [{ name: 'Autre', reference: 'SHOP' }, 'This reference is taken'],
      [{ reference: 'AUTRE' }, 'This name is taken'],
      [{ reference: 'AUTRE', name: '  épicerie neuve ' }, 'This name is taken'],
    ] as const) {
      expect([wrong, ...refusalOf(await open(one, wrong))]).toEqual([wrong, 409, reason]);
    }
    const free = { name: 'Autre', reference: 'AUTRE' };
    for (const wrong of [
      { reference: 'DEUX MOTS' },
      { reference: 'accentué' },
      { reference: 'A-B' },
      { reference: '' },
      { reference: 'X'.repeat(65) },
      { name: ' ' },
      { name: undefined },
      { email: 'nobody' },
      { phoneNumber: '+33612345678' },
      { phoneNumber: '123' },
      { country: 'SN' },
      { country: 'ZZ' },
      { webhookUrl: 'http://shop.example' },
      { status: 'ACTIVE' },
    ]) {
      expect([wrong, (await open(one, { ...free, ...wrong })).status]).toEqual([wrong, 400]);
    }
    expect((await controlOf(one)('GET', '/merchants/AUTRE')).status).toBe(404);
    // The document does not say that phones are unique: two accounts have one phone, each with its
    // own password.
    expect((await open(one, free)).status).toBe(201);
    for (const name of ['EPICERIE_NEUVE', 'AUTRE']) {
      const [{ dashboard }] = await messages(one, name);
      expect(
        (await userOf(one, name, dashboard)('GET', '/get-merchant-by-id')).body.reference,
      ).toBe(name);
    }
  });

  test('is the same from the same calls', async () => {
    const live = async () => {
      const one = await start();
      await open(one);
      return messages(one, 'EPICERIE_NEUVE');
    };
    expect(await live()).toEqual(await live());
  });
});

test('a new secret has 64 characters, ends the old one at once over both APIs, leaves the key, and is sent by SMS', async () => {
  const one = await start();
  const { apiKey, apiSecret } = merchantOf(one, 'SHOP');
  const made = await userOf(one, 'SHOP')('POST', '/regenerate-api-key');
  expect([made.status, Object.keys(made.body)]).toEqual([201, ['apiKey', 'apiSecret']]);
  expect([made.body.apiKey, made.body.apiSecret.length]).toEqual([apiKey, 64]);
  expect(made.body.apiSecret).not.toBe(apiSecret);
  const create = (secret: string) =>
    anybodyOf(one)('POST', '/web-merchant/create-web-payment-link', {
      body: LINK,
      headers: { 'x-api-key': apiKey, 'x-api-secret': secret },
    });
  expect(refusalOf(await create(apiSecret))).toEqual([401, 'Invalid API credentials']);
  expect((await create(made.body.apiSecret)).status).toBe(201);
  expect((await partnerOf(one, 'SHOP')('GET', '/wallet')).status).toBe(401);
  const headers = { 'x-api-secret': made.body.apiSecret };
  expect((await partnerOf(one, 'SHOP')('GET', '/wallet', { headers })).status).toBe(200);
  const { messages } = (await controlOf(one)('GET', '/merchants/SHOP/messages')).body;
  expect(messages.map((message: { apiSecret: string }) => message.apiSecret)).toEqual([
    apiSecret,
    made.body.apiSecret,
  ]);
  const foreign = await userOf(one, 'SHOP')('POST', '/regenerate-api-key?merchant_reference=FRESH');
  expect(foreign.status).toBe(404);
});

test('allowed addresses are listed, added and removed, and fence what a key opens over both APIs', async () => {
  const one = await start();
  const ask = userOf(one, 'SHOP');
  const add = (address: unknown) =>
    ask('POST', '/allowed-ips', { body: { merchant_reference: 'SHOP', address } });
  const link = () => serverOf(one, 'SHOP')('POST', '/create-web-payment-link', { body: LINK });
  expect((await ask('GET', '/allowed-ips')).body).toEqual([]);
  const added = await add('192.0.2.7');
  expect([added.status, added.body]).toEqual([
    201,
    { id: expect.any(String), address: '192.0.2.7' },
  ]);
  expect((await ask('GET', '/allowed-ips')).body).toEqual([added.body]);
  expect(refusalOf(await link())).toEqual([403, 'Address not allowed']);
  expect((await partnerOf(one, 'SHOP')('GET', '/wallet')).body.error.code).toBe('IP_NOT_ALLOWED');
  await add('127.0.0.1');
  expect((await link()).status).toBe(201);
  for (const wrong of ['localhost', '1.2.3', '', null, 7])
    expect([wrong, (await add(wrong)).status]).toEqual([wrong, 400]);
  const remove = (id: string, of = 'SHOP') =>
    ask('DELETE', `/allowed-ips/${id}?merchant_reference=${of}`);
  expect(refusalOf(await userOf(one, 'FRESH')('DELETE', `/allowed-ips/${added.body.id}`))).toEqual([
    404,
    'Address not found',
  ]);
  const token = await anybodyOf(one)('POST', '/user/login-merchant', {
    body: merchantOf(one, 'SHOP').dashboard,
  });
  const headers = { authenticationtoken: token.body.access_token };
  const withdraw = (query: string) =>
    anybodyOf(one)('DELETE', `/web-merchant/allowed-ips/${added.body.id}${query}`, { headers });
  for (const query of ['', '?merchant_reference=NOBODY', '?merchant_reference=FRESH']) {
    expect([query, ...refusalOf(await withdraw(query))]).toEqual([
      query,
      404,
      'Merchant not found',
    ]);
  }
  const gone = await withdraw('?merchant_reference=SHOP');
  expect([gone.status, gone.body]).toEqual([200, { id: added.body.id, deleted: true }]);
  expect((await remove(added.body.id)).status).toBe(404);
  expect((await ask('GET', '/allowed-ips')).body.length).toBe(1);
});

const HEADS = {
  jpg: Buffer.from([0xff, 0xd8, 0xff, 0xe0]),
  png: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  webp: Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1'),
  pdf: Buffer.from('%PDF-1.7\n'),
};
const KEYS = ['rccm', 'dfe', 'rib', 'managerId', 'managerSelfie', 'statutes'] as const;
const TEXTS = {
  legalName: 'Boutique Neuve SARL',
  activity: 'Commerce',
  rccmNumber: 'RCCM-1',
  address: '2, rue de Nulle Part',
  managerName: 'Personne Inventée',
};

describe('the compliance file', () => {
  function formOf(
    texts: Readonly<Record<string, string>>,
    files: Readonly<Record<string, Uint8Array<ArrayBuffer>>>,
    merchant = 'FRESH',
  ): FormData {
    const form = new FormData();
    form.set('merchant_reference', merchant);
    for (const [name, text] of Object.entries(texts)) form.set(name, text);
    for (const [name, bytes] of Object.entries(files))
      form.set(name, new Blob([bytes]), `${name}.bin`);
    return form;
  }
  const six = () => Object.fromEntries(KEYS.map((key) => [key, Uint8Array.from(HEADS.pdf)]));
  const deposit = (from: Sandbox, body: unknown, of = 'FRESH') =>
    userOf(from, of)('POST', '/compliance', { body });
  const shown = async (from: Sandbox, of = 'FRESH') =>
    (await userOf(from, of)('GET', '/compliance')).body;
  const review = (from: Sandbox, body: object, of = 'FRESH') =>
    controlOf(from)('POST', `/merchants/${of}/compliance`, { body });

  test('is deposited whole, and PENDING; approved, it raises the ceiling at once', async () => {
    const one = await start();
    expect(await shown(one)).toEqual({
      compliance: null,
      requiredDocuments: KEYS.map((key) => ({ key, label: expect.stringMatching(/\w/) })),
      limits: { plafond: 200_000, consomme: 0, restant: 200_000 },
    });
    expect((await review(one, { to: 'APPROVED' })).status).toBe(409);
    const [jpg, png, webp] = [HEADS.jpg, HEADS.png, HEADS.webp].map((head) =>
      Uint8Array.from(head),
    ) as [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>];
    const largest = new Uint8Array(8 * 1_024 * 1_024);
    largest.set(HEADS.pdf);
    const files = { ...six(), rib: jpg, managerId: png, managerSelfie: webp, statutes: largest };
    const made = await deposit(
      one,
      formOf({ ...TEXTS, legalForm: 'SARL', managerIdType: 'PASSPORT' }, files),
    );
    expect(made.status).toBe(201);
    const { limits, ...file } = made.body;
    expect(Object.keys(file).join(' ')).toBe(
      'id status legalName legalForm activity rccmNumber dfeNumber address managerName managerIdType managerIdNumber documents rejectionReason',
    );
    expect(file).toMatchObject({
      ...TEXTS,
      status: 'PENDING',
      legalForm: 'SARL',
      managerIdType: 'PASSPORT',
      rejectionReason: null,
    });
    expect(
      Object.entries(file.documents).map(([key, place]) => [key, String(place).split('.').at(-1)]),
    ).toEqual([
      ['rccm', 'pdf'],
      ['dfe', 'pdf'],
      ['rib', 'jpg'],
      ['managerId', 'png'],
      ['managerSelfie', 'webp'],
      ['statutes', 'pdf'],
    ]);
    expect(limits).toEqual({ plafond: 200_000, consomme: 0, restant: 200_000 });
    expect((await shown(one)).compliance).toEqual(file);
    expect(refusalOf(await deposit(one, formOf(TEXTS, six())))).toEqual([
      409,
      'The file is PENDING',
    ]);
    expect((await review(one, { to: 'APPROVED', reason: 'no' })).status).toBe(400);
    await review(one, { to: 'APPROVED' });
    expect(await shown(one)).toMatchObject({
      compliance: { status: 'APPROVED' },
      limits: { plafond: 2_000_000, consomme: 0, restant: 2_000_000 },
    });
    expect(refusalOf(await deposit(one, formOf(TEXTS, six())))).toEqual([
      409,
      'The file is APPROVED',
    ]);
    expect((await review(one, { to: 'REJECTED', reason: 'Illisible' })).status).toBe(409);
  });

  test('that is rejected says why, and only what is sent again is replaced', async () => {
    const one = await start();
    await deposit(one, formOf(TEXTS, six()));
    expect((await review(one, { to: 'REJECTED' })).status).toBe(400);
    await review(one, { to: 'REJECTED', reason: 'RIB illisible' });
    const rejected = await shown(one);
    expect(rejected.compliance).toMatchObject({
      status: 'REJECTED',
      rejectionReason: 'RIB illisible',
    });
    expect(rejected.limits.plafond).toBe(200_000);
    const again = await deposit(
      one,
      formOf({ address: '3, rue Neuve' }, { rib: Uint8Array.from(HEADS.png) }),
    );
    const { rib, ...kept } = rejected.compliance.documents;
    expect(again.status).toBe(201);
    expect(again.body).toMatchObject({
      ...TEXTS,
      address: '3, rue Neuve',
      status: 'PENDING',
      rejectionReason: null,
    });
    expect(again.body.id).toBe(rejected.compliance.id);
    const { rib: newRib, ...others } = again.body.documents;
    expect(others).toEqual(kept);
    expect(newRib).toMatch(/\.png$/);
    expect(newRib).not.toBe(rib);
    await review(one, { to: 'APPROVED' });
    expect((await shown(one)).limits.plafond).toBe(2_000_000);
    expect((await shown(one, 'TURNED')).compliance).toMatchObject({
      status: 'REJECTED',
      rejectionReason: expect.stringMatching(/\w/),
    });
  });

  test('is refused where a document or a text is missing or wrong, and stays as it was', async () => {
    const one = await start();
    const tooLong = new Uint8Array(8 * 1_024 * 1_024 + 1);
    tooLong.set(HEADS.pdf);
    const { dfe: _, ...five } = six();
    const { activity: __, ...four } = TEXTS;
    for (const [why, form] of [
      ['dfe must be sent', formOf(TEXTS, five)],
      ['activity', formOf(four, six())],
      ['legalName', formOf({ ...TEXTS, legalName: '' }, six())],
      ['managerIdType', formOf({ ...TEXTS, managerIdType: 'PERMIS' }, six())],
      ['rccm must have at most 8 MB', formOf(TEXTS, { ...six(), rccm: tooLong })],
      [
        'rib must be JPG, PNG, WEBP or PDF',
        formOf(TEXTS, { ...six(), rib: Uint8Array.from(Buffer.from('<html>')) }),
      ],
      ['rib must be JPG, PNG, WEBP or PDF', formOf(TEXTS, { ...six(), rib: new Uint8Array() })],
      ['selfie', formOf(TEXTS, { ...six(), selfie: Uint8Array.from(HEADS.pdf) })],
      ['colour', formOf({ ...TEXTS, colour: 'red' }, six())],
      ['multipart', { merchant_reference: 'FRESH', ...TEXTS }],
    ] as const) {
      const { status, body } = await deposit(one, form);
      expect([why, status, body.error]).toEqual([why, 400, 'Bad Request']);
      expect(body.message).toContain(why);
    }
    const twice = formOf(TEXTS, six());
    twice.append('rib', new Blob([Uint8Array.from(HEADS.pdf)]), 'rib.pdf');
    expect(refusalOf(await deposit(one, twice))).toEqual([400, 'rib must be sent once']);
    const broken = {
      text: 'no form',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    };
    expect((await userOf(one, 'FRESH')('POST', '/compliance', broken)).status).toBe(400);
    expect(refusalOf(await deposit(one, formOf(TEXTS, six(), 'SHOP')))).toEqual([
      404,
      'Merchant not found',
    ]);
    expect((await shown(one)).compliance).toBeNull();
  });
});
