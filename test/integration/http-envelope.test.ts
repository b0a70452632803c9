// Envelopes: every common one is understood, and each item keeps its own bytes. An envelope that is
// not understood, or could be read two ways, is never taken for an empty list.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findItems, findObject } from '../../src/io/sources/http/envelope.ts';
import { HTTP_DEFAULTS } from '../../src/io/sources/http/http-settings.ts';
import { makeHttpBooks } from '../support/http-books.ts';
import { openSource, readBooks } from '../support/http-reader.ts';
import { type HttpService, startHttpService } from '../support/http-service.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

function itemsIn(text: string, envelope = 'auto'): readonly string[] | string {
  const found = findItems(bytes(text), envelope);
  if (!found.ok) return `${found.fault}: ${found.reason}`;
  return found.value.map((item) => text.slice(item.start, item.end));
}

function objectIn(text: string, name = 'operation'): string {
  const found = findObject(bytes(text), [name]);
  return found.ok
    ? text.slice(found.value.start, found.value.end)
    : `${found.fault}: ${found.reason}`;
}

describe('the items of a list', () => {
  test.each([
    '[1,2]',
    ' [ 1 , 2 ] ',
    '{"data":[1,2]}',
    '{"items":[1,2],"total":2}',
    '{"success":true,"entries":[1,2]}',
    '{"operations":[1,2],"limit":50}',
    '{"ledger":[1,2]}',
    '{"results":[1,2]}',
    '{"data":{"items":[1,2],"total":2}}',
    '{"data":{"data":[1,2]}}',
    '{"\\u0064ata":[1,2]}',
  ])('are found in %s', (text) => {
    expect(itemsIn(text)).toEqual(['1', '2']);
  });

  test('keep their own bytes, whatever their strings hold', () => {
    const items = ['{"a":"]},{\\"\\\\"}', '[{"b":[[]]}]', '"x\\\\"', '-1.50e3', 'null', '{}'];
    expect(itemsIn(`{"data":[${items.join(' ,\n')}]}`)).toEqual(items);
  });

  test('are found where the settings say, and only there', () => {
    expect(itemsIn('{"page":{"content":[1]},"data":[2]}', 'page.content')).toEqual(['1']);
    expect(itemsIn('{"data":[1]}', 'content')).toBe("unknown: it has no field 'content'");
    expect(itemsIn('{"content":{}}', 'content')).toBe(
      "unknown: its field 'content' does not hold a list",
    );
    expect(itemsIn('[1]', 'content')).toBe("unknown: it has no field 'content'");
  });

  test.each([
    ['{}', 'unknown: no list in it: its fields are none'],
    ['{"stuff":[1]}', "unknown: no list in it: its fields are 'stuff'"],
    ['{"data":null}', "unknown: no list in it: its fields are 'data'"],
    ['{"data":[1],"items":[2]}', "unknown: the list could be in 'data', 'items'"],
    [
      '{"data":{"items":[1]},"operations":[2]}',
      "unknown: the list could be in 'operations', 'items'",
    ],
    ['"data"', 'unknown: the body is neither a JSON array nor an object'],
    ['null', 'unknown: the body is neither a JSON array nor an object'],
  ])('are not looked for in %s', (text, why) => {
    expect(itemsIn(text)).toBe(why);
  });

  test.each([
    '',
    ' ',
    '[1,2',
    '[1,,2]',
    '[1,]',
    '[1 2]',
    '[1]]',
    '[1]{}',
    '{"data":[1}',
    '{"data" [1]}',
    '{"data":[1],}',
    '{data:[1]}',
    '{"data":[1],"data":[1]}',
    '{"data":["a]}',
    '\ufeff[1]',
    '<html>[1]</html>',
  ])('are not guessed in %j', (text) => {
    expect(itemsIn(text)).toMatch(/^(cut|unknown): /);
  });

  test('are never found in a body that is cut off, wherever it is cut', () => {
    const whole = '{"success":true,"data":{"items":[{"a":"x\\"]"},[2],"]"],"total":3}}';
    for (let length = 0; length < whole.length; length += 1) {
      expect(itemsIn(whole.slice(0, length)), whole.slice(0, length)).toMatch(/^(cut|unknown): /);
    }
    expect(itemsIn(whole)).toHaveLength(3);
  });
});

describe('the object of a single answer', () => {
  test.each([
    '{"reference":"r"}',
    '{"operation":{"reference":"r"}}',
    '{"data":{"reference":"r"}}',
    '{"data":{"operation":{"reference":"r"}}}',
    '{"success":true,"data":{"reference":"r"}}',
  ])('is found in %s', (text) => {
    expect(objectIn(text)).toBe('{"reference":"r"}');
  });

  test('is not chosen from two', () => {
    expect(objectIn('{"data":{"reference":"a"},"result":{"reference":"b"}}')).toMatch(/^unknown: /);
    expect(objectIn('[{"reference":"a"}]')).toMatch(/^unknown: /);
    expect(objectIn('{"operation":{}')).toMatch(/^cut: /);
  });
});

