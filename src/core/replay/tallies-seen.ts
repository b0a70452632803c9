// Views of tallies: one object for lines that reads the table and is moved from operation to operation, so that a sound tally
// costs no allocation; and plain objects for callers that keep one. Of the core, the only classes beside
// those of rows: their fields must be getters on one prototype to cost what a field costs.

import type { Amount } from '../domain/amount.ts';
import type { Instant } from '../domain/instant.ts';
import { ANNOUNCING, type Operation, type OperationType, typeOfReference } from '../domain/operation.ts';
import { createName, type HashOf, nameOf } from '../rows/name.ts';
import { copyOperation, createOperationCursor } from '../rows/operation-fields.ts';
import type { RowCursor } from '../rows/row-cursor.ts';
import { storeRow } from '../rows/row-store.ts';
import { type HeldSoFar, type PostedLine, postedLine, type TalliedLine, type Tally } from './tally.ts';
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

/** Line of a table; its `entry` is itself. */
class LineSeen implements TalliedLine, PostedLine {
  figures!: Float64Array;
  words!: readonly string[];
  line = 0;

  get entry(): PostedLine {
    return this;
  }
  get sequence(): number {
    return this.figures[this.line * LINE.width]!;
  }
  get direction(): string {
    return this.words[2 * this.line]!;
  }
  get kind(): string {
    return this.words[2 * this.line + 1]!;
  }
  get amount(): Amount {
    return this.figures[this.line * LINE.width + LINE.amount]!;
  }
  get balanceAfter(): Amount {
    return this.figures[this.line * LINE.width + LINE.balanceAfter]!;
  }
  get reservedAfter(): Amount {
    return this.figures[this.line * LINE.width + LINE.reservedAfter]!;
  }
  get createdAt(): Instant {
    return this.figures[this.line * LINE.width + LINE.createdAt]!;
  }
  get reservedMove(): Amount | null {
    return orNull(this.figures[this.line * LINE.width + LINE.reservedMove]!);
  }
  get heldMove(): Amount {
    return this.figures[this.line * LINE.width + LINE.heldMove]!;
  }
}

function orNull(figure: number): number | null {
  return Number.isNaN(figure) ? null : figure;
}

/** What decides how the next line of an operation moves. */
export interface TallySeen extends HeldSoFar {
  readonly table: TallyTable;
  readonly row: number;
  /** Sequence of its first line; it must have one. */
  readonly began: number;
}

class RowSeen implements TallySeen {
  table!: TallyTable;
  row = 0;

  get held(): Amount {
    return this.table.figures[this.row * TALLY.width + TALLY.held]!;
  }
  get hold(): Amount | null {
    return orNull(this.table.figures[this.row * TALLY.width + TALLY.hold]!);
  }
  get began(): number {
    const { figures, lines } = this.table;
    return lines.figures[figures[this.row * TALLY.width + TALLY.firstLine]! * LINE.width]!;
  }
}

const SEEN = new RowSeen();

/** Good until another is looked at; null for a row below 0. */
export function seeTally(table: TallyTable, row: number): TallySeen | null {
  if (row < 0) return null;
  SEEN.table = table;
  SEEN.row = row;
  return SEEN;
}

/** Tallies of one table, one after the other: what it shows is good until another is looked at, or the table is changed. */
export interface TalliesSeen {
  readonly table: TallyTable;
  readonly cursor: RowCursor<Operation>;
  readonly lines: LineSeen[];
  /** The first lines, by how many. */
  readonly lists: (readonly LineSeen[])[];
}

/** To be called anew when the table has changed. */
export function seeTallies(table: TallyTable): TalliesSeen {
  const cursor = createOperationCursor();
  cursor.open(table.operations);
  return { table, cursor, lines: [], lists: [] };
}

/** Null where it is not known. */
export function operationAt({ table, cursor }: TalliesSeen, row: number): Operation | null {
  const operation = table.figures[row * TALLY.width + TALLY.operation]!;
  if (operation < 0) return null;
  cursor.moveTo(operation);
  return cursor.row;
}

/** As `operationAt`; an object that holds on to nothing. */
export function operationIn(table: TallyTable, row: number): Operation | null {
  if (table.figures[row * TALLY.width + TALLY.operation]! < 0) return null;
  return copyOperation(operationAt(seeTallies(table), row)!);
}

