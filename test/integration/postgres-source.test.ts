// The operator's database as a source: a reading is of one instant, writes nothing and guesses
// nothing, and every fault of the settings, the server or the network is named.

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { RejectedRow, Snapshot } from '../../src/core/domain/snapshot.ts';
import type { Since } from '../../src/io/sources/port/source.ts';
import { openPostgresSource } from '../../src/io/sources/postgres/open-postgres-source.ts';
import type { PostgresSettings } from '../../src/io/sources/postgres/postgres-settings.ts';
import { openSource } from '../../src/io/sources/register.ts';
import { openStore } from '../../src/io/storage/server/open-store.ts';
import { drain, entriesOf, operationsOf, type RawBooks } from '../contract/source-contract.ts';
import { rawEntry, rawMerchant, rawOperation, rawWallet } from '../contract/source-rows.ts';
import {
  type ColumnTypes,
  createBookTable,
  insertBooks,
  insertRows,
  openPostgresBooks,
  type PostgresBooks,
} from '../support/postgres-books.ts';

let database: PostgresBooks;
beforeEach(async () => {
  database = await openPostgresBooks();
});
afterEach(() => database.close());

const books = (change: Partial<RawBooks> = {}): RawBooks => ({
  merchant: rawMerchant({ reference: 'M001' }),
  wallet: rawWallet({}),
  entries: [1, 2, 3].map((sequence) => rawEntry({ sequence })),
  operations: [rawOperation({})],
  ...change,
});

/** Swaps the tables for ones with other column types. */
async function withTypes(types: ColumnTypes): Promise<void> {
  await database.close();
  database = await openPostgresBooks(types);
}

async function withSnapshot<T>(
  work: (snapshot: Snapshot) => Promise<T>,
  asked: {
    readonly merchant?: string;
    readonly since?: Since;
    readonly settings?: Partial<PostgresSettings>;
  } = {},
): Promise<T> {
  const source = openPostgresSource({ ...database.settings, ...asked.settings });
  try {
    return await work(await source.open(asked.merchant ?? 'M001', asked.since ?? null));
  } finally {
    await source.close();
  }
}

const since = (change: Partial<Since> = {}): Since => ({
  lastSequence: 3,
  entryCount: 3,
  operationCount: 1,
  newestOperationCreatedAt: Date.UTC(2026, 0, 5, 8),
  newestOperationUpdatedAt: Date.UTC(2026, 0, 5, 8, 1),
  reversedCount: null,
  open: [],
  ...change,
});

/** Inserts `count` lines by one statement. */
async function insertManyEntries(count: number): Promise<void> {
  await database.client.query(
    `insert into ledger_entries
     select 'M001', 'id-' || n, n, 'CREDIT', 'CASHIN_CREDIT', 1, 'XOF', n, 0, 'GUI-CI-' || n, repeat('x', 200),
            timestamptz '2026-01-01 00:00:00Z' + n * interval '1 second'
     from generate_series(1, ${count}) as n`,
  );
}

