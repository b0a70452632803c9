// Waits for the signal by which a process is asked to end.

/** The second signal ends the process at once, and so does the first after `over`: the default of the system. */
export function stopRequested(over?: AbortSignal): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const ignore = (): void => {
      process.off('SIGTERM', stop);
      process.off('SIGINT', stop);
    };
    const stop = (signal: NodeJS.Signals): void => {
      ignore();
      resolve(signal);
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
    over?.addEventListener('abort', ignore);
  });
}
