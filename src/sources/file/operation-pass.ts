// One pass over the operations of a file: which version of each is the newest, where it stands, and whether the file is in
// order. An equal re-delivery is passed over; two versions that claim the same updatedAt and differ cannot both be true.

import { formatInstant, type Instant } from '../../domain/instant.ts';
import type { Operation } from '../../domain/operation.ts';
import { sameOperation } from '../../rows/operation-fields.ts';
import { hashBytes } from './hash-bytes.ts';
import { readRowAt } from './line-at.ts';
import {
  addOperation,
  createOperationIndex,
  enterOperations,
  type IndexedOperation,
  lastRow,
  NONE,
  type OperationIndex,
  replaceOperation,
  rowBefore,
} from './operation-index.ts';
import { ASCII_TEXT, ESCAPED_TEXT, INSTANT, OTHER_TEXT, type Slots } from './plain-line.ts';
import { unescapedAt } from './plain-values.ts';
import type { OpenFile } from './read-at.ts';
import { OPERATION_PLAN } from './row-plan.ts';
import { createRowReader, type LineSpan, type RowReader, readRow } from './row-reader.ts';

const REFERENCE = OPERATION_PLAN.fields.indexOf('reference');
const EXTERNAL_REFERENCE = OPERATION_PLAN.fields.indexOf('externalReference');
/** So many that those of one part of the table come together. */
const ENTERED_AT_ONCE = 32_768;

const CREATED_AT = OPERATION_PLAN.fields.indexOf('createdAt');

/** What one pass over the keys of a file found. */
export interface OperationPass {
  readonly file: OpenFile;
  readonly index: OperationIndex;
  /** Reads the line of the pass, and the lines that it is compared with. */
  readonly reader: RowReader<Operation>;
  readonly earlierReader: RowReader<Operation>;
  /** Offsets of rows that another version has replaced, or that say nothing new. */
  readonly passedOver: number[];
  /** Offset → reason, for rows that contradict the version that was kept. */
  readonly contradictions: Map<number, string>;
  isInOrder: boolean;
  newest: number;
}

/** `index` is empty, or one that another pass over the file has filled. */
export function beginPass(file: OpenFile, index: OperationIndex = createOperationIndex(file.size)): OperationPass {
  return {
    file,
    index,
    reader: createRowReader(OPERATION_PLAN),
    earlierReader: createRowReader(OPERATION_PLAN),
    passedOver: [],
    contradictions: new Map(),
    isInOrder: true,
    newest: Number.NEGATIVE_INFINITY,
  };
}

export interface Line {
  readonly span: LineSpan;
  readonly at: number;
  /** Place in the file. */
  readonly offset: number;
}

/** Notes the line whose values, or at least keys, `reader` has just found. */
export function noteOperation(pass: OperationPass, reader: RowReader<Operation>, line: Line): void {
  const { index } = pass;
  let seen = reader;
  if (reader.found === 'keys' && !hasPlainKeys(reader)) {
    readRow(pass.reader, line.span, line.at);
    seen = pass.reader;
  }
  if (seen.found !== 'row' && seen.found !== 'keys') return;
  const isWritten = seen.found === 'row' && !seen.isPlain;
  const keys = isWritten ? keysOfRow(index, line, seen.row!) : keysOfLine(index, line, seen);
  if (keys.createdAt < pass.newest) pass.isInOrder = false;
  pass.newest = keys.createdAt;
  addOperation(index, keys);
  if (index.count - index.entered === ENTERED_AT_ONCE) enterNoted(pass);
}

/** Call once after the last line: until then, the operations noted last are neither found nor compared. */
export function endPass(pass: OperationPass): void {
  enterNoted(pass);
}

function enterNoted(pass: OperationPass): void {
  enterOperations(pass.index, (row) => isVersion(pass, row));
}

/** So far every operation came in order, and once, as far as they have been compared. */
export function isBeyondDoubt({ isInOrder, passedOver, contradictions }: OperationPass): boolean {
  return isInOrder && passedOver.length + contradictions.size === 0;
}

function hasPlainKeys({ slots }: RowReader<Operation>): boolean {
  const kind = slots.kinds[REFERENCE];
  return (kind === ASCII_TEXT || kind === OTHER_TEXT) && slots.kinds[CREATED_AT] === INSTANT;
}

interface Keys extends IndexedOperation {
  readonly createdAt: Instant;
}

function keysOfLine(index: OperationIndex, { span, offset }: Line, { slots }: RowReader<Operation>): Keys {
  return {
    hash: hashField(index, span, slots, REFERENCE),
    external: hashField(index, span, slots, EXTERNAL_REFERENCE),
    createdAt: slots.numbers[CREATED_AT]!,
    offset,
  };
}

function keysOfRow(index: OperationIndex, { offset }: Line, operation: Operation): Keys {
  const { reference, externalReference, createdAt } = operation;
  const external = externalReference === null ? 0 : hashText(index, externalReference);
  return { hash: hashText(index, reference), external, createdAt, offset };
}

/** 0 for a field that is no text. A text has one hash, however it is written. */
function hashField(index: OperationIndex, span: LineSpan, slots: Slots, field: number): number {
  const { kinds, starts, ends } = slots;
  const slot = field;
  if (kinds[slot] === ESCAPED_TEXT) return hashText(index, unescapedAt(span, slots, field));
  const isText = kinds[slot] === ASCII_TEXT || kinds[slot] === OTHER_TEXT;
  return isText ? hashBytes(index.seed, span.bytes, starts[slot]!, ends[slot]!) : 0;
}

export function hashText(index: OperationIndex, text: string): number {
  const bytes = Buffer.from(text);
  return hashBytes(index.seed, bytes, 0, bytes.length);
}

/**
 * Decides between the line in `row` and each earlier one of the same hash, if both are versions of one operation; true when
 * that is settled. Both are read in full: a line that is not sound may not take the place of one that is.
 */
function isVersion(pass: OperationPass, row: number): boolean {
  const { index } = pass;
  const hash = index.hashes[row]!;
  for (let earlier = lastRow(index, hash); earlier !== NONE; earlier = rowBefore(index, hash, earlier)) {
    if (settle(pass, row, earlier)) return true;
  }
  return false;
}

function settle(pass: OperationPass, row: number, earlier: number): boolean {
  const { offsets } = pass.index;
  const offset = offsets[row]!;
  const operation = readRowAt(pass.file, pass.reader, offset);
  if (operation === null) return true;
  const known = readRowAt(pass.file, pass.earlierReader, offsets[earlier]!);
  if (known?.reference !== operation.reference) return false;
  if (operation.updatedAt > known.updatedAt) {
    pass.passedOver.push(offsets[earlier]!);
    replaceOperation(pass.index, earlier, row);
  } else if (operation.updatedAt < known.updatedAt || sameOperation(operation, known)) {
    pass.passedOver.push(offset);
  } else {
    const when = `updatedAt ${formatInstant(operation.updatedAt)}`;
    pass.contradictions.set(offset, `${operation.reference} was given before with ${when} and other content`);
  }
  return true;
}
