// Waits for the signal by which a process is asked to end.

/** The second signal ends the process at once, as if nobody listened for it. */
export function stopRequested(): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      process.off('SIGTERM', stop);
      process.off('SIGINT', stop);
      resolve();
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  });
}
