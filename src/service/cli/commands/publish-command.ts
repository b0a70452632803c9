// `pointage publish`: issues the reports of a month in the store, of one merchant or of all, one after the other.

import type { Command } from 'commander';
import { printable } from '../../../core/domain/printable.ts';
import { announcementsOf } from '../../compose/delivering.ts';
import { openConfiguredDashboard, openFilledStore } from '../../compose/open-configured.ts';
import { publishingOf } from '../../compose/publishing.ts';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { type PublishOutcome, publishStatements } from '../../workflows/month/publish-statement.ts';
import { repositoryOfMirror } from '../../workflows/month/write-statements.ts';
import { type Stage, wholeConfigurationOf, withCommonOptions } from '../command.ts';
import { printService } from '../print/service.ts';
import { barsOf, paint } from '../terminal.ts';
import { MONTHS, wishOf } from './statement-command.ts';

const EXAMPLES = `
Examples:
  pointage publish M001 2026-10
  pointage publish --all 2026-10

A month is issued once, as revision 1, and frozen; issued again without a change it stays the same report. 'pointage serve'
gives reports out. Accountants and the folder of the configuration are served by a worker, or by 'pointage deliveries send'.

Exit status: 0 all READY · 2 some FAILED or refused · 3 the command failed`;

interface PublishFlags extends Flags {
  readonly all?: true;
}

export function definePublish(command: Command, stage: Stage): void {
  withCommonOptions(command)
    .argument('[merchant]', 'reference of the merchant; left out with --all')
    .argument('[period]', 'a month that is over: YYYY-MM')
    .option('--all', 'every merchant of the mirror')
    .addHelpText('after', EXAMPLES)
    .action((first: string | undefined, second: string | undefined, flags: PublishFlags) =>
      publish(stage, [first, second], flags),
    );
}

async function publish(stage: Stage, words: readonly (string | undefined)[], flags: PublishFlags): Promise<void> {
  const { merchant, period } = wishOf(words, { all: flags.all === true, command: 'publish', periods: MONTHS });
  const configuration = await wholeConfigurationOf(stage, flags);
  const announcements = announcementsOf(configuration);
  const published = await openConfiguredDashboard(configuration, configuration.source, stage);
  const store = await openFilledStore(configuration);
  const bars = barsOf(stage.terminal);
  try {
    const mirror = repositoryOfMirror(store);
    if (merchant !== null && !(await mirror.knows(merchant))) {
      throw new ConfigurationInvalid(`There is no merchant '${merchant}' in the mirror; run 'pointage run' first.`);
    }
    const merchants = merchant === null ? await mirror.merchants() : [merchant];
    const task = publishingOf(configuration, store, { ...stage, published, announcements })(period);
    const onMerchant = (reference: string, expected: number | null) => bars.next(reference, expected, merchants.length);
    const outcomes = await publishStatements({ ...task, onMerchant }, merchants);
    bars.stop();
    for (const outcome of outcomes) printOutcome(stage, outcome);
    if (outcomes.some((one) => 'refused' in one || one.report.status !== 'READY')) stage.status = 2;
  } finally {
    bars.stop();
    await published?.dashboard.close();
    await store.close();
  }
}

function printOutcome({ terminal }: Stage, outcome: PublishOutcome): void {
  if ('refused' in outcome) {
    terminal.note(`${paint(terminal, 'red', '✗')} ${printable(outcome.merchant)}: ${printable(outcome.refused)}\n`);
    return;
  }
  const { merchant, report, isNew, service } = outcome;
  const state = isNew ? report.status : `${report.status}, unchanged`;
  terminal.out(`${printable(merchant)} ${report.period}, revision ${report.revision}: ${state} (${report.id})\n`);
  if (report.error !== null) terminal.out(`  ${printable(report.error)}\n`);
  if (report.isHeld)
    terminal.out(`  held: 'pointage statements release ${printable(merchant)} ${report.period}' lets it go\n`);
  if (service !== null) printService(terminal, service);
}
