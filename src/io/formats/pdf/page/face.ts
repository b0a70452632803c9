// Text to glyphs of a font, measured and cut to a width; each glyph is looked up once. All text
// from outside passes here: characters that cannot be printed become a visible sign, but for
// pictures, so that none of them steers the page.

import { valueIn } from '../../../../core/domain/value-in.ts';
import { flat, typeset } from '../../port/one-line.ts';
import { codeText } from './glyph-codes.ts';
import type { PdfFont } from './pdfkit-inside.ts';
import type { Face, TextRun } from './pen.ts';

interface Glyph {
  readonly code: string;
  readonly width: number;
}

const NO_GLYPH: Glyph = { code: '', width: 0 };
const REPLACEMENT = 0xfffd;
/**
 * Letters that are written from right to left, with the signs that join them: the font's own
 * shaping does whole words of them.
 */
const SCRIPTS = String.raw`[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]`;
/** Digits are written from left to right among such words too, but for those of N'Ko. */
const DIGIT = String.raw`[\p{Nd}--\p{Script=Nko}]`;
const WORD = String.raw`[${SCRIPTS}--[${DIGIT}\p{Cf}]][[${SCRIPTS}\p{M}]--[${DIGIT}\p{Cf}]]*`;
const NUMBER = String.raw`${DIGIT}+(?:[.,:\/\u066b\u066c\u00a0\u202f]${DIGIT}+)*`;
/**
 * From the first of such words to the last, with all between them but other letters, a bracket that
 * was opened among them, and the sign of what was cut off.
 */
const RIGHT_TO_LEFT = new RegExp(
  String.raw`${WORD}(?:[^\p{L}]*${WORD})*(?:(?<=${WORD}[^\p{L}\(\)]*\([^\(\)]*)\))?…?`,
  'gv',
);
const WHOLE_WORD = new RegExp(`^${WORD}$`, 'v');
const TOKEN = new RegExp(`${WORD}|${NUMBER}|.`, 'gsv');
const BRACKETS = '()[]{}<>«»';
const mirrored = (sign: string): string => BRACKETS[BRACKETS.indexOf(sign) ^ 1] ?? sign;
const MAY_NEED_SHAPING = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe]/;
/** No cell and no paragraph shows more of one text. */
const MOST_CHARACTERS = 1_200;

export function openFace(font: PdfFont): Face {
  const glyphs = new Map<number, Glyph>();
  const plain = openPlainGlyphs(font);

  const glyphOf = (codePoint: number): Glyph =>
    valueIn(glyphs, codePoint, () => findGlyph(font, codePoint));

  const shape = (straight: string): TextRun => {
    const text = typeset(straight);
    const width = plain.widthOf(text);
    if (width !== null) return { text, width, operator: null };
    const clean = prepare(text);
    return MAY_NEED_SHAPING.test(clean)
      ? shapeMixed(font, clean, glyphOf)
      : shapePlain(clean, glyphOf);
  };

  const cut: Face['cut'] = (straight, { size, width }) => {
    const text = typeset(straight);
    const room = (width * 1_000) / size;
    const own = plain.widthOf(text);
    if (own !== null)
      return own <= room ? { text, width: own, operator: null } : plain.cut(text, room);
    const clean = prepare(text);
    const whole = shape(clean);
    if (whole.width <= room) return whole;
    const characters = [...clean];
    const shortened = (length: number): TextRun =>
      shape(`${characters.slice(0, length).join('')}…`);
    return shortened(mostOf(characters.length, (length) => shortened(length).width <= room));
  };

  const wrap: Face['wrap'] = (text, { size, width, mostLines }) => {
    const lines = breakLines(
      prepare(text),
      (piece) => (shape(piece).width * size) / 1_000 <= width,
    );
    const kept = lines.slice(0, mostLines);
    if (lines.length > mostLines) kept.push(`${kept.pop()!}…`);
    return kept.map((line) => cut(line, { size, width }));
  };

  return { font, glyphs: plain.glyphs, shape, cut, wrap };
}

