// Commands on months that were issued. `pointage statement release` lets a held statement go, and
// `send` sends a statement once more. `close` locks months of one merchant or of all: it says what
// is open in them, and what falls into the month after.

import { type Command, InvalidArgumentError } from 'commander';
import { parsePeriod } from '../../../core/domain/period.ts';
import { printable } from '../../../core/domain/printable.ts';
import { LANGUAGES } from '../../../core/statements/statement.ts';
import { columnsOf } from '../../../core/statements/tables/table.ts';
import { announcementsOf, recipientsOf } from '../../compose/delivering.ts';
import { withStore } from '../../compose/open-configured.ts';
import type { Configuration } from '../../config/check-configuration.ts';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import { journalFor } from '../../config/for-merchant.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { email } from '../../config/service-settings.ts';
import { loadTemplate } from '../../templates/load-template.ts';
import {
  type Released,
  type StoredDelivery,
  sendStatement,
} from '../../workflows/deliveries/manage-deliveries.ts';
import {
  certifyYear,
  describeLate,
  describeOpen,
  type MonthClosing,
} from '../../workflows/month/close-months.ts';
import { repositoryOfMirror } from '../../workflows/month/write-statements.ts';
import {
  MONTH_KEYS,
  type MonthQuery,
  type MonthRecord,
} from '../../workflows/operators/month-desk.ts';
import type { Proposal } from '../../workflows/operators/proposals.ts';
import { SPOKEN } from '../print/spoken.ts';
import { MONTHS_AND_YEARS, wishOf } from '../stage/periods.ts';
import { asOperator } from '../stage/signing.ts';
import {
  configurationOf,
  oneOf,
  type Stage,
  wholeConfigurationOf,
  withCommonOptions,
} from '../stage/stage.ts';
import { paint } from '../stage/terminal.ts';
import { type Act, defineSubject, inStore, inStoreAs, type List } from './subject.ts';

const HELD = `
A statement is held where its books do not agree, were rewritten, or were read anew since the month was issued: no merchant,
accountant or folder has it until it is released. 'deliveries.hold' in the configuration can let those that do not agree go out,
and no others; the mail at the night's end names the months that are held.`;

function periodOf(text: string): string {
  if (parsePeriod(text) !== null) return text;
  throw new InvalidArgumentError('It must be a month: YYYY-MM.');
}

function addressesOf(text: string, known: readonly string[] = []): readonly string[] {
  if (email.safeParse(text).success) return [...known, text];
  throw new InvalidArgumentError('It must be a mail address.');
}

/** Adds the arguments `M001 2026-10`. */
function withMonth(command: Command): Command {
  return command
    .argument('<merchant>', 'reference of the merchant')
    .argument('<period>', 'its month: YYYY-MM', periodOf);
}

interface ListFlags {
  readonly merchant?: string;
  readonly period?: string;
  readonly held?: boolean;
}

const LIST: List<ListFlags, Omit<MonthQuery, 'limit' | 'offset'>, MonthRecord> = {
  does: 'months that were issued: of the newest month, of another, or of one merchant',
  examples: [
    'list --held',
    'list --merchant M001',
    'list --period 2026-10 --limit 10000 --format csv --out months.csv',
  ],
  limit: 200,
  define: (command) =>
    command
      .option('--merchant <reference>', 'of one merchant, newest first')
      .option('--period <YYYY-MM>', 'of one month', periodOf)
      .option('--held', 'those that wait for a person'),
  queryOf: ({ merchant, period, held }) => ({ merchant, period, isHeld: held }),
  find: ({ desk }, query) => desk.listMonths({ ...query, offset: 0 }),
  title: 'Statements',
  none: 'No such statement was issued.',
  table: [
    { head: 'merchant', cell: ({ merchant }) => printable(merchant) },
    { head: 'month', cell: ({ period, revision }) => `${period} r${revision}` },
    { head: 'verdict', cell: ({ verdict }) => verdict },
    { head: 'open', align: 'right', cell: ({ openRoots }) => String(openRoots ?? '?') },
    { head: 'sent', align: 'right', cell: ({ sent, deliveries }) => `${sent} of ${deliveries}` },
    { head: 'held, released or closed', wraps: 30, cell: whereOf },
  ],
  columns: columnsOf(MONTH_KEYS),
};

function whereOf({ isHeld, releasedAt, releasedBy, closedAt, closedBy }: MonthRecord): string {
  if (closedAt !== null) return `closed ${SPOKEN.day(closedAt)} by ${printable(closedBy ?? '')}`;
  if (releasedAt !== null)
    return `released ${SPOKEN.day(releasedAt)} by ${printable(releasedBy ?? '')}`;
  return isHeld ? 'held' : '';
}

