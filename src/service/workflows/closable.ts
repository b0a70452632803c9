// Closes what a block opens, however the block is left:
//   await using snapshot = closable(await source.open(…));
// A failure to close is only a warning of the process, so that the block's own result or error
// counts and keeps its class.

interface Closable {
  close(): Promise<void>;
}

/**
 * Returns `opened` itself, with a disposer that calls `close`. `null` stays `null`, and nothing is
 * closed.
 */
export function closable<Opened extends Closable>(opened: Opened): Opened & AsyncDisposable;
export function closable<Opened extends Closable>(
  opened: Opened | null,
): (Opened & AsyncDisposable) | null;
export function closable<Opened extends Closable>(
  opened: Opened | null,
): (Opened & AsyncDisposable) | null {
  return opened === null ? null : closedBy(opened, () => opened.close());
}

/** Returns `opened` itself, with a disposer that calls the given `close`. */
export function closedBy<Opened extends object>(
  opened: Opened,
  close: () => Promise<void>,
): Opened & AsyncDisposable {
  return Object.assign(opened, {
    [Symbol.asyncDispose]: async () => {
      try {
        await close();
      } catch (failure) {
        // An exception here would wrap the block's error in a SuppressedError, which no caller
        // knows.
        process.emitWarning(`closing failed: ${failure}`);
      }
    },
  });
}
