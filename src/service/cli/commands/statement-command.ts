// Commands on months that are over. `pointage statement make` writes them as documents to a folder,
// from the mirror or from books in files or tables. `pointage statement attest` confirms the
// balance at the end of a day on one page, for an auditor: a statement of the month up to that day.
// `pointage statement issue` issues months as reports in the store, one merchant after the other.

import type { Command } from 'commander';
import {
  formatPeriod,
  type Period,
  parseDay,
  type StatedPeriod,
} from '../../../core/domain/period.ts';
import { commandLine, printable } from '../../../core/domain/printable.ts';
import { publishedByService } from '../../../core/statements/service/service-comparison.ts';
import { LANGUAGES } from '../../../core/statements/statement.ts';
import type { StatementFormat, WrittenFormat } from '../../../io/formats/port/format.ts';
import { FORMATS, formatNamed } from '../../../io/formats/register.ts';
import { announcementsOf } from '../../compose/delivering.ts';
import { evidenceOf } from '../../compose/evidence.ts';
import {
  isSourceConfigured,
  openConfiguredDashboard,
  openConfiguredSource,
  openConfiguredSources,
  openFilledStore,
  withStore,
} from '../../compose/open-configured.ts';
import {
  publishingOf,
  repositoryReread,
  rereadingOf,
  statingOf,
} from '../../compose/publishing.ts';
import type { Configuration } from '../../config/check-configuration.ts';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import { journalInCommon } from '../../config/for-merchant.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { loadTemplate } from '../../templates/load-template.ts';
import { recordStatement } from '../../workflows/evidence/record-evidence.ts';
import { type PublishOutcome, publishStatements } from '../../workflows/month/publish-statement.ts';
import {
  type BookRepository,
  repositoryOfMirror,
  repositoryOfSource,
  type StatementOutcome,
  writeStatements,
} from '../../workflows/month/write-statements.ts';
import { printService } from '../print/service.ts';
import { MONTHS, MONTHS_AND_YEARS, wishOf } from '../stage/periods.ts';
import { signAs } from '../stage/signing.ts';
import {
  instantOf,
  oneOf,
  type Stage,
  wholeConfigurationOf,
  withCommonOptions,
} from '../stage/stage.ts';
import { barsOf, paint } from '../stage/terminal.ts';

const EXAMPLES = `
Examples:
  pointage statement make M001 2026-10
  pointage statement make M001 2026-10 --format pdf,xlsx --lang en --out ./statements
  pointage statement make --all 2026-10 --source file:./books
  pointage statement make M001 2026 --format pdf,xlsx,fec,journal

Of a year that is over, the same as of a month: by month instead of by day, and one ledger, FEC and journal of all of it. Bank
statements (camt, mt940, ofx) are of months.

A month is written once, as revision 1 (RELEVE_M001_2026-10_r1.json, …). Made again without a change, its files are left as
they are; with one, revision 2 is written beside them and says what changed. The JSON file is always written. Of the mirror, a month that
was issued is written as it was issued; with --annex it is stated again as that revision, or refused where it would be another.

Exit status: 0 all written · 2 some months could not be stated · 3 the command failed`;

interface StatementFlags extends Flags {
  readonly source?: string;
  readonly format: string;
  readonly lang: string;
  readonly out: string;
  readonly all?: true;
  readonly phoneNumbers: string;
  readonly template?: string;
  readonly asOf?: string;
  readonly annex?: true;
}

export function defineStatement(command: Command, stage: Stage): void {
  const names = FORMATS.map((format) => format.name).join(', ');
  withCommonOptions(command)
    .argument('[merchant]', 'reference of the merchant; left out with --all')
    .argument('[period]', 'a month or a year that is over: YYYY-MM, YYYY')
    .option('--all', 'every merchant')
    .option('--source <uri>', 'where the books are: file:DIR or postgres://… (default: the mirror)')
    .option('--format <formats>', `formats, separated by commas: ${names}`, 'pdf,xlsx,csv,json')
    .option('--lang <language>', 'fr or en', 'fr')
    .option('--out <dir>', 'folder to write to', 'releves')
    .option('--phone-numbers <how>', 'masked or whole', 'masked')
    .option(
      '--template <dir>',
      'layout, words and fonts of printed statements (default: those of pointage)',
    )
    .option('--annex', 'the ledger, line by line, at the end of the PDF')
    .option('--as-of <instant>', 'when the books were read (default: now)')
    .addHelpText('after', EXAMPLES)
    .action(
      async (first: string | undefined, second: string | undefined, flags: StatementFlags) => {
        const about = {
          all: flags.all === true,
          command: 'statement make',
          periods: MONTHS_AND_YEARS,
        };
        const wish = wishOf([first, second], about);
        refuseOfYears(flags.format, wish.period);
        await writeWished(stage, flags, { ...wish, formats: formatsOf(flags.format) });
      },
    );
}

