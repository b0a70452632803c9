// A night as a person reads it when it has ended: coverage, verdicts, what is new, what is gone, who was not judged.

import { printable } from '../../../core/domain/printable.ts';
import { money } from '../../../core/words/english.ts';
import type { RunRecord, RunRepository } from '../../workflows/operators/read-runs.ts';
import { paint, type Terminal } from '../terminal.ts';
import { printReports } from './report.ts';

/** Merchants in the table, those not clean first; a night over thousands is read elsewhere. */
const MOST_MERCHANTS = 40;
const MOST_CHANGES = 50;
const SHOWN = 8;

export async function printNight(terminal: Terminal, repository: RunRepository, run: RunRecord): Promise<void> {
  const { runId, coverage, verdicts } = run;
  const reports = await repository.reports(runId, { limit: MOST_MERCHANTS });
  if (reports.length > 0) printReports(terminal, reports, { most: 20 });
  if (coverage.judged > reports.length)
    terminal.out(`… and ${money(coverage.judged - reports.length)} more merchants.\n`);
  const seconds = ((run.finishedAt ?? run.startedAt) - run.startedAt) / 1_000;
  const title = paint(terminal, 'bold', `Night ${runId}`);
  const judged = `${money(coverage.judged)} of ${money(coverage.expected)} merchants were judged in ${seconds.toFixed(1)} s`;
  terminal.out(
    `\n${title}: ${judged}: ${verdicts.clean} clean, ${verdicts.broken} broken, ${verdicts.incomplete} incomplete.\n`,
  );
  terminal.out(
    `  ${money(run.entriesAdded)} new lines and ${money(run.operationsChanged)} new or changed operations were read.\n`,
  );
  if (run.closed !== null) terminal.out(`  It was closed before its end: ${run.closed}.\n`);
  await printMissing(terminal, repository, run);
  await printChanged(terminal, repository, run);
}

async function printMissing(terminal: Terminal, repository: RunRepository, { runId }: RunRecord): Promise<void> {
  const missing = await repository.members(runId, { limit: Number.MAX_SAFE_INTEGER, notJudged: true });
  const told = [...Map.groupBy(missing, ({ reason }) => reason)].slice(0, MOST_CHANGES);
  for (const [reason, [first, ...others]] of told) {
    const who = others.length === 0 ? first!.merchant : `${money(others.length + 1)} merchants`;
    terminal.out(`  ${paint(terminal, 'yellow', '? not judged')} ${printable(who)}: ${printable(reason ?? '')}\n`);
  }
}

async function printChanged(
  terminal: Terminal,
  repository: RunRepository,
  { runId, findings }: RunRecord,
): Promise<void> {
  const { added, resolved, reopened } = findings;
  if (added + resolved + reopened === 0) {
    terminal.out('  Nothing changed since the last run.\n');
    return;
  }
  const marks = { added: '+ new     ', resolved: '− resolved', settled: '= settled ', reopened: '! back    ' } as const;
  for (const { change, merchant, kind, fingerprint, message, causedBy, severity } of await repository.changes(runId, {
    limit: MOST_CHANGES,
  })) {
    if (causedBy === null && severity !== 'info')
      terminal.out(
        `  ${marks[change]}  ${printable(merchant)} ${kind} ${fingerprint.slice(0, SHOWN)}: ${printable(message)}\n`,
      );
  }
}
