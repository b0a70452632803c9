// Loaded before every test file: notes how long the file took by the clock, and what all processors did meanwhile, its database
// server and child processes included. The latter is the file's own only where nothing else runs (`npm run test:times`).

import { cpus } from 'node:os';
import { afterAll } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** In milliseconds, the file's imports included. */
    took?: { readonly wall: number; readonly processor: number };
  }
}

const began = { wall: performance.now(), processor: processorTime() };

// biome-ignore lint/correctness/noEmptyPattern: vitest passes the file second, and wants the first taken apart
afterAll(({}, file) => {
  file.meta.took = { wall: performance.now() - began.wall, processor: processorTime() - began.processor };
});

/** Of all processors since the machine began, in milliseconds. */
function processorTime(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}
