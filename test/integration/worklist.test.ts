// Work on findings over HTTP, on the command line and in the store: what people note beside their
// decisions.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FindingState } from '../../src/core/domain/finding.ts';
import { dueDayOf } from '../../src/core/domain/operators/due-day.ts';
import { openWebhookChannel } from '../../src/io/deliveries/webhook.ts';
import { withMerchantLock } from '../../src/io/storage/merchants/merchant-lock.ts';
import { savePage } from '../../src/io/storage/mirror/save/save-page.ts';
import { loadMirrored, loadVersions } from '../../src/io/storage/operators/operation-history.ts';
import { loadServiceFigures } from '../../src/io/storage/operators/service-figures.ts';
import { deliverDue } from '../../src/service/workflows/deliveries/deliver-due.ts';
import { pointage } from '../support/command.ts';
import { notOnCitus } from '../support/not-on-citus.ts';
import {
  entranceTo,
  OPERATOR,
  type OperatorBooks,
  openOperatorBooks,
  operatorOf,
} from '../support/operator-books.ts';
import { pointageAs } from '../support/operator-token.ts';
import { outboxTask } from '../support/outbox.ts';
import { startTestServer, type TestServer } from '../support/report-server.ts';
import { startReceiver, type WebhookReceiverServer } from '../support/webhook-receiver.ts';

const READ_AT = Date.UTC(2026, 10, 8);
const NOW = Date.UTC(2026, 10, 9, 8);
const FAULTS = [
  'BALANCE_DRIFT',
  'CREDIT_MISSING',
  'LINES_MISSING',
  'FEE_AMOUNT_MISMATCH',
  'HOLD_NOT_RELEASED',
];
const READER = operatorOf('lecture', ['reader']);
const INVESTIGATOR = operatorOf('enquete', ['investigator']);
/** The most that one operator decides about alone, in XAF. Any finding here weighs more than 1. */
const ALONE = { XAF: 1_000_000_000 };

const SECRET = `whsec_${'A'.repeat(32)}`;

let receiver: WebhookReceiverServer;
const hook = () => `http://127.0.0.1:${receiver.port}/hook`;
let books: OperatorBooks;
let server: TestServer;

beforeAll(async () => {
  const opened = await openOperatorBooks(
    { SOUND: [], DRIFTED: FAULTS },
    { opensAt: Date.UTC(2026, 9, 24), readAt: READ_AT },
  );
  const rules = [
    { severity: 'critical', minAmount: { XAF: 1_000_000_000 }, days: 0 } as const,
    { severity: 'critical', days: 3 } as const,
  ];
  const secondPersonAbove: Record<string, number> = ALONE;
  const desk = { due: [...rules] };
  receiver = await startReceiver(null);
  const alerts = { ...opened.configuration.alerts, webhooks: [{ url: hook(), secret: SECRET }] };
  books = {
    ...opened,
    configuration: { ...opened.configuration, alerts, desk, decisions: { secondPersonAbove } },
  };
  const { backend, findOperator } = entranceTo(books, () => NOW, undefined, [READER, INVESTIGATOR]);
  server = await startTestServer(books.store, {
    server: { backend, findOperator, clock: () => NOW },
  });
});
afterAll(async () => {
  await server.close();
  await receiver.close();
  await books.close();
});

interface Shown {
  readonly fingerprint: string;
  readonly severity: string;
  readonly causedBy: string | null;
  readonly operationReference: string | null;
  readonly item: { readonly balance: string } | null;
  readonly sequence: string | null;
  readonly proposal:
    | readonly Record<
        'kind' | 'direction' | 'amount' | 'operationReference' | 'description',
        string
      >[]
    | null;
  readonly state: string;
  readonly owner: string | null;
  readonly labels: readonly string[];
  readonly dueDay: string | null;
  readonly lastComment: { readonly by: string; readonly reason: string } | null;
  readonly decisions: readonly { readonly action: string; readonly reason: string }[];
}

