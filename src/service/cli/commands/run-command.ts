// `pointage run`: one pass over the merchants, like that of every night. Pulls what is new, replays
// it, saves findings, and says what changed.

import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { printable } from '../../../core/domain/printable.ts';
import { auditDocument, exitStatusOf } from '../../../core/kernel/reconcile/audit-document.ts';
import { money } from '../../../core/words/finding.ts';
import { requireCanary } from '../../compose/canary.ts';
import { announcementsOf } from '../../compose/delivering.ts';
import { evidenceOf } from '../../compose/evidence.ts';
import {
  judgingOf,
  openConfiguredDashboard,
  openConfiguredSource,
  openConfiguredSources,
  openConfiguredStore,
  openConfiguredTracing,
} from '../../compose/open-configured.ts';
import type { Configuration } from '../../config/check-configuration.ts';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { ENGINE } from '../../engine.ts';
import { merchantsAsked } from '../../workflows/audit/audit-source.ts';
import { recordRun } from '../../workflows/evidence/record-evidence.ts';
import {
  RunLeft,
  type RunOutcome,
  type RunTask,
  runMerchants,
} from '../../workflows/nightly/run-merchants.ts';
import { checkListingFlags, type ListingFlags, withListingOptions } from '../print/listing.ts';
import { putReports } from '../print/report.ts';
import { asOperator } from '../stage/signing.ts';
import {
  type Stage,
  stopRequested,
  wholeConfigurationOf,
  withCommonOptions,
} from '../stage/stage.ts';
import { barsOf, paint } from '../stage/terminal.ts';

const EXAMPLES = `
Examples:
  pointage run --source https://api.example/v1      (credentials in pointage.config.json)
  pointage run M001 M002
  pointage run --source file:./books                (keep a mirror of books in files)
  pointage run M001 --reread --reason "restored from a backup, see ticket 812"
                                                    (judge altered lines by what is served now)

Exit status: 0 all clean · 1 some broken · 2 none broken but some incomplete · 3 the command failed
Ctrl-C or SIGTERM: says how far it came; what was read is kept, and the next run goes on (130, 143)`;

interface RunFlags extends Flags, ListingFlags {
  readonly source?: string;
  readonly reread?: boolean;
  readonly reason?: string;
}

export function defineRun(command: Command, stage: Stage): void {
  withListingOptions(withCommonOptions(command))
    .argument('[merchant...]', 'references of the merchants to run (default: all)')
    .option('--source <uri>', 'where the books are: https://…/v1, postgres://… or file:DIR')
    .option('--reread', 'judge lines that were altered by what is served now; both contents stay')
    .option('--reason <text>', 'why they are read anew (with --reread)')
    .addHelpText('after', EXAMPLES)
    .action(async (merchants: string[], flags: RunFlags) => {
      checkListingFlags(flags);
      const configuration = await wholeConfigurationOf(stage, flags);
      const outcome = await runOnce(stage, configuration, {
        merchants,
        source: flags.source ?? null,
        reread: await rereadOf(flags, merchants, { stage, configuration }),
      });
      const reports = outcome.merchants.map((merchant) => merchant.report);
      const document = auditDocument({
        engine: ENGINE,
        asOf: outcome.startedAt,
        source: outcome.source,
        merchants: reports,
      });
      stage.status = exitStatusOf(document);
      await putReports(stage, flags, document);
      if (flags.format === 'text') printChanges(stage, outcome);
    });
}

/** Milliseconds that the store has to close when the process must stop. */
const LEAVE_WITHIN = 5_000;

interface RunWish {
  readonly merchants: readonly string[];
  readonly source: string | null;
  readonly reread?: NonNullable<RunTask['reread']> | null;
}

/**
 * Returns the operator's decision to judge altered lines by what is served now, or `null` without
 * `--reread`. Throws `ConfigurationInvalid` for a decision without a merchant or a reason.
 */
async function rereadOf(
  flags: RunFlags,
  merchants: readonly string[],
  { stage, configuration }: { readonly stage: Stage; readonly configuration: Configuration },
): Promise<NonNullable<RunTask['reread']> | null> {
  const { reread = false, reason = '' } = flags;
  if (!reread) return null;
  if (merchants.length === 0)
    throw new ConfigurationInvalid('--reread needs the merchants whose lines are read anew.');
  if (reason.trim() === '')
    throw new ConfigurationInvalid('--reread needs a --reason: it is kept with the books.');
  const [merchant, subject] =
    merchants.length === 1 ? [merchants[0]!, null] : [null, merchants.join(' ')];
  const about = { action: 'run --reread', merchant, subject };
  await using store = await openConfiguredStore(configuration);
  return await asOperator(
    stage,
    { store, configuration, permission: 'decide', ...about },
    async ({ name: by }) => {
      return { at: stage.clock(), by, reason };
    },
  );
}

