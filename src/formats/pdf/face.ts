// A font as rows are drawn with: text to glyphs, measured and cut to a width, each glyph looked up once. Text from outside
// passes here and nowhere else: what cannot be printed becomes a visible sign, so nothing in it steers the page.

import type { PdfFont } from './pdfkit-inside.ts';
import type { Face, TextRun } from './pen.ts';

interface Glyph {
  readonly code: string;
  readonly width: number;
}

const NO_GLYPH: Glyph = { code: '', width: 0 };
const REPLACEMENT = 0xfffd;
/** Scripts that are written from right to left, or whose letters join: the font's own shaping is asked for them. */
const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]+(?:\s+[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]+)*/gu;
const MAY_NEED_SHAPING = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe]/;
/** No cell and no paragraph shows more of one text. */
const MOST_CHARACTERS = 1_200;
/** Of a long ledger most texts come once: more would be kept for nothing, and cost what keeping costs. */
const MOST_REMEMBERED = 100;

export function openFace(font: PdfFont): Face {
  const glyphs = new Map<number, Glyph>();
  const runs = new Map<string, TextRun>();

  const glyphOf = (codePoint: number): Glyph => {
    const known = glyphs.get(codePoint);
    if (known !== undefined) return known;
    const glyph = findGlyph(font, codePoint);
    glyphs.set(codePoint, glyph);
    return glyph;
  };
  const ellipsis = glyphOf(0x2026);

  const shape = (text: string): TextRun => {
    const known = runs.get(text);
    if (known !== undefined) return known;
    const clean = prepare(text);
    const run = MAY_NEED_SHAPING.test(clean) ? shapeMixed(font, clean, glyphOf) : shapePlain(clean, glyphOf);
    if (runs.size >= MOST_REMEMBERED) runs.clear();
    runs.set(text, run);
    return run;
  };

  const cut: Face['cut'] = (text, { size, width }) => {
    const room = (width * 1_000) / size;
    const clean = prepare(text);
    if (!MAY_NEED_SHAPING.test(clean)) return shapePlain(clean, glyphOf, { room, ellipsis });
    const characters = [...clean];
    let run = shape(clean);
    while (run.width > room && characters.length > 0) {
      characters.length = Math.min(characters.length - 1, Math.floor((characters.length * room) / run.width));
      run = shapeMixed(font, `${characters.join('')}…`, glyphOf);
    }
    return run;
  };

  const wrap: Face['wrap'] = (text, { size, width, mostLines }) => {
    const lines = breakLines(prepare(text), (piece) => (shape(piece).width * size) / 1_000 <= width);
    const kept = lines.slice(0, mostLines);
    if (lines.length > mostLines) kept.push(`${kept.pop()!}…`);
    return kept.map((line) => cut(line, { size, width }));
  };

  return { font, shape, cut, wrap };
}

/** Composed, on one line, and not longer than anything we show. */
function prepare(text: string): string {
  const start =
    text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS).replace(/[\ud800-\udbff]$/, '')}…` : text;
  return start.normalize('NFC');
}

function findGlyph(font: PdfFont, codePoint: number): Glyph {
  const shown = shownAs(codePoint);
  if (shown === null) return NO_GLYPH;
  const sign = [shown, REPLACEMENT, 0x3f].find((one) => font.font.hasGlyphForCodePoint(one));
  if (sign === undefined) return NO_GLYPH;
  const [codes, places] = font.encode(String.fromCodePoint(sign));
  return { code: codes.join(''), width: places.reduce((sum, place) => sum + place.xAdvance, 0) };
}

/** What stands on the page for a character; null for those that only steer how others are shown. */
function shownAs(codePoint: number): number | null {
  if (codePoint === 0x9 || codePoint === 0xa || codePoint === 0xd || codePoint === 0x2028 || codePoint === 0x2029) {
    return 0x20;
  }
  if (codePoint < 0x20) return 0x2400 + codePoint;
  if (codePoint === 0x7f) return 0x2421;
  if ((codePoint >= 0x80 && codePoint < 0xa0) || (codePoint >= 0xd800 && codePoint <= 0xdfff)) return REPLACEMENT;
  const isSkinTone = codePoint >= 0x1f3fb && codePoint <= 0x1f3ff;
  if (isSkinTone || /^[\p{Cf}\p{Variation_Selector}]$/u.test(String.fromCodePoint(codePoint))) return null;
  return codePoint;
}

function shapePlain(
  text: string,
  glyphOf: (codePoint: number) => Glyph,
  limit: { readonly room: number; readonly ellipsis: Glyph } | null = null,
): TextRun {
  let codes = '';
  let width = 0;
  let lastFitting = { codes: '', width: 0 };
  for (const character of text) {
    const glyph = glyphOf(character.codePointAt(0)!);
    codes += glyph.code;
    width += glyph.width;
    if (limit === null) continue;
    if (width + limit.ellipsis.width <= limit.room) lastFitting = { codes, width };
    if (width > limit.room) {
      return {
        operator: `<${lastFitting.codes}${limit.ellipsis.code}> Tj`,
        width: lastFitting.width + limit.ellipsis.width,
      };
    }
  }
  return { operator: `<${codes}> Tj`, width };
}

function shapeMixed(font: PdfFont, text: string, glyphOf: (codePoint: number) => Glyph): TextRun {
  const pieces: string[] = [];
  let width = 0;
  let from = 0;
  const addPlain = (piece: string) => {
    if (piece === '') return;
    const run = shapePlain(piece, glyphOf);
    pieces.push(run.operator.slice(0, -3));
    width += run.width;
  };
  for (const match of text.matchAll(RIGHT_TO_LEFT)) {
    addPlain(text.slice(from, match.index));
    from = match.index + match[0].length;
    if (![...match[0]].every((one) => font.font.hasGlyphForCodePoint(one.codePointAt(0)!))) {
      addPlain(match[0]);
      continue;
    }
    const [codes, places] = font.encode(match[0]);
    codes.forEach((code, i) => {
      const { xAdvance, advanceWidth } = places[i]!;
      pieces.push(`<${code}>`);
      if (xAdvance !== advanceWidth) pieces.push((advanceWidth - xAdvance).toFixed(2));
      width += xAdvance;
    });
  }
  addPlain(text.slice(from));
  return { operator: `[${pieces.join(' ')}] TJ`, width };
}

function breakLines(text: string, fits: (piece: string) => boolean): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/[ \t\n\r\u2028\u2029]+/)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (fits(longer)) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = word;
    while (!fits(line)) {
      const head = longestStart(line, fits);
      lines.push(head);
      line = line.slice(head.length);
    }
  }
  lines.push(line);
  return lines;
}

/** At least one character, so that breaking always ends. */
function longestStart(word: string, fits: (piece: string) => boolean): string {
  const characters = [...word];
  let [fitting, beyond] = [1, characters.length];
  while (beyond - fitting > 1) {
    const middle = Math.floor((fitting + beyond) / 2);
    if (fits(characters.slice(0, middle).join(''))) fitting = middle;
    else beyond = middle;
  }
  return characters.slice(0, fitting).join('');
}
