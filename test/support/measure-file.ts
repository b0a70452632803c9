// Loaded before every test file. Notes how long the file took by the clock, and how much processor
// time its process and the processes that it started took. The database server's time is not
// included.

import { readFileSync } from 'node:fs';
import { afterAll } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Milliseconds that the file took, its imports included. */
    took?: { readonly wall: number; readonly processor: number };
  }
}

const began = { wall: performance.now(), processor: processorTime() };

// biome-ignore lint/correctness/noEmptyPattern: vitest passes the file second, and wants the first taken apart
afterAll(({}, file) => {
  file.meta.took = {
    wall: performance.now() - began.wall,
    processor: processorTime() - began.processor,
  };
});

/**
 * Returns the processor time of this process since it began, in milliseconds; on Linux with that of
 * processes that it started and that have ended.
 */
function processorTime(): number {
  if (process.platform !== 'linux') {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // proc(5): utime, stime, cutime and cstime are fields 14 to 17, in hundredths of a second; the
  // second, a name, may have spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
}
