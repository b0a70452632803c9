// Makes the statement of one month from a reading and its audit. Operations and lines are read once
// for the figures, and lines once more for each document. Lines are never all held in memory.

import { hash } from 'node:crypto';
import type { AuditReport } from '../../../core/domain/finding.ts';
import { formatInstant, type Instant } from '../../../core/domain/instant.ts';
import type { LedgerEntry } from '../../../core/domain/ledger-entry.ts';
import {
  type Bounds,
  boundsOf,
  formatPeriod,
  periodOf,
  type StatedPeriod,
} from '../../../core/domain/period.ts';
import type { Snapshot } from '../../../core/domain/snapshot.ts';
import { localText } from '../../../core/domain/zone.ts';
import { shownNote, withFindings } from '../../../core/kernel/reconcile/report.ts';
import type { Cut } from '../../../core/kernel/replay/cut.ts';
import { NO_MONEY } from '../../../core/statements/comparison.ts';
import { openBooks } from '../../../core/statements/entries/books.ts';
import { planSuspense, type SuspensePlan } from '../../../core/statements/entries/suspense-plan.ts';
import { placeWaiting } from '../../../core/statements/entries/wallet-accounts.ts';
import type { Carried } from '../../../core/statements/entries/year.ts';
import { StatementRefused } from '../../../core/statements/exact.ts';
import { finishLines, replayLines } from '../../../core/statements/line-replay.ts';
import {
  makeStatement,
  type StatementContext,
} from '../../../core/statements/make/make-statement.ts';
import { closeJournal } from '../../../core/statements/month/close-journal.ts';
import {
  earlierWanted,
  type MonthFigures,
  takeEarlier,
} from '../../../core/statements/month/month-figures.ts';
import {
  beginOperations,
  dateOperation,
  listOperation,
  type MonthOperations,
  noteOperation,
  takeOperation,
  type WantedOperation,
} from '../../../core/statements/month/month-operations.ts';
import {
  beginPass,
  earlierLines,
  endPass,
  type PassTask,
  passLines,
  takesFromHold,
} from '../../../core/statements/month/month-pass.ts';
import { shownHolds } from '../../../core/statements/month/month-tables.ts';
import { beginLines, showPayments } from '../../../core/statements/month/write-lines.ts';
import {
  type MonthSettings,
  standingFrom,
  termsOf,
} from '../../../core/statements/month-settings.ts';
import { beginningOf, type Opening } from '../../../core/statements/opening.ts';
import {
  confirmedOf,
  placesWanted,
} from '../../../core/statements/reconciliation/finding-section.ts';
import { sumFees } from '../../../core/statements/service/link-account.ts';
import { lacksOperations } from '../../../core/statements/statement.ts';
import type { StatementLine, StatementOperation } from '../../../core/statements/statement-line.ts';
import { ENGLISH_WORDING } from '../../../core/words/names.ts';
import type { StatementDocument } from '../../../io/formats/port/format.ts';
import type { Openings } from '../../../io/storage/mirror/openings.ts';
import type { MonthRows } from './month-rows.ts';
import { EARLIEST } from './read-links.ts';

/** What a statement is made from. `report` must come from an audit of the same books at the cut. */
export interface StateMonthTask
  extends Pick<
    StatementContext,
    | 'report'
    | 'now'
    | 'compareService'
    | 'links'
    | 'chain'
    | 'comparatives'
    | 'engine'
    | 'generatedAt'
    | 'issued'
  > {
  /**
   * The caller must keep the snapshot open until it has read the document's lines. The snapshot
   * must be able to stream and recall more than once.
   */
  readonly snapshot: Snapshot;
  /** Rows of the same books as `snapshot`. */
  readonly rows: MonthRows;
  /** Where `report` was cut: at the end of the bounds. */
  readonly cut: Cut;
  readonly month: Pick<
    MonthSettings,
    | 'period'
    | 'zone'
    | 'bounds'
    | 'boundsFrom'
    | 'opening'
    | 'closed'
    | 'journal'
    | 'before'
    | 'phoneNumbers'
    | 'parties'
  >;
  /**
   * The instant up to which the books are complete. The snapshot's own watermark is used instead if
   * it has one.
   */
  readonly completeUntil: Instant;
  readonly onProgress: (entries: number) => void;
}

