// The books of a session that judges at a cut. A pass of its own learns where the cut lies; then
// lines behind the cut are kept apart. The replay applies them as far as a line before the cut
// comes after them, so that the chain stays whole. They count for nothing else.

import { addTo, type ExactSum, emptySum, totalOf } from '../../domain/amount.ts';
import type { FindingDraft } from '../../domain/finding.ts';
import { DAY } from '../../domain/instant.ts';
import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import { type MovedLine, possibleAt } from '../../domain/period.ts';
import {
  type Batch,
  keptOf,
  type OperationVersion,
  OutOfOrder,
  type Recalled,
  viewOf,
} from '../../domain/snapshot.ts';
import { beginScan, type Cut, type CutAt, cutOf, scanLine, scanOperation } from '../replay/cut.ts';
import type { LineMove } from '../replay/move-of.ts';
import { ANOMALY, type ReplayedLine } from '../replay/replay-state.ts';
import type { Tally } from '../replay/tally.ts';
import type { ReconcileSettings } from './books.ts';
import { ask, type Rows, type Session } from './drive.ts';
import type { Off } from './roots/excess.ts';

export interface CutBooks {
  readonly cut: Cut;
  /** Whether the wallet is judged too, where nothing has moved it since the cut. */
  readonly withWallet: boolean;
  /**
   * What lines up to the head moved that are behind the cut: the recorded figures include it too
   * early. The head is the last line that is stated before the end.
   */
  readonly ahead: MutableOff;
  /**
   * What lines after the head moved that were on their way: the recorded figures do not include it
   * yet.
   */
  readonly inTransit: MutableOff;
  /** What all lines after the head moved. */
  readonly afterHead: MutableOff;
  /** Recorded figures after the head; `null` where no line is before the cut. */
  recorded: { readonly balance: number; readonly reserved: number } | null;
  /**
   * The head was taken. Another line of its number that comes now and is stated behind the end
   * counts as after the head.
   */
  hasHead: boolean;
  entries: number;
  /**
   * Lines that the chain leaves out because another line has their number, where the two are dated
   * more than a day apart. They are stated at the date of that other line. By sequence.
   */
  readonly leftOut: Map<number, MovedLine>;
  /**
   * References of operations that are named by lines behind the cut, or by lines with impossible
   * dates.
   */
  readonly withLater: Set<string>;
  /** Sequences of lines behind the cut. */
  readonly later: Set<number>;
}

export type CutOfSession = Pick<CutBooks, 'cut' | 'withWallet'>;

type MutableOff = { readonly balance: ExactSum; readonly reserved: ExactSum };

const emptyOff = (): MutableOff => ({ balance: emptySum(), reserved: emptySum() });

export function beginCutBooks({ cut, withWallet }: CutOfSession): CutBooks {
  const sums = { ahead: emptyOff(), inTransit: emptyOff(), afterHead: emptyOff() };
  const seen = { leftOut: new Map(), withLater: new Set<string>(), later: new Set<number>() };
  return { cut, withWallet, ...sums, recorded: null, hasHead: false, entries: 0, ...seen };
}

export function offOf({ balance, reserved }: MutableOff): Off {
  return { balance: totalOf(balance), reserved: totalOf(reserved) };
}

/**
 * Learns the cut by reading operations first and then lines. A moving source is read once: its rows
 * are kept for the pass that judges.
 */
export function* learnCut(
  at: CutAt,
  { settings, rows }: { readonly settings: ReconcileSettings; readonly rows: Rows },
): Session<Cut> {
  for (;;) {
    if (!rows.areOpen) yield* ask<'rows'>({ what: 'rows' });
    try {
      const cut = settings.keepsAll
        ? yield* scanMoving(at, settings, rows)
        : yield* scanStill(at, settings);
      rows.areOpen = settings.keepsAll;
      return cut;
    } catch (failure) {
      if (!(failure instanceof OutOfOrder)) throw failure;
      rows.areOpen = false;
    }
  }
}

function* scanStill(at: CutAt, { clockTolerance }: ReconcileSettings): Session<Cut> {
  const scan = beginScan(at, clockTolerance);
  yield* eachOperations((batch) => {
    const view = viewOf(batch);
    for (let i = 0; i < view.count; i += 1)
      scanOperation(scan, view.at(i).operation, () => view.copy(i).operation);
    view.release();
  });
  yield* eachEntries((batch) => {
    const view = viewOf(batch);
    for (let i = 0; i < view.count; i += 1) scanLine(scan, view.at(i));
    view.release();
  });
  return cutOf(scan);
}

