// `pointage findings`: what was found, and what people decided about it. Every decision has a reason and stays in the
// history.

import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { PAGES } from '../../../core/checks/registry.ts';
import { SEVERITIES } from '../../../core/domain/finding.ts';
import { formatInstant, parseInstant } from '../../../core/domain/instant.ts';
import { withStore } from '../../compose/open-configured.ts';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { didYouMean } from '../../config/near-name.ts';
import { decide, FINDING_STATES, findOne, listFindings } from '../../workflows/operators/decide-findings.ts';
import { configurationOf, oneOf, type Stage, withCommonOptions } from '../command.ts';
import { findingsListing } from '../print/findings.ts';
import { checkListingFlags, type ListingFlags, printListing, withListingOptions } from '../print/listing.ts';
import { saidProposal, saidStand } from '../print/stand.ts';
import { paint } from '../terminal.ts';

const EXAMPLES = {
  list: [
    'list --state open --severity critical',
    'list --merchant M001 --kind BALANCE_DRIFT --followers',
    'list --state open --limit 10000 --format xlsx --out findings.xlsx',
  ],
  show: ['show 1f658be6'],
  acknowledge: ['acknowledge 1f658be6 --reason "asked the service, ticket 4412"'],
  resolve: ['resolve 1f658be6 --reason "corrected by line 913"'],
  settle: ['settle 1f658be6 --line 913', 'settle 1f658be6 --reason "paid back by bank transfer, ticket 4412"'],
  accept: ['accept 1f658be6 --reason "below what an inquiry costs" --limit 500 --until 2027-01-01T00:00:00Z'],
  reopen: ['reopen 1f658be6 --reason "the correction was for another merchant"'],
} as const;

function examplesOf(...commands: readonly (keyof typeof EXAMPLES)[]): string {
  const lines = commands.flatMap((command) => EXAMPLES[command].map((example) => `\n  pointage findings ${example}`));
  return `\nExamples:${lines.join('')}`;
}

interface ListFlags extends Flags, ListingFlags {
  readonly merchant?: string;
  readonly state?: string;
  readonly severity?: string;
  readonly kind?: string;
  readonly limit: string;
  readonly followers?: true;
}

export function defineFindings(command: Command, stage: Stage): void {
  command.addHelpText('after', examplesOf('list', 'show', 'acknowledge', 'settle', 'accept', 'resolve', 'reopen'));
  withListingOptions(withCommonOptions(command.command('list')))
    .description('findings, worst first: by severity, then by money')
    .option('--merchant <reference>', 'of one merchant')
    .option('--state <state>', FINDING_STATES.join(', '))
    .option('--severity <severity>', SEVERITIES.join(', '))
    .option('--kind <kind>', 'of one kind')
    .option('--limit <count>', 'at most so many', '50')
    .option('--followers', 'also what follows from another finding')
    .addHelpText('after', examplesOf('list'))
    .action((flags: ListFlags) => list(stage, flags));
  withCommonOptions(command.command('show'))
    .description('one finding, whole, with its evidence and history')
    .argument('<fingerprint>', 'its fingerprint, or the beginning of it')
    .addHelpText('after', examplesOf('show'))
    .action((fingerprint: string, flags: Flags) => show(stage, fingerprint, flags));
  for (const action of ['acknowledge', 'resolve', 'reopen'] as const) defineDecision(command, stage, action);
  defineDecision(command, stage, 'settle').option('--line <sequence...>', 'adjustments that put it right');
  defineDecision(command, stage, 'accept')
    .option('--limit <amount>', 'at most that much, without sign (default: what it is now)')
    .option('--until <instant>', 'from then on no more (default: no end)');
}

interface DecisionFlags extends Flags {
  readonly reason?: string;
  readonly by?: string;
  readonly line?: readonly string[];
  readonly limit?: string;
  readonly until?: string;
}

const DECISIONS = {
  acknowledge: 'say that somebody looks after a finding',
  resolve: 'resolve a finding that the next run will not find',
  settle: 'say what put a root right, by its lines or a reason: it weighs nothing in the verdict and in what is due',
  accept: 'live with a root: it weighs nothing in the verdict',
  reopen: 'take back what was decided about a finding, or by a correction',
} as const;

