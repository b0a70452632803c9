// Counts a month's wallet operations: those that succeeded in it, those that were open at its end,
// and notes on those that its lines may name. It keeps notes only of operations that moved in the
// month or later, not of the whole history.

import type { Amount } from '../../domain/amount.ts';
import type { Instant } from '../../domain/instant.ts';
import { describedOf, hasSettled, isFinal, type Operation } from '../../domain/operation.ts';
import type { Bounds } from '../../domain/period.ts';
import { valueIn } from '../../domain/value-in.ts';
import { localText } from '../../domain/zone.ts';
import { isUnclear } from '../../kernel/replay/cut.ts';
import type { PostedNote } from '../entries/postings.ts';
import { beginDays, type DayFinder, plus } from '../exact.ts';
import { shownNumber, shownText } from '../mask-phone-numbers.ts';
import type { MonthSettings } from '../month-settings.ts';
import type { OpenOperation } from '../section-reconciliation.ts';
import type { StatementOperation } from '../statement-line.ts';
import type { Collections, StatusCounts } from '../summary.ts';
import { beginCommissions, type CommissionSums, chargeOperation } from './commissions.ts';

/**
 * Sums of one operator in one country. There is one object for each pair, so that a line finds its
 * sums at once.
 */
export interface OperatorGroup {
  readonly operator: string;
  readonly country: string;
  succeeded: number;
  final: number;
  readonly collections: Counted;
}

type Counted = { -readonly [Sum in keyof Collections]: Collections[Sum] };

export interface OperationNote
  extends PostedNote,
    Pick<Operation, 'reference' | 'createdAt' | 'completedAt' | 'updatedAt'> {
  readonly counterpartyNumber: string | null;
  readonly group: OperatorGroup;
}

export interface MonthOperations {
  readonly settings: MonthSettings;
  readonly days: DayFinder;
  readonly notes: Map<string, OperationNote>;
  readonly groups: Map<string, OperatorGroup>;
  readonly byDay: Map<string, Counted>;
  readonly collections: Counted;
  readonly disbursements: Counted;
  readonly byStatus: { -readonly [K in keyof StatusCounts]: number };
  readonly commissions: CommissionSums;
  readonly open: { rows: OpenOperation[]; count: number; amount: Amount };
  /** How many operations the month's list has. */
  listed: number;
  /**
   * Operations that are counted only when the lines have been seen, because a line decides when
   * they ended.
   */
  readonly deferred: Operation[];
  /**
   * Instants of operations that findings name, by reference; `null` until the operation is seen.
   */
  readonly wanted: Map<string, Instant | null>;
  /** References of the operations in `wanted` for which the instant of the reversal is needed. */
  readonly reversals: ReadonlySet<string>;
}

/**
 * An operation that findings name. `isReversal` is true when its reversal alone is wrong, so that
 * the instant of the reversal counts.
 */
export interface WantedOperation {
  readonly reference: string;
  readonly isReversal: boolean;
}

const ROWS_KEPT = 1_000;

/** Begins the counts. `wanted` are the operations whose instants findings ask for. */
export function beginOperations(
  settings: MonthSettings,
  wanted: readonly WantedOperation[],
): MonthOperations {
  return {
    settings,
    days: beginDays(settings.bounds, settings.zone),
    notes: new Map(),
    groups: new Map(),
    byDay: new Map(),
    collections: { count: 0, amount: 0, fees: 0 },
    disbursements: { count: 0, amount: 0, fees: 0 },
    byStatus: { OPEN: 0, SUCCEEDED: 0, FAILED: 0, EXPIRED: 0, CANCELLED: 0, REVERSED: 0 },
    commissions: beginCommissions(settings),
    open: { rows: [], count: 0, amount: 0 },
    listed: 0,
    deferred: [],
    wanted: new Map(wanted.map(({ reference }) => [reference, null])),
    reversals: new Set(
      wanted.filter(({ isReversal }) => isReversal).map(({ reference }) => reference),
    ),
  };
}