function* scanMoving(at: CutAt, { clockTolerance }: ReconcileSettings, rows: Rows): Session<Cut> {
  const scan = beginScan(at, clockTolerance);
  if (rows.entries.length + rows.operations.length === 0) {
    yield* eachEntries((batch) => void rows.entries.push(keptOf(batch)));
    yield* eachOperations((batch) => void rows.operations.push(keptOf(batch)));
  }
  for (const batch of rows.operations)
    for (const { operation } of batch.rows) scanOperation(scan, operation, () => operation);
  for (const batch of rows.entries) for (const entry of batch.rows) scanLine(scan, entry);
  return cutOf(scan);
}

function* eachEntries(take: (batch: Batch<LedgerEntry>) => void): Session<void> {
  for (;;) {
    const batch = yield* ask<'entries'>({ what: 'entries', taken: 0 });
    if (batch === null) return;
    take(batch);
  }
}

function* eachOperations(take: (batch: Batch<OperationVersion>) => void): Session<void> {
  for (;;) {
    const batch = yield* ask<'operations'>({ what: 'operations' });
    if (batch === null) return;
    take(batch);
  }
}

/**
 * Returns the lines of a batch up to the first one behind the cut's last, because that line shows
 * whether the date of the last is possible. `isOver` says that no later batch has any.
 */
export function entriesBefore(
  { cut }: CutBooks,
  batch: Batch<LedgerEntry>,
): { readonly batch: Batch<LedgerEntry>; readonly isOver: boolean } {
  const { rows, rejected, hashes } = keptOf(batch);
  const last = cut.last ?? Number.NEGATIVE_INFINITY;
  const next = rows.findIndex(({ sequence }) => sequence > last);
  if (next < 0)
    return {
      batch: { rows, rejected, ...(hashes === undefined ? {} : { hashes }) },
      isOver: false,
    };
  const kept = cut.last === null ? 0 : next + 1;
  const some = hashes === undefined ? {} : { hashes: Array.from(hashes).slice(0, kept) };
  return { batch: { rows: rows.slice(0, kept), rejected, ...some }, isOver: true };
}

/** Returns the operations as they were at the cut. Those that were created later are left out. */
export function operationsAt(
  { cut }: CutBooks,
  batch: Batch<OperationVersion>,
): Batch<OperationVersion> {
  return chosenOf(batch, ({ operation }) => {
    const one = cut.operationAt(operation);
    return one === null ? null : { operation: one, previous: null };
  });
}

/** Returns the batch with each version that `choose` returns; `null` leaves a version out. */
export function chosenOf(
  batch: Batch<OperationVersion>,
  choose: (version: OperationVersion) => OperationVersion | null,
): Batch<OperationVersion> {
  const { rows, rejected, hashes } = keptOf(batch);
  const places: number[] = [];
  const chosen = rows.flatMap((version, i) => {
    const one = choose(version);
    if (one !== null) places.push(i);
    return one ?? [];
  });
  return {
    rows: chosen,
    rejected,
    ...(hashes === undefined ? {} : { hashes: places.map((i) => hashes[i]!) }),
  };
}

export function recalledAt({ cut }: CutBooks, { entries, operations }: Recalled): Recalled {
  const named = new Set(
    entries.flatMap(({ entry }) => (cut.isBehind(entry) ? [] : entry.operationReference)),
  );
  return {
    entries: entries.filter(({ entry }) => cut.last !== null && entry.sequence <= cut.last),
    operations: operations.flatMap(({ operation }) => {
      const then = cut.operationAt(operation, named.has(operation.reference));
      return then === null ? [] : [{ operation: then, previous: null }];
    }),
  };
}

/**
 * Returns the settings without what was served otherwise since the cut: it is no fact of the time
 * before.
 */
