// Reads tallies out of a table as objects, and puts objects into one.

import type { Operation } from '../../domain/operation.ts';
import { createName, type HashOf, nameOf } from '../../domain/rows/name.ts';
import { copyOperation, createOperationCursor } from '../../domain/rows/operation-fields.ts';
import { storeRow } from '../../domain/rows/row-store.ts';
import type { HeldSoFar, TalliedLine, Tally } from './tally.ts';
import {
  addLine,
  createTallyTable,
  dropLines,
  findTally,
  LINE,
  TALLY,
  type TallyTable,
  tallyOf,
} from './tally-table.ts';

function orNull(figure: number): number | null {
  return Number.isNaN(figure) ? null : figure;
}

/** Returns what the row's operation holds; `null` for the row −1, which means no operation. */
export function heldAt({ figures }: TallyTable, row: number): HeldSoFar | null {
  const at = row * TALLY.width;
  return row < 0
    ? null
    : { held: figures[at + TALLY.held]!, hold: orNull(figures[at + TALLY.hold]!) };
}

const CURSOR = createOperationCursor();

/**
 * Returns the row's operation as an object of its own, or `null` where only its lines are known.
 */
export function operationIn({ figures, operations }: TallyTable, row: number): Operation | null {
  const operation = figures[row * TALLY.width + TALLY.operation]!;
  if (operation < 0) return null;
  CURSOR.open(operations);
  CURSOR.moveTo(operation);
  return copyOperation(CURSOR.row);
}

export function referenceAt({ figures, names }: TallyTable, row: number): string {
  const at = row * TALLY.width;
  return Buffer.from(
    names.buffer as ArrayBuffer,
    figures[at + TALLY.nameStart]!,
    figures[at + TALLY.nameLength]!,
  ).toString();
}

/** Returns the row's tally as an object of its own, which shares nothing with the table. */
export function tallyAt(table: TallyTable, row: number): Tally {
  const { figures, previous } = table;
  const at = row * TALLY.width;
  return {
    reference: referenceAt(table, row),
    operation: operationIn(table, row),
    previous: previous.get(row) ?? null,
    lines: linesOf(table, row),
    held: figures[at + TALLY.held]!,
    settling: figures[at + TALLY.settling]!,
    availableBefore: orNull(figures[at + TALLY.availableBefore]!),
    judgedAt: figures[at + TALLY.judgedAt]!,
    lacksEarlierLines: figures[at + TALLY.lacksEarlierLines] === 1,
  };
}

/** Returns the lines of the row's tally, in ledger order. */
function linesOf(
  { figures: tallies, lines: { figures, words } }: TallyTable,
  row: number,
): TalliedLine[] {
  const lines: TalliedLine[] = [];
  for (let line = tallies[row * TALLY.width + TALLY.firstLine]!; line >= 0; ) {
    const at = line * LINE.width;
    const [sequence = 0, amount = 0, balanceAfter = 0, reservedAfter = 0, createdAt = 0] =
      figures.subarray(at);
    const reservedMove = orNull(figures[at + LINE.reservedMove]!);
    const [direction, kind] = [words[2 * line]!, words[2 * line + 1]!];
    const entry = { sequence, direction, kind, amount, balanceAfter, reservedAfter, createdAt };
    lines.push({ entry, reservedMove, heldMove: figures[at + LINE.heldMove]! });
    line = figures[at + LINE.next]!;
  }
  return lines;
}

/** Returns all tallies by reference, in the order in which they were begun. */
export function talliesIn(table: TallyTable): Map<string, Tally> {
  return new Map(eachTally(table).map((tally) => [tally.reference, tally]));
}

/** Yields all tallies in the order in which they were begun. Each is made on demand. */
export function* eachTally(table: TallyTable): Generator<Tally, undefined> {
  for (let row = 0; row < table.count; row += 1) yield tallyAt(table, row);
}

const NAME = createName();

/** Returns a table of the given tallies, in the same order. */
export function tableOf(tallies: Iterable<Tally>, hashOf: HashOf): TallyTable {
  const table = createTallyTable();
  for (const tally of tallies) {
    nameOf(NAME, tally.reference, hashOf);
    putTally(table, tallyOf(table, NAME), tally);
  }
  return table;
}

/** Overwrites the row with the given tally. */
export function putTally(table: TallyTable, row: number, tally: Tally): void {
  const { operation, previous, lines } = tally;
  const at = row * TALLY.width;
  dropLines(table, row);
  for (const line of lines) addLine(table, row, line.entry, line);
  const { figures } = table;
  figures[at + TALLY.operation] = operation === null ? -1 : storeRow(table.operations, operation);
  figures[at + TALLY.held] = tally.held;
  figures[at + TALLY.settling] = tally.settling;
  figures[at + TALLY.availableBefore] = tally.availableBefore ?? Number.NaN;
  figures[at + TALLY.judgedAt] = tally.judgedAt;
  figures[at + TALLY.lacksEarlierLines] = tally.lacksEarlierLines ? 1 : 0;
  if (previous === null) table.previous.delete(row);
  else table.previous.set(row, previous);
}

/** Returns the row of the operation with this reference, or −1. */
export function rowNamed(table: TallyTable, reference: string, hashOf: HashOf): number {
  nameOf(NAME, reference, hashOf);
  return findTally(table, NAME);
}

/** Returns the tally of the operation with this reference, or `null`. */
export function tallyNamed(table: TallyTable, reference: string, hashOf: HashOf): Tally | null {
  const row = rowNamed(table, reference, hashOf);
  return row < 0 ? null : tallyAt(table, row);
}