async function call(path: string, body?: object, token = OPERATOR.token) {
  const answer = await fetch(`${server.origin}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Shown & Listed };
}

interface Listed {
  readonly items: readonly Shown[];
  readonly total: number;
  readonly seen: string | null;
}

interface Called {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Returns what the receiver got since it was last asked, each with a valid signature. */
async function called(): Promise<readonly Called[]> {
  const settings = {
    receivers: [{ target: hook(), url: hook(), secret: SECRET }],
    allowPrivate: true,
  };
  const channel = openWebhookChannel({ ...settings, userAgent: 'pointage/test' });
  await deliverDue({ ...outboxTask(books.store, [channel]), clock: Date.now });
  const calls = receiver.calls.splice(0);
  return calls.map(({ body, headers }) => new Webhook(SECRET).verify(body, headers) as Called);
}

const roots = async () => (await call('/findings')).body.items;
const note = (fingerprint: string, action: string, reason: string, token?: string) =>
  call(`/findings/${fingerprint}/decisions`, { action, reason }, token);

describe('a note', () => {
  test('of each kind stays in the history, the newest is what lists show, and the state is as it was', async () => {
    const { fingerprint } = (await roots()).at(-1)!;
    await note(fingerprint, 'acknowledge', 'ticket 4412');
    for (const text of ['asked them', 'they answer on Monday'])
      await note(fingerprint, 'comment', text);
    for (const owner of ['Awa', 'Moussa']) await note(fingerprint, 'assign', owner);
    await note(fingerprint, 'label', '+outage  +urgent');
    await note(fingerprint, 'label', '-urgent +bank');
    const { status, body } = await note(fingerprint, 'due', '2026-12-01');
    expect(status).toBe(201);
    const now = {
      state: 'acknowledged',
      owner: 'Moussa',
      labels: ['bank', 'outage'],
      dueDay: '2026-12-01',
      lastComment: { by: 'controle', reason: 'they answer on Monday' },
    };
    expect(body).toMatchObject(now);
    expect(body.decisions.map(({ action }) => action)).toEqual([
      ...['acknowledge', 'comment', 'comment', 'assign', 'assign', 'label', 'label', 'due'],
    ]);
    expect((await roots()).find((one) => one.fingerprint === fingerprint)).toMatchObject(now);
    await note(fingerprint, 'assign', '-');
    expect((await note(fingerprint, 'due', '-')).body).toMatchObject({
      owner: null,
      dueDay: '2026-11-11',
    });
  });

  test('that is none is refused in a sentence, and a second acknowledge names comment', async () => {
    const { fingerprint } = (await roots())[1]!;
    const refusals: readonly (readonly [object, number, RegExp])[] = [
      [{ action: 'comment' }, 400, /reason/],
      [{ action: 'label', reason: 'outage' }, 409, /Write \+LABEL or -LABEL/],
      [{ action: 'label', reason: `+${'x'.repeat(41)}` }, 409, /40 letters/],
      [
        { action: 'label', reason: Array.from({ length: 21 }, (_, i) => `+l${i}`).join(' ') },
        409,
        /at most 20 labels/,
      ],
      [{ action: 'assign', reason: 'x'.repeat(101) }, 409, /at most 100 characters/],
      [{ action: 'due', reason: '2026-02-30' }, 409, /written YYYY-MM-DD/],
      [{ action: 'due', reason: 'tomorrow' }, 409, /written YYYY-MM-DD/],
      [{ action: 'comment', reason: 'x', limit: '9' }, 409, /Only accepting/],
      [{ action: 'comment', reason: 'x', lines: ['9'] }, 409, /Only settling/],
    ];
    for (const [body, status, says] of refusals) {
      const answer = await call(`/findings/${fingerprint}/decisions`, body);
      expect([answer.status, JSON.stringify(answer.body)]).toEqual([
        status,
        expect.stringMatching(says),
      ]);
    }
    expect((await call(`/findings/${fingerprint}`)).body).toMatchObject({
      decisions: [],
      owner: null,
      labels: [],
    });
    await note(fingerprint, 'acknowledge', 'once');
    const again = await note(fingerprint, 'acknowledge', 'twice');
    expect([again.status, JSON.stringify(again.body)]).toEqual([
      409,
      expect.stringMatching(/use comment/),
    ]);
  });

  test('needs the permission to investigate, and no more', async () => {
    const { fingerprint } = (await roots())[2]!;
    for (const action of ['comment', 'assign', 'label', 'due'])
      expect((await note(fingerprint, action, '+x', READER.token)).status, action).toBe(403);
    expect((await note(fingerprint, 'comment', 'seen', INVESTIGATOR.token)).status).toBe(201);
    expect((await note(fingerprint, 'settle', 'seen', INVESTIGATOR.token)).status).toBe(403);
  });

  test('takes no decision away: an acceptance holds in the next run, whatever was noted since', async () => {
    const { fingerprint } = (await roots()).find(({ state }) => state === 'open')!;
    await note(fingerprint, 'accept', 'small');
    await note(fingerprint, 'comment', 'they agree');
    await note(fingerprint, 'assign', 'Awa');
    const run = [
      'run',
      'DRIFTED',
      '--source',
      books.configuration.source!,
      '--database-url',
      books.databaseUrl,
    ];
    expect((await pointage([...run, '--format', 'json'], { clock: () => NOW })).status).toBe(1);
    expect((await call(`/findings/${fingerprint}`)).body).toMatchObject({
      state: 'accepted',
      owner: 'Awa',
    });
    const { rows } = await books.store.pool.query(
      `select act, reason, before, after from people_decisions where about = $1 order by number`,
      [fingerprint],
    );
    expect(rows.slice(-3)).toEqual([
      { act: 'accept', reason: 'small', before: 'open', after: 'accepted' },
      { act: 'comment', reason: 'they agree', before: 'accepted', after: 'accepted' },
      { act: 'assign', reason: 'Awa', before: 'accepted', after: 'accepted' },
    ]);
  });
});

describe('a filter', () => {
  const found = async (filter: string) => {
    const { status, body } = await call(`/findings?limit=200&${filter}`);
    expect(status, filter).toBe(200);
    return body.items;
  };

  test('of each kind finds what it names and nothing else', async () => {
    const all = await found('merchant=DRIFTED');
    const one = all.find(
      ({ operationReference, item }) => operationReference !== null && item!.balance !== '0',
    )!;
    const { fingerprint } = one;
    await note(fingerprint, 'assign', 'Aminata');
    await note(fingerprint, 'label', '+special');
    const { rows } = await books.store.pool.query<{ operator: string }>(
      'select operator from operation_versions where reference = $1',
      [one.operationReference],
    );
    const size = one.item!.balance.replace('-', '');
    const finding = [
      'owner=Aminata',
      'label=special',
      `operation=${one.operationReference}`,
      `text=${one.operationReference!.slice(3).toLowerCase()}`,
    ];
    for (const filter of [
      ...finding,
      `network=${rows[0]!.operator}`,
      `minimum=${size}+XAF`,
      'country=CM',
      'since=2026-11-08',
      'before=2026-11-09',
    ])
      expect(
        (await found(filter)).map((each) => each.fingerprint),
        filter,
      ).toContain(fingerprint);
    for (const filter of finding.slice(0, 3)) expect(await found(filter), filter).toHaveLength(1);
    for (const filter of [
      'owner=Ami',
      'label=spec',
      'operation=GUI',
      'text=no-such-text',
      'network=NONE',
      'country=CI',
      'since=2026-11-09',
      'before=2026-11-08',
      `minimum=${size}+ZZZ`,
    ])
      expect(await found(filter), filter).toEqual([]);
    const more = await found(`minimum=${Number(size) + 1}+XAF`);
    expect(more.map((each) => each.fingerprint)).not.toContain(fingerprint);
    expect((await found('')).length).toBe(all.length);
  });

  test.each([
    'merchant=NOPE',
    'minimum=100',
    'minimum=100+xof',
    'country=Mali',
    'since=soon',
    'text=ab',
    'owner=',
  ])('that cannot be is refused: %s', async (filter) => {
    expect((await call(`/findings?${filter}`)).status).toBe(filter === 'merchant=NOPE' ? 404 : 400);
  });

  test('is the same on the command line, which says what is wrong with one', async () => {
    const list = (...words: string[]) =>
      pointage(['findings', 'list', ...words, '--database-url', books.databaseUrl], {
        clock: () => NOW,
      });
    expect((await list('--owner', 'Aminata')).out).toContain('Owner: Aminata');
    expect((await list('--country', 'CI')).out).toBe('There are no such findings.\n');
    const wrong = await list('--minimum', '10000');
    expect([wrong.status, wrong.err]).toEqual([
      3,
      expect.stringMatching(/--minimum must be an amount with its currency.*, not '10000'/),
    ]);
    expect((await list('--merchant', 'NOPE')).status).toBe(3);
  });
});

describe('a decision about a root', () => {
  const followers = async (filter: string) =>
    (await call(`/findings?merchant=DRIFTED&causedBy=all&limit=200&${filter}`)).body.items;
  const openFigure = async () =>
    (await loadServiceFigures(books.store, 0)).findings.reduce(
      (sum, { state, count }) => sum + (state === 'open' ? count : 0),
      0,
    );

  test('carries what follows from it, which takes no decision of its own and is open with it again', async () => {
    const all = await followers('');
    const { causedBy: root } = all.find((one) => one.causedBy !== null && one.state === 'open')!;
    const theirs = all
      .filter(({ causedBy }) => causedBy === root)
      .map(({ fingerprint }) => fingerprint);
    const before = await openFigure();
    for (const [action, state] of [
      ['acknowledge', 'acknowledged'],
      ['settle', 'settled'],
      ['reopen', 'open'],
    ] as const) {
      expect((await note(root!, action, 'as it is')).status, action).toBe(201);
      const shown = await followers(`state=${state}`);
      expect(shown.map(({ fingerprint }) => fingerprint)).toEqual(expect.arrayContaining(theirs));
      expect((await call(`/findings/${theirs[0]}`)).body).toMatchObject({ state, decisions: [] });
      if (state === 'settled') {
        const open = (await followers('state=open')).map(({ fingerprint }) => fingerprint);
        expect(open.filter((one) => theirs.includes(one))).toEqual([]);
        expect(await openFigure()).toBe(before - 1 - theirs.length);
      }
    }
    expect(await openFigure()).toBe(before);
    for (const action of ['acknowledge', 'settle', 'accept', 'reopen']) {
      const { status, body } = await note(theirs[0]!, action, 'alone');
      expect([status, JSON.stringify(body)]).toEqual([
        409,
        expect.stringContaining(`It follows from ${root}`),
      ]);
    }
    expect((await note(theirs[0]!, 'comment', 'seen')).status).toBe(201);
  });
});

describe('what the service is given', () => {
  const get = async (path: string, token = OPERATOR.token) => {
    const answer = await fetch(`${server.origin}${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const entriesOf = (items: readonly Shown[]) => items.flatMap(({ proposal }) => proposal ?? []);
  const cli = (...words: string[]) =>
    pointage(['findings', ...words, '--database-url', books.databaseUrl], { clock: () => NOW });

  test('is a letter about one open root, alike over HTTP and by command, with its lines and what is proposed', async () => {
    const all = (await call('/findings?merchant=DRIFTED&limit=200')).body.items;
    const wanted = (one: Shown) =>
      one.state !== 'accepted' && one.proposal !== null && one.sequence !== null;
    const { fingerprint, proposal, sequence } = all.find(wanted)!;
    const { status, headers, text } = await get(
      `/findings/${fingerprint}/letter?merchant=DRIFTED`,
      READER.token,
    );
    expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      ...[
        200,
        'text/plain; charset=utf-8',
        `attachment; filename="LETTER_DRIFTED_${fingerprint}.txt"`,
      ],
    ]);
    expect(text).toContain(`Notre référence : ${fingerprint}`);
    expect(text.replace(/[\u00a0\u202f]/g, ' ')).toMatch(
      /heure : UTC\) :\n(- n° .* XAF ; ensuite solde [\d ]+ XAF, réservé [\d ]+ XAF\n)+\n/,
    );
    expect(text.replaceAll('\u202f', '')).toContain(`- n° ${sequence}, `);
    expect(text).toContain(`libellé « ${proposal![0]!.description} »`);
    expect(await cli('show', fingerprint.slice(0, 8), '--letter', 'fr')).toMatchObject({
      status: 0,
      out: text,
    });
    const english = (await get(`/findings/${fingerprint}/letter?language=en`)).text;
    expect([english.includes('Yours faithfully,'), english.includes('Madame')]).toEqual([
      true,
      false,
    ]);
    expect((await get(`/findings/${fingerprint}/letter?language=de`)).status).toBe(400);
    expect((await get(`/findings/${fingerprint}/letter?merchant=SOUND`)).status).toBe(404);
  });

  test('is no letter about what follows from another, or is open no more', async () => {
    const follower = (
      await call('/findings?merchant=DRIFTED&causedBy=all&limit=200')
    ).body.items.find(({ causedBy }) => causedBy !== null)!;
    const refused = await get(`/findings/${follower.fingerprint}/letter`);
    expect([refused.status, refused.text]).toEqual([
      409,
      expect.stringContaining('write about that one'),
    ]);
    const { fingerprint } = (await call('/findings?merchant=DRIFTED&state=open')).body.items[0]!;
    expect(await note(fingerprint, 'settle', 'paid back')).toMatchObject({ status: 201 });
    expect((await get(`/findings/${fingerprint}/letter`)).text).toContain(
      'It is settled: there is nothing left to ask.',
    );
    expect(await cli('show', fingerprint, '--letter', 'fr')).toMatchObject({ status: 3, out: '' });
    await note(fingerprint, 'reopen', 'for the next test');
  });

  test('is a row an entry that is proposed, by the filter of findings, and no cell is a formula', async () => {
    const filter = 'merchant=DRIFTED&severity=critical&limit=200';
    const found = (await call(`/findings?${filter}`)).body.items;
    const entries = entriesOf(
      found.filter(({ state }) => state === 'open' || state === 'acknowledged'),
    );
    expect(entries.length).toBeGreaterThan(1);
    expect(entriesOf(found).length, 'one was dealt with').toBeGreaterThan(entries.length);
    const { status, headers, text } = await get(
      '/corrections?merchant=DRIFTED&severity=critical',
      READER.token,
    );
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    const [head, ...rows] = text.trimEnd().split('\r\n');
    expect(head).toBe(
      'merchant;currency;entry;direction;amount;operation;description;fingerprint;kind;state;firstSeenAt;message',
    );
    expect(rows.map((row) => row.split(';').slice(0, 5).join(';'))).toEqual(
      entries.map(({ kind, direction, amount }) => `DRIFTED;XAF;${kind};${direction};${amount}`),
    );
    const list = await cli(
      'corrections',
      '--merchant',
      'DRIFTED',
      '--severity',
      'critical',
      '--format',
      'csv',
    );
    expect(list).toMatchObject({ status: 0, out: `\uFEFF${text}`, err: '' });
    const some = await cli(
      'corrections',
      '--merchant',
      'DRIFTED',
      '--severity',
      'critical',
      '--limit',
      '1',
    );
    expect(some.out).toContain('There are more: --limit lists more than 1.');
    const first = rows[0]!.split(';')[7]!;
    await note(first, 'settle', 'posted by hand');
    expect(
      (await get('/corrections?merchant=DRIFTED')).text,
      'nothing is posted twice',
    ).not.toContain(first);
    await note(first, 'reopen', 'for the next test');
    expect((await get('/corrections?merchant=SOUND')).text.trimEnd().split('\r\n')).toHaveLength(1);
    expect((await get('/corrections?minimum=1')).status).toBe(400);
    const put = (reference: string) =>
      books.store.pool.query(
        `update findings set content = jsonb_set(content::jsonb, '{proposal,0,operationReference}', to_jsonb($1::text))
          where content->'proposal'->0->>'operationReference' = $2`,
        reference === '=1+1'
          ? [reference, entries[0]!.operationReference]
          : [entries[0]!.operationReference, '=1+1'],
      );
    await put('=1+1');
    expect((await get('/corrections?merchant=DRIFTED')).text).toContain(";'=1+1;");
    await put('');
  });
});

