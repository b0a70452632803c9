// `pointage close`: locks months that were issued, of one merchant or of all. Says what is open in them first, and what falls into the
// month after.

import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { formatInstant } from '../../../core/domain/instant.ts';
import { formatPeriod, parsePeriod, periodAfter } from '../../../core/domain/period.ts';
import { printable } from '../../../core/domain/printable.ts';
import { withStore } from '../../compose/open-configured.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { closeMonths, type MonthClosing } from '../../workflows/month/close-months.ts';
import { repositoryOfMirror } from '../../workflows/month/write-statements.ts';
import { configurationOf, type Stage, withCommonOptions } from '../command.ts';
import { paint } from '../terminal.ts';
import { MONTHS_AND_YEARS, wishOf } from './statement-command.ts';

const EXAMPLES = `
Examples:
  pointage close M001 2026-10
  pointage close M001 2026-10 --by awa --reason "accounts of October approved" --yes
  pointage close M001 2026
  pointage close --all 2026-10

A closed month stays as it was issued. A line that comes later and is dated in it is stated at the beginning of the month
after, flagged as late. Nothing opens a closed month again. Where roots are open or the statement is held, nothing is closed
without --yes.

Exit status: 0 closed, also when it was before · 2 something is open, or not every merchant's months could be closed ·
3 the command failed, or the month cannot be closed`;

interface CloseFlags extends Flags {
  readonly by?: string;
  readonly reason?: string;
  readonly all?: true;
  readonly yes?: true;
}

export function defineClose(command: Command, stage: Stage): void {
  withCommonOptions(command)
    .argument('[merchant]', 'reference of the merchant; left out with --all')
    .argument('[period]', 'a month that was issued, or a year: YYYY-MM, YYYY')
    .option('--all', 'every merchant of the mirror')
    .option('--by <name>', 'who closes it (default: the user of this session)')
    .option('--reason <text>', 'why; kept with it')
    .option('--yes', 'also where roots are open or the statement is held')
    .addHelpText('after', EXAMPLES)
    .action((first: string | undefined, second: string | undefined, flags: CloseFlags) =>
      close(stage, [first, second], flags),
    );
}

async function close(stage: Stage, words: readonly (string | undefined)[], flags: CloseFlags): Promise<void> {
  const { all = false, by = userInfo().username, reason = null, yes: isMeant = false, ...common } = flags;
  const { merchant, period } = wishOf(words, { all, command: 'close', periods: MONTHS_AND_YEARS });
  const decision = { period, by, reason, isMeant, now: stage.clock() };
  await withStore(await configurationOf(stage, common), async (store) => {
    if (merchant !== null) return print(stage, await closeMonths(store, { ...decision, merchant }));
    for (const one of await repositoryOfMirror(store).merchants()) {
      try {
        print(stage, await closeMonths(store, { ...decision, merchant: one }));
      } catch (failure) {
        if ((failure as { code?: unknown }).code !== 'NOT_CLOSABLE') throw failure;
        stage.terminal.note(`${paint(stage.terminal, 'red', '✗')} ${(failure as Error).message}\n`);
        stage.status = 2;
      }
    }
  });
}

function print(stage: Stage, closings: readonly MonthClosing[]): void {
  const { terminal } = stage;
  for (const closing of closings) {
    const month = `${printable(closing.merchant)} ${closing.period}`;
    if (closing.outcome === 'asked') {
      terminal.note(`${paint(terminal, 'red', '✗')} ${month} is not closed: ${saidOpen(closing)}\n`);
      stage.status = 2;
    } else terminal.out(`${month}: ${closing.outcome === 'closed' ? saidClosed(closing) : saidBefore(closing)}\n`);
  }
  if (closings.some(({ outcome }) => outcome === 'asked')) terminal.note('  --yes closes it all the same.\n');
}

const MOST_NAMED = 3;

function saidOpen({ openRoots, isHeld, ...closing }: MonthClosing): string {
  const count = openRoots.length;
  const named = openRoots
    .slice(0, MOST_NAMED)
    .map(({ finding }) => `${finding.kind} ${finding.fingerprint.slice(0, 8)}`);
  const roots = `${count} ${count === 1 ? 'root is' : 'roots are'} open (${named.join(', ')}${count > MOST_NAMED ? ', …' : ''})`;
  const open = [...(count === 0 ? [] : [roots]), ...(isHeld ? ['its statement is held'] : [])].join(', ');
  return `${open}; ${saidLate(closing)}.`;
}

function saidClosed(closing: MonthClosing): string {
  return `closed; ${saidLate(closing)}`;
}

function saidLate({ lateLines, period }: Pick<MonthClosing, 'lateLines' | 'period'>): string {
  const next = formatPeriod(periodAfter(parsePeriod(period)!));
  if (lateLines === 0) return `what comes later and is dated in it falls into ${next}`;
  const lines =
    lateLines === 1
      ? '1 line that is dated in it and not stated falls'
      : `${lateLines} lines that are dated in it and not stated fall`;
  return `${lines} into ${next}, as what comes later does`;
}

function saidBefore({ closed }: MonthClosing): string {
  if (closed === null) return 'closed before';
  const why = closed.reason === null ? '' : `: ${printable(closed.reason)}`;
  return `closed before, ${formatInstant(closed.at).slice(0, 10)} by ${printable(closed.by)}${why}`;
}