/** Must be called with operations in ascending createdAt, each once, in its newest version. */
export function takeOperation(month: MonthOperations, operation: Operation): void {
  const { start, end } = month.settings.bounds;
  if (operation.createdAt >= end) return;
  if (operation.updatedAt >= start) noteOperation(month, operation);
  if (waitsForItsLine(month.settings, operation)) month.deferred.push(operation);
  else countOperation(month, operation, operation.completedAt ?? operation.updatedAt);
}

/**
 * Notes the instant of an operation that findings name: when it ended, or if it has not, when it
 * began. Where a reversal is at fault it is when the operation was reversed.
 */
export function dateOperation(
  { settings, wanted, reversals }: MonthOperations,
  operation: Operation,
): void {
  const then = settings.cut?.operationAt(operation, true) ?? operation;
  const { reference, status, createdAt, updatedAt, completedAt } = then;
  if (!wanted.has(reference)) return;
  const endedAt =
    status === 'REVERSED' && reversals.has(reference) ? updatedAt : (completedAt ?? 0);
  wanted.set(reference, Math.max(createdAt, endedAt));
}

/**
 * Keeps what a line may need of its operation, in the state that the operation had at the cut. It
 * is also called for operations that are looked up because a line names them.
 */
export function noteOperation(month: MonthOperations, operation: Operation): void {
  const { reference, type, amount, fees, createdAt, completedAt, updatedAt, externalReference } =
    operation;
  const { status } = month.settings.cut?.operationAt(operation, true) ?? operation;
  const { counterpartyName, counterpartyNumber } = describedOf(operation);
  const settlesByLine = waitsForItsLine(month.settings, operation);
  const succeededAt = hasSettled(operation.status) ? (completedAt ?? updatedAt) : null;
  const dates = { createdAt, completedAt, updatedAt, succeededAt };
  const facts = { reference, type, status, amount, fees, externalReference };
  month.notes.set(reference, {
    ...facts,
    ...dates,
    counterpartyName,
    counterpartyNumber,
    group: groupOf(month, operation),
    settlesByLine,
  });
}

/**
 * Counts the deferred operations. `settledAt` maps a reference to the date of its settling line.
 * Must be called once, after all lines have been seen.
 */
export function countDeferred(
  month: MonthOperations,
  settledAt: ReadonlyMap<string, Instant>,
): void {
  for (const operation of month.deferred) {
    countOperation(month, operation, endOf(month.settings, operation, settledAt));
  }
}

/**
 * Returns when the operation ended, which means something only if it has ended. `settledAt` is as
 * in `countDeferred`.
 */
function endOf(
  settings: Pick<MonthSettings, 'bounds'>,
  operation: Operation,
  settledAt: ReadonlyMap<string, Instant>,
): Instant {
  const { reference, completedAt, updatedAt } = operation;
  if (waitsForItsLine(settings, operation)) return settledAt.get(reference) ?? updatedAt;
  return completedAt ?? updatedAt;
}

function waitsForItsLine({ bounds }: Pick<MonthSettings, 'bounds'>, operation: Operation): boolean {
  return isUnclear(operation) && operation.updatedAt >= bounds.start;
}

/** Returns whether the operation was created, ended or reversed in the month. */
function isOfMonth({ start, end }: Bounds, operation: Operation, endedAt: Instant): boolean {
  const { status, createdAt, updatedAt } = operation;
  const isIn = (at: Instant): boolean => at >= start && at < end;
  return (
    isIn(createdAt) ||
    (isFinal(status) && isIn(endedAt)) ||
    (status === 'REVERSED' && isIn(updatedAt))
  );
}