describe('a reading', () => {
  test('sees one instant: what is committed meanwhile is in no part of it', async () => {
    await insertBooks(database.client, books());
    await withSnapshot(async (snapshot) => {
      await insertRows(
        database.client,
        'ledger_entries',
        [rawEntry({ sequence: 4 })].map((row) => ({ ...row, merchantReference: 'M001' })),
      );
      await database.client.query(
        "update operations set status = 'REVERSED'; update wallets set balance = 1; delete from ledger_entries where sequence = 1",
      );
      const [entries, operations] = await Promise.all([
        entriesOf(snapshot),
        operationsOf(snapshot),
      ]);
      expect(entries.map((entry) => entry.sequence)).toEqual([1, 2, 3]);
      expect(operations.map((operation) => operation.status)).toEqual(['SUCCEEDED']);
      const closing = await snapshot.closing();
      expect(closing).toMatchObject({ wallet: { balance: 10_000 }, laterEntries: [] });
      const recalled = await snapshot.recall({
        references: new Set(['GUI-CI-000001']),
        entryIds: new Set(),
        externalReferences: new Set(),
      });
      expect(recalled.entries.map(({ entry }) => entry.sequence)).toEqual([1, 2, 3]);
      expect(Math.abs(snapshot.watermark! - Date.now())).toBeLessThan(60_000);
    });
  });

  test('of many lines is whole, in batches, and leaves no session behind', async () => {
    await insertBooks(database.client, books({ entries: [], operations: [] }));
    await insertManyEntries(30_000);
    await withSnapshot(async (snapshot) => {
      let next = 1;
      let batches = 0;
      for await (const batch of snapshot.entries()) {
        batches += 1;
        for (const entry of batch.rows) {
          expect(entry.sequence).toBe(next);
          next += 1;
        }
      }
      expect(next).toBe(30_001);
      expect(batches).toBeGreaterThan(5);
      for await (const _ of snapshot.entries()) break;
      for await (const _ of snapshot.entries()) break;
    });
    await expect.poll(sessionsLeft).toBe(0);
  });

  test('uses the connections of the reading before it, and new ones where those were lost meanwhile', async () => {
    await insertBooks(database.client, books());
    const source = openPostgresSource(database.settings);
    const read = async (): Promise<readonly number[]> => {
      const snapshot = await source.open('M001', since());
      const entries = await entriesOf(snapshot);
      await operationsOf(snapshot);
      await snapshot.close();
      return entries.map((entry) => entry.sequence);
    };
    try {
      expect(await read()).toEqual([1, 2, 3]);
      const connections = await sessionsLeft();
      const seen = await backends();
      await database.client.query('update ledger_entries set sequence = 4 where sequence = 3');
      expect(await read(), 'each reading sees its own instant').toEqual([1, 2, 4]);
      expect(await backends()).toEqual(seen);
      expect(connections).toBeGreaterThan(0);
      await endSessions();
      await expect.poll(sessionsLeft).toBe(0);
      expect(await read()).toEqual([1, 2, 4]);
    } finally {
      await source.close();
    }
    await expect.poll(sessionsLeft).toBe(0);
  });

  test('that is cut off in the middle fails by name, and is not taken for a short ledger', async () => {
    await insertBooks(database.client, books({ entries: [], operations: [] }));
    await insertManyEntries(100_000);
    await withSnapshot(async (snapshot) => {
      const read = async (): Promise<number> => {
        let rows = 0;
        for await (const batch of snapshot.entries()) {
          if (rows === 0) await endSessions();
          rows += batch.rows.length;
        }
        return rows;
      };
      await expect(read()).rejects.toMatchObject({ name: 'SourceFailed', code: 'UNREACHABLE' });
    });
  });

  test('reads again from a little below what is known, and finds what was committed late', async () => {
    await insertBooks(database.client, books({ entries: [] }));
    await insertManyEntries(3_000);
    const known = since({ lastSequence: 2_900 });
    await withSnapshot(
      async (snapshot) => {
        const sequences = (await entriesOf(snapshot)).map((entry) => entry.sequence);
        expect(sequences[0]).toBe(1_901);
        expect(sequences.at(-1)).toBe(3_000);
      },
      { since: known },
    );
  });

  test('reads operations again that were open, updated or created since', async () => {
    const at = (day: number): string => `2026-01-${String(day).padStart(2, '0')}T08:00:00.000Z`;
    const operation = (number: number, created: number, updated: number) =>
      rawOperation({
        reference: `GUI-CI-${number}`,
        createdAt: at(created),
        updatedAt: at(updated),
      });
    const operations = [
      operation(1, 5, 5),
      operation(2, 6, 20),
      operation(3, 7, 7),
      operation(4, 21, 21),
      operation(5, 22, 3),
    ];
    await insertBooks(database.client, books({ operations }));
    const known = since({
      newestOperationCreatedAt: Date.parse(at(10)),
      newestOperationUpdatedAt: Date.parse(at(10)),
      open: ['GUI-CI-3', "it's \\ unknown", 'with \u0000 nul'].map((reference) => ({
        reference,
        status: null,
        createdAt: null,
      })),
    });
    await withSnapshot(
      async (snapshot) => {
        const references = (await operationsOf(snapshot)).map((one) => one.reference);
        expect(references).toEqual(['GUI-CI-2', 'GUI-CI-3', 'GUI-CI-4', 'GUI-CI-5']);
      },
      { since: known },
    );
  });
});