export function settingsAt(settings: ReconcileSettings, cut: Cut): ReconcileSettings {
  const { departures = [], missing = [], alterations = [], replaced = null } = settings;
  return {
    ...settings,
    departures: departures.filter(
      ({ before, now }) => now.updatedAt < cut.end || before.updatedAt >= cut.end,
    ),
    missing: missing.filter(({ operation }) => operation.createdAt < cut.end),
    replaced: replaced !== null && replaced.since < cut.end ? replaced : null,
    alterations: alterations.filter(({ sequence, before, now }) => {
      const line = now ?? before;
      return line === null ? cut.head !== null && sequence <= cut.head : !cut.isBehind(line);
    }),
  };
}

/**
 * Takes each line that the replay applied. Returns true where the line counts only in the chain.
 */
export function takeAtCut(
  books: CutBooks,
  entry: LedgerEntry,
  { effect, heldMove }: Pick<LineMove, 'effect' | 'heldMove'>,
): boolean {
  const { cut, ahead, inTransit, afterHead } = books;
  const isBehind = cut.isBehind(entry);
  const isOfHead = entry.sequence === cut.head;
  const isStatedLater = isBehind || (isOfHead && cut.isOnItsWay(entry));
  const isAfterHead =
    cut.head === null || entry.sequence > cut.head || (isOfHead && books.hasHead && isStatedLater);
  books.hasHead ||= isOfHead && !isStatedLater;
  if (!isAfterHead) {
    books.recorded = { balance: entry.balanceAfter, reserved: entry.reservedAfter };
    books.entries += 1;
  }
  const sums = [
    ...(isAfterHead ? [afterHead] : []),
    ...(isAfterHead && !isBehind ? [inTransit] : []),
    ...(isBehind && !isAfterHead ? [ahead] : []),
  ];
  for (const { balance, reserved } of sums) {
    addTo(balance, effect);
    addTo(reserved, heldMove);
  }
  const { moved } = cut.dating;
  if (moved.size > 0 && moved.has(entry.sequence) && entry.operationReference !== null)
    books.withLater.add(entry.operationReference);
  if (!isBehind) return false;
  books.later.add(entry.sequence);
  if (entry.operationReference !== null) books.withLater.add(entry.operationReference);
  return true;
}

/**
 * Notes the lines that were left out. Call for each line that the replay reports, before its
 * anomalies are judged.
 */
export function noteLeftOut({ leftOut }: CutBooks, { entry, leftOut: lines }: ReplayedLine): void {
  for (const { sequence, createdAt } of lines)
    if (Math.abs(createdAt - entry.createdAt) > DAY)
      leftOut.set(sequence, { createdAt, at: entry.createdAt });
}

/** Anomalies of the recorded figures, which follow the sequence. */
const OF_CHAIN = ANOMALY.jump | ANOMALY.opening | ANOMALY.balance | ANOMALY.reserved;
/** Anomalies of the line itself. */
const OF_LINE =
  ANOMALY.amount | ANOMALY.direction | ANOMALY.unknown | ANOMALY.currency | ANOMALY.reference;

/**
 * Returns the anomalies that count at the cut: those of the chain up to the head, and those of the
 * line itself where it is not behind the cut.
 */
export function anomaliesAt({ cut }: CutBooks, { entry, anomalies }: ReplayedLine): number {
  const isAfterHead = cut.head === null || entry.sequence > cut.head;
  if (cut.isBehind(entry)) return isAfterHead ? 0 : anomalies & OF_CHAIN;
  return isAfterHead ? anomalies & OF_LINE : anomalies;
}

/** Returns the tally as it was at the cut; `null` where nothing of it was there. */
export function tallyThen({ cut, withLater }: CutBooks, tally: Tally): Tally | null {
  if (!withLater.has(tally.reference)) return tally;
  const lines = tally.lines
    .filter(({ entry }) => !cut.isBehind({ ...entry, operationReference: tally.reference }))
    .map((line) => ({
      ...line,
      entry: { ...line.entry, createdAt: possibleAt(line.entry, cut.dating) },
    }));
  if (lines.length === 0 && (tally.operation === null || tally.operation.createdAt >= cut.end))
    return null;
  return { ...tally, lines, held: lines.reduce((held, { heldMove }) => held + heldMove, 0) };
}

/**
 * Whether the draft is about the date of a line behind the cut. Such dates are judged together with
 * all others.
 */
export function isOfLater({ later }: CutBooks, { kind, sequence }: FindingDraft): boolean {
  return kind === 'ENTRY_TIME_IMPOSSIBLE' && sequence !== null && later.has(sequence);
}
