// Memory that two threads share: lines as they stand in a file, and where their values were found in them.

import { createSlots, type SlotMemory, type Slots, slotsOver } from './plain-line.ts';
import { LONGEST_LINE } from './row-reader.ts';

/** A slab as it goes from one thread to the other. */
export interface SharedSlab extends SlotMemory {
  readonly bytes: SharedArrayBuffer;
  readonly nexts: SharedArrayBuffer;
  readonly plain: SharedArrayBuffer;
}

/** A slab as a thread sees it. */
export interface Slab {
  readonly bytes: Buffer;
  readonly view: DataView;
  readonly slots: Slots;
  /** For each line, the offset after its line feed. */
  readonly nexts: Int32Array;
  /** 1 for each line whose values stand in `slots`; the others are for the strict parser. */
  readonly plain: Uint8Array;
}

/** Most lines in one slab: about as many as a chunk has, where lines are of the usual length. */
export const SLAB_LINES = 4_096;
/** Read at a time, and handed over at a time: each handing over wakes a thread, which costs more than to scan its lines. */
export const SLAB_CHUNK = LONGEST_LINE;
/** Room for whatever a chunk may hold after it grew for a long line; pages that are never touched cost nothing. */
const SLAB_BYTES = 2 * LONGEST_LINE + 1;

export function allocateSlab(fields: readonly string[]): SharedSlab {
  const values = SLAB_LINES * createSlots(fields).size;
  return {
    bytes: new SharedArrayBuffer(SLAB_BYTES),
    nexts: new SharedArrayBuffer(4 * SLAB_LINES),
    plain: new SharedArrayBuffer(SLAB_LINES),
    kinds: new SharedArrayBuffer(values),
    starts: new SharedArrayBuffer(4 * values),
    ends: new SharedArrayBuffer(4 * values),
    numbers: new SharedArrayBuffer(8 * values),
  };
}

export function openSlab(shared: SharedSlab, fields: readonly string[]): Slab {
  return {
    bytes: Buffer.from(shared.bytes),
    view: new DataView(shared.bytes),
    slots: slotsOver(fields, shared),
    nexts: new Int32Array(shared.nexts),
    plain: new Uint8Array(shared.plain),
  };
}
