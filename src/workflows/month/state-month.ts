// States one month of a merchant out of a reading and its audit: the operations and the lines pass through once for the
// figures, and the lines once more for each document. Never holds the lines.

import { createHash } from 'node:crypto';
import type { AuditReport } from '../../domain/finding.ts';
import { formatInstant, type Instant } from '../../domain/instant.ts';
import { type Bounds, formatPeriod, type StatedPeriod } from '../../domain/period.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import type { StatementDocument } from '../../formats/format.ts';
import { planSuspense, type SuspensePlan } from '../../statements/entries/suspense-plan.ts';
import { beginLineReplay, finishLines, type LineReplay, replayLines } from '../../statements/line-replay.ts';
import { makeStatement, type StatementSurroundings } from '../../statements/make-statement.ts';
import { beginFigures, type MonthFigures, takeLine } from '../../statements/month-figures.ts';
import {
  beginOperations,
  listOperation,
  type MonthOperations,
  noteOperation,
  takeOperation,
} from '../../statements/month-operations.ts';
import { type MonthSettings, standingFrom } from '../../statements/month-settings.ts';
import { shownHolds } from '../../statements/month-tables.ts';
import { confirmedOf, placesWanted } from '../../statements/reconciliation/finding-section.ts';
import { lacksOperations } from '../../statements/reconciliation/operations-read.ts';
import type { IssuedStatement } from '../../statements/revision.ts';
import type { StatementLine, StatementOperation } from '../../statements/statement-line.ts';
import { StatementRefused } from '../../statements/statement-refused.ts';
import { beginLines } from '../../statements/write-lines.ts';

export interface StateMonthTask {
  /** Open, and still to be open when the document's lines are read. It must serve its streams and recalls again. */
  readonly snapshot: Snapshot;
  /** Of an audit of the same books. */
  readonly report: AuditReport;
  readonly month: Pick<
    MonthSettings,
    'period' | 'zone' | 'bounds' | 'boundsFrom' | 'opening' | 'closed' | 'journal' | 'phoneNumbers' | 'parties'
  >;
  /** The books are complete up to here, unless the reading names an instant itself. */
  readonly completeUntil: Instant;
  readonly compareService: StatementSurroundings['compareService'];
  readonly engine: string;
  readonly generatedAt: Instant;
  readonly issued: IssuedStatement | null;
  /** Called with the number of lines taken so far. */
  readonly onProgress: (entries: number) => void;
}

/** Throws `StatementRefused`, with a sentence, where a month cannot be stated. */
export async function stateMonth(task: StateMonthTask): Promise<StatementDocument> {
  const { snapshot, report, month } = task;
  const until = snapshot.watermark ?? task.completeUntil;
  refuseUnended(month.bounds, { period: month.period, until });
  const settings = settingsOf(task, await currencyOf(task));
  const wanted = placesWanted(confirmedOf(report));
  const plan = planSuspense(confirmedOf(report));
  const operations = beginOperations(settings, wanted.operations);
  for await (const { rows } of snapshot.operations())
    for (const { operation } of rows) takeOperation(operations, operation);
  await recallNotes(snapshot, operations, plan.operations.keys());
  let passed = await passLines(task, operations, { sequences: wanted.sequences, plan });
  const recalled = await recallMissing(snapshot, passed.figures);
  if (recalled > 0) passed = await passLines(task, operations, { sequences: wanted.sequences, plan });
  const { figures, replay } = passed;
  refuseBeforeAccount(figures);
  const { wallet } = await snapshot.closing();
  const { compareService, engine, generatedAt, issued } = task;
  const statement = makeStatement(figures, {
    report,
    wallet,
    head: replay.state.last,
    watermark: until,
    compareService,
    engine,
    generatedAt,
    issued,
  });
  return {
    statement,
    lines: () => streamLines(snapshot, figures),
    operations: () => streamOperations(snapshot, figures),
  };
}

/** A period is stated when it is over, and when the books were read after that. */
export function refuseUnended(
  bounds: Bounds,
  { period, until }: { readonly period: StatedPeriod; readonly until: Instant },
): void {
  if (until >= bounds.end) return;
  const kind = period.month === null ? 'year' : 'day' in period ? 'day' : 'month';
  const when = `ends at ${formatInstant(bounds.end)}, and the books are known up to ${formatInstant(until)}`;
  const message = `The ${kind} ${formatPeriod(period)} has not ended: it ${when}. A statement is made of a ${kind} that is over.`;
  throw new StatementRefused('PERIOD_NOT_ENDED', message);
}

