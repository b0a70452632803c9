// Lets a block close what it opens: `await using snapshot = closable(await source.open(…))`, in every way out of the block.

interface Closable {
  close(): Promise<void>;
}

/** `opened` itself. Where nothing was opened, null, there is nothing to close. */
export function closable<Opened extends Closable>(opened: Opened): Opened & AsyncDisposable;
export function closable<Opened extends Closable>(opened: Opened | null): (Opened & AsyncDisposable) | null;
export function closable<Opened extends Closable>(opened: Opened | null): (Opened & AsyncDisposable) | null {
  return opened === null ? null : Object.assign(opened, { [Symbol.asyncDispose]: () => opened.close() });
}
