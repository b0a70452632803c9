// Lets a block close what it opens: `await using snapshot = closable(await source.open(…))`, in
// every way out of the block. A closing that fails is a warning of the process: the block's own
// result or error counts, and keeps its class.

interface Closable {
  close(): Promise<void>;
}

/** `opened` itself. Where nothing was opened, null, there is nothing to close. */
export function closable<Opened extends Closable>(opened: Opened): Opened & AsyncDisposable;
export function closable<Opened extends Closable>(
  opened: Opened | null,
): (Opened & AsyncDisposable) | null;
export function closable<Opened extends Closable>(
  opened: Opened | null,
): (Opened & AsyncDisposable) | null {
  return opened === null ? null : closedBy(opened, () => opened.close());
}

/** `opened` itself, closed by `close`. */
export function closedBy<Opened extends object>(
  opened: Opened,
  close: () => Promise<void>,
): Opened & AsyncDisposable {
  return Object.assign(opened, {
    [Symbol.asyncDispose]: async () => {
      try {
        await close();
      } catch (failure) {
        // Thrown on, it would hide the block's error in a SuppressedError, which no caller knows.
        process.emitWarning(`closing failed: ${failure}`);
      }
    },
  });
}
