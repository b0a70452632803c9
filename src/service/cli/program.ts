// The command line finds the command in the register and loads its file, which parses the words,
// calls a workflow and answers. Results go to stdout, everything else to stderr. Status 3 means
// that the command itself failed.

import { Command, CommanderError, Help } from 'commander';
import { ConfigurationInvalid } from '../config/configuration-invalid.ts';
import { ENGINE } from '../engine.ts';
import { type Stage, stageOf } from './stage/stage.ts';
import type { Terminal } from './stage/terminal.ts';

const FAILED = 3;
const EXAMPLES = `
Examples:
  pointage lab demo                               (the whole job on a simulated service)
  pointage audit --source file:./books            (books in files)
  pointage run --source https://api.example/v1    (every night)
  pointage help audit`;

/**
 * Runs a command as `runCommand` does, and refuses an environment that cannot be used in a
 * sentence. `onUncaught` is given the function that prints a failure which no caller is left to
 * catch.
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
    .configureHelp({ minWidthToWrap: 20 })
    .showHelpAfterError('(pointage --help shows what there is)')
    .configureOutput({ writeOut: stage.terminal.out, writeErr: stage.terminal.note });
  registerCommands(program, stage);
  try {
    if (words.includes('--by')) throw new ConfigurationInvalid(NO_BY);
    await program.parseAsync(askedForHelp(currentNames(words, stage)), { from: 'user' });
    return stage.status;
  } catch (failure) {
    return failed(stage, failure);
  }
}

const NO_BY =
  'There is no --by: POINTAGE_TOKEN signs decisions (pointage operator add NAME --role decider).';

/**
 * Registers each command by its name and description alone. The command that is called is loaded,
 * and gets its arguments and options, before its words are read.
 */
function registerCommands(program: Command, stage: Stage): void {
  const entries = new Map(
    COMMANDS.map(
      (entry) => [program.command(entry.name).description(entry.description), entry] as const,
    ),
  );
  program.hook('preSubcommand', async (_, command) => {
    const define = await entries.get(command)!.load(program.args[1]);
    define(command, stage);
  });
  const usual = new Help();
  program.configureHelp({
    minWidthToWrap: 20,
    subcommandTerm: (command) => {
      const entry = entries.get(command);
      return entry === undefined
        ? usual.subcommandTerm(command)
        : `${entry.name} ${entry.usage ?? ''}`.trim();
    },
  });
}

/**
 * Turns `help audit` into `audit --help`, because the former would show a command as it is before
 * it is loaded.
 */
function askedForHelp(words: readonly string[]): string[] {
  const [first, name, ...rest] = words;
  const isKnown = first === 'help' && COMMANDS.some((entry) => entry.name === name);
  return isKnown ? [name!, ...rest, '--help'] : [...words];
}

/** Returns the failure's message, with what to do where the system says only what is wrong. */
function messageOf(failure: Error): string {
  if (!('code' in failure) || failure.code !== 'EADDRINUSE') return failure.message;
  return `${failure.message}: another process listens there; give another port (--port or server.port, telemetry.port for a worker).`;
}

function failed(stage: Stage, failure: unknown): number {
  if (failure instanceof CommanderError) return failure.exitCode === 0 ? 0 : FAILED;
  const expected =
    failure instanceof ConfigurationInvalid || (failure instanceof Error && 'code' in failure);
  const text =
    failure instanceof Error
      ? expected
        ? messageOf(failure)
        : (failure.stack ?? failure.message)
      : String(failure);
  stage.terminal.note(`pointage: ${stage.conceal(text)}\n`);
  return FAILED;
}

type Define = (command: Command, stage: Stage) => void;

interface CommandEntry {
  readonly name: string;
  /** `true` for the part of a group that is meant where none is named. */
  readonly isDefault?: true;
  /**
   * What may follow its name, as the list of commands shows it; nothing for a command that is only
   * the first of two words.
   */
  readonly usage?: string;
  readonly description: string;
  /**
   * Returns the function that gives the command its arguments, options, help and action. A group
   * loads only the part that `word` names, if it names one.
   */
  readonly load: (word?: string) => Promise<Define>;
}

