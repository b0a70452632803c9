// `pointage tonight`: one screen about the last night and what waits for a person, and the command
// to type next.

import type { Command } from 'commander';
import { SEVERITIES } from '../../../core/domain/finding.ts';
import { DAY, formatInstant, formatKnown, type Instant } from '../../../core/domain/instant.ts';
import { sayFault } from '../../../core/domain/measures.ts';
import { commandLine } from '../../../core/domain/printable.ts';
import { money } from '../../../core/words/finding.ts';
import type { Flags } from '../../config/load-configuration.ts';
import type { Tonight } from '../../workflows/operators/tonight.ts';
import { SPOKEN } from '../print/spoken.ts';
import { rowsOf } from '../print/table.ts';
import { oneOf, type Stage, withCommonOptions } from '../stage/stage.ts';
import { inStore } from './subject.ts';

const EXAMPLES = `
Examples:
  pointage tonight
  pointage tonight --format json`;

export function defineTonight(command: Command, stage: Stage): void {
  withCommonOptions(command)
    .option('--format <format>', 'text or json', 'text')
    .addHelpText('after', EXAMPLES)
    .action((flags: Flags & { readonly format: string }) => showTonight(stage, flags));
}

async function showTonight(
  stage: Stage,
  flags: Flags & { readonly format: string },
): Promise<void> {
  const isJson = oneOf('--format', flags.format, ['text', 'json']) === 'json';
  // Loaded when it is needed, because plans import the whole service.
  const { nextInstants } = await import('../../compose/plans.ts');
  const now = stage.clock();
  const [tonight, next] = await inStore(stage, flags, async ({ desk, configuration }) => [
    await desk.loadTonight(),
    nextInstants(configuration, now).night,
  ]);
  if (isJson) {
    const dated = (key: string, value: unknown) =>
      typeof value === 'number' && /(?:At|For|since|watermark)$/.test(key)
        ? formatInstant(value)
        : value;
    const shown = { ...tonight, nextNightAt: next, nextCommand: nextCommand(tonight) };
    return stage.terminal.out(`${JSON.stringify(shown, dated, 2)}\n`);
  }
  printTonight(stage, tonight, { now, next });
}

function printTonight(
  { terminal }: Stage,
  tonight: Tonight,
  { now, next }: { readonly now: Instant; readonly next: Instant },
): void {
  const row = rowsOf(terminal);
  const { run, open, held, heldMonths } = tonight;
  if (run === null) row('last night', 'none: nothing was ever read');
  else printRun(row, run, tonight);
  for (const { place, why, merchants } of tonight.down)
    row('down', `${place} (${why}): ${money(merchants)} not checked`);
  for (const { change, merchant, kind, fingerprint } of tonight.roots)
    row(change === 'added' ? 'new' : change, `${merchant} ${kind} ${fingerprint.slice(0, 8)}`);
  if (tonight.logFault !== null)
    row('log', `${sayFault(tonight.logFault)}: nothing is signed any more`);
  const counts = SEVERITIES.flatMap((severity) => {
    const count = open.counts[severity];
    return count === 0 ? [] : [`${money(count)} ${severity}`];
  });
  row(
    'open',
    counts.length === 0
      ? 'nothing'
      : `${counts.join(', ')}; ${money(open.counts.followers)} follow from them`,
  );
  for (const { currency, state, findings, stake, ages } of tonight.exposure) {
    const old =
      ages['>90'] === undefined ? '' : `, ${money(ages['>90'].findings)} older than 90 days`;
    const amount = stake === null ? 'unknown currency' : `${money(stake)} ${currency}`;
    row(
      'at stake',
      `${amount} ${state}: ${money(findings)} finding${findings === 1 ? '' : 's'}${old}`,
    );
  }
  for (const { merchant, fingerprint, item, currency } of open.largest)
    row(
      'largest',
      `${money(item.balance)} ${currency}, ${money(item.reserved)} reserved: ${merchant} ${fingerprint.slice(0, 8)}`,
    );
  if (open.oldest !== null) {
    const { merchant, fingerprint, since } = open.oldest;
    row('oldest', `${merchant} ${fingerprint.slice(0, 8)}, ${ageWords(now, since)}`);
  }
  if (heldMonths > 0) row('held', `${money(heldMonths)} statement${heldMonths === 1 ? '' : 's'}`);
  for (const { merchant, period, issuedAt } of held)
    row('', `${merchant} ${period}${issuedAt === null ? '' : `, ${ageWords(now, issuedAt)}`}`);
  for (const { channel, state, count } of tonight.stuck)
    row('stuck', `${money(count)} ${channel} ${state}`);
  row('next night', formatInstant(next));
  row('type', nextCommand(tonight));
}

function printRun(
  row: ReturnType<typeof rowsOf>,
  run: NonNullable<Tonight['run']>,
  { verdicts, others }: Pick<Tonight, 'verdicts' | 'others'>,
): void {
  const { kind, startedAt, finishedAt, closed, coverage, findings } = run;
  const end =
    closed ??
    (finishedAt === null ? 'still going on' : `to ${formatKnown(finishedAt)!.slice(11, 16)}`);
  row(kind === 'night' ? 'last night' : 'last run', `${SPOKEN.minute(startedAt)} ${end}`);
  const { expected, judged, unread, failed, waiting } = coverage;
  const left = Object.entries({ unread, failed, waiting, 'not asked for': others }).flatMap(
    ([name, count]) => (count === 0 ? [] : [`${money(count)} ${name}`]),
  );
  row(
    'covered',
    [`${money(judged)} of ${money(expected)} merchant${expected === 1 ? '' : 's'}`, ...left].join(
      ', ',
    ),
  );
  row(
    'verdicts',
    `${money(verdicts.clean)} clean, ${money(verdicts.broken)} broken, ${money(verdicts.incomplete)} incomplete`,
  );
  row(
    'findings',
    `${money(findings.added)} new, ${money(findings.reopened)} back, ${money(findings.resolved)} gone`,
  );
}

function ageWords(now: Instant, since: Instant): string {
  const days = Math.max(0, Math.floor((now - since) / DAY));
  return days === 0 ? 'today' : `${money(days)} day${days === 1 ? '' : 's'}`;
}

/**
 * Returns the command to type next. It is about the first of these that there is: a source that is
 * down or a fault of the evidence log, a stuck delivery, the newest root, the oldest root, a held
 * month.
 */
function nextCommand({ run, down, logFault, stuck, roots, held, open }: Tonight): string {
  if (run === null) return 'pointage run';
  if (down.length > 0 || logFault !== null) return 'pointage doctor';
  const [delivery] = stuck;
  if (delivery !== undefined) return commandLine('deliveries list --state', delivery.state);
  const root =
    roots.find(({ change }) => change === 'added' || change === 'reopened') ?? open.oldest;
  if (root !== null) return commandLine('findings show', root.fingerprint.slice(0, 8));
  const [month] = held;
  return month === undefined
    ? 'pointage merchants list'
    : commandLine('statement release', month.merchant, month.period);
}
