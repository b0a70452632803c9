#!/usr/bin/env -S node --max-semi-space-size=16 --no-allocation-site-pretenuring
// The command line's first file. It only sees to it that the rest is compiled once and not at every start, which takes
// longer than most commands do. It is JavaScript because Node would load its TypeScript compiler for it: nothing that is
// compiled before this has been kept. The first line keeps Node from holding a hundred megabytes for objects that die young.

import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Beside the packages, which belong to the account that installed them. Where that cannot be written, nothing is kept.
const kept = join(import.meta.dirname, '../../node_modules/.cache/pointage');
enableCompileCache(kept);
// Threads do not share in the former, and begin by looking for this: without it they compile everything anew.
process.env.NODE_COMPILE_CACHE ??= kept;

try {
  const { runCommand } = await import('./program.ts');
  const { stageOf } = await import('./command.ts');
  const { processTerminal } = await import('./terminal.ts');
  process.exitCode = await runCommand(process.argv.slice(2), stageOf(processTerminal(), process.env));
} catch (failure) {
  process.stderr.write(`pointage: ${failure instanceof Error ? failure.stack : String(failure)}\n`);
  process.exitCode = 3;
}
