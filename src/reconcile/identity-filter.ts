// Has this text been seen before? Answers "surely not" or "perhaps" in two bytes a text, so that the ids of millions of
// lines need not be held. A "perhaps" is looked up exactly; it is never a finding by itself.

/** Bloom filters that grow one by one, each for 2^20 texts at 16 bits a text and 5 probes: about 1 in 2 000 is in vain. */
export interface IdentityFilter {
  readonly layers: Uint32Array[];
  held: number;
}

const LAYER_TEXTS = 1 << 20;
const LAYER_BITS = 1 << 24;
const PROBES = 5;
const FIRST_BITS = 1 << 18;
const FIRST_TEXTS = 1 << 14;

export function beginFilter(): IdentityFilter {
  return { layers: [new Uint32Array(FIRST_BITS >>> 5)], held: 0 };
}

/** Adds `text`; true when it may have been added before. */
export function meetAgain(filter: IdentityFilter, text: string): boolean {
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x85ebca6b) ^ (b >>> 13);
  }
  a ^= a >>> 16;
  b |= 1;
  const last = filter.layers.length - 1;
  for (let i = 0; i < last; i++) if (holds(filter.layers[i]!, a, b)) return true;
  const seen = add(filter.layers[last]!, a, b);
  if (!seen) filter.held += 1;
  if (filter.held >= (last === 0 ? FIRST_TEXTS : LAYER_TEXTS)) {
    filter.layers.push(new Uint32Array(LAYER_BITS >>> 5));
    filter.held = 0;
  }
  return seen;
}

function holds(layer: Uint32Array, a: number, b: number): boolean {
  const mask = layer.length * 32 - 1;
  for (let probe = 0; probe < PROBES; probe++) {
    const bit = (a + Math.imul(probe, b)) & mask;
    if ((layer[bit >>> 5]! & (1 << (bit & 31))) === 0) return false;
  }
  return true;
}

function add(layer: Uint32Array, a: number, b: number): boolean {
  const mask = layer.length * 32 - 1;
  let seen = true;
  for (let probe = 0; probe < PROBES; probe++) {
    const bit = (a + Math.imul(probe, b)) & mask;
    const flag = 1 << (bit & 31);
    if ((layer[bit >>> 5]! & flag) === 0) {
      seen = false;
      layer[bit >>> 5]! |= flag;
    }
  }
  return seen;
}
