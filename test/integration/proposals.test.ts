// Maker and checker: above an amount, a decision waits for a second operator, over HTTP and on the
// page of the finding.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { proposeOr, withdrawProposal } from '../../src/service/workflows/operators/proposals.ts';
import { type ConsoleBooks, openConsoleBooks } from '../support/console-books.ts';
import { OPERATOR, operatorOf } from '../support/operator-books.ts';

/** The exact amount that one of the roots is about. */
const LIMIT = 2_925;
const SECOND = operatorOf('moussa', ['decider']);
const PUBLISHER = operatorOf('awa', ['publisher']);
const READER = operatorOf('lecture', ['reader']);

let opened: ConsoleBooks;
beforeAll(async () => {
  const others = [SECOND, PUBLISHER, READER];
  const webhooks = [{ url: 'https://hooks.example/', secret: '' }];
  opened = await openConsoleBooks(undefined, {
    others,
    secondPersonAbove: { XAF: LIMIT },
    webhooks,
  });
});
afterAll(() => opened.close());

interface Answer {
  readonly status: number;
  readonly json: never;
}

async function call(
  path: string,
  by: { readonly token: string } = OPERATOR,
  body?: object,
): Promise<Answer> {
  const authorization = `Bearer ${by.token}`;
  const sent = { method: 'POST', headers: { authorization, 'content-type': 'application/json' } };
  const init =
    body === undefined ? { headers: { authorization } } : { ...sent, body: JSON.stringify(body) };
  const answer = await fetch(`${opened.server.origin}${path}`, init);
  return { status: answer.status, json: (await answer.json()) as never };
}

interface Root {
  readonly fingerprint: string;
  readonly state: string;
  readonly concerned: string | null;
  readonly item: { readonly balance: string; readonly reserved: string };
  readonly decisions: readonly {
    readonly by: string;
    readonly action: string;
    readonly reason: string;
  }[];
}

const sizeOf = ({ item, concerned }: Root): number =>
  Math.max(...[item.balance, item.reserved].map((one) => Math.abs(Number(one)))) ||
  Number(concerned ?? 0);

/** Returns the undecided roots above the limit, or those below it. */
async function roots(isAbove: boolean): Promise<readonly Root[]> {
  const { json } = await call('/findings?merchant=DRIFTED');
  return (json as { items: Root[] }).items.filter(
    (one) => sizeOf(one) > LIMIT === isAbove && ['open', 'acknowledged'].includes(one.state),
  );
}

const found = async (fingerprint: string): Promise<Root> =>
  (await call(`/findings/${fingerprint}`)).json;
const waiting = async (): Promise<readonly { readonly id: string; readonly subject: string }[]> =>
  ((await call('/proposals?merchant=DRIFTED')).json as { items: never }).items;

const SETTLE = { action: 'settle', reason: 'paid back, ticket 7' };

async function propose(): Promise<{ readonly root: Root; readonly id: string }> {
  const [root] = await roots(true);
  const { status, json } = await call(`/findings/${root!.fingerprint}/decisions`, OPERATOR, SETTLE);
  expect(status).toBe(202);
  return { root: root!, id: (json as { id: string }).id };
}

test('one operator decides alone up to the amount', async () => {
  const [small] = await roots(false);
  expect(small, 'there is a root below the limit').toBeDefined();
  const { status } = await call(`/findings/${small!.fingerprint}/decisions`, OPERATOR, SETTLE);
  expect([status, (await found(small!.fingerprint)).state]).toEqual([201, 'settled']);
});

test('above it nothing changes until another with the same permission confirms, and the decision bears both names', async () => {
  const { root, id } = await propose();
  expect(await found(root.fingerprint)).toMatchObject({ state: 'open', decisions: [] });
  expect(await waiting()).toMatchObject([
    {
      id,
      merchant: 'DRIFTED',
      action: 'settle',
      amount: String(sizeOf(root)),
      currency: 'XAF',
      by: 'controle',
    },
  ]);
  const own = await call(`/proposals/${id}/confirm`, OPERATOR, {});
  expect([own.status, own.json]).toMatchObject([409, { error: { code: 'PROPOSAL_REFUSED' } }]);
  expect((await call(`/proposals/${id}/confirm`, PUBLISHER, {})).status).toBe(403);
  expect((await call(`/proposals/${id}/confirm`, READER, {})).status).toBe(403);
  expect((await found(root.fingerprint)).state).toBe('open');
  expect((await call(`/proposals/${id}/confirm`, SECOND, {})).status).toBe(200);
  const { state, decisions } = await found(root.fingerprint);
  expect([state, decisions]).toMatchObject([
    'settled',
    [{ by: 'controle, confirmed by moussa', action: 'settle', reason: SETTLE.reason }],
  ]);
  expect(await waiting()).toEqual([]);
  expect((await call(`/proposals/${id}/confirm`, SECOND, {})).status).toBe(404);
  const told = await opened.books.store.pool.query<{ by: string }>(
    `select content -> 'data' ->> 'by' as by from deliveries where announces like $1`,
    [`decision/DRIFTED/${root.fingerprint}/%`],
  );
  expect(told.rows).toEqual([{ by: 'controle, confirmed by moussa' }]);
});

test('an acceptance weighs as much as its limit lets the root grow to', async () => {
  const [small] = await roots(false);
  const accept = async (limit: number) =>
    call(`/findings/${small!.fingerprint}/decisions`, OPERATOR, {
      action: 'accept',
      reason: 'known',
      limit: `${limit}`,
    });
  const { status, json } = await accept(LIMIT + 1);
  expect([status, json]).toMatchObject([
    202,
    { action: 'accept', amount: `${LIMIT + 1}`, currency: 'XAF' },
  ]);
  expect((await found(small!.fingerprint)).state).toBe(small!.state);
  expect(
    (await call(`/proposals/${(json as { id: string }).id}/withdraw`, OPERATOR, {})).status,
  ).toBe(200);
  expect([(await accept(LIMIT)).status, (await found(small!.fingerprint)).state]).toEqual([
    201,
    'accepted',
  ]);
});