/** Returns the function that defines the parts of a group, or only the part that `word` names. */
async function groupOf(parts: readonly CommandEntry[], word: string | undefined): Promise<Define> {
  const named = parts.filter(({ name }) => name === word);
  const needed = named.length === 0 ? parts : named;
  const defined = await Promise.all(
    needed.map(async (part) => ({ ...part, define: await part.load() })),
  );
  return (command, stage) => {
    for (const { name, description, isDefault = false, define } of defined)
      define(command.command(name, { isDefault }).description(description), stage);
  };
}

/** Names of earlier builds; the next version drops them. */
const RENAMED: Readonly<Record<string, readonly string[]>> = {
  publish: ['statement', 'issue'],
  close: ['statement', 'close'],
  attest: ['statement', 'attest'],
  statements: ['statement'],
  demo: ['lab', 'demo'],
  sandbox: ['lab', 'sandbox'],
};

function currentNames(
  [first = '', ...rest]: readonly string[],
  { terminal }: Stage,
): readonly string[] {
  const renamed = Object.hasOwn(RENAMED, first) ? RENAMED[first]! : null;
  if (renamed === null) return first === '' ? rest : [first, ...rest];
  terminal.note(
    `pointage ${first} is pointage ${renamed.join(' ')} now; the next version knows the new name alone.\n`,
  );
  return [...renamed, ...rest];
}

/** Returns the commands of `table`, in the order in which they are listed. */
function named(
  table: Readonly<Record<string, Omit<CommandEntry, 'name'>>>,
): readonly CommandEntry[] {
  return Object.entries(table).map(([name, entry]) => ({ name, ...entry }));
}

const OF_STATEMENT = named({
  make: {
    isDefault: true,
    description:
      "state a merchant's month: opening, movements, closing, reconciliation, journal and ledger, as documents",
    load: async () => (await import('./commands/statement-command.ts')).defineStatement,
  },
  issue: {
    description: "issue a merchant's month as a report, with its documents, in the store",
    load: async () => (await import('./commands/statement-command.ts')).definePublish,
  },
  close: {
    description: 'lock a month that was issued: what comes later falls into the month after it',
    load: async () => (await import('./commands/statements-command.ts')).defineClose,
  },
  attest: {
    description: 'confirm the balance at the end of a day on one page, for an auditor',
    load: async () => (await import('./commands/statement-command.ts')).defineAttest,
  },
});

const OF_LAB = named({
  demo: {
    description:
      'see the whole job on a simulated service: a dozen merchants, two nights, some planted faults',
    load: async () => (await import('./lab/demo-command.ts')).defineDemo,
  },
  sandbox: {
    description:
      'serve the simulated service until interrupted: same merchants as the demonstration',
    load: async () => (await import('./lab/sandbox-command.ts')).defineSandbox,
  },
});

