// Maps that fill on demand, and a search in what is sorted.

/** The value of a key, made and kept where there is none. */
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
 * How many of `sorted` come first that `isBefore` holds for; it holds for none behind one that it
 * does not hold for. By halving.
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