function defineDecision(command: Command, stage: Stage, action: keyof typeof DECISIONS): Command {
  const defined = withCommonOptions(command.command(action))
    .description(DECISIONS[action])
    .argument('<fingerprint>', 'its fingerprint, or the beginning of it');
  if (action === 'settle') defined.option('--reason <text>', 'why; kept as history');
  else defined.requiredOption('--reason <text>', 'why; kept as history');
  return defined
    .option('--by <name>', 'who decides (default: the user of this session)')
    .addHelpText('after', examplesOf(action))
    .action((fingerprint: string, flags: DecisionFlags) => decideFrom(stage, { fingerprint, action }, flags));
}

async function decideFrom(
  stage: Stage,
  about: { readonly fingerprint: string; readonly action: keyof typeof DECISIONS },
  { reason, by = userInfo().username, line: lines, limit, until: untilText, ...flags }: DecisionFlags,
): Promise<void> {
  const until = untilText === undefined ? undefined : parseInstant(untilText);
  if (until === null) throw new ConfigurationInvalid(`--until must be an instant in ISO 8601, not '${untilText}'.`);
  if (limit !== undefined && !/^\d{1,18}$/.test(limit))
    throw new ConfigurationInvalid(`--limit must be a whole amount without sign, not '${limit}'.`);
  await withStore(await configurationOf(stage, flags), async (store) => {
    const state = await decide(store, { ...about, reason, by, lines, limit, until, at: stage.clock() });
    stage.terminal.out(`${about.fingerprint} is now ${state}.\n`);
  });
}

async function list(stage: Stage, flags: ListFlags): Promise<void> {
  checkListingFlags(flags);
  const limit = Number(flags.limit);
  if (!Number.isInteger(limit) || limit < 1)
    throw new ConfigurationInvalid(`--limit must be a whole number above 0, not '${flags.limit}'.`);
  const state = flags.state === undefined ? undefined : oneOf('--state', flags.state, FINDING_STATES);
  const severity = flags.severity === undefined ? undefined : oneOf('--severity', flags.severity, SEVERITIES);
  const kind = flags.kind === undefined ? undefined : kindOf(flags.kind);
  await withStore(await configurationOf(stage, flags), async (store) => {
    const { merchant } = flags;
    const rootsOnly = flags.followers !== true;
    const found = await listFindings(store, { merchant, kind, state, severity, rootsOnly, limit });
    await printListing(stage, flags, findingsListing(found, stage.clock()));
  });
}

/** One that is mistyped would find nothing, and pass for good news. */
function kindOf(text: string): string {
  const kind = text.toUpperCase();
  if (PAGES.has(kind)) return kind;
  const near = didYouMean(kind, [...PAGES.keys()]);
  throw new ConfigurationInvalid(`'${text}' is not a kind of finding${near}; 'pointage explain' lists them.`);
}

async function show(stage: Stage, fingerprint: string, flags: Flags): Promise<void> {
  await withStore(await configurationOf(stage, flags), async (store) => {
    const { finding, merchant, state, decisions, due } = await findOne(store, fingerprint);
    const { terminal } = stage;
    terminal.out(
      `${paint(terminal, 'bold', finding.kind)} ${finding.severity}, ${finding.status}, ${state} · ${merchant} · ${finding.fingerprint}\n`,
    );
    terminal.out(`${finding.message}\n`);
    for (const [name, value] of [
      ['line', finding.sequence],
      ['operation', finding.operationReference],
      ['expected', finding.expected],
      ['actual', finding.actual],
      ['difference', finding.difference],
      ['caused by', finding.causedBy],
    ] as const) {
      if (value !== null) terminal.out(`  ${name.padEnd(11)} ${value}\n`);
    }
    const { item } = finding;
    if (item != null && (item.balance !== '0' || item.reserved !== '0'))
      terminal.out(`  off by      balance ${item.balance}, reserved ${item.reserved}\n`);
    if (due !== null) terminal.out(`  due         balance ${due.balance}, reserved ${due.reserved}\n`);
    for (const sentence of [...saidStand(finding), saidProposal(finding)]) {
      if (sentence !== null) terminal.out(`  ${sentence}\n`);
    }
    for (const { what, sequence, reference, note } of finding.evidence) {
      terminal.out(`  evidence    ${[what, sequence, reference, note].filter((part) => part !== null).join(' ')}\n`);
    }
    for (const decision of decisions) {
      terminal.out(`  ${formatInstant(decision.at)} ${decision.by}: ${decision.action} (${decision.reason})\n`);
    }
    terminal.out(`  See also: pointage explain ${finding.kind}\n`);
  });
}
