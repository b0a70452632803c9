// `pointage statements`: what people do with statements that were issued: release one that is held, send one once more.

import { userInfo } from 'node:os';
import { type Command, InvalidArgumentError } from 'commander';
import { formatInstant } from '../../../core/domain/instant.ts';
import { parsePeriod } from '../../../core/domain/period.ts';
import { printable } from '../../../core/domain/printable.ts';
import { LANGUAGES } from '../../../core/statements/statement.ts';
import { announcementsOf } from '../../compose/delivering.ts';
import { withStore } from '../../compose/open-configured.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { isEmail } from '../../config/service-settings.ts';
import { type Released, releaseStatement, sendStatement } from '../../workflows/deliveries/send-statement.ts';
import { configurationOf, oneOf, type Stage, withCommonOptions } from '../command.ts';

const HELD = `
A statement of books that do not agree is held: it is issued, and no merchant, accountant or folder has it until it is released.
'deliveries.hold' in the configuration says so; the mail at the night's end names the months that are held.`;

const EXAMPLES = {
  release: ['release M001 2026-10', 'release M001 2026-10 --by awa'],
  send: [
    'send M001 2026-10 --to audit@example.com',
    'send M001 2026-10 --to a@example.com --to b@example.com --lang en',
  ],
} as const;

function examplesOf(...commands: readonly (keyof typeof EXAMPLES)[]): string {
  const lines = commands.flatMap((command) => EXAMPLES[command].map((example) => `\n  pointage statements ${example}`));
  return `\nExamples:${lines.join('')}`;
}

interface SendFlags extends Flags {
  readonly to: readonly string[];
  readonly lang?: string;
}

export function defineStatements(command: Command, stage: Stage): void {
  command.addHelpText('after', `${HELD}\n${examplesOf('release', 'send')}`);
  withCommonOptions(command.command('release'))
    .description('let a statement that is held go out, to all whom it was meant for')
    .argument('<merchant>', 'reference of the merchant')
    .argument('<period>', 'its month: YYYY-MM', periodOf)
    .option('--by <name>', 'who releases it (default: the user of this session)')
    .addHelpText('after', `${HELD}\n${examplesOf('release')}`)
    .action((merchant: string, period: string, flags: ReleaseFlags) => release(stage, { merchant, period }, flags));
  withCommonOptions(command.command('send'))
    .description('send the revision in force by mail once more, to an address of your choice')
    .argument('<merchant>', 'reference of the merchant')
    .argument('<period>', 'its month: YYYY-MM', periodOf)
    .requiredOption('--to <address>', 'to whom; may be given more than once', addressesOf)
    .option('--lang <language>', `words of the mail: ${LANGUAGES.join(' or ')}; that of reports unless told`)
    .addHelpText('after', examplesOf('send'))
    .action((merchant: string, period: string, flags: SendFlags) => send(stage, { merchant, period }, flags));
}

function periodOf(text: string): string {
  if (parsePeriod(text) !== null) return text;
  throw new InvalidArgumentError('It must be a month: YYYY-MM.');
}

function addressesOf(text: string, known: readonly string[] = []): readonly string[] {
  if (isEmail(text)) return [...known, text];
  throw new InvalidArgumentError('It must be a mail address.');
}

interface Month {
  readonly merchant: string;
  readonly period: string;
}

interface ReleaseFlags extends Flags {
  readonly by?: string;
}

async function release(
  stage: Stage,
  month: Month,
  { by = userInfo().username, ...flags }: ReleaseFlags,
): Promise<void> {
  await withStore(await configurationOf(stage, flags), async (store) => {
    const released = await releaseStatement(store, month, { by, now: stage.clock() });
    const said = released === null ? 'nothing of it is held.' : saidOf(released.deliveries);
    stage.terminal.out(`${printable(month.merchant)} ${month.period}: ${said}\n`);
    if (released !== null) for (const line of sinceHeld(released)) stage.terminal.out(`  ${line}\n`);
  });
}

const BECAME = { settle: 'settled', accept: 'accepted', resolve: 'no longer found' } as const;

/** What whoever releases it should know of the roots that broke the month. */
function sinceHeld({ open, since }: Released): readonly string[] {
  if (open === null) return [];
  const lines = since.map(({ fingerprint, action, by, reason, at }) => {
    const person = by === null ? '' : ` by ${printable(by)}`;
    return `= ${fingerprint.slice(0, 8)}  ${BECAME[action]} on ${formatInstant(at).slice(0, 10)}${person}: ${printable(reason)}`;
  });
  const count = open === 1 ? '1 of its roots is' : `${open} of its roots are`;
  return open === 0 ? lines : [...lines, `! ${count} open as when it was issued`];
}

function saidOf(count: number): string {
  if (count === 0) return 'released; nothing of it waits to be sent.';
  return `released; ${count} ${count === 1 ? 'delivery goes' : 'deliveries go'} out${SENDER}`;
}

const SENDER = "; a worker sends, or 'pointage deliveries send'.";

async function send(stage: Stage, month: Month, flags: SendFlags): Promise<void> {
  const configuration = await configurationOf(stage, flags);
  // It refuses a configuration without a mail server.
  announcementsOf(configuration);
  const language = flags.lang === undefined ? configuration.reports.language : oneOf('--lang', flags.lang, LANGUAGES);
  await withStore(configuration, async (store) => {
    const { revision } = await sendStatement(store, { ...month, to: flags.to, language }, stage.clock());
    const to = flags.to.join(', ');
    stage.terminal.out(`${printable(month.merchant)} ${month.period}, revision ${revision}, goes to ${to}${SENDER}\n`);
  });
}
