// Numbers under hashes of texts, for millions of texts: 12 bytes a place and no text. Any number of values may stand under one
// hash, for two texts may share it: the caller compares what the value stands for.

/** The hashes must be keyed (`hash-bytes.ts`): a place is taken from their lowest bits as they are. */
export interface HashTable {
  /** By place; −1 where it is free. A hash stands in its own place or in the first free one after it. */
  hashes: Float64Array;
  values: Int32Array;
  size: number;
}

const FREE = -1;
const SMALLEST = 64;

export function createHashTable(expected = 0): HashTable {
  return { ...allocate(2 ** Math.ceil(Math.log2(Math.max(2 * expected, SMALLEST)))), size: 0 };
}

/** For other values, in the room that there is. */
export function clearTable(table: HashTable): void {
  table.hashes.fill(FREE);
  table.size = 0;
}

/** Of a value under `hash`, or −1; `nextPlace` gives the others. Places are good until something is entered. */
export function firstPlace({ hashes }: HashTable, hash: number): number {
  const mask = hashes.length - 1;
  let place = hash & mask;
  while (hashes[place] !== hash && hashes[place] !== FREE) place = (place + 1) & mask;
  return hashes[place] === hash ? place : -1;
}

export function nextPlace({ hashes }: HashTable, hash: number, after: number): number {
  const mask = hashes.length - 1;
  let place = (after + 1) & mask;
  while (hashes[place] !== hash && hashes[place] !== FREE) place = (place + 1) & mask;
  return hashes[place] === hash ? place : -1;
}

/** Enters `value` beside whatever stands under `hash` already. */
export function enter(table: HashTable, hash: number, value: number): void {
  if (2 * (table.size + 1) > table.hashes.length) grow(table);
  put(table, hash, value);
  table.size += 1;
}

function put({ hashes, values }: HashTable, hash: number, value: number): void {
  const mask = hashes.length - 1;
  let place = hash & mask;
  while (hashes[place] !== FREE) place = (place + 1) & mask;
  hashes[place] = hash;
  values[place] = value;
}

function grow(table: HashTable): void {
  const { hashes, values } = table;
  Object.assign(table, allocate(2 * hashes.length));
  for (let place = 0; place < hashes.length; place += 1) {
    if (hashes[place] !== FREE) put(table, hashes[place]!, values[place]!);
  }
}

function allocate(places: number): Pick<HashTable, 'hashes' | 'values'> {
  return { hashes: new Float64Array(places).fill(FREE), values: new Int32Array(places) };
}
