// Reads one row a line: the quick way when the line is plain and of a shape met before, else the strict way. Both ways
// give the same rows; only the strict one refuses.

import { isUtf8 } from 'node:buffer';
import type { ByteSpan } from '../../packed/byte-span.ts';
import { parseStrictJson } from '../decode/strict-json.ts';
import { type LineShape, learnShape } from './line-shape.ts';
import { clearSlots, createSlots, readPlainLine, readPlainValues, type Slots } from './plain-line.ts';
import type { RowPlan } from './row-plan.ts';

/** Lines that end with a line feed. */
export interface LineSpan extends ByteSpan {
  /** Offset after the last line feed. */
  readonly end: number;
  /** True when all the bytes up to `end` are valid UTF-8. */
  readonly isValid: boolean;
}

/** What the last line turned out to be. `keys`: only its keys were looked at, and they stand in `slots`. */
export type Found = 'row' | 'keys' | 'blank' | 'fault';

/** A reader is overwritten by each line it reads. */
export interface RowReader<Row> {
  readonly plan: RowPlan<Row>;
  readonly slots: Slots;
  found: Found;
  /** What was found was read from `slots`, which still describe its line. */
  isPlain: boolean;
  /** The row, when `found` is `row`. */
  row: Row | null;
  /** The fault and the parsed value (undefined when the line is not even JSON), when `found` is `fault`. */
  reason: string;
  value: unknown;
}

/** Longest line, in bytes without its line feed: 1 MiB. */
export const LONGEST_LINE = 1_048_576;
export const TOO_LONG = 'the line is longer than 1 MiB';

const MOST_SHAPES = 8;
const MOST_LESSONS = 256;

interface State<Row> extends RowReader<Row> {
  readonly build: Build<Row>;
  /** The shapes met so far, the latest to fit first. */
  readonly shapes: LineShape[];
  /** For each shape, how many of its first values hold all the keys. */
  readonly keyCounts: Map<LineShape, number>;
  cleared: LineShape | null;
  lessons: number;
}

type Build<Row> = (span: ByteSpan, slots: Slots) => Row | null;

/** By what creates them. Thousands of small files are read one after another: what builders know of texts serves them all. */
const builders = new Map<() => Build<unknown>, Build<unknown>>();
/** The shapes learned last, by part, for the next file: one program writes them all. */
const learned = new Map<string, readonly LineShape[]>();
const MOST_KEPT = 2;

function builderOf<Row>({ createBuilder }: RowPlan<Row>): Build<Row> {
  const known = builders.get(createBuilder) ?? createBuilder();
  builders.set(createBuilder, known);
  return known as Build<Row>;
}

export function createRowReader<Row>(plan: RowPlan<Row>): RowReader<Row> {
  const shapes = [...(learned.get(plan.part) ?? [])];
  const state: State<Row> = {
    plan,
    slots: createSlots(plan.fields),
    build: builderOf(plan),
    shapes,
    keyCounts: new Map(shapes.map((shape) => [shape, keyCountOf(plan, shape)])),
    cleared: null,
    lessons: 0,
    found: 'blank',
    isPlain: false,
    row: null,
    reason: '',
    value: undefined,
  };
  return state;
}

/** Reads the line at `at` and returns the offset of the next one. Leaves `row`, `blank` or `fault` in `reader.found`. */
export function readRow<Row>(reader: RowReader<Row>, span: LineSpan, at: number): number {
  const state = reader as State<Row>;
  const next = readPlainly(state, span, at, false);
  if (next < 0) return readStrictly(state, span, at);
  const row = state.build(span, state.slots);
  if (row === null) return readStrictly(state, span, at);
  state.found = 'row';
  state.isPlain = true;
  state.row = row;
  return next;
}

/**
 * Looks at no more of the line than its keys, and returns the offset of the next one. `keys` means that the line is plain
 * as far as the last key: whether the rest is sound remains to be seen.
 */
