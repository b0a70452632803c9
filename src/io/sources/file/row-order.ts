// The order in which the rows of a file are delivered, where they do not stand in it: a key and an offset a row, sixteen bytes,
// sorted once they are all known.

export interface RowOrder {
  keys: Float64Array;
  /** Offset of each row's line in the file. */
  offsets: Float64Array;
  count: number;
}

export function createRowOrder(expected = 1_024): RowOrder {
  return { keys: new Float64Array(expected), offsets: new Float64Array(expected), count: 0 };
}

/** Gives the row's number. */
export function addRow(order: RowOrder, key: number, offset: number): number {
  if (order.count === order.keys.length) grow(order);
  order.keys[order.count] = key;
  order.offsets[order.count] = offset;
  return order.count++;
}

/** By ascending key; rows of one key in the order of the file. */
export function sortedOffsets({ keys, offsets, count }: RowOrder): Float64Array {
  const rows = Uint32Array.from({ length: count }, (_, row) => row);
  rows.sort((a, b) => keys[a]! - keys[b]! || offsets[a]! - offsets[b]!);
  return Float64Array.from(rows, (row) => offsets[row]!);
}

function grow(order: RowOrder): void {
  const { keys, offsets } = order;
  order.keys = new Float64Array(2 * keys.length);
  order.keys.set(keys);
  order.offsets = new Float64Array(2 * offsets.length);
  order.offsets.set(offsets);
}