describe('over the wire', () => {
  let service: HttpService;
  beforeEach(async () => {
    service = await startHttpService({ M001: makeHttpBooks('M001', 25) });
  });
  afterEach(() => service.close());

  test('bare lists and wrapped objects are read as well', async () => {
    service.wrap = (items) => items;
    service.wrapOne = (object, name) => ({ success: true, data: { [name]: object } });
    const read = await readBooks(openSource(service), 'M001');
    expect(read.entries).toHaveLength(25);
    expect(read.operations).toHaveLength(25);
    expect(read.closing.wallet?.balance).toBe(25_000);
  });

  test('wallet and ledger are read where the settings say, for their paths are not shown', async () => {
    const { wallet, ledger } = service.books.M001!;
    service.before = ({ path, query }) => {
      const offset = Number(query.get('offset'));
      if (path === '/purse') return { do: 'answer', status: 200, body: JSON.stringify(wallet) };
      if (path === '/lines')
        return { do: 'answer', status: 200, body: JSON.stringify({ data: ledger.slice(offset) }) };
      return path === '/wallet' || path === '/ledger'
        ? { do: 'error', status: 404, code: 'NOT_FOUND' }
        : null;
    };
    const paths = { ...HTTP_DEFAULTS.paths, wallet: '/purse', ledger: '/lines' };
    const read = await readBooks(openSource(service, { paths }), 'M001');
    expect([read.entries.length, read.closing.wallet?.balance]).toEqual([25, 25_000]);
  });

  test('an envelope that was set is the only one looked into', async () => {
    service.wrap = (items) => ({ page: { content: items }, data: [] });
    const read = await readBooks(openSource(service, { envelope: 'page.content' }), 'M001');
    expect(read.entries).toHaveLength(25);
  });

  test('a number that a double cannot hold is refused with its own digits', async () => {
    const line = JSON.stringify(service.books.M001!.ledger[11]).replace(
      '"amount":1000',
      '"amount":9007199254740993',
    );
    service.before = (request) => {
      if (request.path !== '/ledger') return null;
      const offset = Number(request.query.get('offset'));
      const items = service.books.M001!.ledger.map((one, index) =>
        index === 11 ? line : JSON.stringify(one),
      );
      return {
        do: 'answer',
        status: 200,
        body: `{"data":[${items.slice(offset, offset + 200).join(',')}]}`,
      };
    };
    const read = await readBooks(openSource(service), 'M001');
    expect(read.entries).toHaveLength(24);
    expect(read.rejected).toHaveLength(1);
    expect(read.rejected[0]).toMatchObject({
      part: 'ledger',
      sequence: 12,
      place: 'GET /ledger sequence 12',
    });
    expect(read.rejected[0]!.raw).toContain('9007199254740993');
    expect(read.rejected[0]!.reason).toContain('9007199254740993');
  });

  test('bad UTF-8 in one item costs that item alone', async () => {
    const items = service.books.M001!.ledger.map((one) => Buffer.from(JSON.stringify(one)));
    items[3] = Buffer.concat([
      Buffer.from('{"sequence":4,"id":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}'),
    ]);
    service.before = (request) => {
      if (request.path !== '/ledger') return null;
      const page = items.slice(Number(request.query.get('offset')));
      const joined = page.flatMap((item, index) =>
        index === 0 ? [item] : [Buffer.from(','), item],
      );
      return {
        do: 'answer',
        status: 200,
        body: Buffer.concat([Buffer.from('['), ...joined, Buffer.from(']')]),
      };
    };
    const read = await readBooks(openSource(service), 'M001');
    expect(read.entries).toHaveLength(24);
    expect(read.rejected).toEqual([
      expect.objectContaining({ sequence: 4, reason: 'the bytes are not valid UTF-8' }),
    ]);
  });

  test('a profile or a wallet that cannot be read is refused by its place, and the rest is read', async () => {
    service.books.M001!.profile = { ...service.books.M001!.profile, status: 'ASLEEP' };
    service.books.M001!.wallet = { ...service.books.M001!.wallet, balance: 1.5 };
    const source = openSource(service);
    const snapshot = await source.open('M001', null);
    expect(snapshot.profiles).toEqual([]);
    expect(snapshot.rejected).toEqual([
      expect.objectContaining({ part: 'merchant', place: 'GET /merchants/me' }),
    ]);
    const read = await readBooks(source, 'M001');
    expect(read.closing.wallet).toBeNull();
    expect(read.closing.rejected).toEqual([
      expect.objectContaining({ part: 'wallet', place: 'GET /wallet' }),
    ]);
    expect(read.entries).toHaveLength(25);
  });
});
