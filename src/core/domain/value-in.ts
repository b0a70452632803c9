// Look-ups in maps that fill on demand, and a search in sorted lists.

/** Returns the value of a key; makes and stores the value when the map has none. */
export function valueIn<Key, Value extends {}>(
  values: {
    readonly get: (key: Key) => Value | undefined;
    readonly set: (key: Key, value: Value) => unknown;
  },
  key: Key,
  make: (key: Key) => Value,
): Value {
  const known = values.get(key);
  if (known !== undefined) return known;
  const made = make(key);
  values.set(key, made);
  return made;
}

/**
 * Returns how many items at the beginning of `sorted` `isBefore` holds for, by halving. `isBefore`
 * must not hold for any item after one for which it does not hold.
 */
export function countFirst<Item>(
  sorted: readonly Item[],
  isBefore: (item: Item) => boolean,
): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isBefore(sorted[middle]!)) from = middle + 1;
    else to = middle;
  }
  return from;
}