describe('settings', () => {
  test('of a part may name what differs alone', async () => {
    await insertBooks(database.client, books());
    await database.client.query('alter table ledger_entries rename column sequence to rank');
    const source = await openSource(database.settings.connectionString, {
      postgres: { entries: { columns: { sequence: 'rank' } } },
    });
    try {
      const read = await entriesOf(await source.open('M001', null));
      expect(read.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    } finally {
      await source.close();
    }
  });

  test('find a relation by its names as they are, and as SQL quotes them', async () => {
    await insertBooks(database.client, books());
    const { client } = database;
    const countAt = async (relation: string): Promise<number> => {
      const entries = { ...database.settings.entries, from: { relation } };
      return (await withSnapshot(entriesOf, { settings: { entries } })).length;
    };
    await client.query('create schema "Books"; alter table ledger_entries set schema "Books"');
    for (const relation of [
      'Books.ledger_entries',
      '"Books".ledger_entries',
      '"Books"."ledger_entries"',
    ])
      expect(await countAt(relation)).toBe(3);
    await client.query('alter table "Books".ledger_entries rename to "Lines 2026.1 ""A"""');
    expect(await countAt('"Books"."Lines 2026.1 ""A"""')).toBe(3);
    for (const relation of ['a.b.c', '"a', '"a"b', ''])
      await expect(countAt(relation)).rejects.toThrow(
        'from.relation must be a name or schema.name',
      );
  });
});

describe('the column of sequence', () => {
  const entries = Array.from({ length: 120 }, (_, i) => rawEntry({ sequence: i + 1 }));
  const inOrder = entries.map((_, i) => i + 1);

  test.each(['integer', 'numeric(20, 4)', 'double precision', 'real'])(
    'puts lines in order, and serves them again, as %s',
    async (type) => {
      await withTypes({ 'ledger_entries.sequence': type });
      await insertBooks(database.client, books({ entries }));
      await withSnapshot(async (snapshot) => {
        expect((await entriesOf(snapshot)).map(({ sequence }) => sequence)).toEqual(inOrder);
        const again = await snapshot.servedLines!.linesAt(98, 4);
        expect(again.map((line) => line?.sequence)).toEqual([99, 100, 101, 102]);
      });
      await withSnapshot(
        async (snapshot) =>
          expect((await entriesOf(snapshot)).map(({ sequence }) => sequence)).toEqual(inOrder),
        { since: since({ lastSequence: 120, entryCount: 120 }) },
      );
    },
  );

  test.each(['text', 'varchar(20)', 'money'])('is refused in one sentence as %s', async (type) => {
    await withTypes({ 'ledger_entries.sequence': type });
    await expect(withSnapshot(entriesOf)).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
      message: expect.stringMatching(/order\.$/),
    });
  });
});

