#!/usr/bin/env -S node --max-semi-space-size=16 --no-allocation-site-pretenuring
// The command line's first file. It only makes Node keep what it compiles of the other files, because
// to compile them at every start takes longer than most commands do. It is JavaScript because no
// compiled form of it is kept, and Node would load its TypeScript compiler for it at every start. The
// first line keeps Node from holding a hundred megabytes for objects that die young. An older Node
// can read this file, and prints what to do.

import * as nodeModule from 'node:module';
import { join } from 'node:path';

const OLDEST_NODE = 24;

async function start() {
  // The cache is beside the packages, which belong to the account that installed them. Where that
  // folder cannot be written, nothing is kept.
  const kept = join(import.meta.dirname, '../../../node_modules/.cache/pointage');
  nodeModule.enableCompileCache(kept);
  // Threads do not share the cache that was enabled above. They begin by looking for this variable:
  // without it they compile everything anew.
  process.env.NODE_COMPILE_CACHE ??= kept;
  const { runProgram } = await import('./program.ts');
  const { processTerminal } = await import('./stage/terminal.ts');
  process.exitCode = await runProgram(
    process.argv.slice(2),
    processTerminal(),
    process.env,
    endByUncaught,
  );
}

/** @param {(failure: unknown) => void} report prints it */
function endByUncaught(report) {
  process.on('uncaughtException', (failure) => {
    report(failure);
    process.exit(3);
  });
}

/** @param {string | undefined} reason */
function refuse(reason) {
  process.stderr.write(`pointage: ${reason}\n`);
}

// Until a command has ended, whatever ends the process is a failure of the command: Node's own
// status for it, 1, would say that books were read and some are broken.
process.exitCode = 3;
if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  const how =
    "run 'npx pointage' in the folder of pointage, which takes the Node 24 that 'npm ci' brought, or install Node 24";
  refuse(
    `it needs Node ${OLDEST_NODE} or later, and this is Node ${process.versions.node}: ${how}.`,
  );
} else {
  await start().catch((failure) =>
    refuse(failure instanceof Error ? failure.stack : String(failure)),
  );
}
