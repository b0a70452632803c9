// The operator's tables are compared with the mirror by digests that both servers compute. Whatever
// is altered anywhere is read again and named. Of sound books nothing is read, whatever their
// columns are and however their server writes them.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import type { Snapshot } from '../../src/core/domain/snapshot.ts';
import type { Source } from '../../src/io/sources/port/source.ts';
import { openPostgresSource } from '../../src/io/sources/postgres/open-postgres-source.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { BOOKS_BEGIN, makeHttpBooks } from '../support/http-books.ts';
import { alteredRows, mirrorFrom } from '../support/mirror-nights.ts';
import { outcomeOf, runSource } from '../support/nightly-run.ts';
import { insertBooks, openPostgresBooks, type PostgresBooks } from '../support/postgres-books.ts';

const MERCHANT = 'M001';
const LINES = 3_600;
/** A rotation in which all of the history is due every other night. */
const rotation = { nights: 2, random: () => 0.5 };

/**
 * Column types as an operator may have them: amounts with decimals, times without a zone, texts of
 * a fixed length, enumerations, UUIDs.
 */
const ODD = {
  'ledger_entries.amount': 'numeric(20, 2)',
  'ledger_entries.balance_after': 'numeric',
  'ledger_entries.sequence': 'numeric',
  'ledger_entries.reserved_after': 'integer',
  'ledger_entries.created_at': 'timestamp',
  'ledger_entries.id': 'uuid',
};

let store: TestStore;
beforeEach(async () => {
  store = await openTestStore();
});

let books: PostgresBooks;
let source: Source;
let read: number;
const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
  await store.close();
});

async function openBooks(types = {}, encoding = 'UTF8', lines = LINES): Promise<void> {
  books = await openPostgresBooks(types, encoding);
  opened.push(() => books.close());
  await insertBooks(books.client, {
    ...makeHttpBooks(MERCHANT, 0),
    entries: [],
    merchant: makeHttpBooks(MERCHANT, 0).profile,
  });
  const description = `case n % 5 when 0 then null when 1 then E'a "quoted"\\ttab\\n\\x01line \\\\ ' else '${encoding === 'UTF8' ? 'vente n° – 😀' : 'vente n° é'}' || n end`;
  await books.client.query(`insert into ledger_entries
    select '${MERCHANT}', ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, n, 'CREDIT', 'CASHIN_CREDIT', 1000, 'XOF', n * 1000, 0,
      case when n % 7 = 0 then null else 'GUI-CI-' || n end, ${description},
      timestamp '2026-11-01 08:00:00.123999' + n * interval '1 second'
    from generate_series(1, ${lines}) n`);
  await books.client.query('create index on ledger_entries (merchant_reference, sequence)');
  source = openPostgresSource({ ...books.settings, timeZone: 'Africa/Kinshasa' });
  opened.push(() => source.close());
}

/**
 * Returns the source with a count of the lines that are read to be compared, beside those that
 * every night reads.
 */
function counting(source: Source): Source {
  const counted = (snapshot: Snapshot): Snapshot => {
    const { servedLines } = snapshot;
    const { blocks } = servedLines!;
    if (blocks === undefined) return snapshot;
    const between: typeof blocks.between = async (first, last) => {
      const batch = await blocks.between(first, last);
      read += batch.rows.length;
      return batch;
    };
    return { ...snapshot, servedLines: { ...servedLines!, blocks: { ...blocks, between } } };
  };
  return { ...source, open: async (...asked) => counted(await source.open(...asked)) };
}

async function night(number: number) {
  read = 0;
  const merchant = MERCHANT;
  const asked = { store: store.store, merchant, now: BOOKS_BEGIN + number * DAY, rotation };
  const { absent } = await mirrorFrom(counting(source), asked);
  return { absent, ...(await alteredRows(store.store, merchant)) };
}

const sql = (text: string) => books.client.query(text);

test('whatever is altered anywhere is found, and only that is read', async () => {
  await openBooks(ODD);
  await night(0);
  expect(await night(1)).toMatchObject({ contents: 0, gone: [] });
  expect(read, 'of sound books').toBe(0);

  await sql(`update ledger_entries set description = 'edited in place' where sequence = 700`);
  await sql(
    `update ledger_entries set created_at = created_at + interval '1 millisecond' where sequence = 2400`,
  );
  expect(await night(2), 'of an edit in place').toMatchObject({ contents: 0 });
  const edited = await night(3);
  expect(edited).toMatchObject({ contents: 2, first: 700, last: 2400, gone: [] });
  expect(read).toBeLessThan(5 * 1_030);
  expect(edited.absent).toContainEqual(
    expect.objectContaining({ code: 'LINES_READ_WITHIN', incomplete: false }),
  );

  await sql('delete from ledger_entries where sequence between 1200 and 2200 or sequence = 1');
  const gone = [
    { change: 'fallen', sequence: 1, lines: 1 },
    { change: 'deleted', sequence: 1200, lines: 1001 },
  ];
  expect((await night(4)).gone, 'with all that was between').toEqual(gone);
  expect((await night(5)).gone).toEqual(gone);

  await sql('delete from ledger_entries where sequence > 3300');
  const reset = [...gone, { change: 'reset', sequence: 3301, lines: 300 }];
  expect((await night(6)).gone).toEqual(reset);
  expect((await night(7)).gone).toEqual(reset);
});

