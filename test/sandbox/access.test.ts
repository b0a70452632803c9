// Who may do what with the simulated service, over HTTP: states of account and wallet as they
// change, the addresses that may call, and another API secret. Compared with the direct API
// document ("Authentication", "States and transitions").

import { afterAll, describe, expect, test } from 'vitest';
import { DAY, HOUR } from '../../src/core/domain/instant.ts';
import { type MerchantPlan, planMerchant } from '../../src/sandbox/model/plan.ts';
import {
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from '../../src/sandbox/service/start-sandbox.ts';
import { type Answer, controlOf, partnerOf } from '../support/sandbox-caller.ts';

const START = Date.UTC(2026, 7, 31, 12);

const plans: readonly MerchantPlan[] = [
  planMerchant({ reference: 'SHOP' }),
  planMerchant({ reference: 'OTHER' }),
  planMerchant({
    reference: 'MOVED',
    moves: [
      { at: START + DAY, wallet: 'FROZEN' },
      { at: START + 2 * DAY, wallet: 'ACTIVE', account: 'SUSPENDED' },
      { at: START + 3 * DAY, account: 'ACTIVE' },
      { at: START + 4 * DAY, account: 'CLOSED', wallet: 'CLOSED' },
    ],
  }),
];

const sandboxes: Sandbox[] = [];
async function start(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const basis = { seed: 'access', merchants: plans, start: START, port: 0, control: true };
  const started = await startSandbox({ ...basis, ...options });
  sandboxes.push(started);
  return started;
}
afterAll(() => Promise.all(sandboxes.map((one) => one.close())));

const refusalOf = ({ status, body }: Answer) => [status, body.error.code];
const said = ({ status, body }: Answer) => (status < 400 ? status : `${status} ${body.error.code}`);
let keys = 0;

function create(
  from: Sandbox,
  reference: string,
  type: 'cashin' | 'cashout' = 'cashin',
): Promise<Answer> {
  const body = { amount: 600, country: 'CI', operator: 'MTN', phoneNumber: '+2250700000001' };
  return partnerOf(from, reference)('POST', `/${type}`, {
    body,
    headers: { 'idempotency-key': `k${keys++}` },
  });
}

/** Tries to read, to configure, and to create both kinds of operation. */
async function triedAs(from: Sandbox, reference: string) {
  const ask = partnerOf(from, reference);
  return [
    said(await ask('GET', '/ledger')),
    said(await ask('PATCH', '/merchants/me', { body: { webhookUrl: null } })),
    said(await create(from, reference)),
    said(await create(from, reference, 'cashout')),
  ];
}

const SUSPENDED = '403 ACCOUNT_SUSPENDED';
const FROZEN = '403 WALLET_FROZEN';

describe('states', () => {
  test('move on a call of control, are shown, and have their effect at once', async () => {
    const one = await start();
    const move = (body: object) => controlOf(one)('POST', '/merchants/SHOP/states', { body });
    const ask = partnerOf(one, 'SHOP');
    const before = (await ask('GET', '/wallet')).body;
    await one.advanceTo(START + HOUR);
    for (const [states, expected] of [
      [{ account: 'PENDING' }, [200, 200, SUSPENDED, SUSPENDED]],
      [{ account: 'SUSPENDED' }, [SUSPENDED, SUSPENDED, SUSPENDED, SUSPENDED]],
      [{ account: 'CLOSED' }, [200, SUSPENDED, SUSPENDED, SUSPENDED]],
      [{ account: 'ACTIVE', wallet: 'FROZEN' }, [200, 200, FROZEN, FROZEN]],
      [{ wallet: 'CLOSED' }, [200, 200, FROZEN, FROZEN]],
      [{ wallet: 'ACTIVE' }, [200, 200, 201, 201]],
    ] as const) {
      const shown = (await move(states)).body;
      expect(shown).toMatchObject(states);
      expect(await triedAs(one, 'SHOP'), JSON.stringify(states)).toEqual(expected);
      if (shown.account === 'SUSPENDED') continue;
      expect((await ask('GET', '/merchants/me')).body.status).toBe(shown.account);
      expect((await ask('GET', '/wallet')).body.status).toBe(shown.wallet);
    }
    expect(Date.parse((await ask('GET', '/wallet')).body.updatedAt)).toBe(START + HOUR);
    expect(Date.parse(before.updatedAt)).toBeLessThan(START + HOUR);
    expect(refusalOf(await move({ wallet: 'SHUT' }))).toEqual([400, 'VALIDATION_ERROR']);
    const nobody = await controlOf(one)('POST', '/merchants/NOBODY/states', {
      body: { account: 'ACTIVE' },
    });
    expect(nobody.status).toBe(404);
  });

  test('move as a plan has it; meanwhile nothing new arrives, and what is in flight reaches its end', async () => {
    const one = await start();
    const at = async (instant: number) => {
      await one.advanceTo(instant);
      return triedAs(one, 'MOVED');
    };
    expect(await at(START + DAY - 1)).toEqual([200, 200, 201, 201]);
    expect(await at(START + DAY)).toEqual([200, 200, FROZEN, FROZEN]);
    expect(await at(START + 2 * DAY)).toEqual([SUSPENDED, SUSPENDED, SUSPENDED, SUSPENDED]);
    expect(await at(START + 3 * DAY)).toEqual([200, 200, 201, 201]);
    expect(await at(START + 4 * DAY)).toEqual([200, SUSPENDED, SUSPENDED, SUSPENDED]);
    await one.advanceTo(START + 10 * DAY);
    const { operations, wallet } = one.booksOf('MOVED');
    const day = ({ createdAt }: { readonly createdAt: string }) =>
      Math.floor((Date.parse(createdAt) - START) / DAY);
    const days = Map.groupBy(operations, day);
    expect([0, 3].map((number) => days.get(number)!.length > 3)).toEqual([true, true]);
    expect([1, 2, 4, 5, 6].map((number) => days.get(number) ?? [])).toEqual([[], [], [], [], []]);
    expect(operations.filter(({ completedAt }) => completedAt === null)).toEqual([]);
    expect([wallet.status, wallet.reserved]).toEqual(['CLOSED', 0]);
  });
});

test('an account that is suspended, or a wallet that is frozen, while a creation is processed leaves nothing created', async () => {
  for (const [states, refusal] of [
    [{ account: 'SUSPENDED' }, SUSPENDED],
    [{ wallet: 'FROZEN' }, FROZEN],
  ] as const) {
    const one = await start({
      settings: { misbehaviour: { creationTakes: { from: 150, to: 150 } } },
    });
    const before = JSON.stringify(one.booksOf('SHOP').operations);
    const asked = [create(one, 'SHOP'), create(one, 'SHOP', 'cashout')];
    await new Promise((resolve) => setTimeout(resolve, 50));
    await controlOf(one)('POST', '/merchants/SHOP/states', { body: states });
    expect((await Promise.all(asked)).map(said)).toEqual([refusal, refusal]);
    expect(JSON.stringify(one.booksOf('SHOP').operations)).toBe(before);
  }
});

describe('the addresses that may call', () => {
  test('are any until one is declared; then one that is not declared is refused, whatever it asks', async () => {
    const one = await start();
    const ask = partnerOf(one, 'SHOP');
    const path = '/merchants/me/allowed-ips';
    expect((await ask('GET', path)).body.data).toEqual([]);
    const own = await ask('POST', path, { body: { address: '127.0.0.1' } });
    expect([own.status, own.body]).toEqual([
      201,
      { id: expect.stringMatching(/^[0-9a-f-]{36}$/), address: '127.0.0.1' },
    ]);
    const strange = (await ask('POST', path, { body: { address: '192.0.2.1' } })).body;
    expect(
      (await ask('POST', path, { body: { address: '127.0.0.1' } })).body,
      'declared once',
    ).toEqual(own.body);
    expect((await ask('GET', path)).body.data).toEqual([own.body, strange]);
    expect((await create(one, 'SHOP')).status).toBe(201);
    const removed = await ask('DELETE', `${path}/${own.body.id}`);
    expect([removed.status, removed.body]).toEqual([200, { id: own.body.id, deleted: true }]);
    const refused = [
      await ask('GET', path),
      await create(one, 'SHOP'),
      await ask('GET', '/nowhere'),
    ];
    expect(refused.map(refusalOf)).toEqual(Array(3).fill([403, 'IP_NOT_ALLOWED']));
    expect(await triedAs(one, 'OTHER')).toEqual([200, 200, 201, 201]);
  });

  test('are IP addresses, and known by their id', async () => {
    const one = await start();
    const ask = partnerOf(one, 'SHOP');
    const path = '/merchants/me/allowed-ips';
    for (const address of ['', 'shop.test', '127.0.0.1/8', '256.0.0.1', 7, undefined]) {
      const refused = await ask('POST', path, { body: { address } });
      expect(refusalOf(refused), String(address)).toEqual([400, 'VALIDATION_ERROR']);
    }
    expect(refusalOf(await ask('DELETE', `${path}/nothing`))).toEqual([404, 'RESOURCE_NOT_FOUND']);
    expect((await ask('POST', path, { body: { address: '2001:db8::1' } })).status).toBe(201);
  });
});

test('another API secret is shown once and sent by SMS; from then on the old one opens nothing', async () => {
  const one = await start();
  const { apiKey, apiSecret: old } = one.merchants[0]!;
  const made = await partnerOf(one, 'SHOP')('POST', '/merchants/me/api-key/regenerate');
  const { apiSecret } = made.body;
  expect([made.status, made.body]).toEqual([
    200,
    { apiKey, apiSecret: expect.stringMatching(/^gs_test_.{56}$/) },
  ]);
  expect(apiSecret).not.toBe(old);
  const ask = partnerOf(one, 'SHOP');
  expect(refusalOf(await ask('GET', '/wallet'))).toEqual([401, 'INVALID_CREDENTIALS']);
  expect((await ask('GET', '/wallet', { headers: { 'x-api-secret': apiSecret } })).status).toBe(
    200,
  );
  const { messages } = (await controlOf(one)('GET', '/merchants/SHOP/messages')).body;
  expect(messages.map((message: { apiSecret: string }) => message.apiSecret)).toEqual([
    old,
    apiSecret,
  ]);
});
