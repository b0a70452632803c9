// The law of names, of the encoder alone: two texts that differ never have the same name, whatever
// the target folds, and a plain text is its own name.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  digitsOf,
  documentName,
  inFileName,
  keyIn,
  nameIn,
  safeFileName,
} from '../../src/core/domain/naming/names.ts';
import { statementName } from '../../src/core/domain/period.ts';
import { FEC_FILE, fecKey, sageKey, sagePiece } from '../../src/io/formats/text/keys.ts';
import { assertProperty } from '../support/assert-property.ts';
import { MEETING, meetingPairs, onDisk } from '../support/meeting-names.ts';

const upper = (text: string): string => text.toUpperCase();
const asIs = (text: string): string => text;
const ascii = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').trim();

/** For each target its encoder, the name that it takes a name for, and the form of a name. */
const TARGETS: Readonly<
  Record<string, readonly [(text: string) => string, (name: string) => string, RegExp]>
> = {
  'a file': [inFileName, onDisk, /^[\p{L}\p{N}_-]{1,96}$/u],
  'a key': [(text) => keyIn(22, ascii, text), asIs, /^[\x20-\x7e]{1,22}$/],
  'a long key': [
    (text) => keyIn(120, (one) => one.replace(/[^\w-]/g, '_'), text),
    asIs,
    /^[\w-]{1,120}$/,
  ],
  'the name of a FEC': [(text) => nameIn(FEC_FILE, text), upper, /^[A-Za-z0-9]{1,40}$/],
  'a cell of a FEC': [fecKey, asIs, /^[^\t\r\n]{1,200}$/],
  'an account of Sage': [sageKey, upper, /^[\x20-\x7e§°À-ÿ]{1,13}$/],
  'a piece of Sage': [sagePiece, upper, /^[\x20-\x7e§°À-ÿ]{1,13}$/],
};

describe.each(Object.entries(TARGETS))('%s', (_, [encode, fold, form]) => {
  test('keeps apart whatever differs, in its own form', () => {
    assertProperty(
      fc.property(meetingPairs, ([one, other]) => {
        expect(fold(encode(one))).not.toBe(fold(encode(other)));
        expect(encode(one)).toMatch(form);
        expect(encode(other)).toMatch(form);
      }),
      { runs: 400 },
    );
  });

  test('keeps apart all texts that are known to meet', () => {
    expect(new Set(MEETING.map((text) => fold(encode(text)))).size).toBe(MEETING.length);
  });

  test('leaves a plain one as it is', () => {
    for (const name of ['M001', 'X', 'A1B2C3', '411ORANGE']) expect(encode(name)).toBe(name);
  });
});

test.each(['a file', 'a key', 'a long key', 'a cell of a FEC'])(
  '%s: who is called as another one is written has a name of its own again',
  (target) => {
    const [encode, fold] = TARGETS[target]!;
    const written = MEETING.map(encode).filter(
      (name) => !(MEETING as readonly string[]).includes(name),
    );
    const all = [...MEETING, ...written].map((text) => fold(encode(text)));
    expect(written.length).toBeGreaterThan(3);
    expect(new Set(all).size).toBe(all.length);
  },
);

test('files keep the names that they had, where those were plain', () => {
  expect(statementName({ merchant: 'LIBRAIRIE_KORA-2', period: '2026-10' }, 1)).toBe(
    'RELEVE_LIBRAIRIE_KORA-2_2026-10_r1',
  );
  expect(documentName('KIT', 'ÉPICERIE', '2026')).toBe('KIT_ÉPICERIE_2026');
  expect(inFileName('shop.ci')).toBe('shop_ci--QLZIKMYE1L');
  expect(sagePiece('GUI-CI-PVT2AX00002')).toBe('CIPVT2AX00002');
});

test('a whole file keeps its name, and none leads out of its folder', () => {
  for (const name of [
    'RELEVE_M001_2026-10_r1.pdf',
    'RELEVE_ÉTÉ--0123456789_2026_r2.delta.odoo.csv',
  ])
    expect(safeFileName(name)).toBe(name);
  const paths = [
    '..',
    '.',
    '',
    '../../etc/passwd',
    '/etc/passwd',
    'a/b',
    'a\\b',
    '.hidden',
    'a\0b.pdf',
    'x'.repeat(500),
    'a b.csv',
  ];
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.stringMatching(/^[./a_\\]{0,12}$/),
    fc.constantFrom(...paths),
  );
  assertProperty(
    fc.property(text, text, (one, other) => {
      for (const name of [safeFileName(one), safeFileName(one, /[^\w.-]/g)])
        expect(name).toMatch(/^[\p{L}\p{N}_-][\p{L}\p{N}_.-]{0,199}$/u);
      expect(safeFileName(one) === safeFileName(other)).toBe(one === other);
    }),
    { runs: 400 },
  );
  expect(safeFileName('a b.delta.csv')).toMatch(/^a_b_--[0-9A-Z]{10}\.delta\.csv$/);
});

test('the digits of like texts have nothing in common', () => {
  const digits = Array.from({ length: 20_000 }, (_, i) => digitsOf(`CLIENT-2026-${i}`, 8));
  expect(new Set(digits).size).toBe(digits.length);
  const places = Array.from(
    { length: 8 },
    (_, place) => new Set(digits.map((one) => one[place])).size,
  );
  expect(places).toEqual(Array.from({ length: 8 }, () => 36));
});
