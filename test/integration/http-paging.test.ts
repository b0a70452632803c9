// Reads a moving list by offset. Whichever way it is served, however it shifts, every row comes out
// once and in order, or the reading fails with a code.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type HttpBooks,
  makeHttpBooks,
  makeLine,
  makeOperation,
  type ServedJson,
} from '../support/http-books.ts';
import {
  openSource,
  readBooks,
  readEntries,
  readOperations,
  sinceFirst,
} from '../support/http-reader.ts';
import { type AskedRequest, type HttpService, startHttpService } from '../support/http-service.ts';

let service: HttpService;
beforeEach(async () => {
  service = await startHttpService({ M001: makeHttpBooks('M001', 95) });
});
afterEach(() => service.close());

const books = (): HttpBooks => service.books.M001!;
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const isLedger = (request: AskedRequest): boolean => request.path === '/ledger';
const small = { pageSize: 10 } as const;

for (const order of ['ascending', 'descending'] as const) {
  describe(`a list served ${order}`, () => {
    beforeEach(() => {
      service.order = order;
    });

    test.each([0, 1, 2, 9, 10, 11, 20, 95])('is read whole when it has %i rows', async (count) => {
      service.books.M001 = makeHttpBooks('M001', count);
      const read = await readBooks(openSource(service, small), 'M001');
      expect(read.entries.map((entry) => entry.sequence)).toEqual(upTo(count));
      expect(read.operations.map((operation) => operation.externalReference)).toEqual(
        upTo(count).map((number) => `order-${number}`),
      );
      expect(read.closing.laterEntries).toEqual([]);
      expect(read.rejected).toEqual([]);
    });

    test('is read whole when the service gives fewer rows than requested', async () => {
      service.longestPage = 7;
      const read = await readBooks(openSource(service, { pageSize: 50 }), 'M001');
      expect(read.entries.map((entry) => entry.sequence)).toEqual(upTo(95));
      expect(read.operations).toHaveLength(95);
    });

    test('is read whole and in order while a line is added before every answer', async () => {
      service.before = (request) => {
        if (isLedger(request)) books().ledger.push(makeLine(books().ledger.length + 1));
        if (request.path === '/operations')
          books().operations.push(makeOperation(books().operations.length + 1));
        return null;
      };
      const source = openSource(service, { ...small, clock: () => 0 });
      service.clockOffset = -365 * 24 * 3_600_000;
      const read = await readBooks(source, 'M001');
      const all = [...read.entries, ...read.closing.laterEntries].map((entry) => entry.sequence);
      expect(all).toEqual(upTo(all.length));
      expect(all.length).toBeGreaterThanOrEqual(95);
      const numbers = read.operations.map((operation) => Number(operation.reference.slice(-8)));
      expect(numbers).toEqual(upTo(numbers.length));
      expect(numbers.length).toBeGreaterThanOrEqual(95);
    });

    test('gains a burst of lines in the middle of the walk and loses none', async () => {
      service.before = (request) => {
        if (
          isLedger(request) &&
          books().ledger.length === 95 &&
          service.asked.filter(isLedger).length === 5
        ) {
          for (let sequence = 96; sequence <= 160; sequence += 1)
            books().ledger.push(makeLine(sequence));
        }
        return null;
      };
      const { entries, closing } = await readBooks(openSource(service, small), 'M001');
      const all = [...entries, ...closing.laterEntries].map((entry) => entry.sequence);
      expect(all).toEqual(upTo(160));
    });

    test('takes in a line that is committed late, just behind where the walk is', async () => {
      const [late] = books().ledger.splice(order === 'ascending' ? 22 : 70, 1);
      let walked = 0;
      service.before = (request) => {
        walked += isLedger(request) ? 1 : 0;
        const isBehind =
          order === 'ascending' ? Number(request.query.get('offset')) > 25 : walked > 12;
        if (late !== undefined && isLedger(request) && isBehind && books().ledger.length === 94) {
          books().ledger.splice(Number(late.sequence) - 1, 0, late);
        }
        return null;
      };
      const { entries } = await readBooks(openSource(service, small), 'M001');
      const sequences = entries.map((entry) => entry.sequence);
      expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
      expect(new Set(sequences).size).toBe(sequences.length);
      if (order === 'ascending') expect(sequences).toEqual(upTo(95));
    });

    test('keeps two lines of one sequence apart when they differ, and drops a re-delivery', async () => {
      books().ledger.splice(30, 0, { ...books().ledger[30]!, amount: 999 });
      books().ledger.splice(60, 0, books().ledger[60]!);
      const { entries } = await readBooks(openSource(service, small), 'M001');
      expect(
        entries.filter((entry) => entry.sequence === 31).map((entry) => entry.amount),
      ).toHaveLength(2);
      expect(entries).toHaveLength(96);
    });

    test('is read on from where an earlier reading stopped, with a few lines again and no more', async () => {
      service.books.M001 = makeHttpBooks('M001', 600);
      const source = openSource(service);
      const first = await readBooks(source, 'M001');
      for (let number = 601; number <= 640; number += 1) {
        books().ledger.push(makeLine(number));
        books().operations.push(makeOperation(number));
      }
      service.asked.length = 0;
      const second = await readBooks(source, 'M001', sinceFirst(first));
      const sequences = second.entries.map((entry) => entry.sequence);
      expect(sequences.at(-1)).toBe(640);
      expect(sequences[0]).toBeLessThanOrEqual(600);
      expect(sequences[0]).toBeGreaterThan(300);
      expect(second.operations.map((operation) => operation.reference)).toContain(
        'GUI-CI-00000640',
      );
      expect(service.asked.length).toBeLessThan(25);
    });

    test('is read on without a gap when much was added since', async () => {
      const source = openSource(service, small);
      const first = await readBooks(source, 'M001');
      service.books.M001 = makeHttpBooks('M001', 500);
      const second = await readBooks(source, 'M001', sinceFirst(first));
      const sequences = second.entries.map((entry) => entry.sequence);
      expect(sequences[0]).toBeLessThanOrEqual(95);
      expect(sequences).toEqual(upTo(500).slice(sequences[0]! - 1));
    });

    test('is not taken to have ended where the service merely gives no more rows than were known', async () => {
      service.books.M001 = makeHttpBooks('M001', 50);
      service.longestPage = 50;
      const source = openSource(service);
      const first = await readBooks(source, 'M001');
      service.books.M001 = makeHttpBooks('M001', 60);
      for (const reader of [source, openSource(service)]) {
        const second = await readBooks(reader, 'M001', sinceFirst(first));
        expect(second.entries.at(-1)?.sequence).toBe(60);
        expect(second.operations.at(-1)?.externalReference).toBe('order-60');
      }
    });

    test('is read from further back when the stated count is wrong', async () => {
      const source = openSource(service, small);
      const first = await readBooks(source, 'M001');
      for (const entryCount of [0, 3, 5_000]) {
        const second = await readBooks(source, 'M001', {
          ...sinceFirst(first),
          lastSequence: 40,
          entryCount,
        });
        const sequences = second.entries.map((entry) => entry.sequence);
        expect(sequences[0]).toBeLessThanOrEqual(40);
        expect(sequences).toEqual(upTo(95).slice(sequences[0]! - 1));
      }
    });

    test('is served from its start when it was cut back below what is known', async () => {
      const source = openSource(service, small);
      const first = await readBooks(source, 'M001');
      service.books.M001 = makeHttpBooks('M001', 12);
      const second = await readBooks(source, 'M001', sinceFirst(first));
      expect(second.entries.map((entry) => entry.sequence).at(-1)).toBe(12);
    });

    test('says the same again when it is read twice, though it has grown', async () => {
      const snapshot = await openSource(service, small).open('M001', null);
      const first = await readEntries(snapshot);
      books().ledger.push(makeLine(96));
      const second = await readEntries(snapshot);
      expect(second.rows).toEqual(first.rows);
      const { laterEntries } = await snapshot.closing();
      expect(laterEntries.map((entry) => entry.sequence)).toEqual([96]);
      expect((await readOperations(snapshot)).rows).toHaveLength(95);
    });

    test('gives the lines that came after its head as later ones, with the wallet read between', async () => {
      const snapshot = await openSource(service, small).open('M001', null);
      await readEntries(snapshot);
      for (let sequence = 96; sequence <= 130; sequence += 1)
        books().ledger.push(makeLine(sequence));
      service.asked.length = 0;
      const closing = await snapshot.closing();
      expect(closing.laterEntries.map((entry) => entry.sequence)).toEqual(upTo(130).slice(95));
      expect(closing.wallet?.balance).toBe(95_000);
      expect(service.asked[0]?.path).toBe('/wallet');
    });

    test('names a bad row in the same place whatever the page size, and loses none of its neighbours', async () => {
      books().ledger[33] = { ...books().ledger[33]!, amount: 12.5 };
      books().ledger[34] = { note: 'not a line' };
      books().ledger[35] = { note: 'another' };
      const places: string[][] = [];
      for (const pageSize of [10, 13, 200]) {
        const read = await readBooks(openSource(service, { pageSize }), 'M001');
        expect(read.entries).toHaveLength(92);
        expect(read.rejected.map((row) => row.raw)).toEqual(
          [33, 34, 35].map((index) => JSON.stringify(books().ledger[index])),
        );
        places.push(read.rejected.map((row) => row.place));
      }
      expect(places[0]).toEqual([
        'GET /ledger sequence 34',
        'GET /ledger after sequence 33',
        'GET /ledger after sequence 33, row 2',
      ]);
      expect(new Set(places.map((three) => three.join()))).toHaveProperty('size', 1);
    });

    test('fails by name when the service ignores the offset', async () => {
      service.before = (request) => {
        if (isLedger(request)) request.query.set('offset', '0');
        return null;
      };
      await expect(readBooks(openSource(service, small), 'M001')).rejects.toMatchObject({
        code: 'PAGING_BROKEN',
      });
    });

    test('is read a few pages at once, never more than four, and hardly past its end', async () => {
      service.books.M001 = makeHttpBooks('M001', 200);
      service.before = (request) => (isLedger(request) ? { do: 'drip', pause: 1 } : null);
      const { rows } = await readEntries(await openSource(service, small).open('M001', null));
      expect(rows.map((entry) => entry.sequence)).toEqual(upTo(200));
      expect(service.mostOpen).toBeGreaterThan(1);
      expect(service.mostOpen).toBeLessThanOrEqual(4);
      const offsets = service.asked
        .filter(isLedger)
        .map(({ query }) => Number(query.get('offset')));
      const inside = offsets.filter((offset) => offset < 200);
      expect(inside.length).toBeLessThan(45);
      if (order === 'ascending') expect(offsets.length - inside.length).toBeLessThanOrEqual(4);
    });

    test('fails by name when pages asked for early fail for good', async () => {
      service.before = (request) =>
        isLedger(request) && service.asked.filter(isLedger).length > 12
          ? { do: 'error', status: 403, code: 'ACCOUNT_SUSPENDED' }
          : null;
      await expect(readBooks(openSource(service, small), 'M001')).rejects.toMatchObject({
        code: 'ACCOUNT_SUSPENDED',
      });
    });

    test('survives one empty page in the middle', async () => {
      let emptied = 0;
      service.before = (request) => {
        const offset = Number(request.query.get('offset'));
        if (!isLedger(request) || offset < 30 || offset > 60 || emptied > 0) return null;
        emptied += 1;
        return { do: 'answer', status: 200, body: '{"data":[]}' };
      };
      const { entries } = await readBooks(openSource(service, small), 'M001');
      expect(entries.map((entry) => entry.sequence)).toEqual(upTo(95));
      expect(emptied).toBe(1);
    });

    test('is read in smaller pages when a page is over the cap, and whole all the same', async () => {
      const events: { what: string }[] = [];
      const source = openSource(service, { maxResponseBytes: 12_000, events: events as never });
      const { entries } = await readBooks(source, 'M001');
      expect(entries).toHaveLength(95);
      expect(events.map((event) => event.what)).toContain('smaller-pages');
    });
  });
}

describe('a list in no order', () => {
  test('is refused rather than read in part', async () => {
    const scatter = (line: ServedJson): number => Number(line.sequence) ** 3 % 97;
    books().ledger.sort((a, b) => scatter(a) - scatter(b));
    await expect(readBooks(openSource(service), 'M001')).rejects.toMatchObject({
      code: 'UNREADABLE_ORDER',
    });
  });

  test('is refused when it runs against the order that was set', async () => {
    const source = openSource(service, { ledgerOrder: 'descending' });
    await expect(readBooks(source, 'M001')).rejects.toMatchObject({ code: 'UNREADABLE_ORDER' });
  });
});

test('a second source of the same service needs no order to be set for an empty merchant', async () => {
  service.books.M002 = makeHttpBooks('M002', 0);
  const source = openSource(service);
  expect((await readBooks(source, 'M002')).entries).toEqual([]);
  expect((await readBooks(source, 'M001')).entries).toHaveLength(95);
});
