// Delivers the operations of a file in ascending createdAt, each once, in its newest version. An equal re-delivery is passed
// over; two versions that claim the same updatedAt and differ cannot both be true, and the later one is rejected by name.

import { formatInstant, type Instant } from '../../domain/instant.ts';
import type { Operation } from '../../domain/operation.ts';
import type { BookFile } from './book-file.ts';
import { readRowAt } from './line-at.ts';
import { readLineChunks, regionOf } from './line-chunks.ts';
import { addOffset, createOperationIndex, findSlot, hashReference, type OperationIndex } from './operation-index.ts';
import type { FirstPass, OrderedStream } from './ordered-stream.ts';
import { ASCII_TEXT, INSTANT, OTHER_TEXT } from './plain-line.ts';
import { OPERATION_PLAN } from './row-plan.ts';
import { createRowReader, type LineSpan, type RowReader, readRow, skimRow } from './row-reader.ts';

const REFERENCE = OPERATION_PLAN.fields.indexOf('reference');
const CREATED_AT = OPERATION_PLAN.fields.indexOf('createdAt');

export function createOperationStream(file: BookFile): OrderedStream<Operation> {
  return {
    file,
    plan: OPERATION_PLAN,
    keyOf: (operation) => operation.createdAt,
    passFirst: async () => summarize(await indexOperations(file)),
    firstPass: null,
    sorted: null,
  };
}

/** What one pass over the keys of a file found. */
export interface OperationPass {
  readonly file: BookFile;
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

/** Indexes the newest version of every operation in `file`. */
export async function indexOperations(file: BookFile): Promise<OperationPass> {
  const pass: OperationPass = {
    file,
    index: createOperationIndex(file.size),
    reader: createRowReader(OPERATION_PLAN),
    earlierReader: createRowReader(OPERATION_PLAN),
    passedOver: [],
    contradictions: new Map(),
    isInOrder: true,
    newest: Number.NEGATIVE_INFINITY,
  };
  for await (const chunk of readLineChunks(regionOf(file))) {
    if (chunk.kind === 'overlong') continue;
    const { span, offset } = chunk;
    for (let at = chunk.start; at < span.end; ) {
      const next = skimRow(pass.reader, span, at);
      noteOperation(pass, { span, at, offset: offset + at });
      at = next;
    }
  }
  return pass;
}

/** The newest version of the operation, or null when the file has none. */
export function findOperation(pass: OperationPass, reference: string): Operation | null {
  const bytes = Buffer.from(reference);
  let found: Operation | null = null;
  findSlot(pass.index, hashReference(pass.index, bytes, 0, bytes.length), (offset) => {
    const operation = readRowAt(pass.file, pass.reader, offset);
    if (operation?.reference !== reference) return false;
    found = operation;
    return true;
  });
  return found;
}

function summarize(pass: OperationPass): FirstPass {
  const passedOver = Float64Array.from(pass.passedOver).sort();
  const { contradictions, isInOrder } = pass;
  const createFilter = () => {
    let next = 0;
    return (offset: number): boolean | string => {
      while (next < passedOver.length && passedOver[next]! < offset) next += 1;
      if (passedOver[next] === offset) return false;
      return contradictions.size === 0 || (contradictions.get(offset) ?? true);
    };
  };
  return { isInOrder, createFilter };
}

interface Line {
  readonly span: LineSpan;
  readonly at: number;
  /** Place in the file. */
  readonly offset: number;
}

/** Notes the line that the reader has just skimmed. */
function noteOperation(pass: OperationPass, line: Line): void {
  const { reader, index } = pass;
  if (reader.found === 'keys' && !hasPlainKeys(reader)) readRow(reader, line.span, line.at);
  if (reader.found !== 'row' && reader.found !== 'keys') return;
  const { hash, createdAt } = reader.found === 'row' ? keysOfRow(index, reader.row!) : keysOfLine(index, line, reader);
  if (createdAt < pass.newest) pass.isInOrder = false;
  pass.newest = createdAt;
  const known = findSlot(index, hash, (earlier, slot) => settle(pass, line, earlier, slot));
  if (known < 0) addOffset(index, hash, line.offset);
}

function hasPlainKeys({ slots }: RowReader<Operation>): boolean {
  const kind = slots.kinds[REFERENCE];
  return (kind === ASCII_TEXT || kind === OTHER_TEXT) && slots.kinds[CREATED_AT] === INSTANT;
}

interface Keys {
  readonly hash: number;
  readonly createdAt: Instant;
}

function keysOfLine(index: OperationIndex, { span }: Line, { slots }: RowReader<Operation>): Keys {
  const { starts, ends, numbers } = slots;
  return {
    hash: hashReference(index, span.bytes, starts[REFERENCE]!, ends[REFERENCE]!),
    createdAt: numbers[CREATED_AT]!,
  };
}

function keysOfRow(index: OperationIndex, operation: Operation): Keys {
  const bytes = Buffer.from(operation.reference);
  return { hash: hashReference(index, bytes, 0, bytes.length), createdAt: operation.createdAt };
}

/**
 * Decides between the line and the earlier one at `earlier`, if both are versions of one operation; true when that is
 * settled. Both are read in full: a line that is not sound may not take the place of one that is.
 */
function settle(pass: OperationPass, line: Line, earlier: number, slot: number): boolean {
  readRow(pass.reader, line.span, line.at);
  if (pass.reader.found !== 'row') return true;
  const operation = pass.reader.row!;
  const known = readRowAt(pass.file, pass.earlierReader, earlier);
  if (known?.reference !== operation.reference) return false;
  if (operation.updatedAt > known.updatedAt) {
    pass.passedOver.push(earlier);
    pass.index.offsets[slot] = line.offset;
  } else if (operation.updatedAt < known.updatedAt || isSameOperation(operation, known)) {
    pass.passedOver.push(line.offset);
  } else {
    const when = `updatedAt ${formatInstant(operation.updatedAt)}`;
    pass.contradictions.set(line.offset, `${operation.reference} was given before with ${when} and other content`);
  }
  return true;
}

function isSameOperation(a: Operation, b: Operation): boolean {
  return (Object.keys(a) as (keyof Operation)[]).every((field) => a[field] === b[field]);
}
