// The command line: finds the command, which parses, calls a workflow and answers. Results go to stdout, everything else to
// stderr; status 3 means that the command itself failed.

import { Command, CommanderError, Help } from 'commander';
import { ConfigurationInvalid } from '../config/configuration-invalid.ts';
import { ENGINE } from '../engine.ts';
import { type Stage, stageOf } from './command.ts';
import { COMMANDS } from './commands/register.ts';
import type { Terminal } from './terminal.ts';

const FAILED = 3;
const EXAMPLES = `
Examples:
  pointage demo                                   (the whole job on a simulated service)
  pointage audit --source file:./books            (books in files)
  pointage run --source https://api.example/v1    (every night)
  pointage help audit`;

/**
 * As `runCommand`; an environment that cannot be used is refused in a sentence. `onUncaught` is given what prints a failure
 * that no caller is left to catch.
 */
export async function runProgram(
  words: readonly string[],
  terminal: Terminal,
  environment: Stage['environment'],
  onUncaught: (report: (failure: unknown) => void) => void,
): Promise<number> {
  let stage: Stage;
  try {
    stage = stageOf(terminal, environment);
  } catch (failure) {
    if (!(failure instanceof ConfigurationInvalid)) throw failure;
    terminal.note(`pointage: ${failure.message}\n`);
    return FAILED;
  }
  onUncaught((failure) => failed(stage, failure));
  return runCommand(words, stage);
}

export async function runCommand(words: readonly string[], stage: Stage): Promise<number> {
  const program = new Command('pointage')
    .description(
      'Ledger reconciliation for mobile-money wallets: replays every line, names every difference, says what it did not check.',
    )
    .version(ENGINE)
    .addHelpText('after', EXAMPLES)
    .exitOverride()
    .showHelpAfterError('(pointage --help shows what there is)')
    .configureOutput({ writeOut: stage.terminal.out, writeErr: stage.terminal.note });
  registerCommands(program, stage);
  try {
    await program.parseAsync(askedForHelp(words), { from: 'user' });
    return stage.status;
  } catch (failure) {
    return failed(stage, failure);
  }
}

/** Each by its name and description; the one that is asked for is loaded, and gets the rest, before its words are read. */
function registerCommands(program: Command, stage: Stage): void {
  const entries = new Map(
    COMMANDS.map((entry) => [program.command(entry.name).description(entry.description), entry] as const),
  );
  program.hook('preSubcommand', async (_, command) => {
    const define = await entries.get(command)!.load();
    define(command, stage);
  });
  const usual = new Help();
  program.configureHelp({
    subcommandTerm: (command) => {
      const entry = entries.get(command);
      return entry === undefined ? usual.subcommandTerm(command) : `${entry.name} ${entry.usage}`.trim();
    },
  });
}

/** `help audit` is `audit --help`: by the former a command would be shown as it is before it is loaded. */
function askedForHelp(words: readonly string[]): string[] {
  const [first, name] = words;
  return first === 'help' && COMMANDS.some((entry) => entry.name === name) ? [name!, '--help'] : [...words];
}

/** With what to do, where the system says only what is wrong. */
function messageOf(failure: Error): string {
  if (!('code' in failure) || failure.code !== 'EADDRINUSE') return failure.message;
  return `${failure.message}: another process listens there; give another port (--port or server.port, telemetry.port for a worker).`;
}

function failed(stage: Stage, failure: unknown): number {
  if (failure instanceof CommanderError) return failure.exitCode === 0 ? 0 : FAILED;
  const expected = failure instanceof ConfigurationInvalid || (failure instanceof Error && 'code' in failure);
  const text =
    failure instanceof Error ? (expected ? messageOf(failure) : (failure.stack ?? failure.message)) : String(failure);
  stage.terminal.note(`pointage: ${stage.conceal(text)}\n`);
  return FAILED;
}