describe('one decision about all of a filter', () => {
  const listed = async (filter: string) => (await call(`/findings?limit=200&${filter}`)).body;
  const decide = async (filter: string, wish: object, token?: string) => {
    const { total, seen } = await listed(filter);
    return call(
      `/findings/decisions?${filter}`,
      { reason: 'ticket 4412', expect: total, seen, ...wish },
      token,
    );
  };
  const histories = async () =>
    (
      await books.store.pool.query<{ n: number }>(
        'select count(*)::int as n from finding_decisions',
      )
    ).rows[0]!.n;
  const label = (filter: string, text: string) => decide(filter, { action: 'label', reason: text });
  beforeAll(async () => {
    for (const { fingerprint, state } of await roots())
      if (state !== 'open') await note(fingerprint, 'reopen', 'for the next test');
    expect((await label('', '+joint')).status).toBe(201);
  });
  afterAll(async () => {
    expect((await label('label=joint', '-joint')).status).toBe(201);
  });

  test('is kept for each of them with name, reason and an entry of the trail, and moves what follows', async () => {
    const { total, items } = await listed('state=open&label=joint');
    expect(total).toBeGreaterThan(3);
    const before = await histories();
    const { status, body } = await decide(
      'state=open&label=joint',
      { action: 'acknowledge' },
      INVESTIGATOR.token,
    );
    expect([status, body.items.map(({ fingerprint }) => fingerprint)]).toEqual([
      201,
      items.map(({ fingerprint }) => fingerprint),
    ]);
    expect(await histories()).toBe(before + total);
    expect((await listed('state=open&causedBy=all')).total).toBe(0);
    const { decisions } = (await call(`/findings/${items[0]!.fingerprint}`)).body;
    expect(decisions.at(-1)).toMatchObject({
      action: 'acknowledge',
      reason: 'ticket 4412',
      by: 'enquete',
    });
    const { rows } = await books.store.pool.query<object>(
      `select operator, merchant, subject, status from trail where action = 'POST /findings/decisions'
        and subject like '%acknowledge'`,
    );
    expect(rows).toHaveLength(total);
    const [one] = items;
    expect(rows).toContainEqual({
      ...{ operator: 'enquete', merchant: 'DRIFTED', status: 201 },
      subject: `${one!.fingerprint} acknowledge`,
    });
    const wish = { action: 'accept', reason: 'small', until: '2027-01-01T00:00:00Z' };
    expect((await decide('state=acknowledged', wish)).status).toBe(201);
    const accepted = await call(`/findings/${one!.fingerprint}`);
    expect(JSON.stringify(accepted.body.decisions.at(-1))).toContain(
      '"until":"2027-01-01T00:00:00',
    );
    expect((await decide('state=accepted', { action: 'reopen' })).body.items).toHaveLength(total);
  });

  test('is told to webhooks for each of them, in signed calls; one that is refused, or a label, is not', async () => {
    const { total, items } = await listed('label=joint');
    await called();
    const settled = await decide('label=joint', { action: 'settle', reason: 'paid back' });
    expect(settled.status).toBe(201);
    const calls = await called();
    expect(calls.map(({ type }) => type)).toEqual(
      Array.from({ length: total }, () => 'finding.resolved'),
    );
    const [{ fingerprint, merchant, kind, severity }] = items as readonly [
      Shown & { merchant: string; kind: string },
    ];
    expect(calls).toContainEqual({
      type: 'finding.resolved',
      timestamp: new Date(NOW).toISOString(),
      data: {
        merchant,
        fingerprint,
        kind,
        severity,
        by: 'controle',
        action: 'settle',
        runId: null,
      },
    });
    expect((await decide('label=joint', { action: 'reopen' })).status).toBe(201);
    const reopened = await called();
    expect(reopened).toHaveLength(total);
    expect(reopened).toContainEqual({
      type: 'finding.reopened',
      timestamp: new Date(NOW).toISOString(),
      data: {
        merchant,
        fingerprint,
        kind,
        severity,
        by: 'controle',
        action: 'reopen',
        runId: null,
      },
    });
    expect((await decide('label=joint', { action: 'assign', reason: 'Awa' })).status).toBe(201);
    expect((await decide('label=joint', { action: 'assign', reason: 'Awa' })).status).toBe(201);
    expect((await decide('label=joint', { action: 'settle', seen: 'x' })).status).toBe(409);
    await note(fingerprint, 'assign', '-');
    const owners = (await called()).map(({ type, data: { owner, before, by } }) => [
      type,
      owner,
      before,
      by,
    ]);
    expect(owners).toHaveLength(total + 1);
    expect(owners).toContainEqual(['finding.assigned', null, 'Awa', 'controle']);
    expect(owners).toContainEqual(['finding.assigned', 'Awa', null, 'controle']);
    expect(await called()).toEqual([]);
    for (const { fingerprint: one } of items) await note(one, 'assign', '-');
    await called();
  });

  test('is refused whole where the filter finds others than were seen, or another number', async () => {
    notOnCitus('sends a statement of its own that only one database takes');
    const { seen, total, items } = await listed('label=joint');
    const wish = { action: 'settle', reason: 'paid back' };
    const before = await histories();
    for (const [given, says] of [
      [
        { expect: total + 1 },
        `Nothing is decided: the filter finds ${total} findings now, not ${total + 1}; list them`,
      ],
      [
        { seen: 'x' },
        'the filter finds other findings, or one has another amount or a newer decision or note',
      ],
      [{ filter: 'label=none' }, 'the filter finds 0 findings now'],
    ] as const) {
      const { filter = 'label=joint', ...part } = { filter: 'label=joint', ...given };
      const { status, body } = await decide(filter, {
        ...wish,
        expect: total,
        seen: seen ?? '',
        ...part,
      });
      expect([status, JSON.stringify(body)]).toEqual([409, expect.stringContaining(says)]);
    }
    expect(await histories()).toBe(before);
    const last = items.at(-1)!.fingerprint;
    await note(last, 'acknowledge', 'meanwhile');
    const { status, body } = await decide('label=joint', { ...wish, expect: total, seen });
    expect([status, JSON.stringify(body)]).toEqual([
      409,
      expect.stringContaining('a newer decision or note; list them again.'),
    ]);
    const one = await decide('label=joint', { action: 'acknowledge' });
    expect([one.status, JSON.stringify(one.body)]).toEqual([
      409,
      expect.stringContaining(
        `1 of ${total} findings do not allow it; ${last}: The finding is acknowledged already`,
      ),
    ]);
    expect(await histories()).toBe(before + 1);
    await note(last, 'reopen', 'done');
    // A run has since found one of them with another amount.
    const { seen: then } = await listed('label=joint');
    const off = async (by: string) => {
      await books.store.pool.query(
        `update findings set content = jsonb_set(content::jsonb, '{item,balance}', to_jsonb(((content->'item'->>'balance')::numeric ${by} 1)::text))
          where fingerprint = $1 and content->'item' is not null`,
        [items.find(({ item }) => item !== null && item.balance !== '0')!.fingerprint],
      );
    };
    await off('+');
    expect((await decide('label=joint', { ...wish, expect: total, seen: then })).status).toBe(409);
    await off('-');
    expect((await listed('label=joint')).seen).toBe(then);
  });

  test('is taken once where two persons send the same at the same time', async () => {
    const { seen, total } = await listed('label=joint&state=open');
    const before = await histories();
    const body = { action: 'acknowledge', reason: 'ticket 4412', expect: total, seen };
    const answers = await Promise.all(
      [1, 2, 3].map(() => call('/findings/decisions?label=joint&state=open', body)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
    expect(await histories()).toBe(before + total);
    expect((await decide('label=joint', { action: 'reopen' })).status).toBe(201);
  });

  test('that the database ends for another transaction changes nothing, and may be asked for again', async () => {
    notOnCitus('sends a statement of its own that only one database takes');
    const { items } = await listed('label=joint&state=open');
    const before = await histories();
    const other = await books.store.pool.connect();
    await other.query('begin');
    await other.query('select 1 from findings where fingerprint = $1 for update', [
      items.at(-1)!.fingerprint,
    ]);
    const decided = decide('label=joint&state=open', { action: 'acknowledge' });
    const isWaiting =
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await expect.poll(async () => (await books.store.pool.query(isWaiting)).rowCount).toBe(1);
    await other.query('update merchant_heads set fence = fence');
    await other.query('commit');
    other.release();
    const { status, body } = await decided;
    expect([status, JSON.stringify(body)]).toEqual([
      503,
      expect.stringContaining('nothing is done: ask again'),
    ]);
    expect(await histories()).toBe(before);
  });

  test('is refused whole to settle or accept what one operator may not decide about alone', async () => {
    const { total, items } = await listed('label=joint');
    const amounts = items.map(({ item }) => Number(item?.balance.replace('-', '') ?? 0));
    const most = Math.max(...amounts);
    const before = await histories();
    books.configuration.decisions.secondPersonAbove.XAF = most - 1;
    try {
      for (const action of ['settle', 'accept']) {
        const { status, body } = await decide('label=joint', { action });
        expect([action, status, JSON.stringify(body)]).toEqual([
          action,
          409,
          expect.stringMatching(
            new RegExp(
              `\\d of ${total} findings weigh more than one operator may decide about alone`,
            ),
          ),
        ]);
      }
      expect([await histories(), (await call('/proposals')).body.items]).toEqual([before, []]);
      const less = `label=joint&maximum=${most - 1}+XAF`;
      expect((await listed(less)).total).toBeLessThan(total);
      expect((await decide(less, { action: 'settle' })).status).toBe(201);
      expect((await decide(less, { action: 'reopen' })).status).toBe(201);
    } finally {
      books.configuration.decisions.secondPersonAbove.XAF = ALONE.XAF;
    }
  });

  test('is taken by command with what the list prints, and trailed for each', async () => {
    const as = (...words: string[]) =>
      pointageAs('awa', ['findings', ...words, '--database-url', books.databaseUrl], {
        clock: () => NOW,
      });
    const { out } = await as(
      'list',
      '--label',
      'joint',
      '--text',
      'gui-',
      '--minimum',
      '1 XAF',
      '--limit',
      '1',
    );
    const [, typed] =
      /\n\d in all; to decide about them at once:\n {2}pointage findings decide ACTION (.*) TEXT\n$/.exec(
        out,
      )!;
    expect(typed).toMatch(
      /^--label joint --text gui- --minimum '1 XAF' --expect \d --seen [0-9a-f]{32} --reason$/,
    );
    const words = typed!
      .replaceAll(/'1 XAF'/g, '1_XAF')
      .split(' ')
      .map((word) => word.replace('_', ' '));
    const { total, items } = await listed('label=joint&text=gui-&minimum=1+XAF');
    const before = await histories();
    expect(await as('decide', 'acknowledge', ...words, 'ticket 4412')).toMatchObject({
      ...{ status: 0, out: `${total} findings: acknowledge is kept.\n` },
    });
    expect(await histories()).toBe(before + total);
    const again = await as('decide', 'acknowledge', ...words, 'ticket 4412');
    expect([again.status, again.err]).toEqual([
      3,
      expect.stringMatching(/: Nothing is decided: .* list them again\.\n$/),
    ]);
    const trail = await books.store.pool.query<object>(
      `select merchant, subject, status from trail where operator = 'awa' and action = 'findings decide acknowledge' order by entry_number`,
    );
    expect(trail.rows).toEqual([
      ...items.map(({ fingerprint }) => ({ merchant: 'DRIFTED', subject: fingerprint, status: 0 })),
      { merchant: null, subject: null, status: 3 },
    ]);
    const json = await as(
      'list',
      '--label',
      'joint',
      '--state',
      'acknowledged',
      '--format',
      'json',
    );
    expect(JSON.parse(json.out)).toHaveLength(total);
    const [seen] = /--expect \d --seen \w+/.exec(json.err)!;
    const reopen = [
      'decide',
      'reopen',
      '--label',
      'joint',
      '--state',
      'acknowledged',
      ...seen.split(' '),
    ];
    for (const [given, says] of [
      [['--reason', ' '], /: A decision needs a reason\.\n$/],
      [['--reason', 'x', '--expect', '0'], /must be a whole number from 1 to 500/],
      [['--reason', 'x', '--until', 'soon'], /--until must be like 2027-01-01/],
      [['--reason', 'x', '--kind', 'NOPE'], /is not a kind of finding/],
    ] as const) {
      const refused = await as(...reopen, ...given);
      expect([given, refused.status, refused.err]).toEqual([given, 3, expect.stringMatching(says)]);
    }
    expect((await as('decide', 'forget', ...reopen.slice(2), '--reason', 'x')).err).toContain(
      'must be one of acknowledge,',
    );
    expect((await as(...reopen, '--reason', 'done')).status).toBe(0);
  });

  test('is about 500 findings at most', async () => {
    await books.store.pool.query(
      `insert into findings (merchant_id, fingerprint, kind, severity, state, first_seen_run, last_seen_run, content)
        select f.merchant_id, lpad(to_hex(n), 16, '0'), f.kind, 'info', 'open', f.first_seen_run, f.last_seen_run,
          f.content || jsonb_build_object('fingerprint', lpad(to_hex(n), 16, '0'), 'severity', 'info')
        from generate_series(1, 501) as n, (select * from findings where is_root limit 1) as f`,
    );
    expect((await listed('severity=info')).seen).toBeNull();
    const wish = { action: 'comment', reason: 'x', expect: 501, seen: 'x' };
    const refused = await call('/findings/decisions?severity=info', wish);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      409,
      expect.stringContaining(
        'the filter finds more than 500 findings, the most that one decision is about; narrow it.',
      ),
    ]);
  });
});