const RELEASE: Act<Flags & { readonly reason?: string }> = {
  name: 'release',
  does: 'let a statement that is held go out, to all whom it was meant for',
  examples: ['release M001 2026-10', 'release M001 2026-10 --reason "put right by line 412"'],
  before: HELD,
  define: (command) => withMonth(command).option('--reason <text>', 'why; kept with it'),
  run: async (stage, flags, merchant: string, period: string) => {
    const deed = {
      permission: 'publish',
      action: 'statement release',
      merchant,
      subject: period,
    } as const;
    const configuration = await wholeConfigurationOf(stage, flags);
    const { waiting, ...agreed } = await inStoreAs(stage, flags, deed, async ({ desk }, by) => {
      const wish = { merchant, period, by, reason: flags.reason ?? null };
      const done = await desk.release(wish);
      const { items } = await desk.listDeliveries({
        merchant,
        period,
        state: 'PENDING',
        limit: MOST_NAMED,
      });
      return {
        ...done,
        waiting: items.flatMap((one) => presentTargets(configuration, merchant, one)),
      };
    });
    if ('proposed' in agreed) return sayProposed(stage, agreed.proposed);
    const release = agreed.done;
    const outcome =
      release === null ? 'nothing of it is held.' : wordsOfRelease(release.deliveries, waiting);
    stage.terminal.out(`${printable(merchant)} ${period}: ${outcome}\n`);
    if (release !== null) for (const line of sinceHeld(release)) stage.terminal.out(`  ${line}\n`);
  },
};

function sayProposed({ terminal }: Stage, { merchant, subject, id }: Proposal): void {
  terminal.out(
    `${printable(merchant)} ${subject} waits for a second person, as the proposal ${id}.\n`,
  );
}

const BECAME = { settle: 'settled', accept: 'accepted', resolve: 'no longer found' } as const;

/**
 * Returns a line for each root that broke the month and has been settled, accepted or no longer
 * found since, and one for the roots that are still open.
 */
function sinceHeld({ open, since }: Released): readonly string[] {
  if (open === null) return [];
  const lines = since.map(({ fingerprint, action, by, reason, at }) => {
    const person = by === null ? '' : ` by ${printable(by)}`;
    return `= ${fingerprint.slice(0, 8)}  ${BECAME[action]} on ${SPOKEN.day(at)}${person}: ${printable(reason)}`;
  });
  const count = open === 1 ? '1 of its roots is' : `${open} of its roots are`;
  return open === 0 ? lines : [...lines, `! ${count} open as when it was issued`];
}

const MOST_NAMED = 100;

function wordsOfRelease(count: number, to: readonly string[]): string {
  if (count === 0) return 'released; nothing of it waits to be sent.';
  const named = [...new Set(to)].map(printable).join(', ');
  return `released; ${count} ${count === 1 ? 'delivery goes' : 'deliveries go'} out, to ${named || 'none, as no address is configured'}${SENDER}`;
}

/**
 * Returns to whom a delivery goes now: a mail goes to the recipients that are configured when it is
 * sent.
 */
function presentTargets(
  configuration: Configuration,
  merchant: string,
  { channel, target }: StoredDelivery,
) {
  return channel === 'mail'
    ? recipientsOf(configuration, merchant).map(({ email }) => email)
    : [target];
}

const SENDER = "; a worker sends, or 'pointage deliveries send'.";

const SEND: Act<Flags & { readonly to: readonly string[]; readonly lang?: string }> = {
  name: 'send',
  does: 'send the revision in force by mail once more, to an address of your choice',
  examples: [
    'send M001 2026-10 --to audit@example.com',
    'send M001 2026-10 --to a@example.com --to b@example.com --lang en',
  ],
  define: (command) =>
    withMonth(command)
      .requiredOption('--to <address>', 'to whom; may be given more than once', addressesOf)
      .option(
        '--lang <language>',
        `words of the mail: ${LANGUAGES.join(' or ')}; that of reports unless given`,
      ),
  run: async (stage, { to, lang, ...flags }, merchant: string, period: string) => {
    const configuration = await configurationOf(stage, flags);
    // This throws where mails are to go out and there is no mail server.
    announcementsOf(configuration);
    const language =
      lang === undefined ? configuration.reports.language : oneOf('--lang', lang, LANGUAGES);
    const recipients = to.map((email) => ({ email, language }));
    await withStore(configuration, async (store) => {
      const deed = {
        store,
        configuration,
        permission: 'publish',
        action: 'statement send',
      } as const;
      const { revision } = await asOperator(
        stage,
        { ...deed, merchant, subject: period },
        ({ name: by }) => {
          const wish = { merchant, period, evenIfHeld: true, by };
          return sendStatement(store, { ...wish, to: recipients }, stage.clock());
        },
      );
      stage.terminal.out(
        `${printable(merchant)} ${period}, revision ${revision}, goes to ${to.join(', ')}${SENDER}\n`,
      );
    });
  },
};

export const defineStatements = defineSubject({
  name: 'statement',
  before: HELD,
  list: LIST,
  acts: [RELEASE, SEND],
});

