// What prepares a machine: `pointage config` writes the JSON Schema of a configuration for editors,
// `pointage migrate` brings the store's schema up to date, `pointage completion` writes a script by
// which a shell completes commands and options.

import { Argument, Command } from 'commander';
import { shellWord } from '../../../core/domain/printable.ts';
import { openConfiguredStore } from '../../compose/open-configured.ts';
import type { RoleRights } from '../../compose/service.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { type TableColumn, tableText } from '../print/table.ts';
import { configurationOf, type Stage, withCommonOptions } from '../stage/stage.ts';

const SCHEMA_EXAMPLE = `
Example:
  pointage config schema > pointage.schema.json

In pointage.config.json, "$schema": "./pointage.schema.json" lets an editor complete its keys and mark what is wrong.`;

export function defineConfig(command: Command, stage: Stage): void {
  command
    .command('schema')
    .description('the JSON Schema of the configuration')
    .addHelpText('after', SCHEMA_EXAMPLE)
    .action(async () => {
      const { configurationJsonSchema } = await import('../../config/check-configuration.ts');
      stage.terminal.out(`${JSON.stringify(configurationJsonSchema(), null, 2)}\n`);
    });
}

const MIGRATE_EXAMPLES = `
Examples:
  pointage migrate
  pointage migrate --database-url postgres://pointage@127.0.0.1:5432/pointage
  pointage migrate --roles             (as the owner of the database; again after every update)

The roles log in nowhere. A login for the workers: create role night login password '…' in role pointage_worker;`;

export function defineMigrate(command: Command, stage: Stage): void {
  withCommonOptions(command)
    .option(
      '--roles',
      'also give the roles pointage_owner, pointage_worker and pointage_server their rights',
    )
    .addHelpText('after', MIGRATE_EXAMPLES)
    .action(async ({ roles = false, ...flags }: Flags & { readonly roles?: boolean }) => {
      const configuration = await configurationOf(stage, flags);
      await using store = await openConfiguredStore(configuration);
      stage.terminal.out(`The schema of ${store.description} is up to date.\n`);
      if (!roles) return;
      const { giveRoles } = await import('../../compose/service.ts');
      stage.terminal.out(rightsText(stage, await giveRoles(configuration, { ...stage, store })));
    });
}

function rightsText({ terminal }: Stage, rights: readonly RoleRights[]): string {
  const listed = (tables: readonly string[], all: number): string =>
    tables.length === 0 ? 'none' : tables.length === all ? `all ${all} tables` : tables.join(', ');
  const total = Math.max(...rights.map(({ owns }) => owns.length));
  const column = (
    head: string,
    tablesOf: (one: RoleRights) => readonly string[],
  ): TableColumn<RoleRights> => ({
    head,
    wraps: 40,
    cell: (one) => listed(tablesOf(one), total),
  });
  const columns = [
    { head: 'role', cell: ({ role }: RoleRights) => role },
    column('reads', ({ reads }) => reads),
    column('adds to', ({ adds }) => adds),
    column('changes', ({ changes }) => changes),
  ];
  return `${tableText(terminal, columns, rights)}\n`;
}

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const COMPLETION_EXAMPLES = `
Examples:
  pointage completion bash > ~/.local/share/bash-completion/completions/pointage
  pointage completion zsh > ~/.zfunc/_pointage          (a folder of fpath)
  pointage completion fish > ~/.config/fish/completions/pointage.fish`;

interface Completed {
  readonly name: string;
  readonly description: string;
  readonly load: () => Promise<(command: Command, stage: Stage) => void>;
}

/**
 * Defines `pointage completion`. The script is made of the commands themselves, so that it knows
 * exactly the words and options that they take.
 */
export function defineCompletion(
  command: Command,
  stage: Stage,
  entries: readonly Completed[],
): void {
  command
    .usage('<shell>')
    .addArgument(new Argument('<shell>', 'the shell that is to complete').choices(SHELLS))
    .addHelpText('after', COMPLETION_EXAMPLES)
    .action(async (shell: Shell) => {
      stage.terminal.out(SCRIPTS[shell](await wordsOf(entries, stage)));
    });
}

interface Words {
  /** The words before the cursor, like `findings list`; empty where the first word is completed. */
  readonly after: string;
  readonly words: readonly { readonly word: string; readonly about: string }[];
}

async function wordsOf(entries: readonly Completed[], stage: Stage): Promise<readonly Words[]> {
  const commands = await Promise.all(
    entries.map(async ({ name, description, load }) => {
      const command = new Command(name).description(description);
      (await load())(command, stage);
      return command;
    }),
  );
  const first = commands.map((one) => ({ word: one.name(), about: one.description() }));
  return [{ after: '', words: first }, ...commands.flatMap((one) => wordsAfter(one, one.name()))];
}

/** Returns the words and options of a command, and those of the commands below it. */
function wordsAfter(command: Command, after: string): readonly Words[] {
  const below = command.commands.map((one) => ({ word: one.name(), about: one.description() }));
  const options = command.options.map(({ long, description }) => ({
    word: long!,
    about: description,
  }));
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  const chosen = choices.map((word) => ({ word, about: '' }));
  const help = { word: '--help', about: 'what it does, and examples' };
  const deeper = command.commands.flatMap((one) => wordsAfter(one, `${after} ${one.name()}`));
  return [{ after, words: [...below, ...chosen, ...options, help] }, ...deeper];
}

const SCRIPTS: Readonly<Record<Shell, (all: readonly Words[]) => string>> = {
  bash: (all) => `# bash completion of pointage
_pointage() {
  local words
  case "$(_pointage_command)" in
${all.map(({ after, words }) => `    '${after}') words='${words.map(({ word }) => word).join(' ')}' ;;`).join('\n')}
    *) words='' ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
  [ "\${#COMPREPLY[@]}" -gt 0 ] || compopt -o default 2>/dev/null
}
# The words before the cursor that name a command.
_pointage_command() {
  local found='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$found $word" in
${all.flatMap(({ after }) => (after === '' ? [] : [`      ' ${after}'|'${after}') found='${after}' ;;`])).join('\n')}
    esac
  done
  printf '%s' "$found"
}
complete -F _pointage pointage
`,
  zsh: (all) => `#compdef pointage
# zsh completion of pointage
local found='' word
for word in "\${(@)words[2,CURRENT-1]}"; do
  case "$found $word" in
${all.flatMap(({ after }) => (after === '' ? [] : [`    ' ${after}'|'${after}') found='${after}' ;;`])).join('\n')}
  esac
done
local -a known
case "$found" in
${all.map(({ after, words }) => `  '${after}') known=(${words.map(({ word, about }) => shellWord(`${word}:${about.replaceAll(':', '\\:')}`)).join(' ')}) ;;`).join('\n')}
esac
_describe 'pointage' known || _files
`,
  fish: (all) => `# fish completion of pointage
${all.flatMap(({ after, words }) => words.map((one) => fishLine(after, one))).join('\n')}
`,
};

function fishLine(after: string, { word, about }: Words['words'][number]): string {
  const [command, below] = after.split(' ');
  const seen = command === '' ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${command}`;
  const when = below === undefined ? seen : `${seen}; and __fish_seen_subcommand_from ${below}`;
  const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`;
  return `complete -c pointage -n ${shellWord(when)} ${what} -d ${shellWord(about)}`;
}
