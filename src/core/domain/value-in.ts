// Maps that fill on demand.

/** The value of a key, made and kept where there is none. */
export function valueIn<Key, Value extends {}>(
  values: { readonly get: (key: Key) => Value | undefined; readonly set: (key: Key, value: Value) => unknown },
  key: Key,
  make: (key: Key) => Value,
): Value {
  const known = values.get(key);
  if (known !== undefined) return known;
  const made = make(key);
  values.set(key, made);
  return made;
}