/**
 * Writes the statements of the mirror, or of books at `--source`, and prints what was written. A
 * merchant that is refused shows in the exit status.
 */
async function writeWished(
  stage: Stage,
  flags: Omit<StatementFlags, 'format'>,
  wish: {
    readonly merchant: string | null;
    readonly period: StatedPeriod;
    /** The formats to write; JSON must be the first. */
    readonly formats: readonly WrittenFormat[];
  },
): Promise<void> {
  const { merchant, period, formats } = wish;
  const configuration = await wholeConfigurationOf(stage, flags);
  await withRepository(stage, configuration, flags.source, async (repository, isStateless) => {
    if (merchant !== null && !(await repository.knows(merchant))) {
      const mirror = "in the mirror; run 'pointage run' first, or give --source";
      const place = flags.source === undefined ? mirror : `at ${flags.source}`;
      throw new ConfigurationInvalid(`There is no merchant '${merchant}' ${place}.`);
    }
    const merchants = merchant === null ? await repository.merchants() : [merchant];
    const wanted = { repository, flags, formats, period, isStateless, merchants };
    const outcomes = await writeAll(stage, configuration, wanted);
    printOutcomes(stage, outcomes);
    warnOfJournals(stage, configuration);
    const isMissing = (one: StatementOutcome): boolean =>
      'refused' in one && (merchant !== null || one.isNothingYet !== true);
    if (outcomes.some(isMissing)) stage.status = merchant === null ? 2 : 3;
  });
}

/**
 * Refuses formats of bank statements for a year, because a bank numbers its statements by months.
 */
function refuseOfYears(list: string, period: StatedPeriod): void {
  const ofMonths = list.split(',').filter((name) => ['camt', 'mt940', 'ofx'].includes(name.trim()));
  if (period.month !== null || ofMonths.length === 0) return;
  throw new ConfigurationInvalid(
    `A bank statement (${ofMonths.join(', ')}) is of a month, not of a year.`,
  );
}

/** Returns the formats that `list` names, JSON first, because a revision is known by its JSON. */
export function formatsOf(list: string): readonly StatementFormat[] {
  const known = FORMATS.map((format) => format.name).join(', ');
  const asked = list.split(',').map((name) => {
    const format = formatNamed(name.trim());
    if (format === null)
      throw new ConfigurationInvalid(`--format must be among ${known}, not '${name.trim()}'.`);
    return format;
  });
  return [...new Set([formatNamed('json')!, ...asked])];
}

/** Writes the months in these formats, with a progress bar. */
export async function writeAll(
  stage: Stage,
  configuration: Configuration,
  wanted: {
    readonly repository: BookRepository;
    readonly flags: Omit<StatementFlags, 'format'>;
    readonly formats: readonly WrittenFormat[];
    readonly merchants: readonly string[];
    readonly period: StatedPeriod;
    readonly isStateless: (merchant: string) => boolean;
  },
): Promise<readonly StatementOutcome[]> {
  const { flags, merchants } = wanted;
  await using published = await openConfiguredDashboard(configuration, configuration.source, stage);
  const stating = statingOf(configuration, {
    now: instantOf(flags.asOf, stage.clock()),
    published,
    isStateless: wanted.isStateless,
    language: oneOf('--lang', flags.lang, LANGUAGES),
    phoneNumbers: oneOf('--phone-numbers', flags.phoneNumbers, ['masked', 'whole']),
    template: loadTemplate(flags.template ?? configuration.reports.template),
  });
  using bars = barsOf(stage.terminal);
  return await writeStatements({
    repository: wanted.repository,
    merchants,
    period: wanted.period,
    folder: flags.out,
    formats: wanted.formats,
    ...stating,
    options: { ...stating.options, withLedger: flags.annex === true },
    onMerchant: (merchant, expected) => bars.next(merchant, expected, merchants.length),
  });
}

/** Gives `use` the books at `uri`, or those of the mirror where `uri` is `undefined`. */
export async function withRepository(
  stage: Stage,
  configuration: Configuration,
  uri: string | undefined,
  use: (repository: BookRepository, isStateless: (merchant: string) => boolean) => Promise<void>,
): Promise<void> {
  if (uri === undefined)
    return withStore(configuration, (store) => use(repositoryOfMirror(store), () => false));
  await using source = await openConfiguredSource(configuration, uri, stage);
  await use(repositoryOfSource(source), (merchant) => source.isStateless(merchant));
}

