// Has this text been seen before? Answers "surely not" or "perhaps" in two bytes a text, so that the ids of millions of
// lines need not be held. A "perhaps" is looked up exactly; it is never a finding by itself.

/** Blocked Bloom filters that grow one by one: five bits of one 512-bit block a text, about 1 in 1 000 is in vain. */
export interface IdentityFilter {
  readonly layers: Uint32Array[];
  held: number;
}

const FIRST_TEXTS = 1 << 14;
const LAYER_TEXTS = 1 << 20;
const BITS_A_TEXT = 16;
const BLOCK_WORDS = 16;
const PROBES = 5;
/** Of a longer text only the two ends are hashed: enough to tell ids apart, and a collision is only looked up in vain. */
const LONGEST_HASHED = 24;

export function beginFilter(): IdentityFilter {
  return { layers: [layerFor(FIRST_TEXTS)], held: 0 };
}

function layerFor(texts: number): Uint32Array {
  return new Uint32Array((texts * BITS_A_TEXT) >>> 5);
}

/** Adds `text`; true when it may have been added before. */
export function meetAgain(filter: IdentityFilter, text: string): boolean {
  const [half, tail] = text.length <= LONGEST_HASHED ? [text.length, text.length] : [12, text.length - 12];
  let hash = 0x811c9dc5;
  for (let i = 0; i < half; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  let bits = hash ^ 0x9e3779b9;
  for (let i = tail; i < text.length; i++) bits = Math.imul(bits ^ text.charCodeAt(i), 0x85ebca6b) ^ (bits >>> 15);
  hash = Math.imul(hash ^ (hash >>> 16) ^ bits, 0xc2b2ae35);
  hash ^= hash >>> 13;
  bits = Math.imul(bits ^ (bits >>> 13) ^ text.length, 0x27d4eb2f);

  const last = filter.layers.length - 1;
  for (let i = 0; i < last; i++) if (probe(filter.layers[i]!, hash, bits, false)) return true;
  const seen = probe(filter.layers[last]!, hash, bits, true);
  if (seen) return true;
  filter.held += 1;
  if (filter.held >= (last === 0 ? FIRST_TEXTS : LAYER_TEXTS)) {
    filter.layers.push(layerFor(LAYER_TEXTS));
    filter.held = 0;
  }
  return false;
}

/** True when all bits of the text are set; sets them when `adds`. */
function probe(layer: Uint32Array, hash: number, bits: number, adds: boolean): boolean {
  const block = ((hash >>> 0) % (layer.length / BLOCK_WORDS)) * BLOCK_WORDS;
  let mixed = bits;
  let seen = true;
  for (let i = 0; i < PROBES; i++) {
    mixed = Math.imul(mixed, 0x9e3779b1) ^ (mixed >>> 15);
    const word = block + ((mixed >>> 5) & (BLOCK_WORDS - 1));
    const flag = 1 << (mixed & 31);
    if ((layer[word]! & flag) !== 0) continue;
    if (!adds) return false;
    seen = false;
    layer[word]! |= flag;
  }
  return seen;
}
