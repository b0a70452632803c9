// Memory that two threads share: rows as one of them packs them and the other unpacks them. A row is so many numbers and
// so many words, most of which name a text; texts stand one after another, each once or as often as it came.

/** How much of a slab one row of a kind takes. A row has at most one text a word. */
export interface RowForm {
  readonly words: number;
  readonly numbers: number;
}

/** A slab as it goes from one thread to the other. */
export interface SharedSlab {
  readonly bytes: SharedArrayBuffer;
  readonly ends: SharedArrayBuffer;
  readonly words: SharedArrayBuffer;
  readonly numbers: SharedArrayBuffer;
}

/** A slab as a thread sees it. */
export interface Slab {
  readonly bytes: Buffer;
  readonly view: DataView;
  /** Text n ends at half of `ends[n + 1]` and begins where the one before ends; odd where it is not ASCII alone. */
  readonly ends: Int32Array;
  readonly words: Int32Array;
  readonly numbers: Float64Array;
}

/** In place of a text's number: the row has none. */
export const NO_TEXT = -1;

/** Most rows in one slab. Each handing over wakes a thread, which costs more than to read a thousand rows. */
export const SLAB_ROWS = 4_096;
export const SLAB_TEXTS = 4 * SLAB_ROWS;
/** Bytes that a slab has room for at least, whatever else is in it: nothing longer may be packed into one row. */
export const LONGEST_PACKED = 1_048_577;
/** So that the last text may be read four bytes at a time; pages that are never touched cost nothing. */
const SPARE = 8;

export function allocateSlab(form: RowForm): SharedSlab {
  return {
    bytes: new SharedArrayBuffer(LONGEST_PACKED + SPARE),
    ends: new SharedArrayBuffer(4 * (SLAB_TEXTS + 1)),
    words: new SharedArrayBuffer(4 * form.words * SLAB_ROWS),
    numbers: new SharedArrayBuffer(8 * form.numbers * SLAB_ROWS),
  };
}

export function openSlab(shared: SharedSlab): Slab {
  return {
    bytes: Buffer.from(shared.bytes),
    view: new DataView(shared.bytes),
    ends: new Int32Array(shared.ends),
    words: new Int32Array(shared.words),
    numbers: new Float64Array(shared.numbers),
  };
}
