// Text as a PDF's rows draw it: it is measured, cut and broken so that nothing leaves its cell,
// whatever the text is.

import fc from 'fast-check';
import PDFDocument from 'pdfkit';
import { describe, expect, test } from 'vitest';
import { openFace } from '../../../src/io/formats/pdf/page/face.ts';
import { openBytes } from '../../../src/io/formats/pdf/page/layer.ts';
import { currentFont } from '../../../src/io/formats/pdf/page/pdfkit-inside.ts';
import type { TextRun } from '../../../src/io/formats/pdf/page/pen.ts';
import { assertProperty } from '../../support/assert-property.ts';
import { TEMPLATE } from '../../support/written-document.ts';

const pdf = new PDFDocument({ font: '', autoFirstPage: false, fontLayoutCache: false });
pdf.registerFont('regular', Buffer.from(TEMPLATE.fonts.regular)).font('regular');
const face = openFace(currentFont(pdf));
const SIZE = 7;

/** Returns the operators of a run, each character as a byte. */
function operatorsOf(run: TextRun): string {
  if (run.operator !== null) return run.operator;
  const bytes = openBytes();
  bytes.putGlyphs(run.text, face.glyphs);
  return `${Buffer.from(bytes.take()).toString('latin1')}Tj`;
}

/**
 * Matches a string that nothing within ends. What is shown has only such strings and distances; a
 * span may name its own text.
 */
const STRING = String.raw`\((?:[^()\\\r]|\\[()\\r])*\)`;
const SHOWN = String.raw`\[(${STRING}|-?[\d.]+)*\]TJ`;
const SPAN = String.raw`/Span<</ActualText<feff([\da-f]{4})+>>>BDC${SHOWN} EMC`;
const SHOWS_TEXT = new RegExp(`^(${STRING}Tj|${SHOWN}(${SPAN}${SHOWN})*)$`, 's');

const NASTY = [
  '\u0000',
  '\u202e',
  '\ud800',
  'مرحبا',
  'שלום',
  'ߒߞߏ',
  '🎉',
  '\u0301',
  '\u2028',
  '\t',
  '(',
  ')',
  '\\',
  '<',
  '>',
  'é',
  ' ',
  'W',
];
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.array(fc.constantFrom(...NASTY), { maxLength: 60 }).map((parts) => parts.join('')),
);

