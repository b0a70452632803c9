// Operations over the direct API: the first reading brings all; a later reading brings those that
// are new, were open, or were reversed. Each comes once, oldest first.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { formatInstant, HOUR } from '../../src/core/domain/instant.ts';
import { openOf } from '../../src/core/domain/operation.ts';
import { HTTP_DEFAULTS } from '../../src/io/sources/http/http-settings.ts';
import {
  BOOKS_BEGIN,
  type HttpBooks,
  makeHttpBooks,
  makeOperation,
  referenceOf,
} from '../support/http-books.ts';
import { openSource, readBooks, sinceFirst } from '../support/http-reader.ts';
import { type HttpService, startHttpService } from '../support/http-service.ts';

let service: HttpService;
beforeEach(async () => {
  service = await startHttpService({ M001: makeHttpBooks('M001', 900) });
});
afterEach(() => service.close());

const books = (): HttpBooks => service.books.M001!;

function change(number: number, fields: object): void {
  books().operations[number - 1] = { ...books().operations[number - 1]!, ...fields };
}

for (const order of ['ascending', 'descending'] as const) {
  describe(`served ${order}`, () => {
    beforeEach(() => {
      service.order = order;
    });

    test('a later reading brings the new, the open and the reversed ones, oldest first, each once', async () => {
      const source = openSource(service);
      const first = await readBooks(source, 'M001');
      expect(first.operations).toHaveLength(900);
      for (let number = 901; number <= 905; number += 1)
        books().operations.push(makeOperation(number));
      change(7, { status: 'REVERSED', updatedAt: formatInstant(BOOKS_BEGIN + 40 * HOUR) });
      change(20, { status: 'FAILED', failure: { code: 'OPERATOR_REFUSED', message: 'no' } });
      change(890, { status: 'REVERSED' });
      const open = [20, 21, 899].map(referenceOf);
      const { operations } = await readBooks(source, 'M001', sinceFirst(first, open));
      const numbers = operations.map((operation) => Number(operation.reference.slice(-8)));
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      expect(new Set(numbers).size).toBe(numbers.length);
      expect(numbers.slice(0, 3)).toEqual([7, 20, 21]);
      // The reading covers seven hours of an operation a minute each, and not the whole list.
      expect(numbers).toEqual(
        expect.arrayContaining(Array.from({ length: 425 }, (_, index) => 481 + index)),
      );
      expect(numbers[3]).toBeGreaterThan(100);
      expect(operations[0]).toMatchObject({ status: 'REVERSED' });
      expect(operations[1]).toMatchObject({ status: 'FAILED', failureCode: 'OPERATOR_REFUSED' });
    });

    test('an operation that changes while it is read comes once, in its newest version', async () => {
      let seen = 0;
      service.before = (request) => {
        if (request.path !== '/operations') return null;
        seen += 1;
        if (seen === 2) {
          for (let number = 880; number <= 900; number += 1) {
            change(number, {
              status: 'REVERSED',
              updatedAt: formatInstant(BOOKS_BEGIN + 60 * HOUR),
            });
          }
          books().operations.push(makeOperation(901));
        }
        return null;
      };
      const { operations } = await readBooks(openSource(service), 'M001');
      expect(operations).toHaveLength(901);
      expect(new Set(operations.map((operation) => operation.reference)).size).toBe(901);
      expect(operations.at(-2)).toMatchObject({ reference: referenceOf(900), status: 'REVERSED' });
    });

    test('operations of one instant are all brought', async () => {
      const createdAt = formatInstant(BOOKS_BEGIN);
      books().operations = books().operations.map((operation) => ({ ...operation, createdAt }));
      const { operations } = await readBooks(openSource(service, { pageSize: 50 }), 'M001');
      expect(new Set(operations.map((operation) => operation.reference)).size).toBe(900);
    });
  });
}

test('several that wait are searched in one list, and the missing one is requested by itself', async () => {
  const source = openSource(service);
  for (const number of [2, 3, 4]) change(number, { status: 'PENDING', completedAt: null });
  const first = await readBooks(source, 'M001');
  change(3, { status: 'SUCCEEDED' });
  service.asked.length = 0;
  const open = first.operations.slice(1, 4).map((one) => openOf(one.reference, one));
  const second = await readBooks(source, 'M001', { ...sinceFirst(first), open });
  expect(second.operations.slice(0, 3).map(({ status }) => status)).toEqual([
    'PENDING',
    'SUCCEEDED',
    'PENDING',
  ]);
  const asked = service.asked.map(({ path, query }) => `${path} ${query.get('status') ?? ''}`);
  expect(asked.filter((one) => one === '/operations PENDING')).toHaveLength(1);
  expect(asked.filter((one) => one.startsWith('/operations/'))).toEqual([
    `/operations/${referenceOf(3)} `,
  ]);
});

test('those reversed are read where there are others than were known', async () => {
  const source = openSource(service);
  change(7, { status: 'REVERSED' });
  const first = await readBooks(source, 'M001');
  const later = async (reversedCount: number): Promise<unknown> =>
    (await readBooks(source, 'M001', { ...sinceFirst(first), reversedCount })).operations[0]
      ?.reference;
  expect(await later(1)).not.toBe(referenceOf(7));
  expect(await later(0)).toBe(referenceOf(7));
  change(5, { status: 'REVERSED' });
  expect(await later(1)).toBe(referenceOf(5));
});