/**
 * Makes one pass over the merchants; the demonstration uses it too. `source` is one address for
 * every merchant, or `null` for the addresses of the configuration.
 */
export async function runOnce(
  stage: Stage,
  configuration: Configuration,
  wanted: RunWish,
): Promise<RunOutcome> {
  requireCanary(configuration);
  const isWhole = wanted.merchants.length === 0;
  const announcements = announcementsOf(configuration, isWhole);
  await using tracing = await openConfiguredTracing(configuration, { ...stage, role: 'run' });
  const runtime = { ...stage, tracing };
  await using source =
    wanted.source === null
      ? await openConfiguredSources(configuration, runtime)
      : await openConfiguredSource(configuration, wanted.source, runtime);
  await using published = await openConfiguredDashboard(
    configuration,
    wanted.source ?? configuration.source,
    runtime,
  );
  const bars = barsOf(stage.terminal);
  const merchants = await merchantsAsked(source, wanted.merchants);
  await using store = await openConfiguredStore(configuration);
  const over = new AbortController();
  const stopped = stopRequested(over.signal);
  try {
    return await runMerchants({
      stopped,
      store,
      source,
      engine: ENGINE,
      clock: stage.clock,
      merchants,
      isWhole,
      published,
      tracing,
      announcements,
      afterRun: (runId) => recordRun(evidenceOf(configuration, store, stage), runId),
      optionsFor: (merchant, asOf) =>
        judgingOf(configuration, merchant, { asOf, stateless: source.isStateless(merchant) }),
      rotation: { nights: configuration.history.nights, random: runtime.random },
      reread: wanted.reread ?? null,
      compareIssued: async (merchant, period) => {
        const { comparingOf } = await import('../../compose/publishing.ts');
        return comparingOf(configuration, store, { ...runtime, published })(merchant, period);
      },
      onMerchant: (merchant) => bars.next(merchant, null, merchants.length),
    });
  } catch (failure) {
    if (!(failure instanceof RunLeft)) throw failure;
    bars.stop();
    stage.terminal.note(`pointage: ${failure.message}.\n`);
    // Work that is under way ends with the process, so that the store alone is waited for.
    await Promise.race([store.close(), sleep(LEAVE_WITHIN)]).catch(() => {});
    return process.exit(128 + constants.signals[await stopped]);
  } finally {
    over.abort();
    bars.stop();
  }
}

/** Characters of a fingerprint that are printed, which are enough for `findings show`. */
const SHOWN = 8;
const MOST_NAMED = 5;

/** What this run added to the mirror, and which findings are new, gone or back. */
export function printChanges(stage: Stage, outcome: RunOutcome): void {
  const { terminal } = stage;
  const sum = (pick: (one: RunOutcome['merchants'][number]) => number): number =>
    outcome.merchants.reduce((total, one) => total + pick(one), 0);
  const entries = sum((one) => one.entriesAdded);
  const operations = sum((one) => one.operationsChanged);
  terminal.out(
    `\n${paint(terminal, 'bold', `Run ${outcome.runId}`)}: ${money(entries)} new lines and ${money(operations)} new or changed operations were read.\n`,
  );
  for (const { report, changes, isAltered } of outcome.merchants) {
    if (isAltered)
      terminal.out(
        `  ! stored    ${printable(report.merchant)}: its checkpoint was changed from outside; replayed from the first line\n`,
      );
    const added = new Set(changes.added);
    const news = report.findings.filter(
      ({ fingerprint, causedBy, severity }) =>
        added.has(fingerprint) && causedBy === null && severity !== 'info',
    );
    for (const { kind, fingerprint, message } of news)
      terminal.out(
        `  + new       ${printable(report.merchant)} ${kind} ${fingerprint.slice(0, SHOWN)}: ${printable(message)}\n`,
      );
    const print = (mark: string, prints: readonly string[], one: string, many: string): void => {
      if (prints.length === 0) return;
      const which =
        prints.length === 1 ? `1 finding ${one}` : `${money(prints.length)} findings ${many}`;
      const first = prints.slice(0, MOST_NAMED).map((fingerprint) => fingerprint.slice(0, SHOWN));
      const more = prints.length > MOST_NAMED ? ', …' : '';
      terminal.out(
        `  ${mark}  ${printable(report.merchant)}: ${which}: ${first.join(', ')}${more}\n`,
      );
    };
    print('~ changed ', changes.changed, 'goes on from another', 'go on from others');
    print('− resolved', changes.resolved, 'is no longer found', 'are no longer found');
    print('= settled ', changes.settled, 'was put right', 'were put right');
    print('! back    ', changes.reopened, 'came back', 'came back');
  }
  const quiet = outcome.merchants.every(({ changes }) =>
    Object.values(changes).every(({ length }) => length === 0),
  );
  if (!quiet) return;
  const what = entries + operations === 0 ? 'Nothing changed' : 'No finding is new, gone or back';
  terminal.out(`  ${what} since the last run.\n`);
}
