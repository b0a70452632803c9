// A PDF file of objects, as PDF 1.5 and PDF/A-2 allow it: small objects are packed into compressed
// streams, and the table of their places is a stream too. Knows nothing of the objects' meaning but
// that one may hold a signature over the others; keeps at most a pack of them.

import { deflateSync } from 'node:zlib';
import { invariant } from '../../../../core/domain/invariant.ts';
import type { Signing } from '../../../seals/seal.ts';

/** Takes objects in the order in which they are ended, and writes the file. */
export interface ObjectFile {
  /** An object that is no stream: the text between `obj` and `endobj`. */
  add(id: number, text: string): void;
  /** `dictionary` has the length of `content` and the filter that it passed. */
  addStream(id: number, dictionary: string, content: Uint8Array): void;
  /**
   * `keys` of the trailer: the root, the identity of the file. Writes the last objects, the table,
   * and the end.
   */
  end(keys: string): void;
  /**
   * The same for a file with a signature: that object comes after all others, so that they can be
   * taken away before it is known.
   */
  endSigned(keys: string, signature: SignatureObject): void;
}

export interface SignatureObject {
  readonly id: number;
  /** The keys of its dictionary, without `ByteRange` and `Contents`. */
  readonly keys: string;
  /** The most bytes that the signature takes. */
  readonly room: number;
}

interface Parts {
  /** A number that no object has. */
  readonly newId: () => number;
  readonly write: (bytes: Uint8Array) => void;
  /** Signs the file; `null`: it is not signed. */
  readonly signing: Signing | null;
}

/** More would be unpacked for the sake of one, fewer compress less well. */
const MOST_IN_PACK = 500;

/**
 * Objects go together by their length, in rows of one width, so that each can be written as its
 * difference from the one above: cells of a table differ in a digit or two. Null: longer ones, as
 * they are.
 */
const ROW_WIDTHS = [48, 128, null] as const;
type RowWidth = (typeof ROW_WIDTHS)[number];

interface PackedObject {
  readonly id: number;
  readonly text: string;
}

/**
 * How objects are found: the offset of a stream, or the pack that an object is in and its place
 * there.
 */
type Place = readonly [kind: 0 | 1 | 2, where: number, index: number];