/**
 * Makes the statement. Throws `StatementRefused`, with a sentence for people, when the month cannot
 * be stated.
 */
export async function stateMonth(task: StateMonthTask): Promise<StatementDocument> {
  const { snapshot, rows, report, month } = task;
  const until = snapshot.watermark ?? task.completeUntil;
  refuseUnended(month.bounds, { period: month.period, until });
  const settings = settingsOf(task, await currencyOf(task), await beganAt(task));
  const wanted = placesWanted(report.findings);
  const plan = planSuspense(confirmedOf(report), month.before?.named ?? []);
  const passed = await passPeriod(task, settings, { wanted, plan });
  const { figures, replay } = passed;
  await keepOpenings(rows.openings, passed, { settings, engine: task.engine });
  refuseBeforeAccount(figures);
  const judged = await withBeginning(task, figures);
  const isLater =
    month.period.month === null && (figures.before.entries > 0 || task.links.earlier !== undefined);
  const carried = isLater ? await carryInto(task, settings, { wanted, plan }) : [];
  const { wallet } = await snapshot.closing();
  const read = { wallet, head: replay.state.last, watermark: until, carried };
  const statement = makeStatement(figures, { ...task, ...read, report: judged });
  return {
    statement,
    lines: () => streamLines(rows, passed),
    operations: () => streamOperations(rows, figures),
    payments: () => showPayments(figures, task.links.money),
  };
}

/**
 * Tells whether a period can be stated: it must be over, and the books must be known up to `grace`
 * milliseconds after its end. Callers pass a grace when no person has requested the statement.
 */
export function canBeStated(bounds: Bounds, knownUntil: Instant, grace = 0): boolean {
  return knownUntil >= bounds.end + grace;
}

/** Throws `StatementRefused` when the period cannot be stated yet. */
export function refuseUnended(
  bounds: Bounds,
  { period, until }: { readonly period: StatedPeriod; readonly until: Instant },
): void {
  if (canBeStated(bounds, until)) return;
  const kind = period.month === null ? 'year' : 'day' in period ? 'day' : 'month';
  const when = `ends at ${formatInstant(bounds.end)}, and the books are known up to ${formatInstant(until)}`;
  const message = `The ${kind} ${formatPeriod(period)} has not ended: it ${when}. A statement is made of a ${kind} that is over.`;
  throw new StatementRefused('PERIOD_NOT_ENDED', message);
}

/**
 * Returns the currency of the books: that of the audit or the snapshot, otherwise that of the first
 * line or the first operation. `null` when there is neither.
 */
async function currencyOf({ snapshot, now }: StateMonthTask): Promise<string | null> {
  const known = now.currency ?? snapshot.currency;
  if (known !== null) return known;
  for await (const { rows } of snapshot.entries())
    if (rows[0] !== undefined) return rows[0].currency;
  for await (const { rows } of snapshot.operations())
    if (rows[0] !== undefined) return rows[0].operation.currency;
  return null;
}

/**
 * Refuses a month that was over before the account was opened, because nothing can be said about
 * it, not even that nothing moved.
 */
function refuseBeforeAccount({ settings, before, inside, operations }: MonthFigures): void {
  const { profiles, bounds, opening } = settings;
  const openedAt = Math.min(...profiles.map(({ createdAt }) => createdAt));
  const isKnown = profiles.length > 0 && openedAt >= bounds.end;
  if (!isKnown || opening !== null || before.entries + inside.entries + operations.listed > 0)
    return;
  throw refused('BEFORE_ACCOUNT', settings, `the account was opened at ${formatInstant(openedAt)}`);
}

