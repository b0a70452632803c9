// Gathers what is asked of a database for several merchants at about the same time into one question, so that a night over
// thousands does not ask thousands of times. Refuses to remember an answer, and to let one merchant's failure be another's.

import DataLoader from 'dataloader';

/** Answers in the order of what was asked. */
type Ask<Asked, Answer, Of> = (of: Of, asked: readonly Asked[]) => Promise<readonly (Answer | Error)[]>;

/** Asked for together at most: more would make everybody wait for the slowest of many. */
const MOST_TOGETHER = 100;

export interface Gathering {
  /** Milliseconds to wait for others, where merchants come to a question at different times; absent: one turn of the event loop. */
  readonly wait?: number;
}

/**
 * What is asked within one turn of the event loop, or within `wait`, is asked in one go. A question that fails for several is put again for each
 * of them alone: it must leave nothing behind when it fails.
 */
export function askTogether<Asked, Answer, Of extends object>(
  ask: Ask<Asked, Answer, Of>,
  { wait }: Gathering = {},
): (of: Of, asked: Asked) => Promise<Answer> {
  const loaders = new WeakMap<Of, DataLoader<Asked, Answer>>();
  return (of, asked) => {
    const loader =
      loaders.get(of) ??
      new DataLoader<Asked, Answer>((several) => askOrSplit(ask, of, several), {
        cache: false,
        maxBatchSize: MOST_TOGETHER,
        batchScheduleFn: (go) => (wait === undefined ? setImmediate(go) : setTimeout(go, wait)),
      });
    loaders.set(of, loader);
    return loader.load(asked);
  };
}

async function askOrSplit<Asked, Answer, Of>(
  ask: Ask<Asked, Answer, Of>,
  of: Of,
  asked: readonly Asked[],
): Promise<readonly (Answer | Error)[]> {
  try {
    return await ask(of, asked);
  } catch (failure) {
    if (asked.length === 1) throw failure;
    const alone = await Promise.allSettled(asked.map((one) => ask(of, [one])));
    return alone.map((one) => (one.status === 'fulfilled' ? one.value[0]! : asError(one.reason)));
  }
}

function asError(failure: unknown): Error {
  return failure instanceof Error ? failure : new Error(String(failure));
}
