import { describe, expect, test } from 'vitest';
import type { BookPart } from '../../../../src/core/domain/snapshot.ts';
import { rejectRow } from '../../../../src/io/sources/decode/decode-row.ts';

const reject = (part: BookPart, raw: string | Uint8Array, value?: unknown) =>
  rejectRow({
    part,
    place: 'ledger.jsonl:17',
    refused: { reason: 'why', refusal: { code: 'NOT_UTF8' } },
    raw,
    value,
  });

describe('a rejected row', () => {
  test('keeps its part, place, reason and raw text', () => {
    expect(reject('ledger', 'garbage')).toEqual({
      part: 'ledger',
      place: 'ledger.jsonl:17',
      reason: 'why',
      refusal: { code: 'NOT_UTF8' },
      sequence: null,
      reference: null,
      raw: 'garbage',
    });
  });

  test('caps its raw text at 2,000 characters without leaving half a character, and holds no U+0000', () => {
    const raw = reject('ledger', `${'x'.repeat(1_999)}😀tail`).raw;
    expect(raw).toHaveLength(2_000);
    expect(raw.isWellFormed()).toBe(true);
    expect(reject('ledger', new Uint8Array([0x61, 0x00, 0xff])).raw).toBe('a\ufffd\ufffd');
  });

  test('salvages sequence and reference from a parsed row when each is sound by itself', () => {
    const value = { sequence: 12, operationReference: 'GUI-CI-1', amount: 'x' };
    expect(reject('ledger', '', value)).toMatchObject({ sequence: 12, reference: 'GUI-CI-1' });
    expect(reject('ledger', '', { sequence: 1.5, operationReference: 7 })).toMatchObject({
      sequence: null,
      reference: null,
    });
    expect(reject('operations', '', { reference: 'GUI-CO-9', sequence: 4 })).toMatchObject({
      sequence: null,
      reference: 'GUI-CO-9',
    });
    expect(reject('ledger', '', { sequence: '12', operationReference: '' })).toMatchObject({
      sequence: null,
      reference: null,
    });
    expect(reject('ledger', '', [])).toMatchObject({ sequence: null, reference: null });
  });

  test('salvages them from broken text where they stand once, whole and at the top', () => {
    const cut = '{"id":"a","sequence": 812,"operationReference":"GUI-CI-1","amount":1';
    expect(reject('ledger', cut)).toMatchObject({ sequence: 812, reference: 'GUI-CI-1' });
    expect(reject('ledger', '{"amount":1,"amount":2,"sequence":5}').sequence).toBe(5);
    for (const text of [
      '{"sequence":81',
      '{"sequence":5,"sequence":6}',
      '{"metadata":{"sequence":5},"amount":',
      '{"description":"\\"sequence\\":5,","amount":',
      '{"sequence":12.5}',
      '{"sequence":9007199254740993}',
      '{"sequence":"5"}',
      '{"sequence":05}',
      '"sequence":5,',
    ]) {
      expect(reject('ledger', text).sequence, text).toBe(null);
    }
    expect(reject('operations', '{"reference":"GUI\\u002d1","x"').reference).toBe(null);
    expect(
      reject(
        'operations',
        new Uint8Array([...new TextEncoder().encode('{"reference":"'), 0xff, 0x22, 0x7d]),
      ).reference,
    ).toBe(null);
  });

  test('takes time in proportion to the length of the row', () => {
    const started = performance.now();
    reject('ledger', '{"a":"'.repeat(200_000));
    reject('ledger', '{"sequence"'.repeat(100_000));
    reject('ledger', `{"sequence":${'['.repeat(1_000_000)}`);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
