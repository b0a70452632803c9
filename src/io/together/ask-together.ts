// Joins the queries of several merchants at about the same time into one, so that a night over
// thousands of merchants does not send thousands of queries. Never remembers an answer, and never
// lets one merchant's failure affect another.

import DataLoader from 'dataloader';

/** Sends one query for several questions, and returns the answers in the order of the questions. */
type Ask<Question, Answer, Of> = (
  of: Of,
  asked: readonly Question[],
) => Promise<readonly (Answer | Error)[]>;

/**
 * Most questions joined in one query: with more, all of them would wait too long for the slowest.
 */
const MOST_TOGETHER = 100;

/** Options of a joined query, as fields of its `of`. */
interface Asked {
  /** Milliseconds that an awaited query waits for further merchants; absent: it does not wait. */
  readonly patience?: number;
}

/**
 * Joins the queries of one turn of the event loop. With `isAwaited`, the query waits `patience`
 * milliseconds, because merchants reach it at different times. A query that fails for several
 * merchants is sent again for each of them alone, so that `ask` must leave nothing behind when it
 * fails.
 */
export function askTogether<Question, Answer, Of extends object>(
  ask: Ask<Question, Answer, Of>,
  { isAwaited = false }: { readonly isAwaited?: boolean } = {},
): (of: Of, asked: Question) => Promise<Answer> {
  const loaders = new WeakMap<Of, DataLoader<Question, Answer>>();
  return (of, asked) => {
    const loader =
      loaders.get(of) ??
      new DataLoader<Question, Answer>((several) => askOrSplit(ask, of, several), {
        cache: false,
        maxBatchSize: MOST_TOGETHER,
        batchScheduleFn: (go) => {
          const { patience } = of as Asked;
          if (isAwaited && patience !== undefined) setTimeout(go, patience);
          else setImmediate(go);
        },
      });
    loaders.set(of, loader);
    return loader.load(asked);
  };
}

async function askOrSplit<Question, Answer, Of>(
  ask: Ask<Question, Answer, Of>,
  of: Of,
  asked: readonly Question[],
): Promise<readonly (Answer | Error)[]> {
  try {
    return await ask(of, asked);
  } catch (failure) {
    if (asked.length === 1) throw failure;
    const alone = await Promise.allSettled(asked.map((one) => ask(of, [one])));
    return alone.map((one) =>
      one.status === 'fulfilled'
        ? one.value[0]!
        : one.reason instanceof Error
          ? one.reason
          : new Error(String(one.reason)),
    );
  }
}
