// `npm run rehearse`, as a process.

import { stageOf } from '../../src/service/cli/stage/stage.ts';
import { processTerminal } from '../../src/service/cli/stage/terminal.ts';
import { rehearseByWords } from './command.ts';

process.exitCode = await rehearseByWords(
  process.argv.slice(2),
  stageOf(processTerminal(), process.env),
);