/** In ledger order. */
export function linesAt(seen: TalliesSeen, row: number): readonly TalliedLine[] {
  const { table, lines, lists } = seen;
  const { figures, words } = table.lines;
  const count = table.figures[row * TALLY.width + TALLY.lines]!;
  while (lines.length < count) lines.push(new LineSeen());
  let line = table.figures[row * TALLY.width + TALLY.firstLine]!;
  for (let i = 0; i < count; i += 1) {
    const one = lines[i]!;
    one.figures = figures;
    one.words = words;
    one.line = line;
    line = figures[line * LINE.width + LINE.next]!;
  }
  lists[count] ??= lines.slice(0, count);
  return lists[count];
}

export function referenceAt({ figures, names }: TallyTable, row: number): string {
  const at = row * TALLY.width;
  return Buffer.from(
    names.buffer as ArrayBuffer,
    figures[at + TALLY.nameStart]!,
    figures[at + TALLY.nameLength]!,
  ).toString();
}

/** What the reference announces (`typeOfReference`), without a text for each: the answers for a few beginnings are kept. */
export function announcedAt(table: TallyTable, row: number): OperationType | null {
  const { figures, names } = table;
  const at = row * TALLY.width;
  if (figures[at + TALLY.nameLength]! < ANNOUNCING) return typeOfReference(referenceAt(table, row));
  const start = figures[at + TALLY.nameStart]!;
  const first = names.getInt32(start, true);
  const second = names.getInt32(start + ANNOUNCING - 4, true);
  const slot = (second >>> 16) & (ANSWERS - 1);
  const known = answers[slot];
  if (known?.first === first && known.second === second) return known.type;
  const type = typeOfReference(referenceAt(table, row));
  answers[slot] = { first, second, type };
  return type;
}

const ANSWERS = 4;
const answers: { readonly first: number; readonly second: number; readonly type: OperationType | null }[] = [];

/** An object that holds on to nothing. */
export function tallyAt(seen: TalliesSeen, row: number): Tally {
  const { figures, previous } = seen.table;
  const at = row * TALLY.width;
  const operation = operationAt(seen, row);
  return {
    reference: referenceAt(seen.table, row),
    operation: operation === null ? null : copyOperation(operation),
    previous: previous.get(row) ?? null,
    lines: linesAt(seen, row).map(({ entry, reservedMove, heldMove }) => {
      return { entry: postedLine(entry), reservedMove, heldMove };
    }),
    held: figures[at + TALLY.held]!,
    settling: figures[at + TALLY.settling]!,
    availableBefore: orNull(figures[at + TALLY.availableBefore]!),
    judgedAt: figures[at + TALLY.judgedAt]!,
    lacksEarlierLines: figures[at + TALLY.lacksEarlierLines] === 1,
  };
}

/** All of them, by reference, in the order in which they were begun. */
export function talliesIn(table: TallyTable): Map<string, Tally> {
  return new Map(eachTally(table).map((tally) => [tally.reference, tally]));
}

/** One after the other, each made on demand. */
export function* eachTally(table: TallyTable): Generator<Tally, undefined> {
  const seen = seeTallies(table);
  for (let row = 0; row < table.count; row += 1) yield tallyAt(seen, row);
}

const NAME = createName();

/** As objects are given, in the same order. */
export function tableOf(tallies: Iterable<Tally>, hashOf: HashOf): TallyTable {
  const table = createTallyTable();
  for (const tally of tallies) {
    nameOf(NAME, tally.reference, hashOf);
    putTally(table, tallyOf(table, NAME), tally);
  }
  return table;
}

/** What the row was before does not matter. */
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

/** Of the operation; −1: there is none. */
export function rowNamed(table: TallyTable, reference: string, hashOf: HashOf): number {
  nameOf(NAME, reference, hashOf);
  return findTally(table, NAME);
}

/** Null: there is none. */
export function tallyNamed(table: TallyTable, reference: string, hashOf: HashOf): Tally | null {
  const row = rowNamed(table, reference, hashOf);
  return row < 0 ? null : tallyAt(seeTallies(table), row);
}