describe('a row that cannot be read exactly', () => {
  test('is refused with its digits: a number past 2^53, a fraction, a null', async () => {
    await withTypes({ 'ledger_entries.amount': 'numeric', 'ledger_entries.kind': 'text' });
    const entries = [
      rawEntry({ sequence: 1, amount: '9007199254740991' }),
      rawEntry({ sequence: 2, amount: '9007199254740992' }),
      rawEntry({ sequence: 3, amount: '12.50' }),
      rawEntry({ sequence: 4, amount: '1000.00' }),
      rawEntry({ sequence: 5, amount: 'NaN' }),
      rawEntry({ sequence: 6, balanceAfter: '9223372036854775807' }),
      rawEntry({ sequence: 7, kind: null }),
      rawEntry({ sequence: 8, amount: null }),
    ];
    await insertBooks(database.client, books({ entries }));
    const { rows, rejected } = await withSnapshot((snapshot) => drain(() => snapshot.entries()));
    expect(rows.map((entry) => [entry.sequence, entry.amount])).toEqual([
      [1, 9007199254740991],
      [4, 1_000],
    ]);
    expect(rejected.map(({ sequence, reason }) => [sequence, reason])).toEqual([
      [2, 'amount is 9007199254740992, not a safe integer (up to 2^53 − 1)'],
      [3, 'amount is 12.5, not a whole number'],
      [5, 'amount is "NaN", not a whole number'],
      [6, expect.stringContaining('balanceAfter is 9223372036854775807, not a safe integer')],
      [7, 'kind is null, not text'],
      [8, 'amount is null, not a whole number'],
    ]);
    expect(rejected.map(({ place }) => place)).toEqual(
      [2, 3, 5, 6, 7, 8].map((n) => `ledger_entries sequence ${n}`),
    );
    expect(rejected[0]!.raw).toContain('"amount":9007199254740992,');
  });

  test('is refused also when a later reading could not find it by comparing', async () => {
    await withTypes({ 'ledger_entries.sequence': 'bigint' });
    await insertBooks(
      database.client,
      books({
        entries: [rawEntry({ sequence: 5_000 }), { ...rawEntry({ sequence: 1 }), sequence: null }],
        operations: [
          rawOperation({}),
          rawOperation({ reference: 'GUI-CI-2', updatedAt: null }),
          rawOperation({ reference: 'GUI-CI-3', createdAt: null }),
        ],
      }),
    );
    const far = since({
      lastSequence: 5_000,
      newestOperationCreatedAt: Date.UTC(2027, 0, 1),
      newestOperationUpdatedAt: Date.UTC(2027, 0, 1),
    });
    for (const asked of [{}, { since: far }]) {
      const { entries, operations } = await withSnapshot(
        async (snapshot) => ({
          entries: await drain(() => snapshot.entries()),
          operations: await drain(() => snapshot.operations()),
        }),
        asked,
      );
      expect(entries.rows.map((entry) => entry.sequence)).toEqual([5_000]);
      expect(entries.rejected).toMatchObject([
        { reason: 'sequence is null, not a whole number', sequence: null },
      ]);
      expect(operations.rejected.map((row: RejectedRow) => row.reference)).toEqual([
        'GUI-CI-2',
        'GUI-CI-3',
      ]);
    }
  });

  test('is refused when it is the profile or the wallet, and the rest is read', async () => {
    await insertBooks(
      database.client,
      books({ merchant: rawMerchant({ status: 'ASLEEP' }), wallet: rawWallet({ balance: null }) }),
    );
    await withSnapshot(async (snapshot) => {
      expect(snapshot.profiles).toEqual([]);
      expect(snapshot.rejected).toMatchObject([
        { part: 'merchant', place: 'merchants reference M001' },
      ]);
      expect(
        snapshot.absent.filter(({ incomplete }) => incomplete).map(({ what }) => what),
      ).toEqual(['merchant', 'wallet']);
      expect(await snapshot.closing()).toMatchObject({
        wallet: null,
        rejected: [{ part: 'wallet' }],
      });
      expect(await entriesOf(snapshot)).toHaveLength(3);
    });
  });

  test('is refused when its bytes are not UTF-8, which a database in SQL_ASCII may hold', async () => {
    const name = `ascii_${Date.now()}`;
    await database.client.query(
      `create database ${name} template template0 encoding 'SQL_ASCII' locale 'C'`,
    );
    const url = new URL(database.settings.connectionString);
    url.pathname = `/${name}`;
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    await client.query(
      `create table ledger_entries as
       select 'M001'::text as merchant_reference, 'id-' || n as id, n as sequence, 'CREDIT'::text as direction,
              'CASHIN_CREDIT'::text as kind, 1::bigint as amount, 'XOF'::text as currency, n as balance_after,
              0 as reserved_after, null::text as operation_reference,
              case when n = 2 then E'caf\\xe9' else E'caf\\xc3\\xa9' end as description, now() as created_at
       from generate_series(1, 3) as n`,
    );
    await createBookTable(client, 'operations');
    const settings = { connectionString: url.href, merchants: null, wallets: null };
    const { rows, rejected } = await withSnapshot((snapshot) => drain(() => snapshot.entries()), {
      settings,
    });
    expect(rows.map((entry) => entry.description)).toEqual(['café', 'café']);
    expect(rejected).toMatchObject([{ sequence: 2, reason: 'description is not valid UTF-8' }]);
    await client.end();
    await database.client.query(`drop database ${name} with (force)`);
  });
});

