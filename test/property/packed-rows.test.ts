// Rows of the mirror that a second thread packs are, unpacked, what one thread reads: whatever their texts are, wherever
// a piece of what was received ends, and however full a slab is.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hashText } from '../../src/domain/text-hash.ts';
import { beginSlab, createPacker, hasRoom, type Packer } from '../../src/packed/pack.ts';
import { createEntryUnpacker, ENTRY_FORM, idHashOf, unpackEntry } from '../../src/packed/packed-entry.ts';
import { createOperationUnpacker, unpackOperation } from '../../src/packed/packed-operation.ts';
import { allocateSlab, LONGEST_PACKED, openSlab, SLAB_ROWS } from '../../src/packed/slab.ts';
import { joinTexts, openTexts } from '../../src/packed/unpack.ts';
import { numberField, textField } from '../../src/storage/copy-text.ts';
import { entryDecoder, packEntryRow } from '../../src/storage/entry-rows.ts';
import { operationReader, packVersionRow, VERSION_FORM } from '../../src/storage/operation-rows.ts';

/** Texts that end, begin or look like something else, and texts that neighbours share. */
const texts = fc.oneof(
  fc.constantFrom('', 'a', 'XOF', 'GUI-CI-000001', 'CASHIN_CREDIT', 'CASHIN_FEE', '\\N', '\t', 'é', 'x'.repeat(3_000)),
  fc.string({ unit: 'binary', maxLength: 40 }).filter((text) => !text.includes('\0') && text.isWellFormed()),
  fc.string({ unit: 'grapheme-ascii', maxLength: 40 }),
);
const nullable = fc.option(texts);
const numbers = fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
const nullableNumbers = fc.option(numbers);

/** Each row between the five bytes before it and the line feed after it, in one piece; `spare`: more bytes follow. */
function spanOf(rows: readonly string[], spare: number) {
  const parts = rows.map((row) => Buffer.from(`12345${row}\n`));
  const bytes = Buffer.concat([...parts, Buffer.alloc(spare)]);
  let at = 0;
  const places = parts.map(({ length }) => {
    const place = { start: at + 5, end: at + length - 1 };
    at += length;
    return place;
  });
  return { span: { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length) }, places };
}

const entryRows = fc.array(
  fc
    .tuple(
      fc.tuple(numbers, numbers, numbers, numbers, numbers),
      fc.array(texts, { minLength: 4, maxLength: 4 }),
      nullable,
      nullable,
    )
    .map(([figures, named, reference, description]) =>
      [...figures, ...named.map(textField), textField(reference), textField(description)].join('\t'),
    ),
  { minLength: 1, maxLength: 50 },
);

const versionRows = fc.array(
  fc
    .tuple(
      fc.tuple(numbers, numbers, numbers, numbers, numbers),
      fc.tuple(nullableNumbers, nullableNumbers),
      fc.tuple(fc.boolean(), fc.boolean()),
      fc.array(texts, { minLength: 6, maxLength: 6 }),
      fc.tuple(nullable, nullable, nullable),
    )
    .map(([figures, instants, [action, moved], named, others]) => {
      const flag = (value: boolean) => (value ? 't' : 'f');
      const head = [...figures, ...instants.map(numberField), flag(action)];
      return [...head, ...named.map(textField), ...others.map(textField), flag(moved)].join('\t');
    }),
  { minLength: 1, maxLength: 50 },
);

describe('a row of the mirror, packed and unpacked', () => {
  test('is the line that is read of it, and knows the hash of its id', () => {
    fc.assert(
      fc.property(entryRows, fc.integer({ min: 0, max: 9 }), (rows, spare) => {
        const { span, places } = spanOf(rows, spare);
        const slab = openSlab(allocateSlab(ENTRY_FORM));
        const packer = createPacker(ENTRY_FORM, slab);
        for (const { start, end } of places) packEntryRow(packer, span, start, end);
        const unpacker = createEntryUnpacker(slab);
        const decode = entryDecoder();
        places.forEach(({ start, end }, row) => {
          joinTexts(unpacker, row, places.length);
          const entry = unpackEntry(unpacker, row);
          expect(entry).toEqual(decode(span.bytes, start, end));
          const hash = idHashOf(unpacker, row);
          if (!Number.isNaN(hash)) expect(hash).toBe(hashText(entry.id));
        });
      }),
      { numRuns: 300 },
    );
  });

  test('is the operation that is read of it', () => {
    fc.assert(
      fc.property(versionRows, fc.integer({ min: 0, max: 9 }), (rows, spare) => {
        const { span, places } = spanOf(rows, spare);
        const slab = openSlab(allocateSlab(VERSION_FORM));
        const packer = createPacker(VERSION_FORM, slab);
        for (const { start, end } of places) packVersionRow(packer, span, start, end);
        const unpacker = createOperationUnpacker(slab, VERSION_FORM);
        const read = operationReader();
        places.forEach(({ start, end }, row) => {
          joinTexts(unpacker, row, places.length);
          expect(unpackOperation(unpacker, row)).toEqual(read(span.bytes, { at: start }, end));
        });
      }),
      { numRuns: 300 },
    );
  });
});

describe('a slab', () => {
  const fill = (packer: Packer, row: (n: number) => string): readonly string[] => {
    const packed: string[] = [];
    for (let n = 0; ; n += 1) {
      const text = row(n);
      const { span, places } = spanOf([text], 0);
      if (!hasRoom(packer, text.length)) return packed;
      packEntryRow(packer, span, places[0]!.start, places[0]!.end);
      packed.push(text);
    }
  };
  const idOf = (row: string) => row.split('\t')[8];
  const rowOf = (id: string, description: string) => ['1\t2\t3\t4\t5\tK\tD\tXOF', id, '\\N', description].join('\t');

  test.each([
    ['its rows', SLAB_ROWS, (n: number) => rowOf(`${n}`, '\\N')],
    [
      'its bytes',
      Math.floor(LONGEST_PACKED / 100_000) - 1,
      (n: number) => rowOf(`${n}`, `${n}`.padStart(100_000, 'x')),
    ],
  ])('is full of %s, keeps them all, and may be filled again', (_, least, row) => {
    const slab = openSlab(allocateSlab(ENTRY_FORM));
    const packer = createPacker(ENTRY_FORM, slab);
    const unpacker = createEntryUnpacker(slab);
    for (let round = 0; round < 2; round += 1) {
      const packed = fill(packer, (n) => row(n + round * 1_000_000));
      expect(packed.length).toBeGreaterThanOrEqual(least);
      openTexts(unpacker, slab);
      packed.forEach((text, n) => {
        joinTexts(unpacker, n, packed.length);
        expect(unpackEntry(unpacker, n).id).toBe(idOf(text));
      });
      beginSlab(packer, slab);
    }
  });
});