test('a decision on the command line is told to webhooks too', async () => {
  const { fingerprint } = (await roots()).find(({ state }) => state === 'open')!;
  const folder = mkdtempSync(join(tmpdir(), 'pointage-worklist-'));
  const config = join(folder, 'pointage.json');
  const alerts = { webhooks: [{ url: hook(), secret: SECRET }], allowPrivate: true };
  writeFileSync(config, JSON.stringify({ databaseUrl: books.databaseUrl, alerts }));
  await called();
  const words = ['findings', 'accept', fingerprint, '--reason', 'small', '--config', config];
  expect((await pointageAs('awa', words, { clock: () => NOW })).status).toBe(0);
  const { status } = await pointageAs('awa', [
    'findings',
    'comment',
    fingerprint,
    'x',
    '--config',
    config,
  ]);
  rmSync(folder, { recursive: true });
  expect([status, await called()]).toMatchObject([
    0,
    [{ type: 'finding.resolved', data: { fingerprint, action: 'accept', by: 'awa' } }],
  ]);
});

test('on the command line the same is an argument, and a label is taken away with a minus', async () => {
  const { fingerprint } = (await roots())[3]!;
  const findings = (...words: string[]) =>
    pointageAs('awa', ['findings', ...words, '--database-url', books.databaseUrl], {
      clock: () => NOW,
    });
  expect(await findings('comment', fingerprint, 'they answer\u001b[31m on Monday')).toMatchObject({
    status: 0,
    out: `${fingerprint}: comment is kept.\n`,
  });
  await findings('assign', fingerprint, 'Awa');
  await findings('label', fingerprint, '+outage', '+urgent');
  expect((await findings('label', fingerprint, '-urgent', '+bank')).status).toBe(0);
  await findings('due', fingerprint, '2026-12-01');
  const { out } = await findings('list', '--merchant', 'DRIFTED', '--limit', '200');
  expect(out).toContain('Owner: Awa · due 2026-12-01 · #bank · #outage');
  expect(out).not.toContain('\u001b[31m');
  const json = JSON.parse(
    (await findings('list', '--limit', '200', '--format', 'json')).out,
  ) as Shown[];
  expect(json.find((one) => one.fingerprint === fingerprint)).toMatchObject({
    ...{
      owner: 'Awa',
      labels: 'bank outage',
      dueDay: '2026-12-01',
      comment: 'they answer\u001b[31m on Monday',
    },
  });
  await findings('assign', fingerprint);
  expect((await findings('show', fingerprint)).out).toMatch(
    /\n {2}due 2026-12-01 · #bank · #outage\n/,
  );
  const wrong = await findings('label', fingerprint, '--urgent');
  expect([wrong.status, wrong.err]).toEqual([
    3,
    expect.stringMatching(/unknown option '--urgent'/),
  ]);
});

