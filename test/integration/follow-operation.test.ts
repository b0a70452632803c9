// One command, and one call, tell what happened to one operation: its versions, lines, hold, fee,
// notifications, months and findings. Another shows the lines around a line, with the break marked.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { saveNotification } from '../../src/io/storage/notifications/notifications.ts';
import { type Ended, pointage } from '../support/command.ts';
import {
  entranceTo,
  OPERATOR,
  type OperatorBooks,
  openOperatorBooks,
} from '../support/operator-books.ts';
import { pointageAs } from '../support/operator-token.ts';
import { startTestServer, type TestServer } from '../support/report-server.ts';
import { withoutTriggers } from '../support/without-triggers.ts';

const OPENS_AT = Date.UTC(2026, 9, 24);
const READ_AT = Date.UTC(2026, 10, 8);
const NOW = Date.UTC(2026, 10, 9, 8);

let books: OperatorBooks;
let server: TestServer;
/** In the books of DRIFTED, the cash-out whose debit was posted twice. */
let paid: { readonly reference: string; readonly sequence: number };
let drift: number;
const logged: object[] = [];

beforeAll(async () => {
  const faults = { SOUND: [], DRIFTED: ['DEBIT_DUPLICATED', 'BALANCE_DRIFT'] };
  books = await openOperatorBooks(faults, { opensAt: OPENS_AT, readAt: READ_AT });
  const entrance = entranceTo(
    books,
    () => NOW,
    (event) => logged.push(event),
  );
  server = await startTestServer(books.store, {
    server: { backend: entrance.backend, findOperator: entrance.findOperator, clock: () => NOW },
  });
  const { rows } = await books.store.pool.query<{
    kind: string;
    reference: string;
    sequence: string;
  }>(
    `select kind, content ->> 'operationReference' as reference, content ->> 'sequence' as sequence from findings
      where content ->> 'causedBy' is null order by kind`,
  );
  const root = (kind: string) => rows.find((row) => row.kind === kind)!;
  expect(rows.map(({ kind }) => kind)).toEqual(['BALANCE_DRIFT', 'DEBIT_DUPLICATED']);
  paid = {
    reference: root('DEBIT_DUPLICATED').reference,
    sequence: Number(root('DEBIT_DUPLICATED').sequence),
  };
  drift = Number(root('BALANCE_DRIFT').sequence);
  const body = Buffer.from('{"id":"evt-1"}');
  const notified = {
    channel: 'direct',
    type: 'cashout.succeeded',
    fault: null,
    createdAt: READ_AT,
  } as const;
  const event = {
    ...notified,
    merchant: 'DRIFTED',
    eventId: 'evt-1',
    operationReference: paid.reference,
    body,
  };
  await saveNotification(books.store, { ...event, receivedAt: READ_AT + 1_000 });
});
afterAll(async () => {
  await server.close();
  await books.close();
});

async function ask(path: string): Promise<Response> {
  return fetch(`${server.origin}${path}`, {
    headers: { authorization: `Bearer ${OPERATOR.token}` },
  });
}
async function read<T = Record<string, never>>(path: string): Promise<T> {
  const answer = await ask(path);
  expect(answer.status, path).toBe(200);
  return (await answer.json()) as T;
}
const said = (...words: string[]): Promise<Ended> =>
  pointageAs('awa', [...words, '--database-url', books.databaseUrl], {
    clock: () => NOW,
    width: 60,
  });

interface Line {
  readonly sequence: string;
  readonly kind: string;
  readonly amount: string;
  readonly before: { readonly balance: string; readonly reserved: string };
  readonly balanceAfter: string;
  readonly reservedAfter: string;
  readonly off: object | null;
  readonly missing: number;
}
interface Operation {
  readonly versions: readonly Record<string, string | null>[];
  readonly lines: readonly Line[];
  readonly [other: string]: unknown;
}

