// `pointage findings`: what was found, and what people decided about it. Every decision has a reason and stays in the
// history.

import { userInfo } from 'node:os';
import Table from 'cli-table3';
import type { Command } from 'commander';
import { withStore } from '../compose/open-configured.ts';
import { ConfigurationInvalid } from '../config/configuration-invalid.ts';
import type { Flags } from '../config/load-configuration.ts';
import { SEVERITIES } from '../domain/finding.ts';
import { formatInstant } from '../domain/instant.ts';
import { decide, type FoundFinding, findOne, listOpen } from '../workflows/decide-findings.ts';
import { configurationOf, oneOf, type Stage, withCommonOptions } from './command.ts';
import { paint } from './terminal.ts';

const STATES = ['open', 'acknowledged', 'resolved'] as const;
const EXAMPLES = {
  list: ['list --state open --severity critical', 'list --merchant M001 --kind BALANCE_DRIFT'],
  show: ['show 1f658be6'],
  acknowledge: ['acknowledge 1f658be6 --reason "asked the service, ticket 4412"'],
  resolve: ['resolve 1f658be6 --reason "corrected by line 913"'],
  reopen: ['reopen 1f658be6 --reason "the correction was for another merchant"'],
} as const;

function examplesOf(...commands: readonly (keyof typeof EXAMPLES)[]): string {
  const lines = commands.flatMap((command) => EXAMPLES[command].map((example) => `\n  pointage findings ${example}`));
  return `\nExamples:${lines.join('')}`;
}

interface ListFlags extends Flags {
  readonly merchant?: string;
  readonly state?: string;
  readonly severity?: string;
  readonly kind?: string;
  readonly limit: string;
}

export function defineFindings(command: Command, stage: Stage): void {
  command.addHelpText('after', examplesOf('list', 'show', 'acknowledge', 'resolve', 'reopen'));
  withCommonOptions(command.command('list'))
    .description('findings, worst first')
    .option('--merchant <reference>', 'of one merchant')
    .option('--state <state>', STATES.join(', '))
    .option('--severity <severity>', SEVERITIES.join(', '))
    .option('--kind <kind>', 'of one kind')
    .option('--limit <count>', 'at most so many', '50')
    .addHelpText('after', examplesOf('list'))
    .action((flags: ListFlags) => list(stage, flags));
  withCommonOptions(command.command('show'))
    .description('one finding, whole, with its evidence and history')
    .argument('<fingerprint>', 'its fingerprint, or the beginning of it')
    .addHelpText('after', examplesOf('show'))
    .action((fingerprint: string, flags: Flags) => show(stage, fingerprint, flags));
  for (const action of ['acknowledge', 'resolve', 'reopen'] as const) {
    withCommonOptions(command.command(action))
      .description(`${action} a finding`)
      .argument('<fingerprint>', 'its fingerprint, or the beginning of it')
      .requiredOption('--reason <text>', 'why; kept as history')
      .option('--by <name>', 'who decides (default: the user of this session)')
      .addHelpText('after', examplesOf(action))
      .action(async (fingerprint: string, flags: Flags & { reason: string; by?: string }) => {
        await withStore(await configurationOf(stage, flags), async (store) => {
          const made = {
            fingerprint,
            action,
            reason: flags.reason,
            by: flags.by ?? userInfo().username,
            at: stage.clock(),
          };
          const state = await decide(store, made);
          stage.terminal.out(`${fingerprint} is now ${state}.\n`);
        });
      });
  }
}

async function list(stage: Stage, flags: ListFlags): Promise<void> {
  const limit = Number(flags.limit);
  if (!Number.isInteger(limit) || limit < 1)
    throw new ConfigurationInvalid(`--limit must be a whole number above 0, not '${flags.limit}'.`);
  const state = flags.state === undefined ? undefined : oneOf('--state', flags.state, STATES);
  const severity = flags.severity === undefined ? undefined : oneOf('--severity', flags.severity, SEVERITIES);
  await withStore(await configurationOf(stage, flags), async (store) => {
    const { merchant, kind } = flags;
    const found = await listOpen(store, { merchant, kind, state, severity, limit });
    stage.terminal.out(found.length === 0 ? 'There are no such findings.\n' : `${tableOf(stage, found)}\n`);
  });
}

function tableOf(stage: Stage, found: readonly FoundFinding[]): string {
  const table = new Table({
    head: ['fingerprint', 'merchant', 'severity', 'kind', 'state', 'line', 'what'],
    colWidths: [18, null, null, null, null, null, 70],
    wordWrap: true,
    style: { head: [], border: stage.terminal.colour ? ['grey'] : [], compact: true },
  });
  for (const { merchant, state, finding } of found) {
    const status = finding.status === 'provisional' ? `${state} (provisional)` : state;
    table.push([
      finding.fingerprint,
      merchant,
      finding.severity,
      finding.kind,
      status,
      finding.sequence ?? '',
      finding.message,
    ]);
  }
  return table.toString();
}

async function show(stage: Stage, fingerprint: string, flags: Flags): Promise<void> {
  await withStore(await configurationOf(stage, flags), async (store) => {
    const { finding, merchant, state, decisions } = await findOne(store, fingerprint);
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
    for (const { what, sequence, reference, note } of finding.evidence) {
      terminal.out(`  evidence    ${[what, sequence, reference, note].filter((part) => part !== null).join(' ')}\n`);
    }
    for (const decision of decisions) {
      terminal.out(`  ${formatInstant(decision.at)} ${decision.by}: ${decision.action} (${decision.reason})\n`);
    }
    terminal.out(`  See also: pointage explain ${finding.kind}\n`);
  });
}
