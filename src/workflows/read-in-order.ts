// Lets a source take the order of its rows on trust: whoever takes them begins again when the trust proves misplaced.

import { OutOfOrder } from '../domain/snapshot.ts';

/** Does `work`, and does it again from the start when a stream that it read was out of order. */
export async function readInOrder<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (failure) {
      if (!(failure instanceof OutOfOrder)) throw failure;
    }
  }
}
