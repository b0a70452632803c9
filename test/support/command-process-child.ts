// The process of command-process.ts: runs the words it is sent, says on both outputs when they have
// ended, and waits for the next.

import { runProgram } from '../../src/service/cli/program.ts';
import { processTerminal } from '../../src/service/cli/stage/terminal.ts';
import { type AskedCommand, ENDED } from './command-process.ts';

const terminal = processTerminal();

async function run({ words, folder, environment }: AskedCommand): Promise<number> {
  process.chdir(folder);
  for (const name of Object.keys(process.env))
    if (name !== 'NODE_COMPILE_CACHE') delete process.env[name];
  Object.assign(process.env, environment);
  try {
    return await runProgram(words, terminal, process.env, () => {});
  } catch (failure) {
    // Print the failure as the command line's first file does.
    terminal.note(`pointage: ${failure instanceof Error ? failure.stack : String(failure)}\n`);
    return 3;
  }
}

process.on('message', async (asked: AskedCommand) => {
  const status = await run(asked);
  process.stdout.write(`${ENDED}${status}${ENDED}`);
  process.stderr.write(`${ENDED}${status}${ENDED}`);
});