function refused(
  code: StatementRefused['code'],
  { merchant, period }: MonthSettings,
  why: string,
): StatementRefused {
  return new StatementRefused(
    code,
    `There is nothing to state of ${merchant} in ${formatPeriod(period)}: ${why}.`,
  );
}

/**
 * Adds a note to the report when the period begins before the first known line. Throws
 * `StatementRefused` for a period that was over before that line.
 */
async function withBeginning(
  { rows, now, snapshot, report }: StateMonthTask,
  { settings, before, inside }: MonthFigures,
): Promise<AuditReport> {
  const { opening, zone } = settings;
  const isReplaced = snapshot.replaced != null;
  const isUnexplained = now.findings.some(({ kind }) => kind === 'OPENING_BALANCE_UNEXPLAINED');
  if (before.entries > 0 || (opening === null && !isUnexplained && !isReplaced)) return report;
  const first = await firstLine(rows);
  const isCarried =
    isReplaced || (opening !== null && (opening.balance !== 0 || opening.reserved !== 0));
  if (first === null || (first.sequence <= 1 && !isCarried)) return report;
  const figures = { sequence: first.sequence, day: localText(zone, first.createdAt).slice(0, 10) };
  if (inside.entries > 0) {
    const note = {
      what: 'earlier lines',
      incomplete: true,
      code: 'LINES_KNOWN_FROM',
      figures,
    } as const;
    const notChecked = [...report.notChecked, shownNote(note, ENGLISH_WORDING)];
    return withFindings({ ...report, notChecked }, report.findings, ENGLISH_WORDING);
  }
  throw refused(
    'BEFORE_FIRST_LINE',
    settings,
    `its ledger is known from line ${figures.sequence} of ${figures.day} on`,
  );
}

/**
 * Returns the instant of the first line if that line is the first amount to be converted into the
 * books' currency. Otherwise returns 0: nothing is converted, or an opening balance or payments by
 * link come before.
 */
async function beganAt({ rows, month, links }: StateMonthTask): Promise<Instant> {
  const isBefore = (month.opening?.balance ?? 0) !== 0 || links.section !== null;
  if (month.journal.books === undefined || isBefore) return 0;
  return Math.min((await firstLine(rows))?.createdAt ?? 0, month.bounds.end - 1);
}

function settingsOf(
  { snapshot, month, report, now, cut, links }: StateMonthTask,
  currency: string | null,
  began: Instant,
): MonthSettings {
  const { summary, account } = links.section ?? {};
  const isByLink =
    summary !== undefined && (summary.paymentCount > 0 || (account?.opening ?? 0) !== 0);
  if (
    currency === null ||
    (now.notChecked.some(({ code }) => code === 'NOTHING_THERE') && !isByLink)
  ) {
    const message = `There is nothing to state of ${snapshot.merchant}: the books have no line and no operation, and no wallet of 0.`;
    throw new StatementRefused('NOTHING_READ', message);
  }
  const days = [Math.max(month.bounds.start, began), month.bounds.end - 1].map((at) =>
    localText(month.zone, at).slice(0, 10),
  );
  return {
    merchant: snapshot.merchant,
    currency,
    ...month,
    journal: { ...month.journal, books: openBooks(month.journal.books, currency, days) },
    cut,
    moved: cut.dating.moved,
    standing: standingFrom(report.assumptions),
    profiles: snapshot.profiles,
    hasOperations: !lacksOperations(report.notChecked),
    hash: (text) => hash('sha256', text),
  };
}

interface Asked {
  readonly wanted: ReturnType<typeof placesWanted>;
  readonly plan: SuspensePlan;
}