describe('times', () => {
  test('of a column without a zone are read in the zone that is set, and refused while none is', async () => {
    await withTypes({
      'operations.created_at': 'timestamp',
      'ledger_entries.created_at': 'timestamp',
    });
    await insertBooks(database.client, books({ entries: [], operations: [] }));
    const local = '2026-01-05 09:00:00.123456';
    await insertRows(database.client, 'ledger_entries', [
      { ...rawEntry({ createdAt: local }), merchantReference: 'M001' },
    ]);
    await insertRows(database.client, 'operations', [
      { ...rawOperation({ createdAt: local }), merchantReference: 'M001' },
    ]);
    await expect(withSnapshot(entriesOf)).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
      message: expect.stringContaining("'created_at'"),
    });
    const asked = { settings: { timeZone: 'Africa/Lagos' } };
    const [entry] = await withSnapshot(entriesOf, asked);
    expect(entry!.createdAt).toBe(Date.UTC(2026, 0, 5, 8, 0, 0, 123));
    expect(await withSnapshot(operationsOf, { ...asked, since: since() })).toHaveLength(1);
    await expect(
      withSnapshot(entriesOf, { settings: { timeZone: 'Nowhere/None' } }),
    ).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
    });
  });
});

describe('the mapping', () => {
  test('takes other names, selects, and columns that are not there', async () => {
    await insertBooks(
      database.client,
      books({ merchant: rawMerchant({ reference: "O'Neil \\ Fils" }) }),
    );
    await database.client.query(`
      create schema "Grand Livre";
      create table "Grand Livre"."écritures ""v2""" as select merchant_reference as "compte", id, sequence as "no", direction, kind,
        amount, currency, balance_after, reserved_after, operation_reference, created_at from ledger_entries;
      alter table operations drop column requires_payer_action;
      alter table operations drop column payer_action_url`);
    const settings: Partial<PostgresSettings> = {
      entries: {
        from: { relation: 'Grand Livre.écritures "v2"' },
        merchantColumn: 'compte',
        columns: { sequence: 'no', description: null },
      },
      operations: {
        from: {
          select:
            'select m.name, o.* from operations o join merchants m on m.reference = o.merchant_reference -- all',
        },
        merchantColumn: 'merchant_reference',
        columns: { requiresPayerAction: null, payerActionUrl: null },
      },
    };
    await withSnapshot(
      async (snapshot) => {
        expect(
          (await entriesOf(snapshot)).map((entry) => [entry.sequence, entry.description]),
        ).toEqual([
          [1, null],
          [2, null],
          [3, null],
        ]);
        expect(await operationsOf(snapshot)).toMatchObject([
          { requiresPayerAction: false, payerActionUrl: null },
        ]);
        expect((await snapshot.closing()).wallet?.balance).toBe(10_000);
      },
      { merchant: "O'Neil \\ Fils", settings },
    );
  });

  test('quotes a merchant’s reference whatever it holds', async () => {
    await insertBooks(database.client, books());
    const source = openPostgresSource(database.settings);
    for (const merchant of [
      "M001' or 'a' = 'a",
      "'; drop table wallets; --",
      '\\',
      '$1',
      'M001 ',
    ]) {
      await expect(source.open(merchant, null)).rejects.toMatchObject({ code: 'UNKNOWN_MERCHANT' });
      expect(await source.askOperation(merchant, 'GUI-CI-000001')).toBeNull();
    }
    expect(await source.askOperation('M001', "GUI-CI-000001' or true --")).toBeNull();
    expect(await source.askOperation('M001', 'nul \u0000')).toBeNull();
    await source.close();
  });

  test('finds merchants without a table of merchants, and says what is then not checked', async () => {
    await insertBooks(database.client, books());
    const source = openPostgresSource({ ...database.settings, merchants: null, wallets: null });
    expect(await source.merchants()).toEqual(['M001']);
    const snapshot = await source.open('M001', null);
    expect(snapshot.absent.filter(({ incomplete }) => incomplete).map(({ what }) => what)).toEqual([
      'merchant',
      'wallet',
    ]);
    expect((await snapshot.closing()).wallet).toBeNull();
    await source.close();
  });

  test.each<[string, (settings: PostgresSettings) => Partial<PostgresSettings>, RegExp]>([
    [
      'a table that is not there',
      () => entriesFrom({ relation: 'nothing' }),
      /"nothing" does not exist/,
    ],
    [
      'a column that is not there',
      () => ({ entries: { ...mapping, columns: { amount: 'montant' } } }),
      /montant/,
    ],
    [
      'a field that is not there',
      () => ({ entries: { ...mapping, columns: { montant: 'amount' } } }),
      /'montant'/,
    ],
    [
      'a needed field without a column',
      () => ({ entries: { ...mapping, columns: { amount: null } } }),
      /'amount'/,
    ],
    ['a select that ends in a semicolon', () => entriesFrom({ select: 'select 1;' }), /';'/],
    ['a select that is none', () => entriesFrom({ select: 'selekt 1' }), /syntax error/],
    ['three names', () => entriesFrom({ relation: 'a.b.c' }), /schema\.name/],
    [
      'a sequence that is text',
      () =>
        entriesFrom(
          { select: 'select *, sequence::text as n from ledger_entries' },
          { sequence: 'n' },
        ),
      /sequence/,
    ],
    [
      'two wallets',
      () => ({
        wallets: {
          ...walletMapping,
          from: { select: 'select * from wallets union all select * from wallets' },
        },
      }),
      /more than one row/,
    ],
  ])('is refused with a sentence that helps: %s', async (_, change, words) => {
    await insertBooks(database.client, books());
    const attempt = async (): Promise<unknown> =>
      withSnapshot(entriesOf, { settings: change(database.settings) });
    await expect(attempt()).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
      message: expect.stringMatching(words),
    });
  });

  test('cannot write, whatever it selects', async () => {
    await insertBooks(database.client, books());
    await database.client.query(`
      create function meddle() returns bigint language plpgsql as $$ begin delete from wallets; return 1; end $$`);
    const settings = entriesFrom(
      { select: 'select *, meddle() as meddled from ledger_entries' },
      { amount: 'meddled' },
    );
    await expect(withSnapshot(entriesOf, { settings })).rejects.toMatchObject({
      message: expect.stringContaining('read-only'),
    });
    expect((await database.client.query('select * from wallets')).rowCount).toBe(1);
  });
});