export function openObjectFile({ newId, write, signing }: Parts): ObjectFile {
  const places: Place[] = [NOWHERE];
  const packs = new Map<RowWidth, PackedObject[]>(ROW_WIDTHS.map((width) => [width, []]));
  let offset = 0;
  const put = (bytes: Uint8Array): void => {
    write(bytes);
    signing?.add(bytes);
    offset += bytes.length;
  };
  const addStream: ObjectFile['addStream'] = (id, dictionary, content) => {
    places[id] = [1, offset, 0];
    put(Buffer.from(`${id} 0 obj\n${dictionary}\nstream\n`, 'latin1'));
    put(content);
    put(Buffer.from('\nendstream\nendobj\n', 'latin1'));
  };
  const addPack = (width: RowWidth): void => {
    const pack = packs.get(width)!.sort((one, other) => one.id - other.id);
    packs.set(width, []);
    if (pack.length === 0) return;
    const id = newId();
    pack.forEach((object, index) => {
      places[object.id] = [2, id, index];
    });
    const { head, bytes } = packed(pack, width);
    const form = `/First ${head}/Length ${bytes.length}${filterOf(width)}`;
    addStream(id, `<</Type/ObjStm/N ${pack.length}${form}>>`, bytes);
  };
  put(HEADER);
  return {
    add: (id, dictionary) => {
      const tight = dictionary.replaceAll(/\n *(?=[/<>[\]])|(?<=[<[])\n */g, '');
      const text = tight.includes('(') ? tight : tight.replaceAll(/ (?=[/<[])/g, '');
      const width = ROW_WIDTHS.find((most) => most === null || text.length < most)!;
      const pack = packs.get(width)!;
      pack.push({ id, text });
      if (pack.length === MOST_IN_PACK) addPack(width);
    },
    addStream,
    end: (keys) => {
      for (const width of ROW_WIDTHS) addPack(width);
      put(tableAt(offset, { keys, id: newId(), places }));
    },
    endSigned: (keys, { id, keys: own, room }) => {
      invariant(signing !== null, 'a file that is signed was opened for it');
      for (const width of ROW_WIDTHS) addPack(width);
      places[id] = [1, offset, 0];
      // The offsets have a fixed width, because they count their own digits too.
      const head = (...range: readonly number[]): string =>
        `${id} 0 obj\n<<${own}/ByteRange[0 ${range.map(inTen).join(' ')}]/Contents`;
      const gap = offset + head(0, 0, 0).length;
      const after = gap + 2 * room + 2;
      const foot = '>>\nendobj\n';
      const table = tableAt(after + foot.length, { keys, id: newId(), places });
      const tail = Buffer.concat([Buffer.from(foot, 'latin1'), table]);
      put(Buffer.from(head(gap, after, tail.length), 'latin1'));
      signing.add(tail);
      const signature = Buffer.from(signing.sign()).toString('hex');
      invariant(signature.length <= 2 * room, 'a signature has room in its object');
      write(Buffer.from(`<${signature.padEnd(2 * room, '0')}>`, 'latin1'));
      write(tail);
    },
  };
}

const inTen = (offset: number): string => String(offset).padStart(10);

/** The table of places, for the offset at which it is to stand, and the end of the file. */
function tableAt(
  start: number,
  { keys, id, places }: { readonly keys: string; readonly id: number; readonly places: Place[] },
): Uint8Array {
  places[id] = [1, start, 0];
  const table = compressed(tableOf(places), TABLE_WIDTH);
  const form = `/Size ${id + 1}/W[${FIELDS.join(' ')}]/Length ${table.length}${filterOf(TABLE_WIDTH)}`;
  return Buffer.concat([
    Buffer.from(`${id} 0 obj\n<</Type/XRef${form}${keys}>>\nstream\n`, 'latin1'),
    table,
    Buffer.from(`\nendstream\nendobj\nstartxref\n${start}\n%%EOF\n`, 'latin1'),
  ]);
}

/** The second line shows programs that transfer the file that it is not text. */
const HEADER = Buffer.from('%PDF-1.7\n%\u00ff\u00ff\u00ff\u00ff\n', 'latin1');

/** `head`: bytes before the first object. */
function packed(
  pack: readonly PackedObject[],
  width: RowWidth,
): { readonly head: number; readonly bytes: Uint8Array } {
  const asRow = (text: string): string => (width === null ? `${text}\n` : text.padEnd(width));
  let at = 0;
  let heads = '';
  let rows = '';
  for (const { id, text } of pack) {
    heads += asRow(`${id} ${at}`);
    const row = asRow(text);
    rows += row;
    at += row.length;
  }
  return { head: heads.length, bytes: compressed(Buffer.from(heads + rows, 'latin1'), width) };
}

/** Rows as their differences from those above them, where there are rows. */
function compressed(bytes: Uint8Array, width: number | null): Uint8Array {
  return deflateSync(width === null ? bytes : differences(bytes, width), { level: 9 });
}

function filterOf(width: number | null): string {
  return width === null
    ? '/Filter/FlateDecode'
    : `/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns ${width}>>`;
}

function differences(bytes: Uint8Array, width: number): Uint8Array {
  const rows = new Uint8Array((bytes.length / width) * (width + 1));
  let to = 0;
  for (let from = 0; from < bytes.length; from += width) {
    rows[to++] = UP;
    for (let i = from; i < from + width; i++)
      rows[to++] = bytes[i]! - (i < width ? 0 : bytes[i - width]!);
  }
  return rows;
}

/** The sign before a row that is a difference from the one above it, as PNG has it. */
const UP = 2;

/** Bytes of the kind, of the offset or the pack's number, and of the place in a pack. */
const FIELDS = [1, 4, 2] as const;
const TABLE_WIDTH = 7;

/** One row for each number from 0 on. */
function tableOf(places: readonly Place[]): Uint8Array {
  const rows = Buffer.alloc(places.length * TABLE_WIDTH);
  places.forEach(([kind, where, index], id) => {
    const at = id * TABLE_WIDTH;
    rows[at] = kind;
    rows.writeUInt32BE(where, at + 1);
    rows.writeUInt16BE(index, at + 5);
  });
  return rows;
}

/** The place of the number 0, which no object has. */
const NOWHERE: Place = [0, 0, 0];