describe('text in a cell', () => {
  test('never is wider than its room, and never steers the page', () => {
    assertProperty(
      fc.property(texts, fc.integer({ min: 12, max: 200 }), (text, width) => {
        const run = face.cut(text, { size: SIZE, width });
        expect((run.width * SIZE) / 1_000).toBeLessThanOrEqual(width + 0.01);
        expect(operatorsOf(run)).toMatch(SHOWS_TEXT);
      }),
      { runs: 75 },
    );
  });

  test('is broken into lines that fit, no more than were asked for', () => {
    assertProperty(
      fc.property(
        texts,
        fc.integer({ min: 20, max: 200 }),
        fc.integer({ min: 1, max: 4 }),
        (text, width, mostLines) => {
          const runs = face.wrap(text, { size: SIZE, width, mostLines });
          expect(runs.length).toBeLessThanOrEqual(mostLines);
          for (const run of runs)
            expect((run.width * SIZE) / 1_000).toBeLessThanOrEqual(width + 0.01);
        },
      ),
      { runs: 50 },
    );
  });

  test('of 10,000 characters is cut without going through them all', () => {
    const long = 'très long '.repeat(1_000);
    const begun = performance.now();
    for (let i = 0; i < 200; i++) face.cut(`${i}${long}`, { size: SIZE, width: 90 });
    expect(performance.now() - begun).toBeLessThan(1_000);
    expect(face.wrap('W'.repeat(10_000), { size: SIZE, width: 90, mostLines: 3 }).length).toBe(3);
  });

  test('no line begins with a sign that French sets apart, nor ends with an opening quotation mark', () => {
    const text = 'Un solde dû : 12 ; est-ce juste ? Non ! Le libellé « corrigé » dit : « rien ».';
    for (let width = 40; width < 200; width += 1) {
      const lines = face.wrap(text, { size: SIZE, width, mostLines: 40 }).map((run) => run.text);
      expect(lines.join(' ')).toBe(text);
      expect(lines.filter((line) => /^[:;?!»]|«$/.test(line))).toEqual([]);
    }
  });

  test('keeps what fits as it is, and ends what does not with an ellipsis', () => {
    const whole = face.shape('Encaissement');
    expect(face.cut('Encaissement', { size: SIZE, width: (whole.width * SIZE) / 1_000 })).toEqual(
      whole,
    );
    const ellipsis = operatorsOf(face.shape('…')).slice(1);
    expect(
      operatorsOf(face.cut('Encaissement', { size: SIZE, width: 20 })).endsWith(ellipsis),
    ).toBe(true);
  });

  test('shows what has no glyph, and controls, as anomalies; pictures without one, directions and joiners as nothing', () => {
    const codes = (text: string) => operatorsOf(face.shape(text)).slice(1, -3);
    expect(codes('Merci 🎉🙏🏾 ☀')).toBe(codes('Merci  ☀'));
    expect(codes('\u{10330}')).toBe(codes('\ufffd'));
    expect(codes('\ud800')).toBe(codes('\ufffd'));
    expect(codes('\u0000')).toHaveLength(1);
    expect(codes('a\u202e\u200db\ufe0f')).toBe(codes('ab'));
    expect(codes('a\nb')).toBe(codes('a b'));
    expect(codes('e\u0301')).toBe(codes('é'));
  });

  test.each([
    ['מלך הנור', ['הנור', ' ', 'מלך']],
    ['מלך 1 250 הנור', ['הנור', ' ', '250', ' ', '1', ' ', 'מלך']],
    ['מלך 1\u202f250 הנור', ['הנור', ' ', '1\u202f250', ' ', 'מלך']],
    ['Chez מלך הנור, 24', ['Chez ', 'הנור', ' ', 'מלך', ', 24']],
    ['מלך (הנור)', ['(', 'הנור', ')', ' ', 'מלך']],
    ['(מלך) 24', ['(', 'מלך', ') 24']],
    ['ߒߞߏ ߛߓߍ', ['ߛߓߍ', ' ', 'ߒߞߏ']],
  ])(
    'draws %s from the last word that is written to the left, and numbers as they are',
    (text, parts) => {
      const drawn = (part: string) =>
        operatorsOf(face.shape(part)).match(new RegExp(STRING, 'gs'))!;
      const glyphs = (part: string) => drawn(part).map((one) => one.slice(1, -1));
      expect(glyphs(text).join('')).toBe(parts.flatMap(glyphs).join(''));
      const width = parts.reduce((sum, part) => sum + face.shape(part).width, 0);
      expect(face.shape(text).width).toBeCloseTo(width, 5);
    },
  );

  test('gives no sign that turns writing as the text of a span', () => {
    const shown = operatorsOf(face.shape('ߒߞߏ\u202e\u061c\n ߛߓߍ'));
    const actual = /ActualText<feff([\da-f]+)>/.exec(shown)![1]!;
    expect(Buffer.from(actual, 'hex').swap16().toString('utf16le')).toBe('ߒߞߏ  ߛߓߍ');
  });

  test('has digits of one width, and the sign between thousands', () => {
    const widths = [...'0123456789'].map((digit) => face.shape(digit).width);
    expect(new Set(widths).size).toBe(1);
    expect(currentFont(pdf).font.hasGlyphForCodePoint(0x202f)).toBe(true);
    expect(face.shape('\u202f').width).toBeLessThan(widths[0]! / 2);
  });
});