describe('what happened to an operation', () => {
  test('is one call: versions, lines with balances, hold, fee, notifications, month and findings', async () => {
    const found = await read<Operation>(`/operations/${paid.reference}`);
    const kinds = found.lines.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'CASHOUT_DEBIT')).toHaveLength(2);
    expect(kinds).toEqual(expect.arrayContaining(['CASHOUT_HOLD', 'CASHOUT_FEE']));
    const [version] = found.versions;
    const { amount, fees } = version as { amount: string; fees: string };
    expect(version).toMatchObject({
      number: 1,
      type: 'CASHOUT',
      status: 'SUCCEEDED',
      readAfter: null,
    });
    expect(version!.readUntil).toBe('2026-11-08T00:00:00.000Z');
    for (const line of found.lines.filter(({ kind }) => kind === 'CASHOUT_DEBIT')) {
      expect(BigInt(line.before.balance) - BigInt(amount)).toBe(BigInt(line.balanceAfter));
      expect(line).toMatchObject({ amount, off: null, missing: 0 });
    }
    const held = String(BigInt(amount) + BigInt(fees));
    expect(found).toMatchObject({
      merchant: 'DRIFTED',
      reference: paid.reference,
      currency: version!.currency,
      hold: { amount: held, lines: [expect.any(String)] },
      fee: { charged: fees, posted: fees, price: { fits: true, least: expect.any(String) } },
      reversal: null,
      notifications: [
        {
          eventId: 'evt-1',
          type: 'cashout.succeeded',
          channel: 'direct',
          receivedAt: '2026-11-08T00:00:01.000Z',
        },
      ],
      months: [
        { report: null, closedAt: null, lines: found.lines.map(({ sequence }) => sequence) },
      ],
    });
    expect(found.findings).toContainEqual(
      expect.objectContaining({ kind: 'DEBIT_DUPLICATED', state: 'open' }),
    );
  });

  test('is one command, which fits 60 columns, and says the same to programs', async () => {
    const { status, out, err } = await said('show', paid.reference);
    expect([status, err]).toEqual([0, '']);
    expect(Math.max(...out.split('\n').map((line) => [...line].length))).toBeLessThanOrEqual(60);
    expect(out).toMatch(
      new RegExp(`^${paid.reference} of DRIFTED\nwhat +CASHOUT .* XAF, SUCCEEDED\n`),
    );
    expect(out.match(/CASHOUT_DEBIT/g)).toHaveLength(2);
    expect(out).toMatch(/\nfee +.* charged, .* posted; priced .* % \+ /);
    expect(out).toMatch(/\nnotified +cashout\.succeeded:\s+made\s+2026-11-08/);
    expect(out).toMatch(/\nmonth +2026-1[01]: not issued\n/);
    expect(out).toMatch(
      /\n[0-9a-f]{8} +DEBIT_DUPLICATED \(critical, open\)\n[\s\S]*\nnext +pointage findings show [0-9a-f]{8}\n$/,
    );
    const json = await said('show', paid.reference, '--format', 'json');
    expect(JSON.parse(json.out)).toEqual(await read(`/operations/${paid.reference}`));
  });

  test('masks phone numbers, shows them whole for a reason alone, and logs it', async () => {
    const path = `/operations/${paid.reference}`;
    const numberIn = async (query: string) =>
      (await read<Operation>(`${path}${query}`)).versions[0]!.counterpartyNumber;
    expect(await numberIn('')).toMatch(/^\+237 \d\d •• /);
    expect((await ask(`${path}?phoneNumbers=whole`)).status).toBe(400);
    expect(logged).toEqual([]);
    expect(await numberIn('?phoneNumbers=whole&reason=ticket%204412')).toMatch(/^\+237\d{9}$/);
    const about = `DRIFTED ${paid.reference}`;
    expect(logged).toEqual([
      { event: 'phone numbers shown', operator: 'controle', about, reason: 'ticket 4412' },
    ]);
    expect((await said('show', paid.reference)).out).toMatch(/\nto +\+237 \d\d •• /);
    const refused = await said('show', paid.reference, '--phone-numbers', 'whole');
    expect([refused.status, refused.err]).toEqual([
      3,
      'pointage: --phone-numbers whole needs a --reason: it is logged.\n',
    ]);
    const shown = await said(
      'show',
      paid.reference,
      '--phone-numbers',
      'whole',
      '--reason',
      'ticket 4412',
    );
    expect(shown.out).toMatch(/\nto +\+237\d{9}/);
  });

  test('says which month states it, and whether that is closed', async () => {
    const { period } = (
      (await read<Operation>(`/operations/${paid.reference}`)).months as { period: string }[]
    )[0]!;
    const config = join(books.folder, 'held.json');
    writeFileSync(
      config,
      JSON.stringify({ databaseUrl: books.databaseUrl, deliveries: { hold: 'broken' } }),
    );
    const clock = () => Date.UTC(2026, 11, 5);
    await books.store.pool.query('update run_members set watermark = $1', [clock()]);
    expect(
      await pointage(['statement', 'issue', 'DRIFTED', period, '--config', config], { clock }),
    ).toMatchObject({ status: expect.toSatisfy((status) => status < 2) });
    await pointageAs(
      'awa',
      ['statement', 'close', 'DRIFTED', period, '--config', config, '--yes'],
      { clock },
    );
    const { months } = await read<Operation>(`/operations/${paid.reference}`);
    expect(months).toMatchObject([
      { period, report: { revision: 1 }, closedAt: '2026-12-05T00:00:00.000Z', closedBy: 'awa' },
    ]);
  });

  test('asks for the merchant where several have it, and refuses one that nobody has', async () => {
    const notification = {
      channel: 'direct',
      type: 'ping',
      fault: null,
      createdAt: null,
      body: Buffer.from('{}'),
    } as const;
    const foreign = { ...notification, merchant: 'SOUND', eventId: 'evt-2', receivedAt: NOW };
    await saveNotification(books.store, { ...foreign, operationReference: paid.reference });
    const several = await ask(`/operations/${paid.reference}`);
    expect([several.status, await several.json()]).toMatchObject([
      409,
      { error: { code: 'SEVERAL_MERCHANTS', details: { merchants: ['DRIFTED', 'SOUND'] } } },
    ]);
    expect((await said('show', paid.reference)).out).toMatch(
      /│ DRIFTED .*│ SOUND .*\nread as +reference\nnext\n {2}pointage show --merchant DRIFTED GUI-\S+\n$/s,
    );
    expect((await said('show', paid.reference, '--merchant', 'DRIFTED')).out).toMatch(
      / of DRIFTED\n/,
    );
    expect(await read(`/operations/${paid.reference}?merchant=DRIFTED`)).toMatchObject({
      merchant: 'DRIFTED',
    });
    expect(await read(`/operations/${paid.reference}?merchant=SOUND`)).toMatchObject({
      lines: [],
      versions: [],
      fee: null,
    });
    expect((await ask('/operations/NOPE')).status).toBe(404);
    expect((await said('show', 'NOPE')).err).toBe(
      "pointage: There is no operation 'NOPE' in the mirror (read as reference).\n",
    );
  });
});