function countOperation(month: MonthOperations, operation: Operation, endedAt: Instant): void {
  const { start, end } = month.settings.bounds;
  const { status, createdAt } = operation;
  const finalAt = isFinal(status) ? endedAt : null;
  const isOpen = finalAt === null || finalAt >= end;
  if (isOfMonth(month.settings.bounds, operation, endedAt)) month.listed += 1;
  if (createdAt >= start) month.byStatus[isOpen ? 'OPEN' : statusAtEnd(operation, end)] += 1;
  if (isOpen) noteOpen(month, operation);
  if (finalAt === null || finalAt < start || finalAt >= end) return;
  const group = groupOf(month, operation);
  group.final += 1;
  if (!hasSettled(status)) return;
  group.succeeded += 1;
  chargeOperation(month.commissions, operation);
  if (operation.type === 'CASHIN') countCollection(month, operation, { group, at: finalAt });
  else count(month.disbursements, operation);
}

/**
 * Returns the status that an operation had at `end`. The operation must have ended before then.
 */
function statusAtEnd({ status, updatedAt }: Operation, end: Instant): keyof StatusCounts {
  if (status === 'REVERSED' && updatedAt >= end) return 'SUCCEEDED';
  return status === 'CREATED' || status === 'PENDING' || status === 'AWAITING_PAYER'
    ? 'OPEN'
    : status;
}

function countCollection(
  month: MonthOperations,
  operation: Operation,
  { group, at }: { readonly group: OperatorGroup; readonly at: Instant },
): void {
  const { day } = month.days.dayAt(at);
  const ofDay = valueIn(month.byDay, day, () => ({ count: 0, amount: 0, fees: 0 }));
  for (const counted of [month.collections, group.collections, ofDay]) count(counted, operation);
}

function count(counted: Counted, { amount, fees }: Operation): void {
  counted.count += 1;
  counted.amount = plus(counted.amount, amount);
  counted.fees = plus(counted.fees, fees);
}

function noteOpen({ open }: MonthOperations, operation: Operation): void {
  const {
    reference,
    type,
    status,
    amount,
    fees,
    operator,
    country,
    createdAt,
    expiresAt,
    completedAt,
  } = operation;
  open.count += 1;
  open.amount = plus(open.amount, amount);
  if (open.rows.length >= ROWS_KEPT) return;
  const facts = { reference, type, statusAsRead: status, amount, fees, operator, country };
  open.rows.push({
    ...facts,
    createdAt,
    expiresAt,
    completedAt: isFinal(status) ? completedAt : null,
  });
}

function groupOf(month: MonthOperations, { operator, country }: Operation): OperatorGroup {
  const key = JSON.stringify([operator, country]);
  return valueIn(month.groups, key, () => {
    return {
      operator,
      country,
      succeeded: 0,
      final: 0,
      collections: { count: 0, amount: 0, fees: 0 },
    };
  });
}

/**
 * Returns the operation as the month's list shows it; `null` when the list does not have it.
 * `settledAt` is that of the month's figures.
 */
export function listOperation(
  settings: MonthSettings,
  settledAt: ReadonlyMap<string, Instant>,
  operation: Operation,
): StatementOperation | null {
  const { bounds, zone, phoneNumbers } = settings;
  const endedAt = endOf(settings, operation, settledAt);
  if (operation.createdAt >= bounds.end || !isOfMonth(bounds, operation, endedAt)) return null;
  const isOpen = !isFinal(operation.status) || endedAt >= bounds.end;
  const completedAt = isOpen ? null : endedAt;
  const { reference, type, operator, country, amount, fees, netAmount, currency, createdAt } =
    operation;
  const { counterpartyName, counterpartyNumber, description } = describedOf(operation);
  return {
    reference,
    type,
    operator,
    country,
    counterpartyName: shownText(phoneNumbers, counterpartyName),
    counterpartyNumber: shownNumber(phoneNumbers, counterpartyNumber),
    description: shownText(phoneNumbers, description),
    externalReference: shownText(phoneNumbers, operation.externalReference),
    amount,
    fees,
    netAmount,
    currency,
    status: isOpen ? 'OPEN' : statusAtEnd(operation, bounds.end),
    createdAt,
    completedAt,
    createdLocal: localText(zone, createdAt),
    completedLocal: completedAt === null ? null : localText(zone, completedAt),
  };
}
