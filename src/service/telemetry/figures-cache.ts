// Figures of the store as scrapes see them: read once for all scrapes of a short while, never waited for longer than a
// scraper waits, and reported as missing when they cannot be had.

export interface Cached<T> {
  /** Null when they could not be read in time: what is older is never given as if it were now. */
  read(): Promise<T | null>;
}

export interface CacheSettings {
  readonly clock: () => number;
  /** Milliseconds for which figures are given again. */
  readonly goodFor: number;
  /** Milliseconds after which a reading is not waited for any longer; it goes on, and the next scrape may have it. */
  readonly patience: number;
  readonly onFailure: (failure: unknown) => void;
}

export function cacheFigures<T>(load: () => Promise<T>, settings: CacheSettings): Cached<T> {
  const { clock, goodFor, patience, onFailure } = settings;
  let cached: { readonly value: T; readonly at: number } | null = null;
  let underWay: Promise<T | null> | null = null;
  const begin = (): Promise<T | null> => {
    const at = clock();
    return load().then(
      (value) => {
        cached = { value, at };
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
      if (cached !== null && Math.abs(clock() - cached.at) < goodFor) return Promise.resolve(cached.value);
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