describe('the day by which a finding is due', () => {
  const found = {
    ...{
      state: 'open' as FindingState,
      dueOn: null as string | null,
      firstSeenAt: Date.UTC(2026, 10, 2, 23) as number | null,
      currency: 'XOF',
    },
    finding: { severity: 'critical' as const, item: { balance: '-50000', reserved: '0' } },
  };
  const rules = [
    { severity: 'critical', minAmount: { XOF: 50_000, GNF: 500_000 }, days: 1 },
    { severity: 'critical', days: 7 },
    { severity: 'info', days: 0 },
  ] as const;

  test('is that of the first rule that fits, by severity and amount in its own currency', () => {
    expect(dueDayOf(found, rules)).toBe('2026-11-03');
    const less = {
      ...found,
      finding: { ...found.finding, item: { balance: '-49999', reserved: '0' } },
    };
    expect(dueDayOf(less, rules)).toBe('2026-11-09');
    expect(dueDayOf({ ...found, currency: 'GNF' }, rules)).toBe('2026-11-09');
    expect(dueDayOf({ ...found, currency: 'XAF' }, rules)).toBe('2026-11-09');
    expect(
      dueDayOf({ ...found, finding: { ...found.finding, severity: 'error' } }, rules),
    ).toBeNull();
    expect(dueDayOf(found, [])).toBeNull();
  });

  test('is the one that a person set, before any rule; none where nothing is left to do', () => {
    expect(dueDayOf({ ...found, dueOn: '2027-01-01' }, rules)).toBe('2027-01-01');
    for (const state of ['settled', 'accepted', 'resolved'] as const)
      expect(dueDayOf({ ...found, state }, rules)).toBeNull();
    expect(dueDayOf({ ...found, firstSeenAt: null }, rules)).toBeNull();
  });
});

// This test is the last, because it changes the books that the tests above judge.
test('a filter by network goes by what the operation is now, not by what it was', async () => {
  const listed = async (network: string) => {
    const { body } = await call(`/findings?limit=200&merchant=DRIFTED&network=${network}`);
    return body.items.map((one) => one.operationReference);
  };
  const { body } = await call('/findings?limit=200&merchant=DRIFTED');
  const reference = body.items.find((one) => one.operationReference !== null)!.operationReference!;
  const mirrored = (await loadMirrored(books.store, 'DRIFTED'))!;
  const { operation } = (await loadVersions(books.store, mirrored, reference)).at(-1)!;
  const was = operation.operator;
  const operator = was === 'MTN' ? 'ORANGE' : 'MTN';
  expect(await listed(was)).toContain(reference);
  await withMerchantLock(books.store, 'DRIFTED', (lease) =>
    savePage(books.store, lease, { operations: [{ ...operation, operator }] }),
  );
  expect([await listed(was), await listed(operator)]).toEqual([
    expect.not.arrayContaining([reference]),
    expect.arrayContaining([reference]),
  ]);
});