test('what waits is not proposed a second time', async () => {
  const { root, id } = await propose();
  const again = await call(`/findings/${root.fingerprint}/decisions`, SECOND, SETTLE);
  expect([again.status, again.json]).toMatchObject([
    409,
    {
      error: {
        code: 'PROPOSAL_REFUSED',
        message: expect.stringContaining(`controle has proposed it, as ${id}: `),
      },
    },
  ]);
  expect((await call(`/proposals/${id}/withdraw`, SECOND, {})).status).toBe(200);
});

test('a proposal outlasts a comment, and falls once the finding was decided about otherwise', async () => {
  const { root, id } = await propose();
  await call(`/findings/${root.fingerprint}/decisions`, SECOND, {
    action: 'comment',
    reason: 'is that so?',
  });
  expect((await waiting()).map((one) => one.id)).toEqual([id]);
  const noted = await call(`/findings/${root.fingerprint}/decisions`, SECOND, {
    action: 'acknowledge',
    reason: 'asked',
  });
  expect(noted.status).toBe(201);
  expect(await waiting()).toEqual([]);
  expect((await call(`/proposals/${id}/confirm`, SECOND, {})).status).toBe(404);
  expect((await found(root.fingerprint)).state).toBe('acknowledged');
});

test('of two that withdraw at once one does, and the other is told that it has ended', async () => {
  const { id } = await propose();
  const both = [OPERATOR, SECOND].map((operator) =>
    withdrawProposal(opened.books.store, { id, operator, at: 2 }),
  );
  const ends = (await Promise.allSettled(both)).map((one) =>
    one.status === 'fulfilled' ? 'withdrawn' : String(one.reason.code),
  );
  expect(ends.sort()).toEqual(['UNKNOWN_PROPOSAL', 'withdrawn']);
});

test('a withdrawn proposal takes no effect, and one that could not hold is not kept', async () => {
  const { root, id } = await propose();
  expect((await call(`/proposals/${id}/withdraw`, READER, {})).status).toBe(403);
  expect((await call(`/proposals/${id}/withdraw`, OPERATOR, {})).status).toBe(200);
  expect((await call(`/proposals/${id}/confirm`, SECOND, {})).status).toBe(404);
  const wrong = { action: 'accept', reason: 'known', limit: '1' };
  expect((await call(`/findings/${root.fingerprint}/decisions`, OPERATOR, wrong)).status).toBe(409);
  expect([await waiting(), (await found(root.fingerprint)).state]).toEqual([[], root.state]);
});

test('the page of the finding shows what waits; its proposer has no button to confirm it, and the second person does', async () => {
  const { root } = await propose();
  const address = `/console/findings/${root.fingerprint}`;
  const [own, other] = [await openSession(OPERATOR.token), await openSession(SECOND.token)];
  expect(await own.get(address)).toContain('En attente d’une deuxième personne');
  expect(await own.get(address)).not.toContain('value="confirm"');
  const page = await other.get(address);
  expect(page).toContain('proposé par controle');
  const proposal = /name="proposal" value="([^"]+)"/.exec(page)![1]!;
  const forced = await own.post(address, { proposal, action: 'confirm' });
  expect([forced.status, (await found(root.fingerprint)).state]).toEqual([409, root.state]);
  expect((await other.post(address, { proposal, action: 'confirm' })).status).toBe(303);
  expect((await found(root.fingerprint)).state).toBe('settled');
  expect(await other.get(address)).not.toContain('En attente');
});

test.each([
  [{ amount: 101n, currency: 'XAF' }, 'proposed'],
  [{ amount: 100n, currency: 'XAF' }, 'done'],
  [{ amount: 1_000_000n, currency: 'GNF' }, 'done'],
  [{ amount: 101n, currency: null }, 'proposed'],
] as const)('a stake of %o is %s', async (stake, outcome) => {
  const wanted = {
    merchant: 'SOUND',
    action: 'release',
    subject: '2026-10',
    decisions: null,
  } as const;
  const wish = { ...wanted, wish: { reason: null }, by: 'awa', at: 1, stake };
  const taken = await proposeOr(opened.books.store, { XAF: 100 }, wish, async () => 'released');
  expect(Object.keys(taken)).toEqual([outcome]);
  if ('proposed' in taken)
    await withdrawProposal(opened.books.store, {
      id: taken.proposed.id,
      operator: PUBLISHER,
      at: 2,
    });
});

async function openSession(token: string) {
  const { origin } = opened.server;
  const cookies = (answer: Response) =>
    answer.headers
      .getSetCookie()
      .map((set) => set.split(';')[0])
      .join('; ');
  const formOf = (text: string) => /name="form" value="([^"]+)"/.exec(text)![1]!;
  const login = await fetch(`${origin}/login`);
  const form = formOf(await login.text());
  const send = (path: string, cookie: string, fields: Record<string, string>) =>
    fetch(`${origin}${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie },
      body: new URLSearchParams(fields),
    });
  const cookie = cookies(
    await send('/login', cookies(login), { form, next: '/', draft: '', token }),
  );
  const get = async (path: string) =>
    (await fetch(`${origin}${path}`, { headers: { cookie } })).text();
  return {
    get,
    post: async (path: string, fields: Record<string, string>) =>
      send(path, cookie, { ...fields, form: formOf(await get(path)) }),
  };
}
