// Thousands of calls of every kind, drawn from a seed, on the simulated service over HTTP and on a
// small model of it. Each answer is the one that the model expects, and in the end both have the
// same books.

import { afterAll, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/core/domain/instant.ts';
import { type MerchantPlan, ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { policyNamed } from '../../src/sandbox/model/policy.ts';
import {
  chance,
  drawFrom,
  drawInteger,
  drawUnit,
  type Random,
  seedRandom,
} from '../../src/sandbox/model/random.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/service/start-sandbox.ts';
import { runsOf } from '../support/assert-property.ts';
import {
  effectOf,
  expectCreation,
  mayDecide,
  type NaiveAccount,
  type NaiveTerms,
  type NaiveWish,
  openNaive,
  statusAt,
  walletAt,
} from '../support/naive-service.ts';
import { type Answer, type Ask, controlOf, partnerOf } from '../support/sandbox-caller.ts';
import { TEST_SEED } from '../support/test-seed.ts';

const START = Date.UTC(2026, 7, 31, 12);
const ROUNDS = runsOf(50);
const CALLS = 25;

/**
 * Returns a plan in which only calls make something happen: its own first operation would be weeks
 * later.
 */
function planOf(
  reference: string,
  policy: string,
  parts: Partial<MerchantPlan> = {},
): MerchantPlan {
  const traffic = { ...ORDINARY_TRAFFIC, adjustmentsPerMonth: 0 };
  return planMerchant({
    reference,
    policy: policyNamed(policy),
    opensAt: START + 29 * DAY,
    traffic,
    ...parts,
  });
}

const ORDINARY: NaiveTerms = {
  cashin: { bps: 175, flat: 0, least: 200, most: 2_000_000 },
  cashout: { bps: 100, flat: 50, least: 500, most: 1_500_000 },
  rounding: 'half up',
  holdsFees: true,
  returnsFees: true,
  dailyCeiling: 0,
};
const limits = planMerchant({ reference: 'X' }).limits;

const MERCHANTS: readonly { readonly plan: MerchantPlan; readonly terms: NaiveTerms }[] = [
  { plan: planOf('PLAIN', 'DEBIT_AND_FEE.NET.GROSS_AND_FEE.LINES.GROSS.HALF_UP'), terms: ORDINARY },
  {
    plan: planOf('OUTSIDE', 'FEE_OUTSIDE.AMOUNT.NET.PRINCIPAL.GROSS.FLOOR'),
    terms: { ...ORDINARY, rounding: 'down', holdsFees: false, returnsFees: false },
  },
  {
    plan: planOf('LATE', 'RELEASE_LAST.AMOUNT.GROSS_AND_FEE.NET.GROSS.CEILING', {
      pricing: { cashinFeeBps: 333, cashinFeeFlat: 7, cashoutFeeBps: 77, cashoutFeeFlat: 0 },
    }),
    terms: {
      ...ORDINARY,
      cashin: { ...ORDINARY.cashin, bps: 333, flat: 7 },
      cashout: { ...ORDINARY.cashout, bps: 77, flat: 0 },
      rounding: 'up',
      holdsFees: false,
    },
  },
  {
    plan: planOf('CAPPED', 'DEBIT_ALL.NET.GROSS_AND_FEE.LINES.GROSS.HALF_UP', {
      limits: { ...limits, dailyCashoutLimit: 400_000 },
    }),
    terms: { ...ORDINARY, dailyCeiling: 400_000 },
  },
];

interface Caller {
  readonly reference: string;
  readonly model: NaiveAccount;
  readonly ask: Ask;
  readonly control: Ask;
  readonly random: Random;
  readonly wishes: { readonly wish: NaiveWish; readonly text: string }[];
  /** How often each answer came. */
  readonly seen: Map<string, number>;
  calls: number;
}

let sandbox: Sandbox | undefined;
afterAll(() => sandbox?.close());

function note({ seen }: Caller, what: string): void {
  seen.set(what, (seen.get(what) ?? 0) + 1);
}

/** Draws a new wish, sound more often than not, and its body as it is sent. */
function drawWish(caller: Caller): { readonly wish: NaiveWish; readonly text: string } {
  const { random, model, calls } = caller;
  const type = chance(random, 0.45) ? 'CASHOUT' : 'CASHIN';
  const usual = Math.round(200 + drawUnit(random) ** 3 * 60_000);
  const odd = drawFrom(random, [1, 199, 200, 499, 500, 1_500_000, 1_500_001, 2_000_000, 2_000_001]);
  const amount = chance(random, 0.06) ? odd : usual;
  const flaw = chance(random, 0.12)
    ? drawFrom(random, ['form', 'operator', 'phone'] as const)
    : null;
  const known = model.operations.flatMap((one) => one.externalReference ?? []);
  const reused = known.length > 0 && chance(random, 0.1);
  const externalReference = reused
    ? drawFrom(random, known)
    : chance(random, 0.5)
      ? `REF-${calls}`
      : null;
  const redirects = type === 'CASHIN' && chance(random, 0.3);
  const number = String(drawInteger(random, { from: 0, to: 99_999_999 })).padStart(8, '0');
  const body = {
    amount: flaw === 'form' ? drawFrom(random, [amount + 0.5, String(amount), -amount]) : amount,
    country: flaw === 'operator' ? 'SN' : 'CI',
    operator: redirects
      ? drawFrom(random, ['WAVE', 'DJAMO'])
      : drawFrom(random, ['MTN', 'ORANGE', 'MOOV']),
    phoneNumber:
      flaw === 'phone'
        ? `+22507${number}9`
        : drawFrom(random, [`+22507${number}`, `0022507${number}`, `07${number}`]),
    ...(externalReference !== null && { externalReference }),
    ...(chance(random, 0.3) && { metadata: { call: calls } }),
  };
  const text = JSON.stringify(body);
  const key = chance(random, 0.03) ? null : `key-${calls}`;
  return {
    wish: { type, key, amount, externalReference, redirects, flaw, body: `${type} ${text}` },
    text,
  };
}

/** Draws one of the last wishes again: as it was, with another body, or on the other endpoint. */
function drawRepeat(caller: Caller): { readonly wish: NaiveWish; readonly text: string } {
  const { random, wishes } = caller;
  const earlier = drawFrom(random, wishes.slice(-60));
  const way = drawUnit(random);
  if (way < 0.6) return earlier;
  if (way < 0.85) {
    const other = drawWish(caller);
    return { ...other, wish: { ...other.wish, key: earlier.wish.key } };
  }
  const type = earlier.wish.type === 'CASHIN' ? 'CASHOUT' : 'CASHIN';
  const redirects = type === 'CASHIN' && /WAVE|DJAMO/.test(earlier.text);
  return {
    ...earlier,
    wish: { ...earlier.wish, type, redirects, body: `${type} ${earlier.text}` },
  };
}

async function callCreation(caller: Caller, now: number): Promise<void> {
  const { model, ask, random, wishes } = caller;
  const drawn = wishes.length > 0 && chance(random, 0.2) ? drawRepeat(caller) : drawWish(caller);
  const { wish, text } = drawn;
  wishes.push(drawn);
  const expected = expectCreation(model, wish, now);
  const headers: Record<string, string> = wish.key === null ? {} : { 'idempotency-key': wish.key };
  const answer = await ask('POST', wish.type === 'CASHIN' ? '/cashin' : '/cashout', {
    text,
    headers,
  });
  const place = `${caller.reference} ${caller.calls} ${wish.type} ${text}`;
  if ('code' in expected) {
    expect([answer.status, answer.body.error?.code], place).toEqual([
      expected.status,
      expected.code,
    ]);
    if (expected.details !== undefined)
      expect(answer.body.error.details, place).toEqual(expected.details);
    return note(caller, expected.code);
  }
  expect(answer.status, `${place} ${answer.text}`).toBe(201);
  if ('text' in expected) {
    expect(answer.text, place).toBe(expected.text);
    return note(caller, 'the first answer again');
  }
  const { operation } = answer.body;
  const { type, amount, fees, net: netAmount, externalReference } = expected.operation;
  expect(operation, place).toMatchObject({
    type,
    amount,
    fees,
    netAmount,
    externalReference,
    status: 'CREATED',
  });
  model.operations.push({ ...expected.operation, reference: operation.reference });
  model.keys.set(wish.key!, { wish: wish.body, at: now, text: answer.text });
  note(caller, type);
}

async function callFate(caller: Caller, now: number): Promise<void> {
  const { model, random, control, reference } = caller;
  const operation = drawFrom(random, model.operations.slice(-40));
  if (operation === undefined) return;
  const likely = statusAt(operation, now) === 'SUCCEEDED' ? 'REVERSED' : 'SUCCEEDED';
  const to = chance(random, 0.6)
    ? likely
    : drawFrom(random, ['FAILED', 'EXPIRED', 'CANCELLED', 'SUCCEEDED', 'REVERSED']);
  const isTaken = mayDecide(model, operation, to, now);
  const body = { to, ...(to === 'FAILED' && { failureCode: 'OPERATOR_REFUSED' }) };
  const answer = await control(
    'POST',
    `/merchants/${reference}/operations/${operation.reference}/fate`,
    { body },
  );
  expect(answer.status, `${reference} ${caller.calls} ${to} ${answer.text}`).toBe(
    isTaken ? 200 : 409,
  );
  if (isTaken) operation.decided = to;
  note(caller, isTaken ? `decided ${to}` : 'a fate refused');
}

async function callReading({ model, ask, random, reference }: Caller, now: number): Promise<void> {
  if (model.account === 'SUSPENDED') {
    expect((await ask('GET', '/wallet')).status).toBe(403);
    return;
  }
  const one = drawFrom(random, model.operations);
  if (one === undefined || chance(random, 0.5)) {
    expect((await ask('GET', '/wallet')).body, reference).toMatchObject({
      ...walletAt(model, now).figures,
      status: model.wallet,
    });
    return;
  }
  const { operation } = (await ask('GET', `/operations/${one.reference}`)).body;
  const status = statusAt(one, now);
  expect(operation, reference).toMatchObject({
    status,
    requiresPayerAction: status === 'AWAITING_PAYER',
  });
}

async function callStates(caller: Caller): Promise<void> {
  const { model, random, control, reference } = caller;
  const isUsual = model.account === 'ACTIVE' && model.wallet === 'ACTIVE';
  const strange = chance(random, 0.5)
    ? { account: drawFrom(random, ['PENDING', 'SUSPENDED', 'CLOSED']) }
    : { wallet: drawFrom(random, ['FROZEN', 'CLOSED']) };
  const body = isUsual ? strange : { account: 'ACTIVE', wallet: 'ACTIVE' };
  Object.assign(model, body);
  expect((await control('POST', `/merchants/${reference}/states`, { body })).body).toMatchObject(
    body,
  );
}

async function callOnce(caller: Caller, now: number): Promise<void> {
  caller.calls += 1;
  const draw = drawUnit(caller.random);
  const isStrange = caller.model.account !== 'ACTIVE' || caller.model.wallet !== 'ACTIVE';
  if (draw < (isStrange ? 0.15 : 0.008)) await callStates(caller);
  else if (draw < 0.65) await callCreation(caller, now);
  else if (draw < 0.9) await callFate(caller, now);
  else await callReading(caller, now);
}

async function walk(ask: Ask, path: string): Promise<readonly Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for (;;) {
    const page: Answer = await ask('GET', `${path}?limit=200&offset=${rows.length}`);
    rows.push(...page.body.data);
    if (page.body.data.length < 200) return rows;
  }
}

/** Checks that the books as a partner reads them are those of the model. */
async function compareBooks({ model, ask, reference }: Caller, now: number): Promise<void> {
  const { figures } = walletAt(model, now);
  expect(figures.available, reference).toBeGreaterThanOrEqual(0);
  expect((await ask('GET', '/wallet')).body, reference).toMatchObject(figures);
  const operations = (await walk(ask, '/operations')).toReversed();
  expect(
    operations.map((one) => [one.reference, one.status]),
    reference,
  ).toEqual(model.operations.map((one) => [one.reference, statusAt(one, now)]));
  const lines = await walk(ask, '/ledger');
  let balance = 0;
  const effects = new Map<unknown, number>();
  for (const [i, line] of lines.entries()) {
    const moved = { CREDIT: 1, DEBIT: -1 }[line.direction as string] ?? 0;
    const effect = moved * (line.amount as number);
    balance += effect;
    expect([line.sequence, line.balanceAfter], reference).toEqual([i + 1, balance]);
    expect(Math.min(balance, line.reservedAfter as number), reference).toBeGreaterThanOrEqual(0);
    effects.set(line.operationReference, (effects.get(line.operationReference) ?? 0) + effect);
  }
  expect([lines.at(-1)!.balanceAfter, lines.at(-1)!.reservedAfter]).toEqual([
    figures.balance,
    figures.reserved,
  ]);
  const expected = model.operations.map((one) => [one.reference, effectOf(one, model, now)]);
  expect(
    expected.map(([name]) => [name, effects.get(name) ?? 0]),
    reference,
  ).toEqual(expected);
  expect(
    [...effects.keys()].filter((name) => !model.operations.some((one) => one.reference === name)),
  ).toEqual([]);
}

test(`five thousand mixed calls are answered as a small model answers them, and leave its books (TEST_SEED=${TEST_SEED})`, {
  timeout: 120_000,
}, async () => {
  const plans = MERCHANTS.map(({ plan }) => plan);
  const settings = { fates: 'decided' } as const;
  sandbox = await startSandbox({
    seed: 'model',
    merchants: plans,
    start: START,
    port: 0,
    control: true,
    settings,
  });
  const one = sandbox;
  const callers = MERCHANTS.map(({ plan: { reference }, terms }): Caller => {
    const basis = {
      reference,
      model: openNaive(terms),
      ask: partnerOf(one, reference),
      control: controlOf(one),
    };
    return {
      ...basis,
      random: seedRandom(`${TEST_SEED}/${reference}`),
      wishes: [],
      seen: new Map(),
      calls: 0,
    };
  });
  const random = seedRandom(`${TEST_SEED}/time`);
  for (let round = 0; round < ROUNDS; round += 1) {
    const now = one.now();
    await Promise.all(
      callers.map(async (caller) => {
        for (let i = 0; i < CALLS; i += 1) await callOnce(caller, now);
      }),
    );
    const by = drawFrom(random, [
      0,
      1,
      SECOND - 1,
      SECOND,
      2 * SECOND,
      MINUTE,
      29 * MINUTE,
      3 * HOUR,
      7 * HOUR,
      DAY,
    ]);
    await controlOf(one)('POST', '/advance', { body: { by } });
  }
  expect(callers.reduce((sum, { calls }) => sum + calls, 0)).toBe(
    ROUNDS * CALLS * MERCHANTS.length,
  );
  for (const caller of callers) {
    Object.assign(caller.model, { account: 'ACTIVE', wallet: 'ACTIVE' });
    const body = { account: 'ACTIVE', wallet: 'ACTIVE' };
    await controlOf(one)('POST', `/merchants/${caller.reference}/states`, { body });
    await compareBooks(caller, one.now());
  }
  const seen = new Set(callers.flatMap((caller) => [...caller.seen.keys()]));
  expect([...seen].toSorted(), 'all that may be answered was').toEqual(
    [
      ...[
        'ACCOUNT_SUSPENDED',
        'AMOUNT_OUT_OF_BOUNDS',
        'CASHIN',
        'CASHOUT',
        'DAILY_CASHOUT_LIMIT_EXCEEDED',
      ],
      ...[
        'DUPLICATE_EXTERNAL_REFERENCE',
        'IDEMPOTENCY_KEY_REQUIRED',
        'IDEMPOTENCY_KEY_REUSED',
        'INSUFFICIENT_BALANCE',
      ],
      ...[
        'INVALID_PHONE_NUMBER',
        'OPERATOR_UNAVAILABLE',
        'VALIDATION_ERROR',
        'WALLET_FROZEN',
        'a fate refused',
      ],
      ...[
        'decided CANCELLED',
        'decided EXPIRED',
        'decided FAILED',
        'decided REVERSED',
        'decided SUCCEEDED',
      ],
      'the first answer again',
    ].toSorted(),
  );
});