/** Where nothing else names one, that of the first line, or of the first operation. Null: there is neither. */
async function currencyOf({ snapshot, report }: StateMonthTask): Promise<string | null> {
  const known = report.currency ?? snapshot.currency;
  if (known !== null) return known;
  for await (const { rows } of snapshot.entries()) if (rows[0] !== undefined) return rows[0].currency;
  for await (const { rows } of snapshot.operations()) if (rows[0] !== undefined) return rows[0].operation.currency;
  return null;
}

/** Of a month that was over when the account was opened nothing can be said, not even that nothing moved. */
function refuseBeforeAccount({ settings, before, inside, operations }: MonthFigures): void {
  const { merchant, profiles, bounds, opening, period } = settings;
  const openedAt = Math.min(...profiles.map(({ createdAt }) => createdAt));
  const isKnown = profiles.length > 0 && openedAt >= bounds.end;
  if (!isKnown || opening !== null || before.entries + inside.entries + operations.listed > 0) return;
  const message = `There is nothing to state of ${merchant} in ${formatPeriod(period)}: the account was opened at ${formatInstant(openedAt)}.`;
  throw new StatementRefused('BEFORE_ACCOUNT', message);
}

function settingsOf({ snapshot, month, report }: StateMonthTask, currency: string | null): MonthSettings {
  if (currency === null || report.entries + report.operations === 0) {
    const message = `There is nothing to state of ${snapshot.merchant}: the books have no line and no operation.`;
    throw new StatementRefused('NOTHING_READ', message);
  }
  return {
    merchant: snapshot.merchant,
    currency,
    ...month,
    standing: standingFrom(report.assumptions),
    profiles: snapshot.profiles,
    hasOperations: !lacksOperations(report.notChecked),
    hash: sha256,
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function passLines(
  task: StateMonthTask,
  operations: MonthOperations,
  { sequences, plan }: { readonly sequences: readonly number[]; readonly plan: SuspensePlan },
): Promise<{ readonly figures: MonthFigures; readonly replay: LineReplay }> {
  const figures = beginFigures(operations, sequences, plan);
  const replay = beginLineReplay(operations.settings, (line) => takeLine(figures, line));
  let taken = 0;
  for await (const { rows } of task.snapshot.entries()) {
    replayLines(replay, rows);
    taken += rows.length;
    task.onProgress(taken);
  }
  finishLines(replay);
  return { figures, replay };
}

/** Looks up operations that the month's lines name and that moved last before it; returns how many there are. */
async function recallMissing(snapshot: Snapshot, figures: MonthFigures): Promise<number> {
  const held = shownHolds(figures).flatMap((reference) => reference ?? []);
  return recallNotes(snapshot, figures.operations, [...figures.missing, ...held]);
}

/** Of those that there is no note of yet; returns how many were found. */
async function recallNotes(snapshot: Snapshot, month: MonthOperations, named: Iterable<string>): Promise<number> {
  const references = new Set([...named].filter((reference) => !month.notes.has(reference)));
  if (references.size === 0) return 0;
  const nothing: ReadonlySet<string> = new Set();
  const { operations } = await snapshot.recall({ references, entryIds: nothing, externalReferences: nothing });
  for (const { operation } of operations) noteOperation(month, operation);
  return operations.length;
}

async function* streamOperations(
  snapshot: Snapshot,
  figures: MonthFigures,
): AsyncGenerator<readonly StatementOperation[]> {
  const { settings, settledAt } = figures;
  for await (const { rows } of snapshot.operations()) {
    const listed = rows.flatMap(({ operation }) => listOperation(settings, settledAt, operation) ?? []);
    if (listed.length > 0) yield listed;
  }
}

async function* streamLines(snapshot: Snapshot, figures: MonthFigures): AsyncGenerator<readonly StatementLine[]> {
  let lines: StatementLine[] = [];
  const replay = beginLines(figures, (line) => void lines.push(line));
  for await (const { rows } of snapshot.entries()) {
    replayLines(replay, rows);
    if (lines.length === 0) continue;
    yield lines;
    lines = [];
  }
  finishLines(replay);
  if (lines.length > 0) yield lines;
}
