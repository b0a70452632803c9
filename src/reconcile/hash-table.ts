// A number under each hash of a text, for millions of texts: 16 bytes a place, half of the places free, and no text held.
// Two texts may share a hash: whoever finds something looks it up exactly.

export interface HashTable {
  /** Hashes by place, −1 where the place is free. A hash stands at its remainder, or at the next place free. */
  keys: Float64Array;
  values: Float64Array;
  held: number;
}

const FREE = -1;
const SMALLEST = 1_024;

export function beginTable(): HashTable {
  return { ...allocate(SMALLEST), held: 0 };
}

/** Enters `value` under `hash` (a whole number ≥ 0) unless there is one; gives the one that was there, or null. */
export function enter(table: HashTable, hash: number, value: number): number | null {
  const place = placeOf(table, hash);
  if (table.keys[place] === hash) return table.values[place]!;
  table.keys[place] = hash;
  table.values[place] = value;
  table.held += 1;
  if (table.held * 2 > table.keys.length) grow(table);
  return null;
}

export function isEntered(table: HashTable, hash: number): boolean {
  return table.keys[placeOf(table, hash)] === hash;
}

function placeOf({ keys }: HashTable, hash: number): number {
  const places = keys.length;
  let place = hash % places;
  while (keys[place] !== FREE && keys[place] !== hash) place = place + 1 === places ? 0 : place + 1;
  return place;
}

function grow(table: HashTable): void {
  const { keys, values } = table;
  Object.assign(table, allocate(keys.length * 2));
  for (let i = 0; i < keys.length; i += 1) {
    if (keys[i] === FREE) continue;
    const place = placeOf(table, keys[i]!);
    table.keys[place] = keys[i]!;
    table.values[place] = values[i]!;
  }
}

function allocate(places: number): Pick<HashTable, 'keys' | 'values'> {
  return { keys: new Float64Array(places).fill(FREE), values: new Float64Array(places) };
}