const CLOSE_EXAMPLES = `
Examples:
  pointage statement close M001 2026-10
  pointage statement close M001 2026-10 --reason "accounts of October approved" --yes
  pointage statement close M001 2026
  pointage statement close M001 2026 --certificate ./clotures
  pointage statement close --all 2026-10

A closed month stays as it was issued. A line that comes later and is dated in it is stated at the beginning of the month
after, flagged as late. Nothing opens a closed month again. Where roots are open or the statement is held, nothing is closed
without --yes.

The certificate of a year names its months, by whom and when each was closed, its revision, hash and balances, what they moved on each
account, and the lines that came too late. It can be made again at any time: of the same facts it is the same, byte for byte. Beside it
is OUVERTURE_M001_2027.journal, to be included before the plain-text journals of the next year's months.

Exit status: 0 closed, also when it was before · 2 something is open, a second person must confirm it, or not every merchant's months
could be closed · 3 the command failed, or the month cannot be closed`;

interface CloseFlags extends Flags {
  readonly reason?: string;
  readonly all?: true;
  readonly yes?: true;
  readonly certificate?: string;
  readonly lang: string;
}

export function defineClose(command: Command, stage: Stage): void {
  withCommonOptions(command)
    .argument('[merchant]', 'reference of the merchant; left out with --all')
    .argument('[period]', 'a month that was issued, or a year: YYYY-MM, YYYY')
    .option('--all', 'every merchant of the mirror')
    .option('--reason <text>', 'why; kept with it')
    .option('--yes', 'also where roots are open or the statement is held')
    .option(
      '--certificate <dir>',
      'of a year: a certificate of its closing, as PDF and JSON, in that folder',
    )
    .option('--lang <language>', 'of the certificate: fr or en', 'fr')
    .addHelpText('after', CLOSE_EXAMPLES)
    .action((first: string | undefined, second: string | undefined, flags: CloseFlags) =>
      closeAsAsked(stage, [first, second], flags),
    );
}

async function closeAsAsked(
  stage: Stage,
  words: readonly (string | undefined)[],
  flags: CloseFlags,
): Promise<void> {
  const { all = false, reason = null, yes = false, certificate: folder } = flags;
  const expectOpen = yes ? ('any' as const) : null;
  const { merchant, period } = wishOf(words, {
    all,
    command: 'statement close',
    periods: MONTHS_AND_YEARS,
  });
  if (folder !== undefined && period.month !== null)
    throw new ConfigurationInvalid('--certificate is of a year, not of a month.');
  const language = oneOf('--lang', flags.lang, LANGUAGES);
  await inStore(stage, flags, async ({ desk, store, configuration }) => {
    const close = async (one: string): Promise<void> => {
      const deed = {
        store,
        configuration,
        permission: 'publish',
        action: 'statement close',
      } as const;
      const subject = words.findLast((word) => word !== undefined) ?? null;
      const agreed = await asOperator(stage, { ...deed, merchant: one, subject }, ({ name: by }) =>
        desk.close({ merchant: one, period, by, reason, expectOpen }),
      );
      if ('done' in agreed) {
        printClosings(stage, agreed.done);
        const isClosed = agreed.done.every(({ outcome }) => outcome !== 'asked');
        if (folder === undefined || period.month !== null || !isClosed) return;
        const template = loadTemplate(configuration.reports.template);
        const files = await certifyYear(
          store,
          { merchant: one, period },
          { folder, language, template, journal: journalFor(configuration, one) },
        );
        for (const file of files) stage.terminal.out(`  ${file}\n`);
        return;
      }
      sayProposed(stage, agreed.proposed);
      stage.status = 2;
    };
    if (merchant !== null) return close(merchant);
    for (const one of await repositoryOfMirror(store).merchants()) {
      try {
        await close(one);
      } catch (failure) {
        if ((failure as { code?: unknown }).code !== 'NOT_CLOSABLE') throw failure;
        stage.terminal.note(`${paint(stage.terminal, 'red', '✗')} ${(failure as Error).message}\n`);
        stage.status = 2;
      }
    }
  });
}

function printClosings(stage: Stage, closings: readonly MonthClosing[]): void {
  const { terminal } = stage;
  for (const closing of closings) {
    const month = `${printable(closing.merchant)} ${closing.period}`;
    if (closing.outcome === 'asked') {
      terminal.note(
        `${paint(terminal, 'red', '✗')} ${month} is not closed: ${describeOpen(closing)}\n`,
      );
      stage.status = 2;
    } else
      terminal.out(
        `${month}: ${closing.outcome === 'closed' ? `closed; ${describeLate(closing)}` : wordsOfBefore(closing)}\n`,
      );
  }
  if (closings.some(({ outcome }) => outcome === 'asked'))
    terminal.note('  --yes closes it all the same.\n');
}

function wordsOfBefore({ closed }: MonthClosing): string {
  if (closed === null) return 'closed before';
  const why = closed.reason === null ? '' : `: ${printable(closed.reason)}`;
  return `closed before, ${SPOKEN.day(closed.at)} by ${printable(closed.by)}${why}`;
}