/**
 * One database of each kind. A real number is left out, because both servers need not write it
 * alike.
 */
test.each([
  ['usual columns', {}, 'UTF8', true],
  ['other columns', ODD, 'UTF8', true],
  ['another encoding', {}, 'LATIN1', true],
  ['bytes of any encoding', {}, 'SQL_ASCII', true],
  [
    'columns that are read page by page',
    { 'ledger_entries.amount': 'double precision' },
    'UTF8',
    false,
  ],
])(
  'sound books raise nothing, and an edit between is found: %s',
  async (_, types, encoding, isDigested) => {
    await openBooks(types, encoding, 2_600);
    await night(0);
    await sql(
      `alter database ${new URL(books.settings.connectionString).pathname.slice(1)} set timezone = 'Asia/Tokyo'`,
    );
    await sql(
      `alter database ${new URL(books.settings.connectionString).pathname.slice(1)} set datestyle = 'German, DMY'`,
    );
    source = openPostgresSource({ ...books.settings, timeZone: 'Africa/Kinshasa' });
    opened.push(() => source.close());
    // One row is delivered again, and one cannot be read.
    await sql(
      `insert into ledger_entries select * from ledger_entries where sequence in (300, 2500)`,
    );
    for (const number of [1, 2])
      expect(await night(number)).toMatchObject({ contents: 0, gone: [] });
    await sql(`update ledger_entries set kind = 'FEE' where sequence = 1300`);
    await night(3);
    await night(4);
    expect(await alteredRows(store.store, MERCHANT)).toMatchObject({
      contents: 1,
      first: 1300,
      gone: [],
    });
    const snapshot = await source.open(MERCHANT, null);
    expect(snapshot.servedLines!.blocks !== undefined).toBe(isDigested);
    await snapshot.close();
  },
);

test('late commits, wherever they fall, and rows that cannot be read are no alteration', async () => {
  await openBooks();
  await sql(`create table late as select * from ledger_entries where sequence in (2, 1500, 3590)`);
  await sql(`delete from ledger_entries where sequence in (2, 1500, 3590)`);
  await sql(`update ledger_entries set amount = null where sequence in (2000, 2400)`);
  await night(0);
  expect(await night(1)).toMatchObject({ contents: 0, gone: [] });
  await sql('insert into ledger_entries select * from late where sequence = 1500');
  expect(await night(2)).toMatchObject({ contents: 0, gone: [] });
  expect(read, 'the block, and those with rows that cannot be read').toBeLessThanOrEqual(4 * 1_026);
  await sql('insert into ledger_entries select * from late where sequence <> 1500');
  await sql(`update ledger_entries set amount = 1000 where sequence = 2000`);
  for (const number of [3, 4]) expect(await night(number)).toMatchObject({ contents: 0, gone: [] });
  const changes = 'select change, sequence, fills_gap from entry_alterations order by sequence';
  const told = (await store.store.pool.query(changes)).rows;
  const late = { change: 'inserted', fills_gap: true };
  expect(told).toEqual([2, 1500, 3590].map((sequence) => ({ ...late, sequence })));
  await sql('delete from ledger_entries where sequence = 2200');
  expect((await night(5)).gone, 'between rows that cannot be read').toEqual([
    { change: 'deleted', sequence: 2200, lines: 1 },
  ]);
});

test('a run names a line that is gone from among merchants read together, and those after it under other numbers', async () => {
  books = await openPostgresBooks();
  opened.push(() => books.close());
  for (const merchant of ['M001', 'M002', 'M003']) {
    const { profile, wallet, ledger, operations } = makeHttpBooks(merchant, 60);
    await insertBooks(books.client, { merchant: profile, wallet, entries: ledger, operations });
  }
  source = openPostgresSource(books.settings);
  opened.push(() => source.close());
  const roots = async () => {
    const run = await runSource(store.store, source);
    return ['M001', 'M002', 'M003'].map((merchant) =>
      outcomeOf(run, merchant)
        .report.findings.filter(({ causedBy }) => causedBy === null)
        .map(({ kind, sequence }) => `${kind} ${sequence}`),
    );
  };
  expect(await roots()).toEqual([[], [], []]);
  expect(await roots()).toEqual([[], [], []]);
  await sql(`delete from ledger_entries where merchant_reference = 'M002' and sequence = 20`);
  await sql(`delete from ledger_entries where merchant_reference = 'M003' and sequence = 20`);
  await sql(`update ledger_entries set sequence = sequence - 1, balance_after = balance_after - 1000
    where merchant_reference = 'M003' and sequence > 20`);
  await sql(
    `update wallets set balance = 59000, available = 59000 where merchant_reference = 'M003'`,
  );
  const [sound, deleted, moved] = await roots();
  expect(sound).toEqual([]);
  expect(deleted).toContain('ENTRY_DELETED 20');
  expect(moved).toContain('ENTRY_DELETED 20');
  expect(await roots()).toEqual([sound, deleted, moved]);
});
