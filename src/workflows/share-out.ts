// Gives each of several workers the next of a list that is loaded piece by piece. Refuses to load twice at once, and to
// give one piece of work to two workers of one list.

/**
 * `load` gives what is still to be done, and nothing when all is done; what was given out and is not done may be in it
 * again. Resolves to null when nothing is left, or `stop` says so; rejects with what `load` rejects with.
 */
export function shareOut<Work>(
  load: () => Promise<readonly Work[]>,
  stop: AbortSignal | undefined,
): () => Promise<Work | null> {
  let waiting: Work[] = [];
  let loading: Promise<void> | null = null;
  let isDone = false;
  const refill = async (): Promise<void> => {
    try {
      waiting = [...(await load())];
      isDone = waiting.length === 0;
    } finally {
      loading = null;
    }
  };
  return async () => {
    while (waiting.length === 0 && !isDone && !stop?.aborted) {
      loading ??= refill();
      await loading;
    }
    return stop?.aborted ? null : (waiting.shift() ?? null);
  };
}
