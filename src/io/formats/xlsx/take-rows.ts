// Cuts a stream of batches into stretches of at most so many items: a sheet has a last row, a month may have more lines.

export interface Stretches<Item> {
  /** The next `count` items, in batches; fewer at the end of the stream. */
  take(count: number): AsyncGenerator<readonly Item[]>;
}

export function stretchesOf<Item>(batches: AsyncIterable<readonly Item[]>): Stretches<Item> {
  const iterator = batches[Symbol.asyncIterator]();
  let rest: readonly Item[] = [];
  return {
    async *take(count) {
      let wanted = count;
      while (wanted > 0) {
        if (rest.length === 0) {
          const { value, done } = await iterator.next();
          if (done === true) return;
          rest = value;
        }
        const batch = rest.slice(0, wanted);
        rest = rest.slice(wanted);
        wanted -= batch.length;
        yield batch;
      }
    },
  };
}