export const COMMANDS: readonly CommandEntry[] = named({
  run: {
    usage: '[options] [merchant...]',
    description:
      'pull what is new from the source, replay it, check, save findings, and say what changed',
    load: async () => (await import('./commands/run-command.ts')).defineRun,
  },
  audit: {
    usage: '[options] [merchant...]',
    description:
      'replay the books from the first line, trusting nothing stored, and report what does not agree',
    load: async () => (await import('./commands/audit-command.ts')).defineAudit,
  },
  findings: {
    description: 'list findings, show one, or decide about it',
    load: async () => (await import('./commands/findings-command.ts')).defineFindings,
  },
  tonight: {
    usage: '[options]',
    description:
      'the last night and what waits for a person, on one screen, with the next command to type',
    load: async () => (await import('./commands/tonight-command.ts')).defineTonight,
  },
  show: {
    usage: '[options] <what>',
    description:
      'what happened to one operation, found by reference, phone number or amount, or to a line and its neighbours',
    load: async () => (await import('./commands/show-command.ts')).defineShow,
  },
  merchants: {
    description: 'list the merchants of the mirror, retire one, or take it back',
    load: async () => (await import('./commands/merchants-command.ts')).defineMerchants,
  },
  statement: {
    description:
      "a merchant's month: make its documents, issue it, release one that is held, send it again, close it",
    load: async (word) => {
      const define = await groupOf(OF_STATEMENT, word);
      if (OF_STATEMENT.some(({ name }) => name === word)) return define;
      const { defineStatements } = await import('./commands/statements-command.ts');
      return (command, stage) => {
        define(command, stage);
        defineStatements(command, stage);
      };
    },
  },
  evidence: {
    description:
      'write what others can check without pointage: lines, a leaf of the log, its proof, and a program',
    load: async () => (await import('./commands/evidence-command.ts')).defineEvidence,
  },
  'audit-kit': {
    description:
      'write all that an auditor needs of a period as one ZIP, and check and replay one with the ZIP alone',
    load: async () => (await import('./commands/evidence-command.ts')).defineAuditKit,
  },
  serve: {
    usage: '[options]',
    description:
      'serve reports, findings and audits over HTTP, and take the notifications of the service',
    load: async () => (await import('./commands/serve-command.ts')).defineServe,
  },
  token: {
    usage: '[options] <merchant>',
    description: 'make a token by which a merchant opens its reports, where the secret is shared',
    load: async () => (await import('./commands/serve-command.ts')).defineToken,
  },
  operator: {
    description:
      'add the people who read, decide and publish, with a token for each; list and revoke them',
    load: async () => (await import('./commands/operator-command.ts')).defineOperator,
  },
  proposals: {
    description: 'what one operator wants and another must confirm: list, confirm, withdraw',
    load: async () => (await import('./commands/operator-command.ts')).defineProposals,
  },
  trail: {
    usage: '[options]',
    description: 'what operators did and looked at, over HTTP, in the console and by command',
    load: async () => (await import('./commands/operator-command.ts')).defineTrail,
  },
  worker: {
    usage: '[options]',
    description:
      'run every merchant each night, as a service: plan, queue, statements of ended months, watchdog',
    load: async () => (await import('./commands/worker-command.ts')).defineWorker,
  },
  deliveries: {
    description:
      'list what was announced to whom, show one, have it tried again, or send what is due',
    load: async () => (await import('./commands/deliveries-command.ts')).defineDeliveries,
  },
  explain: {
    usage: '[options] [kind]',
    description: 'what a kind of finding means, with an example that fires and one that does not',
    load: async () => (await import('./commands/explain-command.ts')).defineExplain,
  },
  init: {
    usage: '[options]',
    description:
      'ask for source, keys and mail, write a configuration, and look at it as doctor does',
    load: async () => (await import('./commands/init-command.ts')).defineInit,
  },
  doctor: {
    usage: '[options]',
    description: 'look at the database, the source, mail, disk and clocks, and say what to do',
    load: async () => (await import('./commands/doctor-command.ts')).defineDoctor,
  },
  config: {
    description: 'what a configuration may hold, as a JSON Schema for editors',
    load: async () => (await import('./commands/setup-commands.ts')).defineConfig,
  },
  migrate: {
    usage: '[options]',
    description:
      'bring the schema of the store up to date (every command that uses the store does so too)',
    load: async () => (await import('./commands/setup-commands.ts')).defineMigrate,
  },
  completion: {
    usage: '<shell>',
    description: 'a script by which bash, zsh or fish complete commands and options',
    load: async () => {
      const { defineCompletion } = await import('./commands/setup-commands.ts');
      return (command, stage) => defineCompletion(command, stage, COMMANDS);
    },
  },
  lab: {
    description: 'try it on a simulated service: the demonstration, and the service itself',
    load: (word) => groupOf(OF_LAB, word),
  },
});
