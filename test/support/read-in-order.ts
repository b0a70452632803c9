// Reads rows as a session does: a source may trust that its rows are in order, and the caller
// begins again when they prove not to be.

import { OutOfOrder } from '../../src/core/domain/snapshot.ts';

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
