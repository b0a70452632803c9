// Makes the lines of a month as a statement shows them, once its figures are complete. Each
// document that lists lines makes such a pass.

import type { Amount } from '../../domain/amount.ts';
import { localText } from '../../domain/zone.ts';
import { ANOMALY, type ReplayedLine } from '../../kernel/replay/replay-state.ts';
import type { LinkMoney } from '../comparison.ts';
import {
  type BookLine,
  beginNumbering,
  entryOfLine,
  type Numbering,
  nextNumber,
  withheldIn,
} from '../entries/book.ts';
import { paymentEntries } from '../entries/link-entries.ts';
import { lettered } from '../entries/post-entry.ts';
import { plus } from '../exact.ts';
import type { JournalEntry } from '../journal.ts';
import { beginLineReplay, type LineReplay, type VisitedLine } from '../line-replay.ts';
import { shownNumber, shownText } from '../mask-phone-numbers.ts';
import type { Opening } from '../opening.ts';
import {
  LINE_FLAGS,
  type LineFlag,
  type StatementLine,
  type StatementPayment,
} from '../statement-line.ts';
import type { MonthFigures } from './month-figures.ts';
import type { OperationNote } from './month-operations.ts';
import { crossingSection } from './month-tables.ts';

interface Running {
  readonly figures: MonthFigures;
  readonly crossing: ReadonlySet<number>;
  readonly numbering: Numbering;
  balance: Amount;
  reserved: Amount;
}

/**
 * Begins to replay the lines again from the month's opening on. `give` gets the lines of the month,
 * by sequence. `figures` must be complete.
 */
export function beginLines(
  figures: MonthFigures,
  opening: Opening,
  give: (line: StatementLine) => void,
): LineReplay {
  const { bounds } = figures.settings;
  const { balance, reserved } = figures.before;
  const crossing = new Set(crossingSection(figures).rows.map((row) => row.sequence));
  const running: Running = { figures, crossing, numbering: beginNumbering(), balance, reserved };
  return beginLineReplay(figures.settings, opening, (line) => {
    const at = line.entry.createdAt;
    if (at >= bounds.start && at < bounds.end) give(nextLine(running, line));
  });
}

function nextLine(running: Running, line: VisitedLine): StatementLine {
  const { entry, effect, move, odd, dated, isMoved } = line;
  const { figures } = running;
  const { settings, operations } = figures;
  const reference = entry.operationReference;
  const note = reference === null ? null : (operations.notes.get(reference) ?? null);
  running.balance = plus(running.balance, effect);
  running.reserved = plus(running.reserved, move);
  const localTime = localText(settings.zone, entry.createdAt);
  const shown = (text: string | null): string | null => shownText(settings.phoneNumbers, text);
  return {
    sequence: entry.sequence,
    id: entry.id,
    createdAt: entry.createdAt,
    localTime,
    kind: entry.kind,
    direction: entry.direction,
    label: shown(entry.description),
    operationReference: reference,
    externalReference: shown(note?.externalReference ?? null),
    counterpartyName: shown(note?.counterpartyName ?? null),
    counterpartyNumber: shownNumber(settings.phoneNumbers, note?.counterpartyNumber ?? null),
    operator: note?.group.operator ?? null,
    country: note?.group.country ?? null,
    amount: entry.amount,
    currency: entry.currency,
    isMemo: effect === 0,
    debit: effect < 0 ? -effect : null,
    credit: effect > 0 ? effect : null,
    commission: withheldIn(figures.journal, { entry, effect }, note),
    balance: running.balance,
    reservedMove: move,
    reserved: running.reserved,
    recordedBalance: entry.balanceAfter,
    recordedReserved: entry.reservedAfter,
    flags: flagsOf(odd, {
      crosses: running.crossing.has(entry.sequence),
      isLate: dated !== undefined,
      isMoved,
      isUnknown: settings.hasOperations && reference !== null && note === null,
    }),
    entry: effect === 0 ? null : entryOf(running, line, note, localTime.slice(0, 10)),
  };
}

/** Gives payments by link as a statement shows them, by time. */
export function* showPayments(
  { settings, journal }: MonthFigures,
  { payments }: LinkMoney,
): Generator<readonly StatementPayment[]> {
  const isListed = settings.journal.entries === 'line';
  for (const payment of payments) {
    const { reference, ...paid } = payment;
    const entries = isListed ? paymentEntries(journal, payment) : [];
    yield [
      {
        payment: reference,
        ...paid,
        orderId: shownText(settings.phoneNumbers, payment.orderId),
        localTime: localText(settings.zone, payment.createdAt),
        entries: entries.map(({ entry }) => entry),
      },
    ];
  }
}

function entryOf(
  { figures, numbering }: Running,
  line: BookLine,
  note: OperationNote | null,
  day: string,
): JournalEntry {
  const number = nextNumber(numbering, figures.journal.maker, {
    sequence: line.entry.sequence,
    day,
  });
  const { entry, mayBeCleared } = entryOfLine(figures.journal, line, note, { number, day });
  return mayBeCleared ? lettered(figures.journal.sums, entry) : entry;
}

const NO_FLAGS: readonly LineFlag[] = [];

function flagsOf(
  odd: ReplayedLine | null,
  also: Readonly<Record<'crosses' | 'isLate' | 'isMoved' | 'isUnknown', boolean>>,
): readonly LineFlag[] {
  if (odd === null && !also.crosses && !also.isLate && !also.isMoved && !also.isUnknown)
    return NO_FLAGS;
  const { balanceDrift, reservedDrift, anomalies } = odd ?? {
    balanceDrift: 0n,
    reservedDrift: 0n,
    anomalies: 0,
  };
  const raised: Readonly<Record<LineFlag, boolean>> = {
    BALANCE_DRIFT: balanceDrift !== 0n,
    RESERVED_DRIFT: reservedDrift !== 0n,
    AFTER_JUMP: (anomalies & ANOMALY.jump) !== 0,
    SEQUENCE_SHARED: (anomalies & ANOMALY.duplicate) !== 0,
    UNKNOWN_KIND: (anomalies & ANOMALY.unknown) !== 0,
    WRONG_DIRECTION: (anomalies & ANOMALY.direction) !== 0,
    CROSSES_BOUND: also.crosses,
    LATE: also.isLate,
    MISDATED: also.isMoved,
    OPERATION_UNKNOWN: also.isUnknown,
  };
  return LINE_FLAGS.filter((flag) => raised[flag]);
}