function printOutcomes({ terminal }: Stage, outcomes: readonly StatementOutcome[]): void {
  for (const outcome of outcomes) {
    if ('refused' in outcome) {
      terminal.note(
        `${outcome.isNothingYet === true ? '·' : paint(terminal, 'red', '✗')} ${printable(outcome.merchant)}: ${printable(outcome.refused)}\n`,
      );
      continue;
    }
    const { statement, files, isIssued } = outcome;
    const { number, changes } = statement.revision;
    const title = `${printable(outcome.merchant)} ${statement.period.period}, revision ${number}`;
    const state = `${files.some((file) => file.isNew) ? 'written' : 'unchanged'}${isIssued ? ', as it was issued' : ''}`;
    terminal.out(
      `${title}, ${state}: ${statement.summary.verdict.state}, ${statement.integrity.shortHash}\n`,
    );
    for (const change of changes.slice(0, 10)) {
      terminal.out(`  ${change.figure}: ${change.before ?? '—'} → ${change.after ?? '—'}\n`);
    }
    if (changes.length > 10) terminal.out(`  … ${changes.length - 10} more figures changed\n`);
    printService(terminal, publishedByService(statement));
    for (const { file, isNew } of files) terminal.out(`  ${isNew ? '' : '(kept) '}${file}\n`);
    // Say so here, because programs that import a FEC will say that it is empty.
    if (
      statement.journal.entryCount === 0 &&
      files.some(({ file }) => /FEC\d{8}\S*\.txt$/.test(file))
    )
      terminal.out('  the month has no entry: its FEC is a heading without rows\n');
  }
}

const ATTEST_EXAMPLES = `
Examples:
  pointage statement attest M001 2026-10-31
  pointage statement attest M001 2026-12-31 --lang en --out ./audit
  pointage statement attest --all 2026-12-31 --source file:./books

The day ends at midnight in the zone of the merchant's months. One page as PDF, and JSON: the balance as recorded, as due and as
recomputed, what is reserved and what is available, the verdict, what is open, and what was not checked. Made again without a
change, its files are left as they are; with one, revision 2 is written beside them.

Exit status: 0 all written · 2 some could not be stated · 3 the command failed`;

const DAYS = { parse: parseDay, name: 'day', example: '2026-10-31' };

export function defineAttest(command: Command, stage: Stage): void {
  withCommonOptions(command)
    .argument('[merchant]', 'reference of the merchant; left out with --all')
    .argument('[day]', 'a day that is over: YYYY-MM-DD')
    .option('--all', 'every merchant')
    .option('--source <uri>', 'where the books are: file:DIR or postgres://… (default: the mirror)')
    .option('--lang <language>', 'fr or en', 'fr')
    .option('--out <dir>', 'folder to write to', 'attestations')
    .option('--phone-numbers <how>', 'masked or whole', 'masked')
    .option('--template <dir>', 'layout, words and fonts (default: those of pointage)')
    .option('--as-of <instant>', 'when the books were read (default: now)')
    .addHelpText('after', ATTEST_EXAMPLES)
    .action(
      async (
        first: string | undefined,
        second: string | undefined,
        flags: Omit<StatementFlags, 'format'>,
      ) => {
        const wish = wishOf([first, second], {
          all: flags.all === true,
          command: 'statement attest',
          periods: DAYS,
        });
        const { ATTESTATION_FORMATS } = await import(
          '../../../io/formats/attestation/attestation-formats.ts'
        );
        await writeWished(stage, flags, { ...wish, formats: ATTESTATION_FORMATS });
      },
    );
}

const PUBLISH_EXAMPLES = `
Examples:
  pointage statement issue M001 2026-10
  pointage statement issue --all 2026-10

The lines of the month are read again first where a source is configured (history.beforeStatement). A month is issued once, as
revision 1, and frozen; issued again without a change it stays the same report. 'pointage serve'
gives reports out. Accountants and the folder of the configuration are served by a worker, or by 'pointage deliveries send'. The trail
has who issued: the operator of POINTAGE_TOKEN, a publisher, or without a token the account of the system.

Exit status: 0 all READY · 2 some FAILED or refused · 3 the command failed`;