async function passPeriod(
  task: StateMonthTask,
  settings: MonthSettings,
  { wanted, plan }: Asked,
): Promise<ReturnType<typeof endPass>> {
  const operations = await passOperations(task.rows, settings, { wanted: wanted.operations, plan });
  const from = await openingFor(task.rows.openings, settings, task.engine);
  const pass = { operations, from, wanted: wanted.sequences, plan };
  const passed = await passMonth(task, pass);
  const recalled = await recallMissing(task.rows, passed.figures);
  const again = recalled === 0 ? passed : await passMonth(task, pass);
  // Lines before the opening may show which part of a collection came first.
  const parts = new Set(again.figures.journal.bearers.keys());
  return from.position === null || parts.size === 0 ? again : passMonth(task, pass, parts);
}

/**
 * Returns the account balances that earlier years leave, computed from the first line on. Years are
 * passed one after the other, so that only one is in memory.
 */
async function carryInto(
  task: StateMonthTask,
  settings: MonthSettings,
  asked: Asked,
): Promise<Carried> {
  const { zone, bounds, period } = settings;
  const line = await firstLine(task.rows);
  const firstYear = line === null ? period.year : periodOf(line.createdAt, zone).year;
  const first = Math.min(firstYear, period.year - 1);
  let carried: Carried = [];
  let before: string | undefined;
  for (let year = first; year < period.year; year++) {
    const of = boundsOf({ year, month: null }, zone);
    // A later line may be dated before the first one, and so may payments by link.
    const start = year === first ? EARLIEST : of.start;
    const end = year === period.year - 1 ? bounds.start : of.end;
    const earlier = {
      ...settings,
      period: { year, month: null },
      bounds: { start, end },
      cut: null,
    };
    const { figures } = await passPeriod(task, earlier, asked);
    const closing = figures.cutOff.balance.recorded;
    const money = { ...((await task.links.earlier?.(earlier.bounds)) ?? NO_MONEY), before };
    before = sumFees([
      before ?? null,
      ...[...money.payments, ...money.payouts].map(({ fees }) => fees),
    ]);
    closeJournal(figures, {
      closing,
      commissions: [],
      suspended: 0,
      carried,
      money,
      account: null,
    });
    carried = [...figures.journal.sums.totals.open!.values()];
  }
  return carried;
}

/** Returns the first line of the ledger; `null` when it has none. */
async function firstLine(rows: MonthRows): Promise<LedgerEntry | null> {
  for await (const [line] of rows.lines({ from: null, until: null }))
    if (line !== undefined) return line;
  return null;
}

async function passOperations(
  rows: MonthRows,
  settings: MonthSettings,
  { wanted, plan }: { readonly wanted: readonly WantedOperation[]; readonly plan: SuspensePlan },
): Promise<MonthOperations> {
  const operations = beginOperations(settings, wanted);
  for await (const batch of rows.operations(settings.bounds))
    for (const operation of batch) takeOperation(operations, operation);
  const asked = new Set([...operations.wanted.keys(), ...plan.operations.keys()]);
  for (const operation of await rows.operationsNamed(asked)) {
    dateOperation(operations, operation);
    if (plan.operations.has(operation.reference)) noteOperation(operations, operation);
  }
  return operations;
}

/**
 * Passes the month's lines, and looks up lines before the opening where operations and findings
 * need them.
 */
async function passMonth(
  month: StateMonthTask,
  task: PassTask,
  parts: ReadonlySet<string> = new Set(),
): Promise<ReturnType<typeof endPass>> {
  const { rows, onProgress } = month;
  const { from, plan } = task;
  const pass = beginPass(task);
  if (from.position !== null) {
    const lines = await rows.linesNamed({
      before: from.position,
      ...earlierWanted(pass.figures, parts),
    });
    // The suspense plan needs the amount that such a line took from its hold, and only the lines
    // before it tell. Begin again with the first line of the ledger.
    if (lines.some((line) => plan.settling.has(line.sequence) && takesFromHold(line)))
      return passMonth(month, { ...task, from: beginningOf(task.operations.settings) });
    for (const line of earlierLines(from, lines, task.operations.settings))
      takeEarlier(pass.figures, line);
  }
  let taken = 0;
  for await (const batch of rows.lines({ from: from.position, until: null })) {
    passLines(pass, batch);
    await placeWallets(rows, pass.figures);
    taken += batch.length;
    onProgress(taken);
  }
  const ended = endPass(pass);
  await placeWallets(rows, ended.figures);
  return ended;
}

