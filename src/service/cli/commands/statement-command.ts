// `pointage statement`: a month that is over, as documents in a folder. Made of the mirror, or of books in files or tables.

import type { Command } from 'commander';
import { type Period, parsePeriod, parseYear, type StatedPeriod } from '../../../core/domain/period.ts';
import { printable } from '../../../core/domain/printable.ts';
import { saidByService } from '../../../core/statements/service/said-by-service.ts';
import { LANGUAGES } from '../../../core/statements/statement.ts';
import type { StatementFormat, WrittenFormat } from '../../../io/formats/format.ts';
import { FORMATS, formatNamed } from '../../../io/formats/register.ts';
import {
  judgingOf,
  openConfiguredDashboard,
  openConfiguredSource,
  openFilledStore,
} from '../../compose/open-configured.ts';
import type { Configuration } from '../../config/check-configuration.ts';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import { journalFor, partiesFor, zoneFor } from '../../config/for-merchant.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { ENGINE } from '../../engine.ts';
import { DEFAULT_TEMPLATE_FOLDER, loadTemplate } from '../../templates/load-template.ts';
import { askServiceMonthAt, nothingPublished } from '../../workflows/month/service-month.ts';
import {
  type BookRepository,
  repositoryOfMirror,
  repositoryOfSource,
  type StatementOutcome,
  writeStatements,
} from '../../workflows/month/write-statements.ts';
import { instantOf, oneOf, type Stage, wholeConfigurationOf, withCommonOptions } from '../command.ts';
import { printService } from '../print/service.ts';
import { barsOf, paint } from '../terminal.ts';

const EXAMPLES = `
Examples:
  pointage statement M001 2026-10
  pointage statement M001 2026-10 --format pdf,xlsx --lang en --out ./releves
  pointage statement --all 2026-10 --source file:./books
  pointage statement M001 2026 --format pdf,xlsx,fec,journal

Of a year that is over, the same as of a month: by month instead of by day, and one ledger, FEC and journal of all of it. Bank
statements (camt, mt940, ofx) are of months.

A month is written once, as revision 1 (RELEVE_M001_2026-10_r1.json, …). Made again without a change, its files are left as
they are; with one, revision 2 is written beside them and says what changed. The JSON file is always written.

Exit status: 0 all written · 2 some months could not be stated · 3 the command failed`;

export interface StatementFlags extends Flags {
  readonly source?: string;
  readonly format: string;
  readonly lang: string;
  readonly out: string;
  readonly all?: true;
  readonly phoneNumbers: string;
  readonly template?: string;
  readonly asOf?: string;
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
    .option('--template <dir>', 'layout, words and fonts of printed statements (default: those of pointage)')
    .option('--as-of <instant>', 'when the books were read (default: now)')
    .addHelpText('after', EXAMPLES)
    .action((first: string | undefined, second: string | undefined, flags: StatementFlags) =>
      state(stage, [first, second], flags),
    );
}

async function state(stage: Stage, words: readonly (string | undefined)[], flags: StatementFlags): Promise<void> {
  const wish = wishOf(words, { all: flags.all === true, command: 'statement', periods: MONTHS_AND_YEARS });
  refuseOfYears(flags.format, wish.period);
  await writeWished(stage, flags, { ...wish, formats: formatsOf(flags.format) });
}

/** Of the mirror, or of books at `--source`. Prints what was written; a merchant that is refused is in the exit status. */
export async function writeWished(
  stage: Stage,
  flags: Omit<StatementFlags, 'format'>,
  wish: {
    readonly merchant: string | null;
    readonly period: StatedPeriod;
    /** JSON first. */
    readonly formats: readonly WrittenFormat[];
  },
): Promise<void> {
  const { merchant, period, formats } = wish;
  const configuration = await wholeConfigurationOf(stage, flags);
  await withRepository(stage, configuration, flags.source, async (repository, isStateless) => {
    if (merchant !== null && !(await repository.knows(merchant))) {
      throw new ConfigurationInvalid(`There is no merchant '${merchant}' ${placeOf(flags.source)}.`);
    }
    const outcomes = await writeAll(stage, configuration, {
      repository,
      flags,
      formats,
      period,
      isStateless,
      merchants: merchant === null ? await repository.merchants() : [merchant],
    });
    printOutcomes(stage, outcomes);
    if (outcomes.some((outcome) => 'refused' in outcome)) stage.status = merchant === null ? 2 : 3;
  });
}

/** What a command takes for its period. */
export interface Periods<Stated> {
  readonly parse: (text: string) => Stated | null;
  /** `month`, `month or year`. */
  readonly name: string;
  /** `2026-10`. */
  readonly example: string;
}

export const MONTHS: Periods<Period> = { parse: parsePeriod, name: 'month', example: '2026-10' };
export const MONTHS_AND_YEARS: Periods<StatedPeriod> = {
  parse: (text) => parsePeriod(text) ?? parseYear(text),
  name: 'month or year',
  example: '2026-10',
};