export function definePublish(command: Command, stage: Stage): void {
  withCommonOptions(command)
    .argument('[merchant]', 'reference of the merchant; left out with --all')
    .argument('[period]', 'a month that is over: YYYY-MM')
    .option('--all', 'every merchant of the mirror')
    .addHelpText('after', PUBLISH_EXAMPLES)
    .action(
      async (
        first: string | undefined,
        second: string | undefined,
        flags: Flags & { readonly all?: true },
      ) => {
        const about = { all: flags.all === true, command: 'statement issue', periods: MONTHS };
        const wish = wishOf([first, second], about);
        await publishWished(stage, await wholeConfigurationOf(stage, flags), wish);
      },
    );
}

async function publishWished(
  stage: Stage,
  configuration: Configuration,
  { merchant, period }: { readonly merchant: string | null; readonly period: Period },
): Promise<void> {
  const announcements = announcementsOf(configuration);
  await using published = await openConfiguredDashboard(configuration, configuration.source, stage);
  await using store = await openFilledStore(configuration);
  await using source = isSourceConfigured(configuration)
    ? await openConfiguredSources(configuration, stage)
    : null;
  using bars = barsOf(stage.terminal);
  const mirror = repositoryOfMirror(store);
  if (merchant !== null && !(await mirror.knows(merchant))) {
    throw new ConfigurationInvalid(
      `There is no merchant '${merchant}' in the mirror; run 'pointage run' first.`,
    );
  }
  const merchants = merchant === null ? await mirror.merchants() : [merchant];
  const evidence = evidenceOf(configuration, store, stage);
  const about = {
    action: 'statement issue',
    merchant,
    subject: formatPeriod(period),
    orAccount: true,
  } as const;
  const { leave } = await signAs(stage, { store, configuration, permission: 'publish', ...about });
  const onIssued = async (report: Parameters<typeof recordStatement>[1]): Promise<void> => {
    await leave(0, [
      { merchant: report.merchant, subject: `${report.period} r${report.revision}` },
    ]);
    await recordStatement(evidence, report);
  };
  const again =
    source === null ? null : rereadingOf(configuration, { store, source, clock: stage.clock });
  const repository =
    again === null ? mirror : repositoryReread(store, (reference) => again(reference, period));
  const task = publishingOf(configuration, store, { ...stage, published, announcements, onIssued })(
    period,
  );
  const onMerchant = (reference: string, expected: number | null) =>
    bars.next(reference, expected, merchants.length);
  const outcomes = await publishStatements({ ...task, repository, onMerchant }, merchants);
  bars.stop();
  for (const outcome of outcomes) printOutcome(stage, outcome);
  warnOfOrder(stage, outcomes);
  warnOfJournals(stage, configuration);
  const isMissing = (one: PublishOutcome): boolean =>
    'refused' in one ||
    (one.report.status !== 'READY' && (merchant !== null || one.isNothingYet !== true));
  if (outcomes.some(isMissing)) stage.status = 2;
}

/** Warns once, for all merchants, that the month before was not issued when this one was. */
function warnOfOrder({ terminal }: Stage, outcomes: readonly PublishOutcome[]): void {
  const early = outcomes.flatMap((one) =>
    'refused' in one || !one.isNew || one.notIssuedBefore === undefined ? [] : [one],
  );
  const [first] = early;
  if (first === undefined) return;
  const { merchant, report, notIssuedBefore: before } = first;
  const whose = early.length === 1 ? printable(merchant) : `${early.length} merchants`;
  terminal.note(
    `! ${before} is not issued for ${whose}: ${report.period} has no comparison with it before its next revision. Issue months in their order.\n`,
  );
}

function warnOfJournals({ terminal }: Stage, configuration: Configuration): void {
  const common = journalInCommon(configuration);
  if (common !== null) terminal.note(`! ${printable(common.join(': '))}\n`);
}

function printOutcome({ terminal }: Stage, outcome: PublishOutcome): void {
  if ('refused' in outcome) {
    terminal.note(
      `${paint(terminal, 'red', '✗')} ${printable(outcome.merchant)}: ${printable(outcome.refused)}\n`,
    );
    return;
  }
  const { merchant, report, isNew, service, outOfOrder } = outcome;
  const state = isNew ? report.status : `${report.status}, unchanged`;
  terminal.out(
    `${printable(merchant)} ${report.period}, revision ${report.revision}: ${state} (${report.id})\n`,
  );
  if (outOfOrder !== undefined)
    terminal.out(
      `  issued after ${outOfOrder}, which is compared with earlier months from its next revision on\n`,
    );
  if (report.error !== null) terminal.out(`  ${printable(report.error)}\n`);
  if (report.isHeld)
    terminal.out(
      `  held: '${commandLine('statement release', merchant, report.period)}' lets it go\n`,
    );
  if (service !== null) printService(terminal, service);
}