const mapping = {
  from: { relation: 'ledger_entries' },
  merchantColumn: 'merchant_reference',
  columns: {},
};
const walletMapping = { ...mapping, from: { relation: 'wallets' } };

function entriesFrom(
  from: PostgresSettings['entries']['from'],
  columns: Readonly<Record<string, string>> = {},
): Partial<PostgresSettings> {
  return { entries: { from, merchantColumn: 'merchant_reference', columns } };
}

describe('a server', () => {
  test('that is not there, or refuses, is named without its password', async () => {
    for (const [connectionString, code] of [
      ['postgres://someone:hidden-word@127.0.0.1:1/books', 'UNREACHABLE'],
      ['postgres://someone:hidden-word@no-such-host.invalid/books', 'UNREACHABLE'],
    ] as const) {
      const source = openPostgresSource({ ...database.settings, connectionString });
      expect(source.name).not.toMatch(/hidden-word|someone/);
      const error = await source.open('M001', null).then(null, (thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'SourceFailed', code });
      expect(`${(error as Error).message} ${(error as Error).cause}`).not.toContain('hidden-word');
    }
  });

  test('that does not answer is waited for by all together, and is then one sentence for each merchant', async () => {
    let connections = 0;
    const deaf = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(deaf, 'listening');
    const { port } = deaf.address() as AddressInfo;
    const connectionString = `postgres://someone:hidden-word@127.0.0.1:${port}/books`;
    const source = openPostgresSource({
      ...database.settings,
      connectionString,
      connectTimeout: 500,
    });
    const said: string[] = [];
    const rest = Array.from({ length: 60 }, (_, i) => `M${i}`).values();
    const readSome = async (): Promise<void> => {
      for (const merchant of rest)
        await source.open(merchant, null).catch(({ message }: Error) => said.push(message));
    };
    await Promise.all([readSome(), readSome(), readSome(), readSome()]);
    deaf.close();
    expect(connections).toBeLessThan(12);
    expect(said).toHaveLength(60);
    expect(new Set(said)).toEqual(
      new Set([
        `No answer from postgres://127.0.0.1:${port}/books (NO_ANSWER): check source and the network.`,
      ]),
    );
  });

  test('that takes no connection without SSL says how to ask for it', async () => {
    const said =
      'no pg_hba.conf entry for host "127.0.0.1", user "reader", database "books", no encryption';
    const port = await refusingServer('28000', said);
    const settings = { connectionString: `postgres://reader@127.0.0.1:${port}/books` };
    await expect(withSnapshot(entriesOf, { settings })).rejects.toMatchObject({
      code: 'SSL_REQUIRED',
      message: expect.stringMatching(
        /no encryption\): add \?sslmode=verify-full to its address\.$/,
      ),
    });
    const opening = openStore({ databaseUrl: settings.connectionString, dataDirectory: '' });
    await expect(opening).rejects.toMatchObject({
      code: 'UNREACHABLE',
      message: expect.stringMatching(/Add \?sslmode=verify-full to its address\.$/),
    });
  });

  test('that knows no such database or user, or denies the table, is named as such', async () => {
    const url = new URL(database.settings.connectionString);
    url.pathname = '/no_such_database';
    const settings = { connectionString: url.href };
    await expect(withSnapshot(entriesOf, { settings })).rejects.toMatchObject({
      code: 'UNREACHABLE',
    });
    await database.client.query(
      'drop role if exists pointage_test_stranger; create role pointage_test_stranger login',
    );
    const stranger = new URL(database.settings.connectionString);
    stranger.username = 'pointage_test_stranger';
    await expect(
      withSnapshot(entriesOf, { settings: { connectionString: stranger.href } }),
    ).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    await database.client.query('drop role pointage_test_stranger');
  });
});

/** Starts a server that refuses each client, as PostgreSQL does. */
async function refusingServer(code: string, message: string): Promise<number> {
  const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`);
  const length = Buffer.alloc(4);
  length.writeInt32BE(fields.length + 4);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(Buffer.concat([Buffer.from('E'), length, fields])));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function sessionsLeft(): Promise<number> {
  const answer = await database.client.query<{ count: number }>(
    "select count(*)::int as count from pg_stat_activity where datname = current_database() and application_name = 'pointage source'",
  );
  return answer.rows[0]!.count;
}

async function backends(): Promise<readonly number[]> {
  const answer = await database.client.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and application_name = 'pointage source' order by pid",
  );
  return answer.rows.map(({ pid }) => pid);
}

async function endSessions(): Promise<void> {
  await database.client.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'pointage source'",
  );
}