interface Found {
  readonly reading: string;
  readonly tried: readonly string[];
  readonly more: boolean;
  readonly items: readonly Record<string, string | null>[];
}

describe('an operation is found', () => {
  const search = (q: string, more = '') => read<Found>(`/search?q=${encodeURIComponent(q)}${more}`);
  const known = async () => {
    const { rows } = await books.store.pool.query<
      Record<'external' | 'number' | 'amount' | 'net' | 'at' | 'day', string>
    >(
      `select external_reference as external, counterparty_number as number, amount, net_amount as net, created_at as at,
        to_char(to_timestamp(created_at / 1000) at time zone 'Africa/Douala', 'YYYY-MM-DD') as day
        from operation_versions where reference = $1`,
      [paid.reference],
    );
    return rows[0]!;
  };
  const references = ({ items }: Found) => items.map(({ reference }) => reference);

  test('by the reference of the service and by that of the partner', async () => {
    const { external } = await known();
    expect(await search(paid.reference, '&merchant=DRIFTED')).toMatchObject({
      reading: 'reference',
      tried: [],
      more: false,
      items: [
        {
          merchant: 'DRIFTED',
          reference: paid.reference,
          by: 'reference',
          sequence: null,
          status: 'SUCCEEDED',
        },
      ],
    });
    expect((await search(external, '&merchant=DRIFTED')).items).toMatchObject([
      { reference: paid.reference, by: 'externalReference' },
    ]);
    expect((await said('show', external, '--merchant', 'DRIFTED')).out).toMatch(
      new RegExp(`^${paid.reference} of DRIFTED\n`),
    );
    expect((await search(`${external}-`)).items).toEqual([]);
    expect((await ask('/search?q=x&merchant=NOPE')).status).toBe(404);
    for (const wrong of ['', '?q=', '?q=%20', '?q=%00', `?q=${'x'.repeat(201)}`]) {
      expect((await ask(`/search${wrong}`)).status, wrong).toBe(400);
    }
  });

  test('by the phone number of who was paid, however it is written, which is not answered', async () => {
    const { number } = await known();
    for (const written of [
      number,
      number.replace('+237', '00237 '),
      number.slice(4),
      number.slice(4).replace(/(..)/g, '$1 '),
    ]) {
      const found = await search(written, '&merchant=DRIFTED');
      expect([written, found.reading, references(found).includes(paid.reference)]).toEqual([
        written,
        'phone number',
        true,
      ]);
      expect(found.tried).toEqual(/^\+/.test(written) ? [] : ['reference']);
      expect(JSON.stringify(found)).not.toContain(number.slice(4));
    }
    expect(await search('+237000000000')).toMatchObject({
      reading: 'reference',
      tried: ['phone number'],
      items: [],
    });
  });

  test.each([
    [
      'Bénin, from November 2024 on',
      '+22961234567',
      ['+2290161234567', '01 61 23 45 67', '61234567'],
      ['+2290561234567'],
    ],
    [
      'Bénin, from before',
      '+2290161234567',
      ['+22961234567', '00229 61 23 45 67', '61 23 45 67'],
      ['+2296123456'],
    ],
    [
      'Côte d’Ivoire, from 2021 on',
      '+22507123456',
      ['+2250707123456', '07 07 12 34 56'],
      ['+2250507123456'],
    ],
    [
      'Côte d’Ivoire, from before',
      '+2250504123456',
      ['+22504123456', '04 12 34 56'],
      ['+22507123456', '+2250104123456'],
    ],
  ])('by the other length of a number of %s', async (_, stored, same, others) => {
    const { number } = await known();
    const store = (one: string) =>
      withoutTriggers(books.store.pool, (client) =>
        client.query(
          'update operation_versions set counterparty_number = $1 where reference = $2',
          [one, paid.reference],
        ),
      );
    await store(stored);
    const isFound = async (text: string) => references(await search(text)).includes(paid.reference);
    for (const text of [stored, ...same]) expect([text, await isFound(text)]).toEqual([text, true]);
    for (const text of others) expect([text, await isFound(text)]).toEqual([text, false]);
    await store(number);
  });

  test('by amount and day, the day on the calendar of the merchant; and a line by its number', async () => {
    const { amount, net, day } = await known();
    for (const text of [`${amount} ${day}`, `${day} ${amount} XAF`, `${net} ${day}`]) {
      const found = await search(text);
      expect([text, found.reading, references(found)]).toEqual([
        text,
        'amount and day',
        expect.arrayContaining([paid.reference]),
      ]);
    }
    // An operation of the morning, whose day may be the day before in another zone.
    const { rows } = await books.store.pool.query<{
      reference: string;
      amount: string;
      at: string;
    }>(
      'select reference, amount, created_at as at from operation_versions where created_at % 86400000 between 1 and 36000000 limit 1',
    );
    const at = Number(rows[0]!.at);
    const dayOf = (instant: number) => new Date(instant).toISOString().slice(0, 10);
    const on = async (instant: number) =>
      references(await search(`${rows[0]!.amount} ${dayOf(instant)}`));
    expect(await on(at)).toContain(rows[0]!.reference);
    expect(await on(at - 86_400_000)).not.toContain(rows[0]!.reference);
    const line = `DRIFTED#${paid.sequence}`;
    expect(await search(line)).toMatchObject({
      reading: 'line',
      items: [{ reference: paid.reference, sequence: String(paid.sequence) }],
    });
    expect(await search('DRIFTED#999999')).toMatchObject({
      reading: 'reference',
      tried: ['line'],
      items: [],
    });
  });

  test('or the search is cut off after two seconds, and says so', async () => {
    const locking = await books.store.pool.connect();
    await locking.query('begin; lock table operation_versions in access exclusive mode');
    const began = Date.now();
    const cut = await ask('/search?q=GUI-CO-1');
    await locking.query('rollback');
    locking.release();
    expect([cut.status, await cut.json()]).toMatchObject([
      422,
      { error: { code: 'SEARCH_CUT', message: expect.stringContaining('cut off') } },
    ]);
    expect(Date.now() - began).toBeLessThan(5_000);
  });
});