/**
 * Looks up operations that the month has not noted and that say to which of the wallet's accounts a
 * line belongs.
 */
async function placeWallets(rows: MonthRows, { journal, wallets }: MonthFigures): Promise<void> {
  const waiting = wallets.waiting.splice(0);
  if (waiting.length === 0) return;
  const references = new Set(waiting.map(({ facts }) => facts.reference!));
  placeWaiting(journal, waiting, await rows.operationsNamed(references));
}

/**
 * Looks up operations that the month's lines name but that last changed before the month. Returns
 * the number found.
 */
async function recallMissing(rows: MonthRows, figures: MonthFigures): Promise<number> {
  const held = shownHolds(figures).flatMap((reference) => reference ?? []);
  const { notes } = figures.operations;
  const references = new Set(
    [...figures.missing, ...held].filter((reference) => !notes.has(reference)),
  );
  const found = await rows.operationsNamed(references);
  for (const operation of found) noteOperation(figures.operations, operation);
  return found.length;
}

async function* streamOperations(
  rows: MonthRows,
  { settings, settledAt }: MonthFigures,
): AsyncGenerator<readonly StatementOperation[]> {
  for await (const batch of rows.operations(settings.bounds)) {
    const listed = batch.flatMap(
      (operation) => listOperation(settings, settledAt, operation) ?? [],
    );
    if (listed.length > 0) yield listed;
  }
}

/**
 * Streams the statement's lines. Reads from the opening to the line after the month's last one,
 * because that line decides which of two lines with one sequence number was meant.
 */
async function* streamLines(
  rows: MonthRows,
  { figures, opening, until }: ReturnType<typeof endPass>,
): AsyncGenerator<readonly StatementLine[]> {
  if (figures.inside.entries === 0) return;
  let lines: StatementLine[] = [];
  const replay = beginLines(figures, opening, (line) => void lines.push(line));
  for await (const batch of rows.lines({ from: opening.position, until })) {
    replayLines(replay, batch);
    if (lines.length === 0) continue;
    yield lines;
    lines = [];
  }
  finishLines(replay);
  if (lines.length > 0) yield lines;
}

/** Returns the newest valid opening that is stored, otherwise the beginning of the ledger. */
async function openingFor(
  openings: Openings,
  settings: MonthSettings,
  engine: string,
): Promise<Opening> {
  const kept = await openings.list(settings.bounds.start);
  const good = kept.find(
    (one) => one.engine === engine && one.terms === termsOf(settings, one.position),
  );
  if (good === undefined) return beginningOf(settings);
  const state = await openings.stateAt(good.startsAt);
  return state === null ? beginningOf(settings) : (JSON.parse(state) as Opening);
}

/** Stores the opening of the month and that of the month after it. */
async function keepOpenings(
  openings: Openings,
  found: { readonly opening: Opening; readonly next: Opening },
  { settings, engine }: { readonly settings: MonthSettings; readonly engine: string },
): Promise<void> {
  const { start, end } = settings.bounds;
  const kept = new Map((await openings.list(end)).map((one) => [one.startsAt, one]));
  const keep = async (startsAt: Instant, opening: Opening): Promise<void> => {
    const { position, odd } = opening;
    if (position === null || odd === null) return;
    const terms = termsOf(settings, position);
    const known = kept.get(startsAt);
    if (known?.position === position && known.terms === terms && known.engine === engine) return;
    await openings.keep({ startsAt, position, engine, terms, state: JSON.stringify(opening) });
  };
  await keep(start, found.opening);
  await keep(end, found.next);
}