/** Letters, figures and signs below this one are looked up in a table, most texts whole. */
const FIRST_BEYOND = 0x2300;
const UNKNOWN = -1;
const NOT_PLAIN = -2;

/** Glyphs of the characters that are shown as themselves, whatever their neighbours. */
function openPlainGlyphs(font: PdfFont): {
  readonly glyphs: Uint16Array;
  widthOf(text: string): number | null;
  cut(text: string, room: number): TextRun;
} {
  const glyphs = new Uint16Array(FIRST_BEYOND);
  const widths = new Float64Array(FIRST_BEYOND).fill(UNKNOWN);
  const lookUp = (unit: number): number => {
    const character = String.fromCharCode(unit);
    // From U+0300 on there are signs that join the letter before them.
    const isPlain =
      (unit < 0x300 || unit >= 0x2010) &&
      shownAs(unit) === unit &&
      character.normalize('NFC') === character;
    if (!isPlain || !font.font.hasGlyphForCodePoint(unit)) return NOT_PLAIN;
    const [[code], [place]] = font.encode(character);
    glyphs[unit] = Number.parseInt(code!, 16);
    return place!.xAdvance;
  };
  const widthOfUnit = (unit: number): number => {
    const known = widths[unit]!;
    if (known !== UNKNOWN) return known;
    const found = lookUp(unit);
    widths[unit] = found;
    return found;
  };
  const ellipsis = widthOfUnit(0x2026);
  return {
    glyphs,
    widthOf: (text) => {
      if (text.length > MOST_CHARACTERS) return null;
      let width = 0;
      for (let i = 0; i < text.length; i++) {
        const unit = text.charCodeAt(i);
        const own = unit < FIRST_BEYOND ? widthOfUnit(unit) : NOT_PLAIN;
        if (own < 0) return null;
        width += own;
      }
      return width;
    },
    cut: (text, room) => {
      let width = ellipsis;
      let end = 0;
      for (; end < text.length; end++) {
        const own = widthOfUnit(text.charCodeAt(end));
        if (width + own > room) break;
        width += own;
      }
      return { text: `${text.slice(0, end)}…`, width, operator: null };
    },
  };
}

/** Composed, on one line, and not longer than anything we show. */
function prepare(text: string): string {
  const start =
    text.length > MOST_CHARACTERS
      ? `${text.slice(0, MOST_CHARACTERS).replace(/[\ud800-\udbff]$/, '')}…`
      : text;
  return start.normalize('NFC');
}

function findGlyph(font: PdfFont, codePoint: number): Glyph {
  const shown = shownAs(codePoint);
  const isPicture = PICTURE.test(String.fromCodePoint(codePoint));
  if (shown === null || (isPicture && !font.font.hasGlyphForCodePoint(shown))) return NO_GLYPH;
  const sign = [shown, REPLACEMENT, 0x3f].find((one) => font.font.hasGlyphForCodePoint(one));
  if (sign === undefined) return NO_GLYPH;
  const [codes, places] = font.encode(String.fromCodePoint(sign));
  return {
    code: codes.map(stringOf).join(''),
    width: places.reduce((sum, place) => sum + place.xAdvance, 0),
  };
}

/**
 * A picture that the font does not have says less as a sign that something is missing than it does
 * not being there.
 */
const PICTURE = /^[\p{Extended_Pictographic}\p{Regional_Indicator}]$/u;

const stringOf = (hexadecimal: string): string => codeText(Number.parseInt(hexadecimal, 16));

/**
 * The character that is printed for a character; null for those that only steer how others are
 * shown.
 */