test('an operation that cannot be read is refused by its reference, wherever it is met', async () => {
  change(5, { status: 'REVERSED', amount: '1000' });
  change(6, { netAmount: null });
  const source = openSource(service);
  const first = await readBooks(source, 'M001');
  expect(first.rejected.map((row) => row.place)).toEqual([
    `GET /operations ${referenceOf(5)}`,
    `GET /operations ${referenceOf(6)}`,
  ]);
  expect(first.operations).toHaveLength(898);
  const second = await readBooks(source, 'M001', sinceFirst(first, [referenceOf(6)]));
  expect(second.rejected.map((row) => row.reference).sort()).toEqual([
    referenceOf(5),
    referenceOf(6),
  ]);
});

test('an open operation that the service no longer knows is left out, and nothing else', async () => {
  const source = openSource(service);
  const first = await readBooks(source, 'M001');
  books().operations.splice(10, 1);
  const second = await readBooks(
    source,
    'M001',
    sinceFirst(first, [referenceOf(11), referenceOf(12)]),
  );
  const references = second.operations.map((operation) => operation.reference);
  expect(references).not.toContain(referenceOf(11));
  expect(references[0]).toBe(referenceOf(12));
});

test('requests for many open operations end once one of them fails', async () => {
  const source = openSource(service);
  const first = await readBooks(source, 'M001');
  service.asked.length = 0;
  service.before = (request) =>
    request.path.startsWith('/operations/')
      ? { do: 'error', status: 401, code: 'INVALID_CREDENTIALS' }
      : null;
  const open = first.operations.map(({ reference }) => reference);
  await expect(readBooks(source, 'M001', sinceFirst(first, open))).rejects.toMatchObject({
    code: 'INVALID_CREDENTIALS',
  });
  expect(service.asked.filter(({ path }) => path.startsWith('/operations/')).length).toBeLessThan(
    10,
  );
});

describe('asking for one operation', () => {
  test('gives it as it is, or null when the service does not know it', async () => {
    const source = openSource(service);
    expect(await source.askOperation('M001', referenceOf(3))).toMatchObject({
      reference: referenceOf(3),
    });
    expect(await source.askOperation('M001', 'GUI-CI-NONE')).toBeNull();
  });

  test.each(['.', '..', '../../wallet', 'a/b', 'a?b=c', '%2e%2e', 'é'])(
    'asks for %j and nothing else',
    async (reference) => {
      expect(await openSource(service).askOperation('M001', reference)).toBeNull();
      for (const request of service.asked) expect(request.path).toMatch(/^\/operations/);
    },
  );

  test('does not take a wrong path for a missing operation', async () => {
    const source = openSource(service, {
      paths: { ...HTTP_DEFAULTS.paths, operation: '/ops/{reference}' },
    });
    await expect(source.askOperation('M001', 'GUI-CI-NONE')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    const since = sinceFirst({ entries: [], operations: [] }, [referenceOf(1)]);
    await expect(readBooks(source, 'M001', since)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('believes that there is none when the service has no operation at all', async () => {
    books().operations = [];
    expect(await openSource(service).askOperation('M001', 'GUI-CI-NONE')).toBeNull();
  });

  test('fails when another operation is answered, or one that cannot be read', async () => {
    const body = JSON.stringify({ operation: books().operations[8] });
    service.before = (request) =>
      request.path.startsWith('/operations/') ? { do: 'answer', status: 200, body } : null;
    await expect(openSource(service).askOperation('M001', referenceOf(1))).rejects.toMatchObject({
      code: 'UNREADABLE_ANSWER',
    });
    service.before = () => null;
    change(1, { amount: 0.5 });
    await expect(openSource(service).askOperation('M001', referenceOf(1))).rejects.toMatchObject({
      code: 'UNREADABLE_OPERATION',
    });
  });
});

test('recall brings back lines and operations, and walks no list that it need not', async () => {
  const snapshot = await openSource(service).open('M001', null);
  service.asked.length = 0;
  const nothing = {
    references: new Set<string>(),
    entryIds: new Set<string>(),
    externalReferences: new Set<string>(),
  };
  expect(await snapshot.recall(nothing)).toEqual({ entries: [], operations: [] });
  expect(service.asked).toEqual([]);
  const references = new Set([referenceOf(1), 'GUI-CI-NONE', referenceOf(2)]);
  const byReference = await snapshot.recall({ ...nothing, references });
  expect(byReference.entries.map(({ entry, before }) => [entry.sequence, before?.balance])).toEqual(
    [
      [1, undefined],
      [2, 1_000],
    ],
  );
  expect(byReference.operations.map((version) => version.operation.reference).sort()).toEqual(
    [1, 2].map(referenceOf),
  );
  const byPartner = await snapshot.recall({ ...nothing, externalReferences: new Set(['order-3']) });
  expect(byPartner.entries).toEqual([]);
  expect(byPartner.operations.map((version) => version.operation.reference)).toEqual([
    referenceOf(3),
  ]);
});

test('the watermark is the clock of the service when the reading was opened', async () => {
  service.clockOffset = -3 * HOUR;
  const snapshot = await openSource(service).open('M001', null);
  expect(Math.abs(snapshot.watermark! - (Date.now() - 3 * HOUR))).toBeLessThan(2_000);
  expect(snapshot.absent.every((one) => !one.incomplete)).toBe(true);
});
