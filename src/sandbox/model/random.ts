// Chance from a seed: xoshiro128** and the draws that the sandbox needs. There is no other source
// of randomness, so the same seed gives the same bytes on every run.

import { createHash } from 'node:crypto';

/** The generator's state; every draw changes it in place. */
export interface Random {
  readonly state: Uint32Array;
}

/**
 * Returns a generator of its own for each seed text. Texts that differ in one letter give unrelated
 * sequences.
 */
export function seedRandom(seed: string): Random {
  let hash = 0x811c9dc5;
  for (let i = 0; i < seed.length; i += 1) hash = Math.imul(hash ^ seed.charCodeAt(i), 0x01000193);
  const state = new Uint32Array(4);
  for (let i = 0; i < 4; i += 1) {
    hash = (hash + 0x9e3779b9) | 0;
    let word = hash ^ (hash >>> 16);
    word = Math.imul(word, 0x21f0aaad);
    word = Math.imul(word ^ (word >>> 15), 0x735a2d97);
    state[i] = word ^ (word >>> 15);
  }
  return { state };
}

/** Returns the next 32 bits, 0 … 2^32 − 1. */
export function drawUint32({ state }: Random): number {
  const [a, b, c, d] = [state[0]!, state[1]!, state[2]!, state[3]!];
  const scrambled = Math.imul(b, 5);
  const result = Math.imul((scrambled << 7) | (scrambled >>> 25), 9) >>> 0;
  const third = c ^ a;
  const fourth = d ^ b;
  state[1] = b ^ third;
  state[0] = a ^ fourth;
  state[2] = third ^ (b << 9);
  state[3] = (fourth << 11) | (fourth >>> 21);
  return result;
}

/** Returns a number in [0, 1) with 53 random bits. */
export function drawUnit(random: Random): number {
  return ((drawUint32(random) >>> 5) * 0x4000000 + (drawUint32(random) >>> 6)) / 0x20000000000000;
}

export function chance(random: Random, probability: number): boolean {
  return drawUnit(random) < probability;
}

/** Returns an integer, both ends included, or `from` when `to` is below it. */
export function drawInteger(
  random: Random,
  range: { readonly from: number; readonly to: number },
): number {
  return range.from + Math.floor(drawUnit(random) * Math.max(1, range.to - range.from + 1));
}

/**
 * Returns the time to the next of events that come `mean` apart on average: a whole number ≥ 1, in
 * the unit of `mean`.
 */
export function drawWait(random: Random, mean: number): number {
  return Math.max(1, Math.round(-Math.log(1 - drawUnit(random)) * mean));
}

/** Returns one element of the list, which must not be empty. */
export function drawFrom<Item>(random: Random, items: readonly Item[]): Item {
  return items[Math.floor(drawUnit(random) * items.length)]!;
}

/** Returns a UUID of version 4, variant 1, in lower case (for `id`, `walletId`, `merchantId`). */
export function drawUuid(random: Random): string {
  const bytes = Buffer.alloc(16);
  for (let place = 0; place < 16; place += 4) bytes.writeUInt32BE(drawUint32(random), place);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return dashed(bytes.toString('hex'));
}

/**
 * Returns the UUID of a text, for ids that must not be drawn: one draw more would change every
 * later draw.
 */
export function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return dashed(`${hex.slice(0, 12)}4${hex.slice(13, 16)}a${hex.slice(17, 32)}`);
}

function dashed(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Returns `length` letters and digits that cannot be misread (no I, L, O, U). */
export function drawLetters(random: Random, length: number): string {
  let letters = '';
  for (let i = 0; i < length; i += 1) letters += CROCKFORD[drawUint32(random) >>> 27]!;
  return letters;
}

export function drawDigits(random: Random, length: number): string {
  return Array.from({ length }, () => drawInteger(random, { from: 0, to: 9 })).join('');
}