export function skimRow<Row>(reader: RowReader<Row>, span: LineSpan, at: number): number {
  const state = reader as State<Row>;
  const after = readPlainly(state, span, at, true);
  if (after < 0) return readStrictly(state, span, at);
  state.found = 'keys';
  state.isPlain = true;
  return span.bytes.indexOf(0x0a, after) + 1;
}

/** Finds all the values of the line, and builds nothing: `keys` means that they stand in `slots`. */
export function scanRow<Row>(reader: RowReader<Row>, span: LineSpan, at: number): number {
  const state = reader as State<Row>;
  const next = readPlainly(state, span, at, false);
  if (next < 0) return readStrictly(state, span, at);
  state.found = 'keys';
  state.isPlain = true;
  return next;
}

/** Tries the known shapes; −1 when none fits. */
function readPlainly<Row>(state: State<Row>, span: LineSpan, at: number, keysOnly: boolean): number {
  const { shapes, slots } = state;
  if (!span.isValid && !isUtf8(span.bytes.subarray(at, span.bytes.indexOf(0x0a, at)))) return -1;
  for (let i = 0; i < shapes.length; i += 1) {
    const shape = shapes[i]!;
    if (shape !== state.cleared) {
      clearSlots(slots, shape);
      state.cleared = shape;
    }
    const next = keysOnly
      ? readPlainValues(span, at, span.end, shape, slots, state.keyCounts.get(shape)!)
      : readPlainLine(span, at, span.end, shape, slots);
    if (next < 0 || next - at > LONGEST_LINE || (keysOnly && !isDelimiter(span.bytes[next]!))) continue;
    if (i > 0) {
      shapes.splice(i, 1);
      shapes.unshift(shape);
    }
    return next;
  }
  return -1;
}

/** True for what may follow a value: a whole number could otherwise be the beginning of a fraction. */
function isDelimiter(byte: number): boolean {
  return byte === 0x2c || byte === 0x7d || byte === 0x20;
}

function readStrictly<Row>(state: State<Row>, span: LineSpan, at: number): number {
  const lineFeed = span.bytes.indexOf(0x0a, at);
  const line = span.bytes.subarray(at, lineFeed);
  state.row = null;
  state.value = undefined;
  state.found = 'fault';
  state.isPlain = false;
  if (isBlank(line)) {
    state.found = 'blank';
    return lineFeed + 1;
  }
  if (line.length > LONGEST_LINE) {
    state.reason = TOO_LONG;
    return lineFeed + 1;
  }
  const parsed = parseStrictJson(line);
  if (!parsed.ok) {
    state.reason = parsed.reason;
    return lineFeed + 1;
  }
  state.value = parsed.value;
  const decoded = state.plan.decode(parsed.value);
  if (decoded.ok) {
    state.found = 'row';
    state.row = decoded.value;
    learnFrom(state, line);
  } else {
    state.reason = decoded.reason;
  }
  return lineFeed + 1;
}

/** Keeps the shape of a sound line, unless it is known, or so many lines differ that learning more would not pay. */
function learnFrom<Row>(state: State<Row>, line: Buffer): void {
  if (state.shapes.length === MOST_SHAPES || state.lessons === MOST_LESSONS) return;
  state.lessons += 1;
  const text = line.at(-1) === 0x0d ? line.subarray(0, -1) : line;
  const { plan } = state;
  const shape = learnShape(text, plan.fields);
  if (shape === null || state.shapes.some((known) => known.signature === shape.signature)) return;
  state.keyCounts.set(shape, keyCountOf(plan, shape));
  state.shapes.push(shape);
  const others = (learned.get(plan.part) ?? []).filter((known) => known.signature !== shape.signature);
  learned.set(plan.part, [shape, ...others].slice(0, MOST_KEPT));
}

function keyCountOf({ keys, fields }: RowPlan<unknown>, shape: LineShape): number {
  return Math.max(...keys.map((key) => shape.fields.indexOf(fields.indexOf(key)))) + 1;
}

function isBlank(line: Uint8Array): boolean {
  for (const byte of line) {
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  }
  return true;
}
