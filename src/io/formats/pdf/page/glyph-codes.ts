// Names of an embedded font's glyphs on a page: the first of them, which are the most frequent,
// have one byte, the others two. Two tables in the file explain the codes to readers. Without them
// a long statement is a fifth larger.

/** Glyphs of one byte; the others have two, of which the first is not below it. */
const BY_ONE_BYTE = 0xe0;
const MOST = (0x100 - BY_ONE_BYTE) * 0x100;

/** Writes the code of a glyph inside a string, at most four bytes; returns where it ends. */
export function writeCode(bytes: Uint8Array, at: number, glyph: number): number {
  if (glyph < BY_ONE_BYTE) return writeByte(bytes, at, glyph);
  const beyond = glyph - BY_ONE_BYTE;
  return writeByte(bytes, writeByte(bytes, at, BY_ONE_BYTE + (beyond >> 8)), beyond & 0xff);
}

/** None of them ends the string, and none is read as another one: ( ) and \, and a return. */
function writeByte(bytes: Uint8Array, at: number, byte: number): number {
  if (byte !== 0x28 && byte !== 0x29 && byte !== 0x5c && byte !== 0x0d) {
    bytes[at] = byte;
    return at + 1;
  }
  bytes[at] = 0x5c;
  bytes[at + 1] = byte === 0x0d ? 0x72 : byte;
  return at + 2;
}

/** The same as text, each character a byte. */
export function codeText(glyph: number): string {
  const bytes = Buffer.alloc(4);
  return bytes.toString('latin1', 0, writeCode(bytes, 0, glyph));
}

export const ENCODING_NAME = 'Pointage-OneOrTwoBytes';

const SPACES = `2 begincodespacerange
<00> <${hexOf(BY_ONE_BYTE - 1, 2)}>
<${hexOf(BY_ONE_BYTE, 2)}00> <ffff>
endcodespacerange`;

/** From codes to the numbers of glyphs. */
export function encodingMap(): string {
  return mapOf({
    name: ENCODING_NAME,
    ordering: 'Identity',
    type: 1,
    body: `2 begincidrange
<00> <${hexOf(BY_ONE_BYTE - 1, 2)}> 0
<${hexOf(BY_ONE_BYTE, 2)}00> <ffff> ${BY_ONE_BYTE}
endcidrange`,
  });
}

/**
 * Written from right to left as one sign, two letters are read in the wrong order by some programs;
 * their one code point is not.
 */
const LIGATURES = ['\ufef5', '\ufef7', '\ufef9', '\ufefb'];

/**
 * From codes to the code points of each glyph, by its number. The first glyph, which no text shows,
 * is left out.
 */
export function unicodeMap(codePoints: readonly (readonly number[])[]): string {
  const texts = codePoints.map((points) => {
    const text = String.fromCodePoint(...points);
    const units = (LIGATURES.find((sign) => sign.normalize('NFKC') === text) ?? text).split('');
    return `<${units.map((unit) => hexOf(unit.charCodeAt(0), 4)).join('')}>`;
  });
  const ranges: string[] = [];
  const add = (from: number, first: string, size: number): void => {
    const own = texts.slice(from, from + size);
    if (own.length === 0) return;
    const last = hexOf(Number.parseInt(first, 16) + own.length - 1, first.length);
    ranges.push(`<${first}> <${last}> [${own.join(' ')}]`);
  };
  add(1, '01', BY_ONE_BYTE - 1);
  for (let from = 0; from < MOST; from += 0x100) {
    add(BY_ONE_BYTE + from, `${hexOf(BY_ONE_BYTE + (from >> 8), 2)}00`, 0x100);
  }
  return mapOf({
    name: 'Adobe-Identity-UCS',
    ordering: 'UCS',
    type: 2,
    body: `${ranges.length} beginbfrange\n${ranges.join('\n')}\nendbfrange`,
  });
}

function mapOf(
  map: Readonly<Record<'name' | 'ordering' | 'body', string> & Record<'type', number>>,
): string {
  return `/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo 3 dict dup begin
/Registry (Adobe) def
/Ordering (${map.ordering}) def
/Supplement 0 def
end def
/CMapName /${map.name} def
/CMapType ${map.type} def
/WMode 0 def
${SPACES}
${map.body}
endcmap
CMapName currentdict /CMap defineresource pop
end
end
`;
}

function hexOf(figure: number, digits: number): string {
  return figure.toString(16).padStart(digits, '0');
}