function shownAs(codePoint: number): number | null {
  if (
    codePoint === 0x9 ||
    codePoint === 0xa ||
    codePoint === 0xd ||
    codePoint === 0x2028 ||
    codePoint === 0x2029
  ) {
    return 0x20;
  }
  if (codePoint < 0x20) return 0x2400 + codePoint;
  if (codePoint === 0x7f) return 0x2421;
  if ((codePoint >= 0x80 && codePoint < 0xa0) || (codePoint >= 0xd800 && codePoint <= 0xdfff))
    return REPLACEMENT;
  const isSkinTone = codePoint >= 0x1f3fb && codePoint <= 0x1f3ff;
  if (isSkinTone || /^[\p{Cf}\p{Variation_Selector}]$/u.test(String.fromCodePoint(codePoint)))
    return null;
  return codePoint;
}

function shapePlain(text: string, glyphOf: (codePoint: number) => Glyph): TextRun {
  let codes = '';
  let width = 0;
  for (const character of text) {
    const glyph = glyphOf(character.codePointAt(0)!);
    codes += glyph.code;
    width += glyph.width;
  }
  return { text, operator: `(${codes})Tj`, width };
}

function shapeMixed(font: PdfFont, text: string, glyphOf: (codePoint: number) => Glyph): TextRun {
  const pieces: string[] = [];
  let width = 0;
  let from = 0;
  const addPlain = (piece: string) => {
    if (piece === '') return;
    const run = shapePlain(piece, glyphOf);
    pieces.push(run.operator!.slice(0, -2));
    width += run.width;
  };
  const addShaped = (word: string) => {
    // With a list of features, even an empty one, pdfkit shapes the whole word as one.
    const [codes, places] = font.encode(word, []);
    codes.forEach((code, i) => {
      const { xAdvance, advanceWidth } = places[i]!;
      pieces.push(`(${stringOf(code)})`);
      if (xAdvance !== advanceWidth) pieces.push((advanceWidth - xAdvance).toFixed(2));
      width += xAdvance;
    });
  };
  for (const match of text.matchAll(RIGHT_TO_LEFT)) {
    addPlain(text.slice(from, match.index));
    from = match.index + match[0].length;
    const isNko = /\p{Script=Nko}/u.test(match[0]);
    if (isNko) pieces.push(`]TJ/Span<</ActualText<feff${utf16(flat(match[0]))}>>>BDC[`);
    // On the page the last word is the leftmost one.
    for (const token of match[0].match(TOKEN)!.reverse()) {
      const isWord = WHOLE_WORD.test(token);
      if (isWord && [...token].every((one) => font.font.hasGlyphForCodePoint(one.codePointAt(0)!)))
        addShaped(token);
      else addPlain(isWord ? [...token].reverse().join('') : mirrored(token));
    }
    // Programs that read the words off the page do not know N'Ko for a script that goes to the
    // left.
    if (isNko) pieces.push(']TJ EMC[');
  }
  addPlain(text.slice(from));
  return { text, operator: `[${pieces.join('')}]TJ`, width };
}

const utf16 = (text: string): string => Buffer.from(text, 'utf16le').swap16().toString('hex');

function breakLines(text: string, fits: (piece: string) => boolean): string[] {
  const lines: string[] = [];
  let line = '';
  // A sign that French sets apart stays with its word, as an opening quotation mark does.
  for (const word of text.split(/(?<!«)[ \t\n\r\u2028\u2029]+(?![:;?!»])/)) {
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
  const length = mostOf(characters.length, (count) => fits(characters.slice(0, count).join('')));
  return characters.slice(0, Math.max(1, length)).join('');
}

/**
 * The largest number below `beyond` that fits, 0 where none does. Expects all numbers above one
 * that does not fit not to fit.
 */
function mostOf(beyond: number, fits: (count: number) => boolean): number {
  let [fitting, tooMany] = [0, beyond];
  while (tooMany - fitting > 1) {
    const middle = Math.floor((fitting + tooMany) / 2);
    if (fits(middle)) fitting = middle;
    else tooMany = middle;
  }
  return fitting;
}