describe('the lines around a place', () => {
  const around = (query: string) =>
    read<{ items: (Line & { findings: object[] })[] }>(`/merchants/DRIFTED/entries?${query}`);

  test('come with the figures before, the break marked, and the findings that begin there', async () => {
    const { items } = await around(`around=${drift}&limit=5`);
    expect(items.map(({ sequence }) => Number(sequence) - drift)).toEqual([-2, -1, 0, 1, 2]);
    // The line states a balance from which the next line does not go on.
    const by = String(-Number((items[2]!.off as { balance: string }).balance));
    expect(items.map(({ off }) => off)).toEqual([
      null,
      null,
      expect.anything(),
      { balance: by, reserved: '0' },
      null,
    ]);
    expect(Number(by)).not.toBe(0);
    expect(items[2]).toMatchObject({ findings: [{ kind: 'BALANCE_DRIFT' }] });
    expect(items[2]!.before.balance).toBe(items[1]!.balanceAfter);
    const newest = (await around('limit=1')).items[0]!;
    expect(Number(newest.sequence)).toBeGreaterThan(drift);
    expect((await around('around=999999&limit=3')).items.map(({ sequence }) => sequence)).toEqual([
      newest.sequence,
    ]);
    expect((await ask('/merchants/NOPE/entries')).status).toBe(404);
  });

  test('are shown by the command, with the line that was asked for', async () => {
    const { status, out } = await said('show', `DRIFTED#${drift}`);
    expect(status).toBe(0);
    expect(out).toMatch(new RegExp(`▶ ${drift} `));
    expect(out).toMatch(/! balance \+?−?\d/);
    expect(out).toMatch(new RegExp(`\nline ${drift} +BALANCE_DRIFT [0-9a-f]{8}\n`));
    const json = await said('show', `DRIFTED#${drift}`, '--format', 'json', '--lines', '5');
    expect(JSON.parse(json.out)).toEqual(
      await read(`/merchants/DRIFTED/entries?around=${drift}&limit=5`),
    );
    expect((await said('show', 'NOPE#1')).err).toMatch(/no merchant 'NOPE'/);
  });
});