/** Which period of whom; the merchant is null with `--all`. */
export function wishOf<Stated>(
  words: readonly (string | undefined)[],
  { all, command, periods }: { readonly all: boolean; readonly command: string; readonly periods: Periods<Stated> },
): { readonly merchant: string | null; readonly period: Stated } {
  const [merchant, text, ...extra] = all ? [null, words[0], words[1]] : [words[0], words[1]];
  if (merchant === undefined || text === undefined || extra.some((word) => word !== undefined)) {
    const usage = `pointage ${command} ${all ? '--all' : 'M001'} ${periods.example}`;
    throw new ConfigurationInvalid(`Say which ${periods.name} of whom, for example: ${usage}`);
  }
  const period = periods.parse(text);
  if (period === null) {
    throw new ConfigurationInvalid(`'${text}' is not a ${periods.name}; write it like ${periods.example}.`);
  }
  return { merchant, period };
}

/** A bank numbers its statements by months. */
function refuseOfYears(list: string, period: StatedPeriod): void {
  const ofMonths = list.split(',').filter((name) => ['camt', 'mt940', 'ofx'].includes(name.trim()));
  if (period.month !== null || ofMonths.length === 0) return;
  throw new ConfigurationInvalid(`A bank statement (${ofMonths.join(', ')}) is of a month, not of a year.`);
}

/** JSON first: a revision is known by it. */
export function formatsOf(list: string): readonly StatementFormat[] {
  const known = FORMATS.map((format) => format.name).join(', ');
  const asked = list.split(',').map((name) => {
    const format = formatNamed(name.trim());
    if (format === null) throw new ConfigurationInvalid(`--format must be among ${known}, not '${name.trim()}'.`);
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
  const now = instantOf(flags.asOf, stage.clock());
  const published = await openConfiguredDashboard(configuration, configuration.source, stage);
  const bars = barsOf(stage.terminal);
  try {
    return await writeStatements({
      repository: wanted.repository,
      merchants,
      period: wanted.period,
      folder: flags.out,
      formats: wanted.formats,
      options: {
        language: oneOf('--lang', flags.lang, LANGUAGES),
        verifyAt: configuration.reports.verifyAt ?? null,
        template: loadTemplate(flags.template ?? configuration.reports.template ?? DEFAULT_TEMPLATE_FOLDER),
      },
      phoneNumbers: oneOf('--phone-numbers', flags.phoneNumbers, ['masked', 'whole']),
      zoneFor: (merchant) => zoneFor(configuration, merchant),
      journalFor: (merchant) => journalFor(configuration, merchant),
      partiesFor: (merchant) => partiesFor(configuration, merchant),
      auditFor: (merchant) =>
        judgingOf(configuration, merchant, { asOf: now, stateless: wanted.isStateless(merchant) }),
      serviceMonthOf: published === null ? nothingPublished : askServiceMonthAt(published),
      engine: ENGINE,
      now,
      onMerchant: (merchant, expected) => bars.next(merchant, expected, merchants.length),
    });
  } finally {
    bars.stop();
    await published?.dashboard.close();
  }
}

/** `uri` undefined: the mirror. */
export async function withRepository(
  stage: Stage,
  configuration: Configuration,
  uri: string | undefined,
  use: (repository: BookRepository, isStateless: (merchant: string) => boolean) => Promise<void>,
): Promise<void> {
  const opened =
    uri === undefined ? await openFilledStore(configuration) : await openConfiguredSource(configuration, uri, stage);
  try {
    if ('pool' in opened) await use(repositoryOfMirror(opened), () => false);
    else await use(repositoryOfSource(opened), (merchant) => opened.isStateless(merchant));
  } finally {
    await opened.close();
  }
}

function placeOf(uri: string | undefined): string {
  return uri === undefined ? "in the mirror; run 'pointage run' first, or give --source" : `at ${uri}`;
}

function printOutcomes({ terminal }: Stage, outcomes: readonly StatementOutcome[]): void {
  for (const outcome of outcomes) {
    if ('refused' in outcome) {
      terminal.note(`${paint(terminal, 'red', '✗')} ${printable(outcome.merchant)}: ${printable(outcome.refused)}\n`);
      continue;
    }
    const { statement, files } = outcome;
    const { number, changes } = statement.revision;
    const title = `${printable(outcome.merchant)} ${statement.period.period}, revision ${number}`;
    const state = files.some((file) => file.isNew) ? 'written' : 'unchanged';
    terminal.out(`${title}, ${state}: ${statement.summary.verdict.state}, ${statement.integrity.shortHash}\n`);
    for (const change of changes.slice(0, 10)) {
      terminal.out(`  ${change.figure}: ${change.before ?? '—'} → ${change.after ?? '—'}\n`);
    }
    if (changes.length > 10) terminal.out(`  … ${changes.length - 10} more figures changed\n`);
    printService(terminal, saidByService(statement));
    for (const { file, isNew } of files) terminal.out(`  ${isNew ? '' : '(kept) '}${file}\n`);
  }
}
