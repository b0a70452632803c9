// Figures of the store as scrapes see them: read once for all scrapes of a short while, never waited for longer than a
// scraper waits, and told to be missing when they cannot be had.

export interface Cached<T> {
  /** Null when they could not be read in time: what is older is never told as if it were now. */
  read(): Promise<T | null>;
}

export interface CacheSettings {
  readonly clock: () => number;
  /** Milliseconds for which figures are told again. */
  readonly goodFor: number;
  /** Milliseconds after which a reading is not waited for any longer; it goes on, and the next scrape may have it. */
  readonly patience: number;
  readonly onFailure: (failure: unknown) => void;
}

export function cacheFigures<T>(load: () => Promise<T>, settings: CacheSettings): Cached<T> {
  const { clock, goodFor, patience, onFailure } = settings;
  let held: { readonly value: T; readonly at: number } | null = null;
  let underWay: Promise<T | null> | null = null;
  const begin = (): Promise<T | null> => {
    const at = clock();
    return load().then(
      (value) => {
        held = { value, at };
        underWay = null;
        return value;
      },
      (failure: unknown) => {
        underWay = null;
        onFailure(failure);
        return null;
      },
    );
  };
  return {
    read() {
      if (held !== null && Math.abs(clock() - held.at) < goodFor) return Promise.resolve(held.value);
      underWay ??= begin();
      return within(patience, underWay);
    },
  };
}

function within<T>(milliseconds: number, promise: Promise<T>): Promise<T | null> {
  return new Promise((resolve) => {
    const alarm = setTimeout(() => resolve(null), milliseconds);
    void promise.then((value) => {
      clearTimeout(alarm);
      resolve(value);
    });
  });
}
